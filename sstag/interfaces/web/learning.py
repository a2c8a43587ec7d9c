"""Learning from what other tools send: documents are kept, and a model is trained on all of them."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence

from sstag.foundation.errors import ConfigError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.lessons import lesson_file, with_known_types
from sstag.interfaces.web.told import Told
from sstag.interfaces.web.training import Lesson, Trainer
from sstag.model.model import Model
from sstag.training.methods import METHODS

INCEPTION, LABEL_STUDIO = "inception", "label-studio"
TOLD, FOLDER = ".told", ".learning"  # are added to the name of the model that learns


class Learning:
    """A server's documents, and the trainings on them; every model takes the place of the last one in `target`."""

    def __init__(self, engine: Engine, target: str, base: Sequence[str]) -> None:
        method_of(engine.model)
        self.engine, self.target, self.base = engine, target, base
        self.told = Told(target + TOLD)
        self.trainer = Trainer(self._make, self._take)

    async def stop(self) -> None:
        """Gives up a training that is on its way; what was told is kept."""
        await self.trainer.stop()
        self.told.close()

    async def _make(self) -> Lesson | None:
        return await asyncio.to_thread(self._lesson)

    def _lesson(self) -> Lesson | None:
        """The training on all documents; None if there is no sentence to learn from."""
        model = self.engine.model
        parts = {}
        for tool in (INCEPTION, LABEL_STUDIO):
            documents = [with_known_types(one, self.engine.labels) for one in self.told.documents(tool)]
            text, count = lesson_file(model, documents, only_with_spans=tool == INCEPTION)
            if count:
                parts[tool] = text
        if not parts:
            return None
        folder = self.target + FOLDER
        shutil.rmtree(folder, ignore_errors=True)  # of a training that was killed
        os.mkdir(folder)
        paths = []
        for tool, text in parts.items():
            paths.append(os.path.join(folder, f"{tool}.txt"))
            with output(paths[-1]) as out:
                out.write(text)
        method, parameters = method_of(model)
        target = os.path.join(folder, "model")
        return Lesson([*self.base, *paths], target, method, init=self.engine.path, parameters=parameters)

    async def _take(self, lesson: Lesson) -> None:
        os.replace(lesson.target, self.target)
        shutil.rmtree(os.path.dirname(lesson.target))
        await asyncio.to_thread(self.engine.take, self.target)


def method_of(model: Model) -> tuple[str, Mapping[str, Json]]:
    """The method to go on with from a model, and its parameters; raw text and lists cannot be had from the model."""
    name = str(model.about.get("method", model.kind))
    if name == "crf":
        name = "partial"  # the same optimum, and it learns from spans whose type is open
    known = METHODS.get(name)
    if known is None or known.unlabelled or known.weights or known.counts or not known.undecided:
        raise ConfigError(f"a model of the method '{name}' cannot go on learning here: train one with crf or partial")
    parameters: Mapping[str, Json] = model.about.get("parameters", {})
    return name, parameters
