"""The command `sstag export`: it writes what was annotated in the workbench as a file in any format."""

import click

from sstag.corpus.formats import USUAL, document_names, document_output, output_names
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.saving import is_folder
from sstag.foundation.files import check_outputs, output
from sstag.interfaces.cli.help_sections import OUTPUT, Command, OneOf, options_of
from sstag.interfaces.cli.options import output_option

_output = options_of(OUTPUT)


@click.command(name="export", cls=Command)
@click.argument("project", metavar="PROJECT")
@_output("--to-format", type=OneOf(output_names(), "format"), default=USUAL, show_default=True, help="Format to write.")
@_output("--rejected", metavar="FILE", help="Where to write the spans that were rejected, for sstag train.")
@_output("--expectations", metavar="FILE", help="Where to write the labels of words and features, for sstag train.")
@output_option
def command(project: str, to_format: str, rejected: str | None, expectations: str | None, target: str) -> None:
    """Write what was annotated.

    PROJECT is the folder of `sstag annotate`, which may be running. All texts are written that somebody said something
    of: A|B where annotators differ or could not tell, ? where nobody looked. A format with room for one annotation of a
    text gets the spans that all annotators see.

    \b
    Example:
        sstag export work -o answers.txt
        sstag export work --to-format doccano -o answers.jsonl
    """
    from sstag.interfaces.annotate.exporting import answers_of, expectation_lines, export, rejected_lines

    held = document_output(to_format, TextOptions()) if to_format in document_names() else None
    check_outputs([None if held and is_folder(held, target) else target, rejected, expectations], [])
    answers = answers_of(project)
    export(answers, to_format, target)
    for path, lines_of in ((rejected, rejected_lines), (expectations, expectation_lines)):
        if path:
            with output(path) as out:
                out.write("".join(lines_of(answers)).encode())
