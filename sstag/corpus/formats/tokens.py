"""Tokens and tags as JSON lines, as Hugging Face's datasets have them and `to_json` writes them.

    {"id": "0", "tokens": ["EU", "rejects", …], "ner_tags": [3, 0, …]}

Whole numbers are labels by `--tag-names`, and -100 is a token that is not scored: `?`. Every other list of as many
texts or whole numbers is a column. What is written has an id in every record: a name that comments tell, or a line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sstag.corpus.blocks import Block
from sstag.corpus.formats.contract import Input
from sstag.corpus.formats.jsonl import escaped, line_of, listed, said
from sstag.corpus.sheets import further
from sstag.corpus.text.json_spans import ENCODED, others
from sstag.corpus.text.list_records import list_blocks
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentence_records import ID, NAMES, records_of

WORDS, TAGS = "tokens", "ner_tags"


@dataclass(frozen=True)
class Tokens:
    """The format of tokens and tags."""

    options: TextOptions = field(default_factory=TextOptions)

    fixed: ClassVar[None] = None
    marks: ClassVar[Mapping[str, str | None]] = {}

    def blocks(self, given: Input) -> Iterator[Block]:
        return list_blocks(given, self.options, self.options.keys.get("tokens", WORDS))

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        """The sentences as JSON lines: the first column is `tokens`, the last of several `ner_tags`."""
        called = [WORDS, *([TAGS] if len(names) > 1 else [])]
        for name in names[1:-1]:
            called.insert(-1, further(name, called))
        keys = [ENCODED(key).encode() for key in called]
        cells = [escaped(block.fields[block.column(name)]) for name in names]
        lines = []
        for tokens, rest in records_of(block, (*names, *called)):
            lists = [listed(key, one[tokens]) for key, one in zip(keys, cells, strict=True)]
            first = {key: rest[key] for key in NAMES if key in rest}
            if ID not in called and (ID in rest or tokens.stop):
                first = {**first, ID: str(rest[ID] if ID in rest else block.lines[tokens.start])}
            lines.append(line_of([*said(first), *lists, *said(others(rest, *first))]))
        return b"".join(lines)


TOKENS = Tokens()
