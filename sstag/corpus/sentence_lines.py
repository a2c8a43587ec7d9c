"""Files with a sentence a line: each line is written as columns, of which the reader of columns makes blocks.

The lines that are told, of tokens and of faults, are those of the file and not those of the columns.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.formats.columns import COLUMNS
from sstag.corpus.formats.contract import Input
from sstag.foundation.errors import DataError


def sentence_line_blocks(given: Input, rows: Callable[[bytes], list[bytes]]) -> Iterator[Block]:
    """The blocks of a file with a sentence a line.

    `rows` makes one line of columns for each token of a sentence; what it says of a fault needs no path and no line.
    """
    name, report = given.name, given.report
    numbers: list[int] = []  # for each line of the columns, the line of the file that it was made of

    def placed(error: DataError) -> DataError:
        return DataError(error.message, name, numbers[error.line - 1] if error.line else None)

    def columns() -> Iterator[bytes]:
        first = 1
        for lines in _whole_lines(given.pieces):
            made = bytearray()
            for number, line in enumerate(lines, first):
                try:
                    tokens = _tokens(rows(line))
                except DataError as error:
                    if report is None:
                        yield bytes(made)  # from a stream the sentences before the fault come first
                        numbers.append(number)
                        raise DataError(error.message, name, len(numbers)) from error
                    report(DataError(error.message, name, number))
                    continue
                made += b"".join(row + b"\n" for row in [*tokens, b""])
                numbers.extend([number] * (len(tokens) + 1))
            yield bytes(made)
            first += len(lines)

    told = None if report is None else lambda error: report(placed(error))
    try:
        for block in COLUMNS.blocks(replace(given, pieces=columns(), report=told)):
            if len(block.lines):
                first, last = int(block.lines[0]), int(block.lines[-1])
                block = replace(block, lines=np.array(numbers[first - 1 : last], np.int64)[block.lines - first])
            yield block
    except DataError as error:
        raise placed(error) from error


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines of a file that end in each of its pieces, and at last the one without an end."""
    unfinished: list[bytes] = []
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        if ended:
            ended[0] = b"".join([*unfinished, ended[0]])
            unfinished = []
            yield ended
        unfinished.append(rest)
    if last := b"".join(unfinished):
        yield [last]


def _tokens(rows: list[bytes]) -> list[bytes]:
    """The rows of a sentence, of which the reader of columns must see each as a token."""
    widths, _ = COLUMNS.scanned(b"\n".join(rows))
    for row, width in zip(rows, widths.tolist(), strict=False):  # no rows are an empty line
        if not width:
            said = row.decode(errors="replace").replace("\t", " ")
            raise DataError(f"'{said}' cannot be a token: in columns it is a mark or a comment")
    return rows
