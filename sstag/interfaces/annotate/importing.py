"""Files of others in a project: annotations, suggestions of another tool, and more texts.

Where a file names several annotators, as an export does, each answer is that of its annotator.
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import word_place
from sstag.corpus.fingerprints import mixed, value_hashes
from sstag.corpus.formats import Asked, document_input
from sstag.corpus.layout import Layout
from sstag.corpus.reading import held_blocks, joined
from sstag.corpus.sheets import DIVIDER, annotator_columns, annotator_of
from sstag.corpus.text.block_parts import Labelling
from sstag.corpus.text.document_blocks import LABEL
from sstag.corpus.text.encodings import GROWTH
from sstag.corpus.text.folders import bytes_of
from sstag.features.reading import load_template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import whole
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.building import glued
from sstag.interfaces.annotate.pool import hash_text
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.provenance import FileName, with_provenances
from sstag.interfaces.annotate.records import Provenance, Text
from sstag.interfaces.annotate.saying import OUTSIDE, Said, Span
from sstag.labels.marks import Marks
from sstag.labels.spans_of_labels import labelling

ANNOTATIONS, SUGGESTIONS, POOL = KINDS = ("annotations", "suggestions", "pool")
LONGEST_NAME = 40  # characters of an annotator's
OF_DOCUMENTS = "iob2"  # the scheme of columns that are made of documents


@dataclass(frozen=True)
class Imported:
    """How many texts a file has, and how many of them were new to the project."""

    texts: int
    new: int


@dataclass(frozen=True)
class File:
    """A file to import: where it is, its name, its format, and what it is taken as."""

    path: str
    name: str
    asked: Asked
    kind: str


def imported(project: Project, file: File, annotator: str) -> Imported:
    """Takes a file into a project, all of it or nothing."""
    if file.kind not in KINDS:
        raise ConfigError(f"a file is imported as {', '.join(KINDS)}, not as '{file.kind:.40}'")
    file, named = _with_annotators(file)
    if file.kind != POOL:
        project.check_texts()
    layout = layout_of(project, file)
    if file.kind == POOL:
        before = project.pool.texts
        project.add(FileName(file.path, file.name), layout)
        return Imported(project.pool.texts - before, project.pool.texts - before)
    if layout.label is None:
        raise DataError("has no label column", file.name)
    said = list(_texts(project, file, layout, named))
    known = {text.hash: project.store.text(text.hash) or project.pool.find(text.hash) for text, _, _ in said}
    new = sum(known[hash] is None for hash in dict.fromkeys(text.hash for text, _, _ in said))
    said = [((known[text.hash] or text).named(text.origin.names), by, one) for text, by, one in said]
    texts = [*{text.hash: text for text, _, _ in said}.values()]
    several = {by for _, by, _ in said}
    if file.kind == SUGGESTIONS and len(several) > 1:
        raise DataError(f"has the annotations of {', '.join(sorted(several))}: as suggestions, those of one", file.name)
    if file.kind == SUGGESTIONS:
        suggestions: list[tuple[Text, Json]] = [
            (text, [{**span.json, "probability": None} for span in one.spans]) for text, _, one in said
        ]
        project.store.suggest(file.name, suggestions)
        return Imported(len(texts), new)
    project.store.keep_texts(texts)
    label = secrets.token_hex(8)
    for by in dict.fromkeys(by for _, by, _ in said):
        answers = [
            Answer(f"{label}-{number}", "sentence", f"text:{text.hash}", one.json, text.hash)
            for number, (text, name, one) in enumerate(said)
            if name == by
        ]
        project.store.keep(project.store.begin(_name(by) or annotator, f"import:{file.name}"), answers)
    return Imported(len(texts), new)


def _name(by: str) -> str:
    """The name of an annotator in a file as a project can have it."""
    return "".join(one for one in by if one.isprintable()).strip()[:LONGEST_NAME]


def _with_annotators(file: File) -> tuple[File, tuple[str, ...]]:
    """A file read with a label column of each annotator, if its documents name several, and their names."""
    made = document_input(file.path, file.asked) if file.kind != POOL else None
    options = file.asked.options
    can_be_read_twice = os.path.isfile(file.path) or os.path.isdir(file.path)
    if made is None or options.annotators or not can_be_read_twice:
        return file, options.annotators
    pieces = whole(file.path, bytes_of(file.path, options.encoding), GROWTH if options.encoding else 1)
    documents = made.documents(file.path, pieces)
    named = tuple(dict.fromkeys(said.by for document in documents for said in document.said))
    if len(named) > 1:
        file = replace(file, asked=replace(file.asked, options=replace(options, annotators=named)))
    return file, named


def layout_of(project: Project, file: File) -> Layout:
    """How a file is read: with the columns of the project, and perhaps a label."""
    template = load_template(project.settings.template)
    return template.raw_layout(file.path, file.asked) if file.kind == POOL else template.layout(file.path, file.asked)


def _texts(project: Project, file: File, layout: Layout, named: Sequence[str]) -> Iterator[tuple[Text, str, Said]]:
    """The texts of a file, and what each annotator says of them: nobody who is named, or one after another."""
    names = project.pool.parts[0].corpus.columns
    made_of_documents = document_input(file.path, file.asked) is not None
    scheme = OF_DOCUMENTS if made_of_documents else project.settings.scheme
    blocks = held_blocks(file.path, layout)
    for block, provenances in with_provenances(blocks, FileName(file.path, file.name)):
        if missing := next((name for name in (*names, layout.label) if name not in block.columns), None):
            raise DataError(f"no column '{missing}', which the texts of the project have", file.name)
        texts = [*_of_block(block, names, provenances, file.name)]
        columns = _label_columns(block, layout, named)
        for by, column in columns.items():
            found = _said(project, block, labelling(block, column, scheme, Marks()), file.name)
            for text, said in zip(texts, found, strict=True):
                if len(columns) == 1 or said.spans or len(said.open) < len(text.tokens):
                    yield text, by, said


def _label_columns(block: Block, layout: Layout, named: Sequence[str]) -> dict[str, str]:
    """The columns of labels by the names of the annotators; of columns, the ones that a project is exported in."""
    label, fixed = str(layout.label), layout.format.fixed
    if fixed is None:
        several = annotator_columns(block.columns, LABEL) or annotator_columns(block.columns, label)
        return {annotator_of(name): name for name in several} or {_only_name(named): label}
    places = [place for place, name in enumerate(fixed.names) if name.startswith(LABEL + DIVIDER)]
    if places:
        return {name: block.columns[place] for name, place in zip(named, places, strict=True)}
    return {_only_name(named): label}


def _only_name(named: Sequence[str]) -> str:
    """The annotator of a file with one column of labels: the only one that it names, or none."""
    return named[0] if len(named) == 1 else ""


def _of_block(block: Block, names: tuple[str, ...], provenances: Sequence[Provenance], path: str) -> Iterator[Text]:
    corpus = joined([block], path)
    words = corpus.column(names[word_place(names)])
    hashes = mixed([value_hashes(corpus.values[words])[corpus.codes[words]]], corpus.offsets)
    together = glued(block)
    for sentence, number in enumerate(hashes.tolist()):
        first, stop = corpus.offsets[sentence : sentence + 2].tolist()
        without = None if together is None else np.flatnonzero(together[first:stop]).tolist()
        columns = {name: corpus.words(name, sentence) for name in names}
        yield Text(hash_text(number), columns, names[word_place(names)], without, origin=provenances[sentence])


def _said(project: Project, block: Block, said: Labelling, path: str) -> Iterator[Said]:
    """The spans and the open tokens of each sentence of a block."""
    labels = project.settings.labels
    bounds = np.searchsorted(said.first, block.offsets).tolist()
    places = block.offsets.tolist()
    for sentence, (first, stop) in enumerate(pairwise(places)):
        spans: list[Span] = []
        for one in range(bounds[sentence], bounds[sentence + 1]):
            if wrong := next((label for label in said.labels[one] if label not in labels and label != OUTSIDE), None):
                known = ", ".join(labels)
                line = int(block.lines[said.first[one]])
                raise DataError(f"the project has no label '{wrong}' (it has {known})", path, line)
            spans.append(Span(int(said.first[one]) - first, int(said.stop[one]) - first, said.labels[one]))
        open_ = tuple(Span(token, token + 1) for token in range(stop - first) if said.open[first + token])
        yield Said(tuple(spans), open_)
