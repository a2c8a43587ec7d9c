"""The loop: answers are learned from in a child process, and its model is taken whole when it is ready.

A model is a file of the project's folder `models`, with a JSON file beside it that says what to ask next.
"""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping

from sstag.foundation.errors import DataError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.knowledge import knowledge
from sstag.interfaces.annotate.lesson import Lesson
from sstag.interfaces.annotate.lessons import LIST, written
from sstag.interfaces.annotate.project import MODELS, POOL, Project
from sstag.interfaces.annotate.records import Trained
from sstag.interfaces.web.training import Trainer
from sstag.selection.strategies import CHANCE, STRATEGIES

WORK = "training"
FEWEST, GROWTH = 10, 0.05  # new answers, at least, and as a share of those that the last model learned from
ENDINGS = (".model", ".json")


class Loop:
    """The trainings of a project."""

    def __init__(self, project: Project, take: Callable[[Trained, str, Mapping[str, Json]], None]) -> None:
        self.project, self._take_model = project, take
        self.trainer = Trainer(self._make, self._take)
        self._began: float | None = None
        self._main: asyncio.AbstractEventLoop | None = None
        models = project.store.models()
        self.last = models[-1] if models else None
        self.since = 0  # answers that no model has learned from
        self._tried = 0  # of these, how many a training that failed had seen

    def start(self) -> None:
        """Puts the last model to work, and goes on with what it has not learned."""
        self._main = asyncio.get_running_loop()
        if self.last:
            self._take_model(self.last, self.project.path(MODELS, self.last.file), self._said(self.last))
        self.counted()

    def counted(self) -> None:
        """Counts what is new, and begins a training if that is enough."""
        self.since = self.project.store.events_after(self.last.event if self.last else 0)
        learned = int(str(self.last.said["answers"])) if self.last else 0
        if self.since - self._tried >= max(FEWEST, GROWTH * learned) and self._main:
            self._main.call_soon_threadsafe(self.trainer.start)

    @property
    def seconds(self) -> float | None:
        """How long the training that is on its way has taken."""
        return time.monotonic() - self._began if self.trainer.is_busy and self._began is not None else None

    async def _make(self) -> Lesson | None:
        self._began, self._tried = time.monotonic(), self.since
        return await asyncio.to_thread(self._lesson)

    def _lesson(self) -> Lesson | None:
        """The training on all that counts now; None if there is nothing to learn from."""
        project = self.project
        with project.store.reading() as file:
            known = knowledge(file)
            held = [
                row["hash"] for row in file.execute("select hash from text where id in (select text from question)")
            ]
        if known.is_empty:
            return None
        folder = project.path(WORK)
        shutil.rmtree(folder, ignore_errors=True)  # of a training that was killed
        os.mkdir(folder)
        files = written(project, known, folder)
        asked = os.path.join(folder, "asked.txt")
        with output(asked) as out:
            out.write("\n".join([*held, *known.texts]).encode())
        target, result = (os.path.join(folder, f"new{ending}") for ending in ENDINGS)
        init = project.path(MODELS, self.last.file) if self.last else None
        strategy = project.settings.strategy
        return Lesson(
            options=[*files.options, "--model", target, *(["--init", init] if init else [])],
            target=target,
            result=result,
            pool=project.path(POOL),
            known=asked,
            init=init,
            listed=os.path.join(folder, LIST) if known.lines else None,
            dev=[*project.settings.dev],
            strategy=strategy if strategy in STRATEGIES else CHANCE,
            seed=known.last,
            event=known.last,
            answers=known.answers,
            lost=files.lost,
        )

    async def _take(self, lesson: Lesson) -> None:
        await asyncio.to_thread(self._taken, lesson)

    def _taken(self, lesson: Lesson) -> None:
        """Moves a new model where it stays, and puts it to work."""
        with open(lesson.result, encoding="utf-8") as text:
            said: Mapping[str, Json] = json.load(text)
        number = self.last.id + 1 if self.last else 1
        names = [f"{number:06}{ending}" for ending in ENDINGS]
        for path, name in zip((lesson.target, lesson.result), names, strict=True):
            os.replace(path, self.project.path(MODELS, name))
        about: dict[str, Json] = {"answers": lesson.answers, "lost": lesson.lost, "figures": said["figures"]}
        before, self.last = self.last, self.project.store.keep_model(names[0], lesson.event, about)
        self._tried = 0
        self._take_model(self.last, self.project.path(MODELS, names[0]), said)
        shutil.rmtree(self.project.path(WORK), ignore_errors=True)
        if before:
            self._remove(before)
        self.counted()

    def _remove(self, model: Trained) -> None:
        """Removes the file of a model that is no longer at work; what is known of it stays in the store."""
        for ending in ENDINGS:
            os.unlink(self.project.path(MODELS, model.file.removesuffix(ENDINGS[0]) + ending))

    def _said(self, model: Trained) -> Mapping[str, Json]:
        """All that the child said of a model."""
        path = self.project.path(MODELS, model.file.removesuffix(ENDINGS[0]) + ENDINGS[1])
        try:
            with open(path, encoding="utf-8") as text:
                said: Mapping[str, Json] = json.load(text)
                return said
        except (OSError, ValueError) as error:
            raise DataError("is missing or damaged, though the project has this model", path) from error
