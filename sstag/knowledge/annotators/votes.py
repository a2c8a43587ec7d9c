"""The labels that several sources give to one text: people, models, or lists of labelling functions.

A source may allow a token one label, several (`A|B`), or say nothing of it (`?`), which is no vote. The columns of all
sources are read together, under one scheme, and may be written in another before they are compared token by token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.labels.column import Annotation, annotation
from sstag.labels.marks import Marks
from sstag.labels.schemes.rewrite import rewritten, rewritten_sets
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import Tagset, labels_of_types, possible_labels, tagset

Allowed = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Source:
    """One who labels: a name, and the corpus and column with the labels."""

    name: str
    corpus: Corpus
    column: str


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of all sources in one numbering of labels: `sets[votes[k, t]]` are those that k allows at token t."""

    names: tuple[str, ...]
    tags: Tagset
    offsets: Longs  # (S + 1,)
    sets: Bools  # (V, L) the distinct sets; the first is that of every label: no vote
    votes: Ints  # (K, T) row of `sets`

    @property
    def labels(self) -> tuple[str, ...]:
        return self.tags.labels

    @cached_property
    def said(self) -> Bools:
        """Whether a source says something of a token."""  # (K, T)
        return self.votes > 0

    @cached_property
    def spoken(self) -> Bools:
        """Whether any source says something of a token."""  # (T,)
        result: Bools = np.logical_or.reduce(self.said)
        return result

    @cached_property
    def single(self) -> Ints:
        """The one label that a source gives a token, or UNDECIDED."""  # (K, T)
        one = np.where(self.sets.sum(axis=1) == 1, self.sets.argmax(axis=1), UNDECIDED).astype(np.int32)
        one[0] = UNDECIDED
        result: Ints = one[self.votes]
        return result

    @cached_property
    def counts(self) -> Longs:
        """How many sources allow each label of each token, among those that say something of it."""  # (T, L)
        result = np.zeros((self.votes.shape[1], len(self.labels)), np.int64)
        for row, said in zip(self.votes, self.said, strict=True):
            result += self.sets[row] & said[:, None]
        return result


def votes_of(sources: Sequence[Source], marks: Marks, scheme: str | None, new: str | None = None) -> Votes:
    """The votes of sources, whose corpora have the same words; `scheme=None` guesses it from all columns together."""
    if len(sources) < 2:
        raise ConfigError("one source: there is no other to compare it with")
    offsets = sources[0].corpus.offsets
    tokens = int(offsets[-1])
    every = np.concatenate([[0], *(offsets[1:] + tokens * place for place in range(len(sources)))])
    read, codes = _together(sources, every, marks, scheme)
    own = new or read.tags.scheme
    if own == read.tags.scheme:
        labels = read.sets.labels
        allowed = [tuple(labels[y] for y in one) for one in read.sets.allowed_labels]
        values: list[Allowed | None] = [
            None if open_ else one for open_, one in zip(read.sets.unknown.tolist(), allowed, strict=True)
        ]
    else:
        values, codes = _rewritten(read, own, codes, every)
    kinds = ["" if kind == "O" else kind for kind in read.tags.types] if own != "plain" else read.tags.types
    plain = set() if own == "plain" else {"O"}
    known = sorted({*plain, *labels_of_types(kinds, own), *(label for one in values if one for label in one)})
    if not known:
        raise DataError("no source says anything: every label is open", sources[0].corpus.path)
    tags = tagset(sorted({*known, *possible_labels(tagset(known, own))}), own)
    number = {label: index for index, label in enumerate(tags.labels)}
    rows: dict[tuple[int, ...] | None, int] = {None: 0}
    keys = [None if one is None else tuple(sorted(map(number.__getitem__, one))) for one in values]
    of_value = [rows.setdefault(key, len(rows)) for key in keys]
    sets = np.zeros((len(rows), len(number)), bool)
    for key, row in rows.items():
        sets[row, slice(None) if key is None else list(key)] = True
    votes = np.array(of_value, np.int32)[codes].reshape(len(sources), tokens)
    return Votes(tuple(source.name for source in sources), tags, offsets, sets, votes)


def _together(sources: Sequence[Source], offsets: Longs, marks: Marks, scheme: str | None) -> tuple[Annotation, Ints]:
    """The columns of all sources, one after another, read as one label column."""
    number: dict[str, int] = {}
    parts = []
    for source in sources:
        column = source.corpus.column(source.column)
        own = [number.setdefault(text, len(number)) for text in source.corpus.values[column]]
        parts.append(np.array(own, np.int32)[source.corpus.codes[column]])
    values, codes = list(number), np.concatenate(parts)

    def place(code: int) -> tuple[str, int]:
        which, token = divmod(int(np.flatnonzero(codes == code)[0]), len(parts[0]))
        return sources[which].corpus.place(token)

    read = annotation(values, codes, offsets, marks, scheme, place)
    if read.strangers:
        index = read.sets.labels.index(read.strangers[0])
        code = next(code for code, allowed in enumerate(read.sets.allowed_labels) if index in allowed)
        raise DataError(f"'{read.strangers[0]}' is no {read.tags.scheme.upper()} tag (--scheme)", *place(code))
    return read, codes


def _rewritten(read: Annotation, scheme: str, codes: Ints, offsets: Longs) -> tuple[list[Allowed | None], Ints]:
    """The sets of labels in another scheme: the distinct ones, and which of them each token has."""
    sets, tags = read.sets, read.tags
    names, decided, _ = rewritten(tags, scheme, sets.single.astype(np.int32)[codes], offsets)
    values: list[Allowed | None] = [None, *((name,) for name in names)]
    result: Ints = np.where(sets.unknown[codes], 0, decided + 1).astype(np.int32)
    edge = (len(sets.labels),)
    first, last = np.zeros((2, len(codes)), bool)
    first[offsets[:-1]], last[offsets[1:] - 1] = True, True
    open_ones = np.flatnonzero(decided == UNDECIDED)
    affected = np.unique(np.concatenate([open_ones - 1, open_ones, open_ones + 1]))
    affected = affected[(affected >= 0) & (affected < len(codes))]
    known: dict[tuple[Sequence[int], int, Sequence[int]], int] = {}
    for token in affected[~sets.unknown[codes[affected]]].tolist():
        here = int(codes[token])
        before = edge if first[token] else sets.allowed_labels[codes[token - 1]]
        after = edge if last[token] else sets.allowed_labels[codes[token + 1]]
        key = (before, here, after)
        if key not in known:
            known[key] = len(values)
            values.append(tuple(rewritten_sets(tags, scheme, before, sets.allowed_labels[here], after)))
        result[token] = known[key]
    return values, result
