"""Offsets in units of UTF-16, as Java and JavaScript count, and in code points, as Python counts."""

from collections.abc import Sequence

from sstag.foundation.errors import DataError

LAST_OF_TWO_BYTES = "\uffff"


def utf16_places(text: str) -> Sequence[int]:
    """For each unit of UTF-16 the code point that begins there, -1 within one; and at last the end."""
    if text.isascii() or max(text) <= LAST_OF_TWO_BYTES:
        return range(len(text) + 1)
    places: list[int] = []
    for place, character in enumerate(text):
        places += [place] if character <= LAST_OF_TWO_BYTES else [place, -1]
    return [*places, len(text)]


def units(text: str) -> Sequence[int]:
    """For each code point its place in units of UTF-16; and at last the end."""
    if text.isascii() or max(text) <= LAST_OF_TWO_BYTES:
        return range(len(text) + 1)
    found, unit = [0], 0
    for character in text:
        unit += 1 + (character > LAST_OF_TWO_BYTES)
        found.append(unit)
    return found


def code_point(places: Sequence[int], unit: int) -> int:
    """The code point at a unit of UTF-16; one outside of the text or within a character is an error."""
    if not 0 <= unit < len(places) or places[unit] < 0:
        raise DataError(f"the offset {unit} is outside of the text, or within a character")
    return places[unit]


def checked(text: str, start: int, stop: int, key: str) -> tuple[int, int]:
    """Two places of a text with something between them; others are an error."""
    if not 0 <= start < stop <= len(text):
        raise DataError(f"{key} is {start} to {stop}: no span of a text of {len(text):,} characters")
    return start, stop
