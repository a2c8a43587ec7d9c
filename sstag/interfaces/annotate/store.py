"""The store of a project: what is kept in its file, and asked of it. What a method has returned is on disk."""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.database import Database
from sstag.interfaces.annotate.keeping import MOST, PAGE, Conflict, LabelCheck, keep, keep_change, take_back
from sstag.interfaces.annotate.label_changes import LABELS, LabelChange, label_history, relabelled, suggested
from sstag.interfaces.annotate.records import Event, Question, Session, Text, Trained
from sstag.interfaces.annotate.rows import (
    EVENTS,
    QUESTIONS,
    as_json,
    event_of,
    keep_texts,
    question_of,
    text_of,
)


class Store:
    """Everything that a project knows."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = Database(path)
        with self._file.reading() as file:
            self.labels = label_history(file)  # the changes of the labels

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection on which one state of the project is read, while others go on writing."""
        return self._file.reading()

    # What a project is

    def settings(self) -> dict[str, Json]:
        """The settings of the project."""
        return {row["name"]: json.loads(row["value"]) for row in self._file.all("select * from setting")}

    def set(self, values: Mapping[str, Json]) -> None:
        """Keeps settings."""
        rows = [(name, as_json(value)) for name, value in values.items()]
        self._file.done(lambda file: file.executemany("insert or replace into setting values (?, ?)", rows))

    def change_labels(self, session: Session, key: str, change: LabelChange, check: LabelCheck) -> list[str]:
        """Keeps a change of the labels, and returns the labels of now; `check` raises an error if they cannot be."""

        def changed(file: sqlite3.Connection) -> list[str]:
            return keep_change(file, session, key, change, check)

        labels = self._file.done(changed)
        with self._file.reading() as file:
            self.labels = label_history(file)
        return labels

    # Annotators and their sessions

    def begin(self, annotator: str, origin: str = PAGE) -> Session:
        """A new session of an annotator, who is known by the name."""

        def begun(file: sqlite3.Connection) -> Session:
            file.execute("insert into annotator (name) values (?) on conflict do nothing", [annotator])
            (number,) = file.execute("select id from annotator where name = ?", [annotator]).fetchone()
            made = file.execute(
                "insert into session (annotator, began, origin) values (?, ?, ?)", [number, time.time(), origin]
            )
            return Session(made.lastrowid or 0, number, annotator)

        return self._file.done(begun)

    def session(self, number: int) -> Session:
        """A session; one that does not exist is an error."""
        query = "select s.id, s.annotator, a.name from session s join annotator a on a.id = s.annotator where s.id = ?"
        row = self._file.one(query, number) if number < MOST else None
        if row is None:
            raise Conflict(f"there is no session {number}: begin one (POST /api/sessions)")
        return Session(*row)

    def keys(self, session: Session) -> Json:
        """The keys that an annotator chose."""
        row = self._file.one("select keys from annotator where id = ?", session.annotator)
        keys: Json = json.loads(row["keys"]) if row else {}
        return keys

    def set_keys(self, session: Session, keys: Mapping[str, str]) -> None:
        """Keeps the keys that an annotator chose."""
        values = [json.dumps(keys), session.annotator]
        self._file.done(lambda file: file.execute("update annotator set keys = ? where id = ?", values))

    # Texts

    def text(self, hash: str) -> Text | None:
        """A text that somebody was asked about, or that an answer is about."""
        row = self._file.one("select id, columns from text where hash = ?", hash)
        return None if row is None else text_of(hash, row["id"], row["columns"])

    def keep_texts(self, texts: Sequence[Text]) -> None:
        """Keeps texts; what is known already stays."""
        self._file.done(lambda file: keep_texts(file, texts))

    # Questions

    def waiting(self, annotator: int, count: int) -> list[Question]:
        """The first questions that wait for an annotator."""
        query = f"{QUESTIONS} where q.annotator = ? and q.answered is null order by q.id limit ?"
        return [question_of(row) for row in self._file.all(query, annotator, count)]

    def question(self, number: int) -> Question | None:
        """A question by its number."""
        row = self._file.one(f"{QUESTIONS} where q.id = ?", number)
        return None if row is None else question_of(row)

    def ask(self, annotator: int, questions: Sequence[Question]) -> None:
        """Keeps questions for an annotator, who is asked nothing twice."""
        insert = """insert into question (text, annotator, model, strategy, asked, shown)
                    values ((select id from text where hash = ?), ?, ?, ?, ?, ?) on conflict do nothing"""
        rows = [
            (one.text.hash, annotator, one.model, one.strategy, time.time(), as_json(one.shown)) for one in questions
        ]

        def asked(file: sqlite3.Connection) -> None:
            keep_texts(file, [one.text for one in questions])
            file.executemany(insert, rows)

        self._file.done(asked)

    def refresh(self, questions: Sequence[Question]) -> None:
        """Keeps other suggestions for questions that still wait."""
        rows = [(one.model, as_json(one.shown), one.id) for one in questions]
        update = "update question set model = ?, shown = ? where id = ? and answered is null"
        self._file.done(lambda file: file.executemany(update, rows))

    def left_by_others(self, annotator: int, since: float) -> list[str]:
        """The hashes of texts that this annotator was not asked about, but others who have done nothing since then."""
        query = """select distinct t.hash from question q join text t on t.id = q.text
                   where q.answered is null and q.asked < ?
                   and q.text not in (select text from question where annotator = ?)
                   and not exists (select 1 from event e where e.annotator = q.annotator and e.at >= ?)
                   and not exists (select 1 from session s where s.annotator = q.annotator and s.began >= ?)
                   order by q.id"""
        return [row["hash"] for row in self._file.all(query, since, annotator, since, since)]

    # Answers

    def keep(self, session: Session, answers: Sequence[Answer]) -> list[int]:
        """Keeps answers, all of them or none; the numbers of their events."""
        return self._file.done(lambda file: [keep(file, session, answer) for answer in answers])

    def undo(self, session: Session, key: str) -> Event | None:
        """Takes back the last answer of an annotator that counts; None if there is none."""
        undone = self._file.done(lambda file: take_back(file, session, key))
        return None if undone is None else self._of_now(undone)

    def steps(self, annotator: int) -> int:
        """How many answers of an annotator can be taken back."""
        query = """select sum(case kind when 'undo' then -1 else 1 end) from event e join session s on s.id = e.session
                   where e.annotator = ? and s.origin = ?"""
        row = self._file.one(query, annotator, PAGE)
        return int(row[0] or 0) if row else 0

    def answered(self, annotator: int) -> int:
        """How many texts an annotator has answered as a whole."""
        query = "select count(distinct thing) from counting where annotator = ? and kind = 'sentence'"
        row = self._file.one(query, annotator)
        return int(row[0]) if row else 0

    def history(self, annotator: int, count: int, before: int) -> list[tuple[Event, Text | None]]:
        """The answers of an annotator that count, the last one first."""
        query = f"""{EVENTS} where e.annotator = ? and e.id < ? and e.kind not in ('undo', '{LABELS}')
                    and not exists (select 1 from event u where u.undoes = e.id) order by e.id desc limit ?"""
        events = [self._of_now(event_of(row)) for row in self._file.all(query, annotator, before, count)]
        return [(event, self.text(event.text) if event.text else None) for event in events]

    def last_said(self, annotator: int, thing: str) -> Event | None:
        """The answer of an annotator about a thing, if one counts."""
        query = f"""{EVENTS} where e.annotator = ? and e.thing = ? and e.kind <> 'undo'
                    and not exists (select 1 from event u where u.undoes = e.id) order by e.id desc limit 1"""
        row = self._file.one(query, annotator, thing)
        return None if row is None else self._of_now(event_of(row))

    def _of_now(self, event: Event) -> Event:
        """An answer in the labels of now; the steps that led to it are left out if they had others."""
        fates = self.labels.after(event.id)
        if fates is None:
            return event
        shown = {name: value for name, value in event.shown.items() if name != "page"}
        return replace(event, said=relabelled(event.kind, event.said, fates), shown=suggested(shown, fates))

    def events_after(self, event: int) -> int:
        """How many answers, and answers taken back, there are after an event."""
        row = self._file.one("select count(*) from event where id > ? and kind not in ('skip', ?)", event, LABELS)
        return int(row[0]) if row else 0

    # Models and suggestions

    def keep_model(self, file: str, event: int, said: Mapping[str, Json]) -> Trained:
        """Keeps what is known of a new model."""
        now = time.time()
        values = [file, now, event, as_json(said)]
        insert = "insert into model (file, made, event, said) values (?, ?, ?, ?)"
        number = self._file.done(lambda file: file.execute(insert, values).lastrowid)
        return Trained(number or 0, file, now, event, said)

    def models(self) -> list[Trained]:
        """All models, in the order in which they were made."""
        rows = self._file.all("select * from model order by id")
        return [Trained(row["id"], row["file"], row["made"], row["event"], json.loads(row["said"])) for row in rows]

    def suggest(self, source: str, suggestions: Sequence[tuple[Text, Json]]) -> None:
        """Keeps what another tool suggests, instead of what it suggested before."""
        insert = "insert or replace into suggestion values ((select id from text where hash = ?), ?, ?)"
        rows = [(text.hash, source, as_json(spans)) for text, spans in suggestions]

        def suggested(file: sqlite3.Connection) -> None:
            keep_texts(file, [text for text, _ in suggestions])
            file.executemany(insert, rows)

        self._file.done(suggested)

    def suggested(self, hash: str) -> Json:
        """The spans that another tool suggested for a text."""
        row = self._file.one("select spans from suggestion where text = (select id from text where hash = ?)", hash)
        return None if row is None else json.loads(row["spans"])
