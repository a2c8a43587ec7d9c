"""Scorers as callables `(estimator, X, y) → number`, and the flat figures that users of sklearn-crfsuite know."""

from collections.abc import Iterable, Sequence
from itertools import chain

from sklearn import metrics as of_sklearn

from sstag.interfaces.sklearn.estimator import SequenceTagger, Tokens

Labels = Sequence[Sequence[str]]


def chunk_f1(estimator: SequenceTagger, X: Tokens, y: Iterable[Sequence[str]]) -> float:
    """F₁ of the chunks; of plain labels, the accuracy."""
    return estimator.score(X, y)


def token_accuracy(estimator: SequenceTagger, X: Tokens, y: Iterable[Sequence[str]]) -> float:
    """The share of tokens with the right label."""
    return estimator.evaluated(X, y).figures["accuracy"]


def sentence_accuracy(estimator: SequenceTagger, X: Tokens, y: Iterable[Sequence[str]]) -> float:
    """The share of sentences without a mistake."""
    return estimator.evaluated(X, y).figures["sentence accuracy"]


class metrics:  # as a module of sklearn-crfsuite is called
    """Figures of scikit-learn over all tokens, by the names that sklearn-crfsuite has for them."""

    @staticmethod
    def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
        """The share of tokens with the right label."""
        return float(of_sklearn.accuracy_score(_flat(y_true), _flat(y_pred)))

    @staticmethod
    def flat_f1_score(y_true: Labels, y_pred: Labels, **more: object) -> float:
        """F₁ of labels of tokens, averaged as asked."""
        return float(of_sklearn.f1_score(_flat(y_true), _flat(y_pred), **more))

    @staticmethod
    def flat_precision_score(y_true: Labels, y_pred: Labels, **more: object) -> float:
        """Precision of labels of tokens, averaged as asked."""
        return float(of_sklearn.precision_score(_flat(y_true), _flat(y_pred), **more))

    @staticmethod
    def flat_recall_score(y_true: Labels, y_pred: Labels, **more: object) -> float:
        """Recall of labels of tokens, averaged as asked."""
        return float(of_sklearn.recall_score(_flat(y_true), _flat(y_pred), **more))

    @staticmethod
    def flat_classification_report(
        y_true: Labels, y_pred: Labels, labels: Sequence[str] | None = None, **more: object
    ) -> str:
        """Precision, recall and F₁ of each label, as a table."""
        return str(of_sklearn.classification_report(_flat(y_true), _flat(y_pred), labels=labels, **more))


def _flat(labels: Labels) -> list[str]:
    return list(chain.from_iterable(labels))
