"""pass: seconds for one value and gradient of the likelihood.

CRFsuite tells only the time of whole iterations of L-BFGS, which include the update of the weights. So there are two
figures: passes of sstag beside iterations of CRFsuite, and iterations of both, all divided by their evaluations.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from bench.corpora import corpus, template
from bench.figures import CRFSUITE, ONE, THREADS, TWO, Bench, Case, Measured, Target, figure
from bench.processes import Command, alternated, function

L2 = 1.0
SHARED = "sstag, shared steps"
FULL = "sstag, every label known"
SPARSE = "sstag, no numbers"
NUMBERS = {"words": 1.1, "tokens": 1.5}  # what a pass may cost with 100 numbers a word, with 384 a token
MASKED = {1.0: 2.2, 0.1: 1.15}  # what a pass may cost if half of the labels are open in this share of the sentences


def _measured(
    key: str, transitions: str, targets: Sequence[Target], bench: Bench, few: bool = False, letters: bool = False
) -> Measured:
    on, scale = corpus(bench, key), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": transitions}
    iterations = 3 if few else scale.passes
    run = partial(function, l2=L2, iterations=iterations)
    sides = {CRFSUITE: run("bench.crfsuite_side:passes", problem=problem)} | _ours(run, problem)
    if letters:
        sides |= {_by_letter(side): one for side, one in _ours(run, problem | {"steps": True}).items()}
    runs = alternated(sides, scale.few if few or letters else scale.runs, bench.tell)
    compared = {side: runs[side] for side in (CRFSUITE, *THREADS)}
    figures = [
        figure("value and gradient", "s", compared, "seconds", *targets),
        figure("iteration of L-BFGS", "s", compared, "iteration"),
    ]
    for side in THREADS if letters else ():
        both = {SHARED: runs[side], side: runs[_by_letter(side)]}
        limit = Target(side, "share", 2.0)
        figures.append(figure("value and gradient, steps by letter", "s", both, "seconds", limit, peer=SHARED))
    settings = {"template": on.template, "pairs": "observed", "transitions": transitions, "l2": L2}
    return Measured(on.on | settings | {"iterations": iterations}, runs, figures)


def _with_masks(bench: Bench) -> Measured:
    """The marginalised likelihood beside the supervised one, over the same tokens and weights."""
    on, scale = corpus(bench, "conll2000"), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": "observed"}
    run = partial(function, "bench.sstag_side:passes", problem=problem, l2=L2, iterations=scale.passes)
    sides = {(side, share): run(threads=n, masked=share) for side, n in THREADS.items() for share in (0.0, *MASKED)}
    runs = alternated({_masked(*key): one for key, one in sides.items()}, scale.runs, bench.tell)
    figures = [
        figure(
            f"value and gradient, half of the labels open in {100 * share:.0f} % of the sentences",
            "s",
            {FULL: runs[_masked(side, 0.0)], side: runs[_masked(side, share)]},
            "seconds",
            Target(side, "share", bound),
            peer=FULL,
        )
        for share, bound in MASKED.items()
        for side in THREADS
    ]
    settings = {"template": on.template, "pairs": "observed", "transitions": "observed", "l2": L2}
    return Measured(on.on | settings | {"iterations": scale.passes}, runs, figures)


def _with_numbers(bench: Bench) -> Measured:
    """The likelihood with vectors drawn at random beside the one without, over the same tokens and attributes."""
    on, scale = corpus(bench, "conll2000"), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": "observed"}
    run = partial(function, "bench.sstag_side:passes", l2=L2, iterations=scale.passes)
    sides = {
        f"{side}, {numbers}" if numbers else side: run(threads=n, problem=problem | {"numbers": numbers})
        for side, n in THREADS.items()
        for numbers in ("", *NUMBERS)
    }
    runs = alternated(sides, scale.runs, bench.tell)
    figures = [
        figure(
            f"value and gradient, numbers of {numbers}",
            "s",
            {SPARSE: runs[side], side: runs[f"{side}, {numbers}"]},
            "seconds",
            Target(side, "share", bound),
            peer=SPARSE,
        )
        for numbers, bound in NUMBERS.items()
        for side in THREADS
    ]
    settings = {"template": on.template, "pairs": "observed", "transitions": "observed", "l2": L2}
    return Measured(on.on | settings | {"iterations": scale.passes}, runs, figures)


def _masked(side: str, share: float) -> str:
    return f"{side}, masks in {100 * share:.0f} %" if share else side


def _ours(run: partial[Command], problem: dict[str, Any]) -> dict[str, Command]:
    return {side: run("bench.sstag_side:passes", problem=problem, threads=n) for side, n in THREADS.items()}


def _by_letter(side: str) -> str:
    return f"{side}, steps by letter"


FEW_LABELS = (Target(ONE, "times", 5.0), Target(TWO, "times", 9.0))
MANY_LABELS = (Target(ONE, "times", 6.0), Target(TWO, "times", 11.0))
CASES = (
    Case("CoNLL-2000", partial(_measured, "conll2000", "observed", FEW_LABELS)),
    Case("CoNLL-2000, masks", _with_masks, needs=()),
    Case("CoNLL-2000, vectors", _with_numbers, needs=()),
    Case("CoNLL-2003", partial(_measured, "conll2003", "observed", FEW_LABELS), quick=False),
    Case("NetTalk", partial(_measured, "nettalk", "all", FEW_LABELS, letters=True)),
    Case("Brown", partial(_measured, "brown", "all", MANY_LABELS, few=True), quick=False),
    Case("472 labels", partial(_measured, "many labels", "all", MANY_LABELS), quick=False),
)
