"""Several annotators and wrong labels: what `sstag merge` recovers, and what `sstag check --suspect` finds."""

from importlib.util import find_spec

from sstag.experiments.annotators.combining import combining
from sstag.experiments.annotators.wrong_labels import wrong_labels
from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Experiment

FILE = "conll2003/eng.train.gz"


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Both parts, on names of CoNLL-2003, or on generated ads on a small scale and where the corpus is absent."""
    absent = corpora.absent([FILE]) if scale == "full" else []
    real = scale == "full" and not absent
    beside = find_spec("cleanlab") is not None
    parts = [combining(FILE if real else None, scale), wrong_labels(FILE if real else None, scale, beside)]
    return Experiment("Several annotators, and wrong labels", parts, absent)
