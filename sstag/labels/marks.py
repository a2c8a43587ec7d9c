"""Marks: the texts by which a label column allows a token several labels.

`A|B` allows A and B, `?` allows any label, `!A` (or `!A|B`) any label but these. Each mark can be another text, or off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sstag.corpus.formats import input_format
from sstag.corpus.formats.contract import InputFormat
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.json_values import Json


@dataclass(frozen=True)
class Marks:
    """The three marks; None switches one off."""

    either: str | None = "|"
    unknown: str | None = "?"
    negation: str | None = "!"

    def __post_init__(self) -> None:
        given = [mark for mark in (self.either, self.unknown, self.negation) if mark is not None]
        if len(set(given)) < len(given) or not all(given) or any(c.isspace() for mark in given for c in mark):
            raise ConfigError("marks must differ, and be texts without white space")

    def within(self, label: str) -> bool:
        """Whether a label contains one of the marks."""
        return any(mark in label for mark in (self.either, self.unknown, self.negation) if mark is not None)

    def written(self, labels: Sequence[str]) -> str:
        """One label, or several as a set of them; a set that would not be read as such is an error."""
        if len(labels) > 1 and (self.either is None or any(map(self.within, labels))):
            raise ConfigError(f"a set of {', '.join(labels)} cannot be written with these marks")
        return (self.either or "").join(labels)

    def completed(self) -> "Marks":
        """These marks, with texts that no file can contain in place of those for `A|B` and `?` that are off."""
        return replace(self, either=self.either or "\0|", unknown=self.unknown or "\0?")


def changed_marks(marks: Marks, changes: Mapping[str, str | None]) -> Marks:
    """The marks with some of them changed; an unknown name is an error."""
    for name in changes:
        if name not in vars(marks):
            raise ConfigError(f"there is no mark '{name}'{nearest(name, vars(marks))}")
    return replace(marks, **changes)


def marks_in(format: InputFormat) -> Marks:
    """The marks in the label columns of a format."""
    return changed_marks(Marks(), format.marks)


def marks_in_file(path: str) -> Marks:
    """The marks in the label column of a file, in the format that its name tells."""
    return marks_in(input_format(path))


def marks_told(about: Mapping[str, Json]) -> Marks | None:
    """The marks that a model was trained with, if what it tells of its training says them."""
    said = about.get("marks")
    if not isinstance(said, Mapping) or not all(isinstance(text, str | None) for text in said.values()):
        return None
    try:
        return changed_marks(Marks(), {name: text for name, text in said.items() if isinstance(text, str | None)})
    except ConfigError:
        return None


PLAIN = Marks(either=None, unknown=None, negation=None)
