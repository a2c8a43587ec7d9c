"""A project on a disk without room, or in a folder without rights, is told so; another server is told apart."""

import errno
import os
from http import HTTPStatus
from pathlib import Path

import pytest

from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate import project as projects
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.project import is_project, opened
from sstag.interfaces.web.answers import Refused
from tests.projects import project_in


def noted(number: int) -> Answer:
    return Answer(f"key-{number}", "feature", f"feature:{number}", {"feature": "x" * 900, "nothing": True})


def test_a_disk_that_is_full_is_told_with_a_status_and_nothing_saved_is_lost(tmp_path):
    project = opened(str(project_in(tmp_path)))
    session = project.store.begin("ann")
    writer = project.store._file._writer._file
    (pages,) = writer.execute("pragma page_count").fetchone()
    writer.execute(f"pragma max_page_count = {pages + 5}")  # SQLite then says what it says of a full disk
    kept = 0

    def keep_until_full() -> None:
        nonlocal kept
        while kept < 1_000:
            project.store.keep(session, [noted(kept)])
            kept += 1

    with pytest.raises(Refused, match="no space left on device") as full:
        keep_until_full()
    assert full.value.status == HTTPStatus.INSUFFICIENT_STORAGE
    writer.execute("pragma max_page_count = 1000000")
    project.store.keep(session, [noted(9_999)])
    assert project.store.events_after(0) == kept + 1
    project.close()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_lock_that_cannot_be_made_is_not_taken_for_another_server(tmp_path, monkeypatch, code):
    made = project_in(tmp_path)

    def refused(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(projects, "alone", refused)
    with pytest.raises(SstagError, match=os.strerror(code).lower()):
        opened(str(made))


def test_a_second_server_is_told_so(tmp_path):
    made = project_in(tmp_path)
    first = opened(str(made))
    with pytest.raises(SstagError, match="is open in another sstag annotate"):
        opened(str(made))
    first.close()
    opened(str(made)).close()


def test_a_folder_that_may_not_be_entered_is_not_an_empty_one(tmp_path, monkeypatch):
    def refused(path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "lstat", refused)
    with pytest.raises(SstagError, match="permission denied"):
        is_project(str(tmp_path))


def test_a_beginning_that_was_interrupted_is_begun_again(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(projects, "added", full)
        with pytest.raises(OSError, match="No space"):
            project_in(tmp_path)
    assert not is_project(str(tmp_path / "work"))
    opened(str(project_in(tmp_path))).close()


def test_a_beginning_removes_nothing_of_others(tmp_path):
    mine = Path(tmp_path, "work", "pool")
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(SstagError, match="of no project"):
        project_in(tmp_path)
    assert (mine / "thesis.txt").read_text() == "mine"
