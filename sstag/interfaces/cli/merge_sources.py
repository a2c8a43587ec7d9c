"""The sources of `sstag merge` and `sstag agree`: files with labels, models, and lists of labelled features."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sstag.corpus.blocks import Block
from sstag.corpus.corpus import Corpus, with_column
from sstag.corpus.reading import read, refuse_changed
from sstag.evaluation.alignment import check_words
from sstag.features.template import Template
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.parallel import shards
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading
from sstag.knowledge.annotators.votes import Source
from sstag.knowledge.labelled_features import labelled, labels_of_lines, read_features
from sstag.model.model_file import load

MOST_SOURCES = 1000


@dataclass(frozen=True)
class Named:
    """The sources as options name them."""

    files: Sequence[str]
    models: Sequence[str] = ()
    lists: Sequence[str] = ()
    functions: Sequence[str] = ()  # lists, of which each line is a source
    raw: bool = False  # the one file has no labels


def sources_of(
    named: Named,
    how: Reading,
    threads: int,
    tell: Callable[[str], None],
    through: Callable[[Iterator[Block]], Iterator[Block]] = iter,
) -> list[Source]:
    """The files, models and lists that label, over the words of the first file; its blocks pass through a function."""
    first = read(named.files[0], how.layout(named.files[0]), through)
    found = [] if named.raw else list(_of_files(named.files, first, how))
    for path in named.models:
        tell(f"{path}: tagging")
        model = load(path)
        text = read(named.files[0], model.template.layout(named.files[0], how.asked))
        refuse_changed(named.files[0], first.digest, text.digest)
        with shards(threads) as over:
            codes = model.tagged(model.dataset(text), over)
        found.append(
            Source(
                display_name(path), with_column(first, model.template.label, model.labels, codes), model.template.label
            )
        )
    told: set[str] = set()
    for path in named.lists:
        found += _of_list(path, named.files[0], first, how, told, each=False)
    for path in named.functions:
        tell(f"{path}: labelling")
        found += _of_list(path, named.files[0], first, how, told, each=True)
    if len(found) > MOST_SOURCES:
        raise DataError(f"{len(found):,} sources (at most {MOST_SOURCES:,})", first.path)
    return found


def _of_files(paths: Sequence[str], first: Corpus, how: Reading) -> Iterator[Source]:
    """The label columns of files that have the same words."""
    for place, path in enumerate(paths):
        layout = how.layout(path)
        corpus = read(path, layout) if place else first
        check_words(first, corpus)
        if layout.label is None or layout.label not in corpus.columns or len(corpus.columns) == 1:
            raise DataError("no label column", corpus.path)
        yield Source(display_name(path), corpus, layout.label)


def _of_list(path: str, where: str, first: Corpus, how: Reading, told: set[str], each: bool) -> Iterator[Source]:
    """A list of labelled features as one source over the file `where`, or each of its lines as one.

    Warnings that were told before are not told again: a list may be given in both ways.
    """
    layout = how.layout(where)
    label, marks = layout.label or "label", how.marks_of(layout)
    listed = read_features(path, Template(first.columns, label, ()))
    parts = [replace(listed, lines=(line,)) for line in listed.lines] if each else [listed]
    for part in parts:
        made = labelled(part, labels_of_lines(part, marks), first, marks, ())
        for text in made.warnings:
            if text not in told:
                told.add(text)
                say(text)
        yield Source(part.lines[0].attribute if each else display_name(path), made.corpus, label)
