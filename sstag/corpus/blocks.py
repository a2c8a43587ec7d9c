"""Blocks: runs of whole sentences of a file with their bytes, and these bytes with other values in a column."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from sstag.corpus.column_names import place_of
from sstag.foundation.arrays import Ints, Longs

if TYPE_CHECKING:
    from sstag.corpus.formats import LineFormat

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """A run of whole sentences of a file: its bytes, the fields of its tokens, and the lines that they stand on."""

    text: bytes
    path: str
    first_line: int  # the number in the file of the first line of `text`
    columns: tuple[str, ...]
    fields: list[list[bytes]]  # one list per column, each (T,)
    rows: Ints  # (T,) the line of `text` each token stands on, from 0
    lines: Longs  # (T,) the line of the file each token stands on, from 1
    offsets: Longs  # (S + 1,) sentence s is tokens offsets[s]:offsets[s + 1]
    separator: bytes  # what stands between the columns of the file's first token
    format: "LineFormat"

    @property
    def body(self) -> bytes:
        """The bytes without a byte order mark."""
        return self.text.removeprefix(BOM) if self.first_line == 1 else self.text

    def text_of(self, lines: Sequence[bytes]) -> bytes:
        """The bytes of the block with these lines in place of its own; a byte order mark stays."""
        return self.text[: len(self.text) - len(self.body)] + b"\n".join(lines)

    def column(self, name: str) -> int:
        return place_of(name, self.columns, self.path)

    @cached_property
    def spans(self) -> tuple[list[int], list[int]]:
        """The first line of each sentence and the line after its last, from 0; comments are outside."""
        first = self.rows[self.offsets[:-1]].tolist()
        stop = (self.rows[self.offsets[1:] - 1] + 1).tolist()
        if no_token := self.format.no_token:  # such lines may stand at either end of a sentence
            lines = self.body.split(b"\n")
            for sentence in range(len(first)):
                while first[sentence] and no_token.match(lines[first[sentence] - 1]):
                    first[sentence] -= 1
                while stop[sentence] < len(lines) and no_token.match(lines[stop[sentence]]):
                    stop[sentence] += 1
        return first, stop

    @cached_property
    def line_starts(self) -> Longs:
        """The place in `text` where each line begins, a byte order mark included, and then the end of the last line."""
        ends = np.flatnonzero(np.frombuffer(self.text, np.uint8) == ord("\n"))
        return np.concatenate([[0], ends + 1, [len(self.text)]])

    def part(self, sentences: slice, lines: slice) -> "Block":
        """The block of some of the sentences, with the lines they stand on."""
        tokens = slice(int(self.offsets[sentences.start]), int(self.offsets[sentences.stop]))
        return replace(
            self,
            text=self.text[self.line_starts[lines.start] : self.line_starts[lines.stop]],
            first_line=self.first_line + lines.start,
            fields=[column[tokens] for column in self.fields],
            rows=self.rows[tokens] - lines.start,
            lines=self.lines[tokens],
            offsets=self.offsets[sentences.start : sentences.stop + 1] - tokens.start,
        )


def text_with(block: Block, values: Sequence[bytes], column: str | None = None) -> bytes:
    """The block's bytes with `values` in a column: a named one, or a new last one."""
    return block.text_of(lines_with(block, values, column))


def lines_with(block: Block, values: Sequence[bytes], column: str | None = None) -> list[bytes]:
    """The lines of the block with `values` in a column: a named one, or a new last one."""
    lines = block.body.split(b"\n")
    rows = block.rows.tolist()
    if column is None:
        kept = map(bytes.rstrip, map(lines.__getitem__, rows))
        longer: Iterable[bytes] = map(add, kept, map(block.separator.__add__, values))
        if b"\r" in block.body:
            ends = [b"\r" if lines[row].endswith(b"\r") else b"" for row in rows]
            longer = map(add, longer, ends)
        for row, line in zip(rows, longer, strict=True):
            lines[row] = line
    else:
        index = block.column(column)
        for row, old, new in zip(rows, block.fields[index], values, strict=True):
            if old != new:
                begin, end = [match.span() for match in block.format.cell.finditer(lines[row])][index]
                lines[row] = lines[row][:begin] + new + lines[row][end:]
    return lines
