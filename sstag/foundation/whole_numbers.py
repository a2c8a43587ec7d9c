"""Whole numbers as files write them: places, counts, names of documents."""

MOST_DIGITS = 18  # so that a number fits in 64 bits, and a line of digits takes no time to read


def whole_number(text: str | bytes) -> int | None:
    """The number that the digits 0 to 9 of a text say; None for any other text, and for one of more digits."""
    return int(text) if len(text) <= MOST_DIGITS and text.isascii() and text.isdigit() else None
