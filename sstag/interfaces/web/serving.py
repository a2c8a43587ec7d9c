"""The application of `sstag serve`."""

import asyncio
import hmac
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sstag.interfaces.web import ml_backend, recommender, tag_api
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.answers import in_json
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.learning import INCEPTION, LABEL_STUDIO, Learning
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import Queue
from sstag.interfaces.web.security import Admission, Guard

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 16 * 2**20  # of a request
TRAINING = 64 * 2**20  # bytes: INCEpTION sends all documents of a project to learn from
USUAL = Admission(MOST_BYTES)
AT_ONCE = Admission(MOST_BYTES, queued=False)  # what a load balancer asks is answered however many wait
ADMISSIONS = {
    "/tag-stream": Admission(None),
    **dict.fromkeys(("/", "/health", "/models", "/openapi.json"), AT_ONCE),
}
BY_ENDING = {f"/{INCEPTION}/train": Admission(TRAINING), f"/{LABEL_STUDIO}/health": AT_ONCE}
TOGETHER = min(max(2, os.cpu_count() or 1), 16)  # requests that are worked on
HEALTH = "/health"
BEARER = b"Bearer "


def engine_app(
    engines: dict[str, Engine],
    learning: Learning | None,
    bound: Bound,
    token: str | None,
    most_waiting: int,
    refusals: Refusals,
) -> "ASGIApp":
    """The application for all clients; with a token, its paths begin with that, or a header says it."""
    from starlette.applications import Starlette
    from starlette.routing import Mount

    @asynccontextmanager
    async def life(app: "Starlette") -> "AsyncIterator[None]":
        yield
        if learning:
            await learning.stop()

    queue, base = Queue(TOGETHER, most_waiting), f"/{token}" if token else ""
    routes = [*_tools(engines, learning), *tag_api.routes(engines, queue, base)]
    app = Starlette(
        routes=[Mount(base, routes=routes)] if base else routes,
        lifespan=life,
        exception_handlers=in_json("GET / says what there is"),
    )
    guard = Guard(app, bound, admission, queue, refusals, base=base)
    return _BySecret(guard, token) if token else guard


def tool_paths(engines: dict[str, Engine]) -> dict[str, str]:
    """The beginnings of the paths for other tools by the names of models; with one model it is left out."""
    return {name: f"/models/{name}" if len(engines) > 1 else "" for name in engines}


def _tools(engines: dict[str, Engine], learning: Learning | None) -> "list[Mount]":
    from starlette.routing import Mount

    return [
        Mount(f"{tool_paths(engines)[name]}/{tool}", routes=routes(engine, learning))
        for name, engine in engines.items()
        for tool, routes in ((INCEPTION, recommender.routes), (LABEL_STUDIO, ml_backend.routes))
    ]


def admission(path: str) -> Admission:
    """How requests of a path, without the secret, are taken."""
    ends = "/" + "/".join(path.split("/")[-2:])
    return ADMISSIONS.get(path) or BY_ENDING.get(ends, USUAL)


class _BySecret:
    """An application whose paths begin with a secret: a request that has it in a header needs it in no path.

    Whether the server answers may be asked without it.
    """

    def __init__(self, app: "ASGIApp", secret: str) -> None:
        self.app, self.base, self.said = app, f"/{secret}", BEARER + secret.encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and (scope["path"] == HEALTH or self._knows(scope)):
            path = scope["path"].removeprefix(self.base)
            scope = {**scope, "path": self.base + path, "raw_path": (self.base + path).encode()}
        await self.app(scope, receive, send)

    def _knows(self, scope: "Scope") -> bool:
        said = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(said, self.said)


def reloading(engines: dict[str, Engine]) -> Callable[[], None]:
    """A function that has the files of all models read again, one request after another."""
    one_by_one, tasks = asyncio.Lock(), set[asyncio.Task[None]]()

    async def again() -> None:
        async with one_by_one:
            for engine in engines.values():
                await asyncio.to_thread(engine.take_again)

    def reload() -> None:
        task = asyncio.get_running_loop().create_task(again())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return reload
