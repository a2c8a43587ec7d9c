"""Sentences as Python gives them: a corpus, paths of files, or lists of tokens, with labels or without."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sstag.corpus.corpus import Corpus, Sentence, corpus_of, with_column
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read as read_corpus
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import LargeText
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.parallel import Over
from sstag.foundation.sources import matching
from sstag.interfaces.python.templates import AnyTemplate, Path, load_template
from sstag.training.in_volumes import read_raw

if TYPE_CHECKING:
    from distributed import Client

Sentences: TypeAlias = Corpus | Path | Iterable[Sentence]
Text: TypeAlias = Sentences | Sequence[Path]  # several files are read as one
ReadsFiles: TypeAlias = Callable[[Sequence[str], Callable[[str], Layout], str], Corpus | LargeText]
Labels: TypeAlias = Iterable[Sequence[str]]  # a list for each sentence


def read(path: Path, template: AnyTemplate) -> Corpus:
    """The sentences of a column or CoNLL-U file, its columns named as the template names them."""
    name = os.fspath(path)
    return read_corpus(name, load_template(template).layout(name))


def labelled_text(given: Text, labels: Labels | None, template: Template) -> Corpus:
    """Labelled sentences: from files, or from memory with the labels in the tokens or in lists of their own."""
    if labels is not None:
        return _with_labels(given, labels, template)
    if paths := _paths(given):
        return read_files(paths, template.layout)
    return _in_memory(given, template.columns)


def raw_text(given: Text, read_them: "ReadsFiles", template: Template) -> Corpus | LargeText:
    """Sentences without labels; those in files as a function reads them."""
    if paths := _paths(given):
        return read_them(paths, template.raw_layout, template.label)
    return _in_memory(given, template.columns and columns_but_label(template))


def reading_raw(over: Over, on_disk: Path | None, client: "Client | None", warn: Callable[[str], None]) -> ReadsFiles:
    """A function that reads files of raw text: into memory, into a folder, or with the workers of a cluster."""
    if client is not None:
        from sstag.interfaces.cluster.joining import checked
        from sstag.interfaces.cluster.reading import read_by_workers

        if on_disk is not None:
            raise ConfigError("on_disk is a folder of this machine, and a cluster has its own memory: give one")
        cluster = checked(client)
        return lambda paths, layout_of, label: read_by_workers(cluster, paths, layout_of, label, warn)
    folder = None if on_disk is None else os.fspath(on_disk)
    return lambda paths, layout_of, label: read_raw(paths, layout_of, label, over, folder, warn)


def columns_but_label(template: Template) -> tuple[str, ...]:
    """The names of the columns that a token has before it is labelled."""
    return tuple(name for name in template.columns or () if name != template.label)


def _paths(given: Text) -> list[str]:
    """The paths of the files that are given; none if it is a corpus or sentences in memory."""
    if isinstance(given, str | os.PathLike):
        return matching([os.fspath(given)])
    if isinstance(given, Corpus) or not isinstance(given, Sequence):
        return []
    paths = [os.fspath(path) for path in given if isinstance(path, str | os.PathLike)]
    return matching(paths) if len(paths) == len(given) else []


def _in_memory(given: Text, columns: tuple[str, ...] | None) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if columns is None:
        raise ConfigError("sentences in memory need a template that names its columns")
    corpus = corpus_of(_listed(given, "sentences are a corpus, paths of files or lists of tokens"), columns)
    if not corpus.sentences:
        raise DataError("no sentence in it", corpus.path)
    return corpus


def _listed(given: object, wanted: str) -> list[Sentence]:
    """The sentences, or the labels of each, as a list."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ConfigError(f"{wanted}, not {given!r:.50}")
    return list(given)


def _with_labels(given: Text, labels: Labels, template: Template) -> Corpus:
    """The sentences with these labels in the column that the template says."""
    if isinstance(given, Corpus) or _paths(given):
        raise ConfigError("labels in lists of their own are for sentences in lists; a file or a corpus has its own")
    sentences = _listed(given, "sentences with labels of their own are lists of tokens")
    columns = _listed(labels, "labels are a list for each sentence")
    texts = _in_memory(sentences, template.columns and columns_but_label(template))
    for number, (sentence, column) in enumerate(zip(sentences, columns, strict=False), 1):
        if isinstance(column, str) or not isinstance(column, Sequence):
            raise DataError(f"{column!r:.50} is no list of labels", texts.path, number)
        if wrong := [label for label in column if not isinstance(label, str) or not label]:
            raise DataError(f"{wrong[0]!r:.50} is no label: a label is a text, and not empty", texts.path, number)
        if len(sentence) != len(column):
            sizes = f"{counted(len(sentence), 'token')}, but {counted(len(column), 'label')}"
            raise DataError(sizes, texts.path, number)
    if len(sentences) != len(columns):
        raise DataError(f"{counted(len(sentences), 'sentence')}, but {counted(len(columns), 'list')} of labels")
    found = corpus_of(columns, (template.label,))
    return with_column(texts, template.label, found.values[0], found.codes[0])
