"""optimiser: the L-BFGS of the project beside that of scipy on one objective, with one rule for the end, in one thread.

Evaluations are counted, and the processor time of everything else apart, since an evaluation costs both the same.
"""

from dataclasses import replace
from functools import partial

from bench.corpora import corpus, template
from bench.figures import ONE, Bench, Case, Figure, Measured, figure
from bench.processes import alternated, function

L2 = 1.0
SCIPY = "scipy, L-BFGS-B"


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


CASES = (Case("CoNLL-2000", partial(_beside_scipy, "conll2000"), needs=()),)
