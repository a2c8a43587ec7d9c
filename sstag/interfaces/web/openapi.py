"""The description of `sstag serve` in OpenAPI 3.1."""

from collections.abc import Sequence
from http import HTTPStatus

from sstag.corpus.contexts import DOCUMENT, KINDS, MOST_SENTENCES
from sstag.foundation.json_values import Json

REQUESTS = {
    "POST /tag": 'spans of {"text": "…"} or {"tokens": ["…"]}, one or a list of several',
    "POST /tag-stream": "the same for JSON lines, each answered by a line",
    "GET /models": "the models and their labels",
    "GET /health": "whether the server answers",
    "GET /openapi.json": "this API in OpenAPI",
}
STREAM = (
    "Each line is an object as POST /tag takes it, but for `context`, and is answered by a line that has `spans` as "
    "its results have, `results` for a list of several, or an `error`. The body may also be called "
    "application/x-ndjson."
)
TEXT: Json = {"type": "string"}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
WHOLE: dict[str, Json] = {"type": "integer", "minimum": 0}
TOKENS: Json = {"type": "array", "items": {"type": "string", "minLength": 1}}
STATUSES = {  # of refusals
    "GET": (403, 405),
    "POST": (400, 403, 405, 408, 413, 415, 422, 503),
}


def description(models: Sequence[str], version: str, base: str) -> Json:
    """The requests for some models, on paths that begin with `base`."""
    asked = _request(models)
    lines: Json = {"examples": ['{"text": "Kim met Ann."}\n{"tokens": ["Kim", "met", "Ann", "."]}\n']}
    there: dict[str, Json] = {"sstag": TEXT, "models": _list(TEXT), "requests": _object({})}
    paths: dict[str, Json] = {
        "/": {"get": _get("The requests that there are", there)},
        "/health": {"get": _get(REQUESTS["GET /health"], {"status": {"const": "ok"}})},
        "/models": {"get": _get(REQUESTS["GET /models"], {"models": _list(_ref("Model"))})},
        "/openapi.json": {"get": _get(REQUESTS["GET /openapi.json"], {"openapi": TEXT})},
        "/tag": {
            "post": {
                "operationId": "tag",
                "summary": REQUESTS["POST /tag"],
                "requestBody": {"required": True, "content": {"application/json": {"schema": asked}}},
                "responses": _responses("POST", {"application/json": {"schema": _ref("Answer")}}),
            }
        },
        "/tag-stream": {
            "post": {
                "operationId": "tagStream",
                "summary": REQUESTS["POST /tag-stream"],
                "description": STREAM,
                "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": lines}}},
                "responses": _responses("POST", {"application/x-ndjson": {"schema": TEXT}}),
            }
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "sstag serve", "version": version, "summary": "Spans of texts, by trained models"},
        "servers": [{"url": base or "/"}],
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _request(models: Sequence[str]) -> Json:
    """A text or tokens, one or several, and the model that is asked."""
    model: Json = {"enum": [*models], "description": f"{models[0]}, unless another one is named"}
    number: Json = {"type": "integer", "minimum": 1, "maximum": MOST_SENTENCES}
    read = "read before one is tagged, by a model with predicted(…): file is all of them, none is the usual"
    of_text: Json = {"description": f"the texts {read}", "oneOf": [{"enum": [*KINDS]}, number]}
    kinds = [kind for kind in KINDS if kind != DOCUMENT]
    of_tokens: Json = {"description": f"the sentences {read}", "oneOf": [{"enum": [*kinds]}, number]}
    text: Json = {"description": "a text, or several", "oneOf": [TEXT, _list(TEXT)]}
    tokens: Json = {
        "description": "the tokens of a sentence, or those of several",
        "anyOf": [TOKENS, _list(TOKENS)],
    }
    return {
        "oneOf": [
            {
                **_object({name: one}),
                "properties": {name: one, "model": model, "context": context},
                "additionalProperties": False,
            }
            for name, one, context in (("text", text, of_text), ("tokens", tokens, of_tokens))
        ],
        "examples": [{"text": "Kim met Ann."}, {"tokens": [["Kim", "met", "Ann", "."]], "model": models[0]}],
    }


def _schemas() -> Json:
    place: dict[str, Json] = {"start": WHOLE, "end": WHOLE, "label": TEXT, "text": TEXT, "probability": SHARE}
    span = _object(place)
    of_tokens: dict[str, Json] = {
        "first": {**WHOLE, "description": "the place of its first token"},
        "stop": {**WHOLE, "description": "the place after its last token"},
    }
    characters = (
        "Places of characters, from 0, in Unicode code points; those of tokens, in the tokens with a blank between"
    )
    return {
        "Model": _object({"name": TEXT, "labels": _list(TEXT), "scheme": TEXT, "version": TEXT}),
        "Span": {**span, "description": characters, "properties": {**place, **of_tokens}},
        "Result": {
            **_object({"spans": _list(_ref("Span"))}),
            "properties": {"spans": _list(_ref("Span")), "labels": _list(TEXT), "probabilities": _list(SHARE)},
            "description": "The spans of a text; of tokens also the label of each, with its probability",
        },
        "Answer": _object({"model": TEXT, "version": TEXT, "results": _list(_ref("Result"))}),
        "Error": _object({"error": TEXT}),
    }


def _get(summary: str, properties: dict[str, Json]) -> Json:
    return {"summary": summary, "responses": _responses("GET", {"application/json": {"schema": _object(properties)}})}


def _responses(method: str, content: Json) -> Json:
    refused: Json = {"application/json": {"schema": _ref("Error")}}
    answers: dict[str, Json] = {"200": {"description": "OK", "content": content}}
    later: dict[str, Json] = {"headers": {"Retry-After": {"description": "seconds", "schema": TEXT}}}
    for status in STATUSES[method]:
        more: dict[str, Json] = later if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        answers[str(status)] = {"description": HTTPStatus(status).phrase, "content": refused, **more}
    return answers


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "required": [*properties], "properties": properties}


def _list(items: Json) -> dict[str, Json]:
    return {"type": "array", "items": items}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": f"#/components/schemas/{name}"}
