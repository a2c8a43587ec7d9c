"""The application of `sstag serve`, and servers that listen where they are told to."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING

from sstag.foundation.errors import ConfigError
from sstag.interfaces.web import ml_backend, recommender
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.learning import INCEPTION, LABEL_STUDIO, Learning
from sstag.interfaces.web.security import Guard, Rate

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

MOST_BYTES = 64 * 2**20  # of a request: INCEpTION sends all documents of a project to learn from
AT_ONCE, PER_SECOND = 200, 100  # requests
TOGETHER = 16  # connections
MOMENT = 0.02  # seconds
TURN = 0.0005  # seconds: an answer, which is many short steps, waits so long at each for a thread that computes
GRACE = 5  # seconds for answers that are on their way when the server ends


def engine_app(engine: Engine, learning: Learning | None, bound: Bound, token: str | None) -> "ASGIApp":
    """The application that speaks both protocols; with a token, all of its paths begin with that."""
    from starlette.applications import Starlette
    from starlette.routing import Mount

    @asynccontextmanager
    async def life(app: "Starlette") -> "AsyncIterator[None]":
        yield
        if learning:
            await learning.stop()

    tools = [
        Mount(f"/{INCEPTION}", routes=recommender.routes(engine, learning)),
        Mount(f"/{LABEL_STUDIO}", routes=ml_backend.routes(engine, learning)),
    ]
    app = Starlette(routes=[Mount(f"/{token}", routes=tools)] if token else tools, lifespan=life)
    return Guard(app, bound, MOST_BYTES, Rate(AT_ONCE, PER_SECOND))


def listening(address: str, port: int, names: Sequence[str] = ()) -> tuple[socket.socket, Bound]:
    """A socket that listens, and what it is bound to; port 0 is any that is free."""
    try:
        kind = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    except ValueError as error:
        raise ConfigError(f"'{address}' is no address of this machine, such as 127.0.0.1 or ::1") from error
    made = socket.socket(kind, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise ConfigError(
            f"cannot listen on {address} port {port}: {(error.strerror or str(error)).lower()}"
        ) from error
    return made, Bound(address, made.getsockname()[1], tuple(name.lower() for name in names))


def run(app: "ASGIApp", where: socket.socket, ready: Callable[[], None], together: int = TOGETHER) -> None:
    """Serves an application until it is interrupted, to so many at once; `ready` is called when it answers."""
    import uvicorn

    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=together,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    server = uvicorn.Server(settings)

    sys.setswitchinterval(TURN)

    async def served() -> None:
        serving = asyncio.create_task(server.serve([where]))
        while not (server.started or serving.done()):
            await asyncio.sleep(MOMENT)
        if server.started:
            ready()
        await serving

    asyncio.run(served())
