"""Rows of a project's file as records."""

import dataclasses
import json
import sqlite3
from collections.abc import Sequence

from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.records import Event, Provenance, Question, Text

EVENTS = """select e.id, e.at, e.kind, e.thing, e.said, e.seconds, e.question, e.model, e.shown,
                   t.hash, a.name
            from event e join annotator a on a.id = e.annotator left join text t on t.id = e.text"""
QUESTIONS = """select q.id, q.model, q.strategy, q.shown, t.id as text, t.hash, t.columns
               from question q join text t on t.id = q.text"""


def stored_settings(file: sqlite3.Connection) -> dict[str, Json]:
    """The settings of a project by their names."""
    return {row["name"]: json.loads(row["value"]) for row in file.execute("select * from setting")}


def event_of(row: sqlite3.Row) -> Event:
    """The event in a row of `EVENTS`."""
    return Event(
        row["id"], row["at"], row["name"], row["kind"], row["thing"], json.loads(row["said"]), row["seconds"],
        row["hash"], row["question"], row["model"], json.loads(row["shown"]),
    )  # fmt: skip


def text_of(hash: str, number: int, stored: str) -> Text:
    """The text in a row."""
    body = json.loads(stored)
    said = {"names": (), "text": None, "begin": 0, "starts": None, **body.get("origin", {})}
    origin = Provenance(said["names"], said["text"], said["begin"], said["starts"])
    return Text(hash, body["columns"], body["word"], body["joined"], number, origin)


def question_of(row: sqlite3.Row) -> Question:
    """The question in a row of `QUESTIONS`."""
    text = text_of(row["hash"], row["text"], row["columns"])
    return Question(text, row["model"], row["strategy"], json.loads(row["shown"]), row["id"])


def as_json(value: object) -> str:
    """A value as a row has it."""
    return json.dumps(value, ensure_ascii=False)


def keep_texts(file: sqlite3.Connection, texts: Sequence[Text]) -> None:
    """Keeps texts in an open transaction; a text that is known already stays, but may get further names."""
    rows = [(one.hash, _stored(one)) for one in texts]
    file.executemany("insert into text (hash, columns) values (?, ?) on conflict do nothing", rows)
    for one in texts:
        row = file.execute("select id, columns from text where hash = ?", [one.hash]).fetchone()
        known = text_of(one.hash, row["id"], row["columns"])
        if not {*one.origin.names} <= {*known.origin.names}:
            values = [_stored(known.named(one.origin.names)), row["id"]]
            file.execute("update text set columns = ? where id = ?", values)


def _stored(text: Text) -> str:
    """A text as its row has it."""
    return as_json(
        {"columns": text.columns, "word": text.word, "joined": text.joined, "origin": dataclasses.asdict(text.origin)}
    )
