"""Hostile projects, opened by everything that opens projects: a message each, in time, and nothing else touched."""

import hashlib
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate.exporting import answers_of, expectation_lines, export, rejected_lines
from sstag.interfaces.annotate.lessons import written
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.annotate.recovering import recovered
from sstag.interfaces.annotate.review import disagreements
from sstag.interfaces.annotate.workbench import Workbench
from tests.hostile_projects import good_project, hostile

PATIENCE = 20  # seconds for one project


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return good_project(tmp_path_factory.mktemp("good"))


@pytest.fixture
def victim(memory_path: Path) -> Path:
    folder = memory_path / "victim"
    folder.mkdir()
    for name in ("a.model", "a.json", "token", "order", "columns.json", "project.db"):
        (folder / name).write_text(f"mine: {name}")
    return folder


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection is opened, and whatever takes too long is an error."""

    def refused(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "create_connection", refused)


def digest(folder: Path) -> str:
    """The digest of all that is in a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(f"{path} {path.lstat().st_mode} {path.lstat().st_mtime_ns}".encode())
        found.update(path.read_bytes() if path.is_file() else b"")
    return found.hexdigest()


@contextmanager
def bounded(name: str) -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError(f"{name}: takes more than {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def exported(folder: Path, out: Path) -> None:
    answers = answers_of(str(folder))
    export(answers, "columns", str(out / "answers.txt"))
    export(answers, "doccano", str(out / "answers.jsonl"))
    _ = [*rejected_lines(answers), *expectation_lines(answers)]


def used(folder: Path, out: Path) -> None:
    """Opens a project and does what the page does."""
    project = opened(str(folder))
    try:
        project.check_texts()
        project.token()
        bench = Workbench(project)
        with suppress(SstagError, OSError):  # as in the server: the next training begins anew
            bench.loop.take_again()
        session = project.store.begin("bob")
        bench.questions.make(session)
        known = bench.known()
        bench.progress()
        bench.tallies()
        bench.learned()
        disagreements(project, known)
        _ = bench.suspects.found, bench.features.kinds
        project.store.history(1, 10, 2**53)
        project.store.undo(session, "undo-1")
        written(project, known, str(out))
    finally:
        project.close()


def mended(folder: Path, out: Path) -> None:
    """Keeps what is whole; what was kept is a project again, unless something besides its file is hostile."""
    recovered(str(folder), {})
    exported(folder, out)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("use", "part"), [(exported, (1, 6)), (used, (0, 3)), (mended, (2, 6))])
def test_a_hostile_project_is_a_message(
    good: Path, victim: Path, memory_path: Path, use: Callable[[Path, Path], None], part: tuple[int, int]
) -> None:
    before = digest(victim)
    failures, refused, count = [], 0, 0
    for name, folder in hostile(good, memory_path / "sent", victim, *part):
        out = memory_path / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        count += 1
        try:
            with bounded(name):
                use(folder, out)
        except SstagError:
            refused += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failures.append(f"{name}: {type(error).__name__}: {error}"[:300])
        if digest(victim) != before:
            failures.append(f"{name}: something else was touched")
            before = digest(victim)
    assert count > 120
    assert refused > 20
    assert not failures, f"{len(failures)} of {count}:\n" + "\n".join(failures[:80])
