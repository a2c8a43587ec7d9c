"""Variants of what is done with D (J06): their settings, and the reports on them and on self-training."""

from collections.abc import Iterator, Mapping, Sequence

from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row
from sstag.foundation.json_values import Json

SIZES = {
    "full": {"A": 5_448, "B": 5_210, "C": 10_208, "D": 25_145},
    "smoke": {"A": 400, "B": 300, "C": 600, "D": 900},
}
BASE: Mapping[str, Json] = {
    "features": "window",
    "vocabulary": "labelled",
    "pairs": "observed",
    "l2": 1.0,
    "per": "sentence",
    "iterations": 1000,
}
VARIANTS: Mapping[str, Mapping[str, Json]] = {  # of what is done with D
    "all pairs": {"pairs": "all"},
    "attributes of the raw text": {"vocabulary": "all"},
    "both": {"pairs": "all", "vocabulary": "all"},
    "all pairs of what the raw text has twice (sstag's default)": {"vocabulary": None, "pairs": None},
    "conjunctions of two words": {"features": "conjunctions"},
    "the word itself alone": {"features": "word"},
    "l2 = 0.01": {"l2": 0.01},
    "l2 = 0.1": {"l2": 0.1},
    "l2 = 10": {"l2": 10.0},
    "10 iterations": {"iterations": 10},
    "3 iterations": {"iterations": 3},
    "A four times as large": {"sizes": {**SIZES["full"], "A": 21_792}},
    "per token": {"per": "token"},
}
VARIED = """## Other weights, features, priors, and fewer iterations

F on E with D, as gains over γ = 0 of the same variant. `chosen` is the γ of each draw that is best on B, which is
labelled for this and learned from by nobody; p is of its gain. Per token each sentence's entropy is divided by its
length (25 words on average), so its γ stand for smaller ones."""


def report_of_variants(rows: list[Row]) -> Iterator[Block]:
    yield VARIED
    names = {name: {**BASE, **changes} for name, changes in VARIANTS.items()}
    for title, per in (("Gains in F on E by γ", "sentence"), ("Gains in F on E by γ per token", "token")):
        some = [row for row in rows if row["per"] == per]
        gammas = sorted({row["gamma"] for row in some} - {0.0})
        table: list[list[Cell]] = []
        for name, settings in names.items():
            here = [row for row in some if all(row[key] == value for key, value in settings.items())]
            if here:
                table.append([name, *_gains(here, gammas)])
        head = ("variant", "F, γ = 0", *(f"{gamma:g}" for gamma in gammas), "chosen", "p")
        yield Table(title, head, table)


def _gains(rows: Sequence[Row], gammas: Sequence[float]) -> Iterator[Cell]:
    """F of the supervised CRF, the gain of each γ, and that of the γ that each draw would choose."""
    rest, choosing = ([row for row in rows if row["on"] == on] for on in ("rest", "choosing"))
    zero = by_draw(rest, "f1", gamma=0.0)
    yield spread([*zero.values()])
    for gamma in gammas:
        against = comparison(by_draw(rest, "f1", gamma=gamma), zero)
        yield against.gain if against else None
    known = [0.0, *gammas]
    scores = {gamma: by_draw(choosing, "f1", gamma=gamma) for gamma in known}
    best = {draw: max(known, key=lambda gamma: scores[gamma][draw]) for draw in zero}  # of equals, the supervised
    found = {draw: by_draw(rest, "f1", gamma=gamma, draw=draw)[draw] for draw, gamma in best.items()}
    against = comparison(found, zero)
    yield against.gain if against else None
    yield against.verdict if against else None


def report_of_self_training(rows: list[Row]) -> Iterator[Block]:
    yield """## Self-training (§5.1)

Rounds until no label of the raw text changes, at most 20. With a confidence, labels that are less probable stay open
and are summed over."""
    table: list[list[Cell]] = []
    zero = [row for row in rows if row.get("gamma") == 0.0]
    for raw, confidence in dict.fromkeys((row["raw"], row["confidence"]) for row in rows if "confidence" in row):
        for on, where in (("raw", raw), ("rest", "E")):
            here = [
                row for row in rows if row.get("confidence") == confidence and row["raw"] == raw and row["on"] == on
            ]
            before = by_draw(zero, "f1", raw=raw, on=on)
            after = by_draw(here, "f1")
            against = comparison(after, before)
            gain: list[Cell] = [against.gain, against.verdict] if against else [None, None]
            name = f"{raw}, confidence {confidence:g}" if confidence else raw
            figures = [spread([row[name] for row in here]) for name in ("precision", "recall")]
            rounds = spread([row["rounds"] for row in here])
            table.append([name, where, spread([*before.values()]), *figures, spread([*after.values()]), *gain, rounds])
    yield Table("Self-training", ("raw text", "on", "F, supervised", "P", "R", "F", "gain in F", "p", "rounds"), table)
