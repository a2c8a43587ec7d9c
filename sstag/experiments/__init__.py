"""The experiments of papers: grids of trials, and what is said of them.

`EXPERIMENTS` is plain data, so that listing them imports nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ExperimentEntry:
    """A registered experiment: where it is, a line of help, and its version.

    The version is raised when a trial finds something else than before, so that what was kept is found anew.
    """

    where: str  # module:function, (scale, corpora) → Experiment
    help: str
    version: int = 1


EXPERIMENTS = {
    "jiao2006": ExperimentEntry(
        "sstag.experiments.jiao2006:experiment",
        "entropy regularisation for gene mentions: γ on both sides of 0, weights, features, priors, self-training",
    ),
    "learning-curves": ExperimentEntry(
        "sstag.experiments.learning_curves:experiment",
        "every strategy of `sstag select` against a labelled pool: beyond Sokolovska 2011",
    ),
    "mann2007": ExperimentEntry(
        "sstag.experiments.mann2007:experiment",
        "the cost of the entropy gradient, three ways; what entropy tells of errors",
    ),
    "mann2008": ExperimentEntry(
        "sstag.experiments.mann2008:experiment",
        "generalized expectation: words whose labels are known against labelled sentences, and other uses of raw text",
    ),
    "sokolovska2011": ExperimentEntry(
        "sstag.experiments.sokolovska2011:experiment",
        "CRFs weighted by q(x); what to annotate first: random sampling, quotas by q(x) or length, FuSAL",
    ),
    "tsuboi2008": ExperimentEntry(
        "sstag.experiments.tsuboi2008:experiment",
        "CRFs from incomplete annotations: word boundaries, ambiguous tags, hidden labels",
    ),
}
SCALES = ("full", "smoke")
