"""A choice as it is written: a column file to annotate, or JSON lines with scores.

In columns each sentence stands as in the pool, but its label column is open. The last column has the label that a model
would give; if spans are asked for, only at their tokens. If the sheet is prefilled, these labels stand in the label
column, too, and are accepted by leaving them. Comments name the columns, the sentence of the pool, the score, the
tokens asked for, and the document of the sentence as the pool names it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from sstag.corpus.column_names import PREDICTED
from sstag.corpus.corpus import Corpus, selected
from sstag.corpus.formats.columns import NO_BREAK_SPACE
from sstag.corpus.formats.jsonl import json_line
from sstag.corpus.sheets import naming_comments
from sstag.corpus.text.document_comments import name_text, text_said
from sstag.corpus.text.json_spans import id_written
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import Over
from sstag.model.model import Model
from sstag.model.runs import asked_in_runs
from sstag.selection.choosing import Choice


@dataclass(frozen=True)
class Origin:
    """Where a sentence is from: its number in its file, from 1, comments that name it, and the file of several."""

    number: int
    comments: Sequence[str] = ()
    file: str | None = None


def numbered(sentence: int) -> Origin:
    """The origin of a sentence of one file without names."""
    return Origin(sentence + 1)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The sentences of a choice, in its order, and the columns to write of them."""

    corpus: Corpus
    choice: Choice
    label: str
    mark: str  # for what is open
    suggested: Sequence[str] | None  # a model's label of every token of the pool that is written
    prefilled: bool = False  # whether suggestions stand in the label column
    origin: Callable[[int], Origin] = numbered

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, the model's one last."""
        return sheet_columns(self.corpus, self.label)[: None if self.suggested else -1]


def sheet_columns(corpus: Corpus, label: str) -> tuple[str, ...]:
    """The columns that a sheet of a pool can have: those of the pool, the label if it has none, and the suggestion."""
    names = corpus.columns if label in corpus.columns else (*corpus.columns, label)
    if PREDICTED in names:
        raise DataError(f"a column is called '{PREDICTED}', as the one for suggestions is", corpus.path)
    return (*names, PREDICTED)


def suggestions(model: Model, corpus: Corpus, choice: Choice, over: Over) -> list[str]:
    """The model's labels of the tokens of the chosen sentences; nothing for others."""
    chosen = np.zeros(corpus.sentences, bool)
    chosen[choice.candidates.sentence] = True
    part = selected(corpus, chosen)
    labels: list[Ints] = asked_in_runs(model, part, over, lambda first, lattice: lattice.viterbi()[0])
    texts = np.full(corpus.tokens, "", object)
    texts[np.repeat(chosen, np.diff(corpus.offsets))] = [model.labels[y] for one in labels for y in one.tolist()]
    result: list[str] = texts.tolist()
    return result


def column_text(sheet: Sheet) -> Iterator[str]:
    """The sheet as a column file, sentence by sentence; spans of one sentence stand together."""
    yield naming_comments(sheet.columns, sheet.label)
    offsets = sheet.corpus.offsets.tolist()
    where = sheet.choice.candidates
    asked: dict[int, list[int]] = {}
    for index, sentence in enumerate(where.sentence.tolist()):
        asked.setdefault(sentence, []).append(index)
    for sentence, ones in asked.items():
        begin, end = offsets[sentence : sentence + 2]
        origin = sheet.origin(sentence)
        lines = [f"# file = {name_text(origin.file)}"] if origin.file else []
        lines += [f"# sentence = {origin.number}"]
        if sheet.choice.scores is not None:
            lines += [f"# score = {' '.join(f'{sheet.choice.scores[one]:.6g}' for one in ones)}"]
        tokens = where.where(np.array(ones)).tokens.tolist()
        spans = [(int(where.first[one]), int(where.stop[one])) for one in ones]
        if where.asked is not None:
            spans = list(_runs(tokens))
        if not where.whole or where.asked is not None:
            lines += [f"# asked = {' '.join(f'{first - begin + 1}-{stop - begin}' for first, stop in spans)}"]
        lines += origin.comments
        open_ones = set(tokens)
        lines += ["\t".join(_cells(sheet, token, token in open_ones)) for token in range(begin, end)]
        yield "\n".join(lines) + "\n\n"


def _runs(tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbours as one span each, first and stop."""
    for _, together in groupby(enumerate(tokens), lambda one: one[1] - one[0]):
        places = [token for _, token in together]
        yield places[0], places[-1] + 1


def _cells(sheet: Sheet, token: int, asked: bool) -> Iterator[str]:
    labelled = sheet.choice.candidates.asked is not None  # what is not asked for has the model's label
    for name in sheet.columns:
        if name == sheet.label:
            taken = (labelled and not asked) or (sheet.prefilled and asked)
            yield sheet.suggested[token] if taken and sheet.suggested else sheet.mark
        elif name == PREDICTED:
            assert sheet.suggested
            yield sheet.suggested[token] if asked or labelled else sheet.mark
        else:
            yield _text(sheet.corpus, name, token).replace(" ", NO_BREAK_SPACE)


def _text(corpus: Corpus, name: str, token: int) -> str:
    column = corpus.columns.index(name)
    values: list[str] = corpus.values[column]
    return values[int(corpus.codes[column][token])]


def json_text(sheet: Sheet) -> Iterator[str]:
    """A JSON object for each of the chosen: its sentence, line and score, the tokens asked for, and the columns."""
    corpus, where = sheet.corpus, sheet.choice.candidates
    names = [name for name in sheet.columns if name not in (sheet.label, PREDICTED)]
    for one, sentence in enumerate(where.sentence.tolist()):
        begin, end = corpus.offsets[sentence : sentence + 2].tolist()
        origin = sheet.origin(sentence)
        said: dict[str, object] = {"file": origin.file} if origin.file else {}
        said |= {"sentence": origin.number, "line": int(corpus.lines[begin])}
        if (name := next((text_said(line.encode()) for line in origin.comments), None)) is not None:
            said["id"] = id_written(name)
        if sheet.choice.scores is not None:
            score = float(sheet.choice.scores[one])
            said["score"] = score if math.isfinite(score) else None  # JSON has no infinity
        if not where.whole:
            said |= {"first": int(where.first[one]) - begin + 1, "last": int(where.stop[one]) - begin}
        if where.asked is not None:
            said["asked"] = (np.flatnonzero(where.asked[begin:end]) + 1).tolist()
        said |= {name: [_text(corpus, name, token) for token in range(begin, end)] for name in names}
        if sheet.suggested:
            said[PREDICTED] = sheet.suggested[begin:end]
        yield json_line(said)
