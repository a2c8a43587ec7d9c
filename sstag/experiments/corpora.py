"""Where the real corpora are, and the templates of the experiments."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from importlib.resources import files

from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read as read_columns
from sstag.corpus.text.folders import bytes_of
from sstag.features.reading import template
from sstag.features.shipped import shipped_names, template_path
from sstag.features.template import Template
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors

HERE = "data"
VARIABLE = "SSTAG_DATA"


@dataclass(frozen=True)
class Corpora:
    """Folders in which corpora are looked for, under the names that data/README.md has for them.

    What is in none of them may be the name of a template that comes with sstag.
    """

    folders: Sequence[str]

    def absent(self, names: Iterable[str]) -> list[str]:
        """The names that are in none of the folders."""
        return [name for name in names if self._found(name) is None]

    def path(self, name: str) -> str:
        """The path of a corpus."""
        path = self._found(name)
        if path is None:
            where = [folder for folder in self.folders if folder]
            missing = f"not in {' or '.join(where)} (data/README.md says where it comes from)"
            raise DataError(missing if where else "no such file or directory", name)
        return path

    def digest(self, name: str) -> str:
        """The SHA-256 of the bytes of a corpus, which may be a folder of documents."""
        path = self.path(name)
        if os.path.isdir(path):
            whole = sha256()
            for piece in bytes_of(path):
                whole.update(piece)
            return whole.hexdigest()
        with translated_errors(path), open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def read(self, name: str, columns: Sequence[str]) -> Corpus:
        """The sentences of a corpus, whose last column is the label."""
        path = self.path(name)
        return read_columns(path, layout_for(path, columns))

    def _found(self, name: str) -> str | None:
        paths = [os.path.join(one, name) for one in self.folders]
        shipped = template_path(name) if name in shipped_names() else None
        return next(filter(os.path.isfile, paths), shipped) or next(filter(os.path.isdir, paths), None)


def corpora(environment: Mapping[str, str]) -> Corpora:
    """The corpora in `data` and in the folder that the environment variable SSTAG_DATA names."""
    return Corpora([HERE, *filter(None, [environment.get(VARIABLE)])])


def shipped_template(name: str) -> Template:
    """A template of `configs`, by its path there without `.yaml`."""
    return template(shipped_text(name), f"{name}.yaml")


def shipped_text(name: str) -> str:
    """The text of a file of `configs`, by its path there without `.yaml`."""
    return files("sstag.experiments").joinpath("configs", *f"{name}.yaml".split("/")).read_text(encoding="utf-8")
