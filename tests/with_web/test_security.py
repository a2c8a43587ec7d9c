"""The guard before every request, without a server around it: how often somebody may ask."""

import asyncio
from http import HTTPStatus

import pytest

from sstag.interfaces.web import security
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
