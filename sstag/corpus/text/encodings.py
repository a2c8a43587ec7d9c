"""Encodings of files: bytes in any of them become bytes in UTF-8, which is all that readers know."""

import codecs
from collections.abc import Iterable, Iterator
from encodings.aliases import aliases
from itertools import chain

from sstag.foundation.errors import ConfigError, DataError, alike

UTF8 = ("utf-8", "utf-8-sig")
# What Python has for names of hosts, for source code and for mail: ways to say other letters in ASCII.
NOT_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7")
MARKS = (  # what a file begins with, the encoding that this tells, and the one that has it as a character
    (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
LONGEST_MARK = 4
ORDERED = ("utf-16", "utf-32")  # whose marks tell which byte of a character is the first
GROWTH = 3  # bytes of UTF-8 that a byte of another encoding can become


def encoding_called(name: str) -> str | None:
    """The encoding of a name as Python calls it; None for UTF-8. A name of none is an error."""
    known = _known(name)
    if not known:
        near = (one.replace("_", "-") for one in alike(name.lower().replace("-", "_"), {*aliases, *aliases.values()}))
        close = next((one for one in near if _known(one)), None)
        meant = f"; did you mean '{close}'?" if close else " (latin-1, windows-1252, utf-16, …)"
        raise ConfigError(f"'{name:.40}' is no encoding of files{meant}")
    return None if known in UTF8 else known


def _known(name: str) -> str | None:
    """The name that Python has for an encoding of texts; None if it knows none that is called so."""
    try:
        "".encode(name)  # which codecs that are for other things than text refuse
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return None if found in NOT_OF_FILES else found


def in_utf8(pieces: Iterable[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """The bytes of a file in UTF-8; what its encoding does not have, or another one's mark, is an error."""
    parts = iter(pieces)
    head = b""
    for piece in parts:
        head += piece
        if len(head) >= LONGEST_MARK:
            break
    told = next(((told, exact) for mark, told, exact in MARKS if head.startswith(mark)), None)
    if told and encoding not in told:
        mend = f"leave out {_option(encoding)}" if told[0] in UTF8 else f"{_option(told[0])} reads it"
        raise DataError(f"begins with the mark of {told[0].upper()}, so it is not {encoding}: {mend}", name)
    if head and not told and encoding in ORDERED:
        orders = f"{_option(f'{encoding}-le')} or {encoding}-be"
        raise DataError(f"no mark at its beginning tells the order of bytes: {orders} does", name)
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    for part in chain([head], parts, [None]):
        state = decoder.getstate()
        try:
            text = decoder.decode(part or b"", final=part is None)
            made = text.encode()
        except UnicodeDecodeError as error:
            before = error.start - len(error.object) + len(part or b"")
            decoder.setstate(state)
            line += decoder.decode((part or b"")[: max(before, 0)]).count("\n")
            raise DataError(f"not {encoding} (byte 0x{error.object[error.start]:02x})", name, line) from error
        line += text.count("\n")
        yield made


def decoded(data: bytes, name: str, line: int = 1) -> str:
    """Bytes of a file as the text that they are in UTF-8; they begin at this line."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DataError(no_utf8(error), name, line + data.count(b"\n", 0, error.start)) from error


def no_utf8(error: UnicodeDecodeError) -> str:
    """The message for bytes that are no text in UTF-8, with the option for what they may be."""
    data = error.object
    marked = next((told for mark, told, _ in MARKS if data.startswith(mark)), None) if is_marked(data) else None
    likely = marked or ("windows-1252" if 0x80 <= data[error.start] < 0xA0 else "latin-1")
    return f"not UTF-8 (byte 0x{data[error.start]:02x}); if it is {likely}, {_option(likely)} reads it"


def is_marked(data: bytes) -> bool:
    """Whether the bytes at the beginning of a file tell that it is in UTF-16 or UTF-32."""
    return data.startswith(tuple(mark for mark, _, _ in MARKS[1:]))


def _option(encoding: str) -> str:
    return f"--encoding {encoding}"
