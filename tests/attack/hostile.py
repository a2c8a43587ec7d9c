"""Hostile files: endless ones, bombs, and such as look right but for one thing."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STDIN = "/dev/stdin"
DIGITS = 300_000
SENTENCES = 22_000_000  # in 64 KB of gzip


@dataclass(frozen=True)
class Hostile:
    """A value for an option that names a file, and perhaps what flows through standard input meanwhile."""

    path: str
    endless: str | None = None


def endless() -> Mapping[str, Hostile]:
    """Files that have no end, by what they are."""
    return {
        "zeros": Hostile("/dev/zero"),
        "one endless line": Hostile(STDIN, "x"),
        "an endless line of cells": Hostile(STDIN, "x\t1 "),
        "endless lines": Hostile(STDIN, "x O\n"),
        "endless sentences": Hostile(STDIN, "x O\n\n"),
        "an endless list": Hostile(STDIN, "word[0]=x\tO\n"),
        "endless JSON": Hostile(STDIN, '[{"a":'),
    }


def bombs(folder: Path) -> Mapping[str, Hostile]:
    """Small files that are large when they are read, by what they are; they are written to a folder."""
    made = {}
    for name, piece, times in (
        ("a bomb of sentences", b"a O\n\n", SENTENCES),
        ("a bomb of words", b"a\n\n", SENTENCES),
        ("a bomb of zeros", b"\0", 2**30),
        ("a bomb of one line", b"x", 2**29),
        ("a bomb of a list", b"word[0]=a\tO\n", 2**25),
    ):
        place = folder / f"{name.replace(' ', '-')}.gz"
        if not place.exists():
            with gzip.open(place, "wb", 9) as file:
                block = piece * (2**20 // len(piece))
                for _ in range(times // (2**20 // len(piece))):
                    file.write(block)
        made[name] = Hostile(str(place))
    return made


def broken(good: bytes, folder: Path) -> Mapping[str, Hostile]:
    """Files that are good but for one thing, by what that is."""
    lines = good.split(b"\n")
    at = max(range(len(lines)), key=lambda place: len(lines[place]))
    longest = lines[at]

    def with_line(line: bytes) -> bytes:
        return b"\n".join([*lines[:at], line, *lines[at + 1 :]])

    texts = {
        "empty": b"",
        "blank": b"\n\n \n",
        "many digits": with_line(longest + b"1" * DIGITS),
        "many digits after a colon": with_line(longest + b":0." + b"1" * DIGITS),
        "many dots": with_line(longest + b".1" * (DIGITS // 2)),
        "many marks": with_line(longest + b"|?!:=," * (DIGITS // 6)),
        "many brackets": with_line(b"[" * DIGITS),
        "deep": with_line(b"(" * DIGITS + b")" * DIGITS),
        "a zero byte": with_line(longest[: len(longest) // 2] + b"\0" + longest[len(longest) // 2 :]),
        "latin": with_line(b"caf\xe9 " + longest),
        "half a character": with_line(longest + b"\xed\xa0\x80"),
        "cut off": good[: len(good) // 2],
        "twice": good + good,
        "escapes": with_line(longest + b"\x1b]0;owned\x07\x1b[2J"),
        "turned": with_line(longest + "\u202e\u2066".encode()),
        "carriage": good.replace(b"\n", b"\r"),
        "archive": b"PK\x03\x04" + good,
        "gzip": b"\x1f\x8b" + good,
        "mark": b"\xef\xbb\xbf" + good,
        "wide": with_line(b" ".join([b"x"] * DIGITS)),
        "tabs": with_line(b"\t".join([b"x"] * DIGITS)),
    }
    made = {}
    for name, text in texts.items():
        place = folder / f"{name.replace(' ', '-')}"
        place.write_bytes(text)
        made[name] = Hostile(str(place))
    strange = folder / "caf\udce9 \udcff.txt"
    strange.write_bytes(good)
    ugly = folder / "a\x1b]0;owned\x07\n\u202eb"
    ugly.write_bytes(good)
    return made | {
        "a strange name": Hostile(str(strange)),
        "an ugly name": Hostile(str(ugly)),
        "no file": Hostile(str(folder / "none")),
        "a folder": Hostile(str(folder)),
    }
