"""sstag for scikit-learn: `SequenceTagger`, and scorers for it. It needs scikit-learn, the extra `sklearn`."""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    from sstag.foundation.errors import installing

    raise ImportError(f"sstag.sklearn needs scikit-learn: {installing('sklearn')}") from error

from sstag.interfaces.sklearn.estimator import SequenceTagger
from sstag.interfaces.sklearn.scorers import chunk_f1, metrics, sentence_accuracy, token_accuracy

__all__ = ["SequenceTagger", "chunk_f1", "metrics", "sentence_accuracy", "token_accuracy"]
