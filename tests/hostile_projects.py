"""Projects that somebody sends who means harm: each is a good one with a change, which is the same for a number."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

from sstag.interfaces.annotate.project import opened
from tests.projects import answer, project_in, trained

DEEP = "[" * 100_000
VALUES = (
    "null", "true", "0", "-1", "1e999", "NaN", '"a"', '""', "[]", "{}", "[[]]", "[null]", '["a", "a"]', "{", "", DEEP,
    '"' + "x" * 1_000_000 + '"', "9" * 5_000, "[" * 900 + "]" * 900, '{"a": ' * 500 + "1" + "}" * 500, "\ud800",
    '["--report", "{victim}"]', '["--config", "{victim}"]', '["--scheduler", "tcp://127.0.0.1:9"]', '"{victim}"',
    '["{victim}"]', '"/dev/zero"', '["/dev/zero"]', '"../victim"', '"http://127.0.0.1:9/a"',
)  # fmt: skip
PLACES = (  # of JSON in the file of a project
    *(("setting", "value", f"name = '{name}'") for name in
      ("labels", "scheme", "template", "train", "dev", "strategy", "overlap", "overlaps", "begun")),
    ("annotator", "keys", "id = 1"), ("text", "columns", "id = 1"), ("model", "said", "id = 1"),
    ("suggestion", "spans", "text = 1"), ("question", "shown", "id = 1"), ("event", "said", "id = 1"),
    ("event", "shown", "id = 1"),
)  # fmt: skip
CELLS = (  # other values of columns
    ("event", "kind"), ("event", "thing"), ("event", "key"), ("event", "at"), ("event", "seconds"), ("event", "text"),
    ("event", "model"), ("event", "question"), ("text", "hash"), ("model", "file"), ("model", "event"),
    ("session", "began"), ("annotator", "name"), ("question", "strategy"), ("question", "text"),
)  # fmt: skip
WORSE = (
    "''", "'../../victim/a.model'", "'/{victim}'", "x'ff'", "cast(x'22ff22' as text)", "1e300", "-1", "999999",
    "'word\ttab'", "'new\nline'", "null", "9223372036854775807",
)  # fmt: skip
ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select x as name, x as value from n"
SCHEMA = (
    f"drop table setting; create view setting as {ENDLESS}",
    "drop view counting; create view counting as select * from event, event b, event c, event d, event e, event f",
    "create trigger more after insert on event begin delete from text; end",
    "create trigger more after insert on session begin update event set said = 'null'; end",
    "create trigger less before insert on event begin select raise(ignore); end",
    "create view more as select load_extension('/tmp/x.so')",
    "create table more (a, b generated always as (zeroblob(1000000000)))",
    "drop index event_of_text",
    "create index more on event (lower(said))",
    "create virtual table more using fts5(a)",
    "alter table text add column more",
    "drop table event",
    "pragma user_version = 9",
    "pragma user_version = 0",
    "pragma user_version = -1",
    "pragma application_id = 7",
    "pragma journal_mode = delete",
    "delete from text",
    "delete from annotator",
    "delete from session",
    "delete from setting",
    "delete from model",
    "update event set undoes = 1, kind = 'undo', said = 'null' where id = 2",
    "update event set undoes = id, kind = 'undo', said = 'null' where id = 2",
)
Change = Callable[[Path, random.Random], None]


def good_project(folder: Path) -> Path:
    """A project with answers, a question, a suggestion and a model."""
    made = project_in(folder)
    project = opened(str(made))
    answer(project)
    code, messages = trained(project)
    assert code == 0, messages
    said = json.loads((made / "training" / "new.json").read_text())
    for ending in (".model", ".json"):
        (made / "training" / f"new{ending}").rename(made / "models" / f"000001{ending}")
    shutil.rmtree(made / "training")
    project.store.keep_model(
        "000001.model", said["event"], {name: said[name] for name in ("answers", "lost", "figures")}
    )
    text = project.pool.text(4)
    project.store.suggest("tool", [(text, [{"first": 0, "stop": 1, "labels": ["PER"], "probability": None}])])
    from sstag.interfaces.annotate.records import Question

    asked = Question(text, None, "random", {"suggested": None, "certainty": None, "doubts": None})
    project.store.ask(1, [asked])
    project.token()
    project.close()
    return made


def hostile(good: Path, folder: Path, victim: Path, first: int, step: int) -> Iterator[tuple[str, Path]]:
    """Every so many hostile projects by their names, each made anew in a folder."""
    for number, (name, change) in islice(enumerate(changes(good, victim)), first, None, step):
        made = folder / "work"
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(good, made)
        change(made, random.Random(number))
        yield name, made


def changes(good: Path, victim: Path) -> Iterator[tuple[str, Change]]:
    """The name of each attack, and the function that makes it."""
    for table, column, where in PLACES:
        for value in VALUES:
            text = value.replace("{victim}", str(victim))
            yield f"{table}.{column} {where}: {text[:40]!r}", _cell(table, column, where, text)
    for table, column in CELLS:
        for value in WORSE:
            said = value.replace("{victim}", str(victim))
            yield f"{table}.{column}: {said[:40]}", _statements(f"update {table} set {column} = {said}")
    for script in SCHEMA:
        yield script[:60], _statements(*script.split("; ") if "begin" not in script else [script])
    files = sorted(path.relative_to(good) for path in good.rglob("*") if path.is_file())
    for name in [*files, *(Path(other) for other in BESIDE)]:
        for how in ("pipe", "link", "dangling", "folder", "zero", "gone", "empty", "cut", "noise", "flip", "deep"):
            yield f"{name}: {how}", _file(name, how, victim)
    for name in ("pool", "pool/0001", "models", "template", "training", "files"):
        for how in ("pipe", "link", "gone", "plain"):
            yield f"{name}/: {how}", _folder(name, how, victim)
    for number in range(40):
        yield f"project.db: flips {number}", _flips
    for number in range(20):
        yield f"project.db: cut {number}", _cut
    yield "project.db-journal: names a file elsewhere", _journal(victim)


BESIDE = (
    "project.db-wal", "project.db-shm", "project.db-journal", ".project.db.sstag-lock", "suspects.json", "suspects.txt",
    ".suspects.json",
)  # fmt: skip


def _edited(made: Path, work: Callable[[sqlite3.Connection], object]) -> None:
    with closing(sqlite3.connect(made / "project.db", isolation_level=None)) as file:
        file.execute("pragma foreign_keys = off")
        file.execute("pragma ignore_check_constraints = on")
        triggers = file.execute("select name, sql from sqlite_schema where type = 'trigger'").fetchall()
        for name, _ in triggers:
            file.execute(f"drop trigger {name}")
        with suppress(sqlite3.Error, UnicodeEncodeError):  # a file cannot even be made so
            work(file)
        with suppress(sqlite3.Error):
            for _, sql in triggers:
                file.execute(sql)
        if (made / "project.db-wal").exists():
            file.execute("pragma wal_checkpoint(truncate)")


def _cell(table: str, column: str, where: str, value: str) -> Change:
    def change(made: Path, chance: random.Random) -> None:
        def work(file: sqlite3.Connection) -> None:
            if table == "setting":
                name = where.split("'")[1]
                file.execute("insert or replace into setting values (?, ?)", [name, value])
            else:
                file.execute(f"update {table} set {column} = ? where {where}", [value])

        _edited(made, work)

    return change


def _statements(*statements: str) -> Change:
    def change(made: Path, chance: random.Random) -> None:
        def work(file: sqlite3.Connection) -> None:
            for statement in statements:
                file.execute(statement)

        _edited(made, work)

    return change


def _file(name: Path, how: str, victim: Path) -> Change:
    def change(made: Path, chance: random.Random) -> None:
        path = made / name
        data = path.read_bytes() if path.is_file() else b"noise" * 100
        path.unlink(missing_ok=True)
        match how:
            case "pipe":
                os.mkfifo(path)
            case "link":
                path.symlink_to(victim / path.name if (victim / path.name).exists() else victim / "a.model")
            case "dangling":
                path.symlink_to(victim / "new")
            case "folder":
                path.mkdir()
            case "zero":
                path.symlink_to("/dev/zero")
            case "empty":
                path.write_bytes(b"")
            case "cut":
                path.write_bytes(data[: chance.randrange(len(data)) if data else 0])
            case "noise":
                path.write_bytes(chance.randbytes(len(data)))
            case "flip":
                path.write_bytes(_flipped(data, chance, 8))
            case "deep":
                path.write_text(DEEP)

    return change


def _folder(name: str, how: str, victim: Path) -> Change:
    def change(made: Path, chance: random.Random) -> None:
        path = made / name
        shutil.rmtree(path, ignore_errors=True)
        match how:
            case "pipe":
                os.mkfifo(path)
            case "link":
                path.symlink_to(victim)
            case "plain":
                path.write_text("a file")

    return change


def _flips(made: Path, chance: random.Random) -> None:
    path = made / "project.db"
    path.write_bytes(_flipped(path.read_bytes(), chance, chance.choice((1, 3, 20, 200))))


def _flipped(data: bytes, chance: random.Random, times: int) -> bytes:
    changed = bytearray(data)
    for _ in range(times if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(made: Path, chance: random.Random) -> None:
    path = made / "project.db"
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def _journal(victim: Path) -> Change:
    """A journal with the name of a file elsewhere at its end, which SQLite removes when it has played it."""

    def change(made: Path, chance: random.Random) -> None:
        path = made / "project.db"
        data = bytearray(path.read_bytes())
        data[18:20] = b"\1\1"  # no longer in the mode in which there are no journals
        path.write_bytes(data)
        name = str(victim / "a.model").encode()
        magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
        head = magic + b"".join(number.to_bytes(4, "big") for number in (1, 0, len(data) // 4096, 512, 4096))
        page = (1).to_bytes(4, "big") + bytes(data[:4096])
        total = sum(data[place] for place in range(4096 - 200, 0, -200))
        page += (total & 0xFFFFFFFF).to_bytes(4, "big")
        end = (262145).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + magic
        (made / "project.db-journal").write_bytes(head.ljust(512, b"\0") + page + end)

    return change
