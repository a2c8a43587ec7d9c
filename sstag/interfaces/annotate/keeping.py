"""Answers in an open transaction of a project's file: kept, and taken back. Events are only ever added."""

import json
import sqlite3
import time
from collections.abc import Callable, Sequence

from sstag.foundation.errors import DataError
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.label_changes import (
    LABELS,
    LabelChange,
    changed_labels,
    label_history,
    suggested,
    suggested_spans,
)
from sstag.interfaces.annotate.records import Event, Session
from sstag.interfaces.annotate.rows import EVENTS, as_json, event_of

PAGE = "page"  # the origin of sessions in which a person answers; what came from elsewhere is not undone by steps
KEY_OF = "label."  # begins the actions of keys that stand for labels
COMMAND = "command"  # the origin of sessions of a command that changes a project
SETTINGS = "settings"  # the origin of sessions in which a project is changed
LabelCheck = Callable[[Sequence[str]], None]  # raises an error if labels cannot be those of a project
ASKS = ("sentence", "skip")  # kinds of answers that settle a question
MOST = 2**53  # no number of a client is larger


class Conflict(DataError):
    """A request that does not fit what the store holds."""


def keep(file: sqlite3.Connection, session: Session, answer: Answer) -> int:
    """Keeps one answer, and returns the number of its event; if its key is known, it has come before."""
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
            asked["id"] if asked else None, model, as_json(answer.said), as_json({**suggested, "page": answer.shown}),
            answer.seconds,
        ],
    )  # fmt: skip
    if answer.kind in ASKS:
        file.execute(
            """update question set answered = ? where annotator = ? and text = (select id from text where hash = ?)""",
            [made.lastrowid, session.annotator, answer.text],
        )
    return made.lastrowid or 0


def keep_change(
    file: sqlite3.Connection, session: Session, key: str, change: LabelChange, check: LabelCheck
) -> list[str]:
    """Keeps a change of labels as an event, and brings what waits into the labels of now; these are returned."""
    (stored,) = file.execute("select value from setting where name = 'labels'").fetchone()
    labels: list[str] = json.loads(stored)
    known = file.execute("select kind from event where key = ?", [key]).fetchone()
    if known:
        if known["kind"] != LABELS:
            raise Conflict(f"the key '{key}' is that of another answer")
        return labels
    changed = changed_labels(labels, change, label_history(file))
    check(changed)
    now = time.time()
    insert = "insert into session (annotator, began, origin) values (?, ?, ?)"
    begun = file.execute(insert, [session.annotator, now, SETTINGS]).lastrowid
    file.execute(
        """insert into event (at, session, annotator, key, kind, thing, said, shown, seconds)
           values (?, ?, ?, ?, ?, ?, ?, '{}', 0)""",
        [now, begun, session.annotator, key, LABELS, f"{LABELS}:{key}", as_json(change.json)],
    )
    file.execute("update setting set value = ? where name = 'labels'", [as_json(changed)])
    for row in file.execute("select id, keys from annotator where keys <> '{}'").fetchall():
        values = [as_json(_keys_of_now(json.loads(row["keys"]), change)), row["id"]]
        file.execute("update annotator set keys = ? where id = ?", values)
    for row in file.execute("select text, spans from suggestion").fetchall():
        values = [as_json(suggested_spans(json.loads(row["spans"]), change.of)), row["text"]]
        file.execute("update suggestion set spans = ? where text = ?", values)
    for row in file.execute("select id, shown from question where answered is null").fetchall():
        values = [as_json(suggested(json.loads(row["shown"]), change.of)), row["id"]]
        file.execute("update question set shown = ? where id = ?", values)
    return changed


def _keys_of_now(keys: dict[str, str], change: LabelChange) -> dict[str, str]:
    """The keys of an annotator, those of labels under the names of the labels that are left."""
    of_labels = {name: change.of(name.removeprefix(KEY_OF)).name for name in keys if name.startswith(KEY_OF)}
    return {
        name if name not in of_labels else f"{KEY_OF}{of_labels[name]}": key
        for name, key in keys.items()
        if of_labels.get(name, name) is not None
    }


def take_back(file: sqlite3.Connection, session: Session, key: str) -> Event | None:
    """Takes back the last answer of an annotator that counts; None if there is none."""
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
