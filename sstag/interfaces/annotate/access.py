"""Who may use the API: those who know the token of the project, by a cookie that it is traded for, or by a header."""

import hmac
import os
import tempfile
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.foundation.files import translated_errors
from sstag.interfaces.web.answers import refusal
from sstag.interfaces.web.secret_files import SECRET

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

BEARER = "Bearer "
YEAR = 365 * 86_400  # seconds
REDIRECT = '<!doctype html><meta charset="utf-8"><title>sstag</title><meta http-equiv="refresh" content="0; url={}">\n'


class Access:
    """The secret of a project, and the cookie that stands for it: one that still holds after a restart."""

    def __init__(self, token: str, port: int) -> None:
        assert SECRET.fullmatch(token)  # nothing is compared with nothing
        self.token = token
        self.cookie = f"sstag-{port}"  # browsers send cookies to all ports of an address
        self.pass_ = hmac.new(token.encode(), b"cookie", sha256).hexdigest()

    def is_granted(self, request: "Request") -> bool:
        """Whether a request comes from somebody who knows the token."""
        said = request.headers.get("authorization", "")
        if said.startswith(BEARER):
            return _equal(said.removeprefix(BEARER), self.token)
        return _equal(request.cookies.get(self.cookie, ""), self.pass_)

    async def login(self, request: "Request") -> "Response":
        """Trades the token for a cookie, and leads to the page."""
        from starlette.responses import RedirectResponse

        if not _equal(request.query_params.get("token", ""), self.token):
            return refusal(HTTPStatus.UNAUTHORIZED, "this is not the token: take the address that sstag prints")
        answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        answer.set_cookie(self.cookie, self.pass_, max_age=YEAR, httponly=True, samesite="strict")
        return answer


class Door:
    """An application behind the token."""

    def __init__(self, app: "ASGIApp", access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        from starlette.requests import Request

        if not self.access.is_granted(Request(scope)):
            message = "the token is missing: open the address that sstag prints"
            await refusal(HTTPStatus.UNAUTHORIZED, message)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _equal(one: str, other: str) -> bool:
    return bool(one and other) and hmac.compare_digest(one.encode(), other.encode())


def redirect_file(url: str) -> str:
    """A file that leads a browser to an address, so that other users do not see the token in the list of processes."""
    handle, path = tempfile.mkstemp(".html", "sstag-")  # nobody else may read it
    try:
        with translated_errors(path), os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(REDIRECT.format(url))
    except BaseException:
        os.unlink(path)
        raise
    return path
