"""optimiser: the L-BFGS of the project beside that of scipy on one objective, with one rule for the end, in one thread;
and to the usual end under the usual prior, beside a prior of 1 and a tolerance of 1e-5.

Evaluations are counted, and the processor time of everything else apart, since an evaluation costs both the same.
"""

from dataclasses import replace
from functools import partial

from bench.corpora import corpus, template
from bench.figures import ONE, Bench, Case, Figure, Measured, Target, figure
from bench.processes import alternated, function
from sstag.training.methods.parameters import Supervised

L2 = 1.0
SCIPY = "scipy, L-BFGS-B"
STRONG = "sstag, l2=1 to 1e-5"


def _beside_scipy(key: str, bench: Bench) -> Measured:
    on, scale = corpus(bench, key), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": "all"}
    climb = partial(function, "bench.sstag_side:climb_by", problem=problem, l2=L2, iterations=20 * scale.passes)
    alone = {"OPENBLAS_NUM_THREADS": "1"}
    sides = {SCIPY: replace(climb(scipys=True), environment=alone), ONE: climb(scipys=False)}
    runs = alternated(sides, scale.few, bench.tell)
    theirs, ours = ([run["objective"] for run in runs[side]] for side in (SCIPY, ONE))
    beyond = [(mine - his) / abs(his) for mine, his in zip(ours, theirs, strict=True)]
    compared = partial(figure, runs=runs, peer=SCIPY)
    figures = [
        compared("evaluations to the end", "evaluations", key="evaluations"),
        compared("processor time to the end", "s", key="processor"),
        compared("processor time besides evaluations", "s", key="besides"),
        compared("memory besides the objective's", "MiB", key="more MiB"),
        Figure("the end beyond that of scipy", "of its value", {ONE: beyond}, rising=True),
    ]
    return Measured(on.on | {"template": on.template, "pairs": "observed", "l2": L2}, runs, figures)


def _usual(key: str, bench: Bench) -> Measured:
    on, scale, usual = corpus(bench, key), bench.scale, Supervised()
    problem = {"path": on.path, "template": template(on.template), "transitions": "observed"}
    climb = partial(function, "bench.sstag_side:climb_by", problem=problem, iterations=usual.max_iterations)
    sides = {STRONG: climb(l2=L2), ONE: climb(l2=usual.l2, tolerance=usual.tolerance)}
    runs = alternated(sides, scale.few, bench.tell)
    figures = [
        figure("evaluations", "evaluations", runs, "evaluations", peer=STRONG),
        figure("processor time", "s", runs, "processor", Target(ONE, "share", 1.2), peer=STRONG),
    ]
    settings = {"template": on.template, "pairs": "observed", "l2": usual.l2, "tolerance": usual.tolerance}
    return Measured(on.on | settings, runs, figures)


CASES = (
    Case("CoNLL-2000", partial(_beside_scipy, "conll2000"), needs=()),
    Case("CoNLL-2000, the usual prior", partial(_usual, "conll2000"), needs=()),
    Case("BioCreative I, the usual prior", partial(_usual, "bc1gm"), needs=()),
)
