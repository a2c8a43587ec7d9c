"""The annotated documents that tools have sent, in an SQLite file beside the model that learns from them.

Label Studio tells of one annotation at a time, so they are kept: a server that starts again has forgotten nothing.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import ExitStack, closing

from sstag.corpus.text.documents import Document, Span, Spans
from sstag.corpus.text.json_keys import a_list, a_text, a_whole, an_object
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json, check_plain_json, json_value
from sstag.foundation.plain import kind_of
from sstag.interfaces.annotate.connecting import connected, told_plainly

VERSION = 1
TABLES = """
create table document (
    tool text not null, project text not null, name text not null, said text not null,
    primary key (tool, project, name)
) without rowid;
"""


SCHEMA = "select type, name, sql from sqlite_schema where name not like 'sqlite_autoindex%'"
ADVICE = "move it away, and the tools send their documents again"


class Told:
    """Documents by the tool, the project and the name that they go by there."""

    def __init__(self, path: str) -> None:
        """Opens a file, all of which is looked through, or makes one."""
        self.path = path
        new = not kind_of(path)
        with told_plainly(path, ADVICE), ExitStack() as stack:
            self._file = stack.enter_context(closing(connected(path, new=new)))
            if not new:
                self._check()
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = full")
            if new:
                self._file.executescript(f"begin; {TABLES} pragma user_version = {VERSION}; commit")
            stack.pop_all()

    def _check(self) -> None:
        """Raises an error if the file is not one that a server wrote: somebody may have sent it."""
        version = self._file.execute("pragma user_version").fetchone()[0]
        if version != VERSION:
            raise DataError(f"version {version} of this file is not known, only {VERSION}", self.path)
        with closing(sqlite3.connect(":memory:")) as ours:
            ours.executescript(TABLES)
            wanted = {tuple(row) for row in ours.execute(SCHEMA)}
        if {tuple(row) for row in self._file.execute(SCHEMA)} != wanted:
            raise DataError(f"has other tables than those of sstag: {ADVICE}", self.path)
        self._file.limit()
        if self._file.execute("pragma integrity_check(1)").fetchone()[0] != "ok":
            raise DataError(f"is damaged: {ADVICE}", self.path)
        self._file.limit()
        for name, said in self._file.execute("select name, said from document"):
            try:
                _document(name, said)
            except (DataError, ValueError) as error:
                raise DataError(f"is damaged (document '{name:.60}': {error}): {ADVICE}", self.path) from error

    def keep(self, tool: str, project: str, documents: Iterable[Document], *, all_of_it: bool = False) -> None:
        """Keeps documents in the place of what was known of them, or of the whole project."""
        rows = [(tool, project, one.id, json.dumps(_row(one), ensure_ascii=False)) for one in documents]
        with told_plainly(self.path, ADVICE), self._file:
            self._file.limit()
            self._file.execute("begin immediate")
            if all_of_it:
                self._file.execute("delete from document where tool = ? and project = ?", (tool, project))
            self._file.executemany("insert or replace into document values (?, ?, ?, ?)", rows)

    def forget(self, tool: str, project: str, name: str) -> None:
        """Forgets a document, or nothing if it was not known."""
        values = (tool, project, name)
        with told_plainly(self.path, ADVICE):
            self._file.limit()
            self._file.execute("delete from document where tool = ? and project = ? and name = ?", values)

    def documents(self, tool: str) -> list[Document]:
        """All documents that a tool has sent."""
        with told_plainly(self.path, ADVICE):
            self._file.limit()
            query = "select name, said from document where tool = ? order by project, name"
            return [_document(name, said) for name, said in self._file.execute(query, (tool,))]

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _row(document: Document) -> dict[str, object]:
    spans = [
        [[span.start, span.stop, list(span.labels)] for span in said.spans if span.accepted] for said in document.said
    ]
    return {"text": document.text, "tokens": document.tokens, "starts": document.starts, "said": spans}


def _document(name: str, said: str) -> Document:
    row = an_object(json_value(said), "what it says")
    check_plain_json(row)
    text = a_text(row.get("text"), "'text'")
    spans = tuple(
        Spans(tuple(_span(span, len(text)) for span in a_list(one, "'said'")))
        for one in a_list(row.get("said"), "'said'")
    )
    given, starts = row.get("tokens"), row.get("starts")
    tokens = None if given is None else [_place(one, len(text)) for one in a_list(given, "'tokens'")]
    places = None if starts is None else [a_whole(one, "'starts'") for one in a_list(starts, "'starts'")]
    return Document(name, text, spans, 1, tokens, places)


def _span(given: Json, length: int) -> Span:
    start, stop, labels = [*a_list(given, "a span"), None, None, None][:3]
    first, last = _place([start, stop], length)
    return Span(first, last, tuple(a_text(label, "a label") for label in a_list(labels, "labels")))


def _place(given: Json, length: int) -> tuple[int, int]:
    start, stop = ([a_whole(one, "a place") for one in a_list(given, "a place")] + [-1, -1])[:2]
    if not 0 <= start <= stop <= length:
        raise DataError(f"there is no place from {start} to {stop} in {length} characters")
    return start, stop
