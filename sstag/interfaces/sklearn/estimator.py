"""The estimator: what scikit-learn asks for, and what users of sklearn-crfsuite know."""

import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sstag.corpus.contexts import context_called
from sstag.corpus.corpus import Sentence
from sstag.evaluation.scoring import Evaluation
from sstag.features.shipped import AUTO
from sstag.foundation.errors import ConfigError
from sstag.interfaces.python import Marks, Tagged, evaluate, load, load_template, save, tag, train
from sstag.interfaces.python.templates import AnyTemplate
from sstag.interfaces.python.texts import as_list
from sstag.interfaces.sklearn.arguments import parameter_names, signature
from sstag.interfaces.sklearn.dicts import keys_of
from sstag.model.inspection import inspected
from sstag.model.model import Model

Tokens = Iterable[Sentence] | Sequence[Sequence[Mapping[str, object]]]
MODEL, MODEL_FILE = "model_", "model file"  # what is pickled in place of the model: the bytes of its file


class SequenceTagger(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A tagger of sequences of labels, as an estimator of scikit-learn.

    X is a list of sentences; a token is a text, a tuple with a text for each column of the template but the label, or a
    dictionary of attributes as CRFsuite takes them, which is its own template. For other tokens a template is chosen
    if none is named. y is a list of labels for each
    sentence; a label may be a set, `A|B`, `!A`, or open, `?`. Arguments are the parameters of the methods by their
    names (docs/reference/parameters.md); None leaves one to the method. `context` is what a model with `predicted(…)`
    reads before it predicts: all of X ("file", the usual), so many sentences of it at a time (a number), or "none".
    """

    def __init__(self, *args: object, **given: object) -> None:
        bound = SIGNATURE.bind(self, *args, **given)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # lists of lists of tokens
        tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: Tokens,
        y: Iterable[Sequence[str]],
        sample_weight: Sequence[float] | None = None,
        X_unlabeled: Tokens | None = None,
        X_dev: Tokens | None = None,
        y_dev: Iterable[Sequence[str]] | None = None,
    ) -> "SequenceTagger":
        """Learns from sentences and their labels, and from raw text and with development data if these are given."""
        sentences = _listed(X, "X")
        self.keys_ = (
            keys_of(cast(Sequence[Sequence[Mapping[str, object]]], sentences)) if _are_dicts(sentences) else None
        )
        template = self._template()
        given = {name: getattr(self, name) for name in parameter_names()}
        parameters = {name: value for name, value in given.items() if value is not None}
        lists = {name: cast(str, parameters.pop(name)) for name in ("expectations", "rules") if name in parameters}
        marks = getattr(self, "marks")  # noqa: B009  the arguments are known at run time only
        learned: Callable[..., Model] = train
        self.model_ = learned(
            template,
            self._columns(sentences),
            _labels(y, "y"),
            dev=None if X_dev is None else self._columns(_listed(X_dev, "X_dev")),
            dev_labels=None if y_dev is None else _labels(y_dev, "y_dev"),
            unlabeled=None if X_unlabeled is None else self._columns(_listed(X_unlabeled, "X_unlabeled")),
            labeled_features=self._said("labeled_features"),
            expectations=lists.get("expectations"),
            rules=lists.get("rules"),
            sentence_weights=None if sample_weight is None else [float(one) for one in sample_weight],
            weight_scale="natural",
            method=self._said("method"),
            ambiguous=self._said("ambiguous"),
            marks=Marks(**marks) if isinstance(marks, Mapping) else marks,
            seed=self._seed(),
            threads=self._threads(),
            warn=_warn,
            **parameters,
        )
        self.classes_ = list(self.model_.labels)
        return self

    def predict(self, X: Tokens) -> list[list[str]]:
        """The best labels of each sentence."""
        check_is_fitted(self, MODEL)
        legal, sentences = bool(getattr(self, "legal")), self._columns(_listed(X, "X"))  # noqa: B009
        return tag(self.model_, sentences, legal=legal, context=self._context(), threads=self._threads())

    def predict_single(self, x: Sentence) -> list[str]:
        """The best labels of one sentence."""
        return self.predict([x])[0]

    def predict_marginals(self, X: Tokens) -> list[list[dict[str, float]]]:
        """For each token the probability of every label."""
        return [one.marginals for one in self._asked(X, marginals=True)]

    def predict_marginals_single(self, x: Sentence) -> list[dict[str, float]]:
        """For each token of one sentence the probability of every label."""
        return self.predict_marginals([x])[0]

    def predict_nbest(self, X: Tokens, n: int = 5) -> list[list[tuple[list[str], float]]]:
        """The best labellings of each sentence, at most n, each with its probability."""
        return [one.best for one in self._asked(X, nbest=n)]

    def score(self, X: Tokens, y: Iterable[Sequence[str]]) -> float:
        """F₁ of the chunks, or the accuracy of plain labels."""
        figures = self.evaluated(X, y).figures
        return figures.get("f1", figures["accuracy"])

    def evaluated(self, X: Tokens, y: Iterable[Sequence[str]]) -> Evaluation:
        """The evaluation of the best labels: figures, counts, confusions."""
        gold = [list(map(str, labels)) for labels in y]
        scheme = self.model_.scheme if hasattr(self, MODEL) else None
        return evaluate(gold, self.predict(X), scheme=scheme)

    @property
    def transition_features_(self) -> "Counter[tuple[str, str]]":
        """The weight of each step between labels."""
        check_is_fitted(self, MODEL)
        model, result = self.model_, Counter[tuple[str, str]]()
        for one in inspected(model, len(model.theta)).steps:
            if one.before in model.labels and one.label in model.labels:
                result[str(one.before), str(one.label)] = one.weight  # type: ignore[assignment]  # as sklearn-crfsuite
        return result

    @property
    def state_features_(self) -> "Counter[tuple[str, str]]":
        """The weight of each attribute and label."""
        check_is_fitted(self, MODEL)
        result = Counter[tuple[str, str]]()
        for label, weights in inspected(self.model_, len(self.model_.theta)).strongest.items():
            for one in weights:
                text = str(one.attribute)
                result[self.keys_.attribute(text) if self.keys_ else text, label] = one.weight  # type: ignore[assignment]
        return result

    def __getstate__(self) -> dict[str, object]:
        state = dict(super().__getstate__())
        if isinstance(model := state.pop(MODEL, None), Model):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model")
                save(model, path)
                with open(path, "rb") as file:
                    state[MODEL_FILE] = file.read()
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        data = state.pop(MODEL_FILE, None)
        super().__setstate__(state)
        if isinstance(data, bytes):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model")
                with open(path, "wb") as file:
                    file.write(data)
                self.model_ = load(path)

    def _asked(self, X: Tokens, marginals: bool = False, nbest: int = 0) -> list[Tagged]:
        check_is_fitted(self, MODEL)
        legal = bool(getattr(self, "legal"))  # noqa: B009
        sentences = self._columns(_listed(X, "X"))
        context, threads = self._context(), self._threads()
        if nbest:
            return tag(self.model_, sentences, nbest=nbest, legal=legal, context=context, threads=threads)
        return tag(self.model_, sentences, marginals=True, legal=legal, context=context, threads=threads)

    def _context(self) -> str | int | None:
        """The argument `context`, which says nothing to a model of one stage: raw text decides which it is."""
        said: str | int | None = getattr(self, "context")  # noqa: B009
        if said is not None:
            context_called(said)
        return said if self.model_.first else None

    def _template(self) -> AnyTemplate:
        """The template that is given, or the one that reads the keys of dictionaries."""
        given: AnyTemplate | None = getattr(self, "template")  # noqa: B009
        if self.keys_ is not None:
            if given is not None:
                raise ConfigError("tokens that are dictionaries have their attributes: no template is needed")
            return self.keys_.template
        return AUTO if given is None or given == AUTO else load_template(given)

    def _columns(self, sentences: list[Sentence]) -> list[Sentence]:
        """The sentences with the columns of the template."""
        if self.keys_ is None:
            return sentences
        return [
            [self.keys_.cells(cast(Mapping[str, object], token), number) for token in sentence]
            for number, sentence in enumerate(sentences, 1)
        ]

    def _said(self, name: str) -> str | None:
        """An argument that is a text, or None."""
        value = getattr(self, name)
        return None if value is None else str(value)

    def _seed(self) -> int:
        seed = getattr(self, "random_state")  # noqa: B009
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise ConfigError(f"random_state is a whole number, not {seed!r:.50}")
        return seed

    def _threads(self) -> int:
        jobs: int | None = getattr(self, "n_jobs")  # noqa: B009
        return max(os.cpu_count() or 1, 1) if jobs is not None and jobs < 0 else max(jobs or 1, 1)


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=2)


def _listed(given: object, name: str) -> list[Sentence]:
    return as_list(given, f"{name} is a list of sentences")


def _labels(given: object, name: str) -> list[Sequence[str]]:
    """Labels as texts, as arrays of numpy or of categories have them; what is no list is left to who finds fault."""
    each = as_list(given, f"{name} is a list of labels for each sentence")
    return [one if isinstance(one, str) or not isinstance(one, Sequence) else list(map(str, one)) for one in each]


def _are_dicts(sentences: Sequence[Sentence]) -> bool:
    """Whether the tokens are dictionaries, as the first one tells."""
    return any(
        isinstance(token, Mapping)
        for sentence in sentences[:100]
        if isinstance(sentence, Sequence)
        for token in sentence[:1]
    )


SIGNATURE = signature()
SequenceTagger.__init__.__signature__ = SIGNATURE  # type: ignore[attr-defined]  # which BaseEstimator reads
