"""The template of a model as a file, and beside it the files that it names, so that a training can take it again."""

import logging
import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from sstag.features.clusters import Clusters, write_in_order
from sstag.features.lexicon import lexicon_bytes
from sstag.features.template import Template
from sstag.features.words.named_vectors import KeptVectors, NamedVectors
from sstag.features.words.vector_files.own import WordVectors, save
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import STANDARD, output

log = logging.getLogger("sstag")


def write_template(of: Template, target: str) -> Iterator[str]:
    """Writes the template, and the files that it names and the model has; their paths one after another.

    None of them takes the place of a file that is there.
    """
    if target == STANDARD:
        with output(target) as file:
            file.write(of.text.encode())
        return
    if of.similar:
        raise ConfigError("a model does not keep the files of similar(…): only `--write-template -` shows its template")
    folder = os.path.dirname(target)
    files: dict[str, Callable[[str], None]] = {target: partial(_write, of.text.encode())}
    for name, writes in _files(of):
        path = os.path.join(folder, name)
        if path == target:
            raise ConfigError("is a file that the template names: give the template another name", target)
        files[path] = writes
    if there := next((path for path in files if os.path.lexists(path)), None):
        raise DataError("is there already: write the template into another folder", there)
    for path, writes in files.items():
        writes(path)
        yield path
    for name in [name for name, vectors in of.vectors.items() if isinstance(vectors, NamedVectors)]:
        log.warning("%s: not written, since the model has its name alone: put it beside %s", name, target)


def _files(of: Template) -> Iterator[tuple[str, Callable[[str], None]]]:
    """The files that a model has, each by the name that its template has for it."""
    for name, entries in of.lexica.items():
        yield _inside(name), partial(_write, lexicon_bytes(entries))
    for name, clusters in of.clusters.items():
        yield _inside(name), partial(_write_clusters, clusters)
    for name, vectors in of.vectors.items():
        if isinstance(vectors, KeptVectors):
            made = WordVectors(tuple(vectors.row), vectors.vectors.astype(np.float64))
            yield _inside(name), partial(save, made)


def _inside(name: str) -> str:
    """The name of a file in the folder of the template; a model of somebody else may name one elsewhere."""
    if os.path.isabs(name) or ".." in name.replace(os.sep, "/").split("/") or os.path.dirname(name):
        raise ConfigError(f"the template names {name}, which is not in its folder: `--write-template -` shows it")
    return name


def _write(content: bytes, path: str) -> None:
    with output(path) as file:
        file.write(content)


def _write_clusters(clusters: Clusters, path: str) -> None:
    write_in_order(path, ((place, word, 0) for word, place in clusters.paths.items()))  # a model knows no counts
