"""Sentences as Python gives them: a corpus, paths of files, or lists of tokens, with labels or without."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, Sized
from glob import has_magic
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from sstag.corpus.corpus import Corpus, Sentence, corpus_of, with_column
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read as read_corpus
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import LargeText
from sstag.features.adapted import fitted_to_columns, fitted_to_corpus, fitted_to_file
from sstag.features.choice import Sample, sample_of_file
from sstag.features.reading import template
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.files import STANDARD
from sstag.foundation.parallel import Over
from sstag.foundation.sources import is_url, matching
from sstag.interfaces.python.signatures import brief
from sstag.interfaces.python.templates import AnyTemplate, Path, load_template
from sstag.labels.marks import Marks
from sstag.training.in_volumes import read_raw

if TYPE_CHECKING:
    from distributed import Client

Sentences: TypeAlias = Corpus | Path | Iterable[Sentence]
Text: TypeAlias = Sentences | Sequence[Path]  # several files are read as one
ReadsFiles: TypeAlias = Callable[[Sequence[str], Callable[[str], Layout], str], Corpus | LargeText]
Labels: TypeAlias = Iterable[Sequence[str]]  # a list for each sentence
Lists = TypeVar("Lists", Text | None, Labels | None)
IN_LISTS = "a sentence is a list of tokens, [['Kim', 'met', 'Ann']]"
GROUPED = (
    "table.groupby('sentence')['word'].apply(list) makes a list of each sentence, by a column that tells them apart"
)

PATH = re.compile(r"[./\\]")


@runtime_checkable
class Table(Protocol):
    """A table of pandas, polars or pyarrow: who goes through it gets names of columns, and no sentences."""

    @property
    def columns(self) -> object: ...
    @property
    def shape(self) -> object: ...


@brief
def read(path: Path, template: AnyTemplate) -> Corpus:
    """The sentences of a file, its columns named as the template names them.

    Example:
        corpus = sstag.read("test.txt", "ner")
        corpus.words("word", 0)  # ['Kim', 'met', 'Ann', '.']
    """
    name = os.fspath(path)
    expect_file(name, IN_LISTS)
    return read_corpus(name, fitted_to_file(load_template(template), name).layout(name))


def expect_file(path: str, otherwise: str) -> None:
    """A text that looks like no path, and is no file, is an error that says what is to be done with a text."""
    like_a_path = " " not in path and PATH.search(path.rstrip("."))
    if not (like_a_path or os.path.exists(path) or has_magic(path) or is_url(path) or path == STANDARD):
        raise DataError(f"no such file or directory; {otherwise}", f"{path:.50}")


def as_list(given: object, wanted: str) -> list[Sentence]:
    """Sentences, or the labels of each, as a list of lists; also from a Series of pandas or an array."""
    if isinstance(given, Table) and not isinstance(given, Corpus):
        raise ConfigError(f"{wanted}, not a table: {GROUPED}")
    if isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        raise ConfigError(f"{wanted}, not {given!r:.50}")
    return [_in_order(one) for one in given]


def _in_order(given: Sentence) -> Sentence:
    """A sentence as a list, if it is an array or a Series; what is neither is left to who finds fault with it."""
    if isinstance(given, Sequence | Mapping | Set) or not isinstance(given, Iterable):
        return given
    return list(given)


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


def fitted(template: Template, given: Text, beside: bool, raw: bool = False) -> Template:
    """The template, one that comes with sstag for the columns that sentences have; labels may stand beside them."""
    if paths := _paths(given):
        return fitted_to_file(template, paths[0], labelled=not raw)
    if isinstance(given, Corpus):
        return fitted_to_corpus(template, given.columns)
    if isinstance(given, str | bytes | os.PathLike | Mapping | Set | Table) or not isinstance(given, Sized):
        return template
    token = next((token for one in given if isinstance(one, Iterable) for token in one), None)
    width = 1 if isinstance(token, str) else len(token) if isinstance(token, Sequence) else 0
    return fitted_to_columns(template, width, labels=beside or not raw, beside=beside) if width else template


def in_lists(given: Lists) -> Lists:
    """Sentences, or their labels, that can be gone through twice."""
    return given if given is None or isinstance(given, Sequence | Corpus | os.PathLike) else cast(Lists, list(given))


def sample_of(given: Text, labels: Labels | None, labelled: bool) -> Sample:
    """The first sentences of a text, by which a template is chosen."""
    if paths := _paths(given):
        return sample_of_file(paths[0], None, labelled)
    if isinstance(given, Corpus):
        label = given.columns[-1] if labelled and len(given.columns) > 1 else None
        return Sample(given, Layout(given.columns, label), Marks())
    token = next((token for one in as_list(given, IN_LISTS) for token in one), "")
    width = (1 if isinstance(token, str) else len(token)) + (labels is not None)
    columns = ("word", *(f"column{number}" for number in range(2, width + 1 - labelled)), *["label"] * labelled)
    how = template(f"columns: [{', '.join(columns)}]\nlabel: {columns[-1]}\nfeatures: ['word[0]']", "auto")
    text = labelled_text(given, labels, how) if labelled else _in_memory(given, columns)
    return Sample(text, Layout(columns, "label" if labelled else None), Marks())


def columns_but_label(template: Template) -> tuple[str, ...]:
    """The names of the columns that a token has before it is labelled."""
    return tuple(name for name in template.columns or () if name != template.label)


def _paths(given: Text) -> list[str]:
    """The paths of the files that are given; none if it is a corpus or sentences in memory."""
    if isinstance(given, str | os.PathLike):
        paths = [os.fspath(given)]
    elif isinstance(given, Corpus) or not isinstance(given, Sequence):
        return []
    else:
        paths = [os.fspath(path) for path in given if isinstance(path, str | os.PathLike)]
        if len(paths) < len(given):
            return []
    for path in paths:
        expect_file(path, IN_LISTS)
    return matching(paths)


def _in_memory(given: Text, columns: tuple[str, ...] | None) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if columns is None:
        raise ConfigError("sentences in memory need a template that names its columns")
    corpus = corpus_of(as_list(given, "sentences are a corpus, paths of files or lists of tokens"), columns)
    if not corpus.sentences:
        raise DataError("no sentence in it", corpus.path)
    return corpus


def _with_labels(given: Text, labels: Labels, template: Template) -> Corpus:
    """The sentences with these labels in the column that the template says."""
    if isinstance(given, Corpus) or _paths(given):
        raise ConfigError("labels in lists of their own are for sentences in lists; a file or a corpus has its own")
    sentences = as_list(given, "sentences with labels of their own are lists of tokens")
    columns = as_list(labels, "labels are a list for each sentence")
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
