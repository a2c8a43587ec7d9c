"""What `sstag check` finds in a corpus: counts, mistakes, and what looks like one."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sstag.conll import Corpus, Layout, joined, read_blocks
from sstag.dataset import annotated
from sstag.errors import DataError
from sstag.labels import LabelSets, Marks
from sstag.tags import guessed_scheme, ill_formed, tagset

Codes = NDArray[np.int32]

WINDOW = 2  # tokens to each side that make two places the same text
LONG = 10  # a sentence this many times as long as the median is worth a look


@dataclass(frozen=True)
class Finding:
    """A mistake, or (`error` false) something worth a look."""

    error: bool
    message: str
    line: int | None = None


@dataclass
class Report:
    """What one file holds."""

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
    """Everything about a file that can be said without a model."""
    faults: list[DataError] = []
    corpus = joined(read_blocks(path, layout, faults.append), path)
    report = Report(corpus.path, corpus.sentences, corpus.tokens, corpus.columns)
    report.findings += [Finding(True, fault.message, fault.line) for fault in faults]
    if not corpus.sentences:
        report.findings.append(Finding(True, "no sentence in it"))
        return report
    _lengths(corpus, report)
    if layout.label is not None and layout.label in corpus.columns:
        sets, codes = annotated(corpus, layout.label, marks)
        _labels(corpus, sets, codes, scheme, report)
        report.findings += _variation(corpus, sets, codes)
    return report


def _lengths(corpus: Corpus, report: Report) -> None:
    lengths = np.diff(corpus.offsets)
    median = int(np.median(lengths))
    report.lengths = {"shortest": int(lengths.min()), "median": median, "longest": int(lengths.max())}
    for sentence in np.flatnonzero(lengths > LONG * max(median, LONG)).tolist():
        line = int(corpus.lines[corpus.offsets[sentence]])
        report.findings.append(
            Finding(False, f"a sentence of {lengths[sentence]:,} tokens (the median is {median})", line)
        )


def _labels(corpus: Corpus, sets: LabelSets, codes: Codes, scheme: str | None, report: Report) -> None:
    counts = np.bincount(codes, minlength=len(sets.candidates))
    single = sets.single
    totals = np.bincount(single[single >= 0], counts[single >= 0], minlength=len(sets.labels)).astype(int)
    order = np.argsort(-totals, kind="stable")
    report.labels = {sets.labels[index]: int(totals[index]) for index in order}
    report.undecided_values = int((single < 0).sum())
    report.unknown = int(counts[sets.unknown].sum())
    report.ambiguous = int(counts[single < 0].sum()) - report.unknown

    decided = single.astype(np.int32)[codes]
    report.scheme = scheme or guessed_scheme(sets.labels, decided, corpus.offsets)
    tags = tagset(sets.labels, report.scheme)
    wrong = ill_formed(tags, decided, corpus.offsets)
    begins = np.isin(wrong, corpus.offsets)
    for token, at_begin in zip(wrong.tolist(), begins.tolist(), strict=True):
        here = sets.labels[decided[token]] if decided[token] >= 0 else "undecided"
        before = "the beginning of the sentence" if at_begin else _name(sets, decided[token - 1])
        legal = tags.legal[len(sets.labels) if at_begin else decided[token - 1], decided[token]]
        what = f"{here} after {before}" if not legal else f"{here} at the end of the sentence"
        report.findings.append(
            Finding(True, f"{what} is ill-formed in {report.scheme.upper()}", int(corpus.lines[token]))
        )
    for label in sets.marked:
        value = np.flatnonzero(single == sets.labels.index(label))
        first = np.flatnonzero(np.isin(codes, value))
        line = int(corpus.lines[first[0]]) if len(first) else None
        report.findings.append(Finding(False, f"the label '{label}' contains a mark, and was read as it is", line))
    for label, total in report.labels.items():
        if total == 0 and report.unknown + report.ambiguous > 0:
            report.findings.append(Finding(False, f"the label '{label}' occurs in undecided sets only"))


def _name(sets: LabelSets, code: int) -> str:
    return sets.labels[code] if code >= 0 else "an undecided label"


def _variation(corpus: Corpus, sets: LabelSets, codes: Codes) -> Iterator[Finding]:
    """Places with the same words, WINDOW to each side included, but different labels (Dickinson & Meurers 2003)."""
    words = corpus.codes[corpus.column("form") if "form" in corpus.columns else 0].astype(np.int64)
    starts, stops = (np.repeat(bound, np.diff(corpus.offsets)) for bound in (corpus.offsets[:-1], corpus.offsets[1:]))
    context = words
    for distance in (*range(-WINDOW, 0), *range(1, WINDOW + 1)):
        place = np.arange(len(words)) + distance
        inside = (place >= starts) & (place < stops)
        beside = np.where(inside, words[np.clip(place, 0, len(words) - 1)], words.max() + 1)
        _, context = np.unique(context * (words.max() + 2) + beside, return_inverse=True)
    decided = sets.single[codes]
    known = np.flatnonzero(decided >= 0)
    count = len(sets.labels)
    pairs, first, times = np.unique(context[known] * count + decided[known], return_index=True, return_counts=True)
    sizes = np.unique_counts(pairs // count).counts
    bounds = np.cumsum([0, *sizes])
    texts = corpus.values[corpus.columns.index("form") if "form" in corpus.columns else 0]
    for group in np.flatnonzero(sizes > 1).tolist():
        members = slice(bounds[group], bounds[group + 1])
        order = np.argsort(-times[members], kind="stable")
        tokens = known[first[members][order]]
        shown = ", ".join(
            f"{sets.labels[pairs[members][i] % count]} ×{times[members][i]}"
            + (f" (line {corpus.lines[known[first[members][i]]]})" if i != order[-1] else "")
            for i in order
        )
        place = int(tokens[-1])
        text = " ".join(
            texts[words[t]] for t in range(max(place - WINDOW, starts[place]), min(place + WINDOW + 1, stops[place]))
        )
        word = texts[words[place]]
        yield Finding(False, f"'{word}' in '{text}' is labelled differently: {shown}", int(corpus.lines[place]))
