"""A project remembers the choices that it was begun with: it goes on when the command that began it is said again.

A choice that has changed since may be said as it was at first or as it is now. Every other one is refused by its name,
with the way to change it.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sstag.corpus.layout import Layout
from sstag.corpus.text.json_keys import an_object
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json

BEGUN = "begun"  # the setting that remembers the choices
FRESH = "a new project has another one, and takes the answers of this one in (sstag export, --import)"


@dataclass(frozen=True)
class Choices:
    """The choices that a command names; None, or nothing, for a choice that it does not name."""

    pool: str | None = None  # a path
    labels: tuple[str, ...] | None = None
    template: str | None = None
    scheme: str | None = None
    strategy: str | None = None
    overlap: int | None = None
    reading: tuple[str, ...] | None = ()  # the options that say how the pool is read; None: they are for another file

    @property
    def are_a_beginning(self) -> bool:
        """Whether a project could be begun with these: the command is not one that changes something."""
        return self.pool is not None or self.labels is not None


def beginning(choices: Choices, layout: Layout) -> dict[str, Json]:
    """The choices of a new project as it remembers them."""
    assert choices.pool is not None
    return {
        "POOL": os.path.abspath(choices.pool),
        "content": _content(choices.pool, layout),
        "stamp": _stamp(choices.pool),
        "reading": [*(choices.reading or ())],
        "--labels": [*(choices.labels or ())],
        "--template": _template(choices.template or ""),
        "--overlap": choices.overlap,
    }


def check_again(choices: Choices, stored: Mapping[str, Json], layout: Layout | None) -> None:
    """Raises an error if a command that could begin a project names another choice than the one that is there has.

    `stored` are the settings of the project, and the layout is that of the pool that the command names.
    """
    begun = an_object(stored.get(BEGUN, {}), BEGUN)
    if choices.pool is not None and begun:
        _check_pool(choices, begun, layout)
    now, first = stored.get("labels"), begun.get("--labels")
    if choices.labels is not None and [*choices.labels] not in (now, first):
        raise _differs("--labels", ",".join(map(str, _list(now))), ",".join(choices.labels), _way(choices.labels, now))
    if choices.overlap is not None and choices.overlap not in (stored.get("overlap"), begun.get("--overlap")):
        way = "--overlap with --project alone changes it for texts from now on"
        raise _differs("--overlap", stored.get("overlap"), choices.overlap, way)
    for option, said in (("--scheme", choices.scheme), ("--strategy", choices.strategy)):
        if said is not None and said != stored.get(option.removeprefix("--")):
            raise _differs(option, stored.get(option.removeprefix("--")), said, FRESH)
    template = begun.get("--template")
    if choices.template is not None and template is not None and _template(choices.template) != template:
        raise _differs("--template", template, choices.template, FRESH)


def _check_pool(choices: Choices, begun: Mapping[str, Json], layout: Layout | None) -> None:
    path = choices.pool or ""
    if choices.reading is not None and [*choices.reading] != begun.get("reading"):
        said, known = " ".join(choices.reading), " ".join(map(str, _list(begun.get("reading"))))
        raise _differs("POOL", f"a pool read {_as(known)}", f"one read {_as(said)}", FRESH)
    is_same_place = os.path.abspath(path) == begun.get("POOL")
    if is_same_place and (not os.path.exists(path) or (begun.get("stamp") and _stamp(path) == begun.get("stamp"))):
        return  # a file that is gone is not needed: its texts are in the project
    content = _content(path, layout) if layout is not None else None
    if content is not None and content == begun.get("content"):
        return
    way = f"--import {path} --import-as pool adds its texts"
    if is_same_place:
        raise ConfigError(f"POOL: {path} is not what it was when the project was begun: {way}")
    raise _differs("POOL", begun.get("POOL"), path, way)


def _as(options: str) -> str:
    return f"with {options}" if options else "without options"


def _way(said: Sequence[str], now: Json) -> str:
    """The options that make the labels of now those that somebody says."""
    labels = [*map(str, _list(now))]
    new = [label for label in said if label not in labels]
    if [*said] == [*labels, *new]:
        return f"--add-labels {','.join(new)} with --project alone adds what is missing"
    return "--add-labels, --rename-label and --remove-label with --project alone change them"


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _differs(name: str, known: object, said: object, way: str) -> ConfigError:
    return ConfigError(f"{name}: the project has {known}, and the command says {said}: {way}")


def _template(said: str) -> str:
    """A template by the name that sstag has for it, or by its path."""
    return os.path.abspath(said) if os.path.exists(said) else said


def _stamp(path: str) -> list[Json]:
    """The size of a file and when it was written; nothing for anything else."""
    if not os.path.isfile(path):
        return []
    about = os.stat(path)
    return [about.st_size, about.st_mtime_ns]


def _content(path: str, layout: Layout) -> str | None:
    """A digest of the bytes of a file or a folder; None for a stream, which is read once and may have no end."""
    if not (os.path.isfile(path) or os.path.isdir(path)):
        return None
    digest = hashlib.sha256()
    for piece in layout.pieces(path):
        digest.update(piece)
    return digest.hexdigest()
