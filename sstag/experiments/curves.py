"""The report on learning curves: scores by the tokens asked for, the tokens saved at equal scores, and plots."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.spread import Spread, by_draw, comparison, spread
from sstag.experiments.trials import Row
from sstag.selection.simulation.rounds import SENTENCES, TOKENS, UNITS
from sstag.selection.strategies import CHANCE

NAMES = {"f1": "F₁", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Curve:
    """A strategy: at each round the mean of what was asked for, and the score over the draws."""

    strategy: str
    asked: dict[str, list[float]]  # by unit
    scores: Sequence[Spread]


@dataclass(frozen=True)
class PoolRows:
    """The rows of several strategies on one pool, with a title and a name for its tables and plots."""

    rows: list[Row]
    of: str  # what was annotated, for titles
    name: str = ""  # for file names

    @property
    def measure(self) -> str:
        return NAMES[self.rows[0]["measure"]]

    @property
    def strategies(self) -> list[str]:
        return list(dict.fromkeys(row["strategy"] for row in self.rows))

    @property
    def baseline(self) -> str:
        """The strategy that others are compared with: chance, if it is there."""
        return CHANCE if CHANCE in self.strategies else self.strategies[0]


def curves(pool: PoolRows) -> list[Curve]:
    """The curve of each strategy."""
    return [_curve(pool.rows, strategy) for strategy in pool.strategies]


def _curve(rows: list[Row], strategy: str) -> Curve:
    own = [row for row in rows if row["strategy"] == strategy]
    numbers = sorted({row["round"] for row in own})
    scores = [spread([*by_draw(own, "score", round=number).values()]) for number in numbers]
    asked = {unit: [fmean(by_draw(own, unit, round=number).values()) for number in numbers] for unit in UNITS}
    return Curve(strategy, asked, [one for one in scores if one])


def needed(x: Sequence[float], y: Sequence[float], target: float) -> float | None:
    """Where a line through points first reaches a height; None if it does not."""
    if y[0] >= target:
        return x[0]
    for left in range(len(x) - 1):
        if y[left + 1] >= target:
            share = (target - y[left]) / (y[left + 1] - y[left])
            return x[left] + share * (x[left + 1] - x[left])
    return None


def blocks(pool: PoolRows) -> Iterator[Block]:
    """Tables and plots of one pool."""
    made = curves(pool)
    yield from tables(pool, made)
    yield from plots(pool, made)


def tables(pool: PoolRows, made: Sequence[Curve]) -> Iterator[Block]:
    """Tables of scores, of tokens and sentences saved, of the last round, and of the labels that models gave."""
    yield _scores(pool, made)
    for unit in (TOKENS, SENTENCES):
        yield _saved(pool, made, unit)
    yield _last(pool, made)
    if any(row["own"] for row in pool.rows):
        yield _own_labels(pool)


def plots(pool: PoolRows, made: Sequence[Curve], group: str = "") -> Iterator[Plot]:
    """The curves by tokens and by sentences."""
    for unit in (TOKENS, SENTENCES):
        lines = [Line(one.strategy, one.asked[unit], one.scores) for one in made]
        name = "-".join(filter(None, [pool.name, group, f"by-{unit}"]))
        across = f"{unit} that were labelled" if unit == TOKENS else f"{unit} that were looked at"
        title = f"{pool.of}: {pool.measure} by {unit}, ± standard deviation"
        yield Plot(name, title, across, pool.measure, lines, logarithmic_across=True)


def _scores(pool: PoolRows, made: Sequence[Curve]) -> Table:
    """A table of every point of the curves: tokens and score."""
    rounds = max(len(one.scores) for one in made)
    rows: list[list[Cell]] = []
    for one in made:
        cells: list[Cell] = list(one.scores)
        rows.append([one.strategy, *cells, *[None] * (rounds - len(cells))])
    longest = next(one for one in made if len(one.scores) == rounds)
    head = [f"≈ {tokens:,.0f}" for tokens in longest.asked[TOKENS]]
    return Table(f"{pool.of}: {pool.measure} after about so many tokens were labelled", ("strategy", *head), rows)


def _saved(pool: PoolRows, made: Sequence[Curve], unit: str) -> Table:
    """A table of how much less a strategy asks for than chance does until its model is as good."""
    base = next(one for one in made if one.strategy == pool.baseline)
    places = sorted({len(base.scores) // 2, len(base.scores) - 1})
    targets = [base.scores[place].mean for place in places]
    head, rows = ["strategy"], list[list[Cell]]()
    for target in targets:
        head += [f"{pool.measure} {target:.2f}: {unit}", "saved, %"]
    for one in made:
        row: list[Cell] = [one.strategy]
        for target in targets:
            ours, theirs = (needed(c.asked[unit], [s.mean for s in c.scores], target) for c in (one, base))
            assert theirs is not None
            row += [None, None] if ours is None else [round(ours), 100 * (1 - ours / theirs)]
        rows.append(row)
    return Table(f"{pool.of}: {unit} until the model is as good as that of {base.strategy}", head, rows)


def _last(pool: PoolRows, made: Sequence[Curve]) -> Table:
    """The last round of each, draw by draw against chance."""
    head = ("strategy", TOKENS, SENTENCES, pool.measure, f"above {pool.baseline}", "better in", "p")
    rows: list[list[Cell]] = []
    theirs = _last_scores(pool, pool.baseline)
    for one in made:
        found = None if one.strategy == pool.baseline else comparison(_last_scores(pool, one.strategy), theirs)
        versus: list[Cell] = (
            [found.gain, f"{found.wins} of {found.gain.count}", found.verdict] if found else [None, None, None]
        )
        asked = [round(one.asked[unit][-1]) for unit in (TOKENS, SENTENCES)]
        rows.append([one.strategy, *asked, one.scores[-1], *versus])
    return Table(f"{pool.of}: at the end, compared draw by draw", head, rows)


def _last_scores(pool: PoolRows, strategy: str) -> dict[int, float]:
    own = [row for row in pool.rows if row["strategy"] == strategy]
    return by_draw(own, "score", round=max(row["round"] for row in own))


def _own_labels(pool: PoolRows) -> Table:
    """The tokens that models labelled themselves until the last round."""
    rows: list[list[Cell]] = []
    for strategy in pool.strategies:
        own = [row for row in pool.rows if row["strategy"] == strategy and row["own"]]
        last = [row for row in own if row["round"] == max(one["round"] for one in own)]
        if last:
            wrong = [100 * row["own wrong"] / row["own"] for row in last]
            each = [spread([row[name] for row in last]) for name in ("tokens", "own")]
            rows.append([strategy, *each, spread(wrong)])
    head = ("strategy", "labelled by the annotator", "by the model", "of these wrong, %")
    return Table(f"{pool.of}: tokens that the model labelled itself, at the end", head, rows)


def starts(rows: Sequence[Row], of: str) -> Iterator[Block]:
    """The seconds and iterations that warm starts save, round by round."""
    if not rows:
        return
    head = ("after", "warm, s", "cold, s", "ratio", "warm, iterations", "cold, iterations", "ratio", "apart")
    table: list[list[Cell]] = []
    for row in rows:
        table.append([f"{row['tokens']:,} tokens", *_start_cells([row])])
    table.append(["all", *_start_cells(rows)])
    yield Table(f"{of}: a round of training from the last model (warm) and from nothing (cold)", head, table)


def _start_cells(rows: Sequence[Row]) -> Iterable[Cell]:
    for what in ("seconds", "iterations"):
        warm, cold = (sum(row[f"{kind} {what}"] for row in rows) for kind in ("warm", "cold"))
        yield from (warm, cold, warm / cold if cold else None)
    yield max(abs(row["warm score"] - row["cold score"]) for row in rows)
