"""Bodies of requests, read whole before anybody works on them: within a time, and in bounded memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.interfaces.web.answers import LATER, Refused
from sstag.interfaces.web.queueing import ClientLeft

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

PATIENCE = 60.0  # seconds for the body of a request
HELD = 256 * 2**20  # bytes of the bodies of all requests
MOST_DIGITS = 18  # of a length


class Bodies:
    """The bodies that a server holds; for want of room the one that has been arriving for longest is given up."""

    def __init__(self, most: int = HELD) -> None:
        self.most, self.held = most, 0
        self._arriving: dict[asyncio.Timeout, int] = {}  # bytes that are there, the oldest first

    @asynccontextmanager
    async def whole(self, scope: "Scope", receive: "Receive", most_bytes: int) -> AsyncIterator[bytes]:
        """The body of a request, of which nothing is held afterwards."""
        size = 0
        try:
            body = bytes(await self._arrived(scope, receive, most_bytes))
            size = len(body)
            yield body
        finally:
            self.held -= size

    async def _arrived(self, scope: "Scope", receive: "Receive", most_bytes: int) -> bytearray:
        too_large = Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {most_bytes:,} bytes here")
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or len(length) > MOST_DIGITS or int(length) > most_bytes:
            raise too_large
        body, whole = bytearray(), False
        late = Refused(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")
        limit = asyncio.timeout(PATIENCE)
        try:
            async with limit:
                self._arriving[limit] = 0
                while not whole:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientLeft
                    piece, whole = message.get("body", b""), not message.get("more_body", False)
                    if len(body) + len(piece) > most_bytes:
                        raise too_large
                    self._take(len(piece), limit, late)
                    body += piece
        except TimeoutError as error:
            raise late from error
        except BaseException:
            whole = False
            raise
        finally:
            size = self._arriving.pop(limit, 0)
            self.held -= 0 if whole else size
        return body

    def _take(self, size: int, own: asyncio.Timeout, late: Refused) -> None:
        """Counts bytes that are there now, and makes room for them."""
        if own not in self._arriving:
            raise late
        while self.held + size > self.most:
            oldest = next((limit for limit in self._arriving if limit is not own), None)
            if oldest is None:
                message = "other requests take all room for bodies: come again in a second"
                raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, message, LATER)
            self.held -= self._arriving.pop(oldest)
            oldest.reschedule(0)  # its time is over
        self.held += size
        self._arriving[own] += size


def once(body: bytes, receive: "Receive") -> "Receive":
    """A body that was read already, and then whatever comes."""
    given = False

    async def again() -> "Message":
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
