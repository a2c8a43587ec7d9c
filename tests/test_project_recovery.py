"""Damaged projects: `--recover` keeps what is whole, says what it left out, and the project opens again."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate.exporting import answers_of
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.annotate.recovering import recovered
from tests.projects import answer, project_in


@pytest.fixture
def made(tmp_path: Path) -> Path:
    folder = project_in(tmp_path)
    project = opened(str(folder))
    answer(project)
    project.close()
    return folder


def changed(folder: Path, *statements: str) -> None:
    """Changes a project's file as no program of ours would."""
    with closing(sqlite3.connect(folder / "project.db", isolation_level=None)) as file:
        file.execute("pragma foreign_keys = off")
        triggers = file.execute("select name, sql from sqlite_schema where type = 'trigger'").fetchall()
        for name, _ in triggers:
            file.execute(f"drop trigger {name}")
        for statement in (*statements, *(sql for _, sql in triggers)):
            file.execute(statement)


def answered(folder: Path) -> int:
    return len(answers_of(str(folder)).texts)


def test_a_whole_project_stays_as_it_is(made):
    before = answers_of(str(made))
    salvage = recovered(str(made), {})
    assert salvage.lines[1] == "left out: nothing"
    assert "6 texts" not in salvage.lines[0]
    assert "4 answers" in salvage.lines[0]
    assert answers_of(str(made)) == before
    assert (made / "project.db.damaged").exists()
    recovered(str(made), {})
    assert (made / "project.db.damaged-2").exists()
    opened(str(made)).close()


@pytest.mark.parametrize(
    ("statement", "left_out"),
    [
        ("update event set said = '{' where id = 2", "1 answer"),
        ("update event set said = '[]' where id = 2", "1 answer"),
        ("update event set said = cast(x'22ff22' as text) where id = 2", "1 answer"),
        ("update event set kind = 'more' where id = 2", "1 answer"),
        ("update event set key = '' where id = 2", "1 answer"),
        ("update event set said = replace(said, '\"stop\": 1', '\"stop\": 99') where id = 2", "1 answer"),
        ("create trigger more after insert on event begin select 1; end", "nothing"),
        ("create view more as select 1", "nothing"),
        ("drop index event_of_text", "nothing"),
        ("delete from session", "nothing"),
        ("delete from annotator", "nothing"),
        ("delete from text", "nothing"),  # the pool has them
        ("update text set columns = '[]' where id = 1", "1 text"),
        ("insert into model values (1, '../../a.model', 0, 0, '{}')", "1 model"),
        ("update setting set value = '[\"--report\", \"/tmp/x\"]' where name = 'train'", "the setting train"),
        ("insert into setting values ('overlaps', '7')", "the setting overlaps"),
        ("update setting set value = '0' where name = 'overlap'", "the setting overlap"),
        ("update setting set value = '\"none\"' where name = 'strategy'", "the setting strategy"),
        ("delete from setting where name = 'template'", "nothing"),
        ("update setting set value = 'null' where name = 'labels'", None),
        ("delete from setting where name = 'labels'", None),
        ("drop table setting", None),
        ("drop table model", "nothing"),
    ],
)
def test_what_is_damaged_is_left_out_and_the_rest_stays(made, statement, left_out):
    changed(made, statement)
    instead = {"labels": ["PER", "LOC"], "scheme": "iob2"} if left_out is None else {}
    if left_out is None:
        with pytest.raises(SstagError, match="--labels"):
            recovered(str(made), {})
        assert not (made / ".recovering").exists()
        assert not (made / "project.db.damaged").exists()
    salvage = recovered(str(made), instead)
    lost = salvage.lines[1].removeprefix("left out: ")
    assert lost == (left_out or "nothing")
    opened(str(made)).close()
    assert answered(made) == (3 if left_out == "1 answer" else 4)


def test_a_refused_project_names_the_way_and_that_way_works(made):
    changed(made, "update event set said = '{' where id = 2")
    for open_it in (opened, answers_of):
        with pytest.raises(SstagError, match=r"answer 2: .*: sstag annotate --project \S+/work --recover keeps"):
            open_it(str(made))
    recovered(str(made), {})
    opened(str(made)).close()
    assert answered(made) == 3


def test_pages_that_are_damaged_cost_what_was_on_them(tmp_path):
    made = project_in(tmp_path)
    project = opened(str(made))
    session = project.store.begin("ann")
    from sstag.interfaces.annotate.answers import Answer

    every = [
        Answer(f"key-{number}", "feature", f"feature:w{number}", {"feature": f"word[0]=w{number}", "labels": ["PER"]})
        for number in range(3_000)
    ]
    project.store.keep(session, every)
    project.close()
    whole = (made / "project.db").read_bytes()
    chance = random.Random(1)
    kept = []
    for _ in range(6):
        data = bytearray(whole)
        page = chance.randrange(20, len(whole) // 4096)
        data[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
        (made / "project.db").write_bytes(data)
        with pytest.raises(SstagError, match="--recover"):
            opened(str(made))
        salvage = recovered(str(made), {})
        kept.append(salvage.kept["event"])
        opened(str(made)).close()
        assert len(answers_of(str(made)).known.lines) == kept[-1]
    assert min(kept) > 2_500
    assert any(number < 3_000 for number in kept)


@pytest.mark.parametrize("content", [b"", b"no database" * 1000, bytes(4096), b"SQLite format 3\0" + bytes(5000)])
def test_a_file_without_anything_whole_is_told(made, content):
    (made / "project.db").write_bytes(content)
    with pytest.raises(SstagError):
        recovered(str(made), {})
    assert (made / "project.db").read_bytes() == content
    assert not (made / ".recovering").exists()


def test_a_part_of_the_pool_that_is_damaged_is_moved_aside(made):
    (made / "pool" / "0001" / "order").write_bytes(b"")
    with pytest.raises(SstagError, match="order has another size"):
        opened(str(made))
    recovered(str(made), {})
    project = opened(str(made))
    with pytest.raises(SstagError, match="--import-as pool"):
        project.check_texts()
    project.close()
    assert answered(made) == 4
    assert (made / "pool-0001.damaged").is_dir()


def test_a_journal_is_not_played(made, tmp_path):
    """The journal of another mode can name a file elsewhere, which SQLite removes as it plays it."""
    (made / "project.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
    with pytest.raises(SstagError, match="is a journal"):
        opened(str(made))
    recovered(str(made), {})
    assert not (made / "project.db-journal").exists()
    opened(str(made)).close()
    shutil.rmtree(made)
