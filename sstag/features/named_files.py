"""Files that a model names: they lie beside it, in the working folder, or in folders that the environment lists."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from sstag.foundation.errors import DataError, ModelError


class Digested(Protocol):
    """A file or a folder, known by the digest of its bytes."""

    @property
    def digest(self) -> str: ...


Found = TypeVar("Found", bound=Digested)


def places_of(name: str, model: str, variable: str) -> Iterator[str]:
    """Where a file or folder of this name may be, the nearest place first: as it is named, or by its last part alone.

    `enc/mini` of `models/ner.model` is looked for as `models/enc/mini`, `models/mini`, `enc/mini`, `mini`, and so on.
    """
    more = [folder for folder in os.environ.get(variable, "").split(os.pathsep) if folder]
    last = os.path.basename(os.path.normpath(name))
    every = (os.path.join(folder, one) for folder in (os.path.dirname(model), "", *more) for one in (name, last))
    yield from dict.fromkeys(map(os.path.normpath, every))


def first_right(
    what: str, digest: str, places: Iterable[str], opened: Callable[[str], Found], variable: str, model: str
) -> Found:
    """The file or folder at the first place where the digest is right; an error says what else was found."""
    others = []
    for place in filter(os.path.exists, places):
        try:
            found = opened(place)
            if found.digest == digest:
                return found
            others.append(f"{place} is another one")
        except DataError as error:
            others.append(str(error))
    where = others[0] if others else f"put it beside the model, or name the folder that it is in with {variable}"
    raise ModelError(f"needs {what} (SHA-256 {digest[:12]}…), which is not found: {where}", model)
