"""The questions to annotators: batches of ten that stay as they are; nothing is asked twice.

Texts come from the ranking that the last training made, and when that is used up, or there is none because few texts
are answered, from the pool in random order. With an overlap of n, each text is for n annotators. One text of five is
drawn at random whatever the ranking says, unless there are development data: the strategy asks for hard texts, and
only a fair sample tells how good the model is (`comparing.py`).
"""

import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock

import numpy as np

from sstag.interfaces.annotate.keeping import ASKS
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.records import Question, Session, Text
from sstag.interfaces.annotate.settings import overlaps_in
from sstag.interfaces.annotate.suggester import Suggester, imported
from sstag.selection.strategies import CHANCE

BATCH, FEW = 10, 5  # questions; the next ones are made when fewer than these wait
EVERY = 5  # questions of which one is drawn at random
SEED = 1
AWAY = 600.0  # seconds after which what somebody was asked is asked of others, if nothing else is left


class Questions:
    """Who is asked about what."""

    def __init__(self, project: Project, suggester: Suggester) -> None:
        self.project, self.suggester = project, suggester
        self._lock = Lock()  # of what is below; nobody waits for a model or a disk while holding it
        self._making: defaultdict[int, Lock] = defaultdict(Lock)  # by annotator
        self._ahead = ThreadPoolExecutor(1, "questions")
        self._known: defaultdict[int, set[str]] = defaultdict(set)  # by annotator: asked, or answered unasked
        self._holders: Counter[str] = Counter()  # how many annotators a text is with, but for those who skipped it
        self._own: dict[str, int] = {}  # the overlap of texts that were asked about before it was changed
        self.load()
        self._strategy = CHANCE
        self._ranking: list[str] = []
        self._rest = np.random.default_rng(SEED).permutation(project.pool.texts)
        self._start = 0  # all texts before it are taken

    def load(self) -> None:
        """Takes notice of all that was asked and answered."""
        with self._lock, self.project.store.reading() as file:
            asked = """select q.annotator, t.hash, e.kind from question q join text t on t.id = q.text
                       left join event e on e.id = q.answered"""
            said = """select c.annotator, t.hash, c.kind from counting c join text t on t.id = c.text
                      where c.kind in (?, ?)"""
            for row in [*file.execute(asked), *file.execute(said, ASKS)]:
                self._note(*row)
            overlaps = overlaps_in(self.project.store.settings())
            if overlaps:
                first = """select t.hash, min(at) from (select text, asked as at from question union all
                           select text, at from event where kind in (?, ?)) join text t on t.id = text group by t.id"""
                since = [at for at, _ in overlaps]
                places = {hash: bisect_right(since, at) - 1 for hash, at in file.execute(first, ASKS)}
                self._own = {hash: overlaps[place][1] for hash, place in places.items() if place < len(since) - 1}

    def stop(self) -> None:
        """Ends the making of questions ahead."""
        self._ahead.shutdown()

    def rank(self, strategy: str, hashes: Sequence[str]) -> None:
        """Takes the order of a new model; questions that wait already stay as they are."""
        with self._lock:
            self._strategy, self._ranking = strategy, list(hashes)

    def change_overlap(self, before: int) -> None:
        """Takes notice of another overlap; texts that somebody was asked about keep the one that they had before."""
        with self._lock:
            for hash in self._holders:
                self._own.setdefault(hash, before)
            self._start = 0

    def refreshed(self, waiting: Sequence[Question], shown: int) -> list[Question]:
        """Questions with what the model at work suggests, but for the one that is shown to somebody."""
        work = self.suggester.work
        old = [one for one in waiting if work and one.id != shown and one.model != work.id]
        if not old:
            return [*waiting]
        model, suggestions = self.suggester.shown([one.text for one in old])
        pairs = zip(old, suggestions, strict=True)
        new = {one.id: replace(one, model=model, shown=suggestion) for one, suggestion in pairs}
        self.project.store.refresh([*new.values()])
        return [new.get(one.id, one) for one in waiting]

    def grow(self) -> None:
        """Takes notice of texts that were added to the pool."""
        with self._lock:
            new = np.arange(len(self._rest), self.project.pool.texts)
            self._rest = np.concatenate([self._rest, np.random.default_rng(SEED).permutation(new)])

    def make_soon(self, session: Session) -> None:
        """Makes the next batch for an annotator who still has a question, so that nobody waits for it."""
        self._ahead.submit(self.make, session)

    def make(self, session: Session) -> None:
        """Makes the next batch for an annotator, unless enough questions wait."""
        store = self.project.store
        left = store.left_by_others(session.annotator, time.time() - AWAY)
        with self._lock:
            making = self._making[session.annotator]
        with making:
            if len(store.waiting(session.annotator, FEW)) >= FEW:
                return
            with self._lock:
                texts = [*self._chosen(session.annotator, left)]
            model, shown = self.suggester.shown([text for text, _ in texts]) if texts else (None, [])
            questions = []
            for (text, strategy), one in zip(texts, shown, strict=True):
                if model is None and (other := store.suggested(text.hash)) is not None:
                    one = dict(imported(other))
                questions.append(Question(text, model, strategy, one))
            store.ask(session.annotator, questions)

    def answered(self, session: Session, hash: str, kind: str) -> None:
        """Takes notice of an answer."""
        with self._lock:
            if kind == "skip" and hash in self._known[session.annotator]:
                self._holders[hash] -= 1
            self._note(session.annotator, hash, kind)

    def left(self, session: Session, waiting: int) -> int:
        """How many texts an annotator may still be asked about."""
        with self._lock:
            known = self._known[session.annotator]
            full = sum(1 for hash, count in self._holders.items() if hash in known or not self._is_wanted(hash, count))
            return self.project.pool.texts - full + waiting

    @property
    def asked(self) -> set[str]:
        """All texts that somebody was asked about."""
        with self._lock:
            return {hash for hash, count in self._holders.items() if count}

    def _note(self, annotator: int, hash: str, kind: str | None) -> None:
        if hash not in self._known[annotator]:
            self._known[annotator].add(hash)
            self._holders[hash] += kind != "skip"

    def _is_wanted(self, hash: str, count: int | None = None) -> bool:
        """Whether a text is for one more annotator than those who have it."""
        count = self._holders[hash] if count is None else count
        return count < self._own.get(hash, self.project.settings.overlap)

    def _chosen(self, annotator: int, left: Sequence[str]) -> Iterator[tuple[Text, str]]:
        """The texts of a new batch, and the strategies that chose them."""
        count = 0
        for hash, strategy in self._candidates(annotator, left):
            text = self.project.pool.find(hash) or self.project.store.text(hash)
            if text is None:
                continue  # of a pool that is gone
            self._note(annotator, hash, None)
            yield text, strategy
            count += 1
            if count == BATCH:
                return

    def _candidates(self, annotator: int, left: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Texts that an annotator was not asked about: the ranking, the rest of the pool, and what others left."""
        known = self._known[annotator]
        self._ranking = [hash for hash in self._ranking if self._is_wanted(hash)]
        rest = self._rest_for(annotator)
        has_sample = self._strategy != CHANCE and not self.project.settings.dev
        for place, hash in enumerate((hash for hash in self._ranking if hash not in known), 1):
            yield hash, self._strategy
            if has_sample and place % (EVERY - 1) == 0 and (drawn := next(rest, None)) is not None:
                yield drawn, CHANCE
        yield from ((hash, CHANCE) for hash in rest)
        yield from ((hash, CHANCE) for hash in left if hash not in known)

    def _rest_for(self, annotator: int) -> Iterator[str]:
        """The texts of the pool that an annotator may be asked about, in random order."""
        known, pool = self._known[annotator], self.project.pool
        while self._start < len(self._rest) and not self._is_wanted(pool.hash(int(self._rest[self._start]))):
            self._start += 1
        for place in range(self._start, len(self._rest)):
            hash = pool.hash(int(self._rest[place]))
            if self._is_wanted(hash) and hash not in known:
                yield hash
