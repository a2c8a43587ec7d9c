"""Jiao, Wang, Lee, Greiner and Schuurmans 2006: Semi-Supervised Conditional Random Fields for Improved Sequence
Segmentation and Labeling.

Entropy regularisation for gene mentions, on the nearest public corpus: when it helps, when it does not, and why.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006 import tables
from sstag.experiments.jiao2006.draws import FILE
from sstag.experiments.trials import Experiment

TITLE = "Jiao et al. 2006: entropy regularisation for gene mentions"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Tables 1 and 2 and Figure 2 of the paper, finer and on both sides of 0, and what the outcome depends on."""
    return Experiment(TITLE, list(tables.sections(scale, corpora)), [] if scale == "smoke" else corpora.absent([FILE]))
