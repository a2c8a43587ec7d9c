"""Documents with the spans that a model finds in them, each with its probability."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout
from sstag.corpus.reading import joined
from sstag.corpus.text.assembly import Assembly
from sstag.corpus.text.block_parts import Labelling
from sstag.corpus.text.document_blocks import document_blocks
from sstag.corpus.text.documents import Document
from sstag.corpus.text.faults import Faults
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_labels import BLANK
from sstag.foundation.parallel import Through, one_by_one
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.model.legality import tags_of
from sstag.model.model import Model
from sstag.model.questions import Question
from sstag.model.tagged_text import parts_of, with_columns
from sstag.model.tagging import answered

TEXT = "the text"  # what messages call a document that came without a file


def prose_layout(model: Model) -> Layout:
    """The layout of prose for a model; one that reads more than words is an error."""
    return replace(model.template.layout(TEXT, Asked("text")), enough=model.columns_read)


def tagged_prose(model: Model, question: Question, documents: Iterable[Document]) -> Iterator[Document]:
    """Documents in memory with the spans that the model finds in their texts."""
    layout = prose_layout(model)
    assert layout.names
    with ExitStack() as stack:
        faults = Faults(TEXT, None, False, stack)
        blocks = document_blocks(faults, layout.names, documents, TextOptions(), False, labelled=False)
        yield from tagged_documents(model, question, blocks, TEXT, map, 1)


def tagged_documents(
    model: Model,
    question: Question,
    blocks: Iterable[Block],
    path: str,
    through: Through,
    threads: int,
    kept: Sequence[str] = (),
) -> Iterator[Document]:
    """The documents of a file with what the model says of them, and with those of its columns that are to be kept."""
    tags = tags_of(model) or tolerant_tagset(model.labels, "plain")
    asked = replace(question, chunks=tags)
    types = [(kind.replace(BLANK, " "),) for kind in tags.types]
    assembly = Assembly(path, kept=kept)

    def said(part: Block) -> tuple[Block, Labelling]:
        if not len(part.rows):
            none = np.zeros(0, np.int64)
            return part, Labelling("", none, none, (), np.zeros(0, bool))
        corpus = joined([with_columns(part, model.columns_read)], part.path)
        answer = answered(model, corpus, asked, one_by_one)
        found = answer.chunks
        labels = [types[kind] for kind in found.type.tolist()]
        sure = answer.chunk_confidence.tolist() if asked.chunk_confidence else None
        return part, Labelling("", found.first, found.stop, labels, np.zeros(len(part.rows), bool), sure)

    for part, labelling in through(said, parts_of(blocks, model, asked, threads)):
        yield from assembly.documents(part, [labelling])
    yield from assembly.last()
