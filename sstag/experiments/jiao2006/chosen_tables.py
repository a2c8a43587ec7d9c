"""γ chosen without E: by another labelled text, from which nobody learns, for entropy alone."""

from collections.abc import Iterator, Sequence

from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row

TOLD = """## γ chosen without E

For each draw the γ that is best on B (on C, if B is the raw text): labelled for this and learned from by nobody. Of
equals it is the least. So nothing below has seen E."""


def report(rows: list[Row]) -> Iterator[Block]:
    """F on E with the γ of each draw, and which these are."""
    yield TOLD
    table: list[list[Cell]] = []
    for raw in dict.fromkeys(row["raw"] for row in rows):
        zero, found, gammas = chosen_f1([row for row in rows if row["raw"] == raw])
        against = comparison(found, zero)
        said = ", ".join(f"{gamma:g} ({[*gammas.values()].count(gamma)})" for gamma in sorted(set(gammas.values())))
        line: list[Cell] = [raw, said, *(spread([*one.values()]) for one in (zero, found))]
        table.append([*line, *([against.gain.mean, between(against.gain), against.verdict] if against else [None] * 3)])
    head = ("raw text", "γ (draws)", "F, γ = 0", "F, chosen", "gain in F", "95 % of its mean", "p")
    yield Table("F on E with γ chosen elsewhere", head, table)


def chosen_f1(rows: Sequence[Row]) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """F on E of each draw without entropy and with the chosen γ, and that γ."""
    known = sorted({row["gamma"] for row in rows}, key=abs)
    scores = {gamma: by_draw(rows, "f1", on="choosing", gamma=gamma) for gamma in known}
    best = {draw: max(known, key=lambda gamma: scores[gamma][draw]) for draw in scores[0.0]}
    rest = [row for row in rows if row["on"] == "rest"]
    found = {draw: by_draw(rest, "f1", gamma=gamma, draw=draw)[draw] for draw, gamma in best.items()}
    return by_draw(rest, "f1", gamma=0.0), found, best
