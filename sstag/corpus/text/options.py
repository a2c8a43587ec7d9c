"""How files are read beyond their format: what becomes tokens and labels of text with spans, and what is a comment."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

TOKENS = {
    "rule": "runs of letters and digits, other characters alone, CJK by character; numbers, U.S. and addresses whole",
    "blank": "whatever stands between blanks",
    "char": "every character",
}
SENTENCES = {
    "rule": "blank lines and the ends of sentences, as far as a rule for all languages finds them",
    "line": "every line",
    "blank": "blank lines",
    "none": "the whole text",
}
CUTS = {
    "error": "an error",
    "expand": "the whole token belongs to the span",
    "shrink": "the token does not belong to the span",
    "split": "the token is split at the span's end",
}
OVERLAPS = {
    "error": "an error",
    "outermost": "the longer one stays",
    "innermost": "the shorter one stays",
}
RESTS = {"O": "outside of every span", "?": "unknown: nobody looked at it"}
PIECES = {"file": "the whole file", "blank": "what blank lines divide", "line": "a line"}
UNITS = {"codepoints": "characters", "utf16": "units of UTF-16, as Java and JavaScript count"}
PARTED = {"error": "an error", "join": "one span from the first character to the last"}
CHOICES = {
    "tokenize": TOKENS, "sentences": SENTENCES, "cut": CUTS, "overlaps": OVERLAPS, "parted": PARTED, "rest": RESTS,
    "pieces": PIECES, "offsets": UNITS,
}  # fmt: skip
LISTS = ("annotators", "tag_names", "comments")


@dataclass(frozen=True)
class TextOptions:
    """The choices of a reader; None leaves a choice to the format."""

    tokenize: str | None = None  # of TOKENS; None: the tokens of the file, or else by rule
    sentences: str | None = None  # of SENTENCES; None: those of the file, or else by rule
    cut: str = "error"  # of CUTS: a span that cuts a token
    overlaps: str = "error"  # of OVERLAPS: spans that share a token
    parted: str = "error"  # of PARTED: a span of several pieces
    rest: str | None = None  # of RESTS: tokens outside of every span
    pieces: str = "file"  # of PIECES: what a document is in prose
    offsets: str | None = None  # of UNITS
    annotators: tuple[str, ...] = ()  # whose spans are read, each in a column of its own
    tag_names: tuple[str, ...] = ()  # what integers stand for
    keys: Mapping[str, str] = field(default_factory=dict)  # what a file calls text, spans, …
    encoding: str | None = None  # of the files, as Python calls it; None: UTF-8
    comments: tuple[str, ...] = ()  # first columns of lines before a sentence that make them comments
    skip_bad: bool = False  # records with a fault are left out, counted, and written aside

    @property
    def changed(self) -> list[str]:
        """The names of the choices that differ from the usual ones."""
        usual = TextOptions()
        return [one.name for one in fields(self) if getattr(self, one.name) != getattr(usual, one.name)]

    def without(self, names: Iterable[str]) -> "TextOptions":
        """The choices, of which these are the usual ones."""
        usual = TextOptions()
        return replace(self, **{name: getattr(usual, name) for name in names})


def names_in(text: str) -> list[str]:
    """The names in a list such as `ann,"Lee, Bob"`: one with a comma, or with a quote, stands in quotes."""
    return [name.strip() for name in next(csv.reader([text]), [])]


def names_list(names: Sequence[str]) -> str:
    """The list of some names, as `names_in` reads it."""
    quoted = ('"' + name.replace('"', '""') + '"' if {",", '"'} & {*name} else name for name in names)
    return ",".join(quoted)
