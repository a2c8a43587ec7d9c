"""Seconds of whole trainings: the trials, and the report on them."""

from collections.abc import Iterator

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2007.rankings import ADS, CORPORA
from sstag.experiments.mann2007.timing import SUPERVISED, SYSTEMS
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, spread
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.mann2007.trainings:timed"
GAMMA = 0.01
SIZES = {"full": (200, (100, 1_000), 500), "smoke": (8, (8,), 10)}  # labelled, raw, tested sentences
DRAWS = {"full": 3, "smoke": 2}
COSTS = {"conll2000": 10.0, "bc1gm": 10.0, ADS: 1.0}

TOLD = """## Seconds of whole trainings

A CRF of {labelled} labelled sentences, and with the entropy of {raw} raw ones (γ = {gamma:g}), {draws} draws:
seconds of one processor until `sstag train` is done, with the features of all sentences and, of entropy, the supervised
training that it starts from; `times` is beside the training without entropy, `a step` divides by all iterations. The
template is the shipped one, all others are default settings."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """One part for all corpora."""
    there = [name for name, (files, _, _) in CORPORA.items() if scale == "full" and not corpora.absent(files)]
    labelled, raws, tested = SIZES["full" if there else "smoke"]
    trials = [
        Trial(
            WHERE,
            {"corpus": name, "labelled": labelled, "raw": raw, "tested": tested, "gamma": GAMMA, "draw": draw},
            CORPORA[name][0] if name in CORPORA else (),
            cost=COSTS[name] * raw / raws[-1],
            alone=True,
        )
        for name in there or [ADS]
        for raw in raws
        for draw in range(1, DRAWS[scale] + 1)
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        said = " or ".join(f"{raw:,}" for raw in raws)
        yield TOLD.format(labelled=labelled, raw=said, gamma=GAMMA, draws=DRAWS[scale])
        table: list[list[Cell]] = []
        for name, raw in dict.fromkeys((row["corpus"], row["raw"]) for row in rows):
            here = [row for row in rows if (row["corpus"], row["raw"]) == (name, raw)]
            first = by_draw(here, "seconds", system=SUPERVISED)
            for system in SYSTEMS:
                ours = by_draw(here, "seconds", system=system)
                steps = by_draw(here, "iterations", system=system)
                each = spread([1000 * ours[draw] / max(steps[draw], 1) for draw in ours])
                times = spread([ours[draw] / first[draw] for draw in ours]) if system != SUPERVISED else None
                figures = [spread([*by_draw(here, figure, system=system).values()]) for figure in ("iterations", "f1")]
                table.append(
                    [f"{name}, {raw:,} raw: {system}", spread([*ours.values()]), times, figures[0], each, figures[1]]
                )
        head = ("training", "seconds", "times", "iterations", "a step, ms", "F")
        yield Table("Seconds of whole trainings", head, table)

    yield Section(trials, report)
