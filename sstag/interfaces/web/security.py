"""The guard before every request: who is called, from where, how often, how much; and the headers of every answer."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.answers import LATER, Refused, refusal
from sstag.interfaces.web.bodies import Bodies, once
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import ClientLeft, Queue

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD")
LONG = 64 * 2**10  # bytes of a body: what has more may take long
LONGEST_PATH = 200  # characters in a line of the log
POLICY = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    )
)  # fmt: skip
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


@dataclass
class Rate:
    """A bucket of requests that fills again: so many at once, and so many a second from then on."""

    burst: float
    per_second: float
    left: float = field(init=False)
    then: float = field(init=False, default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.left = self.burst

    def takes(self) -> bool:
        """Whether there is room for one more request, which is then taken."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + (now - self.then) * self.per_second)
        self.then = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


@dataclass(frozen=True)
class Admission:
    """How requests of a path are taken: the bytes of their body at most, and whether they wait in the queue."""

    most_bytes: int | None  # None: whoever answers reads the body as it comes
    queued: bool = True


@dataclass
class Guard:
    """An application behind the checks; what does not pass never reaches it.

    The `base` is what all paths begin with, a secret that no line of the log may have.
    """

    app: "ASGIApp"
    bound: Bound
    admission: Callable[[str], Admission]
    queue: Queue
    refusals: Refusals
    rate: Rate | None = None
    base: str = ""
    bodies: Bodies = field(default_factory=Bodies)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here
        outgoing = _Outgoing(send, lambda status, why: self._log(scope, status, why))
        try:
            await self._passed(scope, receive, outgoing.send)
        except ClientLeft:
            return
        except Refused as error:
            await refusal(error.status, str(error), error.headers)(scope, receive, outgoing.send)
        except asyncio.CancelledError:  # the server ends
            if not outgoing.begun:
                await refusal(HTTPStatus.SERVICE_UNAVAILABLE, "the server ends", LATER)(scope, receive, outgoing.send)

    async def _passed(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self._check(scope)
        admission = self.admission(scope["path"].removeprefix(self.base))
        if admission.most_bytes is None:
            await self.app(scope, receive, send)
            return
        async with self.bodies.whole(scope, receive, admission.most_bytes) as body:
            if not admission.queued:
                await self.app(scope, once(body, receive), send)
                return
            async with self.queue.turn(receive, long=len(body) > LONG) as over:
                scope.setdefault("state", {})["over"] = over
                await self.app(scope, once(body, receive), send)

    def _check(self, scope: "Scope") -> None:
        """Refuses a request that is not meant for this server, comes from elsewhere, or is one of too many."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            if key in headers and key in ("host", "origin", "sec-fetch-site", "content-length"):
                raise Refused(HTTPStatus.BAD_REQUEST, f"two headers {key}")
            headers[key] = value.decode("latin-1")
        if not self.bound.is_named_by(headers.get("host", "")):
            raise Refused(HTTPStatus.FORBIDDEN, "this server has another name")
        if scope["method"] not in SAFE and not self._from_here(headers):
            raise Refused(HTTPStatus.FORBIDDEN, "requests from pages of other sites are refused")
        if self.rate and not self.rate.takes():
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many requests: wait a second", LATER)

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """Whether a request that changes something comes from a page of this server, or from no page at all."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            return site in ("same-origin", "none")
        return origin is None or self.bound.is_origin(origin)

    def _log(self, scope: "Scope", status: HTTPStatus, why: str) -> None:
        path = scope["path"].removeprefix(self.base)
        self.refusals.log(scope.get("client"), f"{scope['method']} {path[:LONGEST_PATH]}", status, why)


@dataclass
class _Outgoing:
    """Sends an answer with the headers of every answer, unless it has its own, and logs it if it is a refusal."""

    onward: "Send"
    log: Callable[[HTTPStatus, str], None]
    begun: bool = False
    status: int = 200

    async def send(self, message: "Message") -> None:
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            own = [*message.get("headers", ())]
            known = {name.lower() for name, _ in own}
            message["headers"] = [*own, *((name, value) for name, value in HEADERS.items() if name not in known)]
        elif self.status >= HTTPStatus.BAD_REQUEST and self.status != HTTPStatus.NOT_FOUND:
            self.log(HTTPStatus(self.status), message.get("body", b"").decode("utf-8", "replace"))
        await self.onward(message)
