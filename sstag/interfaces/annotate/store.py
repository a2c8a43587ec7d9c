"""The store of a project: one SQLite file. What a method has returned is on disk.

There is one connection, used by one thread at a time; reading that takes long has a connection of its own (`reading`).
"""

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.records import Event, Question, Session, Text, Trained
from sstag.interfaces.annotate.tables import brought_up_to_date

PAGE = "page"  # the origin of sessions in which a person answers; what came from elsewhere is not undone by steps
ASKS = ("sentence", "skip")  # kinds of answers that settle a question
MOST = 2**53  # no number of a client is larger
PATIENCE = 30.0  # seconds that one connection waits for another


class Conflict(DataError):
    """A request that does not fit what the store holds."""


def connected(path: str, read_only: bool = False) -> sqlite3.Connection:
    """A connection to a project's file."""
    place = f"{Path(path).absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    file = sqlite3.connect(place, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    file.row_factory = sqlite3.Row
    file.execute("pragma foreign_keys = on")
    return file


class Store:
    """Everything that a project knows."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = RLock()
        try:
            self._file = connected(path)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = full")
            brought_up_to_date(self._file, path)
        except sqlite3.DatabaseError as error:
            raise DataError(f"cannot be opened as a project: {error}", path) from error

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is on disk when the block has ended well."""
        with self._lock:
            self._file.execute("begin immediate")
            try:
                yield self._file
            except BaseException:
                self._file.execute("rollback")
                raise
            self._file.execute("commit")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection on which one state of the project is read, while others go on writing."""
        file = connected(self.path)
        try:
            file.execute("begin")
            yield file
        finally:
            file.close()

    def _one(self, query: str, *values: object) -> sqlite3.Row | None:
        with self._lock:
            row: sqlite3.Row | None = self._file.execute(query, values).fetchone()
            return row

    def _all(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            return self._file.execute(query, values).fetchall()

    # What a project is

    def settings(self) -> dict[str, Json]:
        """The settings of the project."""
        return {row["name"]: json.loads(row["value"]) for row in self._all("select * from setting")}

    def set(self, values: Mapping[str, Json]) -> None:
        """Keeps settings."""
        with self._writing() as file:
            rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in values.items()]
            file.executemany("insert or replace into setting values (?, ?)", rows)

    # Annotators and their sessions

    def begin(self, annotator: str, origin: str = PAGE) -> Session:
        """A new session of an annotator, who is known by the name."""
        with self._writing() as file:
            file.execute("insert into annotator (name) values (?) on conflict do nothing", [annotator])
            (number,) = file.execute("select id from annotator where name = ?", [annotator]).fetchone()
            made = file.execute(
                "insert into session (annotator, began, origin) values (?, ?, ?)", [number, time.time(), origin]
            )
            return Session(made.lastrowid or 0, number, annotator)

    def session(self, number: int) -> Session:
        """A session; one that does not exist is an error."""
        query = "select s.id, s.annotator, a.name from session s join annotator a on a.id = s.annotator where s.id = ?"
        row = self._one(query, number) if number < MOST else None
        if row is None:
            raise Conflict(f"there is no session {number}: begin one (POST /api/sessions)")
        return Session(*row)

    def keys(self, session: Session) -> Json:
        """The keys that an annotator chose."""
        row = self._one("select keys from annotator where id = ?", session.annotator)
        keys: Json = json.loads(row["keys"]) if row else {}
        return keys

    def set_keys(self, session: Session, keys: Mapping[str, str]) -> None:
        """Keeps the keys that an annotator chose."""
        with self._writing() as file:
            file.execute("update annotator set keys = ? where id = ?", [json.dumps(keys), session.annotator])

    # Texts

    def text(self, hash: str) -> Text | None:
        """A text that somebody was asked about, or that an answer is about."""
        row = self._one("select id, columns from text where hash = ?", hash)
        return None if row is None else text_of(hash, row["id"], row["columns"])

    def keep_texts(self, texts: Sequence[Text]) -> None:
        """Keeps texts; what is known already stays."""
        with self._writing() as file:
            _keep_texts(file, texts)

    # Questions

    def waiting(self, annotator: int, count: int) -> list[Question]:
        """The first questions that wait for an annotator."""
        query = """select q.id, q.model, q.strategy, q.shown, t.id as text, t.hash, t.columns
                   from question q join text t on t.id = q.text
                   where q.annotator = ? and q.answered is null order by q.id limit ?"""
        return [_question(row) for row in self._all(query, annotator, count)]

    def question(self, number: int) -> Question | None:
        """A question by its number."""
        query = """select q.id, q.model, q.strategy, q.shown, t.id as text, t.hash, t.columns
                   from question q join text t on t.id = q.text where q.id = ?"""
        row = self._one(query, number)
        return None if row is None else _question(row)

    def ask(self, annotator: int, questions: Sequence[Question]) -> None:
        """Keeps questions for an annotator, who is asked nothing twice."""
        with self._writing() as file:
            _keep_texts(file, [one.text for one in questions])
            for one in questions:
                file.execute(
                    """insert into question (text, annotator, model, strategy, asked, shown)
                       values ((select id from text where hash = ?), ?, ?, ?, ?, ?) on conflict do nothing""",
                    [one.text.hash, annotator, one.model, one.strategy, time.time(), _json(one.shown)],
                )

    def left_by_others(self, annotator: int, since: float) -> list[str]:
        """The hashes of texts that this annotator was not asked about, but others who have done nothing since then."""
        query = """select distinct t.hash from question q join text t on t.id = q.text
                   where q.answered is null and q.asked < ?
                   and q.text not in (select text from question where annotator = ?)
                   and not exists (select 1 from event e where e.annotator = q.annotator and e.at >= ?)
                   and not exists (select 1 from session s where s.annotator = q.annotator and s.began >= ?)
                   order by q.id"""
        return [row["hash"] for row in self._all(query, since, annotator, since, since)]

    # Answers

    def keep(self, session: Session, answers: Sequence[Answer]) -> list[int]:
        """Keeps answers, all of them or none; the numbers of their events."""
        with self._writing() as file:
            return [_keep(file, session, answer) for answer in answers]

    def undo(self, session: Session, key: str) -> Event | None:
        """Takes back the last answer of an annotator that counts; None if there is none."""
        with self._writing() as file:
            known = file.execute("select annotator, undoes from event where key = ?", [key]).fetchone()
            if known:
                if known["annotator"] != session.annotator or known["undoes"] is None:
                    raise Conflict(f"the key '{key}' is that of another answer")
                return event_of(file.execute(f"{EVENTS} where e.id = ?", [known["undoes"]]).fetchone())
            last = file.execute(
                f"""{EVENTS} join session s on s.id = e.session
                    where e.annotator = ? and s.origin = ? and e.kind <> 'undo'
                    and not exists (select 1 from event u where u.undoes = e.id) order by e.id desc limit 1""",
                [session.annotator, PAGE],
            ).fetchone()
            if last is None:
                return None
            file.execute(
                """insert into event (at, session, annotator, key, kind, thing, said, shown, seconds, undoes)
                   values (?, ?, ?, ?, 'undo', ?, 'null', '{}', 0, ?)""",
                [time.time(), session.id, session.annotator, key, last["thing"], last["id"]],
            )
            if last["kind"] in ASKS:
                file.execute(
                    """update question set answered = (select max(id) from counting where thing = ? and annotator = ?)
                       where annotator = ? and text = (select text from event where id = ?)""",
                    [last["thing"], session.annotator, session.annotator, last["id"]],
                )
            return event_of(last)

    def steps(self, annotator: int) -> int:
        """How many answers of an annotator can be taken back."""
        query = """select sum(case kind when 'undo' then -1 else 1 end) from event e join session s on s.id = e.session
                   where e.annotator = ? and s.origin = ?"""
        row = self._one(query, annotator, PAGE)
        return int(row[0] or 0) if row else 0

    def history(self, annotator: int, count: int, before: int) -> list[tuple[Event, Text | None]]:
        """The answers of an annotator that count, the last one first."""
        query = f"""{EVENTS} where e.annotator = ? and e.id < ? and e.kind <> 'undo'
                    and not exists (select 1 from event u where u.undoes = e.id) order by e.id desc limit ?"""
        events = [event_of(row) for row in self._all(query, annotator, before, count)]
        return [(event, self.text(event.text) if event.text else None) for event in events]

    def last_said(self, annotator: int, thing: str) -> Event | None:
        """The answer of an annotator about a thing, if one counts."""
        query = f"""{EVENTS} where e.annotator = ? and e.thing = ? and e.kind <> 'undo'
                    and not exists (select 1 from event u where u.undoes = e.id) order by e.id desc limit 1"""
        row = self._one(query, annotator, thing)
        return None if row is None else event_of(row)

    def events_after(self, event: int) -> int:
        """How many answers, and answers taken back, there are after an event."""
        row = self._one("select count(*) from event where id > ? and kind <> 'skip'", event)
        return int(row[0]) if row else 0

    # Models and suggestions

    def keep_model(self, file: str, event: int, said: Mapping[str, Json]) -> Trained:
        """Keeps what is known of a new model."""
        with self._writing() as open_file:
            now = time.time()
            values = [file, now, event, _json(said)]
            made = open_file.execute("insert into model (file, made, event, said) values (?, ?, ?, ?)", values)
            return Trained(made.lastrowid or 0, file, now, event, said)

    def models(self) -> list[Trained]:
        """All models, in the order in which they were made."""
        rows = self._all("select * from model order by id")
        return [Trained(row["id"], row["file"], row["made"], row["event"], json.loads(row["said"])) for row in rows]

    def suggest(self, source: str, suggestions: Sequence[tuple[Text, Json]]) -> None:
        """Keeps what another tool suggests, instead of what it suggested before."""
        with self._writing() as file:
            _keep_texts(file, [text for text, _ in suggestions])
            rows = [(text.hash, source, json.dumps(spans, ensure_ascii=False)) for text, spans in suggestions]
            insert = "insert or replace into suggestion values ((select id from text where hash = ?), ?, ?)"
            file.executemany(insert, rows)

    def suggested(self, hash: str) -> Json:
        """The spans that another tool suggested for a text."""
        row = self._one("select spans from suggestion where text = (select id from text where hash = ?)", hash)
        return None if row is None else json.loads(row["spans"])


EVENTS = """select e.id, e.at, e.kind, e.thing, e.said, e.seconds, e.question, e.model, e.shown,
                   t.hash, a.name
            from event e join annotator a on a.id = e.annotator left join text t on t.id = e.text"""


def event_of(row: sqlite3.Row) -> Event:
    """The event in a row of `EVENTS`."""
    return Event(
        row["id"], row["at"], row["name"], row["kind"], row["thing"], json.loads(row["said"]), row["seconds"],
        row["hash"], row["question"], row["model"], json.loads(row["shown"]),
    )  # fmt: skip


def text_of(hash: str, number: int, stored: str) -> Text:
    """The text in a row."""
    body = json.loads(stored)
    return Text(hash, body["columns"], body["word"], body["joined"], number)


def _question(row: sqlite3.Row) -> Question:
    text = text_of(row["hash"], row["text"], row["columns"])
    return Question(text, row["model"], row["strategy"], json.loads(row["shown"]), row["id"])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _keep_texts(file: sqlite3.Connection, texts: Sequence[Text]) -> None:
    rows = [(one.hash, _json({"columns": one.columns, "word": one.word, "joined": one.joined})) for one in texts]
    file.executemany("insert into text (hash, columns) values (?, ?) on conflict do nothing", rows)


def _keep(file: sqlite3.Connection, session: Session, answer: Answer) -> int:
    """Keeps one answer; if its key is known, it has come before."""
    known = file.execute("select id, annotator, thing from event where key = ?", [answer.key]).fetchone()
    if known:
        if (known["annotator"], known["thing"]) != (session.annotator, answer.thing):
            raise Conflict(f"the key '{answer.key}' is that of another answer")
        return int(known["id"])
    asked = None
    if answer.question is not None:
        asked = file.execute(
            """select q.id, q.model, q.shown from question q join text t on t.id = q.text
               where q.id = ? and q.annotator = ? and t.hash = ?""",
            [min(answer.question, MOST), session.annotator, answer.text],
        ).fetchone()
        if asked is None:
            raise Conflict(f"the question {answer.question} is not one about this text to {session.name}")
    suggested = json.loads(asked["shown"]) if asked else {}
    model = asked["model"] if asked else answer.model
    if model is not None and not file.execute("select 1 from model where id = ?", [min(model, MOST)]).fetchone():
        raise Conflict(f"there is no model {model}")
    made = file.execute(
        """insert into event (at, session, annotator, key, kind, thing, text, question, model, said, shown, seconds)
           values (?, ?, ?, ?, ?, ?, (select id from text where hash = ?), ?, ?, ?, ?, ?)""",
        [
            time.time(), session.id, session.annotator, answer.key, answer.kind, answer.thing, answer.text,
            asked["id"] if asked else None, model, _json(answer.said), _json({**suggested, "page": answer.shown}),
            answer.seconds,
        ],
    )  # fmt: skip
    if answer.kind in ASKS:
        file.execute(
            """update question set answered = ? where annotator = ? and text = (select id from text where hash = ?)""",
            [made.lastrowid, session.annotator, answer.text],
        )
    return made.lastrowid or 0
