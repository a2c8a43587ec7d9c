"""Files of a project's folder by their names: what somebody sent is read inside the folder, and nowhere else.

template.yaml      a template that came with sstag, fitted to the pool
template/          a template in a file, with the files that it names
files/0001-NAME    files that options of the trainings name, and development data
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sstag.features.dense_sources import Encoder
from sstag.features.encoders.settings import Settings as Encoding
from sstag.features.reading import Sources, beside, load_template, template
from sstag.features.template import Template
from sstag.foundation.documents import load_text
from sstag.foundation.errors import ConfigError, SstagError
from sstag.foundation.files import output, translated_errors
from sstag.foundation.plain import FOLDER, check_all, check_kind

TEMPLATE, TEMPLATES, FILES = "template.yaml", "template", "files"
DATABASE, POOL, MODELS, TOKEN = "project.db", "pool", "models", "token"
OURS = (
    *(f"{DATABASE}{ending}" for ending in ("", "-wal", "-shm", "-journal")),
    TOKEN, TEMPLATE, "suspects.txt", "suspects.json", ".suspects.json",
)  # fmt: skip
FOLDERS = {POOL: 1, MODELS: 0, TEMPLATES: 8, FILES: 0, "training": 0}  # with folders in them, so deep
PART = re.compile(r"(?!\.)[^/\\:\x00-\x1f\x7f]{1,255}")  # a name of a folder or a file
COPIED = re.compile(rf"{FILES}/[0-9]{{4}}-[A-Za-z0-9._-]{{1,100}}")
UNUSUAL = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST = 60  # characters of a file's own name
LARGEST = 64 * 2**20  # bytes of a file that is copied into a project
OUTSIDE = "is outside of the project, and counts only while the command that opens the page names it"


def check_folder(folder: str) -> None:
    """Raises an error if something of a project is a link, a pipe or a device: its files are plain files."""
    for name in OURS:
        check_kind(os.path.join(folder, name), optional=True)
    for name, depth in FOLDERS.items():
        check_all(os.path.join(folder, name), depth)


def inside(folder: str, name: str) -> str:
    """The path of a plain file of a project by its name, with `/` between folders; no link leads to it."""
    parts = name.split("/")
    if not all(PART.fullmatch(part) for part in parts):
        raise ConfigError(f"'{name:.100}' {OUTSIDE}")
    for place in range(1, len(parts)):
        check_kind(os.path.join(folder, *parts[:place]), FOLDER)
    path = os.path.join(folder, *parts)
    check_kind(path)
    return path


def copied_file(folder: str, name: str) -> str:
    """The path of a file that was copied into a project for its trainings."""
    if not COPIED.fullmatch(name):
        raise ConfigError(f"'{name:.100}' {OUTSIDE}")
    return inside(folder, name)


def is_small(path: str) -> bool:
    """Whether a file that a command names can be copied into a project: a plain file that is not large."""
    return os.path.isfile(path) and os.path.getsize(path) <= LARGEST


def copying(folder: str) -> Callable[[str], str | None]:
    """A function that copies a file into a project and returns its name there; None for a file that stays outside."""
    names: dict[str, str] = {}

    def copied(path: str) -> str | None:
        if path not in names and is_small(path):
            own = UNUSUAL.sub("-", os.path.basename(path))[-LONGEST:]
            names[path] = f"{FILES}/{len(names) + 1:04}-{own}"
            _copy(path, os.path.join(folder, names[path]))
        return names.get(path)

    return copied


def copies(folder: str) -> Callable[[str], str | None]:
    """A function that returns the name of the copy of a file in a project; None for a file that stays outside."""
    names = {_digest(path): f"{FILES}/{path.name}" for path in sorted(Path(folder, FILES).glob("[0-9]*"))}

    def known(path: str) -> str | None:
        if not is_small(path):
            return None
        if (digest := _digest(Path(path))) not in names:
            raise ConfigError("is not as it was when the project began", path)
        return names[digest]

    return known


def copied_template(folder: str, path: str) -> str:
    """The name that a template in a file has in a project, where it is copied with the files that it names.

    A file that is large, or not beneath the template, stays outside.
    """
    name = f"{TEMPLATES}/{UNUSUAL.sub('-', os.path.basename(path))[-LONGEST:].lstrip('.') or TEMPLATE}"
    known = load_template(path)
    for file in known.files:
        source = os.path.join(os.path.dirname(path), file)
        if all(map(PART.fullmatch, file.split("/"))) and is_small(source):
            _copy(source, os.path.join(folder, TEMPLATES, file))
    _copy(path, os.path.join(folder, name))
    return name


def is_whole(folder: str, name: str) -> bool:
    """Whether a template of a project names no file outside of it."""
    try:
        for vectors in template_inside(folder, name).vectors.values():
            _ = vectors.digest  # of all their files
    except SstagError:
        return False
    return True


def template_inside(folder: str, name: str) -> Template:
    """A template of a project, whose files are read if they are plain files beside it."""
    if name != TEMPLATE and not name.startswith(f"{TEMPLATES}/"):
        raise ConfigError(f"the template '{name:.100}' {OUTSIDE} (--template)")
    path = inside(folder, name)
    sources = beside(path)

    def checked(file: str) -> str:
        inside(folder, f"{os.path.dirname(name)}/{file}".lstrip("/"))
        return file

    def encoder(called: str, settings: Encoding) -> Encoder:
        raise ConfigError(f"the encoder '{called}' {OUTSIDE} (--template)")

    guarded = Sources(
        lambda file: sources.lexicon(checked(file)),
        lambda of: sources.near(replace(of, prototypes=checked(of.prototypes), vectors=checked(of.vectors))),
        lambda file: sources.vectors(checked(file)),
        encoder,
        lambda file: sources.clusters(checked(file)),
    )
    return template(load_text(path), path, guarded)


def _digest(path: Path) -> bytes:
    with translated_errors(str(path)), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _copy(path: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with translated_errors(path), open(path, "rb") as source, output(target) as out:
        shutil.copyfileobj(source, out)
