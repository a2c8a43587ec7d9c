"""Servers that listen where they are told to, and answer until a signal ends them."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

from sstag.foundation.errors import ConfigError
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.logs import Refusals, timed_log

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MOMENT = 0.02  # seconds
TURN = 0.0005  # seconds: an answer, which is many short steps, waits so long at each for a thread that computes
GRACE = 5  # seconds for answers that are on their way when the server ends
BACKLOG = 1024  # connections that the system takes before the server does


def listening(address: str, port: int, names: Sequence[str] = ()) -> tuple[socket.socket, Bound]:
    """A socket that listens, and what it is bound to; port 0 is any that is free."""
    try:
        kind = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    except ValueError as error:
        raise ConfigError(f"'{address}' is no address of this machine, such as 127.0.0.1 or ::1") from error
    # Only where the protocol is named does asyncio send each piece of an answer at once, instead of 40 ms later.
    made = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise ConfigError(
            f"cannot listen on {address} port {port}: {(error.strerror or str(error)).lower()}"
        ) from error
    return made, Bound(address, made.getsockname()[1], tuple(name.lower() for name in names))


def run(
    app: "ASGIApp",
    where: socket.socket,
    ready: Callable[[], None],
    refusals: Refusals,
    reload: Callable[[], None] | None = None,
) -> None:
    """Serves an application until it is interrupted; `ready` is called when it answers, `reload` at each SIGHUP."""
    import uvicorn

    from sstag.interfaces.web.connections import HEAD, connection_class

    settings = uvicorn.Config(
        app,
        http=connection_class(refusals),
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=HEAD,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    server = uvicorn.Server(settings)
    in_terminal = sys.stdin is not None and sys.stdin.isatty()

    sys.setswitchinterval(TURN)

    def hung_up() -> None:
        if in_terminal and not sys.stdin.isatty():  # the terminal was closed: nobody asks for a new model
            server.should_exit = True
        elif reload:
            reload()

    async def served() -> None:
        if reload and hasattr(signal, "SIGHUP"):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up)
        serving = asyncio.create_task(server.serve([where]))
        while not (server.started or serving.done()):
            await asyncio.sleep(MOMENT)
        try:
            if server.started:
                ready()
        except BaseException:  # nobody was told the address: the server ends in order, and the error is shown
            server.should_exit = True
            await serving
            raise
        await serving

    with timed_log():
        asyncio.run(served())
