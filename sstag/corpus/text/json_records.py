"""Records of JSON: one on each line, or the elements of one list, read in bounded memory."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from sstag.corpus.text.encodings import decoded, no_utf8
from sstag.corpus.text.faults import Faults
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.json_values import Json, json_value, refuse_halves

LONGEST = 64 * 2**20  # bytes of a line, characters of an element
LIST = re.compile(rb"\s*\[\s*[{\]]")  # how a list of records begins; a line may be a list, too, of a text and spans
CUT_OFF = 12  # characters before the end in which a literal, a number or an escape may be cut off


@dataclass(frozen=True)
class Record:
    """A value, its line, and the bytes that it was read from."""

    value: Json
    line: int
    raw: bytes


def json_records(path: str, pieces: Iterable[bytes], faults: Faults) -> Iterator[Record]:
    """The records of a file: JSON lines, or one list of objects."""
    rest, first = iter(pieces), b""
    while len(first.split(None, 2)) < 2 and len(first) < LONGEST and (piece := next(rest, b"")):
        first += piece
    first = first.removeprefix(codecs.BOM_UTF8)
    every = chain([first], rest)
    return (_elements if LIST.match(first) else _lines)(display_name(path), every, faults)


def _lines(name: str, pieces: Iterable[bytes], faults: Faults) -> Iterator[Record]:
    for number, line in enumerate(whole_lines(name, pieces), 1):
        if not line.strip():
            continue
        try:
            value = value_of_line(name, number, line)
        except DataError as error:
            faults.found(error, line)
        else:
            yield Record(value, number, line)


def whole_lines(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file, one by one."""
    unfinished: list[bytes] = []
    size, number = 0, 1
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        if ended:
            ended[0] = b"".join([*unfinished, ended[0]])
            unfinished, size = [], 0
            yield from ended
            number += len(ended)
        unfinished.append(rest)
        size += len(rest)
        if size > LONGEST:
            raise DataError(f"a line of more than {LONGEST // 2**20} MiB", name, number)
    if last := b"".join(unfinished):
        yield last


def value_of_line(name: str, number: int, raw: bytes) -> Json:
    """The value of a line of JSON."""
    try:
        return json_value(decoded(raw, name, number))
    except ValueError as error:
        raise DataError(str(error), name, number) from error


def _elements(name: str, pieces: Iterable[bytes], faults: Faults) -> Iterator[Record]:
    """The elements of one list, of which at most one is held at a time besides what arrived with it."""
    decoder = json.JSONDecoder()
    text, number, needed, begun = "", 1, 0, False
    for more, at_end in _decoded(name, pieces):
        text += more
        if len(text) < needed and not at_end:
            continue
        place = text.index("[") + 1 if not begun else 0
        begun, counted = True, 0
        while True:
            while place < len(text) and text[place] in " \t\r\n,":
                place += 1
            if text[place : place + 1] == "]":
                return
            if place == len(text):
                break
            try:
                value, end = decoder.raw_decode(text, place)
            except json.JSONDecodeError as error:
                cut_off = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()) - CUT_OFF
                if at_end or not cut_off:
                    line = number + text.count("\n", counted, error.pos)
                    raise DataError(f"no JSON: {error.msg.lower()}", name, line) from error
                break
            except (ValueError, RecursionError) as error:
                raise DataError("no JSON that can be read: too deep, or a number too long", name, number) from error
            number, counted = number + text.count("\n", counted, place), place
            try:
                refuse_halves(value, text[place:end])
            except ValueError as error:
                faults.found(DataError(str(error), name, number), text[place:end].encode())
            else:
                yield Record(value, number, text[place:end].encode())
            place = end
        number += text.count("\n", counted, place)
        text = text[place:]
        needed = 2 * len(text)  # an element that has no end yet is looked at again when there is twice as much of it
        if len(text) > LONGEST:
            raise DataError(f"an element of more than {LONGEST // 2**20} MiB", name, number)
        if at_end:
            raise DataError("the list does not end: is the file complete?", name, number)


def _decoded(name: str, pieces: Iterable[bytes]) -> Iterator[tuple[str, bool]]:
    """The text of a file piece by piece, and whether it is the last."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    for piece in chain(pieces, [None]):
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            raise DataError(no_utf8(error), name, line) from error
        line += text.count("\n")
        yield text, piece is None
