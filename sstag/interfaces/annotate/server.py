"""The application of the workbench: pages from memory, the API behind the token, and the guard before both."""

import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from sstag import __version__
from sstag.interfaces.annotate.access import Access, Door
from sstag.interfaces.annotate.api import answers, changes, features, files, progress, sentences, spans, state
from sstag.interfaces.annotate.endpoints import Endpoint, description
from sstag.interfaces.annotate.workbench import Workbench
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.answers import in_json, said
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import Queue
from sstag.interfaces.web.security import Admission, Guard, Rate

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

PAGES = resources.files("sstag.interfaces.annotate") / "static"
FIRST = "index.html"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
MOST_BYTES = 16 * 2**20  # of a request
LIST = "/api/openapi.json lists the requests"
AT_ONCE, PER_SECOND = 500, 250  # requests
TOGETHER = 64  # requests that are worked on


def workbench_app(bench: Workbench, bound: Bound, token: str, most_waiting: int, refusals: Refusals) -> "ASGIApp":
    """The application of a project, for the address that it is bound to."""
    from starlette.applications import Starlette
    from starlette.routing import Mount, Route

    pages = _pages()
    version = f"{__version__}-{_digest(pages)}"
    access = Access(token, bound.port)
    every = endpoints_of(bench, version)

    async def openapi(request: "Request") -> "Response":
        return said(description(every, __version__))

    @asynccontextmanager
    async def life(app: "Starlette") -> "AsyncIterator[None]":
        await bench.start()
        yield
        await bench.stop()

    api = Starlette(
        routes=[
            Route("/openapi.json", openapi, methods=["GET"]),
            *(Route(one.path, one.handler, methods=[one.method]) for one in every),
        ],
        exception_handlers=in_json(LIST),
    )
    routes = [
        Route("/login", access.login, methods=["GET"]),
        Mount("/api", Door(api, access)),
        *(Route(path, _page(content, kind), methods=["GET"]) for path, (content, kind) in pages.items()),
    ]
    app = Starlette(routes=routes, lifespan=life, exception_handlers=in_json(LIST))
    usual, queue = Admission(MOST_BYTES), Queue(TOGETHER, most_waiting)
    return Guard(app, bound, lambda path: usual, queue, refusals, Rate(AT_ONCE, PER_SECOND))


def endpoints_of(bench: Workbench, version: str) -> list[Endpoint]:
    """All requests of the API."""
    rooms = (sentences, answers, spans, features, progress, files, changes)
    return [*state.endpoints(bench, version), *(one for room in rooms for one in room.endpoints(bench))]


def _page(content: bytes, kind: str) -> object:
    async def page(request: "Request") -> "Response":
        from starlette.responses import Response

        return Response(content, media_type=kind)

    return page


def _pages() -> dict[str, tuple[bytes, str]]:
    """The pages by their paths, read once: no path of a client ever reaches the file system."""
    found: dict[str, tuple[bytes, str]] = {}

    def walk(folder: Traversable, path: str) -> None:
        for one in sorted(folder.iterdir(), key=lambda one: one.name):
            here = f"{path}/{one.name}"
            if one.is_dir():
                walk(one, here)
            elif not one.name.startswith("."):
                ending = "." + one.name.rpartition(".")[2]
                kind = TYPES.get(ending) or mimetypes.guess_type(one.name)[0] or "application/octet-stream"
                found["/" if here == f"/{FIRST}" else here] = one.read_bytes(), kind

    if PAGES.is_dir():
        walk(PAGES, "")
    return found


def _digest(pages: dict[str, tuple[bytes, str]]) -> str:
    """A name for this version of the pages."""
    digest = sha256()
    for path, (content, _) in sorted(pages.items()):
        digest.update(path.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:8]
