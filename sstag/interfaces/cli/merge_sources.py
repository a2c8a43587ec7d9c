"""The sources of `sstag merge` and `sstag agree`: files with labels, models, and lists of labelled features.

A file may hold the labels of several annotators: in columns `label.vera` and `label.paul`, or as annotations of texts
that name whoever made them. Each of them is a source of its own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.corpus import Corpus, with_column, without_columns
from sstag.corpus.formats import document_input
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read, refuse_changed
from sstag.corpus.sheets import DIVIDER, annotator_columns, annotator_of
from sstag.corpus.text.document_blocks import LABEL
from sstag.corpus.text.documents import OPEN, Document
from sstag.corpus.text.folders import bytes_of
from sstag.evaluation.alignment import check_words
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError, counted, few
from sstag.foundation.files import STANDARD, display_name
from sstag.foundation.parallel import shards
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading
from sstag.knowledge.annotators.votes import Source, Votes
from sstag.knowledge.labelled_features import labelled, labels_of_lines, read_features
from sstag.model.model_file import load
from sstag.model.second_look import in_own_context

MOST_SOURCES = 1000


@dataclass(frozen=True)
class Named:
    """The sources as options name them."""

    files: Sequence[str]
    models: Sequence[str] = ()
    lists: Sequence[str] | None = None  # None if the command takes none
    functions: Sequence[str] = ()  # lists, of which each line is a source
    raw: bool = False  # the one file has no labels

    @property
    def further(self) -> str:
        """The ways to name another source, for an error on a single one."""
        lists = "" if self.lists is None else ", --labeled-features, --functions"
        return f"name two or more (--model{lists})" if self.raw else f"name two files or more (or --model{lists})"


@dataclass(frozen=True)
class LabelledFile:
    """A file, how it is read, and the columns that somebody asks for by name, if not all of its annotators'."""

    path: str
    how: Reading
    asked: tuple[str, ...] = ()

    @cached_property
    def layout(self) -> Layout:
        """How the file is read."""
        return self.how.layout(self.path)

    @cached_property
    def stem(self) -> str:
        """The column of the labels, whoever gave them."""
        fixed = self.layout.format.fixed
        label = self.asked[0] if self.asked else self.layout.label or (fixed.label if fixed else LABEL)
        return label if len(self.asked) == 1 else label.partition(DIVIDER)[0]

    def columns(self, corpus_columns: Sequence[str]) -> list[str]:
        """The columns with labels."""
        if self.asked:
            return [*self.asked]
        several = annotator_columns(corpus_columns, self.stem)
        return several or [name for name in corpus_columns if name == self.layout.label]

    def without_annotators(self, block: Block) -> Block:
        """A block of the file without the columns of single annotators."""
        columns = self.columns(block.columns)
        if columns == [self.stem]:
            return block
        kept = [name for name in block.columns if name not in columns]
        fields = [block.fields[block.column(name)] for name in kept]
        return replace(block, text=block.format.text(block, kept), columns=tuple(kept), fields=fields)

    def sources(self, corpus: Corpus, alone: bool) -> Iterator[Source]:
        """Each column of labels over the text, as if it were the only one."""
        columns = self.columns(corpus.columns)
        if not columns or self.layout.label is None or len(corpus.columns) == 1:
            raise DataError("no label column", corpus.path)
        if columns == [self.stem]:
            yield Source(display_name(self.path), corpus, self.stem)
            return
        text = without_columns(corpus, [*columns, *annotator_columns(corpus.columns, self.stem)])
        for name in columns:
            place = corpus.column(name)
            own = with_column(text, self.stem, corpus.values[place], corpus.codes[place])
            by = annotator_of(name) or name
            yield Source(by if alone else f"{display_name(self.path)}:{by}", own, self.stem)


def labelled_file(path: str, how: Reading) -> LabelledFile:
    """A file with the labels of one or more annotators, of whom all are read unless some are asked for."""
    asked = tuple(name.strip() for name in how.label.split(",")) if how.label else ()
    how = replace(how, label=None if len(asked) > 1 else how.label)
    made = document_input(path, how.asked) if path != STANDARD and not how.asked.options.annotators else None
    if made and (by := _annotators_in(path, made.documents(path, bytes_of(path, how.asked.options.encoding)))):
        options = replace(how.asked.options, annotators=by)
        how = replace(how, asked=replace(how.asked, options=options))
    return LabelledFile(path, how, asked)


def _annotators_in(path: str, documents: Iterator[Document]) -> tuple[str, ...]:
    """The annotators that the texts of a file name, if these are several.

    It is said how many texts name none, though others do.
    """
    names, unnamed, texts = Counter[str](), 0, 0
    for document in documents:
        texts += 1
        by = dict.fromkeys(said.by for said in document.said if said.spans or said.rest != OPEN)
        names.update(name for name in by if name)
        unnamed += "" in by
    if len(names) < 2:
        return ()
    if unnamed:
        where = f"{display_name(path)}: {unnamed:,} of {counted(texts, 'text')}"
        say(f"{where} do not name who annotated them: their labels count for nobody")
    return tuple(names)


def say_silent(votes: Votes, annotators: int, path: str) -> None:
    """Says of how many sentences each of the first annotators says nothing, though others do."""
    first = votes.offsets[:-1]
    spoken = np.logical_or.reduceat(votes.spoken, first)
    lines = []
    for name, said in zip(votes.names[:annotators], votes.said[:annotators], strict=True):
        silent = int((spoken & ~np.logical_or.reduceat(said, first)).sum())
        if silent:
            of = counted(len(first), "sentence")
            lines.append(f"{name} says nothing of {silent:,} of {of}: they are open, and count for others alone")
    for line in few(lines, display_name(path), "annotators"):
        say(line)


def sources_of(
    named: Named,
    how: Reading,
    threads: int,
    tell: Callable[[str], None],
    through: Callable[[Iterator[Block]], Iterator[Block]] = iter,
) -> tuple[list[Source], LabelledFile]:
    """The files, models and lists that label, over the words of the first file, and how that is read.

    The blocks of the first file pass through a function.
    """
    files = [LabelledFile(path, how) if named.raw else labelled_file(path, how) for path in named.files]
    first = read(named.files[0], files[0].layout, through)
    found = [] if named.raw else list(_of_files(files, first))
    for path in named.models:
        tell(f"{path}: tagging")
        model = load(path)
        text = read(named.files[0], model.template.layout(named.files[0], files[0].how.asked))
        refuse_changed(named.files[0], first.digest, text.digest)
        with shards(threads) as over:
            model = in_own_context(model, text, over)
            codes = model.tagged(model.dataset(text), over)
        found.append(
            Source(
                display_name(path), with_column(first, model.template.label, model.labels, codes), model.template.label
            )
        )
    told: set[str] = set()
    for path in named.lists or ():
        found += _of_list(path, files[0], first, told, each=False)
    for path in named.functions:
        tell(f"{path}: labelling")
        found += _of_list(path, files[0], first, told, each=True)
    if len(found) < 2:
        raise ConfigError(f"one source: {named.further}")
    if len(found) > MOST_SOURCES:
        raise DataError(f"{len(found):,} sources (at most {MOST_SOURCES:,})", first.path)
    return found, files[0]


def _of_files(files: Sequence[LabelledFile], first: Corpus) -> Iterator[Source]:
    """The label columns of files that have the same words."""
    for place, file in enumerate(files):
        corpus = read(file.path, file.layout) if place else first
        check_words(first, corpus)
        yield from file.sources(corpus, alone=len(files) == 1)


def _of_list(path: str, file: LabelledFile, first: Corpus, told: set[str], each: bool) -> Iterator[Source]:
    """A list of labelled features as one source over the first file, or each of its lines as one.

    Warnings that were told before are not told again: a list may be given in both ways.
    """
    label, marks = file.stem, file.how.marks_of(file.layout)
    listed = read_features(path, Template(first.columns, label, ()))
    parts = [replace(listed, lines=(line,)) for line in listed.lines] if each else [listed]
    for part in parts:
        made = labelled(part, labels_of_lines(part, marks), first, marks, ())
        for text in made.warnings:
            if text not in told:
                told.add(text)
                say(text)
        yield Source(part.lines[0].attribute if each else display_name(path), made.corpus, label)
