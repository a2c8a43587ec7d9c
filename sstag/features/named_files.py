"""Files that a model names: they lie beside it, in the working folder, or in folders that the environment lists."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sstag.foundation.errors import DataError, ModelError


class Digested(Protocol):
    """A file or a folder, known by the digest of its bytes."""

    @property
    def digest(self) -> str: ...


Found = TypeVar("Found", bound=Digested)


@dataclass(frozen=True)
class Named:
    """A file or folder that the model at a path names, which somebody may have moved, or mistaken for another."""

    name: str
    model: str
    variable: str  # in the environment: it lists more folders
    more: tuple[str, ...] = ()  # places besides

    @property
    def there(self) -> Iterator[str]:
        """The places that have something of this name, the nearest first: as it is named, or by its last part alone.

        `enc/mini` of `models/ner.model` is looked for as `models/enc/mini`, `models/mini`, `enc/mini`, `mini`, and so
        on.
        """
        listed = [folder for folder in os.environ.get(self.variable, "").split(os.pathsep) if folder]
        names = (self.name, os.path.basename(os.path.normpath(self.name)))
        every = (os.path.join(folder, one) for folder in (os.path.dirname(self.model), "", *listed) for one in names)
        yield from filter(_is_plain, dict.fromkeys((*map(os.path.normpath, every), *self.more)))

    @property
    def advice(self) -> str:
        """The way out where it is not found."""
        return f"put it beside the model, or name the folder that it is in with {self.variable}"

    def first_right(self, what: str, digest: str, opened: Callable[[str], Found]) -> Found:
        """The one at the first place where the digest is right; an error says what else was found."""
        others = []
        for place in self.there:
            try:
                found = opened(place)
                if found.digest == digest:
                    return found
                others.append(f"{place} is another one")
            except DataError as error:
                others.append(str(error))
        where = others[0] if others else self.advice
        raise ModelError(f"needs {what} (SHA-256 {digest[:12]}…), which is not found: {where}", self.model)


def _is_plain(path: str) -> bool:
    """Whether a path is a file or a folder: a pipe, which nobody has named, could be waited for without an end."""
    return os.path.isfile(path) or os.path.isdir(path)
