"""The command `sstag agree`: it tells how far several annotators agree, and where they do not."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from sstag.foundation.display import aligned
from sstag.foundation.errors import counted
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.foundation.tables import Table
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.options import Reading, format_option, output_option, reading, seed_option, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.labels.schemes.rules import SCHEMES, scheme_name

if TYPE_CHECKING:
    from sstag.knowledge.annotators.agreement import Agreement, Figure
    from sstag.knowledge.annotators.votes import Votes

NONE = "–"

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(name="agree", cls=Command)
@click.argument("files", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@_data("--model", "-m", "models", multiple=True, metavar="MODEL", help="Another annotator: this model. Repeatable.")
@_method("--scheme", type=OneOf(SCHEMES, "scheme"), show_default="guessed", help="Scheme of the labels.")
@_method(
    "--resamples", default=1000, show_default=True, type=click.IntRange(0, 1_000_000), help="For intervals; 0: none."
)
@_output("--sheet", metavar="FILE", help="Write the sentences they disagree on, to be decided.")
@format_option(["text", "json"], "Format of the report.")
@output_option
@seed_option
@threads_option
@reading
def command(
    files: tuple[str, ...],
    models: tuple[str, ...],
    scheme: str | None,
    resamples: int,
    sheet: str | None,
    form: str,
    target: str,
    seed: int,
    threads: int,
    how: Reading,
) -> None:
    """Tell how far several annotators agree, and where they do not.

    Every FILE has the same sentences. Figures are those of each pair, of all, and of each kind of label, with 95 %
    intervals by sentence; tokens that somebody left open (?, A|B) do not count for them.

    \b
    Example:
        sstag agree ann.txt bob.txt
        sstag agree ann.txt bob.txt cleo.txt --sheet decide.txt
    """
    if list(files).count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    if models and STANDARD in files:
        raise click.UsageError("with --model the first file is read twice: it cannot be standard input (-)")
    from sstag.corpus.text.sentence_names import SentenceNames
    from sstag.foundation.errors import ConfigError
    from sstag.interfaces.cli.merge_sources import Named, say_silent, sources_of
    from sstag.knowledge.annotators.adjudication import sheet as sheet_of
    from sstag.knowledge.annotators.agreement import agreement
    from sstag.knowledge.annotators.votes import votes_of

    check_outputs([target, sheet], [*files, *models])
    marks = how.marks_of(replace(how, label=None).layout(files[0]))
    if sheet and marks.unknown is None:
        raise ConfigError("without a mark for it, an open label cannot be written (--mark unknown=…)")
    with ProgressLine() as line:
        names = SentenceNames()
        sources, _ = sources_of(Named(files, models), how, threads, line.show, names.noted)
        votes = votes_of(sources, marks, scheme)
        say_silent(votes, len(sources) - len(models), files[0])
        found = agreement(votes, resamples, seed, line.show)
        if sheet and marks.unknown:
            with output(sheet) as out:
                for text in sheet_of(sources, votes, found.disagreeing, marks.unknown, names):
                    out.write(text.encode())
    with output(target) as out:
        out.write((_json(votes, found) if form == "json" else _text(votes, found)).encode())


def _text(votes: "Votes", found: "Agreement") -> str:
    tables = [
        _table(("annotators", ""), {f"{one} {NONE} {two}": figures for (one, two), figures in found.pairs.items()}),
        _table(("together", ""), {"all": found.every}),
        _table(("label", ""), found.by_kind),
    ]
    compared, differ = counted(found.compared, "token"), int(found.disagreeing.sum())
    head = f"{scheme_name(votes.tags.scheme)}; {compared} with two labels or more, {differ:,} of them different\n"
    shown = ["\n".join(aligned([one.head, *one.rows], one.left)) + "\n" for one in tables if one.rows]
    return "\n".join([head, *shown])


def _table(first: tuple[str, str], groups: "Mapping[str, Mapping[str, Figure]]") -> Table:
    """A row for each figure of each group; the name of a group stands in its first row."""
    rows = []
    for name, figures in groups.items():
        for place, (figure, one) in enumerate(figures.items()):
            value = NONE if one.value is None else f"{one.value:.3f}"
            interval = "" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
            rows.append((name if not place else "", figure, value, interval))
    return Table((*first, "", "95 % interval"), rows, (0, 1))


def _json(votes: "Votes", found: "Agreement") -> str:
    def figures(some: "Mapping[str, Figure]") -> dict[str, object]:
        return {name: asdict(one) for name, one in some.items()}

    said = {
        "annotators": list(votes.names),
        "scheme": votes.tags.scheme,
        "tokens": found.compared,
        "different": int(found.disagreeing.sum()),
        "pairs": [{"annotators": list(pair), **figures(some)} for pair, some in found.pairs.items()],
        "all": figures(found.every),
        "by label": {name: figures(some) for name, some in found.by_kind.items()},
    }
    return json.dumps(said, ensure_ascii=False) + "\n"
