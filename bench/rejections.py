"""rejection: seconds for one value and gradient of rejected chunks, beside the supervised likelihood.

The chunks of the labelled sentences are rejected, one of each sentence or all of them, in all sentences that have any;
the likelihood is that of the whole corpus.
"""

from functools import partial

from bench.corpora import corpus, template
from bench.figures import ONE, Bench, Case, Measured, Target, figure
from bench.processes import alternated, function

L2 = 1.0
LIKELIHOOD = "likelihood"
COUNTS = {"one of each sentence": 1, "all": 1000}


def _beside_likelihood(key: str, bench: Bench) -> Measured:
    on = corpus(bench, key)
    problem = {"path": on.path, "template": template(on.template), "transitions": "all"}
    settings = {"problem": problem, "threads": 1, "l2": L2, "count": bench.scale.passes}
    run = partial(function, "bench.sstag_side:evaluations", **settings)
    sides = {LIKELIHOOD: run()} | {name: run(rejected=count) for name, count in COUNTS.items()}
    runs = alternated(sides, bench.scale.runs, bench.tell)
    figures = [
        figure(
            f"value and gradient, {name}",
            "s",
            {LIKELIHOOD: runs[LIKELIHOOD], ONE: runs[name]},
            "seconds",
            Target(ONE, "share", 2.5),
            peer=LIKELIHOOD,
        )
        for name in COUNTS
    ]
    return Measured(on.on | {"template": on.template, "pairs": "observed", "threads": 1, "l2": L2}, runs, figures)


CASES = (
    Case("CoNLL-2000", partial(_beside_likelihood, "conll2000"), needs=()),
    Case("CoNLL-2003", partial(_beside_likelihood, "conll2003"), needs=()),
    Case("genes", partial(_beside_likelihood, "bc1gm"), needs=()),
)
