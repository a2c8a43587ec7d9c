"""JSON lines: an object for each sentence, with a list of texts for each column and whatever else is said of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from types import MappingProxyType
from typing import ClassVar

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coded
from sstag.corpus.formats.contract import Input
from sstag.corpus.text.json_spans import ENCODED, others
from sstag.corpus.text.list_records import list_blocks
from sstag.corpus.text.named_rows import telling_words
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentence_records import NAMES, records_of
from sstag.foundation.json_values import Json

CONTROL = bytes({*range(0x20)} - {ord("\n")})  # but for the ends of lines, which divide values here


@dataclass(frozen=True)
class JsonLines:
    """The format of JSON lines: every list of as many texts as there are words is a column."""

    options: TextOptions = field(default_factory=TextOptions)

    fixed: ClassVar[None] = None
    marks: ClassVar[Mapping[str, str | None]] = {}

    def blocks(self, given: Input) -> Iterator[Block]:
        return list_blocks(given, self.options, self.options.keys.get("tokens"))

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        return lines_saying(block, names)


def lines_saying(
    block: Block,
    names: Sequence[str],
    more: Iterable[Mapping[str, Json]] = repeat({}),
    nothing: Mapping[str, Json] = MappingProxyType({}),
) -> bytes:
    """The sentences of a block as JSON lines, each with these columns and the extra keys in `more`, names first.

    Records without a word have the keys in `nothing` instead.
    """
    cells = {name: escaped(block.fields[block.column(name)]) for name in names}
    keys = {name: ENCODED(key).encode() for name, key in zip(names, telling_words(names, block.columns), strict=True)}
    extra = iter(more)
    lines = []
    for tokens, rest in records_of(block, names):
        lists = [listed(keys[name], values[tokens]) for name, values in cells.items()]
        first = {key: rest[key] for key in NAMES if key in rest}
        added = next(extra) if tokens.stop else nothing
        lines.append(line_of([*said(first), *lists, *said(others({**rest, **added}, *first))]))
    return b"".join(lines)


def escaped(values: Sequence[bytes]) -> Sequence[bytes]:
    """Values of a column as they stand between quotes in JSON."""
    if isinstance(values, Coded):
        return values.each(escaped(values.distinct))
    text = b"\n".join(values)
    if len(text.translate(None, CONTROL)) < len(text):
        return [ENCODED(value.decode())[1:-1].encode() for value in values]
    if b'"' in text or b"\\" in text:
        return text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').split(b"\n")
    return values


def listed(key: bytes, values: Sequence[bytes]) -> bytes:
    """A key of JSON and its list of values that are `escaped`."""
    return b'%s: ["%s"]' % (key, b'", "'.join(values)) if values else b"%s: []" % key


def line_of(said: Iterable[bytes]) -> bytes:
    """A line of JSON that says this of a sentence, a key and its value each."""
    return b"{%s}\n" % b", ".join(said)


def said(keys: Mapping[str, Json]) -> list[bytes]:
    """Some keys of a record with their values, as they stand in its line; nothing if there are none."""
    return [ENCODED(dict(keys))[1:-1].encode()] if keys else []


def json_line(said: Mapping[str, object]) -> str:
    """A line that says this of a sentence."""
    return ENCODED(said) + "\n"


JSON_LINES = JsonLines()
