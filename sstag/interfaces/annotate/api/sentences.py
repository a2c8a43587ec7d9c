"""Sentences: the next questions, single texts, and what was answered before."""

from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import an_object
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.api.requests import SESSION, getting
from sstag.interfaces.annotate.endpoints import Endpoint, Parameter, number
from sstag.interfaces.annotate.questions import FEW
from sstag.interfaces.annotate.records import Event, Question, Session
from sstag.interfaces.annotate.workbench import Workbench, moment

if TYPE_CHECKING:
    from starlette.requests import Request

COUNT = Parameter("integer", 10, 1, 20)
HISTORY = Parameter("integer", 20, 1, 200)
BEFORE = Parameter("integer", 2**53)
SHOWN = Parameter("integer", optional=True)
TEXT = Parameter("string")

QUESTION: dict[str, Json] = {
    "question": 17,
    "text": "9c5c4b2e11d0a7f3",
    "name": "news.txt:126",
    "tokens": ["Ann", "Lee", "met", "Bob", "."],
    "suggested": [{"first": 0, "stop": 2, "labels": ["PER"], "probability": 0.93}],
    "certainty": [0.95, 0.94, 1.0, 0.61, 1.0],
    "doubts": {"3": {"PER": 0.61, "ORG": 0.3, "O": 0.09}},
    "joined": [4],
    "model": 3,
    "strategy": "entropy",
}
SAID: dict[str, Json] = {
    "spans": [{"first": 0, "stop": 2, "labels": ["PER"]}, {"first": 3, "stop": 4, "labels": ["PER", "ORG"]}],
    "open": [{"first": 4, "stop": 5}],
    "forbidden": [{"first": 2, "stop": 3, "labels": ["PER"]}],
}
BY_ANN: Json = {"annotator": "ann", **SAID}
PAST: Json = {
    "event": 230,
    "at": "2026-11-19T12:00:00Z",
    "kind": "sentence",
    "text": "9c5c4b2e11d0a7f3",
    "name": "news.txt:3",
    "tokens": ["Ann", "Lee", "met", "Bob", "."],
    "joined": [4],
    "says": None,
    "said": SAID,
}


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests about sentences."""
    store = bench.project.store

    def following(session: Session, request: "Request") -> object:
        count = number(request, "count", COUNT)
        waiting = store.waiting(session.annotator, COUNT.most)
        if not waiting:
            bench.questions.make(session)
            waiting = store.waiting(session.annotator, COUNT.most)
        elif len(waiting) < FEW:
            bench.questions.make_soon(session)
        if "shown" in request.query_params:
            waiting = bench.questions.refreshed(waiting, number(request, "shown", SHOWN))
        left = bench.questions.left(session, len(waiting))
        return {"questions": [question_json(one) for one in waiting[:count]], "left": left}

    def one_text(session: Session, request: "Request") -> object:
        hash = request.query_params.get("text")
        if hash is None:
            raise DataError("'text' is missing in the query")
        text = bench.project.text(hash)
        model, (shown,) = bench.suggester.shown([text])
        known = store.last_said(session.annotator, f"text:{text.hash}")
        answered = known.said if known else None
        return {**question_json(Question(text, model, "", shown)), "answered": answered, **bench.said_of(text)}

    def in_words(event: Event) -> str | None:
        if event.kind != "feature":
            return None
        return bench.features.in_words(str(an_object(event.said, "said")["feature"]))

    def history(session: Session, request: "Request") -> object:
        found = store.history(session.annotator, number(request, "count", HISTORY), number(request, "before", BEFORE))
        return {
            "answers": [
                {
                    "event": event.id,
                    "at": moment(event.at),
                    "kind": event.kind,
                    "text": event.text,
                    **(text.shown if text else {"tokens": None, "joined": None}),
                    "says": in_words(event),
                    "said": event.said,
                }
                for event, text in found
            ]
        }

    query = {"session": SESSION}
    return [
        Endpoint(
            "GET", "/next", getting(store, following), "The questions that wait, the next one first",
            {"questions": [QUESTION], "left": 999880}, query={**query, "count": COUNT, "shown": SHOWN},
        ),
        Endpoint(
            "GET", "/text", getting(store, one_text), "One text, and what was said of it",
            {**QUESTION, "question": None, "answered": SAID, "answers": [BY_ANN], "decided": SAID},
            query={**query, "text": TEXT},
        ),
        Endpoint(
            "GET", "/history", getting(store, history), "The answers of this annotator that count, the last one first",
            {"answers": [PAST]}, query={**query, "count": HISTORY, "before": BEFORE},
        ),
    ]  # fmt: skip


def question_json(one: Question) -> dict[str, Json]:
    """A question as the API has it."""
    shown = {name: one.shown.get(name) for name in ("suggested", "certainty", "doubts")}
    return {
        "question": one.id or None,
        "text": one.text.hash,
        **one.text.shown,
        **shown,
        "model": one.model,
        "strategy": one.strategy,
    }
