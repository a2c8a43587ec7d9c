"""Files of others in a project: annotations, suggestions of another tool, and more texts."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import word_place
from sstag.corpus.fingerprints import mixed, value_hashes
from sstag.corpus.formats import Asked, document_input
from sstag.corpus.layout import Layout
from sstag.corpus.reading import held_blocks, joined
from sstag.corpus.text.block_parts import Labelling
from sstag.features.reading import load_template
from sstag.foundation.errors import ConfigError, DataError
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
    layout = layout_of(project, file)
    if file.kind == POOL:
        before = project.pool.texts
        project.add(FileName(file.path, file.name), layout)
        return Imported(project.pool.texts - before, project.pool.texts - before)
    if layout.label is None:
        raise DataError("has no label column", file.name)
    said = list(_texts(project, file, layout))
    known = {text.hash: project.store.text(text.hash) or project.pool.find(text.hash) for text, _ in said}
    new = sum(known[text.hash] is None for text, _ in said)
    said = [((known[text.hash] or text).named(text.origin.names), one) for text, one in said]
    texts = [text for text, _ in said]
    if file.kind == SUGGESTIONS:
        suggestions: list[tuple[Text, Json]] = [
            (text, [{**span.json, "probability": None} for span in one.spans]) for text, one in said
        ]
        project.store.suggest(file.name, suggestions)
        return Imported(len(texts), new)
    project.store.keep_texts(texts)
    session = project.store.begin(annotator, f"import:{file.name}")
    label = secrets.token_hex(8)
    project.store.keep(
        session,
        [
            Answer(f"{label}-{number}", "sentence", f"text:{text.hash}", one.json, text.hash)
            for number, (text, one) in enumerate(said)
        ],
    )
    return Imported(len(texts), new)


def layout_of(project: Project, file: File) -> Layout:
    """How a file is read: with the columns of the project, and perhaps a label."""
    template = load_template(project.settings.template)
    return template.raw_layout(file.path, file.asked) if file.kind == POOL else template.layout(file.path, file.asked)


def _texts(project: Project, file: File, layout: Layout) -> Iterator[tuple[Text, Said]]:
    """The texts of a file, and what it says of them."""
    names = project.pool.parts[0].corpus.columns
    made_of_documents = document_input(file.path, file.asked) is not None
    scheme = OF_DOCUMENTS if made_of_documents else project.settings.scheme
    blocks = held_blocks(file.path, layout)
    for block, provenances in with_provenances(blocks, FileName(file.path, file.name)):
        if missing := next((name for name in (*names, layout.label) if name not in block.columns), None):
            raise DataError(f"no column '{missing}', which the texts of the project have", file.name)
        said = labelling(block, str(layout.label), scheme, Marks())
        texts = _of_block(block, names, provenances, file.name)
        yield from zip(texts, _said(project, block, said, file.name), strict=True)


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
