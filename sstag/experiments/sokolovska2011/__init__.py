"""Sokolovska 2011: Aspects of Semi-Supervised and Active Learning in Conditional Random Fields.

CRFs weighted by q(x) on generated sequences, whose q(x) is known; and what to annotate first, by quotas of q(x), on
NETtalk and CoNLL-2003.
"""

from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.sokolovska2011 import conclusions, figure1, newswire, quotas, shared_tables, shift_tables
from sstag.experiments.trials import Experiment, Section

DEVIATIONS = (
    (
        "generated sequences",
        "an HMM that is not printed; ρ not said",
        "the first HMM of its Bayes error; four values of l2, and the one of cross-validation",
    ),
    ("replications", "150 of Figure 1, 50 of the others", "150, 50, and 200 of random sampling and quotas"),
    ("error", "of labels or of sentences: not said", "of labels, and of whole sentences where the draws are many"),
    ("covariate shift", "named, not tried", "on generated sequences, and from newswire to web text"),
    ("figures", "boxplots, no figures printed", "means, deviations and p over the draws"),
    ("NETtalk", "53 phonemes, parts not named", "51 phonemes, parts of our own"),
    ("CoNLL-2003", "all lines", "without lines of -DOCSTART-"),
    ("cost of a choice", "sentences", "sentences, and tokens"),
    ("quotas", "by q(x)", "by q(x), by length, by log q(x) per token, and in equal steps of log q"),
)
TITLE = "Sokolovska 2011: weighted CRFs and quota sampling"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Figures 1 to 5 and Tables 1 and 2 of the paper; and whether it is q(x) or the length."""
    absent = [] if scale == "smoke" else corpora.absent([*quotas.FILES, *newswire.FILES])
    sections = [
        *figure1.sections(scale),
        *shift_tables.sections(scale, corpora),
        *quotas.sections(scale, corpora),
        *shared_tables.sections(scale, corpora),
    ]
    every = [trial for section in sections for trial in section.trials]
    few, middle = (sizes[min(1, len(sizes) - 1)] for sizes in shift_tables.SIZES[scale])
    weakest = min(figure1.SCALES[scale].strengths)
    sections.append(Section(every, partial(conclusions.claims, few, middle, weakest)))
    return Experiment(TITLE, sections, absent, DEVIATIONS)
