"""A workbench in a process of its own, and the place of one annotator at it: requests to its API."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

from sstag.foundation.child_python import child_environment, module_command
from sstag.foundation.errors import ConfigError

Said: TypeAlias = dict[str, Any]  # JSON

PROGRAM = "sstag.experiments.workbench.behind"
MESSAGES = "messages.txt"
PAUSE = 0.1  # seconds between two looks at whether something is done
PATIENCE = 600.0  # seconds for one answer of the server
AHEAD = 5  # the server makes the next questions when fewer wait


class Desk:
    """An annotator at a workbench. After each answer it waits for the training that this began, if it began one.

    So the same answers always meet the same models, however fast the machine is.
    """

    def __init__(self, address: str, token: str, messages: Path, name: str) -> None:
        self.name, self._token, self._messages = name, token, messages
        parts = urlsplit(address)
        self._connection = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        self._answers = 0
        self._session = self._asked("POST", "sessions", {"annotator": name})["session"]

    def get(self, path: str, **query: object) -> Said:
        """The answer to a GET request."""
        return self._asked("GET", f"{path}?{urlencode({'session': self._session, **query})}")

    def post(self, path: str, **body: object) -> Said:
        """The answer to a POST request."""
        return self._asked("POST", path, {"session": self._session, **body})

    def questions(self) -> list[Said]:
        """The sentences that wait for an answer, once the server has made as many as it wants to have ahead."""
        while True:
            found = self.get("next", count=AHEAD)
            questions: list[Said] = found["questions"]
            if len(questions) == AHEAD or found["left"] <= len(questions):
                return questions
            time.sleep(PAUSE)

    def say(self, answer: Said) -> None:
        """Gives an answer."""
        self._answers += 1
        self.post("answers", answers=[{"key": f"{self.name}-{self._session}-{self._answers}", **answer}])
        self.settled()

    def settled(self) -> Said:
        """The state of the workbench when no training is on its way."""
        while True:
            state = self.get("state")
            if failure := state["training"]["failure"]:
                raise ConfigError(f"the workbench cannot train: {failure}")
            if not state["training"]["busy"]:
                return state
            time.sleep(PAUSE)

    def learned(self) -> Said:
        """The state of the workbench when a model has learned from all answers."""
        state = self.settled()
        if state["model"] and not state["model"]["answers_since"]:
            return state
        self.post("train")
        return self.settled()

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def _asked(self, method: str, path: str, body: Said | None = None) -> Said:
        try:
            try:
                answer = self._answer(method, path, body)
            except ConnectionError:  # the server ends connections on which nothing was asked for some seconds
                self._connection.close()
                answer = self._answer(method, path, body)
            said: Said = json.loads(answer.read())
        except (OSError, HTTPException) as error:
            raise ConfigError(f"the workbench has ended: {_last_line(self._messages)}") from error
        if answer.status >= 400:
            raise ConfigError(f"the workbench refuses {method} /api/{path.partition('?')[0]}: {said['error']}")
        return said

    def _answer(self, method: str, path: str, body: Said | None) -> HTTPResponse:
        head = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._connection.request(method, f"/api/{path}", None if body is None else json.dumps(body), head)
        return self._connection.getresponse()


@contextmanager
def running(folder: Path, arguments: Sequence[str], name: str = "simulated") -> Iterator[Desk]:
    """A desk at a new workbench, whose project and messages are in a folder."""
    command = module_command(PROGRAM, "annotate", *arguments, "--project", folder / "project")
    messages = folder / MESSAGES
    with messages.open("wb") as errors:
        server = subprocess.Popen(
            [*command, "--no-browser", "--port", "0"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=child_environment(),
        )  # fmt: skip
    assert server.stdin
    assert server.stdout
    try:
        address, _, token = server.stdout.readline().strip().partition("/login?token=")
        if not token:
            server.wait()
            raise ConfigError(f"the workbench does not open: {_last_line(messages)}")
        desk = Desk(address, token, messages, name)
        try:
            yield desk
        finally:
            desk.close()
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()


def _last_line(messages: Path) -> str:
    lines = messages.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
