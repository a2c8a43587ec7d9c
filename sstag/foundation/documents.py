"""Settings that were read: their data, and where each value stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from sstag.foundation.errors import ConfigError, nearest, not_among
from sstag.foundation.files import as_text, contents, display_name
from sstag.foundation.json_values import Json

Place = tuple[str | int, ...]  # keys and indices from the top of a document

LARGEST = 2**19  # bytes


@dataclass(frozen=True)
class Document:
    """The data of a file, and the line of each value by its place; without lines, errors have none."""

    data: Json
    lines: dict[Place, int]
    path: str

    def error(self, message: str, *place: str | int) -> ConfigError:
        """An error at the line of a place, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return ConfigError(message, self.path, self.lines.get(place))

    def mapping(self, keys: Sequence[str] = ()) -> dict[str, Json]:
        """The whole document as a mapping, which if keys are given has no others."""
        if not isinstance(self.data, dict):
            raise self.error(
                f"no settings here: it should say {', '.join(f'{key}: …' for key in keys[:3] or ['name'])}"
            )
        for key in self.data:
            if keys and key not in keys:
                raise self.error(f"unknown key '{key}'{nearest(key, keys)}", key)
        return self.data

    def within(self, key: str) -> "Document":
        """The settings under a key as a document of their own, empty if there are none."""
        lines = {place[1:]: line for place, line in self.lines.items() if place[:1] == (key,)}
        return Document({} if self.get(key) is None else self.get(key), lines, self.path)

    def get(self, key: str) -> Json:
        """The value of a key at the top, or None."""
        return self.data.get(key) if isinstance(self.data, dict) else None

    def texts(self, key: str) -> list[str]:
        """A list of texts; empty only if it is written `[]`."""
        items = self.get(key)
        if not isinstance(items, list):
            raise self.error(f"'{key}' must be a list, [a, b], or a line for each entry", key)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise self.error("quote this line: YAML reads it as something else than text", key, index)
        return [item for item in items if isinstance(item, str)]

    def text(self, key: str) -> str | None:
        """A text, or None if the key is not given."""
        value = self.get(key)
        if value is not None and not isinstance(value, str):
            raise self.error(f"'{key}' must be text: quote it", key)
        return value

    def choice(self, key: str, choices: Sequence[str]) -> str | None:
        """One of a few texts, or None if the key is not given."""
        value = self.text(key)
        if value is not None and value not in choices:
            raise self.error(not_among(key, value, choices), key)
        return value

    def count(self, key: str, default: int, other: str = "") -> int:
        """A whole number from 1 up; `other` is said of what the caller takes besides."""
        value = default if self.get(key) is None else self.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.error(f"'{key}' must be a whole number from 1 up{other}", key)
        return value


def load_text(path: str) -> str:
    """The text of a settings file."""
    return as_text(contents(path, LARGEST), display_name(path))
