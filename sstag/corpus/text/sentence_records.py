"""Sentences as records of JSON: what comments say of them as other keys of a record, and such keys as comments.

    # document = letter-1        {"id": "letter-1", "text": "Ann met Bob.", "page": 3, "word": ["Ann", …], …}
    # text = "Ann met Bob."
    # more = {"page": 3}

Of the sentences of one document the first has all keys, and the others its name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sstag.corpus.blocks import Block
from sstag.corpus.parts import NONE
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import NO_HEAD, Head, may_have_comments, value_said
from sstag.corpus.text.json_keys import Object, id_of
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.json_spans import id_written, others
from sstag.foundation.json_values import Json

ID, TEXT, FROM = "id", "text", "from"
SENTENCE_NAME = re.compile(rb"# (?:sent_id|id|sentence(?= = \d+\s*$)) = ")  # the last one is its number in a pool


def with_keys(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks that know what a record says of each of their sentences besides columns."""
    head, before = NO_HEAD, NONE
    for block in blocks:
        if head.number == NONE and not may_have_comments(block):
            yield block
            continue
        keys: list[Mapping[str, Json]] = []
        *lines_before, after = block.between
        for lines in lines_before:
            head = head.after_all(lines)
            keys.append(_keys(head, _sentence_name(lines), head.number != before))
            before = head.number
        head = head.after_all(after)
        yield replace(block, keys=keys)


def _sentence_name(lines: bytes) -> str:
    """The name that comments give a sentence."""
    named = [line for line in lines.split(b"\n") if SENTENCE_NAME.match(line)] if b"#" in lines else []
    return value_said(named[-1]) if named else ""


def _keys(head: Head, own_name: str, is_first: bool) -> Mapping[str, Json]:
    """The keys that a record of a sentence has besides columns; `is_first` if it is the first of its document."""
    found: dict[str, Json] = {ID: id_written(own_name or head.name)} if own_name or head.name else {}
    if is_first:
        if head.text is not None:
            found[TEXT] = head.text
        if head.begin:
            found[FROM] = head.begin
        found |= others(head.more, *found)
    return found


def keys_beside(block: Block, names: Sequence[str]) -> list[Mapping[str, Json]]:
    """The other keys of records with these columns, sentence by sentence; a text is no use without places in it."""
    without = names if {*PLACES[1:]} <= {*names} else (*names, TEXT, FROM)
    return [others(one, *without) for one in block.keys] or [{}] * (len(block.offsets) - 1)


class RecordComments:
    """The comments of the records of a file, one after another."""

    def __init__(self, columns: Sequence[str], id_key: str) -> None:
        self._columns, self._id = columns, id_key
        self._placed = {*PLACES[1:]} <= {*columns}
        self._head: Head | None = None  # of the record before; none as long as no record has a name or other keys

    def of(self, record: Object, at: Record) -> list[str]:
        """The comments of the next record; a record that goes on with the document before has none."""
        more = dict(others(record, *self._columns))
        named = isinstance(more.get(self._id), int | str) and not isinstance(more[self._id], bool)
        name = id_of(more, self._id, at)
        if named:
            del more[self._id]
        if self._head is None and not (more or named):
            return []
        if self._head and self._placed and not more and name == self._head.name and self._head.text is not None:
            return []
        text, begin = (more.get(key) if self._placed else None for key in (TEXT, FROM))
        if isinstance(text, str):
            del more[TEXT]
        if isinstance(begin, int) and begin > 0:
            del more[FROM]
        self._head = Head(
            name=name,
            text=text if isinstance(text, str) else None,
            begin=begin if isinstance(begin, int) and begin > 0 else 0,
            more=more,
        )
        return self._head.comments
