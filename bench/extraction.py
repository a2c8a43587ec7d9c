"""extraction: seconds from a file to the arrays of a training, beside strings made in Python for CRFsuite."""

from bench.corpora import corpus, template
from bench.figures import CRFSUITE, ONE, Bench, Case, Measured, Target, figure
from bench.processes import alternated, function


def _measured(bench: Bench) -> Measured:
    on = corpus(bench, "conll2000")
    problem = {"path": on.path, "template": template(on.template), "transitions": "observed"}
    sides = {
        CRFSUITE: function("bench.crfsuite_side:extraction", path=on.path),
        ONE: function("bench.sstag_side:extraction", problem=problem),
    }
    runs = alternated(sides, bench.scale.runs, bench.tell)
    figures = [figure("reading and extraction", "s", runs, "seconds", Target(ONE, "times", 8.0))]
    return Measured(on.on | {"template": on.template}, runs, figures)


CASES = (Case("CoNLL-2000", _measured),)
