"""Entropy as a sign of errors (§5): the trials, and the report on them."""

from collections.abc import Iterator
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2007.rankings import (
    ADS,
    CHUNKS,
    CORPORA,
    COVERAGES,
    EXACT,
    FEW,
    PER_TOKEN,
    PROBABLE,
    SENTENCES,
)
from sstag.experiments.page import Block, Line, Plot, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial

FILES = tuple(file for files, _, _ in CORPORA.values() for file in files)
WHERE = "sstag.experiments.mann2007.rankings:ranked"
SIZES = {"full": (500, 1_000, 10), "smoke": (10, 20, 6)}  # sentences to learn from, to ask about; draws
COSTS = {"conll2000": 6.0, "bc1gm": 12.0, ADS: 2.0}
RANKINGS = {
    SENTENCES: (EXACT, *(f"{few} best" for few in FEW), PER_TOKEN, PROBABLE),
    CHUNKS: (EXACT, *(f"{few} best" for few in FEW), PROBABLE),
}
NAMES = {"conll2000": "phrases (CoNLL-2000)", "bc1gm": "genes (BioCreative I)", ADS: "fields of generated ads"}

PROTOCOL = """## What entropy tells

A CRF is trained on {train:,} random sentences and labels {test:,} others, {draws} draws. Sentences, and the chunks
that it finds in them, are ranked by how unsure it is: by exact entropy, of a sentence or of a chunk's labels and the
next one; by the entropy of the 2, 5 and 10 best labellings, as Kim et al. (2006) approximate it; per token; and by
the probability of the labels, or of the chunk. The area under the risk–coverage curve is the mean share of wrong ones
among the surest 1, 2, …: lower is better, chance is the share of all. More is how much higher than by exact entropy;
p is of Wilcoxon's signed ranks over the draws.

The paper proposes exact entropy in place of the n best, and has no experiment."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A part for each corpus."""
    train, test, draws = SIZES[scale]
    there = [name for name, (files, _, _) in CORPORA.items() if scale == "full" and not corpora.absent(files)]
    names = there if len(there) == len(CORPORA) else [*there, ADS]
    for number, name in enumerate(names):
        files = CORPORA[name][0] if name in CORPORA else ()
        trials = [
            Trial(WHERE, {"corpus": name, "train": train, "test": test, "draw": draw}, files, cost=COSTS[name])
            for draw in range(1, draws + 1)
        ]
        yield Section(trials, partial(_report, name, number == 0))


def _report(name: str, first: bool, rows: list[Row]) -> Iterator[Block]:
    if first:
        draws = len({row["draw"] for row in rows})
        yield PROTOCOL.format(train=rows[0]["train"], test=rows[0]["test"], draws=draws)
    for unit, rankings in RANKINGS.items():
        areas = {ranking: by_draw(rows, "area", unit=unit, ranking=ranking) for ranking in rankings}
        table = []
        for ranking in rankings:
            against = comparison(areas[ranking], areas[EXACT]) if ranking != EXACT else None
            more = [against.gain, against.verdict] if against else [None, None]
            table.append([ranking, spread([*areas[ranking].values()]), *more])
        for figure in ("by chance", "at best"):
            table.append([figure, spread([*by_draw(rows, figure, unit=unit, ranking=EXACT).values()]), None, None])
        yield Table(f"Area under risk–coverage, %: {unit} of {NAMES[name]}", ("ranked by", "area", "more", "p"), table)
        yield _plot(name, unit, rows)


def _plot(name: str, unit: str, rows: list[Row]) -> Plot:
    lines = []
    for ranking in RANKINGS[unit]:
        curves = [row["curve"] for row in rows if row["unit"] == unit and row["ranking"] == ranking]
        risks = [value for column in zip(*curves, strict=True) if (value := spread(column))]
        lines.append(Line(ranking, [100 * (k + 1) / COVERAGES for k in range(COVERAGES)], risks))
    return Plot(f"risk-{name}-{unit}", f"{unit}: {NAMES[name]}", "surest, %", "wrong, %", lines)
