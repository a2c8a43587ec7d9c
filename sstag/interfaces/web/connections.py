"""Connections of a server: a client that says nothing, or reads nothing, is hung up on. uvicorn has no limit for that.

A connection waits from its opening, and from each answer on, until the head of a request has arrived whole. It may wait
for some seconds; and if there are more connections than a server may have, the one that has waited longest makes room.
"""

import asyncio
import json
from http import HTTPStatus
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from sstag.interfaces.web.logs import Refusals

HEAD = 10  # seconds until the head of a request is whole
STALLED = 30.0  # seconds in which a client must read some of an answer that is on its way
MOST = 4096  # connections
SPARE = 128  # files that a server needs besides its connections
FEWEST = 16  # connections, however few files a process may open
NO_REQUEST = "this is no HTTP request"


class Connection(H11Protocol):  # type: ignore[misc]  # a type checker may have no uvicorn
    """A connection with limits of time; a server has a class of its own (`connection_class`)."""

    most: ClassVar[int]
    waiting: "ClassVar[dict[Connection, asyncio.TimerHandle]]"  # whose head is not whole, the longest wait first
    refusals: ClassVar[Refusals]
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._expect_head()
        if len(self.connections) > self.most:
            next(iter(self.waiting)).hang_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_watching()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        if not self.transport.is_closing():
            self._expect_head()
        super().on_response_complete()  # which may find the next head

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._stop_watching()
        super().resume_writing()

    def shutdown(self) -> None:
        super().shutdown()
        if self.cycle and self.cycle.more_body and not self.cycle.response_started:
            self.hang_up()  # the rest of this request may never come

    def send_400_response(self, msg: str) -> None:
        self.refusals.log(self.client, "", HTTPStatus.BAD_REQUEST, NO_REQUEST)
        body = json.dumps({"error": NO_REQUEST}).encode()
        head = f"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.transport.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def hang_up(self) -> None:
        """Closes the connection; what the client has not read yet, it need not read any more."""
        self._stop_waiting()
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _expect_head(self) -> None:
        self._stop_waiting()
        self.waiting[self] = self.loop.call_later(HEAD, self.hang_up)

    def _stop_waiting(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def _watch(self, unsent: int) -> None:
        """Hangs up unless the client reads some of what is unsent; looks again as long as it does."""

        def look() -> None:
            left = self.transport.get_write_buffer_size()
            if left < unsent:
                self._watch(left)
            else:
                self.hang_up()

        self._stop_watching()
        self._stalled = self.loop.call_later(STALLED, look)

    def _stop_watching(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None


def connection_class(refusals: Refusals) -> type[Connection]:
    """The class of the connections of one server, of which there are as many as this process may have."""
    members = {"most": _most_connections(), "waiting": {}, "refusals": refusals}
    return type("ServerConnection", (Connection,), members)


def _most_connections() -> int:
    """The number of connections that a server may have; the limit of open files is raised for them if it is lower."""
    try:
        import resource
    except ImportError:  # there is no such limit on this system
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == resource.RLIM_INFINITY else max(FEWEST, min(MOST, soft - SPARE))
