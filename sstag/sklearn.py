"""sstag for scikit-learn: `SequenceTagger`, and scorers for it. It needs `pip install 'sstag[sklearn]'`."""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError("sstag.sklearn needs scikit-learn: pip install 'sstag[sklearn]'") from error

from sstag.interfaces.sklearn.estimator import SequenceTagger
from sstag.interfaces.sklearn.scorers import chunk_f1, metrics, sentence_accuracy, token_accuracy

__all__ = ["SequenceTagger", "chunk_f1", "metrics", "sentence_accuracy", "token_accuracy"]
