"""Sentences as records of JSON: what comments say of them as other keys of a record, and such keys as comments.

    # document = letter-1        {"id": "letter-1", "text": "Ann met Bob.", "page": 3, "word": ["Ann", …], …}
    # text = "Ann met Bob."
    # more = {"page": 3}

Of the sentences of one document the first has all keys, and the others its name. A sentence with a name of its own has
it as `sent_id`, or as `id` where no document has a name. A document without a word is a record with empty lists.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from sstag.corpus.blocks import Block
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import Head, name_text
from sstag.corpus.text.json_keys import Object, id_of
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.json_spans import id_written, others
from sstag.corpus.text.sentence_heads import SENT_ID, SentenceHead
from sstag.foundation.json_values import Json

ID, TEXT, FROM = "id", "text", "from"
SENTENCE_ID, DOCUMENT_ID = "sent_id", "doc_id"  # the second only where `id` is a column, as in CoNLL-U
NAMES = (ID, DOCUMENT_ID, SENTENCE_ID)  # of records, which stand first in them


def records_of(block: Block, names: Sequence[str]) -> Iterator[tuple[slice, Mapping[str, Json]]]:
    """For each record of a block with these columns its tokens, and its other keys.

    A text is no use without places in it.
    """
    taken = names if {*PLACES[1:]} <= {*names} else (*names, TEXT, FROM)
    nothing = slice(0, 0)
    heads = block.heads.sentences if block.heads else ()
    for sentence, (begin, end) in enumerate(pairwise(block.offsets.tolist())):
        if not heads:
            yield slice(begin, end), {}
            continue
        for document in heads[sentence].empty:
            yield nothing, _keys(SentenceHead(document, "", True, (), True), taken)
        yield slice(begin, end), _keys(heads[sentence], taken)
    for document in block.heads.empty if block.heads else ():
        yield nothing, _keys(SentenceHead(document, "", True, (), True), taken)


def _keys(said: SentenceHead, taken: Sequence[str]) -> Mapping[str, Json]:
    """The keys that a record of a sentence has besides those that are taken."""
    document, found = said.document, dict[str, Json]()
    if document.name:
        found[DOCUMENT_ID if ID in taken else ID] = id_written(document.name)
    if said.name:
        found[SENTENCE_ID if found or ID in taken else ID] = id_written(said.name)
    if said.begins:
        if document.text is not None:
            found[TEXT] = document.text
        if document.begin:
            found[FROM] = document.begin
        found |= others(document.more, *found)
    return others(found, *taken)


class RecordComments:
    """The comments of the records of a file, one after another."""

    def __init__(self, columns: Sequence[str], id_key: str) -> None:
        self._columns, self._id = columns, DOCUMENT_ID if id_key in columns else id_key
        self._placed = {*PLACES[1:]} <= {*columns}
        self._head: Head | None = None  # of the record before; none as long as no record has a name or other keys

    def of(self, record: Object, at: Record) -> list[str]:
        """The comments of the next record; a record that goes on with the document before has at most its own name."""
        more = dict(others(record, *self._columns))
        own = [SENT_ID + name_text(str(more.pop(SENTENCE_ID)))] if _is_name(more.get(SENTENCE_ID)) else []
        name, named = id_of(more, self._id, at), _is_name(more.get(self._id))
        if named:
            del more[self._id]
        if self._head is None and not (more or named):
            return own
        if self._head and not more and name == self._head.name:
            return own
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
        return [*self._head.comments, *own]


def _is_name(value: Json) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
