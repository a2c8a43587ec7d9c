"""Weights under a covariate shift, exact and real, and ρ by cross-validation: the trials, and the report on them."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.sokolovska2011 import newswire
from sstag.experiments.sokolovska2011.newswire import ALIKE
from sstag.experiments.sokolovska2011.shifted import FLAT, NO, OTHER, PAPERS, RATIO
from sstag.experiments.sokolovska2011.simulation import STANDARD
from sstag.experiments.sokolovska2011.worlds import EXACT, UNIGRAMS
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.sokolovska2011"
STRENGTHS = (1.0, 0.1, 0.01, 0.001)
SIZES = {"full": ((10, 20, 50), (20, 100)), "smoke": ((4,), (8,))}  # without a shift, and with one
DRAWS = {"full": (40, 30), "smoke": (6, 6)}
NEWSWIRE = {"full": (100, 20), "smoke": (6, 6)}  # sentences, draws
MADE = {"full": 1_000, "smoke": 60}  # ads
TOGETHER = 50  # draws of a trial
SECONDS = 0.003  # of a draw and sequence

VALIDATED = """### ρ by cross-validation

The paper does not say which ρ it took for Figure 1. Here cross-validation of each draw's n sequences chooses it (l2 =
{strengths}; the fewest wrong labels of the standard CRF; all systems have the same), {draws} draws of the first HMM.
Errors are exact, of labels and of whole sequences: the paper's "percentage of error" may be either. `q / N` are the
paper's weights with mean 1."""
SHIFT = """### Covariate shift

The paper hopes for weights where the inputs that are learned from are drawn otherwise than those of the test. Here they
are drawn in proportion to √q, or from another HMM, and labelled by p(y|x) of the first; the test has q. `ratio` is what
the paper's weights tend to with many sequences (Shimodaira 2000), with mean 1. {draws} draws, l2 by cross-validation of
the standard CRF."""
REAL = """### From newswire to web text

Parts of speech of web text (English Web Treebank, {tested}), learned from {size} sentences of newswire (Penn Treebank
sample), {draws} draws. q(x) are trigrams of the web text's words; `ratio` is q(x) by that of the newswire; `per token`
is the same evened out to a sentence's mean per token. Template and settings are those that sstag ships."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A part for the priors, one for generated shifts, and one for a real one."""
    known = {hmm: Trial(f"{WHERE}.simulation:known", {"hmm": hmm}, cost=10.0) for hmm in (1, 2)}

    def trials(shift: str, template: str, sizes: Sequence[int], draws: int) -> Iterator[Trial]:
        for size in sizes:
            for first in range(1, draws + 1, TOGETHER):
                last = min(first + TOGETHER - 1, draws)
                settings: Row = {
                    "hmm": 1,
                    "shift": shift,
                    "template": template,
                    "size": size,
                    "strengths": list(STRENGTHS),
                    "draws": [first, last],
                }
                needs = [known[1], *([known[2]] if shift == OTHER else [])]
                cost = SECONDS * (last + 1 - first) * (50 + size)
                yield Trial(f"{WHERE}.shifted:learned", settings, needs=needs, cost=cost)

    (few, more), (draws, fewer) = SIZES[scale], DRAWS[scale]
    strengths = ", ".join(f"{one:g}" for one in STRENGTHS)

    def of_priors(rows: list[Row]) -> Iterator[Block]:
        yield VALIDATED.format(strengths=strengths, draws=draws)
        yield _table("Exact errors with l2 by cross-validation", rows, few, (PAPERS,))

    def of_shifts(rows: list[Row]) -> Iterator[Block]:
        yield SHIFT.format(draws=fewer)
        for template in (EXACT, UNIGRAMS):
            some = [row for row in rows if row["template"] == template]
            yield _table(f"Exact errors under a shift, {template}", some, more, (PAPERS, RATIO))

    yield Section([*trials(NO, EXACT, few, draws)], of_priors)
    yield Section(
        [
            one
            for shift in (FLAT, OTHER)
            for template in (EXACT, UNIGRAMS)
            for one in trials(shift, template, more, fewer)
        ],
        of_shifts,
    )
    yield _real(scale, corpora)


def _real(scale: str, corpora: Corpora) -> Section:
    made = MADE[scale] if scale == "smoke" or corpora.absent(newswire.FILES) else 0
    size, draws = NEWSWIRE[scale]
    trials = [
        Trial(
            f"{WHERE}.newswire:weighed",
            {"made": made, "size": size, "draws": [first, min(first + 9, draws)]},
            () if made else newswire.FILES,
            cost=8.0,
        )
        for first in range(1, draws + 1, 10)
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        tested = "generated ads in its place" if made else "its development part"
        yield REAL.format(tested=tested, size=size, draws=draws)
        table: list[list[Cell]] = []
        for system in newswire.SYSTEMS:
            line: list[Cell] = [system, fmean(by_draw(rows, "effective", system=system).values())]
            table.append(line + _figures(rows, system, ALIKE))
        yield Table("Errors on web text, by the weights of newswire", _head("weights", "effective n"), table)

    return Section(trials, report)


def _table(title: str, rows: list[Row], sizes: Sequence[int], weighed: Sequence[str]) -> Table:
    table: list[list[Cell]] = []
    for shift in dict.fromkeys(row["shift"] for row in rows):
        for size in sizes:
            here = [row for row in rows if row["shift"] == shift and row["size"] == size]
            for system in (STANDARD, *weighed):
                name = f"{size}: {system}" if shift == NO else f"{shift}, {size}: {system}"
                table.append([name, *_figures(here, system, STANDARD)])
    return Table(title, _head("n"), table)


def _figures(rows: Sequence[Row], system: str, first: str) -> list[Cell]:
    """Errors of labels and of sentences, and by how much they are less than those of the first system."""
    cells: list[Cell] = []
    for figure in ("error", "sentence error"):
        ours, theirs = (by_draw(rows, figure, system=one) for one in (system, first))
        found = comparison(theirs, ours) if system != first else None
        cells += [spread([*ours.values()])]
        cells += [found.gain.mean, between(found.gain), found.verdict] if found else [None, None, None]
    return cells


def _head(*first: str) -> tuple[str, ...]:
    less = ("less than without", "95 % of its mean", "p")
    return (*first, "error, %", *less, "wrong sentences, %", *less)
