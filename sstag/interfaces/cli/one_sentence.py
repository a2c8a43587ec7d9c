"""One sentence of a file, by its number: what several commands look into."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sstag.corpus.blocks import Block
from sstag.corpus.contexts import NO_CONTEXT, OF_FILE, Context, contexts
from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import joined, read_blocks
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.readings import readings

if TYPE_CHECKING:
    from sstag.model.model import Model


def sentence_of_file(path: str, layout: Layout, number: int, enough: Sequence[str] = ()) -> Corpus:
    """A sentence of a file as a corpus; nothing after it is read. A file with the columns `enough` will do."""
    return _sentence(read_blocks(path, replace(layout, enough=tuple(enough))), path, number)


def sentence_in_context(
    path: str, layout: Layout, number: int, model: "Model", context: Context
) -> "tuple[Corpus, Model]":
    """A sentence of a file as a corpus, and the model that has read its context."""
    from sstag.model.second_look import having_read  # most models have one stage

    layout = replace(layout, enough=model.columns_read)
    if context == NO_CONTEXT:
        return _sentence(read_blocks(path, layout), path, number), model
    if context == OF_FILE:
        with readings(path, layout.pieces) as reading:
            own = having_read(model, read_blocks(path, layout, data=reading()))
            return _sentence(read_blocks(path, layout, data=reading()), path, number), own
    seen = 0
    for blocks in contexts(read_blocks(path, layout), context):
        count = sum(len(block.lengths) for block in blocks)
        if seen + count >= number:
            return _sentence(blocks, path, number - seen), having_read(model, blocks)
        seen += count
    raise _absent(path, number, seen)


def _sentence(blocks: Iterable[Block], path: str, number: int) -> Corpus:
    seen = 0
    for block in blocks:
        count = len(block.offsets) - 1
        if seen + count < number:
            seen += count
            continue
        index = number - seen - 1
        first, stop = (lines[index] for lines in block.spans)
        return joined([block.part(slice(index, index + 1), slice(first, stop))], path)
    raise _absent(path, number, seen)


def _absent(path: str, number: int, seen: int) -> DataError:
    return DataError(f"there is no sentence {number}: the file has {seen}", display_name(path))
