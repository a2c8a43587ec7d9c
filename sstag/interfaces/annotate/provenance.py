"""Where texts come from: their names and characters, as the file says that they are read from.

A sentence that is alone in its document has the name and the text of the document. One of several is called by the
document and the character where it begins, as in sheets (`letter-1:23`), unless it has a name of its own; and one
without any name is called by file and line, `raw.txt:12`.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.parts import NONE
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import value_said
from sstag.corpus.text.document_parts import Stand, with_stands
from sstag.corpus.text.sentence_heads import SENTENCE_NAME
from sstag.foundation.arrays import Longs
from sstag.foundation.whole_numbers import whole_number
from sstag.interfaces.annotate.records import Provenance


@dataclass(frozen=True)
class FileName:
    """The path that a file is read from, and the name that it has for people."""

    path: str
    name: str | None = None

    @property
    def base(self) -> str:
        """The last part of the name."""
        return os.path.basename(os.path.normpath(self.name or self.path))

    def of(self, said: str) -> str:
        """The name of a text, in which the file is called as people call it."""
        own = os.path.basename(os.path.normpath(self.path))
        return self.base + said.removeprefix(own) if self.name and said.startswith(own) else said


def with_provenances(blocks: Iterable[Block], file: FileName) -> Iterator[tuple[Block, list[Provenance]]]:
    """The blocks of a file that have a sentence, and where each of their sentences comes from."""
    held: tuple[Block, list[Stand]] | None = None
    before = NONE  # the document of the sentence before the block that is held
    for block, stands in with_stands(blocks):
        if not stands:
            continue
        if held:
            yield held[0], _provenances(*held, before, stands[0].head.number, file)
            before = held[1][-1].head.number
        held = block, stands
    if held:
        yield held[0], _provenances(*held, before, NONE, file)


def _provenances(block: Block, stands: Sequence[Stand], before: int, behind: int, file: FileName) -> list[Provenance]:
    """Where the sentences of a block come from, given the documents before it and behind it."""
    documents = [before, *(stand.head.number for stand in stands), behind]
    starts = numbers_in(block, PLACES[1])
    offsets = block.offsets.tolist()
    result = []
    for at, (stand, lines) in enumerate(zip(stands, block.between, strict=False)):
        is_alone = documents[at + 1] not in (documents[at], documents[at + 2])
        head = stand.head if is_alone else stand.own_head
        is_placed = is_alone or stand.stop is not None
        own = [line for line in lines.split(b"\n") if SENTENCE_NAME.match(line)] if b"#" in lines else []
        said = value_said(own[-1]) if own else head.name if is_placed and stand.head.name else ""
        name = file.of(said) if said else f"{file.base}:{int(block.lines[offsets[at]])}"
        made = Provenance((name,), head.text, head.begin)
        if starts is not None and head.text is not None:
            made = replace(made, starts=starts[offsets[at] : offsets[at + 1]].tolist())
        result.append(made)
    return result


def numbers_in(block: Block, name: str) -> Longs | None:
    """The whole numbers in a column of a block; None if there is no such column, or something else stands in it."""
    if name not in block.columns:
        return None
    numbers = [whole_number(value) for value in block.fields[block.column(name)]]
    return None if None in numbers else np.array(numbers, np.int64)
