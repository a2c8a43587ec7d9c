"""The annotated documents that tools have sent, in an SQLite file beside the model that learns from them.

Label Studio tells of one annotation at a time, so they are kept: a server that starts again has forgotten nothing.
"""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from sstag.corpus.text.documents import Document, Span, Spans
from sstag.foundation.errors import DataError

VERSION = 1
TABLES = """
create table document (
    tool text not null, project text not null, name text not null, said text not null,
    primary key (tool, project, name)
) without rowid;
"""


class Told:
    """Documents by the tool, the project and the name that they go by there."""

    def __init__(self, path: str) -> None:
        self.path = path
        known = Path(path).exists()
        try:
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = full")
            if not known:
                self._file.executescript(f"begin; {TABLES} pragma user_version = {VERSION}; commit")
            version = self._file.execute("pragma user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise DataError(f"cannot be read as documents that tools have sent: {error}", path) from error
        if version != VERSION:
            raise DataError(f"version {version} of this file is not known, only {VERSION}", path)

    def keep(self, tool: str, project: str, documents: Iterable[Document], *, all_of_it: bool = False) -> None:
        """Keeps documents in the place of what was known of them, or of the whole project."""
        rows = [(tool, project, one.id, json.dumps(_row(one), ensure_ascii=False)) for one in documents]
        with self._file:
            self._file.execute("begin immediate")
            if all_of_it:
                self._file.execute("delete from document where tool = ? and project = ?", (tool, project))
            self._file.executemany("insert or replace into document values (?, ?, ?, ?)", rows)

    def forget(self, tool: str, project: str, name: str) -> None:
        """Forgets a document, or nothing if it was not known."""
        self._file.execute("delete from document where tool = ? and project = ? and name = ?", (tool, project, name))

    def documents(self, tool: str) -> list[Document]:
        """All documents that a tool has sent."""
        rows = self._file.execute("select name, said from document where tool = ? order by project, name", (tool,))
        return [_document(name, said) for name, said in rows]

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _row(document: Document) -> dict[str, object]:
    spans = [
        [[span.start, span.stop, list(span.labels)] for span in said.spans if span.accepted] for said in document.said
    ]
    return {"text": document.text, "tokens": document.tokens, "starts": document.starts, "said": spans}


def _document(name: str, said: str) -> Document:
    row = json.loads(said)
    spans = tuple(Spans(tuple(Span(a, b, tuple(labels)) for a, b, labels in one)) for one in row["said"])
    tokens = None if row["tokens"] is None else [(start, stop) for start, stop in row["tokens"]]
    return Document(name, row["text"], spans, 1, tokens, row["starts"])
