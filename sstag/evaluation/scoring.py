"""Predicted labels compared with gold ones: counts by sentence and by type, and confusions.

`gold` decides what the gold is where a label is unknown or ambiguous, and which chunks count.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.evaluation.figure_tables import figure_table, in_a_line, kind_table
from sstag.evaluation.gold import Scored, f1, gold_labels, scored_chunks, share
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError, counted
from sstag.foundation.ranges import row_of_each
from sstag.foundation.tables import html
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import UNDECIDED, scheme_name
from sstag.labels.schemes.tagset import Tagset

COUNTS = ("tokens", "tokens right", "sentences", "sentences right", "gold", "found", "right")
FIGURES = ("accuracy", "sentence accuracy", "precision", "recall", "f1")  # plain labels have the first two


@dataclass(frozen=True)
class Column:
    """The values of a column: the distinct ones, and which of them each token has."""

    values: Sequence[str]
    codes: Ints  # (T,)


@dataclass(frozen=True)
class Evaluation:
    """Predictions beside gold labels. Its figures are made of sums of `rows`, so a resample is a choice of rows."""

    labels: tuple[str, ...]  # of gold and predictions
    tags: Tagset  # the labels as tags of the scheme; a label that is no tag reads O
    gold: Ints  # (T,) index into labels, UNDECIDED where any label would do
    predicted: Ints  # (T,)
    offsets: Longs  # (S + 1,)
    chunks: tuple[Scored, Scored] | None  # of gold and predictions; None for plain labels
    rows: Longs  # (S, len(COUNTS))
    ambiguous: int  # tokens whose gold column allows several labels, but not all
    marked: tuple[str, ...]  # gold labels that contain a mark and were read as they are

    def __repr__(self) -> str:
        sizes = f"{counted(self.totals['tokens'], 'token')}, {counted(self.totals['sentences'], 'sentence')}"
        return f"<Evaluation {scheme_name(self.tags.scheme)}: {in_a_line(self.figures)} %; {sizes}>"

    def _repr_html_(self) -> str:
        tables = [figure_table(self.figures, self.totals, self.unit)]
        tables += [kind_table(self.by_kind, self.kind)] if self.by_kind.keys() - {""} else []
        return html(f"evaluation, {scheme_name(self.tags.scheme)}", tables)

    @property
    def scored(self) -> Bools:
        decided: Bools = self.gold != UNDECIDED  # (T,)
        return decided

    @property
    def wrong(self) -> Bools:
        differ: Bools = self.scored & (self.gold != self.predicted)  # (T,)
        return differ

    @cached_property
    def totals(self) -> dict[str, int]:
        return dict(zip(COUNTS, self.rows.sum(axis=0).tolist(), strict=True))

    @property
    def figures(self) -> dict[str, float]:
        """Accuracy of tokens and of sentences; precision, recall and F₁ of chunks."""
        values = figures(self.rows.sum(axis=0)).tolist()
        return dict(zip(FIGURES[: 2 if self.chunks is None else None], values, strict=False))

    @cached_property
    def unit(self) -> str:
        """The word for what is found: labels, chunks, or words, if the chunks have no type and leave nothing out."""
        if self.chunks is None:
            return "labels"
        kinds = self.tags.type[self.gold[self.scored]]
        return "words" if (kinds >= 0).all() and all(self.tags.types[k] == "" for k in np.unique(kinds)) else "chunks"

    @property
    def kind(self) -> str:
        """The word for what `by_kind` is by."""
        return "label" if self.chunks is None else "type"

    @property
    def not_scorable(self) -> tuple[int, int]:
        """Chunks of gold and of predictions that touch an unknown label."""
        gold, found = (int((~side.counts).sum()) for side in self.chunks) if self.chunks else (0, 0)
        return gold, found

    @cached_property
    def by_kind(self) -> dict[str, tuple[int, int, int]]:
        """For each type of chunk, or plain label, the numbers in gold, found, and right; the most frequent first."""
        if self.chunks is None:
            names, right = self.labels, self.scored & ~self.wrong
            tokens = [self.gold[self.scored], self.predicted[self.scored], self.gold[right]]
            parts = [codes.astype(np.int64) for codes in tokens]
        else:
            names, (gold, found) = self.tags.types, self.chunks
            parts = [gold.chunks.type[gold.counts], found.chunks.type[found.counts], gold.chunks.type[gold.right]]
        counts = np.stack([np.bincount(part, minlength=len(names)) for part in parts], axis=1)
        order = np.lexsort((-counts[:, 1], -counts[:, 0]))
        return {names[i]: tuple(counts[i].tolist()) for i in order if counts[i].any()}

    def confusions(self, most: int | None = None) -> list[tuple[str, str, int, int]]:
        """Gold and predicted label of wrong tokens, how often, and the first such token; the most frequent first."""
        tokens, count = np.flatnonzero(self.wrong), len(self.labels)
        keys = self.gold[tokens].astype(np.int64) * count + self.predicted[tokens]
        pairs, first, times = np.unique(keys, return_index=True, return_counts=True)
        order = np.argsort(-times, kind="stable")[:most]
        columns = (pairs // count)[order], (pairs % count)[order], times[order], tokens[first[order]]
        return [
            (self.labels[a], self.labels[b], n, t) for a, b, n, t in zip(*(c.tolist() for c in columns), strict=True)
        ]

    @property
    def found(self) -> list[str]:
        """The labels that are predicted."""
        return [self.labels[code] for code in np.unique(self.predicted)]

    @property
    def gold_only(self) -> dict[str, int]:
        """Labels that are never predicted, and at how many tokens they are the gold."""
        return self._where(np.bincount(self.predicted, minlength=len(self.labels)) == 0, self.gold[self.scored])

    @property
    def strangers(self) -> tuple[dict[str, int], dict[str, int]]:
        """Labels in gold and in predictions that are no tags of the scheme, and at how many tokens."""
        outside = ~self.tags.inside[:-2] & (np.array(self.labels, object) != "O")
        return self._where(outside, self.gold[self.scored]), self._where(outside, self.predicted)

    def _where(self, chosen: Bools, codes: Ints) -> dict[str, int]:
        times = np.bincount(codes, minlength=len(self.labels))
        return {self.labels[i]: int(times[i]) for i in np.flatnonzero(chosen & (times > 0))}


def figures(sums: Longs | Floats) -> Floats:
    """The FIGURES of sums of COUNTS, for any number of sums at once."""  # (…, 7) → (…, 5)
    tokens, right, sentences, whole, gold, found, both = np.moveaxis(sums, -1, 0)
    none = np.zeros(np.shape(tokens))
    precision, recall = share(both, found, none + (gold == 0)), share(both, gold, none + (found == 0))
    accuracies = share(right, tokens, none), share(whole, sentences, none)
    return np.stack([*accuracies, precision, recall, f1(gold, found, both)], axis=-1)


def evaluation(
    gold: Column,
    predicted: Column,
    offsets: Longs,
    marks: Marks = Marks(),
    scheme: str | None = None,
    line_of: Callable[[int], tuple[str, int]] | None = None,
) -> Evaluation:
    """Scores one column by another; `line_of` tells path and line of the first token that has a gold value."""
    known = gold_labels(gold.values, gold.codes, offsets, marks, scheme, predicted.values, line_of)
    guess = known.numbers(predicted.values)[predicted.codes]
    true, tags, sets = known.against(guess), known.tags, known.sets
    chunks = None if tags.scheme == "plain" else scored_chunks(tags, true, guess, offsets)
    ambiguous = (sets.sizes > 1) & ~sets.unknown
    return Evaluation(
        labels=known.labels,
        tags=tags,
        gold=true,
        predicted=guess,
        offsets=offsets,
        chunks=chunks,
        rows=_rows(true, guess, offsets, chunks),
        ambiguous=int(ambiguous[gold.codes].sum()),
        marked=sets.marked,
    )


def _rows(gold: Ints, guess: Ints, offsets: Longs, chunks: tuple[Scored, Scored] | None) -> Longs:
    """The COUNTS of every sentence."""  # (S, 7)
    count = len(offsets) - 1
    sentence = row_of_each(offsets)

    def per_sentence(tokens: Longs) -> Longs:
        return np.bincount(sentence[tokens], minlength=count)

    scored = gold != UNDECIDED
    tokens, right = per_sentence(np.flatnonzero(scored)), per_sentence(np.flatnonzero(scored & (gold == guess)))
    of_chunks = [np.zeros(count, np.int64)] * 3
    if chunks:
        true, found = chunks
        firsts = [true.chunks.first[true.counts], found.chunks.first[found.counts], true.chunks.first[true.right]]
        of_chunks = [per_sentence(first) for first in firsts]
    return np.stack([tokens, right, tokens > 0, (tokens > 0) & (right == tokens), *of_chunks], axis=1).astype(np.int64)


def evaluated(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    scheme: str | None = None,
    marks: Marks = Marks(),
) -> Evaluation:
    """Scores labels that are in memory, a list per sentence; the scheme is guessed from the gold if None."""
    for number, sentence in (one for side in (gold, predicted) for one in enumerate(side, 1)):
        no_list = isinstance(sentence, str) or not isinstance(sentence, Sequence)
        wrong = [sentence] if no_list else [label for label in sentence if not isinstance(label, str)]
        if wrong:
            what = "list of labels" if no_list else "label: that is a text"
            raise DataError(f"sentence {number}: {wrong[0]!r:.50} is no {what}")
    for number, (true, guess) in enumerate(zip(gold, predicted, strict=False), 1):
        if len(true) != len(guess):
            raise DataError(f"sentence {number}: {counted(len(true), 'gold label')}, but {len(guess)} predicted")
    if len(gold) != len(predicted):
        raise DataError(f"{counted(len(gold), 'sentence')} of gold labels, but {len(predicted)} of predicted ones")
    lengths = [len(true) for true in gold if len(true)]  # an empty sentence has nothing to score
    if not lengths:
        raise DataError("no sentence with a label: nothing to score")
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    return evaluation(_coded(gold), _coded(predicted), offsets, marks, scheme)


def _coded(sentences: Sequence[Sequence[str]]) -> Column:
    number: dict[str, int] = {}
    codes = [number.setdefault(label, len(number)) for sentence in sentences for label in sentence]
    return Column(list(number), np.array(codes, np.int32))
