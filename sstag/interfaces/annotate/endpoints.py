"""The requests of the API as data: the routes and the OpenAPI description are both made of them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import kind
from sstag.foundation.json_values import Json
from sstag.interfaces.web.answers import Refused

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

REFUSALS = (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503, 507)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query."""

    kind: str  # integer, or string
    default: int | str | None = None  # None: it must be there, unless it may be left out
    least: int = 0
    most: int = 2**53
    optional: bool = False


@dataclass(frozen=True)
class Endpoint:
    """A request: where it goes, who answers it, and an example of what is said."""

    method: str
    path: str
    handler: "Callable[[Request], Awaitable[Response]]"
    about: str
    answer: Json
    body: Json = None
    query: Mapping[str, Parameter] = field(default_factory=dict)
    status: HTTPStatus = HTTPStatus.OK
    type: str = "application/json"


def number(request: "Request", name: str, parameter: Parameter) -> int:
    """A whole number of a query."""
    said = request.query_params.get(name)
    if said is None:
        if parameter.default is None:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"'{name}' is missing in the query")
        return int(parameter.default)
    if not (said.isascii() and said.isdigit() and len(said) < 17 and parameter.least <= int(said) <= parameter.most):
        message = f"'{name}' is a whole number from {parameter.least:,} to {parameter.most:,}"
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, message)
    return int(said)


def description(endpoints: Sequence[Endpoint], version: str) -> dict[str, Json]:
    """The description of the API, in OpenAPI."""
    paths: dict[str, dict[str, Json]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "The workbench of sstag", "version": version},
        "servers": [{"url": "/api"}],
        "paths": {**paths},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


def _operation(one: Endpoint) -> dict[str, Json]:
    content: dict[str, Json] = {"schema": _schema(one.answer, null=True), "example": one.answer}
    answers: dict[str, Json] = {str(int(one.status)): {"description": one.about, "content": {one.type: content}}}
    error: Json = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    for status in REFUSALS:
        refused: Json = {"description": HTTPStatus(status).phrase, "content": {"application/json": {"schema": error}}}
        answers[str(status)] = refused
    made: dict[str, Json] = {"summary": one.about, "responses": answers}
    if one.query:
        made["parameters"] = [
            {
                "name": name,
                "in": "query",
                "required": parameter.default is None and not parameter.optional,
                "schema": {"type": parameter.kind},
            }
            for name, parameter in one.query.items()
        ]
    if one.body is not None:
        body: dict[str, Json] = {"schema": _schema(one.body), "example": one.body}
        made["requestBody"] = {"required": True, "content": {"application/json": body}}
    return made


def _schema(example: Json, null: bool = False) -> dict[str, Json]:
    """The type of an example, or null besides; what is null there may be anything."""
    if example is None:
        return {}
    name, more = _type(example, null)
    return {"type": [name, "null"] if null else name, **more}


def _type(example: Json, null: bool) -> tuple[str, dict[str, Json]]:
    match example:
        case bool():
            return "boolean", {}
        case int() | float():
            return "number" if null or isinstance(example, float) else "integer", {}
        case str():
            return "string", {}
        case Mapping():
            return "object", {"properties": {name: _schema(value, null) for name, value in example.items()}}
        case [first, *_]:
            return "array", {"items": _schema(first, null)}
        case []:
            return "array", {}
    raise TypeError(kind(example))
