"""Column files: a token a line, its fields separated by white space, and a blank line after each sentence.

`-DOCSTART-` lines end a sentence, too. Comments are lines `# key = value` before the first token of a sentence, and
there those whose first column somebody has named; any other line that begins with `#` is a token, as column files have
them.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import BinaryIO, ClassVar

import numpy as np

from sstag.chain import _core
from sstag.corpus.blocks import Block, text_with_labels
from sstag.corpus.coding import Coded
from sstag.corpus.column_names import PREDICTED
from sstag.corpus.formats.contract import Input
from sstag.corpus.formats.guess import LINES, is_misread, no_columns, reads_it
from sstag.corpus.formats.prose_guess import HEAD, may_be_prose
from sstag.corpus.sheets import BOM, naming_comments, with_names
from sstag.corpus.text.options import TextOptions
from sstag.corpus.token_lines import token_line_blocks
from sstag.foundation.arrays import Array, Bools, Ints
from sstag.foundation.errors import DataError

DOCSTART = b"-DOCSTART-"
# `# key = value` on one line, as CoNLL-U writes it; `# # B-NP` is a token, and so is `# NN` before `= SYM`
COMMENT = re.compile(rb"#[ \t]+[A-Za-z_][\w.:-]*[ \t]+=(\s|$)")
NO_BREAK_SPACE = "\u00a0"  # stands for a blank within a form: it does not separate columns

SECRET = int.from_bytes(os.urandom(8)) >> 1  # of the core's tables of texts (fields.h)


@dataclass(frozen=True)
class Columns:
    """The format of column files; what is written has `separator` between its columns, or the one of the input."""

    separator: bytes | None = None
    options: TextOptions = field(default_factory=TextOptions)

    fixed: ClassVar[None] = None
    marks: ClassVar[Mapping[str, str | None]] = {}
    cell: ClassVar = re.compile(rb"[^ \t\r\n\v\f]+")  # ASCII white space only: U+00A0 and U+3000 are part of a token
    no_token: ClassVar[None] = None

    def blocks(self, given: Input) -> Iterator[Block]:
        if given.head:  # it is known what the file is
            yield from token_line_blocks(self, given)
            return
        head, faults = bytearray(), 0
        prose = f"is this prose? {reads_it(given.path, 'text')}"

        def seen() -> Iterator[bytes]:
            for piece in given.pieces:
                if len(head) < HEAD:
                    head.extend(piece[:HEAD])
                    if message := no_columns(bytes(head), given.path):
                        raise DataError(message, given.name, 1)
                yield piece

        def told(error: DataError) -> None:
            nonlocal faults
            faults += 1
            assert given.report
            given.report(error)

        try:
            yield from token_line_blocks(self, replace(given, pieces=seen(), report=given.report and told))
        except DataError as error:
            if error.line and error.line <= LINES and may_be_prose(bytes(head)):
                raise DataError(f"{error.message}; {prose}", error.path, error.line) from error
            raise
        if given.report and faults and may_be_prose(bytes(head)):
            given.report(DataError(prose, given.name, 1))

    @cached_property
    def _comments(self) -> tuple[re.Pattern[bytes], Array]:
        """The beginning of comments, and the bytes that begin lines which may be no tokens."""
        named = [text.encode() for text in self.options.comments]
        pattern = b"|".join([COMMENT.pattern, *(re.escape(text) + rb"(?!\S)" for text in named)])
        return re.compile(pattern), np.frombuffer(b"#-" + b"".join(text[:1] for text in named), np.uint8)

    def scanned(self, body: bytes) -> tuple[Ints, Bools]:
        lines = body.count(b"\n") + 1
        begins, widths = np.empty(lines, np.int64), np.empty(lines, np.int32)
        _core.scan_lines(body, begins, widths)
        is_break = widths == 0

        filled = np.flatnonzero(widths)
        byte = np.frombuffer(body, np.uint8)
        comment, firsts = self._comments
        special = filled[np.isin(byte[begins[filled]], firsts)]
        comments = set()
        for line, begin in zip(special.tolist(), begins[special].tolist(), strict=True):
            # A comment stands before the first token of its sentence.
            if (line == 0 or is_break[line - 1] or line - 1 in comments) and comment.match(body, begin):
                comments.add(line)
            elif (
                body.startswith(DOCSTART, begin) and not body[begin + len(DOCSTART) : begin + len(DOCSTART) + 1].strip()
            ):
                is_break[line] = True
        widths[is_break] = 0
        widths[list(comments)] = 0
        return widths, is_break

    def fields(self, body: bytes, rows: Ints, width: int) -> Sequence[Sequence[bytes]]:
        codes, places = np.empty((width, len(rows)), np.int32), np.empty((width, len(rows), 2), np.int64)
        distinct = np.empty(width, np.int64)
        _core.code_fields(body, rows, SECRET, codes, places, distinct)
        return [
            Coded([body[begin:end] for begin, end in some[:count].tolist()], own)
            for own, some, count in zip(codes, places, distinct.tolist(), strict=True)
        ]

    def labelled_text(self, block: Block, labels: Ints, names: Sequence[bytes], name: str) -> bytes:
        """The bytes with the labels in a new last column, whatever the other columns are called."""
        return text_with_labels(block, labels, names)

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        """A column file; lines without a token stay if the block is of one, and otherwise blank ones and names."""
        lines = block.body.split(b"\n")
        between = self.separator or block.separator
        cells = [block.fields[block.column(name)] for name in names]
        blank, place = b" ", NO_BREAK_SPACE.encode()
        for row, values in zip(block.rows.tolist(), zip(*cells, strict=True), strict=True):
            end = b"\r" if lines[row].endswith(b"\r") else b""
            lines[row] = between.join(value.replace(blank, place) for value in values) + end
        if not isinstance(block.format, Columns):
            tokens = set(block.rows.tolist())
            for sentence, said in enumerate(block.heads.sentences if block.heads else ()):
                row = block.rows[block.offsets[sentence]]
                lines[row] = "".join(f"{comment}\n" for comment in said.comments).encode() + lines[row]
            lines = [line for row, line in enumerate(lines) if row in tokens or not line.strip()]
        text = block.text_of(lines)
        return told_apart(with_names(text, names, block.columns), names) if block.first_line == 1 else text


def told_apart(text: bytes, columns: Sequence[str]) -> bytes:
    """A column file, behind comments that name its columns if a reader would take it for another format."""
    if not columns or not is_misread(text[:HEAD]):
        return text
    mark = text[: len(BOM)] if text.startswith(BOM) else b""
    names = naming_comments(columns, columns[-1] if len(columns) > 1 else PREDICTED)
    return mark + names.encode() + text.removeprefix(mark)


def columns_of(block: Block) -> tuple[str, ...]:
    """The columns by which the lines of a block are told apart from another format, if they are of a column file."""
    return block.columns if isinstance(block.format, Columns) else ()


class ColumnOutput:
    """A column file that is written text by text, and told apart from other formats; without columns any file."""

    def __init__(self, out: BinaryIO, columns: Sequence[str]) -> None:
        self._out, self._columns = out, columns
        self._head: bytearray | None = bytearray()  # until its bytes are enough to tell the format

    def write(self, text: bytes) -> None:
        if self._head is None:
            self._out.write(text)
            return
        self._head += text
        if len(self._head) >= HEAD:
            self.flush()

    def flush(self) -> None:
        """Writes the bytes that were kept back, after which all others follow at once."""
        if self._head is not None:
            self._out.write(told_apart(bytes(self._head), self._columns))
            self._head = None


COLUMNS = Columns()
