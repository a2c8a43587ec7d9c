"""The command `sstag export`: it writes what was annotated in the workbench as a file in any format."""

import click

from sstag.corpus.formats import USUAL, document_names, document_output, output_names
from sstag.corpus.text.options import TextOptions, names_in
from sstag.corpus.text.saving import is_folder
from sstag.foundation.files import check_outputs, output
from sstag.interfaces.cli.help_sections import OUTPUT, Command, OneOf, options_of
from sstag.interfaces.cli.options import output_option

_output = options_of(OUTPUT)


@click.command(name="export", cls=Command)
@click.argument("project", metavar="PROJECT")
@_output("--to-format", type=OneOf(output_names(), "format"), default=USUAL, show_default=True, help="Format to write.")
@_output(
    "--annotators",
    metavar="A,B,…",
    show_default="all",
    help="Write only what these annotators say.",
)
@_output("--together", is_flag=True, help="Write one annotation of each text: what was decided, or what all see.")
@_output("--rejected", metavar="FILE", help="Where to write the spans that were rejected, for sstag train.")
@_output("--expectations", metavar="FILE", help="Where to write the labels of words and features, for sstag train.")
@output_option
def command(
    project: str,
    to_format: str,
    annotators: str | None,
    together: bool,
    rejected: str | None,
    expectations: str | None,
    target: str,
) -> None:
    """Write what was annotated.

    PROJECT is the folder of `sstag annotate`, which may be running. All texts are written that somebody said something
    of, with the names that they have in their files: A|B where annotators differ or could not tell, ? where nobody
    looked.

    What each of several annotators says is in columns of its own (label.ann, label.bob) before the label of all, or in
    annotations with names (Prodigy, Label Studio). A format without names of annotators gets what was decided, or the
    spans that all of them see.

    \b
    Example:
        sstag export work -o answers.txt
        sstag export work --to-format doccano -o answers.jsonl
        sstag export work --to-format doccano --annotators ann -o ann.jsonl
    """
    from sstag.interfaces.annotate.exporting import answers_of, expectation_lines, export, rejected_lines

    held = document_output(to_format, TextOptions()) if to_format in document_names() else None
    check_outputs([None if held and is_folder(held, target) else target, rejected, expectations], [])
    answers = answers_of(project)
    if annotators:
        answers = answers.only(names_in(annotators))
    lists = ((rejected, rejected_lines), (expectations, expectation_lines))
    contents = [(path, "".join(lines_of(answers)).encode()) for path, lines_of in lists if path]
    export(answers, to_format, target, together)
    for path, content in contents:
        with output(path) as out:
            out.write(content)
