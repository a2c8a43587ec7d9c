"""Several annotators and wrong labels: what `sstag merge` recovers, and what `sstag check --suspect` finds."""

from dataclasses import replace

from sstag.experiments.annotators.combining import combining
from sstag.experiments.annotators.wrong_labels import wrong_labels
from sstag.experiments.corpora import Corpora
from sstag.experiments.plan import uninstalled
from sstag.experiments.trials import Experiment, Section

FILE = "conll2003/eng.train.gz"
BESIDE = ("cleanlab",)


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Both parts, on names of CoNLL-2003, or on generated ads on a small scale and where the corpus is absent."""
    absent = corpora.absent([FILE]) if scale == "full" else []
    real = scale == "full" and not absent
    missing = uninstalled(BESIDE, corpora)
    file = FILE if real else None
    parts = [combining(file, scale), _with_packages(wrong_labels(file, scale, not missing), not missing)]
    return Experiment("Several annotators, and wrong labels", parts, absent, left_out=missing)


def _with_packages(section: Section, beside: bool) -> Section:
    """The section whose trials say what they import."""
    return replace(section, trials=[replace(trial, packages=BESIDE if beside else ()) for trial in section.trials])
