"""Learning curves of exact entropy and of that of the n best labellings: the trials, and the report on them."""

from collections.abc import Iterator
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.curves import PoolRows, curves, plots, tables
from sstag.experiments.mann2007.choosing import STRATEGIES
from sstag.experiments.mann2007.rankings import ADS, CORPORA
from sstag.experiments.mann2007.sureness import NAMES
from sstag.experiments.page import Block
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.mann2007.choosing:learned"
SIZES = {"full": (400, 300), "smoke": (30, 15)}  # sentences of pool and test
TOTALS = {"full": (250, 500, 1_000), "smoke": (100, 200)}  # tokens
DRAWS = {"full": 10, "smoke": 6}

TOLD = """## Exact entropy and that of the n best as strategies

What to annotate next (`sstag select`): the sentence of the highest entropy, exactly or of the ten best labellings
(`n-best-entropy`). A pool of {pool} sentences, {test}
others to test on, {draws} draws of both; all begin with the same random sentences."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A part for each corpus."""
    there = [name for name, (files, _, _) in CORPORA.items() if scale == "full" and not corpora.absent(files)]
    for place, name in enumerate(there or [ADS]):
        size = "full" if there else "smoke"
        trials = [
            Trial(
                WHERE,
                {
                    "corpus": name,
                    "sizes": list(SIZES[size]),
                    "totals": list(TOTALS[size]),
                    "strategy": one,
                    "draw": draw,
                },
                CORPORA[name][0] if name in CORPORA else (),
                cost=0.5,
            )
            for one in STRATEGIES
            for draw in range(1, DRAWS[scale] + 1)
        ]
        yield Section(trials, partial(_report, name, place == 0))


def _report(name: str, first: bool, rows: list[Row]) -> Iterator[Block]:
    if first:
        (pool, test), draws = rows[0]["sizes"], len({row["draw"] for row in rows})
        yield TOLD.format(pool=pool, test=test, draws=draws)
    of = PoolRows(rows, NAMES[name][0].upper() + NAMES[name][1:], f"chosen-{name.replace(' ', '-')}")
    made = curves(of)
    yield from tables(of, made)
    yield from plots(of, made)
