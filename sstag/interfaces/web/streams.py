"""Streams of JSON lines: lines are answered while more arrive, whole pieces at a time, in bounded memory."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.interfaces.web.answers import LATER, Refused
from sstag.interfaces.web.bodies import PATIENCE
from sstag.interfaces.web.queueing import ClientLeft, Queue

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

LINES = ("application/x-ndjson", "application/jsonl", "application/octet-stream")
MOST = 64  # streams at once
LONGEST = 2**20  # bytes of a line
HELD = 4 * 2**20  # bytes of answers that a client has not read yet
LONG = 2**14  # bytes of lines that may take long

Answers = Callable[
    [Sequence[tuple[int, bytes]], Callable[[], bool]], bytes
]  # of lines and their numbers, while one waits


class Streams:
    """The streams of a server, of which there are not too many."""

    def __init__(self, queue: Queue) -> None:
        self.queue, self.open = queue, 0

    def expect_room(self) -> None:
        """Refuses one stream more than there may be."""
        if self.open >= MOST:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST} streams are open already: come again later", LATER)


class Stream:
    """An answer to a request whose lines are read as they come."""

    def __init__(self, streams: Streams, answers: Answers) -> None:
        streams.expect_room()
        self._streams, self._answers = streams, answers
        self._unsent: list[bytes] = []
        self._more, self._room = asyncio.Event(), asyncio.Event()
        self._ended = False

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self._streams.open += 1
        try:
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", LINES[0].encode())]}
            )
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._sent(send))
                await self._read(receive)
        except* ClientLeft:
            pass
        finally:
            self._streams.open -= 1

    async def _sent(self, send: "Send") -> None:
        """Sends answers as they are made; who reads no answers does not hold up the reading of lines."""
        while True:
            await self._more.wait()
            self._more.clear()
            data, ended = b"".join(self._unsent), self._ended
            self._unsent.clear()
            await send({"type": "http.response.body", "body": data, "more_body": not ended})
            self._room.set()
            if ended:
                return

    async def _read(self, receive: "Receive") -> None:
        """Reads lines and has them answered, as long as there is room for answers."""
        rest, number, more = b"", 0, True
        while more:
            try:
                async with asyncio.timeout(PATIENCE):
                    message = await receive()
            except TimeoutError:
                self._say(b'{"error":"no line for %d seconds: the stream ends"}\n' % PATIENCE)
                break
            if message["type"] == "http.disconnect":
                self._end()
                raise ClientLeft
            more = message.get("more_body", False)
            *lines, rest = (rest + message.get("body", b"")).split(b"\n")
            if not more and rest:
                lines.append(rest)
            if len(rest) > LONGEST or any(len(line) > LONGEST for line in lines):
                self._say(b'{"error":"a line of more than %d bytes: the stream ends"}\n' % LONGEST)
                break
            if lines:
                numbered = [(at, line) for at, line in enumerate(lines, number + 1) if line.strip()]
                async with self._streams.queue.turn(None, long=sum(map(len, lines)) > LONG, patient=True) as over:
                    self._say(await asyncio.to_thread(self._answers, numbered, over.is_set))
                number += len(lines)
            while sum(map(len, self._unsent)) > HELD:
                self._room.clear()
                await self._room.wait()
        self._end()

    def _say(self, answers: bytes) -> None:
        self._unsent.append(answers)
        self._more.set()

    def _end(self) -> None:
        self._ended = True
        self._more.set()
