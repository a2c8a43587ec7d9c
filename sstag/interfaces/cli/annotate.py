"""The command `sstag annotate`: it opens the workbench, a page for annotating, in a browser on this machine."""

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sstag.foundation.errors import ConfigError, counted
from sstag.interfaces.cli.annotate_changes import (
    BECOMES,
    goes_on,
    label_change,
    labels_changed,
    names_in,
    overlap_changed,
    reading_words,
)
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Command, OneOf, options_of
from sstag.interfaces.cli.options import Reading, reading
from sstag.interfaces.cli.server_options import SERVER, queueing, secret_option
from sstag.labels.schemes.rules import SCHEMES
from sstag.selection.strategies import STRATEGIES

if TYPE_CHECKING:
    from sstag.corpus.layout import Layout
    from sstag.foundation.json_values import Json
    from sstag.interfaces.annotate.again import Choices
    from sstag.interfaces.annotate.project import Project
    from sstag.interfaces.annotate.settings import Named, Settings

PORT = 8642
STRATEGY = "entropy-rate"  # entropy itself asks for long sentences, which cost more minutes than they are worth
CHANGES = "Changes of a project"
_data, _method, _output, _changes, _server = map(options_of, (DATA, METHOD, OUTPUT, CHANGES, SERVER))


@click.command(name="annotate", cls=Command)
@click.argument("pool", required=False, metavar="[POOL]")
@_data("--project", required=True, metavar="FOLDER", help="Where everything is kept; made if it is not there.")
@_data("--labels", metavar="A,B,…", help="The labels of spans, for a new project.")
@_data("--template", "-t", metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_data("--dev", multiple=True, metavar="FILE", help="Labelled sentences to draw the learning curve on. Repeatable.")
@_method("--scheme", type=OneOf(SCHEMES, "scheme"), show_default="iob2", help="The scheme of the tags.")
@_method(
    "--strategy",
    type=OneOf(STRATEGIES, "strategy"),
    show_default=STRATEGY,
    help="How to choose what is asked, after a random beginning.",
)
@_method("--overlap", type=click.IntRange(1, 1000), show_default="1", help="How many annotators see each sentence.")
@_method("--train", "train_options", metavar="OPTIONS", help="Options of sstag train: '--method entropy --set l2=2'.")
@_data("--import", "file", metavar="FILE", help="Take a file in, and end.")
@_data(
    "--import-as", "kind", type=click.Choice(["annotations", "suggestions", "pool"]), help="What --import takes it as."
)
@_changes("--add-labels", metavar="A,B,…", help="Add labels, and end.")
@_changes("--rename-label", "renamed", multiple=True, metavar="OLD=NEW", help="Answers follow. Repeatable; and end.")
@_changes("--remove-label", "removed", multiple=True, metavar="LABEL", help="Remove a label, and end. Repeatable.")
@_changes("--remove-as", "becomes", type=click.Choice(BECOMES), help="What tokens with a removed label become.")
@_data(
    "--recover", is_flag=True, help="Keep what is whole of a damaged project, and end; the old file stays beside it."
)
@_server("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any that is free.")
@_server("--listen", "address", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Who can reach it.")
@_server("--known-as", "names", multiple=True, metavar="HOST", help="Another name that clients call it by. Repeatable.")
@secret_option("The secret of the address, instead of the project's own; made if missing. -: standard input.")
@queueing
@_server("--no-browser", is_flag=True, help="Print the address with its token instead of opening it.")
@reading
def command(
    pool: str | None,
    project: str,
    labels: str | None,
    template: str | None,
    dev: tuple[str, ...],
    scheme: str | None,
    strategy: str | None,
    overlap: int | None,
    train_options: str | None,
    file: str | None,
    kind: str | None,
    recover: bool,
    port: int,
    address: str,
    names: tuple[str, ...],
    secret_path: str | None,
    most_waiting: int,
    add_labels: str | None,
    renamed: tuple[str, ...],
    removed: tuple[str, ...],
    becomes: str | None,
    no_browser: bool,
    how: Reading,
) -> None:
    """Annotate in a browser, with a model that learns meanwhile.

    POOL has the sentences to annotate. A new project needs it, --labels and --template; later --project is enough,
    and everything goes on where it was; so does the same command again. Files that --template, --train and --dev name
    are copied into the project; what is too large for that, a cluster and a report count only while the command names
    them. The page is for this machine alone, and its address has a secret in it.

    --listen with another address lets other machines in: whoever knows the secret can read the texts and answer, and
    what they send can be read on the way.

    \b
    Example:
        sstag annotate raw.txt --template ner --labels PER,ORG,LOC --project work
        sstag annotate --project work --no-browser
        sstag annotate --project work --import old.jsonl --from-format doccano
        sstag annotate --project work --add-labels DATE --rename-label ORG=COMPANY
        sstag annotate --project work --overlap 2
    """
    if kind and not file:
        raise click.UsageError("--import-as is for --import")
    if becomes and not removed:
        raise click.UsageError("--remove-as is for --remove-label")
    wanted = label_change(add_labels, renamed, dict.fromkeys(removed, becomes or ""))
    if wanted and file:
        raise click.UsageError("labels are changed, or a file is taken in: two commands")
    from sstag.interfaces.annotate.again import Choices, beginning
    from sstag.interfaces.annotate.project import begun, is_project, opened
    from sstag.interfaces.annotate.settings import Named

    if recover:
        if pool or file or wanted or train_options or dev or overlap or strategy:
            raise click.UsageError("--recover goes with --project, and with --labels, --scheme and --template if lost")
        _recover(project, {"labels": [*(names_in(labels) or ())] or None, "scheme": scheme, "template": template})
        return
    if not (file or wanted):
        from sstag.interfaces.web import check_stack

        check_stack()
    chosen = Choices(pool, names_in(labels), template, scheme, strategy, overlap, reading_words(how) if pool else ())
    named = Named(template, _split(train_options), dev)
    if not is_project(project):
        if wanted:
            raise click.UsageError(f"there is no project in {project} whose labels could change")
        needed = {"POOL": pool, "--labels": labels, "--template": template}
        if missing := [name for name, value in needed.items() if value is None]:
            raise click.UsageError(f"a new project needs {' and '.join(missing)}")
        layout, settings = _layout(str(pool), template or "", how), _settings(chosen, named)
        begun(project, str(pool), layout, settings, beginning(replace(chosen, overlap=settings.overlap), layout))
    opened_project = opened(project, named)
    pages: list[str] = []
    try:
        there = pool is not None and os.path.exists(pool)
        goes_on(
            opened_project,
            replace(chosen, reading=None) if file else chosen,
            _layout(str(pool), template or opened_project.settings.template, how) if there else None,
        )
        if overlap and not chosen.are_a_beginning:
            overlap_changed(opened_project, overlap)
        if wanted:
            labels_changed(opened_project, wanted)
            return
        if file:
            _import(opened_project, file, kind or "annotations", how)
            return
        opened_project.check_texts()
        from sstag.interfaces.annotate.access import redirect_file
        from sstag.interfaces.annotate.server import workbench_app
        from sstag.interfaces.annotate.workbench import Workbench
        from sstag.interfaces.web.listening import listening, run
        from sstag.interfaces.web.logs import Refusals
        from sstag.interfaces.web.secret_files import named_secret

        socket, bound = listening(address, port, names)
        with socket:
            token = named_secret(secret_path) if secret_path else opened_project.token()
            url = f"{bound.url}/login?token={token}"
            bench = Workbench(opened_project)

            def ready() -> None:
                if no_browser:
                    click.echo(url)
                    return
                pages.append(redirect_file(url))
                click.echo(
                    f"{bound.url} opens in a browser; Ctrl-C ends it (--no-browser prints the address with its token)"
                )
                if click.launch(pages[0]):
                    raise ConfigError("no browser could be opened: --no-browser prints the address for one")

            refusals = Refusals()
            run(workbench_app(bench, bound, token, most_waiting, refusals), socket, ready, refusals)
    finally:
        opened_project.close()
        for page in pages:  # the token is in it
            os.unlink(page)


def _recover(project: str, named: "dict[str, Json]") -> None:
    """Keeps what is whole of a damaged project."""
    from sstag.interfaces.annotate.project import locked
    from sstag.interfaces.annotate.recovering import recovered

    with locked(project):
        salvage = recovered(project, {name: value for name, value in named.items() if value is not None})
    for line in salvage.lines:
        click.echo(f"{project}: {line}", err=True)


def _import(project: "Project", path: str, kind: str, how: Reading) -> None:
    """Takes a file in; answers in it are those of the annotators that it names, or of one who is called as the file."""
    from sstag.interfaces.annotate.importing import LONGEST_NAME, File, imported

    name = os.path.basename(path)
    found = imported(project, File(path, name, how.asked, kind), name[:LONGEST_NAME])
    click.echo(f"{path}: {counted(found.texts, 'sentence')}, {found.new:,} of them new", err=True)


def _layout(pool: str, template: str, how: Reading) -> "Layout":
    """How the pool is read: as the template says, unless that comes with sstag and is fitted to the pool."""
    from sstag.features.reading import load_template
    from sstag.features.shipped import shipped_names

    return how.layout(pool) if template in shipped_names() else load_template(template).raw_layout(pool, how.asked)


def _split(options: str | None) -> tuple[str, ...]:
    """Options of `sstag train` one by one, as a shell has them."""
    try:
        return tuple(shlex.split(options or ""))
    except ValueError as error:
        raise click.UsageError(f"--train: {error}") from error


def _settings(chosen: "Choices", named: "Named") -> "Settings":
    """The choices for a new project."""
    from sstag.interfaces.annotate.settings import Settings

    return Settings(
        labels=chosen.labels or (),
        scheme=chosen.scheme or "iob2",
        template=str(named.template),
        train=named.train,
        dev=named.dev,
        strategy=chosen.strategy or STRATEGY,
        overlap=chosen.overlap or 1,
    )
