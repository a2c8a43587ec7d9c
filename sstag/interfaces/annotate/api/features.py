"""Words and features: proposals, the list of what was said, and gazetteers."""

import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, a_list, a_text
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import LONGEST_FEATURE, Answer, key_in
from sstag.interfaces.annotate.api.requests import SESSION, getting, posting
from sstag.interfaces.annotate.api.spans import CONTEXT, OPTIONAL
from sstag.interfaces.annotate.endpoints import Endpoint, Parameter, number
from sstag.interfaces.annotate.features import WAYS, Wish
from sstag.interfaces.annotate.gazetteers import known_terms
from sstag.interfaces.annotate.listing import lines_json
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.workbench import Workbench

if TYPE_CHECKING:
    from starlette.requests import Request

COUNT = Parameter("integer", 20, 1, 100)
LONGEST_NAME = 200
MOST_TERMS = 100_000

FEATURE: Json = {
    "feature": "word[0]=Mr.",
    "says": "“Mr.”",
    "occurrences": 312,
    "contexts": [CONTEXT],
    "labelled": {"O": 20, "PER": 3},
    "model": {"O": 0.98, "PER": 0.02},
    "said": None,
}
LINE: Json = {
    "feature": "word[0]=Mr.",
    "features": ["word[0]=Mr."],
    "says": "“Mr.”",
    "said": {"shares": {"O": 0.9, "PER": 0.1}},
    "by": "ann",
    "effect": {"occurrences": 312, "before": {"O": 0.98, "PER": 0.02}, "after": {"O": 0.91, "PER": 0.09}},
}


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests about features."""
    store = bench.project.store

    def features(session: Session, request: "Request") -> object:
        query = request.query_params
        wish = Wish(
            query.get("feature") or bench.features.kinds[0],
            query.get("by") or WAYS[0],
            number(request, "count", COUNT),
            query.get("search", ""),
        )
        found = bench.features.proposed(wish, bench.known())
        return {"features": found, "ways": list(WAYS), "kinds": bench.features.kinds_in_words}

    def listed(session: Session, request: "Request") -> object:
        return {"lines": lines_json(bench.known(), bench.ahead.get("effects"), bench.features.in_words)}

    def gazetteer(session: Session, body: Object) -> object:
        name, label = a_text(body.get("name"), "'name'").strip(), a_text(body.get("label"), "'label'")
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise DataError(f"'name' has 1 to {LONGEST_NAME} characters that can be printed")
        if label not in bench.project.settings.labels:
            raise DataError(f"there is no label '{label:.60}'")
        terms = [a_text(term, "'terms'").strip() for term in a_list(body.get("terms"), "'terms'")]
        if len(terms) > MOST_TERMS or any(len(term) > LONGEST_FEATURE for term in terms):
            raise DataError(f"'terms' are at most {MOST_TERMS:,}, of at most {LONGEST_FEATURE:,} characters")
        found = known_terms(bench.project.pool, terms)
        key = key_in(body) if "key" in body else secrets.token_hex(12)
        said: Json = {"name": name, "label": label, "terms": [*found], "word": bench.project.word}
        answer = Answer(key, "gazetteer", f"gazetteer:{name}", said)
        store.keep(session, [answer])
        bench.noticed(session, [answer])
        return {"terms": len(terms), "found": len(found), "undo": store.steps(session.annotator)}

    query = {"session": SESSION, "feature": OPTIONAL, "by": OPTIONAL, "count": COUNT, "search": OPTIONAL}
    kinds: Json = [{"feature": "word[0]", "says": "words"}, {"feature": "suffix(word[0], 3)", "says": "last 3 letters"}]
    return [
        Endpoint(
            "GET", "/features", getting(store, features), "Features worth a label",
            {"features": [FEATURE], "ways": list(WAYS), "kinds": kinds}, query=query,
        ),
        Endpoint(
            "GET", "/list", getting(store, listed), "The lines that are learned from, and their effects",
            {"lines": [LINE]}, query={"session": SESSION},
        ),
        Endpoint(
            "POST", "/gazetteers", posting(store, gazetteer), "Keep a list of terms of a label",
            {"terms": 2, "found": 2, "undo": 159},
            {"session": 4, "name": "cities.txt", "label": "LOC", "terms": ["Paris", "New York"]},
            status=HTTPStatus.CREATED,
        ),
    ]  # fmt: skip
