"""optimum: seconds from the first pass to nearly the best objective, and to the F of the perceptron.

The best objective is that of CRFsuite or of a long run of sstag with a tight tolerance; the two must agree. The long
run also scores every iterate on the test set, which is not timed. The iterates of sstag do not depend on the number of
threads nor on how far a run goes, so these are the scores of the timed runs, too.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bench.corpora import corpus, template
from bench.figures import CRFSUITE, ONE, THREADS, TWO, Bench, Case, Figure, Measured, Target
from bench.processes import NotMeasured, alternated, function, run

L2 = 1.0
NEAR = 1e-3  # of its value
AGREE = 1e-4
PERCEPTRON = "averaged perceptron of CRFsuite"

Run = Mapping[str, Any]


def _measured(key: str, perceptron: bool, bench: Bench) -> Measured:
    on, test = corpus(bench, key), corpus(bench, f"{key} test")
    problem = {"path": on.path, "template": template(on.template), "transitions": "observed"}
    climb = partial(function, "bench.sstag_side:climb", problem=problem, l2=L2)
    sides = {CRFSUITE: function("bench.crfsuite_side:climb", problem=problem, l2=L2, test=test.path)}
    sides |= {side: climb(threads=threads) for side, threads in THREADS.items()}
    if perceptron:
        sides[PERCEPTRON] = function("bench.crfsuite_side:perceptron", problem=problem, test=test.path)
    times = bench.scale.few if perceptron else min(bench.scale.few, 2)  # the others take long
    runs = alternated(sides, times, bench.tell)
    bench.tell("sstag, as far as it goes")
    long = run(climb(threads=2, tolerance=1e-9, max_iterations=3000, test=test.path))
    for each in (*runs[ONE], *runs[TWO]):
        if each["objective"] != long["objective"][: len(each["objective"])]:
            raise NotMeasured("the iterates of sstag were not the same in all runs")

    figures = _of_the_optimum(runs, long)
    if perceptron:
        goal = runs[PERCEPTRON][0]["score"]
        reached = {side: [_seconds(each, long["score"], goal) for each in runs[side]] for side in THREADS}
        whole = {PERCEPTRON: [each["seconds"][-1] for each in runs[PERCEPTRON]]}
        what = f"to the F of the averaged perceptron, {100 * goal:.2f}"
        figures.append(Figure(what, "s", whole | reached, [Target(TWO, "times", 1.0)], peer=PERCEPTRON))
    settings = {"template": on.template, "pairs": "observed", "transitions": "observed", "l2": L2, "test": test.on}
    return Measured(on.on | settings, runs | {"sstag, as far as it goes": [long]}, figures)


def _of_the_optimum(runs: Mapping[str, Sequence[Run]], long: Run) -> list[Figure]:
    ours, theirs = max(long["objective"]), max(runs[CRFSUITE][0]["objective"])
    best = max(ours, theirs)
    near = best - NEAR * abs(best)
    seconds = {side: [_seconds(each, each["objective"], near) for each in runs[side]] for side in (CRFSUITE, *THREADS)}
    scores = {CRFSUITE: [100 * runs[CRFSUITE][0]["score"]], TWO: [100 * long["score"][-1]]}
    difference = {TWO: [abs(ours - theirs) / abs(best)]}
    return [
        Figure("to within 0.1 % of the optimum", "s", seconds, [Target(TWO, "times", 12.0)]),
        Figure("difference of the two optima", "of their value", difference, [Target(TWO, "most", AGREE)]),
        Figure("score at the optimum", "%", scores, rising=True),
    ]


def _seconds(run: Run, reached: Sequence[float], goal: float) -> float | None:
    """The seconds after which a run first reached a goal; None if it never did."""
    return next((seconds for seconds, value in zip(run["seconds"], reached, strict=False) if value >= goal), None)


CASES = (
    Case("CoNLL-2000", partial(_measured, "conll2000", True)),
    Case("CoNLL-2003", partial(_measured, "conll2003", False), quick=False),
    Case("NetTalk", partial(_measured, "nettalk", False), quick=False),
)
