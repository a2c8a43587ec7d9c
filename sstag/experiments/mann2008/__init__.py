"""Mann and McCallum 2008: Generalized Expectation Criteria for Semi-Supervised Learning of Conditional Random Fields.

Labelled features against labelled sentences, and against the other ways to use raw text: on citations, the other corpus
of Chang et al. (2007), and on announcements of seminars, most of whose words belong to no field.
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2008 import report, texts
from sstag.experiments.trials import Experiment

TITLE = "Mann and McCallum 2008: labelled features (generalized expectation)"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Tables 2, 3 and 4, and Figures 2 and 3, of the paper."""
    absent = [] if scale == "smoke" else corpora.absent(texts.ALL_FILES)
    return Experiment(TITLE, [*report.sections(scale, corpora)], absent)
