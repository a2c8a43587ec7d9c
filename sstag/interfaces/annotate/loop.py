"""The loop: answers are learned from in a child process, and its model is taken whole when it is ready.

A model is a file of the project's folder `models`, with a JSON file beside it that says what to ask next.
"""

import asyncio
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import ceil

from sstag.corpus.text.json_keys import a_whole, an_object
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.json_values import Json, json_value
from sstag.interfaces.annotate.checking import MODEL, check_findings
from sstag.interfaces.annotate.inside import MODELS
from sstag.interfaces.annotate.lesson import NOTHING, Lesson
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.records import Trained
from sstag.interfaces.web.training import Trainer

WORK = "training"
FEWEST, GROWTH = 10, 0.05  # new answers, at least, and as a share of those that the last model learned from
ENDINGS = (".model", ".json")

log = logging.getLogger(__name__)


class Loop:
    """The trainings of a project."""

    def __init__(self, project: Project, take: Callable[[Trained, str, Mapping[str, Json]], None]) -> None:
        self.project, self._take_model = project, take
        self.trainer = Trainer(self._make, self._take)
        self._began: float | None = None
        self._main: asyncio.AbstractEventLoop | None = None
        models = project.store.models()
        self.last = models[-1] if models else None
        self._is_whole = True  # whether the last model can be read
        self.since = 0  # answers that no model has learned from
        self._tried = 0  # of these, how many a training that failed had seen

    def start(self) -> None:
        """Puts the last model to work, and goes on with what it has not learned."""
        self._main = asyncio.get_running_loop()
        try:
            self.take_again()
        except (SstagError, OSError) as error:
            log.warning("%s: the next training begins anew", error)
            self._is_whole = False
            self.trainer.start()
        self.counted()

    def take_again(self) -> None:
        """Puts the last model to work again, after a change of labels."""
        if self.last:
            self._take_model(self.last, self._file(self.last), self._said(self.last))

    def counted(self) -> None:
        """Counts what is new, and begins a training if that is enough."""
        self.since = self.project.store.events_after(self.last.event if self.last else 0)
        if not self.due and self._main:
            self._main.call_soon_threadsafe(self.trainer.start)

    def begin(self) -> None:
        """Begins a training, or one more if one is on its way."""
        if self._main:
            self._main.call_soon_threadsafe(self.trainer.start_or_repeat)

    @property
    def due(self) -> int:
        """How many answers more begin a training."""
        learned = int(str(self.last.said["answers"])) if self.last else 0
        return max(ceil(max(FEWEST, GROWTH * learned)) - (self.since - self._tried), 0)

    @property
    def seconds(self) -> float | None:
        """How long the training that is on its way has taken."""
        return time.monotonic() - self._began if self.trainer.is_busy and self._began is not None else None

    async def _make(self) -> Lesson | None:
        self._began, self._tried = time.monotonic(), self.since
        return await asyncio.to_thread(self._lesson)

    def _lesson(self) -> Lesson | None:
        """The training on all that counts now; None if nobody has answered anything."""
        project = self.project
        if not project.store.events_after(0):
            return None
        folder = project.path(WORK)
        shutil.rmtree(folder, ignore_errors=True)  # of a training that was killed
        os.mkdir(folder)
        target, result = (os.path.join(folder, f"new{ending}") for ending in ENDINGS)
        goes_on = (
            self.last and self._is_whole and project.store.labels.after(self.last.event) is None
        )  # a model keeps the labels it has
        init = self._file(self.last) if self.last and goes_on else None
        own = project.settings
        return Lesson(project.folder, folder, target, result, init, own.template, own.train, own.dev)

    async def _take(self, lesson: Lesson) -> None:
        await asyncio.to_thread(self._taken, lesson)

    def _taken(self, lesson: Lesson) -> None:
        """Moves a new model where it stays, and puts it to work."""
        with open(lesson.result, encoding="utf-8") as text:
            said: Mapping[str, Json] = json.load(text)
        if NOTHING in said:
            return
        number = self.last.id + 1 if self.last else 1
        names = [f"{number:06}{ending}" for ending in ENDINGS]
        for path, name in zip((lesson.target, lesson.result), names, strict=True):
            os.replace(path, self.project.path(MODELS, name))
        about: dict[str, Json] = {name: said[name] for name in ("answers", "lost", "figures")}
        event = a_whole(said["event"], "event")
        self._is_whole = True
        before, self.last = self.last, self.project.store.keep_model(names[0], event, about)
        self._tried = 0
        self._take_model(self.last, self.project.path(MODELS, names[0]), said)
        shutil.rmtree(self.project.path(WORK), ignore_errors=True)
        if before:
            self._remove(before)
        self.counted()

    def _file(self, model: Trained, ending: str = ENDINGS[0]) -> str:
        """The path of a file of a model, whose name in the store is a number and nothing else."""
        if not MODEL.fullmatch(model.file):
            raise DataError(f"the model {model.id} has the file '{model.file:.60}', which is no name of a model here")
        return self.project.path(MODELS, model.file.removesuffix(ENDINGS[0]) + ending)

    def _remove(self, model: Trained) -> None:
        """Removes the files of a model that is no longer at work; what is known of it stays in the store."""
        for ending in ENDINGS:
            with suppress(FileNotFoundError):
                os.unlink(self._file(model, ending))

    def _said(self, model: Trained) -> Mapping[str, Json]:
        """All that the child said of a model."""
        path = self._file(model, ENDINGS[1])
        try:
            with open(path, "rb") as file:
                said = an_object(json_value(file.read()), "it")
            check_findings(said)
        except (OSError, ValueError, SstagError) as error:
            raise DataError(f"is missing or damaged, though the project has this model ({error})", path) from error
        return said
