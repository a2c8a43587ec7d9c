"""The state of a project, sessions of annotators, and their keys."""

import asyncio
import unicodedata
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, a_text, an_object
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.api.requests import SESSION, posting
from sstag.interfaces.annotate.endpoints import Endpoint, Parameter, number
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.workbench import Workbench
from sstag.interfaces.web.answers import Refused, asked, mannerly, said

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LONGEST_NAME = 40  # characters
MOST_KEYS, LONGEST_KEY = 100, 40
DIGITS = "1234567890"

STATE: Json = {
    "version": "0.1.0-3f2a",
    "project": "work",
    "scheme": "iob2",
    "labels": [{"name": "PER", "key": "1", "colour": 0}, {"name": "ORG", "key": "2", "colour": 1}],
    "overlap": 1,
    "former": {"ORGANISATION": "ORG"},
    "pool": {"texts": 1000000, "tokens": 19993547},
    "strategy": "entropy",
    "annotator": {"name": "ann", "session": 4, "texts": 120},
    "annotators": [{"name": "ann", "texts": 120, "spans": 33, "features": 4}],
    "undo": 157,
    "keys": {},
    "model": {"id": 3, "made": "2026-11-19T12:00:00Z", "answers": 110, "answers_since": 10, "f1": 0.81, "lost_noes": 0},
    "training": {"busy": False, "seconds": None, "failure": None, "due": 12},
}


def endpoints(bench: Workbench, version: str) -> list[Endpoint]:
    """State, sessions and settings."""
    store = bench.project.store

    @mannerly
    async def state(request: "Request") -> "Response":
        given = "session" in request.query_params
        wanted = number(request, "session", SESSION) if given else None
        try:
            return said(await asyncio.to_thread(_state, bench, version, wanted))
        except Conflict as error:
            raise Refused(HTTPStatus.CONFLICT, error.message) from error

    @mannerly
    async def begin(request: "Request") -> "Response":
        name = name_in(await asked(request))
        session = await asyncio.to_thread(store.begin, name)
        return said({"session": session.id, "annotator": session.name}, HTTPStatus.CREATED)

    def settings(session: Session, body: Object) -> object:
        keys = {action: a_text(key, "'keys'") for action, key in an_object(body.get("keys"), "'keys'").items()}
        if len(keys) > MOST_KEYS or any(len(text) > LONGEST_KEY for pair in keys.items() for text in pair):
            raise DataError(f"'keys' are at most {MOST_KEYS} texts of at most {LONGEST_KEY} characters")
        store.set_keys(session, keys)
        return {"keys": keys}

    async def train() -> None:
        bench.loop.trainer.start_or_repeat()

    return [
        Endpoint(
            "GET", "/state", state, "The state of the project", STATE,
            query={"session": Parameter("integer", optional=True)},
        ),
        Endpoint(
            "POST", "/sessions", begin, "Begin a session of an annotator", {"session": 4, "annotator": "ann"},
            {"annotator": "ann"}, status=HTTPStatus.CREATED,
        ),
        Endpoint(
            "POST", "/settings", posting(store, settings), "Keep the keys of an annotator",
            {"keys": {"accept": "Enter"}}, {"session": 4, "keys": {"accept": "Enter"}}, status=HTTPStatus.CREATED,
        ),
        Endpoint(
            "POST", "/train", posting(store, lambda session, body: {"busy": True}, HTTPStatus.ACCEPTED, train),
            "Begin a training", {"busy": True}, {"session": 4}, status=HTTPStatus.ACCEPTED,
        ),
    ]  # fmt: skip


def name_in(body: Object) -> str:
    """The name of an annotator."""
    name = unicodedata.normalize("NFC", a_text(body.get("annotator"), "'annotator'")).strip()
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise DataError(f"'annotator' is a name of 1 to {LONGEST_NAME} characters that can be printed")
    return name


def _state(bench: Workbench, version: str, number: int | None) -> dict[str, object]:
    project, store = bench.project, bench.project.store
    session = None if number is None else store.session(number)
    return {
        "version": version,
        "project": project.name,
        "scheme": project.settings.scheme,
        "labels": [
            {"name": label, "key": DIGITS[place] if place < len(DIGITS) else None, "colour": place}
            for place, label in enumerate(project.settings.labels)
        ],
        "overlap": project.settings.overlap,
        "former": {**store.labels.former_names(project.settings.labels)},
        "pool": {"texts": project.pool.texts, "tokens": project.pool.tokens},
        "strategy": project.settings.strategy,
        "annotator": None
        if session is None
        else {"name": session.name, "session": session.id, "texts": store.answered(session.annotator)},
        "annotators": bench.tallies(),
        "undo": None if session is None else store.steps(session.annotator),
        "keys": None if session is None else store.keys(session),
        **bench.learned(),
    }
