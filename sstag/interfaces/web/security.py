"""The guard before every request: who is called, from where, how often, how much; and the headers of every answer."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.answers import refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST")
PATIENCE = 60.0  # seconds for the body of a request
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


@dataclass
class Guard:
    """An application behind the checks; what does not pass never reaches it."""

    app: "ASGIApp"
    bound: Bound
    most_bytes: int
    rate: Rate

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here
        with_headers = _with_headers(send)
        if refused := self._refused(scope):
            await refusal(*refused)(scope, receive, with_headers)
            return
        try:
            async with asyncio.timeout(PATIENCE):
                body = await self._body(scope, receive)
        except TimeoutError:
            await refusal(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")(
                scope, receive, with_headers
            )
            return
        if body is None:
            message = f"more than {self.most_bytes:,} bytes"
            await refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)(scope, receive, with_headers)
            return
        await self.app(scope, _once(body, receive), with_headers)

    def _refused(self, scope: "Scope") -> tuple[HTTPStatus, str] | None:
        """Why a request is refused, if it is."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            if key in headers and key in ("host", "origin", "sec-fetch-site", "content-length"):
                return HTTPStatus.BAD_REQUEST, f"two headers {key}"
            headers[key] = value.decode("latin-1")
        if not self.bound.is_named_by(headers.get("host", "")):
            return HTTPStatus.FORBIDDEN, "this server has another name"
        if scope["method"] not in METHODS:
            return HTTPStatus.METHOD_NOT_ALLOWED, "there is no such method"
        if scope["method"] not in SAFE and not self._from_here(headers):
            return HTTPStatus.FORBIDDEN, "requests from pages of other sites are refused"
        if not self.rate.takes():
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests: wait a second"
        return None

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """Whether a request that changes something comes from a page of this server, or from no page at all."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            return site in ("same-origin", "none")
        return origin is None or self.bound.is_origin(origin)

    async def _body(self, scope: "Scope", receive: "Receive") -> bytes | None:
        """The body of a request; None if it is too large."""
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if not said.isdigit() or len(said) > 18 or int(said) > self.most_bytes:
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > self.most_bytes:
                return None
            if not message.get("more_body"):
                return bytes(body)


def _once(body: bytes, receive: "Receive") -> "Receive":
    """A body that was read already, and then whatever comes."""
    given = False

    async def again() -> "Message":
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: "Send") -> "Send":
    """Sends answers with the headers of every answer, unless they have their own."""

    async def sent(message: "Message") -> None:
        if message["type"] == "http.response.start":
            own = [*message.get("headers", ())]
            known = {name.lower() for name, _ in own}
            message["headers"] = [*own, *((name, value) for name, value in HEADERS.items() if name not in known)]
        await send(message)

    return sent
