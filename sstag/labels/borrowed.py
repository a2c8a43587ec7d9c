"""Labels of one file at the tokens of another: the same text, perhaps cut into other tokens.

What counts is the characters without blanks; sentences may end elsewhere, too. Where both files have the same tokens,
labels stay as they are, whatever they are. Where not, the chunks of the other file become chunks of the tokens that
they share a character with, in IOB2, and a plain label goes to the token that begins within the other one.
"""

from collections.abc import Sequence

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.ranges import offsets_of
from sstag.labels.column import annotation
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import chunks

NEARBY = 20  # characters that an error shows


def borrowed(corpus: Corpus, other: Corpus, label: str, marks: Marks) -> list[str]:
    """The label of each token of a corpus, from a column of another corpus of the same text."""
    if not corpus.tokens:  # nor has it columns
        raise DataError("no sentence in it", corpus.path)
    places = _places(corpus), _places(other)
    _check(corpus, other, *places)
    ours, theirs = places
    column = other.column(label)
    values, codes = other.values[column], other.codes[column]
    if np.array_equal(ours, theirs):
        return [values[code] for code in codes.tolist()]
    read = annotation(values, codes, other.offsets, marks, None, lambda code: other.first_place(column, code))
    if read.tags.scheme == "plain":
        found = np.searchsorted(theirs, ours[:-1], side="right") - 1
        return [values[code] for code in codes[found].tolist()]
    spans = chunks(read.tags, read.single[codes], other.offsets)
    kinds = [read.tags.types[kind] for kind in spans.type.tolist()]
    return _in_iob2(ours, theirs[spans.first], theirs[spans.stop], kinds, corpus.offsets)


def _places(corpus: Corpus) -> Longs:
    """Where each word begins among the characters without blanks, and where the last one ends."""  # (T + 1,)
    words = corpus.values[corpus.word_column]
    sizes = np.array([len(_bare(word)) for word in words], np.int64)
    return offsets_of(sizes[corpus.codes[corpus.word_column]])


def _bare(word: str) -> str:
    return "".join(word.split())


def _check(corpus: Corpus, other: Corpus, ours: Longs, theirs: Longs) -> None:
    """Raises an error at the first token from which on the texts differ."""
    first, second = (_text(one) for one in (corpus, other))
    if first == second:
        return
    size = min(len(first), len(second))
    a, b = (np.frombuffer(text[:size].encode("utf-32-le"), np.uint32) for text in (first, second))
    differing = np.flatnonzero(a != b)
    at = int(differing[0]) if len(differing) else size
    token = min(int(np.searchsorted(ours, at, side="right")) - 1, corpus.tokens - 1)
    there = min(int(np.searchsorted(theirs, at, side="right")) - 1, other.tokens - 1)
    path, line = other.place(there)
    shown = second[at : at + NEARBY] or "nothing more"
    message = f"'{first[at : at + NEARBY]}' stands here, and '{shown}' in {path}:{line}: not the same text"
    raise DataError(message, *corpus.place(token))


def _text(corpus: Corpus) -> str:
    words = [_bare(word) for word in corpus.values[corpus.word_column]]
    return "".join(words[code] for code in corpus.codes[corpus.word_column].tolist())


def _in_iob2(places: Longs, begins: Longs, ends: Longs, kinds: Sequence[str], offsets: Longs) -> list[str]:
    """Tags of the tokens that begin at some places, for chunks between two places; the earlier chunk counts."""
    if not kinds:
        return ["O"] * (len(places) - 1)
    chunk = np.minimum(np.searchsorted(ends, places[:-1], side="right"), len(kinds) - 1)
    inside: Bools = (begins[chunk] < places[1:]) & (ends[chunk] > places[:-1])
    opens = np.append(True, (chunk[1:] != chunk[:-1]) | ~inside[:-1])
    opens[offsets[:-1]] = True
    return [
        f"{'B' if first else 'I'}-{kinds[one]}" if within and kinds[one] else ("B" if first else "I") if within else "O"
        for one, within, first in zip(chunk.tolist(), inside.tolist(), opens.tolist(), strict=True)
    ]
