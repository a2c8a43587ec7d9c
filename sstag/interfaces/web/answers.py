"""Bodies of requests as JSON, and answers: an error that a client can cause is a message, never a traceback."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, an_object
from sstag.corpus.text.json_records import value_of_line
from sstag.foundation.errors import DataError, SstagError

if TYPE_CHECKING:
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ExceptionHandler

Handler = Callable[["Request"], Awaitable["Response"]]
JSON = "application/json"
REQUEST = "the request"
LATER = {"Retry-After": "1"}  # seconds until a request may be welcome


class Refused(SstagError):
    """A request that cannot be answered, with the status that says so."""

    def __init__(self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.headers = status, headers
        super().__init__(message)


def said(value: object, status: HTTPStatus = HTTPStatus.OK) -> "Response":
    """An answer in JSON."""
    from starlette.responses import JSONResponse

    return JSONResponse(value, status)


def refusal(status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> "Response":
    """An answer that says what is wrong."""
    from starlette.responses import JSONResponse

    return JSONResponse({"error": message}, status, headers)


def mannerly(handler: Handler) -> Handler:
    """A handler whose errors that a client can cause become answers."""

    @wraps(handler)
    async def answer(request: "Request") -> "Response":
        try:
            return await handler(request)
        except Refused as error:
            return refusal(error.status, str(error), error.headers)
        except SstagError as error:
            return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))

    return answer


def in_json(first: str) -> "Mapping[int | type[Exception], ExceptionHandler]":
    """Handlers for what no handler of a request answers: also an unknown path is told in JSON, and what there is."""

    async def no_such(request: "Request", error: Exception) -> "Response":
        return refusal(HTTPStatus.NOT_FOUND, f"there is nothing at this path: {first}")

    async def no_method(request: "Request", error: "HTTPException") -> "Response":
        return refusal(HTTPStatus.METHOD_NOT_ALLOWED, "this path has no such method", error.headers)

    async def mistake(request: "Request", error: Exception) -> "Response":
        return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "a mistake in sstag: its log says more")

    return {404: no_such, 405: no_method, 500: mistake}


def expect_type(request: "Request", *kinds: str) -> None:
    """Refuses a body of another type: a page of another site cannot send these without being asked about first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in kinds:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a body of type {' or '.join(kinds)} is wanted")


async def asked(request: "Request") -> Object:
    """The object that a request says in JSON."""
    expect_type(request, JSON)
    try:
        return an_object(value_of_line(REQUEST, 1, await request.body()), REQUEST)
    except DataError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, error.message) from error
