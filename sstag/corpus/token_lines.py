"""Files with a token a line: their bytes → blocks of whole sentences, about BLOCK bytes each.

Everything per token is done on whole columns at once: positions of lines and fields with NumPy, fields with one
`split`, codes with one look-up each. Which lines hold tokens, and which fields those have, is what a format says.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import columns_in_words
from sstag.corpus.formats.contract import Input, LineFormat
from sstag.corpus.layout import Layout
from sstag.corpus.sheets import BOM
from sstag.corpus.text.encodings import is_marked, no_utf8
from sstag.foundation.errors import DataError

BLOCK = 2**20  # bytes read before a block is cut at its last blank line; arrays about larger ones do not fit in caches
SECOND = 2  # the line at which a part from the middle of a file begins: what is done of the first is not for it
LONGEST = 64 * 2**20  # bytes a sentence may take: what is longer has no blank lines, or is no column file
NO_COMMENT = b"#"  # the first column of lines that count as tokens, and may be meant as comments
MEND = "are lines that begin with # comments? --comments '#' reads them so"


@dataclass
class _Progress:
    """State of reading one file that one block hands on to the next."""

    path: str
    format: LineFormat
    layout: Layout
    line: int = 1
    width: int = 0
    columns: tuple[str, ...] = field(default=())
    separator: bytes = b" "
    misled: int = 0  # the line of the first token, if that may be a comment: the lines after it are not to blame
    told: bool = False  # whether that was said


def token_line_blocks(format: LineFormat, given: Input) -> Iterator[Block]:
    """The blocks of a file whose format has a token a line."""
    progress, report = _Progress(given.name, format, given.layout), given.report
    if head := given.head:
        progress.line, progress.width = SECOND, len(head.columns)
        progress.columns, progress.separator = head.columns, head.separator
    for text in _whole_sentences(given.pieces, progress.path, given.stream):
        yield from _until_fault(text, progress, report) if given.stream else [_parsed(text, progress, report)]
        progress.line += text.count(b"\n")


def _until_fault(text: bytes, progress: _Progress, report: Callable[[DataError], None] | None) -> Iterator[Block]:
    """The block of some whole sentences; if one has a fault, the block of those before it, and then the error."""
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
    """The end of the last blank line that is new in the buffer, or 0, and the beginning of its last, unfinished line.

    The first `searched` bytes were looked at before, when the unfinished line began at `unfinished`. No byte is looked
    at twice, so that a file takes linear time in however many pieces it arrives.
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
    """The block of some whole sentences."""
    body = text.removeprefix(BOM) if progress.line == 1 else text
    _check_bytes(body, progress)
    widths, is_break = progress.format.scanned(body)
    rows = np.flatnonzero(widths)
    if len(rows) and not progress.width:
        progress.width = int(widths[rows[0]])
        first = body.split(b"\n", int(rows[0]) + 1)[rows[0]]
        line = progress.line + int(rows[0])
        progress.misled = line if _may_be_comment(first) else 0
        try:
            progress.columns = progress.layout.columns(progress.width, progress.path, line)
        except DataError as misfit:
            if not progress.misled:
                raise
            raise DataError(f"{misfit.message}; {MEND}", misfit.path, line) from misfit
        progress.separator = b"\t" if b"\t" in first else b" "
    sentence = np.cumsum(is_break)[rows]
    ragged = widths[rows] != progress.width
    if ragged.any():
        texts = body.split(b"\n")
        for row in rows[ragged].tolist():
            if progress.misled and progress.told:
                continue
            error = _ragged(progress, row, int(widths[row]), texts[row])
            if report is None:
                raise error
            report(error)
            progress.told = True
        whole = ~np.isin(sentence, sentence[ragged])
        rows, sentence = rows[whole], sentence[whole]
    starts = np.flatnonzero(np.diff(sentence, prepend=-1))
    lines = rows.astype(np.int32)
    return Block(
        text=text,
        path=progress.path,
        first_line=progress.line,
        columns=progress.columns,
        fields=progress.format.fields(body, lines, progress.width),
        rows=lines,
        lines=rows.astype(np.int64) + progress.line,
        offsets=np.append(starts, len(rows)).astype(np.int64),
        separator=progress.separator,
        format=progress.format,
    )


def _may_be_comment(line: bytes) -> bool:
    return line.split(None, 1)[:1] == [NO_COMMENT]


def _ragged(progress: _Progress, row: int, width: int, text: bytes) -> DataError:
    """The error about a line that has another number of columns than the file's first token."""
    message = f"{columns_in_words(width)} where the lines before have {progress.width}"
    if progress.misled:
        message = f"{columns_in_words(width)} where line {progress.misled}, a token, has {progress.width}: {MEND}"
    elif _may_be_comment(text):
        message = f"{message}: {MEND}"
    return DataError(message, progress.path, progress.line + row)


def _check_bytes(body: bytes, progress: _Progress) -> None:
    """Refuses bytes that no file of sentences has, before lines and fields are looked for."""
    message, where = "", -1
    try:
        body.decode()
    except UnicodeDecodeError as error:
        message, where = no_utf8(error), error.start
    if (nul := body.find(b"\0")) >= 0 and not is_marked(body):
        kind = "a model, or another archive" if body.startswith(b"PK") else "a binary file, or UTF-16 (--encoding)"
        message, where = f"a NUL byte: {kind}", nul
    elif where < 0 and b"\r" in body and body.count(b"\r") != body.count(b"\r\n"):
        where = next(match.start() for match in re.finditer(rb"\r(?!\n)", body))
        message = "a carriage return inside a line (save the file with line ends of today)"
    if where >= 0:
        raise DataError(message, progress.path, progress.line + body.count(b"\n", 0, where))
