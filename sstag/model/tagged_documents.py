"""Documents with the spans that a model finds in them, each with its probability."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.contexts import NO_CONTEXT, OF_FILE, Context, contexts
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
from sstag.model.second_look import having_read
from sstag.model.tagged_text import parts_of, with_columns
from sstag.model.tagging import answered

TEXT = "the text"  # what messages call a document that came without a file


def prose_layout(model: Model) -> Layout:
    """The layout of prose for a model; one that reads more than words is an error."""
    return replace(model.template.layout(TEXT, Asked("text")), enough=model.columns_read)


def tagged_prose(
    model: Model, question: Question, documents: Iterable[Document], context: Context = NO_CONTEXT
) -> Iterator[Document]:
    """Documents in memory with the spans that the model finds in their texts; together they are a file."""
    layout = prose_layout(model)
    assert layout.names
    with ExitStack() as stack:
        faults = Faults(TEXT, None, False, stack)

        def blocks(of: Iterable[Document]) -> Iterator[Block]:
            assert layout.names
            return document_blocks(faults, layout.names, of, TextOptions(), False, labelled=False)

        if model.first is None:
            context = NO_CONTEXT
        if context == OF_FILE:
            documents = list(documents)
            model, context = having_read(model, blocks(documents)), NO_CONTEXT
        yield from tagged_documents(model, question, blocks(documents), TEXT, map, 1, context=context)


def tagged_documents(
    model: Model,
    question: Question,
    blocks: Iterable[Block],
    path: str,
    through: Through,
    threads: int,
    kept: Sequence[str] = (),
    context: Context = NO_CONTEXT,
) -> Iterator[Document]:
    """The documents of a file with what the model says of them, and with those of its columns that are to be kept.

    A context is one of those that are held in memory; a file is read before.
    """
    tags = tags_of(model) or tolerant_tagset(model.labels, "plain")
    asked = replace(question, chunks=tags)
    types = [(kind.replace(BLANK, " "),) for kind in tags.types]
    assembly = Assembly(path, kept=kept)

    def said(model: Model, part: Block) -> tuple[Block, Labelling]:
        if not len(part.rows):
            none = np.zeros(0, np.int64)
            return part, Labelling("", none, none, (), np.zeros(0, bool))
        corpus = joined([with_columns(part, model.columns_read)], part.path)
        answer = answered(model, corpus, asked, one_by_one)
        found = answer.chunks
        labels = [types[kind] for kind in found.type.tolist()]
        sure = answer.chunk_confidence.tolist() if asked.chunk_confidence else None
        return part, Labelling("", found.first, found.stop, labels, np.zeros(len(part.rows), bool), sure)

    def said_in_context(blocks: Sequence[Block]) -> list[tuple[Block, Labelling]]:
        own = having_read(model, blocks)
        return [said(own, part) for part in parts_of(blocks, own, asked, 1)]

    found: Iterator[tuple[Block, Labelling]]
    if context.is_held:
        found = chain.from_iterable(through(said_in_context, contexts(blocks, context)))
    else:
        found = through(partial(said, model), parts_of(blocks, model, asked, threads))
    for part, labelling in found:
        yield from assembly.documents(part, [labelling])
    yield from assembly.last()
