"""The documents that `sstag convert` writes: those of a file with spans as they are, or those that columns make."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coded
from sstag.corpus.column_names import ALIASES, word_place
from sstag.corpus.formats import document_input
from sstag.corpus.formats.conllu import MISC, NOTHING
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.sheets import annotator_columns, annotator_of
from sstag.corpus.text.assembly import Assembly
from sstag.corpus.text.document_blocks import LABEL
from sstag.corpus.text.documents import Document
from sstag.corpus.text.folders import bytes_of
from sstag.corpus.text.losses import counted_comments
from sstag.corpus.text.spacing import ITEMS, PLACES
from sstag.corpus.text.span_format import SpanFormat
from sstag.corpus.text.span_tokens import shown
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.readings import Reader, readings
from sstag.interfaces.cli.options import Reading
from sstag.labels.marks import Marks
from sstag.labels.relabelling import relabelling, with_labels
from sstag.labels.spans_of_labels import ValueSpans, labelling

OF_TOKENS = {"tokenize", "sentences", "cut", "overlaps", "parted", "rest"}  # options about tokens
OF_WORDS = ("form", "start", "end")  # columns that say what words are, and where
ID = "id"  # the numbers of words in CoNLL-U
OF_SPACES = (*ITEMS, *PLACES)  # items of misc that say where words are
MADE = "iob2"  # the scheme of columns that are made of documents


class Relabel(NamedTuple):
    """The scheme of the input, the one to write, and whether ill-formed sequences are mended."""

    old: str | None
    new: str | None
    repair: bool


def documents(
    file: str, how: Reading, relabel: Relabel, kept: Sequence[str], pieces_stay: bool, lost: Counter[str]
) -> Iterator[Document]:
    """The documents of a file. Those of a format with spans are not made tokens of, so nothing is lost between.

    Those that are made of columns keep what stands in the columns of some names; what else is said there is counted.

    If tokens are asked for, or what becomes of spans beside them, they are, as every other command makes them.
    """
    made = document_input(file, how.asked)
    if made and not any(relabel) and OF_TOKENS.isdisjoint(how.asked.options.changed):
        for document in made.documents(file, bytes_of(file, how.asked.options.encoding)):
            parted = next((span for said in document.said for span in said.spans if span.pieces), None)
            if parted and not pieces_stay:
                message = (
                    f"{shown(document.text, parted)} has several pieces (--discontinuous join makes one span of them)"
                )
                raise DataError(message, display_name(file), document.line)
            yield document
        return
    layout = how.layout(file)
    marks = how.marks_of(layout)
    with readings(file, layout.pieces) as reading:
        yield from _of_blocks(file, layout, marks, relabel, kept, bool(made), reading, lost)


def _of_blocks(
    file: str,
    layout: Layout,
    marks: Marks,
    relabel: Relabel,
    kept: Sequence[str],
    held: bool,
    reading: Reader,
    lost: Counter[str],
) -> Iterator[Document]:
    """The documents that columns make, or those of a format with spans whose tokens have other labels."""
    change = None
    scheme = MADE
    if layout.label and (any(relabel) or not held):
        change = relabelling(file, layout, marks, *relabel, reading())
        scheme = change.scheme
    assembly: Assembly | None = None
    # Spans follow from the values that were read already, unless the labels are changed.
    known = ValueSpans(change.texts, scheme, marks) if change and not any(relabel) else None
    saying = set[str]()  # columns that no document keeps, and that say something
    blocks = read_blocks(file, counting(layout, lost), data=reading() if change else None)
    for block in blocks if held else counted_comments(blocks, lost):
        if change and not known and len(block.rows):
            block = with_labels(block, change.labels(block), change.column)
        columns = annotator_columns(block.columns, layout.label or LABEL)
        there = columns or [name for name in block.columns if name == layout.label]
        by = [annotator_of(name) if columns else "" for name in there]
        if assembly is None:
            assembly = Assembly(display_name(file), by, kept)
        if known and change and not columns:
            said = [known.of(change.values(block), block.offsets)]
        else:
            said = [labelling(block, name, scheme, marks, one) for name, one in zip(there, by, strict=True)]
        saying |= {name for name in block.columns if name not in (*there, *kept) and _says_more(block, name)}
        yield from assembly.documents(block, said)
    if assembly:
        yield from assembly.last()
    if saying:
        lost[f"columns ({', '.join(sorted(saying))})"] = len(saying)


def counting(layout: Layout, lost: Counter[str]) -> Layout:
    """A layout whose format, if it is one of documents, counts what columns have no place for."""
    form = layout.format
    return replace(layout, format=replace(form, lost=lost)) if isinstance(form, SpanFormat) else layout


def _says_more(block: Block, name: str) -> bool:
    """Whether a column says more than words, their places and numbers do."""
    own, place = ALIASES.get(name, name), block.column(name)
    if own in OF_WORDS or (name == ID and block.format.fixed) or place == word_place(block.columns):
        return False
    values = block.fields[place] if len(block.rows) else ()
    nothing = {NOTHING.encode()} if block.format.fixed else set()
    if own != MISC:
        return not {*(values.distinct if isinstance(values, Coded) else values)} <= nothing
    items = {item.partition(b"=")[0].decode() for value in {*values} - nothing for item in value.split(b"|")}
    return not items <= {*OF_SPACES, *block.columns}
