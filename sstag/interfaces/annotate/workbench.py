"""A project at work: its store and pool, the model that suggests, the questions, and the trainings."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.questions import Questions
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.store import ASKS
from sstag.interfaces.annotate.suggester import Suggester

T = TypeVar("T")
FRESH = 2.0  # seconds for which figures that take long stay as they are


class Workbench:
    """Everything that requests are answered from."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.suggester = Suggester()
        self.questions = Questions(project, self.suggester)
        self.tallies = Kept(self._tallies)

    async def start(self) -> None:
        """Makes ready what the first requests need."""
        await asyncio.to_thread(self.questions.start)

    async def stop(self) -> None:
        """Ends what goes on beside the requests."""

    def learned(self) -> dict[str, object]:
        """The model that suggests, and the training that makes the next one."""
        return {"model": None, "training": {"busy": False, "seconds": None, "failure": None}}

    def noticed(self, session: Session, answers: Sequence[Answer]) -> None:
        """Takes notice of answers that are on disk."""
        for answer in answers:
            if answer.kind in ASKS and answer.text is not None:
                self.questions.answered(session, answer.text, answer.kind)

    def _tallies(self) -> list[Mapping[str, Json]]:
        """How much each annotator has done."""
        query = """select a.name,
                   count(distinct case when c.kind = 'sentence' then c.thing end) as texts,
                   count(distinct case when c.kind = 'span' then c.thing end) as spans,
                   count(distinct case when c.kind in ('feature', 'gazetteer') then c.thing end) as features
                   from annotator a left join counting c on c.annotator = a.id group by a.id order by a.name"""
        with self.project.store.reading() as file:
            return [dict(row) for row in file.execute(query)]


class Kept(Generic[T]):
    """A value that is found anew if it is older than a moment."""

    def __init__(self, found: Callable[[], T]) -> None:
        self._found, self._lock = found, Lock()
        self._value: tuple[float, T] | None = None

    def __call__(self) -> T:
        with self._lock:
            now = time.monotonic()
            if self._value is None or now - self._value[0] > FRESH:
                self._value = (now, self._found())
            return self._value[1]
