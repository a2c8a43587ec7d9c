"""Tsuboi, Kashima, Mori, Oda and Matsumoto 2008: Training Conditional Random Fields Using Incomplete Annotations.

The paper's two experiments, on the nearest corpora there are, and a third one: labels hidden at random.
"""

from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Experiment, Section
from sstag.experiments.tsuboi2008 import answer_tables, conclusions, figure3, hidden_labels, table5

TITLE = "Tsuboi et al. 2008: CRFs from incomplete annotations"
DEVIATIONS = (
    ("domains", "daily conversation to a medical manual", "an encyclopedia to web pages, and to complaints"),
    ("trials", "two halves of the target domain", "two halves of each of ten or fewer draws"),
    (
        "dictionaries",
        "a general one, and one of the medical domain",
        "the words of the source, and of the rest of the target; with words of other text in a table of its own",
    ),
    ("list", "224 terms of the domain", "all words of the rest of the target that the source lacks, or a quarter"),
    ("work counted", "marked words", "marked words, and answers of yes and no in a table of its own"),
    (
        "ambiguous tags",
        "118 sentences with 82 words of the Penn Treebank",
        "what is left open in GENIA; opened by us elsewhere",
    ),
    (
        "Table 5",
        "118, 1,480 or 2,960, and 11,840 sentences, five trials",
        "the same on the Brown corpus, the sizes below each table on others; ten draws",
    ),
    ("hidden labels", "–", "labels hidden at random, in shares, as a third experiment"),
)
MODULES = (figure3, answer_tables, table5, hidden_labels)


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figure 3 and Table 5 of the paper, and F against the share of hidden labels."""
    sections = [section for module in MODULES for section in module.sections(scale, corpora)]
    absent = [] if scale == "smoke" else [file for module in MODULES for file in corpora.absent(module.FILES)]
    every = [trial for section in sections for trial in section.trials]
    small = scale == "smoke" or bool(absent)
    at = (5, 5, 0.02) if scale == "smoke" else (20, 5, 0.5) if small else (300, 300, 0.5)
    sections.append(Section(every, partial(conclusions.claims, *at)))
    return Experiment(TITLE, sections, [*dict.fromkeys(absent)], DEVIATIONS)
