"""Lists of spans, and the label column that follows from them and from nothing else.

A line names a chunk: sentence, first token, last token (all counted from 1) and type, with tabs between them; or
sentence, words and type, for every place in the sentence where these words stand. `!type` says that no such chunk is
there, `-` is the type of chunks that have none. Lines that begin with # are left out.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Bools, Ints
from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.foundation.tab_lists import read_rows
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import Tagset, labels_of_types, possible_labels, tagset
from sstag.labels.span_sets import Span, allowed_labels

REJECTED, NO_TYPE = "!", "-"
MOST_TYPES = 1000
MOST_CELLS = 2**27  # tokens × spans × labels of a sentence


@dataclass(frozen=True)
class SpanLine:
    """A line of a list: a sentence, from 1, and tokens or words in it."""

    line: int
    sentence: int
    tokens: tuple[int, int] | None  # the first, and the one after the last, from 0
    words: tuple[str, ...]
    type: str
    accepted: bool


@dataclass(frozen=True)
class SpanList:
    """The lines of a list."""

    path: str
    digest: str
    lines: tuple[SpanLine, ...]

    @property
    def by_sentence(self) -> dict[int, list[SpanLine]]:
        """The lines of each sentence, from 1."""
        lines: dict[int, list[SpanLine]] = {}
        for line in self.lines:
            lines.setdefault(line.sentence, []).append(line)
        return lines


@dataclass(frozen=True)
class SpanLabels:
    """A label column that follows from spans, the number of rejected spans, and those of them it does not rule out."""

    texts: tuple[str, ...]  # the distinct values of the column
    codes: Ints  # (T,)
    rejected: int
    left: tuple[Span, ...]  # their tokens counted from the beginning of the text


def read_spans(path: str) -> SpanList:
    """The list in a file."""
    rows = read_rows(path)
    return SpanList(rows.path, rows.digest, rows.entries(_line))


def _line(number: int, cells: Sequence[str]) -> SpanLine:
    if len(cells) not in (3, 4) or not all(cells):
        raise ConfigError("a line is sentence, first token, last token, type, or sentence, words, type; tabs between")
    tokens = None
    if len(cells) == 4:
        tokens = (_number(cells[1]) - 1, _number(cells[2]))
        if tokens[0] >= tokens[1]:
            raise ConfigError(f"the first token, {cells[1]}, stands after the last, {cells[2]}")
    kind = cells[-1].removeprefix(REJECTED)
    if kind.split() != [kind]:
        raise ConfigError(f"'{cells[-1]}' is no type")
    words = () if tokens else tuple(cells[1].split(" "))
    kind = "" if kind == NO_TYPE else kind
    return SpanLine(number, _number(cells[0]), tokens, words, kind, not cells[-1].startswith(REJECTED))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise ConfigError(f"'{text}' is no number from 1 up")
    return int(text)


def tagset_of(listed: SpanList, scheme: str, named: Sequence[str] = ()) -> Tagset:
    """The labels of the new column: those that are named, or O and all that the scheme has for the list's types."""
    types = dict.fromkeys(line.type for line in listed.lines)
    if len(types) > MOST_TYPES:
        raise DataError(
            f"{len(types):,} different types (at most {MOST_TYPES:,}): does each line end in one?", listed.path
        )
    bare = next((line for line in listed.lines if not line.type), None)
    if scheme == "plain" and bare and not named:
        raise DataError(f"plain labels are types, and '{NO_TYPE}' is none", listed.path, bare.line)
    tags = tagset(named or ["O", *labels_of_types(list(types), scheme)], scheme)
    refuse_types(listed, tags)
    return tagset(possible_labels(tags), scheme)


def refuse_types(listed: SpanList, tags: Tagset) -> None:
    """Raises an error at the first line whose type no label has."""
    for line in listed.lines:
        if line.type not in tags.types:
            hint = nearest(line.type or NO_TYPE, [kind or NO_TYPE for kind in tags.types])
            raise DataError(f"no tag has the type '{line.type or NO_TYPE}'{hint}", listed.path, line.line)


def span_labels(listed: SpanList, tags: Tagset, marks: Marks, corpus: Corpus) -> SpanLabels:
    """The label column that follows from spans: at each token a label, a set of labels, or the mark for any label."""
    if marks.unknown is None:
        raise ConfigError("without a mark for it, an unknown label cannot be written")
    for label in filter(marks.within, tags.labels):
        where = next((line.line for line in listed.lines if line.type and label.endswith(line.type)), None)
        raise DataError(f"'{label}' would not be read as one label, with these marks", listed.path, where)
    texts = {marks.unknown: 0}
    codes = np.zeros(corpus.tokens, np.int32)
    rejected, left = 0, list[Span]()
    for sentence, spans, allowed in placed_spans(listed, corpus, tags):
        length, begin = len(allowed), int(corpus.offsets[sentence - 1])
        said = (allowed != allowed_labels(tags, length, [])).any(axis=1)
        for span in spans:
            said[span.first : span.stop] |= span.accepted
        for token in np.flatnonzero(said).tolist():
            text = marks.written([tags.labels[y] for y in np.flatnonzero(allowed[token])])
            codes[begin + token] = texts.setdefault(text, len(texts))
        for span in spans:
            if not span.accepted:
                rejected += 1
                if allowed_labels(tags, length, [replace(span, accepted=True)], allowed).any():
                    left.append(replace(span, first=begin + span.first, stop=begin + span.stop))
    return SpanLabels(tuple(texts), codes, rejected, tuple(left))


def placed_spans(listed: SpanList, corpus: Corpus, tags: Tagset) -> Iterator[tuple[int, list[Span], Bools]]:
    """The sentences of a list, from 1, with their spans and the labels that these allow at each token."""
    for sentence, lines in listed.by_sentence.items():
        spans = [(line, span) for line in lines for span in _located(line, listed, corpus, tags)]
        length = int(corpus.offsets[sentence] - corpus.offsets[sentence - 1])
        if length * len(spans) * len(tags.labels) > MOST_CELLS:
            raise DataError(f"too many spans for sentence {sentence:,}", listed.path, lines[0].line)
        yield sentence, [span for _, span in spans], _agreeing(listed, tags, length, spans)


def _located(line: SpanLine, listed: SpanList, corpus: Corpus, tags: Tagset) -> Iterator[Span]:
    """The spans that a line stands for: one, or every place in the sentence where its words stand."""
    kind = tags.types.index(line.type)
    if line.sentence > corpus.sentences:
        message = f"there is no sentence {line.sentence:,}: {corpus.path} has {corpus.sentences:,}"
        raise DataError(message, listed.path, line.line)
    words = corpus.words(corpus.columns[corpus.word_column], line.sentence - 1)
    if line.tokens:
        if line.tokens[1] > len(words):
            message = f"there is no token {line.tokens[1]:,}: sentence {line.sentence:,} has {len(words):,}"
            raise DataError(message, listed.path, line.line)
        yield Span(*line.tokens, kind, line.accepted)
        return
    size, first, found = len(line.words), 0, False
    while first + size <= len(words):
        here = tuple(words[first : first + size]) == line.words
        if here:
            yield Span(first, first + size, kind, line.accepted)
            found = True
        first += size if here else 1
    if not found:
        message = f"sentence {line.sentence:,} does not have the words '{' '.join(line.words)}'"
        raise DataError(message, listed.path, line.line)


def _agreeing(listed: SpanList, tags: Tagset, length: int, spans: Sequence[tuple[SpanLine, Span]]) -> Bools:
    """The labels that all spans allow; spans that contradict one another are an error at the first that does."""
    allowed = allowed_labels(tags, length, [span for _, span in spans])
    if allowed.any():
        return allowed
    first = bisect_left(range(len(spans)), True, key=lambda end: not _possible(tags, length, spans[: end + 1]))
    line = spans[first][0]
    if _possible(tags, length, spans[first : first + 1]):
        raise DataError(f"contradicts the lines before it on sentence {line.sentence:,}", listed.path, line.line)
    raise DataError(f"nothing well-formed in {tags.scheme.upper()} says this", listed.path, line.line)


def _possible(tags: Tagset, length: int, spans: Iterable[tuple[SpanLine, Span]]) -> bool:
    return bool(allowed_labels(tags, length, [span for _, span in spans]).any())
