"""Tsuboi, Kashima, Mori, Oda and Matsumoto 2008: Training Conditional Random Fields Using Incomplete Annotations.

The paper's two experiments, on the nearest corpora there are, and a third one: labels hidden at random.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Experiment
from sstag.experiments.tsuboi2008 import figure3, hidden_labels, table5

TITLE = "Tsuboi et al. 2008: CRFs from incomplete annotations"
MODULES = (figure3, table5, hidden_labels)


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figure 3 and Table 5 of the paper, and F against the share of hidden labels."""
    sections = [section for module in MODULES for section in module.sections(scale, corpora)]
    absent = [] if scale == "smoke" else [file for module in MODULES for file in corpora.absent(module.FILES)]
    return Experiment(TITLE, sections, absent)
