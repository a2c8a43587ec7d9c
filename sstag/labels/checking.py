"""The report of `sstag check` on a file: counts, mistakes, and places that may be mistakes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import joined, read_blocks
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import DataError
from sstag.labels.column import Annotation, annotation, impossible
from sstag.labels.inconsistencies import text_around, variations
from sstag.labels.marks import Marks

LONG = 10  # a sentence this many times as long as the median is worth a look


@dataclass(frozen=True)
class Finding:
    """A mistake, or (if `error` is false) a place worth a look."""

    error: bool
    message: str
    line: int | None = None


@dataclass
class Report:
    """Counts and findings of one file."""

    path: str
    sentences: int = 0
    tokens: int = 0
    columns: tuple[str, ...] = ()
    labels: dict[str, int] = field(default_factory=dict)  # tokens decided for each label, most frequent first
    undecided_values: int = 0  # distinct texts that allow several labels
    scheme: str | None = None
    ambiguous: int = 0  # tokens with several labels, but not all
    unknown: int = 0  # tokens with any label
    lengths: dict[str, int] = field(default_factory=dict)  # shortest, median and longest sentence
    findings: list[Finding] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(finding.error for finding in self.findings)


def checked(path: str, layout: Layout, marks: Marks, scheme: str | None = None) -> Report:
    """The report on a file, which needs no model."""
    faults: list[DataError] = []
    corpus = joined(read_blocks(path, layout, faults.append), path)
    report = Report(corpus.path, corpus.sentences, corpus.tokens, corpus.columns)
    report.findings += [Finding(True, fault.message, fault.line) for fault in faults]
    if not corpus.sentences:
        if not faults:
            report.findings.append(Finding(True, "no sentence in it"))
        return report
    _lengths(corpus, report)
    if layout.label is not None and layout.label in corpus.columns:
        _labels(corpus, layout.label, marks, scheme, report)
    return report


def mistaken_labels(corpus: Corpus, label: str, marks: Marks) -> list[str]:
    """A line on the labels of a column that are no tags of its scheme, and one on those that are ill-formed in it."""
    column = corpus.column(label)
    codes, line_of = corpus.codes[column], partial(corpus.first_place, column)
    read = annotation(corpus.values[column], codes, corpus.offsets, marks, None, line_of)
    lines = []
    if read.strangers:
        strange = np.flatnonzero(np.isin(read.sets.single, [read.sets.labels.index(name) for name in read.strangers]))
        tokens = np.flatnonzero(np.isin(codes, strange))
        if len(tokens):
            name = read.sets.labels[read.sets.single[codes[tokens[0]]]]
            lines.append(_first_of(corpus, tokens, f"'{name}' is no {read.tags.scheme.upper()} tag"))
    if len(tokens := impossible(read, codes, corpus.offsets)):
        lines.append(_first_of(corpus, tokens, _between(corpus, column, read, int(tokens[0]))))
    return lines


def _first_of(corpus: Corpus, tokens: Longs, message: str) -> str:
    path, line = corpus.place(int(tokens[0]))
    more = f", the first of {len(tokens):,} such labels" if len(tokens) > 1 else ""
    return f"{path}:{line}: {message}{more}"


def _lengths(corpus: Corpus, report: Report) -> None:
    lengths = np.diff(corpus.offsets)
    median = int(np.median(lengths))
    report.lengths = {"shortest": int(lengths.min()), "median": median, "longest": int(lengths.max())}
    for sentence in np.flatnonzero(lengths > LONG * max(median, LONG)).tolist():
        line = int(corpus.lines[corpus.offsets[sentence]])
        report.findings.append(
            Finding(False, f"a sentence of {lengths[sentence]:,} tokens (the median is {median})", line)
        )


def _labels(corpus: Corpus, label: str, marks: Marks, scheme: str | None, report: Report) -> None:
    column = corpus.column(label)
    codes = corpus.codes[column]
    line_of = partial(corpus.first_place, column)
    read = annotation(corpus.values[column], codes, corpus.offsets, marks, scheme, line_of)
    sets, single = read.sets, read.sets.single
    counts = np.bincount(codes, minlength=len(single))
    totals = np.bincount(single[single >= 0], counts[single >= 0], minlength=len(sets.labels)).astype(int)
    order = [index for index in np.argsort(-totals, kind="stable") if totals[index]]
    report.labels = {sets.labels[index]: int(totals[index]) for index in order}
    report.undecided_values = int((single < 0).sum())
    _, report.ambiguous, report.unknown = sets.tallied(codes)
    report.scheme = read.tags.scheme
    report.findings += _odd(corpus, codes, read)
    report.findings += _ill_formed(corpus, column, read)
    report.findings += _variation(corpus, sets.labels, read.single[codes])


def _odd(corpus: Corpus, codes: Ints, read: Annotation) -> Iterator[Finding]:
    """Findings about labels that do not fit the scheme or contain a mark."""
    sets, scheme = read.sets, read.tags.scheme

    def first_line(name: str) -> int | None:
        values = np.flatnonzero(sets.single == sets.labels.index(name))
        return int(corpus.lines[np.isin(codes, values)][0]) if len(values) else None

    for name in read.strangers:
        yield Finding(True, f"'{name}' is no {scheme.upper()} tag", first_line(name))
    alone = {one.value for one in sets.written}
    for index, one in enumerate(sets.written):
        if missing := [part for part in one.alternatives if part not in alone and len(one.alternatives) > 1]:
            line = int(corpus.lines[np.flatnonzero(codes == index)[0]])
            said = f"'{one.value}' is read as a set of labels, and '{missing[0]}' stands nowhere alone"
            yield Finding(False, f"{said}: if it is one label, --no-marks", line)
    for name in sets.marked:
        yield Finding(False, f"the label '{name}' contains a mark, and was read as it is", first_line(name))


def _ill_formed(corpus: Corpus, column: int, read: Annotation) -> Iterator[Finding]:
    """A finding for each token whose label cannot stand between those of its neighbours."""
    for token in impossible(read, corpus.codes[column], corpus.offsets).tolist():
        yield Finding(True, _between(corpus, column, read, token), int(corpus.lines[token]))


def _between(corpus: Corpus, column: int, read: Annotation, token: int) -> str:
    """An ill-formed label between those of its neighbours, in words."""
    codes, values, offsets = corpus.codes[column], corpus.values[column], corpus.offsets
    first, last = (offsets[np.searchsorted(offsets, place)] == place for place in (token, token + 1))
    before = "the beginning" if first else values[codes[token - 1]]
    after = "the end" if last else values[codes[token + 1]]
    return f"{values[codes[token]]} between {before} and {after} is ill-formed in {read.tags.scheme.upper()}"


def _variation(corpus: Corpus, labels: Sequence[str], decided: Ints) -> Iterator[Finding]:
    """A finding for each word that has several labels in the same context."""
    column = corpus.word_column
    for one in variations(corpus, column, decided):
        lines = corpus.lines[one.tokens].tolist()
        *others, here = [
            f"{labels[label]} ×{times} (line {line})"
            for label, times, line in zip(one.labels.tolist(), one.times.tolist(), lines, strict=True)
        ]
        word = corpus.values[column][corpus.codes[column][one.tokens[-1]]]
        text = text_around(corpus, column, int(one.tokens[-1]))
        message = f"'{word}' in '{text}' is {here.partition(' ')[0]} here, elsewhere {', '.join(others)}"
        yield Finding(False, message, lines[-1])
