"""Blocks: runs of whole sentences of a file with their bytes, and these bytes with other values in a column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sstag.corpus.coding import Coder
from sstag.corpus.column_names import PREDICTED, place_of
from sstag.corpus.sheets import BOM, further, with_names
from sstag.foundation.arrays import Bools, Ints, Longs

if TYPE_CHECKING:
    from sstag.corpus.formats.contract import LineFormat
    from sstag.corpus.text.sentence_heads import BlockHeads

IS_SPACE = np.zeros(256, bool)
IS_SPACE[list(b" \t\r\n\v\f")] = True


@dataclass(frozen=True)
class Block:
    """A run of whole sentences of a file: its bytes, the fields of its tokens, and the lines that they stand on."""

    text: bytes
    path: str
    first_line: int  # the number in the file of the first line of `text`
    columns: tuple[str, ...]
    fields: Sequence[Sequence[bytes]]  # one per column, each (T,)
    rows: Ints  # (T,) the line of `text` each token stands on, from 0
    lines: Longs  # (T,) the line of the file each token stands on, from 1
    offsets: Longs  # (S + 1,) sentence s is tokens offsets[s]:offsets[s + 1]
    separator: bytes  # what stands between the columns of the file's first token
    format: "LineFormat"
    heads: "BlockHeads | None" = None  # what comments say of its sentences, if somebody looked

    @property
    def body(self) -> bytes:
        """The bytes without a byte order mark."""
        return self.text.removeprefix(BOM) if self.first_line == 1 else self.text

    def text_of(self, lines: Sequence[bytes]) -> bytes:
        """The bytes of the block with these lines in place of its own; a byte order mark stays."""
        return self.text[: len(self.text) - len(self.body)] + b"\n".join(lines)

    def column(self, name: str) -> int:
        return place_of(name, self.columns, self.path)

    @property
    def lengths(self) -> list[int]:
        """How many tokens each sentence has."""
        lengths: list[int] = np.diff(self.offsets).tolist()
        return lengths

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
    def between(self) -> list[bytes]:
        """The lines before each sentence, in which comments stand, and at last those after the last one."""
        firsts, after = self.spans if len(self.rows) else ([], [])
        begins = self.line_starts[[0, *after]].tolist()
        begins[0] = len(self.text) - len(self.body)
        ends = self.line_starts[[*firsts, -1]].tolist()
        return [self.text[begin:end] for begin, end in zip(begins, ends, strict=True)]

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
            heads=self.heads and self.heads.part(sentences),
        )


def text_with(block: Block, values: Sequence[bytes], column: str | None = None, added: str = PREDICTED) -> bytes:
    """The block's bytes with `values` in a column: a named one, or a new last one, which a sheet calls `added`."""
    if column is None:
        coder = Coder()
        return text_with_labels(block, coder.of(values), list(coder), added)
    lines = block.body.split(b"\n")
    index = block.column(column)
    if block.format.fixed and index >= len(block.format.fixed.names):  # it stands within another column
        coder = Coder()
        return block.format.labelled_text(block, coder.of(values), list(coder), column)
    for row, old, new in zip(block.rows.tolist(), block.fields[index], values, strict=True):
        if old != new:
            begin, end = [match.span() for match in block.format.cell.finditer(lines[row])][index]
            lines[row] = lines[row][:begin] + new + lines[row][end:]
    return block.text_of(lines)


def text_with_labels(block: Block, labels: Ints, names: Sequence[bytes], called: str = PREDICTED) -> bytes:
    """The block's bytes with the name of each label in a new last column, which a sheet calls so.

    All lines are done at once: where a name goes is found first, and then names and old bytes are put in their places.
    """
    last, drop = _ends(block)
    added = [block.separator + name for name in names]
    sizes = np.array([len(one) for one in added], np.int64)
    table = np.zeros((len(added), sizes.max(initial=0)), np.uint8)
    for row, one in zip(table, added, strict=True):
        row[: len(one)] = np.frombuffer(one, np.uint8)
    sizes = sizes[labels]
    old = np.frombuffer(block.text, np.uint8)
    if drop is not None:
        last, old = last - np.concatenate([[0], np.cumsum(drop)])[last], old[~drop]
    first = last + np.cumsum(sizes) - sizes
    change = np.zeros(len(old) + int(sizes.sum()) + 1, np.int8)
    change[first] = 1
    change[first + sizes] = -1
    is_new = np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)
    result = np.empty(len(is_new), np.uint8)
    result[is_new] = table[labels][np.arange(table.shape[1]) < sizes[:, None]]
    result[~is_new] = old
    text = result.tobytes()
    if block.first_line > 1:
        return text
    name = further(called, block.columns)
    label = None if called == PREDICTED else name  # a new column of labels is the label
    return with_names(text, [*block.columns, name], block.columns, label)


def _ends(block: Block) -> tuple[Longs, Bools | None]:
    """The place in `text` after the last field of each token, and the blanks behind them, if there are any."""
    text, starts = block.text, block.line_starts
    byte = np.frombuffer(text, np.uint8)
    end = starts[block.rows + 1] - (block.rows < len(starts) - 2)  # without the newline, which the last line lacks
    end -= byte[end - 1] == ord("\r")
    last, drop = end, None
    for token in np.flatnonzero(IS_SPACE[byte[end - 1]]).tolist():
        if drop is None:
            last, drop = end.copy(), np.zeros(len(text), np.bool_)
        begin = int(starts[block.rows[token]])
        last[token] = begin + len(text[begin : end[token]].rstrip())
        drop[last[token] : end[token]] = True
    return last, drop
