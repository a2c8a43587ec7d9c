"""The command `sstag template`: it lists, shows and fits the templates that come with sstag."""

import os

import click

from sstag.corpus.formats import Asked
from sstag.features.shipped import is_name, shipped_names, shipped_path
from sstag.foundation.documents import load_text
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.interfaces.cli.help_sections import DATA, Command, options_of, written
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading, output_option, reading_columns, say_if_terminal


@click.command(name="template", cls=Command)
@click.argument("name", metavar="[NAME]", required=False)
@options_of(DATA)("--for", "file", metavar="FILE", help="Rewrite the template for the columns of this file.")
@options_of(DATA)("--clusters", multiple=True, metavar="FILE", help="Add a line for clusters of words. Repeatable.")
@options_of(DATA)("--vectors", multiple=True, metavar="FILE", help="Add a line for vectors of words. Repeatable.")
@options_of(DATA)("--encoder", "encoders", multiple=True, metavar="MODEL", help="Add an encoder. Repeatable.")
@output_option
@reading_columns
def command(
    name: str | None,
    file: str | None,
    clusters: tuple[str, ...],
    vectors: tuple[str, ...],
    encoders: tuple[str, ...],
    target: str,
    how: Reading,
) -> None:
    """List the templates that come with sstag, show one, or write one for a file.

    Without NAME it lists them, and the vectors, clusters and encoders that help beside them. With --for the template
    is left with what the file has columns for, and its columns are called as in the file. train --template NAME takes
    a template as it is.

    \b
    Example:
        sstag template
        sstag template ner
        sstag template ner --for train.txt -o my.yaml
        sstag template ner --for train.txt --clusters raw.clusters -o my.yaml
        sstag template ner --for train.txt --columns word,tag,entity -o my.yaml
    """
    if not file and how != Reading(None, None, False, Asked(), (), False):
        raise click.UsageError("--columns, --label, --no-label and --from-format are about the file of --for")
    if name is None:
        if file or clusters or vectors or encoders or target != STANDARD:
            raise click.UsageError("which template? sstag template lists their names")
        _list()
        return
    if not is_name(name, "/") or name not in shipped_names():
        raise ConfigError(f"there is no template '{name}'{nearest(name, shipped_names())}")
    text = load_text(shipped_path(name))
    check_outputs([target], [file, *clusters, *vectors])
    if file:
        text = _for(name, text, file, how)
    if clusters or vectors or encoders:
        from sstag.features.proposals import with_files

        folder = os.curdir if target == STANDARD else os.path.dirname(target) or os.curdir
        text = with_files(text, name, clusters, vectors, encoders, folder)
    with output(target) as out:
        out.write(text.encode())


def _list() -> None:
    from sstag.features.encoders.encoder import hub
    from sstag.features.proposals import proposals

    formatter = click.get_current_context().make_formatter()
    helpful = [("Beside a template, made of raw text or installed", list(proposals(hub())))]
    written(formatter, [("Templates (--template NAME)", shipped_names().items()), *helpful])
    click.echo(formatter.getvalue().strip())


def _for(name: str, text: str, file: str, how: Reading) -> str:
    """The template for a file; what was changed is said."""
    from sstag.corpus.reading import first_columns
    from sstag.features.adapted import adapted
    from sstag.foundation.errors import DataError
    from sstag.foundation.files import display_name

    say_if_terminal(file)
    layout = how.layout(file)
    columns = first_columns(file, layout)
    if columns is None:
        raise DataError("no sentence in it", display_name(file))
    made = adapted(text, name, columns, layout)
    hint = "" if how.columns or layout.format.fixed else " (--columns names columns)"
    for line in made.notices(name, display_name(file), hint):
        say(line)
    return made.text
