"""A project at work: its store and pool, the model that suggests, the questions, and the trainings."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from sstag.corpus.text.json_keys import a_list, an_object
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.answers import Answer, Ground
from sstag.interfaces.annotate.features import Features
from sstag.interfaces.annotate.keeping import ASKS, COMMAND, SETTINGS
from sstag.interfaces.annotate.knowledge import Knowledge, knowledge, known_text
from sstag.interfaces.annotate.label_changes import found_of_now
from sstag.interfaces.annotate.loop import Loop
from sstag.interfaces.annotate.progress import answers_in, progress
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.questions import Questions
from sstag.interfaces.annotate.records import Session, Text, Trained
from sstag.interfaces.annotate.review import Suspects
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.annotate.suggester import Suggester

T = TypeVar("T")
THREADS = 32  # for requests, which wait for the disk more than they compute
FRESH = 2.0  # seconds for which figures that take long stay as they are


class Workbench:
    """Everything that requests are answered from."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.suggester = Suggester()
        self.questions = Questions(project, self.suggester)
        self.loop = Loop(project, self._take)
        self.ahead: Mapping[str, Json] = {}  # what the last training found of the pool
        self.features = Features(project, self.suggester)
        self.suspects = Suspects(project)
        self.progress = Kept(self._progress)
        self.tallies = Tallies(project.store)

    async def start(self) -> None:
        """Makes ready what the first requests need."""
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "request"))
        self.loop.start()

    async def stop(self) -> None:
        """Ends what goes on beside the requests."""
        await self.loop.trainer.stop()
        await self.suspects.trainer.stop()
        await asyncio.to_thread(self.questions.stop)

    def learned(self) -> dict[str, object]:
        """The model that suggests, and the training that makes the next one."""
        last, trainer, seconds = self.loop.last, self.loop.trainer, self.loop.seconds
        model = None
        if last:
            figures = an_object(last.said["figures"] or {}, "figures")
            model = {
                "id": last.id,
                "made": moment(last.made),
                "answers": last.said["answers"],
                "answers_since": self.loop.since,
                "f1": figures.get("f1", figures.get("accuracy")),
                "lost_noes": last.said["lost"],
            }
        taken = None if seconds is None else round(seconds, 1)
        training = {"busy": trainer.is_busy, "seconds": taken, "failure": trainer.failure, "due": self.loop.due}
        return {"model": model, "training": training}

    def noticed(self, session: Session, answers: Sequence[Answer]) -> None:
        """Takes notice of answers that are on disk."""
        self.tallies.changed(session.annotator)
        for answer in answers:
            if answer.kind in ASKS and answer.text is not None:
                self.questions.answered(session, answer.text, answer.kind)
        self.loop.counted()

    def grown(self, pool: bool) -> None:
        """Takes notice of what was imported."""
        if pool:
            self.questions.grow()
        self.tallies.changed()
        self.questions.load()
        self.loop.counted()

    def relabelled(self) -> None:
        """Takes notice of other labels."""
        self.loop.take_again()
        self.suspects.forget()
        self.loop.begin()

    def _take(self, model: Trained, path: str, said: Mapping[str, Json]) -> None:
        """Puts a model to work, and takes over what it says of the pool; one with a label that is gone says nothing."""
        labels = self.project.store.labels
        fates = labels.after(model.event)
        if labels.has_removed(model.event):
            self.suggester.rest()
        else:
            self.suggester.take(path, model.id, self.project.pool.columns, fates)
        self.ahead = found_of_now(said, fates)
        ranking = [str(hash) for hash in a_list(said["ranking"], "ranking")]
        self.questions.rank(self.project.settings.strategy, ranking)

    def known(self) -> Knowledge:
        """All that counts now."""
        with self.project.store.reading() as file:
            return knowledge(file)

    def said_of(self, text: Text) -> dict[str, Json]:
        """The answers of all annotators about a text, and what was decided."""
        with self.project.store.reading() as file:
            known = known_text(file, text)
        answers: list[Json] = [{"annotator": name, **said.json} for name, said in known.by_annotator().items()]
        return {"answers": answers, "decided": known.decided.json if known.decided else None}

    @property
    def ground(self) -> Ground:
        """The labels, texts and features that answers are about."""
        settings = self.project.settings
        return Ground(
            settings.labels, settings.scheme, lambda hash: len(self.project.text(hash).tokens), self.features.checked
        )

    def _progress(self) -> dict[str, Json]:
        """How far the project is."""
        with self.project.store.reading() as file:
            answers = answers_in(file, self.project.word)
        return progress(answers, self.project.store.models())


def moment(seconds: float) -> str:
    """A time as the API has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


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


class Tallies:
    """How much each annotator has done: counted anew where something has changed."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, Lock()
        self._known: dict[int, dict[str, Json]] = {}

    def changed(self, annotator: int | None = None) -> None:
        """Takes notice of answers of an annotator, or of anybody."""
        with self._lock:
            if annotator is None:
                self._known.clear()
            self._known.pop(annotator or 0, None)

    def __call__(self) -> list[Mapping[str, Json]]:
        names = """select a.id, a.name from annotator a where exists
                   (select 1 from session s where s.annotator = a.id and s.origin not in (?, ?)) order by a.name"""
        counts = """select count(distinct case when kind = 'sentence' then thing end) as texts,
                    count(distinct case when kind = 'span' then thing end) as spans,
                    count(distinct case when kind in ('feature', 'gazetteer') then thing end) as features
                    from counting where annotator = ?"""
        with self._lock, self._store.reading() as file:
            every = {row["id"]: row["name"] for row in file.execute(names, [COMMAND, SETTINGS])}
            for number, name in every.items():
                if number not in self._known:
                    self._known[number] = {"name": name, **dict(file.execute(counts, [number]).fetchone())}
            return [self._known[number] for number in every]
