"""Tsuboi, Kashima, Mori, Oda and Matsumoto 2008: Training Conditional Random Fields Using Incomplete Annotations.

The paper's two experiments, on the nearest corpora there are, and a third one: labels hidden at random.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Experiment
from sstag.experiments.tsuboi2008 import figure3, hidden_labels, table5

TITLE = "Tsuboi et al. 2008: CRFs from incomplete annotations"
DEVIATIONS = (
    ("domains", "daily conversation to a medical manual", "an encyclopedia to web pages, and to complaints"),
    ("trials", "two halves of the target domain", "two halves of each of ten or fewer draws"),
    (
        "dictionaries",
        "a general one, and one of the medical domain",
        "the words of the source, and of the rest of the target",
    ),
    (
        "ambiguous tags",
        "118 sentences with 82 words of the Penn Treebank",
        "what is left open in the corpora that are here",
    ),
    ("Table 5", "118, 1,480 or 2,960, and 11,840 sentences, five trials", "the sizes below each table, ten draws"),
    ("hidden labels", "–", "labels hidden at random, in shares, as a third experiment"),
)
MODULES = (figure3, table5, hidden_labels)


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figure 3 and Table 5 of the paper, and F against the share of hidden labels."""
    sections = [section for module in MODULES for section in module.sections(scale, corpora)]
    absent = [] if scale == "smoke" else [file for module in MODULES for file in corpora.absent(module.FILES)]
    return Experiment(TITLE, sections, absent, DEVIATIONS)
