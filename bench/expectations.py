"""expectation: seconds for one value and gradient of generalized expectation (Mann & McCallum 2008).

Expectations are about the most frequent words, and their targets are the labels that these words have. They are
measured beside the supervised likelihood on the same tokens, and, as other toolkits for such expectations have been,
beside an iteration of CRFsuite on few sentences with weights for all pairs.
"""

from functools import partial
from typing import Any

from bench.corpora import corpus, template
from bench.figures import CRFSUITE, ONE, Bench, Case, Measured, Target, figure
from bench.processes import Command, alternated, function

L2 = 1.0
LIKELIHOOD = "likelihood"
COUNTS = (10, 10_000)


def _beside_likelihood(key: str, bound: float, bench: Bench) -> Measured:
    """Few and many expectations beside the supervised pass, in one thread."""
    on = corpus(bench, key)
    run = partial(_run, bench, {"path": on.path, "template": template(on.template), "transitions": "all"})
    sides = {LIKELIHOOD: run()}
    sides |= {_named(count): run(expectations=count) for count in COUNTS}
    runs = alternated(sides, bench.scale.runs, bench.tell)
    figures = [
        figure(
            f"value and gradient, {_named(count)}",
            "s",
            {LIKELIHOOD: runs[LIKELIHOOD], ONE: runs[_named(count)]},
            "seconds",
            Target(ONE, "share", bound),
            peer=LIKELIHOOD,
        )
        for count in COUNTS
    ]
    return Measured(on.on | {"template": on.template, "pairs": "observed", "threads": 1, "l2": L2}, runs, figures)


def _beside_crfsuite(key: str, count: int, bench: Bench) -> Measured:
    """Expectations beside an iteration of CRFsuite, and the memory they take; few sentences, weights for all pairs."""
    on = corpus(bench, key)
    problem = {"path": on.path, "template": template(on.template), "transitions": "all", "pairs": "all"}
    run = partial(_run, bench, problem)
    sides = {
        CRFSUITE: function("bench.crfsuite_side:passes", problem=problem, l2=L2, iterations=bench.scale.passes),
        ONE: run(expectations=count),
    }
    runs = alternated(sides, bench.scale.runs, bench.tell)
    figures = [
        figure("value and gradient", "s", runs, "seconds", Target(ONE, "share", 2.0)),
        figure("memory", "MiB", runs, "MiB", Target(ONE, "most", 400.0)),
    ]
    about = {"template": on.template, "pairs": "all", "expectations": count, "l2": L2}
    return Measured(on.on | about, runs, figures)


def _run(bench: Bench, problem: dict[str, Any], **more: Any) -> Command:
    return function("bench.sstag_side:evaluations", problem=problem, threads=1, l2=L2, count=bench.scale.passes, **more)


def _named(count: int) -> str:
    return f"{count:,} expectations"


CASES = (
    Case("22 labels", partial(_beside_likelihood, "conll2000", 1.6), needs=()),
    Case("13 labels", partial(_beside_likelihood, "13 labels", 2.5), needs=()),
    Case("823 sentences", partial(_beside_crfsuite, "conll2000 first", 50)),
)
