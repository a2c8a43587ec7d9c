"""Mann and McCallum 2008: Generalized Expectation Criteria for Semi-Supervised Learning of Conditional Random Fields.

Labelled features against labelled sentences, and against the other ways to use raw text: on citations, the other corpus
of Chang et al. (2007), and on announcements of seminars, most of whose words belong to no field.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2008 import report, texts
from sstag.experiments.trials import Experiment

DEVIATIONS = (
    ("corpus", "apartment ads, 11 fields, 33 words a set", "citations, announcements of seminars and generated ads"),
    (
        "sentences",
        "100 to train on, 100 to test on, 100 raw",
        "up to 300 to train on, 100 or 145 to test on, 100 to 1,000 raw",
    ),
    (
        "words",
        "kinds of tokens among them, such as any number of one digit",
        "words alone, chosen by the same rule; kinds among them in the rows that say so",
    ),
    ("similar words", "features of every system of Tables 3 and 4", "of the rows that say so"),
    (
        "rules of CRR07",
        "its own figures, on another tokenisation, with other draws",
        "its method repeated, with rules of our own",
    ),
    ("λ and the prior", "not said", "chosen on the development set; λ = 100 alone"),
    ("borders of fields afterwards (HK06)", "not repeated", "not repeated"),
)
TITLE = "Mann and McCallum 2008: labelled features (generalized expectation)"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Tables 2, 3 and 4, and Figures 2 and 3, of the paper."""
    absent = [] if scale == "smoke" else corpora.absent(texts.ALL_FILES)
    return Experiment(TITLE, [*report.sections(scale, corpora)], absent, DEVIATIONS)
