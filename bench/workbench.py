"""A workbench that runs, and simulated annotators who answer what it asks, for the measurements of it."""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from sstag.foundation.child_python import child_environment, module_command

NAMES, PLACES = ["Ann", "Bob", "Lee", "Carla", "Zoe"], ["Rome", "Paris", "London", "Oslo"]
PROJECT = ("--project", "work")
BEGIN = ("--labels", "PER,LOC", "--template", "ner", "--overlap", "1", *PROJECT)


def pool(path: Path, sentences: int) -> None:
    """Writes sentences in which names and places are as a rule can tell."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as out:
        for number in range(sentences):
            words = [rng.choice(NAMES), "met", rng.choice(NAMES), "in", rng.choice(PLACES), str(number), "times", "."]
            out.write("\n".join(words) + "\n\n")


@contextmanager
def working(folder: Path, *arguments: str | Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A running workbench, its address and its token."""
    command = module_command("sstag", "annotate", *arguments, "--no-browser", "--port", port)
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=child_environment())
    assert server.stdout
    try:
        base, _, token = server.stdout.readline().strip().partition("/login?token=")
        yield server, base, token
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@dataclass
class Annotator:
    """Somebody who answers, and remembers how long that took and what was acknowledged."""

    address: str
    token: str
    name: str
    acknowledged: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    stopped: bool = False
    _connection: HTTPConnection | None = None

    def asked(self, path: str, body: object = None) -> dict[str, object] | None:
        """An answer of the server; None if there is none."""
        parts = urlsplit(self.address)
        self._connection = self._connection or HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        began = time.perf_counter()
        try:
            self._connection.request("GET" if body is None else "POST", f"/api/{path}", data, head)
            answer = self._connection.getresponse()
            said: dict[str, object] = json.loads(answer.read())
        except (OSError, HTTPException, ValueError) as error:
            self._connection.close()
            self._connection = None
            self.failures.append(f"{path.partition('?')[0]}: {error!r}")
            return None
        self.seconds.setdefault(path.partition("?")[0], []).append(time.perf_counter() - began)
        if answer.status >= 400:
            self.failures.append(f"{path}: {answer.status} {said}")
            return None
        return said

    def work(self, until: float, pause: float) -> None:
        """Answers questions until a moment, with about so many seconds between two answers."""
        rng = random.Random(self.name)
        begun = self.asked("sessions", {"annotator": self.name})
        number = 0
        while begun and not self.stopped and time.monotonic() < until:
            found = self.asked(f"next?session={begun['session']}&count=5")
            questions = found["questions"] if found else []
            assert isinstance(questions, list)
            if not questions:
                time.sleep(pause)
            for question in questions:
                if self.stopped or time.monotonic() > until:
                    return
                time.sleep(rng.uniform(0.5, 1.5) * pause)
                number += 1
                key = f"{self.name}-{begun['session']}-{number}"
                about = {"key": key, "kind": "sentence", "text": question["text"], "question": question["question"]}
                said = {**about, "spans": spans(question["tokens"]), "seconds": pause}
                if self.asked("answers", {"session": begun["session"], "answers": [said]}):
                    self.acknowledged.append(key)


def spans(tokens: list[str]) -> list[dict[str, object]]:
    """The right answer about a sentence of the pool."""
    kinds = {**dict.fromkeys(NAMES, "PER"), **dict.fromkeys(PLACES, "LOC")}
    return [{"first": at, "stop": at + 1, "labels": [kinds[one]]} for at, one in enumerate(tokens) if one in kinds]


def quantile(values: list[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else float("nan")
