"""Sokolovska 2011: Aspects of Semi-Supervised and Active Learning in Conditional Random Fields.

CRFs weighted by q(x) on generated sequences, whose q(x) is known; and what to annotate first, by quotas of q(x), on
NETtalk and CoNLL-2003.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.sokolovska2011 import figure1, quotas
from sstag.experiments.trials import Experiment

DEVIATIONS = (
    (
        "generated sequences",
        "an HMM that is not printed; ρ not said",
        "the first HMM of its Bayes error; four values of l2",
    ),
    ("replications of Figure 1", "150", "150"),
    ("figures", "boxplots, no figures printed", "means, deviations and p over the draws"),
    ("NETtalk", "53 phonemes, parts not named", "51 phonemes, parts of our own"),
    ("CoNLL-2003", "all lines", "without lines of -DOCSTART-"),
    ("cost of a choice", "sentences", "sentences, and tokens"),
    ("quotas", "by q(x)", "by q(x), by length, by log q(x) per token, and in equal steps of log q"),
)
TITLE = "Sokolovska 2011: weighted CRFs and quota sampling"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figures 1 to 5 and Tables 1 and 2 of the paper; and whether it is q(x) or the length."""
    absent = [] if scale == "smoke" else corpora.absent(quotas.FILES)
    return Experiment(TITLE, [*figure1.sections(scale), *quotas.sections(scale, corpora)], absent, DEVIATIONS)
