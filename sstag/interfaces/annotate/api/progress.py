"""Progress: figures, answers to look at again, and disagreements."""

from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.api.requests import SESSION, getting, posting
from sstag.interfaces.annotate.api.sentences import SAID
from sstag.interfaces.annotate.endpoints import Endpoint
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.review import disagreements
from sstag.interfaces.annotate.workbench import Workbench

if TYPE_CHECKING:
    from starlette.requests import Request

PROGRESS: Json = {
    "curve": [{"model": 3, "texts": 110, "tokens": 2400, "minutes": 21.5, "f1": 0.81}],
    "sample": [{"model": 3, "texts": 20, "f1": 0.77}],
    "sample_every": 5,
    "sample_texts": 20,
    "accepted": [{"model": 2, "texts": 40, "spans": 61, "f1": 0.74}],
    "calibration": [{"from": 0.9, "to": 0.95, "count": 120, "mean": 0.93, "right": 0.91}],
    "rates": [
        {
            "annotator": "ann",
            "minutes": 21.5,
            "answers": 160,
            "tokens": 2400,
            "tokens_per_minute": 112.0,
            "labels_per_minute": 9.1,
        }
    ],
    "forecast": {"minutes": 60, "f1": 0.87, "low": 0.84, "high": 0.9},
    "hint": None,
}
TEXT: dict[str, Json] = {
    "text": "9c5c4b2e11d0a7f3",
    "name": "news.txt:3",
    "tokens": ["Ann", "Lee", "met", "Bob", "."],
    "joined": [4],
}
SUSPECT: Json = {**TEXT, "first": 3, "stop": 4, "given": ["O"], "found": ["PER"], "probability": 0.01}


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests about progress."""
    store = bench.project.store

    def figures(session: Session, request: "Request") -> object:
        return bench.progress()

    def suspects(session: Session, request: "Request") -> object:
        found = []
        for one in bench.suspects.found:
            text = store.text(str(one["text"]))
            if text:
                found.append({**one, **text.shown})
        busy, needed = bench.suspects.trainer.is_busy, bench.suspects.needed(bench.known())
        return {"suspects": found, "busy": busy, "model": bench.suspects.model, "needed": needed}

    def differing(session: Session, request: "Request") -> object:
        return disagreements(bench.project, bench.known())

    async def search() -> None:
        bench.suspects.trainer.start()

    def begun(session: Session, body: Object) -> object:
        return {"busy": True}

    query = {"session": SESSION}
    answer: Json = {"annotator": "ann", **SAID}
    return [
        Endpoint("GET", "/progress", getting(store, figures), "How far the project is", PROGRESS, query=query),
        Endpoint(
            "GET", "/suspects", getting(store, suspects), "Labels that may be wrong",
            {"suspects": [SUSPECT], "busy": False, "model": 3, "needed": 0}, query=query,
        ),
        Endpoint(
            "POST", "/suspects", posting(store, begun, HTTPStatus.ACCEPTED, search),
            "Search for labels that may be wrong", {"busy": True}, {"session": 4}, status=HTTPStatus.ACCEPTED,
        ),
        Endpoint(
            "GET", "/disagreements", getting(store, differing), "Texts that annotators see differently",
            {"disagreements": [{**TEXT, "answers": [answer], "decided": None}], "texts": 31, "agreement": 0.87},
            query=query,
        ),
    ]  # fmt: skip
