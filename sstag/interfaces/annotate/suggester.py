"""The model at work: what it suggests for texts, in the labels of the project. A new model takes its place whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ModelError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.annotate.label_changes import Fates
from sstag.interfaces.annotate.records import Text
from sstag.interfaces.annotate.saying import OUTSIDE
from sstag.labels.schemes.tagset import Tagset, tolerant_tagset
from sstag.model.in_words import chunks_of
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.questions import Answer, Question
from sstag.model.tagging import answered_corpus

DOUBTFUL = 0.9  # a token whose best label is less probable than this has its doubts told
DOUBTS = 3  # labels of a token that are told
DIGITS = 4
PLAIN = "plain"


@dataclass(frozen=True, eq=False)
class Work:
    """A model, its number in the store, and its labels as tags."""

    model: Model
    id: int
    tags: Tagset


class Suggester:
    """The model that suggests, None before the first training."""

    def __init__(self) -> None:
        self._busy = Lock()  # one question at a time: a second one would only make both slow
        self.work: Work | None = None

    def take(self, path: str, number: int, columns: Sequence[str], fates: Fates | None = None) -> None:
        """Puts the model in a file to work, its labels under the names that they have by now.

        It reads no other columns than the texts have.
        """
        model = load(path)
        if missing := next((name for name in model.columns_read if name not in columns), None):
            raise ModelError(f"reads the column '{missing:.40}', which the texts of the project have not", path)
        self.work = work_of(renamed(model, fates) if fates else model, number)

    def rest(self) -> None:
        """Suggests nothing until there is another model."""
        self.work = None

    def shown(self, texts: Sequence[Text]) -> tuple[int | None, list[dict[str, Json]]]:
        """The number of the model, and for each text what it suggests: spans, certainty and doubts."""
        work = self.work
        if work is None:
            return None, [{"suggested": None, "certainty": None, "doubts": None} for _ in texts]
        with self._busy:
            return work.id, shown_by(work, corpus_of_texts(work.model, texts))


def work_of(model: Model, number: int) -> Work:
    """A model ready for questions."""
    return Work(model, number, tolerant_tagset(model.labels, model.scheme))


def renamed(model: Model, fates: Fates) -> Model:
    """A model whose labels have other names; none of them may be gone."""
    return replace(model, labels=tuple(tag_of_now(label, model.scheme, fates) for label in model.labels))


def tag_of_now(tag: str, scheme: str, fates: Fates) -> str:
    """A tag whose label has another name by now, O if the label is gone."""
    role, divider, kind = ("", "", tag) if scheme == PLAIN else tag.partition("-")
    if not divider and scheme != PLAIN:
        return tag
    name = fates(kind).name
    return OUTSIDE if name is None else f"{role}{divider}{name}"


def corpus_of_texts(model: Model, texts: Sequence[Text]) -> Corpus:
    """Texts as the model reads them."""
    names = model.columns_read or (texts[0].word,)
    rows = [list(zip(*(text.columns[name] for name in names), strict=True)) for text in texts]
    return corpus_of(rows if len(names) > 1 else [[word for (word,) in row] for row in rows], names)


def shown_by(work: Work, corpus: Corpus) -> list[dict[str, Json]]:
    """The suggestions of a model for each sentence of a corpus."""
    question = Question(confidence=True, token_confidence=True, marginals=True, chunks=work.tags)
    answer = answered_corpus(work.model, corpus, question, one_by_one)
    shares, names = shares_of_types(answer.marginals, work.tags)
    spans = _tokens(work, answer, corpus) if work.tags.scheme == PLAIN else _chunks(question, answer, corpus)
    result: list[dict[str, Json]] = []
    for sentence, found in enumerate(spans):
        first, stop = corpus.offsets[sentence : sentence + 2].tolist()
        sure = shares[first:stop].max(axis=1)
        doubts = {str(token): _best(shares[first + token], names) for token in np.flatnonzero(sure < DOUBTFUL).tolist()}
        certainty = [round(one, DIGITS) for one in sure.tolist()]
        result.append({"suggested": found, "certainty": certainty, "doubts": doubts})
    return result


def shares_of_types(marginals: Floats, tags: Tagset) -> tuple[Floats, list[str]]:
    """The probability of each label of the project at each token, all of its tags together; and the labels."""
    names = [OUTSIDE, *tags.types]
    kinds = tags.type[: len(tags.labels)] + 1  # outside is 0
    shares = np.zeros((len(marginals), len(names)))
    for tag, kind in enumerate(kinds.tolist()):
        shares[:, kind] += marginals[:, tag]
    return np.minimum(shares, 1.0), names


def _best(shares: Floats, names: Sequence[str]) -> dict[str, Json]:
    order = np.argsort(-shares, kind="stable")[:DOUBTS]
    return {names[place]: round(float(shares[place]), DIGITS) for place in order.tolist()}


def _chunks(question: Question, answer: Answer, corpus: Corpus) -> list[list[Json]]:
    return [
        [_span(one.first, one.stop, one.type, one.confidence) for one in chunks]
        for chunks in chunks_of(answer, question, corpus.offsets)
    ]


def _tokens(work: Work, answer: Answer, corpus: Corpus) -> list[list[Json]]:
    """A span for each token that has a label: in a scheme without chunks each is an answer of its own."""
    labels, sure = answer.labels.tolist(), answer.token_confidence.tolist()
    return [
        [
            _span(token, token + 1, work.model.labels[labels[first + token]], sure[first + token])
            for token in range(stop - first)
            if work.tags.inside[labels[first + token]]
        ]
        for first, stop in zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True)
    ]


def _span(first: int, stop: int, label: str, probability: float) -> dict[str, Json]:
    return {"first": first, "stop": stop, "labels": [label], "probability": round(probability, DIGITS)}


def imported(spans: Json) -> Mapping[str, Json]:
    """The spans of another tool, as they are shown."""
    return {"suggested": spans, "certainty": None, "doubts": None}
