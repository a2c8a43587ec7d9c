"""The document in an archive, read with a check of the type of every value."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from sstag.foundation.archive import Archive
from sstag.foundation.json_values import Json

V = TypeVar("V")


class Description:
    """The document in an archive, read key by key; a value of the wrong type is a `ModelError`."""

    def __init__(self, archive: Archive, data: Mapping[str, Json] | None = None) -> None:
        self.archive, self._data = archive, archive.document if data is None else data

    def of(self, key: str, kind: type[V]) -> V:
        """The value of a key, which must have this type."""
        value = self._data.get(key)
        if type(value) is not kind:
            raise self.archive.damaged(f"its '{key}' is missing")
        return value

    def one_of(self, key: str, choices: tuple[V, ...]) -> V:
        """The value of a key, which must be one of these."""
        for choice in choices:
            if self._data.get(key) == choice:
                return choice
        raise self.archive.damaged(f"its '{key}' cannot be")

    def texts(self, key: str) -> list[str]:
        """A list of texts, none of them empty."""
        return self._items(key, str, lambda text: bool(text) and not any("\ud800" <= char <= "\udfff" for char in text))

    def counts(self, key: str, least: int = 0) -> list[int]:
        """A list of whole numbers from `least` up."""
        return self._items(key, int, lambda number: least <= number < 2**31)

    def _items(self, key: str, kind: type[V], valid: Callable[[V], bool]) -> list[V]:
        items = self.of(key, list)
        if any(type(item) is not kind or not valid(item) for item in items):
            raise self.archive.damaged(f"its '{key}' cannot be")
        return items
