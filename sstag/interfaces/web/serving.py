"""The application of `sstag serve`."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sstag.interfaces.web import ml_backend, recommender
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.answers import in_json
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.learning import INCEPTION, LABEL_STUDIO, Learning
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import Queue
from sstag.interfaces.web.security import Admission, Guard

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

MOST_BYTES = 16 * 2**20  # of a request
TRAINING = 64 * 2**20  # bytes: INCEpTION sends all documents of a project to learn from
USUAL = Admission(MOST_BYTES)
ADMISSIONS = {
    f"/{INCEPTION}/train": Admission(TRAINING),
    f"/{LABEL_STUDIO}/health": Admission(0, queued=False),
}
TOGETHER = max(2, os.cpu_count() or 1)  # requests that are worked on


def engine_app(
    engine: Engine, learning: Learning | None, bound: Bound, token: str | None, most_waiting: int, refusals: Refusals
) -> "ASGIApp":
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
    base = f"/{token}" if token else ""
    app = Starlette(
        routes=[Mount(base, routes=tools)] if base else tools, lifespan=life, exception_handlers=in_json("")
    )
    return Guard(
        app, bound, lambda path: ADMISSIONS.get(path, USUAL), Queue(TOGETHER, most_waiting), refusals, base=base
    )
