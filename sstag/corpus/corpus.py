"""A corpus: sentences as integers, a code per token and column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeAlias

import numpy as np

from sstag.corpus.coding import used
from sstag.corpus.column_names import place_of, word_place
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.ranges import offsets_of

Sentence: TypeAlias = Sequence[str] | Sequence[Sequence[str]]  # tokens, of one text or of a text per column


@dataclass(frozen=True)
class Corpus:
    """Sentences as integers: `values[c][codes[c][t]]` is what column c says of token t."""

    path: str
    columns: tuple[str, ...]
    values: tuple[list[str], ...]  # the distinct values of each column, in the order of their first use
    codes: tuple[Ints, ...]  # one (T,) per column
    offsets: Longs  # (S + 1,)
    lines: Longs  # (T,) line of the file, from 1
    digest: str = ""  # SHA-256 of the text it was read from, gzip undone
    files: tuple[str, ...] = ()  # if it is made of several files: their paths,
    file: Ints | None = None  # and (T,) which of them each token is from
    weights: Floats | None = None  # (S,) ω of each sentence in training; None: 1

    @property
    def tokens(self) -> int:
        return int(self.offsets[-1])

    @property
    def sentences(self) -> int:
        return len(self.offsets) - 1

    def column(self, name: str) -> int:
        return place_of(name, self.columns, self.path)

    @property
    def word_column(self) -> int:
        """The column of the words."""
        return word_place(self.columns)

    def part(self, sentences: slice) -> "Corpus":
        """A run of sentences; its columns keep the values of the whole corpus."""
        tokens = slice(int(self.offsets[sentences.start]), int(self.offsets[sentences.stop]))
        return replace(
            self,
            codes=tuple(codes[tokens] for codes in self.codes),
            offsets=self.offsets[sentences.start : sentences.stop + 1] - tokens.start,
            lines=self.lines[tokens],
            file=None if self.file is None else self.file[tokens],
            weights=None if self.weights is None else self.weights[sentences],
        )

    def place(self, token: int) -> tuple[str, int]:
        """Path and line of a token."""
        return self.path if self.file is None else self.files[self.file[token]], int(self.lines[token])

    def first_place(self, column: int, code: int) -> tuple[str, int]:
        """Path and line of the first token that has a value in a column."""
        return self.place(int(np.flatnonzero(self.codes[column] == code)[0]))

    def words(self, column: str, sentence: int) -> list[str]:
        """One sentence of one column, as text."""
        index = self.column(column)
        values = self.values[index]
        return [values[code] for code in self.codes[index][self.offsets[sentence] : self.offsets[sentence + 1]]]


def corpus_of(sentences: Sequence[Sentence], columns: tuple[str, ...]) -> Corpus:
    """The corpus of some sentences in memory: a token is a text, or a text for each column.

    Empty sentences are left out. For want of a file, the line of a token is the number of its sentence, from 1.
    """
    tokens: list[str | Sequence[str]] = []
    lengths = []
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str) or not isinstance(sentence, Sequence):
            wanted = "is no list of tokens: a sentence is one, such as ['Kim', 'met', 'Ann']"
            raise DataError(f"{sentence!r:.50} {wanted}", "sentence", number)
        for token in sentence:
            texts = (token,) if len(columns) == 1 and isinstance(token, str) else token
            if (
                (isinstance(token, str) and len(columns) > 1)
                or not (isinstance(texts, Sequence) and len(texts) == len(columns))
                or not all(isinstance(text, str) and text for text in texts)
            ):
                what = "a text" if len(columns) == 1 else f"{len(columns)} texts ({', '.join(columns)})"
                raise DataError(f"{token!r:.50} is no token: a token is {what}, none of them empty", "sentence", number)
        tokens += sentence
        lengths.append(len(sentence))
    lines = np.repeat(np.arange(1, len(lengths) + 1), lengths)
    parts = [[token if isinstance(token, str) else token[i] for token in tokens] for i in range(len(columns))]
    numbered = [{text: code for code, text in enumerate(dict.fromkeys(part))} for part in parts]
    codes = [
        np.fromiter(map(number.__getitem__, part), np.int32, len(part))
        for number, part in zip(numbered, parts, strict=True)
    ]
    offsets = np.cumsum([0, *filter(None, lengths)])
    return Corpus("sentence", columns, tuple(map(list, numbered)), tuple(codes), offsets, lines)


def selected(corpus: Corpus, sentences: Bools) -> Corpus:
    """The corpus of some of the sentences, without the values of the others; lines stay those of the file."""
    return with_used_values(with_sentences(corpus, sentences))


def with_sentences(corpus: Corpus, sentences: Bools) -> Corpus:
    """The corpus of some of the sentences, with the values of all; lines stay those of the file."""
    lengths = np.diff(corpus.offsets)
    tokens = np.repeat(sentences, lengths)
    return replace(
        corpus,
        codes=tuple(codes[tokens] for codes in corpus.codes),
        offsets=offsets_of(lengths[sentences]),
        lines=corpus.lines[tokens],
        file=None if corpus.file is None else corpus.file[tokens],
        weights=None if corpus.weights is None else corpus.weights[sentences],
    )


def with_used_values(corpus: Corpus) -> Corpus:
    """The corpus without the values of its columns that no token has."""
    columns = [used(texts, codes) for texts, codes in zip(corpus.values, corpus.codes, strict=True)]
    return replace(corpus, values=tuple(texts for texts, _ in columns), codes=tuple(codes for _, codes in columns))


def with_column(corpus: Corpus, name: str, texts: Sequence[str], codes: Ints | Longs) -> Corpus:
    """A corpus with these texts in a column, which may be a new one; `codes` are those of the tokens."""
    values, numbers, columns = list(corpus.values), list(corpus.codes), corpus.columns
    if name not in columns:
        columns = (*columns, name)
        values.append([])
        numbers.append(np.zeros(0, np.int32))
    index = columns.index(name)
    values[index], numbers[index] = used(texts, codes)
    return replace(corpus, columns=columns, values=tuple(values), codes=tuple(numbers))


def without_columns(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """A corpus without some of its columns."""
    kept = [place for place, name in enumerate(corpus.columns) if name not in names]
    return replace(
        corpus,
        columns=tuple(corpus.columns[place] for place in kept),
        values=tuple(corpus.values[place] for place in kept),
        codes=tuple(corpus.codes[place] for place in kept),
    )


def in_lower_case(corpus: Corpus, name: str) -> Corpus:
    """A corpus with the texts of a column in lower case."""
    place = corpus.column(name)
    number: dict[str, int] = {}
    codes = [number.setdefault(text.lower(), len(number)) for text in corpus.values[place]]
    return with_column(corpus, name, list(number), np.array(codes, np.int32)[corpus.codes[place]])


def sizes_of_files(corpus: Corpus) -> list[tuple[str, int, int]]:
    """The path, the sentences and the tokens of each file that a corpus is made of."""
    if corpus.file is None:
        return [(corpus.path, corpus.sentences, corpus.tokens)]
    counts = (np.bincount(of, minlength=len(corpus.files)) for of in (corpus.file[corpus.offsets[:-1]], corpus.file))
    return [(path, int(s), int(t)) for path, s, t in zip(corpus.files, *counts, strict=True)]


def together(first: Corpus, second: Corpus) -> Corpus:
    """The sentences of two corpora, one after the other, in the columns that both have."""
    columns = tuple(name for name in first.columns if name in second.columns)
    merged = [_merged(first, second, name) for name in columns]
    earlier, later = (corpus.files or (corpus.path,) for corpus in (first, second))
    file, more = (np.zeros(one.tokens, np.int32) if one.file is None else one.file for one in (first, second))
    return Corpus(
        path=", ".join([*earlier, *later]),
        columns=columns,
        values=tuple(values for values, _ in merged),
        codes=tuple(codes for _, codes in merged),
        offsets=np.concatenate([first.offsets, second.offsets[1:] + first.tokens]),
        lines=np.concatenate([first.lines, second.lines]),
        digest=sha256((first.digest + second.digest).encode()).hexdigest(),
        files=(*earlier, *later),
        file=np.concatenate([file, more + np.int32(len(earlier))]),
        weights=_joint_weights(first, second),
    )


def _joint_weights(first: Corpus, second: Corpus) -> Floats | None:
    """The weights of the sentences of two corpora; None if neither has any, and 1 for those of one that has none."""
    if first.weights is None and second.weights is None:
        return None
    each = [np.ones(one.sentences) if one.weights is None else one.weights for one in (first, second)]
    return np.concatenate(each)


def _merged(first: Corpus, second: Corpus, name: str) -> tuple[list[str], Ints]:
    """The distinct values of a column in two corpora, and the code of each token."""
    here, there = first.column(name), second.column(name)
    number = {text: code for code, text in enumerate(first.values[here])}
    codes = np.array([number.setdefault(text, len(number)) for text in second.values[there]], np.int32)
    return list(number), np.concatenate([first.codes[here], codes[second.codes[there]]])
