"""Mann and McCallum 2007: Efficient Computation of Entropy Gradient for Semi-Supervised Conditional Random Fields.

The cost of the entropy and its gradient, computed in three ways; and whether entropies of
sentences and chunks tell which of them are wrong, better than those of the n best labellings do (§5 of the paper).
"""

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2007 import choosing_tables, conclusions, growth, sureness, training_tables
from sstag.experiments.trials import Experiment, Section

DEVIATIONS = (
    (
        "seconds",
        "of trainings, without a table",
        "of a value and its gradient, on generated sentences; of whole trainings on two corpora",
    ),
    (
        "algorithms",
        "constrained entropies beside the nested recursion",
        "the same, and a covariance recursion of our own",
    ),
    (
        "entropy in place of the n best",
        "proposed, without an experiment",
        "areas under risk–coverage curves on two corpora, and both as strategies of annotation",
    ),
)
TITLE = "Mann and McCallum 2007: the cost of the entropy gradient, and what entropy tells"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Seconds against length and labels, and areas under risk–coverage curves."""
    absent = [] if scale == "smoke" else corpora.absent(sureness.FILES)
    sections = [
        *growth.sections(scale),
        *training_tables.sections(scale, corpora),
        *sureness.sections(scale, corpora),
        *choosing_tables.sections(scale, corpora),
    ]
    sections.append(Section([trial for section in sections for trial in section.trials], conclusions.claims))
    return Experiment(TITLE, sections, absent, DEVIATIONS)
