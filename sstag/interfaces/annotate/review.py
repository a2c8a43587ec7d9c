"""Answers to look at again: those that models of the others doubt, and those in which annotators differ."""

import asyncio
import os
from contextlib import suppress

import numpy as np

from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json, json_value
from sstag.interfaces.annotate.checking import check_suspects
from sstag.interfaces.annotate.knowledge import Knowledge, Known, knowledge
from sstag.interfaces.annotate.lessons import answered_texts, columns_by_annotator
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.saying import OPEN
from sstag.interfaces.annotate.suspects import FEWEST, MOST, Search
from sstag.interfaces.web.training import Trainer
from sstag.knowledge.annotators.coefficients import krippendorff, patterns
from sstag.labels.schemes.rules import UNDECIDED

FILE, RESULT = "suspects.txt", "suspects.json"
DIGITS = 4


class Suspects:
    """The searches for answers that may be wrong, and what the last one found."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.trainer = Trainer(self._make, self._take)
        self.model: int | None = None

    @property
    def found(self) -> list[dict[str, Json]]:
        """The suspects of the last search."""
        path = self.project.path(RESULT)
        if not os.path.exists(path):
            return []
        try:
            with open(path, "rb") as file:
                return [{**one} for one in check_suspects(json_value(file.read()))[:MOST]]
        except (OSError, ValueError, SstagError) as error:
            raise DataError(f"is damaged ({error}): remove it, and search again", path) from error

    def forget(self) -> None:
        """Forgets what the last search found: its labels have changed."""
        with suppress(FileNotFoundError):
            os.unlink(self.project.path(RESULT))

    def needed(self, known: Knowledge) -> int:
        """How many texts more must be answered before there can be a search."""
        return max(FEWEST - sum(1 for one in known.texts.values() if one.whole()), 0)

    async def _make(self) -> Search | None:
        return await asyncio.to_thread(self._search)

    def _search(self) -> Search | None:
        project = self.project
        with project.store.reading() as file:
            known = knowledge(file)
        hashes, lines = answered_texts(project, known)
        if len(hashes) < FEWEST:
            return None
        path = project.path(FILE)
        with output(path) as out:
            out.write("".join(lines).encode())
        models = project.store.models()
        number = models[-1].id if models else None
        settings = project.settings
        return Search(path, hashes, settings.template, settings.scheme, project.path(f".{RESULT}"), number)

    async def _take(self, search: Search) -> None:
        os.replace(search.result, self.project.path(RESULT))
        os.unlink(search.file)
        self.model = search.model


def disagreements(project: Project, known: Knowledge) -> dict[str, Json]:
    """The texts that annotators see differently, and how far they agree on all that several of them answered."""
    found: list[Json] = []
    for one in known.texts.values():
        if len({*one.by_annotator().values()}) > 1:
            found.append({"text": one.text.hash, **one.text.shown, **answers_json(one)})
    every = [columns_by_annotator(one, project.settings) for one in known.texts.values()]
    several = [columns for columns in every if len(columns) > 1]
    joined: dict[str, list[str]] = {name: [] for name in sorted({name for columns in several for name in columns})}
    for columns in several:
        length = len(next(iter(columns.values())))
        for name, values in joined.items():
            values += columns.get(name, [OPEN] * length)
    return {
        "disagreements": found,
        "texts": len(several),
        "agreement": _alpha([*joined.values()], project.settings.tags),
    }


def answers_json(known: Known | None) -> dict[str, Json]:
    """The answers of all annotators about a text, and the decision, if there is one."""
    if known is None:
        return {"answers": [], "decided": None}
    answers: list[Json] = [{"annotator": name, **said.json} for name, said in known.by_annotator().items()]
    return {"answers": answers, "decided": known.decided.json if known.decided else None}


def _alpha(columns: list[list[str]], tags: list[str]) -> float | None:
    """Krippendorff's alpha of the tokens; None if nothing can be compared, or everything has one label."""
    if not columns or not columns[0]:
        return None
    number = {tag: place for place, tag in enumerate(tags)}
    votes = np.array([[number.get(label, UNDECIDED) for label in one] for one in columns], np.int32)
    every = patterns(votes, len(tags), np.array([0, votes.shape[1]]))
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = float(krippendorff(every, every.total))
    return round(alpha, DIGITS) if np.isfinite(alpha) else None
