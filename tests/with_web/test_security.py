"""The guard before every request, without a server around it: how often somebody may ask."""

import asyncio
from http import HTTPStatus

import pytest

from sstag.interfaces.web import logs, security
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.logs import Refusals
from sstag.interfaces.web.queueing import Queue
from sstag.interfaces.web.security import Admission, Guard, Rate


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(security, "time", made)
    return made


async def content(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})


def statuses(guard: Guard, count: int) -> list[int]:
    """The statuses of so many requests, one after another."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    async def ask() -> None:
        head = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"127.0.0.1:80")]}
        for _ in range(count):
            await guard(head, receive, send)

    asyncio.run(ask())
    return [message["status"] for message in sent if message["type"] == "http.response.start"]


def test_who_asks_too_often_waits_until_the_bucket_has_filled_again(clock):
    rate = Rate(burst=3, per_second=2)
    rate.then = clock.now
    guard = Guard(content, Bound("127.0.0.1", 80), lambda path: Admission(1000), Queue(1, 0), Refusals(), rate)
    many = HTTPStatus.TOO_MANY_REQUESTS
    assert statuses(guard, 5) == [200, 200, 200, many, many]
    clock.now += 0.4
    assert statuses(guard, 1) == [many]
    clock.now += 0.1
    assert statuses(guard, 2) == [200, many]
    clock.now += 1000
    assert statuses(guard, 4) == [200, 200, 200, many]


def test_requests_wait_for_their_turn_and_too_many_are_told_when_to_come_again(caplog):
    """Of three at once one is worked on, one waits, and one is refused; what needs no turn is answered."""

    async def main() -> list[dict]:
        go_on, answers = asyncio.Event(), []

        async def slow(scope, receive, send):
            if scope["path"] != "/health":
                await go_on.wait()
            await content(scope, receive, send)

        guard = Guard(
            slow, Bound("127.0.0.1", 80), lambda path: Admission(9, path != "/health"), Queue(1, 1), Refusals()
        )

        async def ask(path: str) -> None:
            body = [{"type": "http.request", "body": b"", "more_body": False}]

            async def receive():
                return body.pop() if body else await asyncio.Event().wait()

            async def send(message):
                answers.append({"path": path, **message})

            head = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"127.0.0.1:80")]}
            await guard({**head, "client": ("10.0.0.7", 4711)}, receive, send)

        asks = []
        for path in ("/1", "/2", "/3", "/health"):
            asks.append(asyncio.create_task(ask(path)))
            await asyncio.sleep(0.01)
        assert [one["path"] for one in answers] == ["/3", "/3", "/health", "/health"]
        go_on.set()
        await asyncio.gather(*asks)
        return answers

    answers = asyncio.run(main())
    begun = {one["path"]: one for one in answers if "status" in one}
    assert {path: one["status"] for path, one in begun.items()} == {"/1": 200, "/2": 200, "/3": 503, "/health": 200}
    headers = dict(begun["/3"]["headers"])
    assert (headers[b"retry-after"], headers[b"content-type"]) == (b"1", b"application/json")
    (line,) = caplog.messages
    assert line.startswith('10.0.0.7:4711 GET /3 503: {"error":"the server is busy')


def test_the_log_has_one_line_a_second_for_each_status_and_counts_the_others(caplog, monkeypatch):
    now = Clock()
    monkeypatch.setattr(logs, "time", now)
    refusals = Refusals()
    for _ in range(300):
        refusals.log(("::1", 5), "POST /tag", HTTPStatus.SERVICE_UNAVAILABLE, "busy")
    refusals.log(None, "", HTTPStatus.BAD_REQUEST, "no request")
    now.now += logs.PAUSE
    refusals.log(("::1", 5), "POST /tag", HTTPStatus.SERVICE_UNAVAILABLE, "busy")
    assert caplog.messages == [
        "[::1]:5 POST /tag 503: busy", "- - 400: no request", "[::1]:5 POST /tag 503: busy (and 299 more)",
    ]  # fmt: skip
