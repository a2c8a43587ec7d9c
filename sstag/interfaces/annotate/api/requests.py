"""Parts of requests that many of them have: the session, and work that does not hold up other requests."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.text.json_keys import Object, a_whole
from sstag.interfaces.annotate.endpoints import Parameter, number
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.web.answers import Handler, Refused, asked, mannerly, said

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

SESSION = Parameter("integer")
Work = Callable[[Session, Object], object]


def getting(store: Store, answer: "Callable[[Session, Request], object]") -> Handler:
    """A handler of a GET request of a session, whose answer is found in a thread of its own."""

    def found(request: "Request") -> object:
        return answer(store.session(number(request, "session", SESSION)), request)

    @mannerly
    async def handler(request: "Request") -> "Response":
        return said(await _settled(lambda: found(request)))

    return handler


def posting(
    store: Store,
    work: Work,
    status: HTTPStatus = HTTPStatus.CREATED,
    then: Callable[[], Awaitable[None]] | None = None,
) -> Handler:
    """A handler of a POST request of a session; the answer says what `work` returns when all of it is on disk."""

    def done(body: Object) -> object:
        return work(store.session(a_whole(body.get("session"), "'session'")), body)

    @mannerly
    async def handler(request: "Request") -> "Response":
        body = await asked(request)
        answer = said(await _settled(lambda: done(body)), status)
        if then:
            await then()
        return answer

    return handler


async def _settled(work: Callable[[], object]) -> object:
    """The result of some work in a thread; what does not fit the store is a conflict."""
    try:
        return await asyncio.to_thread(work)
    except Conflict as error:
        raise Refused(HTTPStatus.CONFLICT, error.message) from error
