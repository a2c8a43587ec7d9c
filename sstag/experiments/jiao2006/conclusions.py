"""The claims of the page on J06, a comparison each, and which of them were named otherwise before the runs."""

from collections.abc import Iterator

from sstag.experiments.claims import Claim, claimed
from sstag.experiments.jiao2006 import chosen_tables, precision, remedies, threshold
from sstag.experiments.page import Block
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row

SAID = """## What is claimed

F on E, with D as raw text; one comparison for each claim, on the same draws. Two of the seven are not those that were
named before the runs: they were changed after figures had been seen, so their p describes and tests nothing. The {last}
steps of a climb were named as a whole climb; and in place of entropy with γ chosen on B stood label regularisation with
entropy, γ chosen on B, over label regularisation alone, of which one draw was run."""
SHORT = 0.02  # a step, as a share of the length of the weights
GAMMA = 0.1  # the least of the paper's


def claims(rows: list[Row]) -> Iterator[Block]:
    """The comparisons that the page is about, on E, with D as raw text."""
    rest = [row for row in rows if row.get("on") == "rest" and row["raw"] == "D"]
    entropy, zero = (by_draw(rest, "f1", gamma=gamma, per="sentence", steps=None) for gamma in (GAMMA, 0.0))
    shares, alone = (by_draw(rest, "f1", system=name) for name in (remedies.SHARES, threshold.NOTHING))
    biases = by_draw(rest, "f1", system=threshold.LABELLED)
    short, none = (by_draw(rest, "f1", gradient="printed", step=step) for step in (SHORT, 0.0))
    climbs = [row for row in rest if "steps taken" in row]
    last = max(row["steps taken"] for row in climbs)
    climbed, start = (by_draw(climbs, "f1", **{"gamma": g, "steps taken": n}) for g, n in ((GAMMA, last), (0.0, 0)))
    zero, chosen, _ = chosen_tables.chosen_f1([row for row in rows if "per" in row and row["per"] == "sentence"])
    looked = [row for row in rows if "overlapping" in row]
    biased = precision.BIASED if looked[0]["lexicon"] else threshold.LABELLED
    best, plain = (by_draw(looked, "f1", system=name) for name in (biased, precision.WINDOW))
    yield SAID.format(last=last)
    yield claimed(
        [
            Claim(f"entropy, γ = {GAMMA:g}, over the supervised CRF", entropy, zero),
            Claim("label regularisation over the supervised CRF", shares, alone),
            Claim("label regularisation over a threshold with the same shares", shares, biases),
            Claim(f"a step of {SHORT:g} along the printed gradient over none", short, none),
            Claim(f"{last} steps of a climb by the printed gradient, γ = {GAMMA:g}, over none", climbed, start),
            Claim("entropy, γ chosen on B, over the supervised CRF", chosen, zero),
            Claim(f"{biased}, over the supervised CRF", best, plain),
        ]
    )
