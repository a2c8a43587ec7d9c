"""The claims of the page on S11, a comparison each, named before the runs."""

from collections.abc import Iterator, Mapping

from sstag.experiments.claims import Claim, claimed, over_test
from sstag.experiments.page import Block
from sstag.experiments.sokolovska2011.annotating import BY_LENGTH, BY_Q, FUSAL, RANDOM, TOKENS
from sstag.experiments.sokolovska2011.newswire import ALIKE, BY_RATIO, EVENED
from sstag.experiments.sokolovska2011.shifted import FLAT, NO, PAPERS
from sstag.experiments.sokolovska2011.simulation import STANDARD, SYSTEMS
from sstag.experiments.sokolovska2011.tasks import CONLL, NETTALK
from sstag.experiments.sokolovska2011.worlds import EXACT, UNIGRAMS
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row

SAID = """## What is claimed

One comparison for each claim, of errors in per cent of labels on the same draws: a gain is by how much the error is
lower."""


def claims(few: int, middle: int, weakest: float, rows: list[Row]) -> Iterator[Block]:
    """The comparisons of the page; weights are judged at one of the few sizes of Figure 1, shifts at a middle one."""
    yield SAID
    drawn = [row for row in rows if row.get("strengths") == [] and "strategy" in row]
    shifts = [row for row in rows if "shift" in row]
    real = [row for row in rows if "effective" in row and "system" in row]
    budgets = [row for row in rows if row.get("budget") == TOKENS and not {"stronger", "closed"}.intersection(row)]

    def shared(strategy: str, task: str) -> Mapping[int, float]:
        return by_draw(drawn, "error", strategy=strategy, task=task)

    def under(shift: str, template: str, size: int, system: str) -> Mapping[int, float]:
        return by_draw(shifts, "error", shift=shift, template=template, size=size, system=system)

    def equal_tokens(strategy: str) -> Mapping[int, float]:
        some = [row for row in budgets if row.get("warm") is not False and row["task"] == NETTALK]
        return by_draw(some, "error", strategy=strategy, size=max(row["size"] for row in some))

    figure1 = {one: _of_figure1(rows, few, weakest, one) for one in (STANDARD, SYSTEMS[-1])}
    yield claimed(
        [
            Claim(f"weights over none, n = {few}, l2 = {weakest:g} (natural scale)", *figure1.values()),
            Claim(
                f"weights over none, n = {few}, l2 by cross-validation",
                *(under(NO, EXACT, few, one) for one in (STANDARD, PAPERS)),
            ),
            Claim(
                f"weights over none, shifted ({FLAT}), misspecified, n = {middle}",
                *(under(FLAT, UNIGRAMS, middle, one) for one in (STANDARD, PAPERS)),
            ),
            Claim(
                "ratios per token over no weights, newswire to web text",
                *(by_draw(real, "error", system=one) for one in (ALIKE, BY_RATIO + EVENED)),
            ),
            Claim("quota by q over random, NETtalk", *(shared(one, NETTALK) for one in (RANDOM, BY_Q))),
            Claim("quota by length over random, NETtalk", *(shared(one, NETTALK) for one in (RANDOM, BY_LENGTH))),
            Claim("quota by q over random, CoNLL-2003, both tests", *(shared(one, CONLL) for one in (RANDOM, BY_Q))),
            Claim("FuSAL over random, NETtalk, as many tokens", *(equal_tokens(one) for one in (RANDOM, FUSAL))),
        ]
    )
    told = next(row["over test"] for row in drawn if row["task"] == NETTALK and "over test" in row)
    yield over_test("for the quota by q on NETtalk", told)


def _of_figure1(rows: list[Row], size: int, l2: float, system: str) -> Mapping[int, float]:
    some = [
        {"draw": row["draw"], "error": row["error"][SYSTEMS.index(system)]}
        for row in rows
        if "excess" in row and (row["hmm"], row["template"], row["size"], row["l2"]) == (1, EXACT, size, l2)
    ]
    return by_draw(some, "error")
