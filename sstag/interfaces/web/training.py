"""Trainings in a child process of low priority; the server goes on answering, and takes the new model whole."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Protocol, TypeVar

from sstag.foundation.child_python import child_environment, module_command
from sstag.foundation.errors import SstagError
from sstag.foundation.json_values import Json

LONGEST = 2000  # characters of an error that are kept

log = logging.getLogger(__name__)


class Told(Protocol):
    """A dataclass whose fields a child process is told in JSON, and the module that the child runs."""

    child: ClassVar[str]


T = TypeVar("T", bound=Told)


@dataclass(frozen=True)
class Lesson:
    """A training as the child is asked for it; without a template it is that of the model it starts from."""

    child: ClassVar[str] = "sstag.interfaces.web.child"

    sentences: list[str]  # paths
    target: str
    method: str
    template: str | None = None
    init: str | None = None
    unlabeled: str | None = None
    rejected: str | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)


class Trainer(Generic[T]):
    """Trainings one after another: `make` says what is to be learned, `take` is called when its model is in a file."""

    def __init__(self, make: Callable[[], Awaitable[T | None]], take: Callable[[T], Awaitable[None]]) -> None:
        self.failure: str | None = None  # of the last training, if it failed
        self.finished = 0
        self._make, self._take = make, take
        self._task: asyncio.Task[None] | None = None
        self._again = False

    @property
    def is_busy(self) -> bool:
        """Whether a training is on its way."""
        return self._task is not None and not self._task.done()

    def start(self) -> bool:
        """Starts a training; False if one is on its way."""
        if self.is_busy:
            return False
        self._task = asyncio.create_task(self._run())
        return True

    def start_or_repeat(self) -> None:
        """Starts a training now, or as soon as the one that is on its way has ended."""
        if not self.start():
            self._again = True

    async def settled(self) -> None:
        """Waits until no training is on its way."""
        while self._task and not self._task.done():
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """Gives up the training that is on its way."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            self._again = False
            try:
                lesson = await self._make()
                self.failure = await _trained(lesson) if lesson else None
                if lesson and self.failure is None:
                    await self._take(lesson)
                    self.finished += 1
            except (SstagError, OSError) as error:
                self.failure = str(error)[:LONGEST]
            if self.failure:
                log.warning("training failed: %s", self.failure)
            if not self._again:
                return


async def _trained(lesson: Told) -> str | None:
    """Runs a child to the end; why it failed, if it did."""
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *module_command(lesson.child),
        stdin=pipe,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=pipe,
        env=child_environment(),
    )
    assert child.stdin
    assert child.stderr
    try:
        child.stdin.write(json.dumps(vars(lesson)).encode() + b"\n")
        await child.stdin.drain()
        message = await _end_of(child.stderr)
        code = await child.wait()
    except ConnectionError:
        message, code = "", await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if code == 0:
        return None
    lines = message.strip()[-LONGEST:].splitlines() or [f"the training ended with code {code}"]
    if len(lines) > 1:
        log.warning("training failed:\n%s", "\n".join(lines))
    return lines[-1]


async def _end_of(stream: asyncio.StreamReader) -> str:
    """The end of what a stream says; it may say much."""
    kept = b""
    while piece := await stream.read(65536):
        kept = (kept + piece)[-4 * LONGEST :]
    return kept.decode(errors="replace")
