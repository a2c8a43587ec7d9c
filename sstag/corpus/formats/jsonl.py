"""JSON lines: an object for each sentence, with a list of texts for each column and whatever else is said of it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import ClassVar

from sstag.corpus.blocks import Block
from sstag.corpus.formats.contract import Input
from sstag.corpus.text.list_records import list_blocks
from sstag.corpus.text.options import TextOptions


@dataclass(frozen=True)
class JsonLines:
    """The format of JSON lines: every list of as many texts as there are words is a column."""

    options: TextOptions = field(default_factory=TextOptions)

    fixed: ClassVar[None] = None
    marks: ClassVar[Mapping[str, str | None]] = {}

    def blocks(self, given: Input) -> Iterator[Block]:
        return list_blocks(given, self.options, self.options.keys.get("tokens"))

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        return lines_saying(block, names, repeat({}))


def lines_saying(block: Block, names: Sequence[str], more: Iterable[Mapping[str, object]]) -> bytes:
    """The sentences of a block as JSON lines, each with these columns and the extra keys in `more`."""
    cells = {name: [value.decode() for value in block.fields[block.column(name)]] for name in names}
    bounds = pairwise(block.offsets.tolist())
    return "".join(
        json_line({name: values[begin:end] for name, values in cells.items()} | dict(rest))
        for (begin, end), rest in zip(bounds, more, strict=False)
    ).encode()


def json_line(said: Mapping[str, object]) -> str:
    """A line that says this of a sentence."""
    return json.dumps(said, ensure_ascii=False) + "\n"


JSON_LINES = JsonLines()
