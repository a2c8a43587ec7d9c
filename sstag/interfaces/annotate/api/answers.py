"""Answers of all kinds, and taking them back."""

from http import HTTPStatus

from sstag.corpus.text.json_keys import Object, a_list
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import answer_in, key_in
from sstag.interfaces.annotate.api.requests import posting
from sstag.interfaces.annotate.api.sentences import QUESTION, SAID, question_json
from sstag.interfaces.annotate.endpoints import Endpoint
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.label_changes import late_answer
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.workbench import Workbench

MOST = 10_000  # answers in a request


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests that say something."""
    store = bench.project.store

    def keep(session: Session, body: Object) -> object:
        given = a_list(body.get("answers"), "'answers'")
        if not 0 < len(given) <= MOST:
            raise DataError(f"'answers' are 1 to {MOST:,}")
        ground = bench.ground
        late = store.labels.late(ground.labels) if store.labels.changes else None
        answers = [answer_in(late_answer(one, late) if late else one, ground) for one in given]
        events = store.keep(session, answers)
        bench.noticed(session, answers)
        return {"events": events, "undo": store.steps(session.annotator)}

    def undo(session: Session, body: Object) -> object:
        undone = store.undo(session, key_in(body))
        if undone is None:
            raise Conflict("there is nothing to take back")
        bench.noticed(session, [])
        question = store.question(undone.question) if undone.question else None
        said = {
            "event": undone.id,
            "kind": undone.kind,
            "text": undone.text,
            "said": undone.said,
            "shown": undone.shown.get("page"),
            "question": question_json(question) if question else None,
        }
        return {"undone": said, "undo": store.steps(session.annotator)}

    about: dict[str, Json] = {"kind": "sentence", "text": QUESTION["text"]}
    answer: Json = {"key": "b1946ac9-1", **about, "question": 17, **SAID, "seconds": 7.2}
    undone: Json = {"event": 231, **about, "said": SAID, "shown": None, "question": QUESTION}
    return [
        Endpoint(
            "POST", "/answers", posting(store, keep), "Keep answers, all of them or none",
            {"events": [231], "undo": 158}, {"session": 4, "answers": [answer]}, status=HTTPStatus.CREATED,
        ),
        Endpoint(
            "POST", "/undo", posting(store, undo), "Take back the last answer that counts",
            {"undone": undone, "undo": 157}, {"session": 4, "key": "b1946ac9-2"},
            status=HTTPStatus.CREATED,
        ),
    ]  # fmt: skip
