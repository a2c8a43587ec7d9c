"""Bodies of requests as JSON, and answers: an error that a client can cause is a message, never a traceback."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, an_object
from sstag.corpus.text.json_records import value_of_line
from sstag.foundation.errors import DataError, SstagError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Handler = Callable[["Request"], Awaitable["Response"]]
JSON = "application/json"
REQUEST = "the request"

log = logging.getLogger(__name__)


class Refused(SstagError):
    """A request that cannot be answered, with the status that says so."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        self.status = status
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
            return refusal(error.status, str(error))
        except SstagError as error:
            return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))

    return answer


def told(handler: Handler) -> Handler:
    """A handler that tells on the console, too, what it refuses: annotation tools keep the answer from their users."""

    @wraps(handler)
    async def answer(request: "Request") -> "Response":
        try:
            return await handler(request)
        except SstagError as error:
            log.warning("refused %s: %s", request.url.path.rpartition("/")[2], error)
            raise

    return answer


async def asked(request: "Request") -> Object:
    """The object that a request says in JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a body of type {JSON} is wanted")
    try:
        return an_object(value_of_line(REQUEST, 1, await request.body()), REQUEST)
    except DataError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, error.message) from error
