"""The command `sstag merge`: it combines the labels of several annotators, models or lists into one column."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING

import click

from sstag.foundation.display import aligned
from sstag.foundation.errors import counted
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.foundation.registry import registered
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, Number, OneOf, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading, output_option, reading, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.knowledge.annotators import WAYS
from sstag.labels.schemes.rules import SCHEMES, scheme_name

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block
    from sstag.interfaces.cli.merge_sources import LabelledFile
    from sstag.knowledge.annotators.combining import Merged
    from sstag.knowledge.annotators.votes import Votes

FINER = "bioes"  # the scheme in which most mixtures are ill-formed

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(
    name="merge", cls=Command, lists=[("Ways to combine (--by)", [(name, way.help) for name, way in WAYS.items()])]
)
@click.argument("files", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@_data("--model", "-m", "models", multiple=True, metavar="MODEL", help="A source: what this model says. Repeatable.")
@_data(
    "--labeled-features", "lists", multiple=True, metavar="FILE", help="A source: this list of features. Repeatable."
)
@_data("--functions", multiple=True, metavar="FILE", help="A list whose every line is a source. Repeatable.")
@_data("--raw", is_flag=True, help="FILE has no labels: the sources are models and lists.")
@_method("--by", type=OneOf(WAYS, "way"), default="sets", show_default=True, help="How; see below.")
@_method(
    "--open-below",
    type=Number(0, 1, min_open=True),
    metavar="P",
    help="A|B, or ?, where the label is less probable (ways that weigh).",
)
@_method("--scheme", type=OneOf(SCHEMES, "scheme"), show_default="guessed", help="Scheme of the labels.")
@_method("--to-scheme", "new", type=OneOf(SCHEMES, "scheme"), show_default="that", help="Scheme to combine them in.")
@output_option
@_output("--by-label", is_flag=True, help="Show the sources by kind of label, too.")
@_output("--report", metavar="FILE", help="Write the table of sources as JSON.")
@threads_option
@reading
def command(
    files: tuple[str, ...],
    models: tuple[str, ...],
    lists: tuple[str, ...],
    functions: tuple[str, ...],
    raw: bool,
    by: str,
    open_below: float | None,
    scheme: str | None,
    new: str | None,
    target: str,
    by_label: bool,
    report: str | None,
    threads: int,
    how: Reading,
) -> None:
    """Combine the labels of several annotators, models or lists.

    Every FILE has the same sentences. Writes the first with the combined labels in its label column, and shows how
    much each source says, how often others differ, and how often it is right as far as the others tell.

    \b
    Example:
        sstag merge ann.txt bob.txt -o both.txt
        sstag merge ann.txt bob.txt cleo.txt --by sequence --open-below 0.9
        sstag merge raw.txt --raw --model old.model --functions names.tsv
    """
    if open_below is not None and not WAYS[by].weighs:
        ways = ", ".join(name for name, way in WAYS.items() if way.weighs)
        raise click.UsageError(f"--open-below is for --by {ways}")
    if raw and len(files) > 1:
        raise click.UsageError("with --raw there is one FILE, which the sources label")
    if list(files).count(STANDARD) > 0:
        raise click.UsageError("the files are read twice: none can be standard input (-)")
    if raw and new:
        raise click.UsageError("--to-scheme is for files with labels")
    from sstag.corpus.reading import blocks_again
    from sstag.interfaces.cli.merge_sources import Named, sources_of
    from sstag.knowledge.annotators.combining import merged
    from sstag.knowledge.annotators.label_texts import opened, texts_of
    from sstag.knowledge.annotators.votes import votes_of
    from sstag.knowledge.annotators.worth import worth_table, worths

    check_outputs([target, *([report] if report else [])], [*files, *models, *lists, *functions])
    how = replace(how, no_label=True, label=None) if raw else how
    with ProgressLine() as line:
        sources, first = sources_of(Named(files, models, lists, functions, raw), how, threads, line.show)
        marks = how.marks_of(first.layout)
        votes = votes_of(sources, marks, scheme, new)
        made = merged(votes, registered(WAYS[by].where), line.show)
        allowed = made.allowed
        if open_below is not None and made.probabilities is not None:
            allowed = opened(allowed, made.probabilities, open_below)
        texts, codes = texts_of(allowed, votes.labels, marks, ~votes.spoken)
        again = blocks_again(files[0], first.layout, sources[0].corpus.digest)
        _write(target, again, first, texts, codes.tolist())
    found = worths(votes, made)
    tables = [worth_table(found, False)]
    if by_label:
        tables.append(worth_table(worths(votes, made, by_label=True), True))
    if report:
        with output(report) as file:
            file.write(
                (json.dumps({"by": by, "sources": [asdict(one) for one in found]}, ensure_ascii=False) + "\n").encode()
            )
    for number, table in enumerate(tables):
        if number:
            say("")
        for row in aligned([table.head, *table.rows], table.left):
            say(row)
    _say(votes, made, by)


def _write(target: str, blocks: "Iterator[Block]", file: "LabelledFile", texts: list[str], codes: list[int]) -> None:
    """Writes a file with these labels in the column of its labels, and without columns of single annotators."""
    from sstag.labels.relabelling import with_labels

    values = [text.encode() for text in texts]
    labels: Iterator[bytes] = map(values.__getitem__, codes)
    with output(target) as out:
        for block in blocks:
            if len(block.rows):
                block = with_labels(file.without_annotators(block), list(islice(labels, len(block.rows))), file.stem)
            out.write(block.text)


def _say(votes: "Votes", made: "Merged", by: str) -> None:
    """Says how many regions are in conflict, and what sets of single tokens cannot say."""
    click.echo(f"{scheme_name(votes.tags.scheme)}; {counted(made.conflicts, 'place')} where sources conflict", err=True)
    if made.mixed:
        finer = "" if votes.tags.scheme in (FINER, "bmes", "plain") else f" (--to-scheme {FINER}: fewer, or none)"
        what = "a label for each token" if by == "sets" else "these labels"
        click.echo(
            f"{counted(made.mixed, 'place')} where {what} cannot exclude a mixture that nobody wrote{finer}", err=True
        )
