"""Models at work, each of which another one takes the place of when it is trained, or when its file is new."""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sstag.corpus.contexts import NOT_READ, Read
from sstag.corpus.corpus import Sentence, corpus_of
from sstag.corpus.text.documents import Document
from sstag.corpus.text.tokenizer import first_places
from sstag.foundation.errors import ConfigError, SstagError, nearest
from sstag.foundation.files import translated_errors
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.web.answers import Refused
from sstag.interfaces.web.queueing import ClientLeft
from sstag.labels.schemes.tagset import Tagset, tolerant_tagset
from sstag.model.in_words import FoundChunk, chunks_of
from sstag.model.legality import tags_of
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.questions import Question
from sstag.model.tagged_documents import prose_layout, tagged_prose
from sstag.model.tagging import answers_by_run

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ENDING = ".model"
WHOLE_DOCUMENTS = 5  # times as many tokens: tools send whole documents, or many tasks

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Loaded:
    """A model, the file that it is from, and a name for this version of it."""

    path: str
    model: Model
    version: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of the chunks that the model knows."""
        return tagset_of(self.model).types


class Engine:
    """The model that answers. Whoever asks while it is replaced gets the old one or the new one, whole."""

    def __init__(self, path: str, most_tokens: int) -> None:
        self._taking = Lock()
        self.now, self.most_tokens = _loaded(path), most_tokens

    @property
    def path(self) -> str:
        return self.now.path

    @property
    def model(self) -> Model:
        return self.now.model

    @property
    def version(self) -> str:
        return self.now.version

    @property
    def labels(self) -> tuple[str, ...]:
        return self.now.labels

    def take(self, path: str) -> None:
        """Puts the model in a file to work."""
        with self._taking:
            self.now = _loaded(path)

    def take_again(self) -> None:
        """Puts to work what the file of the model holds now; if that is no model, the old one stays."""
        before = self.version
        try:
            self.take(self.path)
        except SstagError as error:
            log.warning("version %s stays at work: %s", before, error)
        else:
            same = " (the file is the same)" if self.version == before else ""
            log.info("%s: version %s is at work%s", self.path, self.version, same)

    def tagged(self, documents: Sequence[Document], over: Callable[[], bool] = lambda: False) -> list[Document]:
        """The documents of a tool with the spans that the model finds, each with its probability."""
        few = few_enough(documents, WHOLE_DOCUMENTS * self.most_tokens)
        return list(unless(over, tagged_prose(self.model, Question(), few)))


def few_enough(documents: Iterable[Document], most: int) -> list[Document]:
    """The documents with their tokens, of which there are not too many; a document without any counts as one."""
    few, tokens = [], 0
    for one in documents:
        places = first_places(one.text, most - tokens + 1) if one.tokens is None else one.tokens
        tokens += max(len(places), 1)
        expect_few(tokens, most)
        few.append(replace(one, tokens=places))
    return few


def expect_few(tokens: int, most: int) -> None:
    """Refuses a request with too many tokens: each takes some hundred bytes while it is worked on."""
    if tokens > most:
        message = f"more than {most:,} tokens in a request: send fewer at a time (sstag serve --max-tokens)"
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)


def labelled(
    model: Model, sentences: Sequence[Sentence], over: Callable[[], bool], read: Read = NOT_READ
) -> Iterator[tuple[list[str], list[float], list[FoundChunk]]]:
    """The labels of each sentence that is not empty, their probabilities, and the chunks that they stand for."""
    question = Question(token_confidence=True, chunks=tagset_of(model))
    names_of = prose_layout(model).names
    assert names_of
    corpus = corpus_of(sentences, names_of[:1])
    for part, answer in unless(over, answers_by_run(model, corpus, question, one_by_one, read)):
        sure, names = answer.token_confidence.tolist(), [model.labels[y] for y in answer.labels.tolist()]
        for number, chunks in enumerate(chunks_of(answer, question, part.offsets)):
            tokens = slice(*part.offsets[number : number + 2].tolist())
            yield names[tokens], sure[tokens], chunks


def unless(over: Callable[[], bool], found: Iterable[T]) -> Iterator[T]:
    """The things that are found, as long as somebody waits for it."""
    for one in found:
        if over():
            raise ClientLeft
        yield one


def engines_of(models: Sequence[str], most_tokens: int) -> dict[str, Engine]:
    """The models in some files by their names: `NAME=PATH`, or a path, whose file is called so."""
    paths: dict[str, str] = {}
    for said in models:
        name, equals, path = said.partition("=")
        if not equals or os.path.exists(said):
            name, path = os.path.basename(said).removesuffix(ENDING), said
        if not NAME.fullmatch(name):
            raise ConfigError(f"a model cannot be called '{name}' (letters, digits, . _ -): say NAME={path}", said)
        if name in paths:
            raise ConfigError(f"two models are called '{name}': say another name for one of them, NAME={path}")
        paths[name] = path
    return {name: Engine(path, most_tokens) for name, path in paths.items()}


def engine_called(name: str | None, engines: dict[str, Engine]) -> tuple[str, Engine]:
    """The name and the model that a request asks for; the first, unless it names one."""
    if name is None:
        return next(iter(engines.items()))
    if name not in engines:
        raise ConfigError(f"there is no model '{name:.64}'{nearest(name, engines)}")
    return name, engines[name]


def tagset_of(model: Model) -> Tagset:
    """The labels of a model under their scheme; a run of one plain label is a chunk."""
    return tags_of(model) or tolerant_tagset(model.labels, "plain")


def _loaded(path: str) -> Loaded:
    """The model in a file, whose version is the beginning of the digest of its bytes."""
    while True:  # until the file was not replaced meanwhile
        digest = _digest(path)
        model = load(path)
        if digest == _digest(path):
            break
    prose_layout(model)  # a template that reads more than words is an error here
    return Loaded(path, model, digest[:12])


def _digest(path: str) -> str:
    with translated_errors(path):
        return sha256(Path(path).read_bytes()).hexdigest()
