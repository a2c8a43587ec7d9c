"""Jiao, Wang, Lee, Greiner and Schuurmans 2006: Semi-Supervised Conditional Random Fields for Improved Sequence
Segmentation and Labeling.

Entropy regularisation for gene mentions, on the nearest public corpus: when it helps, when it does not, and why.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006 import tables
from sstag.experiments.jiao2006.alternatives import FILES
from sstag.experiments.jiao2006.draws import FILE
from sstag.experiments.jiao2006.gene_words import RAW
from sstag.experiments.trials import Experiment

DEVIATIONS = (
    ("corpus", "184,903 words of BioCreative I", "BioCreative I as public: 4.5 mentions per 100 words, not 5.4"),
    (
        "mentions",
        "perhaps any of GENETAG's alternatives is right",
        "one text for each, and by alternatives in a table of its own",
    ),
    ("draws", "one", "ten"),
    ("start and prior", "the supervised optimum, ‖θ‖²/2", "the same"),
    ("γ", "0 to 50, figures up to 10", "−1 to 50, and what the best on other labelled text would be"),
    ("gradient", "printed with f² = f, without products at one token", "exact; the printed one beside it"),
    (
        "features",
        "McDonald and Pereira's",
        "of the same kinds; for their lexica one from raw text, in a table of its own",
    ),
    ("choice of γ", "none: all are shown", "all are shown, and those that another labelled text chooses"),
    ("self-training", "until no label changes", "the same, at most 20 rounds"),
)
TITLE = "Jiao et al. 2006: entropy regularisation for gene mentions"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Tables 1 and 2 and Figure 2 of the paper, finer and on both sides of 0, and what the outcome depends on."""
    absent = [] if scale == "smoke" else corpora.absent([FILE, RAW])
    left_out = [] if absent or scale == "smoke" else corpora.absent(FILES)
    return Experiment(TITLE, list(tables.sections(scale, corpora)), absent, DEVIATIONS, left_out)
