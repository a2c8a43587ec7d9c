"""The claims of the page on M07, a comparison each, and which of them were named before their figures were known."""

from collections.abc import Iterator, Mapping

from sstag.experiments.claims import Claim, claimed, over_test
from sstag.experiments.mann2007.choosing import EXACT as EXACT_STRATEGY
from sstag.experiments.mann2007.choosing import N_BEST
from sstag.experiments.mann2007.rankings import CHUNKS, EXACT, FEW, SENTENCES
from sstag.experiments.mann2007.sureness import NAMES
from sstag.experiments.page import Block
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row

SAID = """## What is claimed

One comparison for each claim, on the same draws: areas under risk–coverage curves, in per cent, of which a gain is by
how much they are lower; F after the last round of annotation. The areas were known when these comparisons were written
down; those of strategies were named before their runs. What the algorithms cost is a measurement and no comparison
over draws."""


def claims(rows: list[Row]) -> Iterator[Block]:
    """Exact entropy against that of the ten best, as a sign of errors and as a strategy, on each corpus."""
    yield SAID
    ranked = [row for row in rows if "ranking" in row]
    chosen = [row for row in rows if "strategy" in row]
    made = []

    def area(corpus: str, unit: str, ranking: str) -> Mapping[int, float]:
        return by_draw(ranked, "area", corpus=corpus, unit=unit, ranking=ranking)

    def score(corpus: str, strategy: str) -> Mapping[int, float]:
        own = [row for row in chosen if row["corpus"] == corpus and row["strategy"] == strategy]
        return by_draw(own, "score", round=max(row["round"] for row in own))

    many = f"{max(FEW)} best"
    for corpus in dict.fromkeys(row["corpus"] for row in ranked):
        for unit in (SENTENCES, CHUNKS):
            says = f"exact entropy over the {many}, errors of {unit}, {NAMES[corpus]}"
            made.append(Claim(says, area(corpus, unit, many), area(corpus, unit, EXACT)))
    for corpus in dict.fromkeys(row["corpus"] for row in chosen):
        says = f"exact entropy over the {many} as a strategy, {NAMES[corpus]}"
        made.append(Claim(says, score(corpus, EXACT_STRATEGY), score(corpus, N_BEST)))
    yield claimed(made)
    over = next((row["over test"] for row in rows if "over test" in row), None)
    if over:
        yield over_test("for entropy in training over labelled sentences alone, in F", over)
