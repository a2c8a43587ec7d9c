"""Lexica: lists of names and terms, of one word or several.

An entry is a line, its words separated by white space; a line that begins with `#` is a comment.
"""

from sstag.foundation.errors import DataError
from sstag.foundation.files import as_text, contents, display_name

LARGEST = 256 * 2**20  # bytes of a list
LONGEST = 64  # words of an entry

Lexicon = tuple[tuple[str, ...], ...]


def read_lexicon(path: str) -> Lexicon:
    """The entries of a list, sorted and without repetition."""
    return lexicon_entries(contents(path, LARGEST), display_name(path))


def lexicon_entries(data: bytes, name: str) -> Lexicon:
    """The entries in the bytes of a list."""
    text = as_text(data, name)
    entries = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = tuple(part for part in line.replace("\t", " ").rstrip("\r").split(" ") if part)
        if not words or line.startswith("#"):
            continue
        if len(words) > LONGEST:
            raise DataError(f"an entry of more than {LONGEST} words", name, number)
        entries.add(words)
    if not entries:
        raise DataError("no entry in it", name)
    return tuple(sorted(entries))


def lexicon_bytes(entries: Lexicon) -> bytes:
    """The bytes of a list of these entries, which `lexicon_entries` reads."""
    return "".join(_line(" ".join(words)) for words in entries).encode()


def _line(entry: str) -> str:
    """An entry on its line, beside a blank where it would be read as a comment or lose a character of an end."""
    before = " " if entry.startswith(("#", "\ufeff")) else ""
    behind = " " if entry.endswith("\r") else ""
    return f"{before}{entry}{behind}\n"
