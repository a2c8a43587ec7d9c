"""A thousand clients that say nothing, or half a request: both servers go on answering, and end when they are told."""

import asyncio
import json
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
import uvicorn

from sstag.interfaces.web import bodies, connections
from sstag.interfaces.web.answers import Refused
from sstag.interfaces.web.bodies import Bodies
from sstag.interfaces.web.listening import listening
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import ClientLeft, Queue
from tests.with_web.benches import begin
from tests.with_web.servers import model_in, requested, serving

MANY = 1000
HOST = b"Host: 127.0.0.1:%d\r\n"
HALVES: list[Callable[[int], bytes]] = [
    lambda port: b"",
    lambda port: b"G",
    lambda port: b"POST / HTTP/1.1\r\n" + HOST % port,
    lambda port: b"GET / HTTP/1.1\r\n" + HOST % port + b"\r\nG",  # an answer, and then no more
    lambda port: (
        b"POST /tag HTTP/1.1\r\nContent-Type: application/json\r\n" + HOST % port + b"Content-Length: 9\r\n\r\n{"
    ),
    lambda port: b"POST /label-studio/predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + HOST % port + b"\r\n5\r\n{",
]


@pytest.fixture
def many_files() -> Iterator[None]:
    """Enough files for the clients of this process; the servers begin with fewer, and raise their limit themselves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard == resource.RLIM_INFINITY or hard > MANY + 300
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def answering(which: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server, and the address of something that it answers."""
    if which == "serve":
        model_in(folder)
        options: tuple[str, ...] = ("-m", "names.model")
    else:
        options = (*begin(folder, 20), "--no-browser")
    with serving(folder, which, *options, "--port", "0", lines=1) as (server, (line,)):
        base = "http://" + urlsplit(line.split()[-1]).netloc
        yield server, f"{base}/{'label-studio/health' if which == 'serve' else ''}"


def connected(address: str, sent: bytes) -> socket.socket:
    parts = urlsplit(address)
    client = socket.create_connection((parts.hostname, parts.port), timeout=30)
    client.sendall(sent)
    return client


@pytest.mark.parametrize("which", ["serve", "annotate"])
def test_servers_answer_under_a_thousand_silent_connections(which, tmp_path, many_files):
    with answering(which, tmp_path) as (server, address), ExitStack() as stack:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (MANY + 300, hard))
        port = urlsplit(address).port
        silent = [stack.enter_context(connected(address, HALVES[number % len(HALVES)](port))) for number in range(MANY)]
        begun = time.monotonic()
        for _ in range(10):
            assert requested(address)[0] == 200
            if which == "serve":
                assert requested(urljoin(address, "/tag"), {"text": "Ann met Bob."})[0] == 200
        assert time.monotonic() - begun < 10
        for number in range(4):  # those without a whole head
            silent[number].settimeout(connections.HEAD + 20)
            while silent[number].recv(2**16):  # an answer, if a request was whole; then the end
                pass
        assert requested(address)[0] == 200
        server.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        assert server.wait(timeout=20) == 128 + signal.SIGTERM
        assert time.monotonic() - begun < 4
        assert "Traceback" not in (tmp_path / "log.txt").read_text()


def test_a_server_with_few_files_lets_the_newest_in(tmp_path):
    """With as many connections as it may have, the one that has been silent for longest makes room."""
    model_in(tmp_path)
    most = 40
    files = connections.SPARE + most
    limit = ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh")
    with ExitStack() as stack:
        _, (line, _) = stack.enter_context(serving(tmp_path, "serve", "-m", "names.model", "--port", "0", before=limit))
        address = line.split()[-1].replace("inception", "label-studio/health")
        silent = [stack.enter_context(connected(address, b"")) for _ in range(3 * most)]
        assert requested(address)[0] == 200
        silent[0].settimeout(5)
        assert silent[0].recv(1) == b""
        silent[-1].settimeout(0.5)
        with pytest.raises(TimeoutError):
            silent[-1].recv(1)


def test_a_line_that_is_no_request_is_refused_in_json(tmp_path):
    with answering("serve", tmp_path) as (_, address), connected(address, b"GET / HT\r\n\r\n") as client:
        head, _, body = client.recv(2**16).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert json.loads(body) == {"error": connections.NO_REQUEST}
        host, port = client.getsockname()
        assert f"WARNING {host}:{port} - 400: {connections.NO_REQUEST}" in (tmp_path / "log.txt").read_text()


def test_a_client_that_reads_no_answers_is_hung_up_on(tmp_path, monkeypatch):
    """In this process, where the time that it may take can be made short."""
    monkeypatch.setattr(connections, "STALLED", 0.2)
    lost = asyncio.Event()

    async def much(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1000):
            await send({"type": "http.response.body", "body": b"x" * 2**16, "more_body": True})
        lost.set()

    async def main() -> None:
        kind = connections.connection_class(Refusals())
        server = uvicorn.Server(uvicorn.Config(much, http=kind, log_config=None, lifespan="off"))
        with socket.socket() as listens:
            listens.bind(("127.0.0.1", 0))
            listens.listen()
            with socket.socket() as client:
                client.connect(listens.getsockname())
                client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                serving = asyncio.create_task(server.serve([listens]))
                await asyncio.wait_for(lost.wait(), 20)
                assert not server.server_state.connections
                server.should_exit = True
                await serving

    asyncio.run(main())


def test_pieces_of_an_answer_are_sent_at_once():
    """Nagle's algorithm would hold the body back until the client has acknowledged the head, after 40 ms."""

    async def main() -> None:
        where, bound = listening("127.0.0.1", 0)
        accepted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            option = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            accepted.set_result(bool(option))
            writer.close()

        async with await asyncio.start_server(answer, sock=where):
            _, writer = await asyncio.open_connection("127.0.0.1", bound.port)
            assert await accepted
            writer.close()

    asyncio.run(main())


async def _ever() -> dict[str, str]:
    await asyncio.Event().wait()
    raise AssertionError


def test_a_queue_keeps_the_order_and_refuses_what_is_too_much():
    async def main() -> None:
        queue, done = Queue(together=1, most=3), []
        go_on = asyncio.Event()

        async def work(number: int) -> None:
            async with queue.turn(_ever, long=False):
                await go_on.wait()
                done.append(number)

        tasks = []
        for number in range(4):
            tasks.append(asyncio.create_task(work(number)))
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(Refused) as refused:
            await work(4)
        assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
        go_on.set()
        await asyncio.gather(*tasks)
        assert done == [0, 1, 2, 3]

    asyncio.run(main())


def test_long_requests_leave_a_place_for_others():
    async def main() -> None:
        queue = Queue(together=3, most=9)
        async with queue.turn(_ever, long=True), queue.turn(_ever, long=True):
            third = asyncio.create_task(queue.turn(_ever, long=True).__aenter__())
            await asyncio.sleep(0.01)
            assert not third.done()
            for _ in range(3):
                async with queue.turn(_ever, long=False):
                    pass
            third.cancel()

    asyncio.run(main())


def test_who_leaves_the_queue_is_not_worked_for():
    async def main() -> None:
        queue, leave = Queue(together=1, most=9), asyncio.Event()

        async def leaving() -> dict[str, str]:
            await leave.wait()
            return {"type": "http.disconnect"}

        async def work() -> None:
            async with queue.turn(leaving, long=False):
                raise AssertionError

        async with queue.turn(leaving, long=False) as over:
            waits = asyncio.create_task(work())
            await asyncio.sleep(0.01)
            assert not over.is_set()
            leave.set()
            with pytest.raises(ClientLeft):
                await waits
            assert over.is_set()
            assert queue.waiting == 0
        async with queue.turn(_ever, long=False):  # and its place is free
            pass

    asyncio.run(main())


def _pieces(*pieces: bytes, ends: bool = True) -> Callable:
    """A client that sends these pieces, and then no more, or only no end."""
    left = [{"type": "http.request", "body": one, "more_body": True} for one in pieces]

    async def receive() -> dict:
        if left:
            return left.pop(0)
        if ends:
            return {"type": "http.request", "body": b"", "more_body": False}
        return await _ever()

    return receive


NO_HEADERS = {"headers": []}


def test_bodies_have_a_time_a_size_and_an_end(monkeypatch):
    monkeypatch.setattr(bodies, "PATIENCE", 0.05)

    async def read(receive: Callable, most: int = 100) -> bytes:
        async with Bodies().whole(NO_HEADERS, receive, most) as body:
            return body

    async def gone() -> dict:
        return {"type": "http.disconnect"}

    async def main() -> None:
        assert await read(_pieces(b"ab", b"c")) == b"abc"
        for receive, most, status in ((_pieces(b"ab", ends=False), 100, 408), (_pieces(b"ab", b"c"), 2, 413)):
            with pytest.raises(Refused) as refused:
                await read(receive, most)
            assert refused.value.status == status
        with pytest.raises(ClientLeft):
            await read(gone)

    asyncio.run(main())


@pytest.mark.parametrize("half", [True, False])
def test_for_want_of_room_the_oldest_half_body_is_given_up(half):
    async def main() -> None:
        room = Bodies(most=100)
        other = room.whole(NO_HEADERS, _pieces(b"x" * 60, ends=not half), 100)
        first = asyncio.create_task(other.__aenter__())
        await asyncio.sleep(0.01)
        expected = nullcontext() if half else pytest.raises(Refused)
        with expected as refused:
            async with room.whole(NO_HEADERS, _pieces(b"y" * 60), 100) as body:
                assert body == b"y" * 60
        if half:
            with pytest.raises(Refused) as refused:
                await first
            assert refused.value.status == 408
            assert room.held == 0
        else:
            assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
            assert room.held == 60

    asyncio.run(main())
