"""A queue of requests: so many are answered at once, others wait in their order, and for too many there is no room."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.interfaces.web.answers import LATER, Refused

if TYPE_CHECKING:
    from starlette.types import Receive


MOST_LONG = 4  # that are worked on: each may take some hundred megabytes


class ClientLeft(Exception):
    """The client has closed the connection: nobody waits for the answer."""


class Queue:
    """So many requests are answered `together`, and `most` wait; places remain for requests that are not long."""

    def __init__(self, together: int, most: int) -> None:
        self.most, self.waiting = most, 0
        self._every = asyncio.Semaphore(together)
        self._long = asyncio.Semaphore(max(min(together - 1, MOST_LONG), 1))

    @asynccontextmanager
    async def turn(
        self, receive: "Receive | None", long: bool, patient: bool = False
    ) -> AsyncIterator[threading.Event]:
        """The turn of a request; the event says that nobody waits any more for what is worked on meanwhile.

        The client is heard to leave by `receive`, which must have no more of the request to give. A `patient` request
        waits however many wait already.
        """
        over = threading.Event()
        leaving = asyncio.create_task(_left(receive, over)) if receive else None
        try:
            async with AsyncExitStack() as places:
                for places_of in (self._long, self._every) if long else (self._every,):
                    await self._entered(places_of, leaving, patient)
                    places.callback(places_of.release)
                yield over
        finally:
            over.set()
            if leaving:
                leaving.cancel()

    async def _entered(self, places: asyncio.Semaphore, leaving: "asyncio.Task[None] | None", patient: bool) -> None:
        if not places.locked():
            await places.acquire()
            return
        if self.waiting >= self.most and not patient:
            message = f"the server is busy, and {self.most:,} requests wait already: come again in a second"
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, message, LATER)
        entering = asyncio.create_task(places.acquire())
        entered = False
        self.waiting += 1
        try:
            await asyncio.wait(filter(None, (entering, leaving)), return_when=asyncio.FIRST_COMPLETED)
            entered = not (leaving and leaving.done())
        finally:
            self.waiting -= 1
            if not entered and not entering.cancel():
                places.release()
        if not entered:
            raise ClientLeft


async def _left(receive: "Receive", over: threading.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    over.set()
