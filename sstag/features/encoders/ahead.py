"""Vectors of whole texts ahead of a training: by an encoder, which keeps them, or taken from another program."""

from collections.abc import Sequence
from dataclasses import dataclass

from sstag.corpus.corpus import Corpus
from sstag.features.encoders.encoding import Report
from sstag.features.encoders.foreign_rows import digest_of_name, rows_in
from sstag.features.encoders.settings import Settings, encoders_in
from sstag.features.encoders.token_vectors import EncoderVectors, column_of, opened
from sstag.features.encoders.vector_log import head, key_of, read_log, record
from sstag.foundation.arrays import Halves
from sstag.foundation.documents import load_text
from sstag.foundation.errors import nearest
from sstag.foundation.files import display_name, output
from sstag.foundation.strict_yaml import parsed


@dataclass(frozen=True)
class EncodedText:
    """A text, the column of its words, and a vector for each token."""

    corpus: Corpus
    column: str
    vectors: Halves  # (T, D)


@dataclass(frozen=True)
class Encoded:
    """Texts whose vectors come from one encoder."""

    digest: str
    texts: tuple[EncodedText, ...]


def settings_in(template: str, name: str) -> Settings:
    """The settings of an encoder of this name in a template."""
    document = parsed(load_text(template), display_name(template))
    columns = document.texts("columns")
    there = encoders_in(document, columns, document.text("label") or columns[-1])
    if name not in there:
        raise document.error(f"there is no encoder '{name}'{nearest(name, there)}", "encoders")
    if there[name].vectors is not None:
        raise document.error(f"'{name}' has vectors that were made before: there is nothing to encode", "encoders")
    return there[name]


def encoded_texts(texts: Sequence[Corpus], settings: Settings, folder: str, threads: int, report: Report) -> Encoded:
    """The vectors of some texts by an encoder, each of which is kept as soon as it is made."""
    source = opened(settings, folder)
    assert isinstance(source, EncoderVectors)
    own = EncoderVectors(source.encoder, threads=threads, report=report)
    made = [EncodedText(text, column_of(settings, text), own.numbers(text)) for text in texts]
    return Encoded(own.digest, tuple(made))


def taken_text(text: Corpus, column: str | None, rows: str, name: str) -> Encoded:
    """The vectors that another program made of a text."""
    column = column_of(Settings(column=column), text)
    text.column(column)
    return Encoded(digest_of_name(name), (EncodedText(text, column, rows_in(rows, text.tokens)),))


def write_vectors(path: str, made: Encoded) -> int:
    """Writes the vectors of all sentences to a file, whole or not at all; how many different ones there are."""
    seen: set[bytes] = set()
    with output(path) as file:
        file.write(head(made.digest, made.texts[0].vectors.shape[1]))
        for text in made.texts:
            for sentence in range(text.corpus.sentences):
                key = key_of(text.corpus.words(text.column, sentence))
                if key not in seen:
                    seen.add(key)
                    rows = slice(int(text.corpus.offsets[sentence]), int(text.corpus.offsets[sentence + 1]))
                    file.write(record(key, text.vectors[rows]))
    return len(seen)


def join_vectors(path: str, parts: Sequence[str]) -> int:
    """Writes the vectors in some files to one file, as if their texts had been encoded together; how many there are."""
    seen: set[bytes] = set()
    with output(path) as file:
        for number, part in enumerate(parts):
            log = read_log(part)
            if number == 0:
                file.write(head(log.digest, log.width))
            for key, found in zip(log.places, log.records(), strict=True):
                if key not in seen:
                    seen.add(key)
                    file.write(found)
    return len(seen)
