"""Texts of files as a terminal may be given them."""

import re

LONGEST = 2000  # characters of a message
# Control characters but for tabs and ends of lines; marks of direction; separators of lines; halves of characters.
CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)
UNREADABLE = "\ufffd"  # what stands for bytes that are no text


def printable(text: str) -> str:
    """A text without what a terminal would obey instead of showing it."""
    return CONTROLS.sub(UNREADABLE, text)


def as_message(text: str) -> str:
    """A printable text with its middle left out if it is long: a message may quote the longest line of a file."""
    return printable(text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}")
