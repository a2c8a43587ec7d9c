"""Changes of a project that is running: its labels, and how many annotators see each text."""

import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, a_whole
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import key_in
from sstag.interfaces.annotate.api.requests import SESSION, getting, posting
from sstag.interfaces.annotate.changing import change_labels, change_overlap, label_uses
from sstag.interfaces.annotate.endpoints import Endpoint
from sstag.interfaces.annotate.label_changes import change_in
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.workbench import Workbench

if TYPE_CHECKING:
    from starlette.requests import Request


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests that change a project."""
    project, store = bench.project, bench.project.store

    def listed(session: Session, request: "Request") -> object:
        labels = project.settings.labels
        uses = label_uses(bench.known(), labels)
        return {
            "labels": [{"name": label, **uses[label].json} for label in labels],
            "overlap": project.settings.overlap,
        }

    def relabel(session: Session, body: Object) -> object:
        key = key_in(body) if "key" in body else secrets.token_hex(12)
        change_labels(project, session, key, change_in(body))
        bench.relabelled()
        return {"labels": [*project.settings.labels]}

    def overlap(session: Session, body: Object) -> object:
        before = project.settings.overlap
        change_overlap(project, a_whole(body.get("overlap"), "'overlap'"))
        bench.questions.change_overlap(before)
        return {"overlap": project.settings.overlap}

    label: Json = {"name": "ORG", "texts": 31, "spans": 4, "features": 2}
    change: dict[str, Json] = {"add": ["DATE"], "rename": {"ORG": "COMPANY"}, "remove": {"LOC": "open"}}
    return [
        Endpoint(
            "GET", "/labels", getting(store, listed), "The labels, and how many answers have each",
            {"labels": [label], "overlap": 1}, query={"session": SESSION},
        ),
        Endpoint(
            "POST", "/labels", posting(store, relabel), "Add, rename and remove labels",
            {"labels": ["PER", "COMPANY", "DATE"]}, {"session": 4, **change}, status=HTTPStatus.CREATED,
        ),
        Endpoint(
            "POST", "/overlap", posting(store, overlap), "Ask so many annotators about each text from now on",
            {"overlap": 2}, {"session": 4, "overlap": 2}, status=HTTPStatus.CREATED,
        ),
    ]  # fmt: skip
