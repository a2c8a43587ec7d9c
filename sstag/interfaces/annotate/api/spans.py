"""Spans in context: each is a line with a yes or a no."""

import json
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import an_object
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import thing_of_span
from sstag.interfaces.annotate.api.requests import SESSION, getting
from sstag.interfaces.annotate.endpoints import Endpoint, Parameter, number
from sstag.interfaces.annotate.records import Session, in_context
from sstag.interfaces.annotate.spans import AROUND, answered, doubted, of_term
from sstag.interfaces.annotate.workbench import Workbench

if TYPE_CHECKING:
    from starlette.requests import Request

COUNT, AFTER = Parameter("integer", 50, 1, 200), Parameter("integer", 0)
OPTIONAL = Parameter("string", optional=True)
LONGEST_TERM = 1_000  # characters

CONTEXT: dict[str, Json] = {
    "before": ["She", "lives", "in"],
    "tokens": ["New", "York"],
    "behind": ["now", "."],
    "joined": [6],
}
SPAN: Json = {
    "text": "9c5c4b2e11d0a7f3",
    "first": 5,
    "stop": 7,
    **CONTEXT,
    "labels": ["LOC"],
    "probability": 0.55,
    "answer": None,
}


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests about spans."""

    def spans(session: Session, request: "Request") -> object:
        count, after = number(request, "count", COUNT), number(request, "after", AFTER)
        term, label = request.query_params.get("term", "").split(), request.query_params.get("label") or None
        if label is not None and label not in bench.project.settings.labels:
            raise DataError(f"there is no label '{label:.60}'")
        if sum(map(len, term)) > LONGEST_TERM:
            raise DataError(f"'term' has more than {LONGEST_TERM:,} characters")
        if term:
            page = of_term(bench.project.pool, term, label, bench.suggester.work, after, count)
        else:
            page = doubted(bench.project, session, bench.ahead.get("doubts", []), label, after, count)
        known = answered(bench.project, session)
        found = []
        for place in page.places:
            said = known.get(thing_of_span(place.text.hash, place.span))
            answer = an_object(json.loads(str(said)), "said")["answer"] if said else None
            context = in_context(place.text, place.span.first, place.span.stop, AROUND)
            about = {"text": place.text.hash, **place.span.json, **context}
            found.append({**about, "probability": place.probability, "answer": answer})
        return {"spans": found, "total": page.total, "next": page.next}

    return [
        Endpoint(
            "GET", "/spans", getting(bench.project.store, spans), "The places of a term, or doubted spans",
            {"spans": [SPAN], "total": 312, "next": 50},
            query={"session": SESSION, "term": OPTIONAL, "label": OPTIONAL, "count": COUNT, "after": AFTER},
        )
    ]  # fmt: skip
