"""The experiments of papers, each a grid of trials and a page that reports on them; and corpora that are generated.

`EXPERIMENTS` is plain data, so that listing them imports nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    from sstag.experiments.corpora import Corpora
    from sstag.experiments.trials import Experiment


class MakesExperiment(Protocol):
    """Makes the trials of an experiment at a scale, with the corpora that there are."""

    def __call__(self, scale: str, corpora: "Corpora", /) -> "Experiment": ...


@dataclass(frozen=True)
class ExperimentEntry:
    """A registered experiment: the function that makes it, a line of help, and its version.

    The version is part of the key of every kept run. It is raised when a trial would find something else than before,
    and then all trials run again.
    """

    where: Where[MakesExperiment]
    help: str
    version: int = 1


EXPERIMENTS = {
    "annotation-minutes": ExperimentEntry(
        Where("sstag.experiments.annotation_minutes:experiment"),
        "F against minutes of annotation: four ways of working in a running `sstag annotate`, answered through its API",
    ),
    "annotators": ExperimentEntry(
        Where("sstag.experiments.annotators:experiment"),
        "simulated annotators combined by each way of `sstag merge`; planted errors found by `sstag check --suspect`",
    ),
    "jiao2006": ExperimentEntry(
        Where("sstag.experiments.jiao2006:experiment"),
        "entropy regularisation for gene mentions: γ on both sides of 0, weights, features, priors, self-training",
    ),
    "learning-curves": ExperimentEntry(
        Where("sstag.experiments.learning_curves:experiment"),
        "every strategy of `sstag select` against a labelled pool: beyond Sokolovska 2011",
    ),
    "mann2007": ExperimentEntry(
        Where("sstag.experiments.mann2007:experiment"),
        "the cost of the entropy gradient, three ways; what entropy tells of errors",
    ),
    "mann2008": ExperimentEntry(
        Where("sstag.experiments.mann2008:experiment"),
        "generalized expectation: words whose labels are known against labelled sentences, and other uses of raw text",
    ),
    "raw-text": ExperimentEntry(
        Where("sstag.experiments.raw_text:experiment"),
        "what each method that reads raw text does when nothing is set, on names and genes, and where it warns",
        version=2,
    ),
    "representations": ExperimentEntry(
        Where("sstag.experiments.representations:experiment"),
        "clusters, vectors and encoders as features, alone and under the methods; an encoder fine-tuned beside them",
    ),
    "second-look": ExperimentEntry(
        Where("sstag.experiments.second_look:experiment"),
        "a second look at raw text, by `predicted(…)`, beside one look: on corpora that chose its settings, and others",
    ),
    "sokolovska2011": ExperimentEntry(
        Where("sstag.experiments.sokolovska2011:experiment"),
        "CRFs weighted by q(x); what to annotate first: random sampling, quotas by q(x) or length, FuSAL",
    ),
    "tsuboi2008": ExperimentEntry(
        Where("sstag.experiments.tsuboi2008:experiment"),
        "CRFs from incomplete annotations: word boundaries, ambiguous tags, hidden labels",
    ),
}
SCALES = ("full", "smoke")
