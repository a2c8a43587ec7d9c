"""Blocks that are made of sentences instead of lines: of files whose sentences do not stand there as columns.

The lines of such a block are a column file with the same content; the lines that are told of its tokens are those of
the file that was read.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.formats.columns import COLUMNS, COMMENT, DOCSTART, told_apart
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import DataError
from sstag.foundation.ranges import offsets_of

BLOCK = 2**16  # tokens of a block


@dataclass(frozen=True)
class Made:
    """A sentence: the line that it stands on, comments before it, and a value per token for each column.

    Without columns there are only the comments, such as those of a document without a word.
    """

    line: int
    cells: Sequence[Sequence[str]]
    comments: Sequence[str] = ()


@dataclass
class _Gathered:
    sentences: list[Made] = field(default_factory=list)
    tokens: int = 0


def made_blocks(
    path: str, columns: Sequence[str], sentences: Iterable[Made], stream: bool, size: int = BLOCK
) -> Iterator[Block]:
    """The blocks of some sentences; a stream's as soon as a sentence is there."""
    gathered, line = _Gathered(), 1
    for sentence in sentences:
        gathered.sentences.append(sentence)
        gathered.tokens += len(sentence.cells[0]) if sentence.cells else 0
        if gathered.tokens >= size or stream:
            block = _block(path, columns, gathered, line)
            line += block.text.count(b"\n")
            yield block
            gathered = _Gathered()
    if gathered.sentences:
        yield _block(path, columns, gathered, line)


def _block(path: str, columns: Sequence[str], gathered: _Gathered, line: int) -> Block:
    filled = [sentence for sentence in gathered.sentences if sentence.cells]
    lengths = [len(sentence.cells[0]) for sentence in filled]
    fields = []
    for place in range(len(columns)):
        values = list(chain.from_iterable(sentence.cells[place] for sentence in filled))
        joined = " ".join(values).encode()
        found = joined.split()
        if len(found) != len(values) or b"\0" in joined:
            raise _no_value(path, columns[place], place, filled)
        fields.append(found)
    lines: list[str] = []  # of which a sentence is one
    rows: list[Ints] = [np.zeros(0, np.int32)]
    count = 0
    for sentence in gathered.sentences:
        lines += sentence.comments
        count += len(sentence.comments)
        if sentence.cells:
            length = len(sentence.cells[0])
            for begin in range(0, length, BLOCK):
                some = [column[begin : begin + BLOCK] for column in sentence.cells]
                made = list(map("\t".join, zip(*some, strict=True)))
                _check_lines(path, sentence, made, begin == 0)
                lines.append("\n".join(made))
            rows.append(np.arange(count, count + length, dtype=np.int32))
            count += length
        lines.append("")
        count += 1
    made_text = "\n".join([*lines, ""]).encode()
    text = told_apart(made_text, columns) if line == 1 else made_text
    named = text[: len(text) - len(made_text)].count(b"\n")  # lines of comments before the first sentence
    return Block(
        text=text,
        path=path,
        first_line=line,
        columns=tuple(columns),
        fields=fields,
        rows=np.concatenate(rows) + named,
        lines=np.repeat(np.array([sentence.line for sentence in filled], np.int64), lengths),
        offsets=offsets_of(np.array(lengths, np.int64)),
        separator=b"\t",
        format=COLUMNS,
    )


def _no_value(path: str, column: str, place: int, sentences: Sequence[Made]) -> DataError:
    """The error for the first value that cannot stand in a column."""
    for sentence in sentences:
        for token, value in enumerate(sentence.cells[place], 1):
            if value.encode().split() != [value.encode()] or "\0" in value:
                what = "is empty" if not value else f"'{value}' has blanks or control characters"
                return DataError(f"'{column}' of token {token} {what}: no column can hold it", path, sentence.line)
    raise AssertionError("every value can stand in a column")


def _check_lines(path: str, sentence: Made, lines: Sequence[str], begin: bool) -> None:
    """Refuses tokens that a reader of the column file would take for something else; a comment only at the begin."""
    first = lines[0]
    wrong = first if begin and first.startswith("#") and COMMENT.match(first.encode()) else None
    mark = DOCSTART.decode()
    wrong = wrong or next((line for line in lines if line.startswith(mark) and line.split()[0] == mark), None)
    if wrong:
        said = wrong.replace("\t", " ")
        raise DataError(f"'{said}' cannot be a token: in columns it is a mark or a comment", path, sentence.line)
