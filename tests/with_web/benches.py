"""The task that a workbench is begun with, and an annotator who speaks to it as a program."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlencode

from tests.with_web.servers import requested

NAMES, PLACES = ["Ann", "Bob", "Lee", "Carla"], ["Rome", "Paris", "London"]


def pool_text(sentences: int) -> str:
    """Sentences that all differ: who met whom, where, and how often."""
    said = []
    for number in range(sentences):
        words = [NAMES[number % 4], "met", NAMES[number // 4 % 4], "in", PLACES[number // 16 % 3], str(number), "times"]
        said.append("".join(f"{word}\n" for word in [*words, "."]))
    return "\n".join(said)


def spans_of(tokens: list[str]) -> list[dict]:
    """The right answer about such a sentence."""
    kinds = {**dict.fromkeys(NAMES, "PER"), **dict.fromkeys(PLACES, "LOC")}
    return [{"first": at, "stop": at + 1, "labels": [kinds[one]]} for at, one in enumerate(tokens) if one in kinds]


@dataclass
class Annotator:
    """A program that annotates."""

    base: str
    token: str
    name: str = "ann"
    session: int = 0
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        if not self.session:
            self.session = self.post("sessions", annotator=self.name)["session"]

    def asked(self, path: str, body: object = None, **headers: str) -> tuple[int, dict]:
        status, _, answer = requested(
            f"{self.base}/api/{path}", body, {"Authorization": f"Bearer {self.token}", **headers}
        )
        return status, json.loads(answer)

    def get(self, path: str, **query: object) -> dict:
        status, answer = self.asked(f"{path}?{urlencode({'session': self.session, **query})}")
        assert status == 200, answer
        return answer

    def post(self, path: str, **body: object) -> dict:
        status, answer = self.asked(path, {"session": self.session, **body})
        assert status in (201, 202), answer
        return answer

    def key(self) -> str:
        return f"{self.name}-{self.session}-{next(self.numbers)}"

    def say(self, *answers: dict) -> dict:
        return self.post("answers", answers=[{"key": self.key(), **answer} for answer in answers])

    def next(self, count: int = 10) -> list[dict]:
        return self.get("next", count=count)["questions"]

    def answer(self, question: dict) -> dict:
        """Answers a question about a sentence of `pool_text` rightly."""
        said = {"kind": "sentence", "text": question["text"], "question": question["question"]}
        return self.say({**said, "spans": spans_of(question["tokens"]), "seconds": 2.0})


def begin(folder: Path, sentences: int = 100) -> tuple[str, ...]:
    """The arguments that begin a project on sentences of `pool_text`."""
    (folder / "pool.txt").write_text(pool_text(sentences))
    return ("pool.txt", "--project", "work", "--labels", "PER,LOC", "--template", "ner")


def until(found, seconds: float = 120.0):
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.1)
    return value


def until_learned(ann: Annotator) -> None:
    """Waits until no training is on its way and there is a model."""

    def is_over() -> bool:
        now = ann.get("state")
        assert now["training"]["failure"] is None
        return now["model"] is not None and not now["training"]["busy"]

    until(is_over)
