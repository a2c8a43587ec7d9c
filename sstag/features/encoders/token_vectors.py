"""The vectors of tokens in their sentences, as templates and models name them: an encoder, or files made by one."""

import os
from dataclasses import dataclass, replace
from functools import cached_property, partial
from glob import escape, glob

from sstag.corpus.corpus import Corpus
from sstag.features.encoders.encoder import FOLDERS, Encoder, PromisedEncoder, found
from sstag.features.encoders.encoding import Report, encoded, room
from sstag.features.encoders.settings import Settings
from sstag.features.encoders.store import Shelf, usual_store
from sstag.features.encoders.trained_weights import TrainedWeights
from sstag.features.encoders.vector_log import VectorLog, key_of, read_log
from sstag.features.named_files import Named
from sstag.features.template import Template
from sstag.foundation.arrays import Bytes, Halves
from sstag.foundation.errors import DataError

ENDING = ".vectors"


@dataclass(frozen=True, eq=False)
class EncoderVectors:
    """The vectors that an encoder gives the tokens of any text."""

    encoder: Encoder | PromisedEncoder
    known: int | None = None  # dimensions that a model says
    threads: int = 1
    report: Report | None = None

    @property
    def column(self) -> str | None:
        return self.encoder.settings.column

    @property
    def digest(self) -> str:
        return self.encoder.digest

    @property
    def base(self) -> str:
        return self.encoder.base

    @property
    def trained(self) -> Bytes | None:
        return self.encoder.trained.content if self.encoder.trained else None

    @property
    def is_to_train(self) -> bool:
        """Whether blocks of the encoder are to be trained that have not been."""
        return bool(self.encoder.settings.train) and self.encoder.trained is None

    @property
    def untrained(self) -> "EncoderVectors":
        """The vectors of the encoder as it is in its files."""
        return replace(self, encoder=replace(self.encoder, settings=replace(self.encoder.settings, train=0)))

    def with_weights(self, trained: TrainedWeights) -> "EncoderVectors":
        """The vectors of the encoder with weights that were trained."""
        return replace(self, encoder=replace(self.encoder, trained=trained))

    @property
    def dimensions(self) -> int:
        return self.known or self._shelf.width or self.encoder.loaded.width

    @cached_property
    def _shelf(self) -> Shelf:
        return usual_store().shelf(self.digest)

    def numbers(self, corpus: Corpus) -> Halves:
        """A row for each token of a text; what was encoded before is read."""  # (T, D)
        column = column_of(self.encoder.settings, corpus)
        return encoded(corpus, column, self.encoder, self._shelf, self.threads, self.report)


@dataclass(frozen=True, eq=False)
class FileVectors:
    """The vectors in some files, of the sentences that are in them."""

    settings: Settings
    logs: tuple[VectorLog, ...]

    @property
    def column(self) -> str | None:
        return self.settings.column

    @property
    def digest(self) -> str:
        return self.logs[0].digest

    @property
    def base(self) -> str:
        return self.digest

    @property
    def trained(self) -> None:
        return None

    @property
    def dimensions(self) -> int:
        return self.logs[0].width

    def numbers(self, corpus: Corpus) -> Halves:
        """A row for each token of a text."""  # (T, D)
        result = room(corpus.tokens, self.dimensions, None)
        for sentence in range(corpus.sentences):
            words = corpus.words(column_of(self.settings, corpus), sentence)
            begin, key = int(corpus.offsets[sentence]), key_of(words)
            kept = next((one for log in self.logs if (one := log.get(key, len(words))) is not None), None)
            if kept is None:
                raise DataError(
                    f"the vectors of this sentence are not in {self.settings.place}: sstag encode makes a file of them",
                    *corpus.place(begin),
                )
            result[begin : begin + len(words)] = kept
        return result


TokenVectors = EncoderVectors | FileVectors


@dataclass(frozen=True, eq=False)
class PromisedFiles:
    """The files of vectors that a model was trained with, or others of the same encoder, when they are needed."""

    settings: Settings
    digest: str
    dimensions: int
    model: str

    @property
    def column(self) -> str | None:
        return self.settings.column

    @property
    def base(self) -> str:
        return self.digest

    @property
    def trained(self) -> None:
        return None

    def numbers(self, corpus: Corpus) -> Halves:
        """A row for each token of a text."""  # (T, D)
        return self._files.numbers(corpus)

    @cached_property
    def _files(self) -> FileVectors:
        named = Named(self.settings.place, self.model, FOLDERS)
        what = f"the vectors of tokens in {named.name}"
        return named.first_right(what, self.digest, partial(opened_files, self.settings))


def opened(settings: Settings, folder: str) -> TokenVectors:
    """The vectors that a template in this folder names."""
    if settings.vectors is None:
        return EncoderVectors(found(settings, (folder,)))
    return opened_files(settings, os.path.join(folder, settings.place))


def promised(
    settings: Settings, digest: str, dimensions: int, model: str, trained: Bytes | None
) -> EncoderVectors | PromisedFiles:
    """The vectors that a model was trained with, of an encoder whose weights may have been trained, too."""
    if settings.vectors is None:
        changed = None if trained is None else TrainedWeights(trained, model)
        return EncoderVectors(PromisedEncoder(settings, digest, model, changed), dimensions)
    return PromisedFiles(settings, digest, dimensions, model)


def opened_files(settings: Settings, place: str) -> FileVectors:
    """The vectors in a file, or in the files of a folder, all of one encoder."""
    paths = sorted(glob(os.path.join(escape(place), f"*{ENDING}"))) if os.path.isdir(place) else [place]
    if not paths:
        raise DataError(f"there is no file *{ENDING} in it", place)
    logs = tuple(map(read_log, paths))
    for log in logs[1:]:
        if log.width != logs[0].width:
            raise DataError(
                f"its vectors have {log.width} numbers, and those of {logs[0].path} {logs[0].width}", log.path
            )
        if log.digest != logs[0].digest:
            raise DataError(f"its vectors are of another encoder than those of {logs[0].path}", log.path)
    return FileVectors(settings, logs)


def column_of(settings: Settings, corpus: Corpus) -> str:
    """The column of the words that are encoded."""
    return settings.column or corpus.columns[corpus.word_column]


def watched(template: Template, threads: int, report: Report) -> Template:
    """The template, whose encoders run in so many threads and report how far they are."""
    encoders = {
        name: replace(one, threads=threads, report=report) if isinstance(one, EncoderVectors) else one
        for name, one in template.encoders.items()
    }
    return replace(template, encoders=encoders)
