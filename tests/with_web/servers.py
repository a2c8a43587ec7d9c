"""A server as a shell starts it, a small model for it, and requests to it as tools send them."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from tests.commands import SSTAG

NAMES = """Ann\tB-PER
Lee\tI-PER
met\tO
Bob\tB-PER
in\tO
Paris\tB-LOC
.\tO

Bob\tB-PER
lives\tO
in\tO
Rome\tB-LOC
.\tO

Carla\tB-PER
saw\tO
London\tB-LOC
.\tO

"""
TEMPLATE = 'columns: [word, label]\nfeatures: ["word[-1..1]", "short_shape(word[0])", "lower(word[-1])"]\n'


def model_in(folder: Path, text: str = NAMES, template: str = TEMPLATE) -> Path:
    """A model trained on these sentences; the files of its training stand beside it."""
    (folder / "names.txt").write_text(text)
    (folder / "names.yaml").write_text(template)
    from sstag.interfaces import python as sstag

    sstag.save(sstag.train(str(folder / "names.yaml"), str(folder / "names.txt")), folder / "names.model")
    return folder / "names.model"


@contextmanager
def serving(
    folder: Path, *arguments: str | Path, lines: int = 2, before: Sequence[str] = (), command: Sequence[str] = SSTAG
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A running server and the lines that it prints when it is ready; what it logs is in `log.txt`."""
    words = [*before, *command, *map(str, arguments)]
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
    assert server.stdout
    try:
        yield server, [server.stdout.readline().strip() for _ in range(lines)]
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def requested(
    url: str, body: object = None, headers: dict[str, str] | None = None, method: str | None = None
) -> tuple[int, dict[str, str], bytes]:
    """The status, the headers and the body of an answer; a body is sent as JSON unless it is bytes."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    connection.request(method or ("GET" if body is None else "POST"), f"{parts.path}?{parts.query}", data, sent)
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found
