"""The texts of a project: parts, each a folder of arrays that are made once of a file and then mapped into memory.

    columns.json       path, columns, the distinct values of each column, tokens, sentences
    codes-C            (T,) int32, the value of each token in column C
    offsets            (S + 1,) int64
    hashes, order      (S,) int64 each: the fingerprint of each sentence, and the sentences in the order of these
    joined             (T,) bool, whether a token follows the one before without a blank; if that is known
    names, name-ends   the name of each sentence, one after another, and (S,) int64, the byte where each ends
    texts, text-ends   the text of each sentence, likewise; nothing where it is not known
    begins             (S,) int64, where the text begins in the document that it was taken from
    starts             (T,) int64, the first character of each token, counted as `begins`; 0 where that is not known

So a pool of a million sentences opens in the time that its distinct words take, and needs no more memory than these.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.text.json_keys import a_list, a_text, a_whole, an_object
from sstag.foundation.arrays import Array, Bools, Longs
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.files import display_name
from sstag.foundation.json_values import Json, json_value
from sstag.foundation.ranges import sentences_of
from sstag.interfaces.annotate.records import Provenance, Text

DESCRIPTION = "columns.json"
PART = re.compile(r"[0-9]{4,9}")
MASK = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Strings:
    """Texts one after another, and the byte where each ends."""

    data: Array
    ends: Longs  # (S,)

    def __getitem__(self, place: int) -> str:
        begin = int(self.ends[place - 1]) if place else 0
        return bytes(self.data[begin : int(self.ends[place])]).decode(errors="replace")


@dataclass(frozen=True, eq=False)
class Origins:
    """Where the sentences of a file come from."""

    names: Strings
    texts: Strings
    begins: Longs  # (S,)
    starts: Longs  # (T,)

    def of(self, sentence: int, tokens: slice) -> Provenance:
        """Where a sentence with these tokens comes from."""
        name, text = self.names[sentence], self.texts[sentence]
        if not text:
            return Provenance((name,))
        return Provenance((name,), text, int(self.begins[sentence]), self.starts[tokens].tolist())


@dataclass(frozen=True, eq=False)
class Part:
    """The texts of one file."""

    corpus: Corpus
    hashes: Longs  # (S,)
    order: Longs  # (S,)
    joined: Bools | None  # (T,)
    origins: Origins | None  # projects of before have none

    def text(self, sentence: int) -> Text:
        """A text as the store keeps it."""
        corpus = self.corpus
        words = {name: corpus.words(name, sentence) for name in corpus.columns}
        first, stop = corpus.offsets[sentence : sentence + 2].tolist()
        without = None if self.joined is None else np.flatnonzero(self.joined[first:stop]).tolist()
        origin = Provenance() if self.origins is None else self.origins.of(sentence, slice(first, stop))
        hash = hash_text(int(self.hashes[sentence]))
        return Text(hash, words, corpus.columns[corpus.word_column], without, origin=origin)

    def found(self, number: int) -> list[int]:
        """The sentences with a fingerprint."""
        first, stop = (int(np.searchsorted(self.hashes, number, side, self.order)) for side in ("left", "right"))
        result: list[int] = self.order[first:stop].tolist()
        return result

    def places(self, term: Sequence[str]) -> tuple[Longs, Longs]:
        """The sentences and the first tokens in them where these words stand, one after another."""
        corpus = self.corpus
        words, codes = corpus.values[corpus.word_column], corpus.codes[corpus.word_column]
        number = {word: code for code, word in enumerate(words) if word in term}
        if len(number) < len({*term}):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        found: Longs = np.flatnonzero(codes == number[term[0]])
        found = found[found + len(term) <= corpus.tokens]
        for place, word in enumerate(term[1:], 1):
            found = found[codes[found + place] == number[word]]
        sentence = sentences_of(corpus.offsets, found)
        inside = found + len(term) <= corpus.offsets[sentence + 1]
        return sentence[inside], (found - corpus.offsets[sentence])[inside]


@dataclass(frozen=True, eq=False)
class Pool:
    """All texts of a project, numbered part after part."""

    parts: tuple[Part, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that all texts have."""
        return self.parts[0].corpus.columns if self.parts else ()

    @property
    def texts(self) -> int:
        return sum(part.corpus.sentences for part in self.parts)

    @property
    def tokens(self) -> int:
        return sum(part.corpus.tokens for part in self.parts)

    def text(self, number: int) -> Text:
        """A text by its number."""
        for part in self.parts:
            if number < part.corpus.sentences:
                return part.text(number)
            number -= part.corpus.sentences
        raise IndexError(number)

    def hash(self, number: int) -> str:
        """The hash of a text by its number."""
        for part in self.parts:
            if number < part.corpus.sentences:
                return hash_text(int(part.hashes[number]))
            number -= part.corpus.sentences
        raise IndexError(number)

    def find(self, hash: str) -> Text | None:
        """A text by its hash, with the names of all sentences that are this text."""
        number = number_of(hash)
        if number is None:
            return None
        places = [(part, sentence) for part in self.parts for sentence in part.found(number)]
        if not places:
            return None
        text = places[0][0].text(places[0][1])
        return text.named([part.origins.names[sentence] for part, sentence in places if part.origins])

    def places(self, term: Sequence[str]) -> Iterator[tuple[Part, Longs, Longs]]:
        """The places of a term in each part."""
        for part in self.parts:
            yield part, *part.places(term)


def hash_text(number: int) -> str:
    """A fingerprint in hexadecimal digits."""
    return f"{number & MASK:016x}"


def number_of(hash: str) -> int | None:
    """The fingerprint in a text of 16 hexadecimal digits, None if it is another text."""
    if len(hash) != 16 or not set(hash) <= set("0123456789abcdef"):
        return None
    number = int(hash, 16)
    return number - 2**64 if number >= 2**63 else number


def opened(folder: str) -> Pool:
    """The pool in a folder; all of its parts have the same columns."""
    names = sorted(name for name in os.listdir(folder) if PART.fullmatch(name)) if os.path.isdir(folder) else []
    parts = tuple(part_in(Path(folder, name)) for name in names)
    for name, part in zip(names, parts, strict=True):
        if part.corpus.columns != parts[0].corpus.columns:
            raise _damaged(Path(folder, name), "its columns are not those of the other parts")
    return Pool(parts)


def part_in(folder: Path) -> Part:
    """The part in a folder, every number of which is looked at: somebody may have sent it."""
    try:
        said = an_object(json_value((folder / DESCRIPTION).read_bytes()), DESCRIPTION)
        path, sentences = a_text(said.get("path"), "path"), a_whole(said.get("sentences"), "sentences")
        columns = tuple(a_text(name, "columns") for name in a_list(said.get("columns"), "columns"))
        values = tuple(_values(one) for one in a_list(said.get("values"), "values"))
        if not columns or len(set(columns)) < len(columns) or len(values) != len(columns) or not sentences:
            raise ValueError("it has no columns, or no sentences")
        offsets = mapped(folder / "offsets", np.int64, sentences + 1)
        if offsets[0] or np.any(np.diff(offsets) < 1):
            raise ValueError("a sentence has no word")
        tokens = int(offsets[-1])
        codes = tuple(mapped(folder / f"codes-{place}", np.int32, tokens) for place in range(len(columns)))
        for column, texts in zip(codes, values, strict=True):
            _check_below(column, len(texts))
        hashes, order = (mapped(folder / name, np.int64, sentences) for name in ("hashes", "order"))
        _check_below(order, sentences)
        ordered = hashes[order]
        if np.any(ordered[1:] < ordered[:-1]):  # their differences may be larger than an integer
            raise ValueError("its order is none")
        joined = mapped(folder / "joined", np.bool_, tokens) if (folder / "joined").exists() else None
        origins = _origins(folder, sentences, tokens) if (folder / "names").exists() else None
    except (OSError, ValueError, SstagError) as error:
        raise _damaged(folder, str(error)) from error
    lines: Longs = np.broadcast_to(np.int64(0), tokens)
    return Part(Corpus(path, columns, values, codes, offsets, lines), hashes, order, joined, origins)


def _damaged(folder: Path, why: str) -> DataError:
    advice = "remove it, and add the file again (--import FILE --import-as pool)"
    return DataError(f"is damaged ({why}): {advice}", display_name(str(folder)))


def _values(given: Json) -> list[str]:
    """The distinct values of a column."""
    texts = [a_text(text, "values") for text in a_list(given, "values")]
    if any(text.encode().split() != [text.encode()] or "\0" in text for text in texts):
        raise ValueError("a value is empty, or has a blank")
    return texts


def _check_below(numbers: Array, most: int) -> None:
    """Raises an error if a number in an array is not from 0 to below another one."""
    if len(numbers) and not (int(numbers.min()) >= 0 and int(numbers.max()) < most):
        raise ValueError("a number is beyond what it numbers")


def _origins(folder: Path, sentences: int, tokens: int) -> Origins:
    """The arrays of a part that say where its sentences come from."""
    starts, begins = mapped(folder / "starts", np.int64, tokens), mapped(folder / "begins", np.int64, sentences)
    return Origins(_strings(folder, "name", sentences), _strings(folder, "text", sentences), begins, starts)


def _strings(folder: Path, name: str, count: int) -> Strings:
    """Texts of a folder, one after another in a file."""
    ends = mapped(folder / f"{name}-ends", np.int64, count)
    if np.any(np.diff(ends, prepend=0) < 0):
        raise ValueError(f"{name}-ends are not in order")
    return Strings(mapped(folder / f"{name}s", np.uint8, int(ends[-1])), ends)


def mapped(path: Path, kind: type[np.generic], count: int) -> np.ndarray:
    """An array of a file, which must have this size."""
    if path.stat().st_size != count * np.dtype(kind).itemsize:
        raise ValueError(f"{path.name} has another size than it should")
    return np.memmap(path, kind, "r") if count else np.zeros(0, kind)
