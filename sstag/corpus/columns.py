"""Column files: bytes → blocks of whole sentences → a corpus of integer codes.

A file is read in blocks, each a run of whole sentences with its bytes kept as they are, so that any file can be
streamed in bounded memory and written back to the byte. Everything per token is done on whole columns at once:
positions of lines and fields with NumPy, fields with one `split`, codes with one look-up each.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from sstag.corpus.blocks import BOM, NO_TOKEN, Block
from sstag.corpus.corpus import Coder, Corpus
from sstag.corpus.layout import CONLLU, Layout, columns_in_words
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, pieces

BLOCK = 4 * 2**20  # bytes read before a block is cut at its last blank line
LONGEST = 64 * 2**20  # bytes a sentence may take: what is longer has no blank lines, or is no column file
DOCSTART = b"-DOCSTART-"
# `# key = value` on one line, as CoNLL-U writes it; `# # B-NP` is a token, and so is `# NN` before `= SYM`
COMMENT = re.compile(rb"#[ \t]+[A-Za-z_][\w.:-]*[ \t]+=(\s|$)")


def read(path: str, layout: Layout = Layout()) -> Corpus:
    """A whole file as a corpus; a file without a sentence is an error."""
    text = sha256()

    def hashed() -> Iterator[bytes]:
        for piece in pieces(path):
            text.update(piece)
            yield piece

    corpus = joined(read_blocks(path, layout, data=hashed()), path)
    if not corpus.sentences:
        raise DataError("no sentence in it", display_name(path))
    return replace(corpus, digest=text.hexdigest())


def joined(blocks: Iterable[Block], path: str) -> Corpus:
    """Blocks of one file as one corpus."""
    coders: list[Coder] = []
    columns: tuple[str, ...] = ()
    codes: list[list[Ints]] = []
    lengths, lines = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
    for block in blocks:
        if not coders:
            columns = block.columns
            coders, codes = [Coder() for _ in columns], [[] for _ in columns]
        for coder, parts, values in zip(coders, codes, block.fields, strict=True):
            parts.append(coder.of(values))
        lengths.append(np.diff(block.offsets))
        lines.append(block.lines)
    return Corpus(
        path=display_name(path),
        columns=columns,
        values=tuple(coder.texts() for coder in coders),
        codes=tuple(np.concatenate(parts) for parts in codes),
        offsets=np.cumsum(np.concatenate(lengths)),
        lines=np.concatenate(lines),
    )


@dataclass
class _Progress:
    """What reading one file carries from block to block."""

    path: str
    layout: Layout
    line: int = 1
    width: int = 0
    columns: tuple[str, ...] = field(default=())
    separator: bytes = b" "


def read_blocks(
    path: str,
    layout: Layout = Layout(),
    report: Callable[[DataError], None] | None = None,
    data: Iterable[bytes] | None = None,
    stream: bool = False,
) -> Iterator[Block]:
    """A file in blocks of whole sentences, about BLOCK bytes each; a stream's as soon as their blank line arrives.

    The first fault is raised, from a stream after the sentences before it; with `report`, faults of single lines are
    handed over and their sentences left out. `data` are the bytes if they have been read already.
    """
    progress = _Progress(display_name(path), layout)
    for text in _whole_sentences(pieces(path) if data is None else data, progress.path, stream):
        yield from _until_fault(text, progress, report) if stream else [_parsed(text, progress, report)]
        progress.line += text.count(b"\n")


def _until_fault(text: bytes, progress: _Progress, report: Callable[[DataError], None] | None) -> Iterator[Block]:
    """Whole sentences; if one has a fault, those before it, and then the fault."""
    try:
        block = _parsed(text, progress, report)
    except DataError as error:
        lines = b"".join(line + b"\n" for line in text.split(b"\n")[: (error.line or 0) - progress.line])
        if before := lines[: _last_blank(bytearray(lines), 0, 0)[0]]:
            yield from _until_fault(before, progress, report)
        raise
    yield block


def _whole_sentences(parts: Iterable[bytes], path: str, stream: bool) -> Iterator[bytes]:
    """The bytes of a file, cut after blank lines."""
    buffer = bytearray()
    searched = unfinished = 0  # how far blank lines were looked for; where the line begins that has no end yet
    lines = 1
    for part in parts:
        buffer += part
        if len(buffer) < BLOCK and not stream:
            continue
        cut, unfinished = _last_blank(buffer, searched, unfinished)
        if cut:
            yield bytes(buffer[:cut])
            lines += buffer.count(b"\n", 0, cut)
            del buffer[:cut]
            unfinished -= cut
        if len(buffer) > LONGEST:
            raise DataError(f"no blank line in the next {LONGEST // 2**20} MiB: not sentences", path, lines)
        searched = len(buffer)
    if buffer:
        yield bytes(buffer)


def _last_blank(buffer: bytearray, searched: int, unfinished: int) -> tuple[int, int]:
    """Where the last blank line ends that was not complete before, or 0; and where the line begins that still is not.

    No byte is looked at twice, so that any number of pieces takes linear time.
    """
    end = buffer.rfind(b"\n", searched)
    after = end + 1 or unfinished
    while end >= unfinished:
        start = max(buffer.rfind(b"\n", unfinished, end) + 1, unfinished)
        if not buffer[start:end].strip():
            return end + 1, after
        end = start - 1
    return 0, after


def _parsed(text: bytes, progress: _Progress, report: Callable[[DataError], None] | None) -> Block:
    body = text.removeprefix(BOM) if progress.line == 1 else text
    _check_bytes(body, progress)
    widths, is_break = (_scanned_conllu if progress.layout.conllu else _scanned_columns)(body)
    rows = np.flatnonzero(widths)
    if len(rows) and not progress.width:
        progress.width = int(widths[rows[0]])
        progress.columns = progress.layout.columns(progress.width, progress.path, progress.line + int(rows[0]))
        first = body.split(b"\n", int(rows[0]) + 1)[rows[0]]
        progress.separator = b"\t" if b"\t" in first else b" "
    sentence = np.cumsum(is_break)[rows]
    ragged = widths[rows] != progress.width
    if ragged.any():
        for row in rows[ragged]:
            error = DataError(
                f"{columns_in_words(int(widths[row]))} where the lines before have {progress.width}",
                progress.path,
                progress.line + int(row),
            )
            if report is None:
                raise error
            report(error)
        whole = ~np.isin(sentence, sentence[ragged])
        rows, sentence = rows[whole], sentence[whole]
    starts = np.flatnonzero(np.diff(sentence, prepend=-1))
    return Block(
        text=text,
        path=progress.path,
        first_line=progress.line,
        columns=progress.columns,
        fields=_fields(body, rows, progress),
        rows=rows.astype(np.int32),
        offsets=np.append(starts, len(rows)).astype(np.int64),
        separator=progress.separator,
        conllu=progress.layout.conllu,
    )


def _check_bytes(body: bytes, progress: _Progress) -> None:
    """What no column file contains, found before anything is cut."""
    message, where = "", -1
    try:
        body.decode()
    except UnicodeDecodeError as error:
        message, where = f"not UTF-8 (byte 0x{body[error.start]:02x})", error.start
    if (nul := body.find(b"\0")) >= 0:
        kind = (
            "a model, or another archive" if body.startswith(b"PK") else "a binary file, or UTF-16 (save it as UTF-8)"
        )
        message, where = f"a NUL byte: {kind}", nul
    elif where < 0 and body.count(b"\r") != body.count(b"\r\n"):
        where = next(match.start() for match in re.finditer(rb"\r(?!\n)", body))
        message = "a carriage return inside a line (save the file with line ends of today)"
    if where >= 0:
        raise DataError(message, progress.path, progress.line + body.count(b"\n", 0, where))


_IS_SPACE = np.zeros(256, bool)
_IS_SPACE[list(b" \t\r\n\v\f")] = True


def _scanned_columns(body: bytes) -> tuple[Longs, Bools]:
    """For each line its number of fields, 0 where it holds no token, and whether it ends a sentence."""
    byte = np.frombuffer(body, np.uint8)
    space = _IS_SPACE[byte]
    field_starts = np.flatnonzero(~space & np.concatenate(([True], space[:-1])))
    line_starts = np.concatenate(([0], np.flatnonzero(byte == ord("\n")) + 1))
    first_field = np.searchsorted(field_starts, line_starts)
    widths = np.diff(first_field, append=len(field_starts))
    is_break = widths == 0

    filled = np.flatnonzero(widths)
    begins = field_starts[first_field[filled]]
    special = np.isin(byte[begins], np.frombuffer(b"#-", np.uint8))
    comments = set()
    for line, begin in zip(filled[special].tolist(), begins[special].tolist(), strict=True):
        if body[begin] == ord("#"):
            # A comment stands before the first token of its sentence.
            if (line == 0 or is_break[line - 1] or line - 1 in comments) and COMMENT.match(body, begin):
                comments.add(line)
        elif body.startswith(DOCSTART, begin) and not body[begin + len(DOCSTART) : begin + len(DOCSTART) + 1].strip():
            is_break[line] = True
    widths[is_break] = 0
    widths[list(comments)] = 0
    return widths, is_break


def _scanned_conllu(body: bytes) -> tuple[Longs, Bools]:
    """The same for CoNLL-U: comments, ranges (`1-2`) and empty nodes (`1.1`) hold no token."""
    lines = body.split(b"\n")
    widths, is_break = np.zeros(len(lines), np.int64), np.zeros(len(lines), bool)
    for index, line in enumerate(lines):
        if not line.strip():
            is_break[index] = True
        elif not line.startswith(b"#") and not NO_TOKEN.match(line):
            cells = line.rstrip(b"\r").split(b"\t")
            # An empty cell is a missing one.
            widths[index] = len(cells) if len(cells) != len(CONLLU) else sum(map(bool, cells))
    return widths, is_break


def _fields(body: bytes, rows: Longs, progress: _Progress) -> list[list[bytes]]:
    """The fields of the token lines, by column."""
    width = progress.width
    if progress.layout.conllu:
        lines = body.split(b"\n")
        cells = [lines[row].rstrip(b"\r").split(b"\t") for row in rows.tolist()]
        return [list(column) for column in zip(*cells, strict=True)] or [[] for _ in range(width)]
    values = body.split()
    if len(values) != width * len(rows):  # comments, -DOCSTART- lines or left-out sentences are among them
        lines = body.split(b"\n")
        values = b"\n".join([lines[row] for row in rows.tolist()]).split()
    return [values[column::width] for column in range(width)]
