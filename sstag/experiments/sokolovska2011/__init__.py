"""Sokolovska 2011: Aspects of Semi-Supervised and Active Learning in Conditional Random Fields.

CRFs weighted by q(x) on generated sequences, whose q(x) is known; and what to annotate first, by quotas of q(x), on
NETtalk and CoNLL-2003.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.sokolovska2011 import figure1, quotas
from sstag.experiments.trials import Experiment

TITLE = "Sokolovska 2011: weighted CRFs and quota sampling"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figures 1 to 5 and Tables 1 and 2 of the paper; and whether it is q(x) or the length."""
    absent = [] if scale == "smoke" else corpora.absent(quotas.FILES)
    return Experiment(TITLE, [*figure1.sections(scale), *quotas.sections(scale, corpora)], absent)
