"""Many shared draws of random sampling and quotas: the trials, and the report on them."""

from collections.abc import Iterator
from itertools import product

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.sokolovska2011.annotating import RANDOM
from sstag.experiments.sokolovska2011.shared_draws import COMPARED, FOLDS
from sstag.experiments.sokolovska2011.tasks import CONLL, NETTALK, TASKS
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.sokolovska2011.shared_draws:compared"
DRAWS = {"full": {NETTALK: 200, CONLL: 60}, "smoke": {NETTALK: 6, CONLL: 6}}
VALIDATED = {
    "full": {NETTALK: 10, CONLL: 10},
    "smoke": {NETTALK: 6, CONLL: 6},
}  # draws in which cross-validation chooses l2
SIZES = {"full": {NETTALK: 100, CONLL: 50}, "smoke": {NETTALK: 6, CONLL: 6}}
STRENGTHS = {NETTALK: (0.02, 0.2, 2.0), CONLL: (0.1, 1.0, 10.0)}  # l2: the paper's, a tenth and ten times of it
TOGETHER = 20  # draws of a trial
SECONDS = {NETTALK: 0.4, CONLL: 0.4}  # of a draw

TOLD = """## Small differences of quotas

Random sampling and quotas on shared draws: a draw gives every sentence of the pool a number, random sampling takes the
n smallest, a quota the smallest of each group, so that strategies differ by little else than what they are. Errors of
labels, and the share of sentences with an error, at n = {nettalk} words of NETtalk ({draws} draws) and n = {conll}
sentences of CoNLL-2003 ({fewer}), as many sentences each. In {validated} l2 is also chosen for each strategy by
cross-validation of its sentences (l2 as in the paper, a tenth or ten times of it; {folds} parts)."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """One part for both tasks."""
    trials = []
    for name, chosen in product(TASKS, (False, True)):
        made = (40, 20) if scale == "smoke" else (1_000, 300) if corpora.absent(TASKS[name].files) else (0, 0)
        draws = (VALIDATED if chosen else DRAWS)[scale].get(name, 0)
        seconds = SECONDS[name] * (1 + len(STRENGTHS[name]) * FOLDS if chosen else 1)
        for first in range(1, draws + 1, TOGETHER):
            last = min(first + TOGETHER - 1, draws)
            settings: Row = {
                "task": name,
                "made": list(made),
                "size": SIZES[scale][name],
                "draws": [first, last],
                "strengths": list(STRENGTHS[name]) if chosen else [],
            }
            files = () if any(made) else TASKS[name].files
            trials.append(Trial(WHERE, settings, files, cost=seconds * (last + 1 - first)))

    def report(rows: list[Row]) -> Iterator[Block]:
        sizes = SIZES[scale]
        draws, chosen = DRAWS[scale], VALIDATED[scale]
        yield TOLD.format(
            nettalk=sizes[NETTALK],
            conll=sizes[CONLL],
            draws=draws[NETTALK],
            fewer=draws[CONLL],
            validated=" and ".join(f"{count} draws of {TASKS[name].called}" for name, count in chosen.items()),
            folds=FOLDS,
        )
        yield _table([row for row in rows if not row["strengths"]], "l2 as in the paper")
        yield _table([row for row in rows if row["strengths"]], "l2 by cross-validation")

    yield Section(trials, report)


def _table(rows: list[Row], prior: str) -> Table:
    table: list[list[Cell]] = []
    for task, test in dict.fromkeys((row["task"], row["test"]) for row in rows):
        for strategy in COMPARED:
            wanted = {"task": task, "test": test}
            line: list[Cell] = [f"{TASKS[task].called}, {test}: {strategy}"]
            for figure in ("error", "sentence error"):
                ours, random = (by_draw(rows, figure, strategy=one, **wanted) for one in (strategy, RANDOM))
                found = comparison(random, ours) if strategy != RANDOM else None
                line.append(spread([*ours.values()]))
                line += [found.gain.mean, between(found.gain), found.verdict] if found else [None, None, None]
            table.append(line)
    less = ("less than random", "95 % of its mean", "p")
    return Table(
        f"Errors on shared draws, {prior}", ("strategy", "error, %", *less, "wrong sentences, %", *less), table
    )
