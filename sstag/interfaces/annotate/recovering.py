"""Recovery: all that is whole of a damaged project goes into a new file; the old one stays beside it.

A copy of the file is read, table by table. Where rows cannot be read, they are looked for in halves of a range of
numbers, and of halves, until what is lost is known. A row is kept if it is one that sstag writes.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sstag.foundation.errors import DataError, SstagError, counted
from sstag.foundation.files import display_name, translated_errors
from sstag.foundation.json_values import Json, json_value
from sstag.foundation.plain import FOLDER, check_all, check_kind, kind_of
from sstag.foundation.replacing import sync
from sstag.interfaces.annotate.checking import TABLES, Row, Tokens, fault_of
from sstag.interfaces.annotate.connecting import BESIDE, JOURNAL, Limited, connected, told_plainly
from sstag.interfaces.annotate.inside import DATABASE, POOL, TEMPLATE, TEMPLATES, copied_template
from sstag.interfaces.annotate.pool import PART, Pool, part_in
from sstag.interfaces.annotate.rows import as_json, keep_texts
from sstag.interfaces.annotate.settings import overlaps_in, settings_in, with_files
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.annotate.tables import brought_up_to_date
from sstag.selection.strategies import CHANCE

WORK, DAMAGED = ".recovering", "damaged"
NUMBERS = {"suggestion": "text"}  # columns by which rows are numbered, where it is not `id`
NAMES = {"text": "text", "event": "answer", "annotator": "annotator", "question": "question", "model": "model"}
SOME = 5_000  # rows that are read at once
MOST_FAILURES = 5_000  # readings, after which the rest of a table is lost
GUESS = 1_000_000  # the largest number of a row where that cannot be read
ORIGIN = "recovered"


@dataclass
class Salvage:
    """How many rows of each table were kept, and how many were left out."""

    kept: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)  # that were left out

    def count(self, table: str, is_kept: bool) -> None:
        """Counts a row."""
        counts = self.kept if is_kept else self.lost
        counts[table] = counts.get(table, 0) + 1

    @property
    def lines(self) -> list[str]:
        """The counts in words."""
        kept = ", ".join(counted(self.kept.get(table, 0), name) for table, name in NAMES.items())
        lost = [counted(number, NAMES.get(table, table)) for table, number in self.lost.items()]
        lost += [f"the setting {name}" for name in self.settings]
        return [f"kept: {kept}", f"left out: {', '.join(lost) or 'nothing'}"]


def recovered(folder: str, instead: Mapping[str, Json]) -> Salvage:
    """Puts all that is whole of a project into a new file; `instead` are settings that a command names."""
    path, work = os.path.join(folder, DATABASE), os.path.join(folder, WORK)
    check_kind(path)
    if kind_of(work):
        check_kind(work, FOLDER)
        shutil.rmtree(work)  # of a recovery that was killed
    with translated_errors(display_name(folder)):
        os.mkdir(work)
        try:
            old, new = os.path.join(work, "old.db"), os.path.join(work, DATABASE)
            for ending in ("", *BESIDE[:1]):
                if check_kind(path + ending, optional=True):
                    shutil.copyfile(path + ending, old + ending)
            salvage = Salvage()
            pool = _whole_pool(folder)
            with told_plainly(old), closing(connected(old)) as source, closing(connected(new, new=True)) as target:
                target.execute("pragma journal_mode = wal")
                brought_up_to_date(target, new)
                target.execute("begin")
                _keep_settings(source, target, folder, instead, salvage)
                for table in TABLES:
                    if table != "setting":
                        _Table(source, target, table, pool, salvage).keep()
                _settle(target)
                target.execute("commit")
            Store(new).close()  # which looks through it
            _exchange(path, new)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return salvage


class _Table:
    """A table that is kept row by row, after those that it refers to."""

    def __init__(self, source: Limited, target: Limited, table: str, pool: Pool, salvage: Salvage) -> None:
        self.source, self.target, self.table, self.pool, self.salvage = source, target, table, pool, salvage
        self.tokens = Tokens()
        self.columns = [row[1] for row in target.execute(f"pragma table_info({table})")]
        self.number = NUMBERS.get(table, "id")

    def keep(self) -> None:
        """Keeps the rows that are whole."""
        for row in self._rows():
            self.target.execute("savepoint row")
            try:
                is_kept = row is not None and self._is_kept(dict(row))
            except (sqlite3.Error, SstagError):
                is_kept = False
            if not is_kept:
                self.target.execute("rollback to row")
            self.target.execute("release row")
            self.salvage.count(self.table, is_kept)

    def _rows(self) -> Iterator[sqlite3.Row | None]:
        """The rows that can be read, in the order of their numbers; None for one that cannot."""
        kind = self.source.execute("select type, sql from sqlite_schema where name = ?", [self.table]).fetchone()
        if kind is None or kind["type"] != "table" or "virtual" in str(kind["sql"]).lower().split():
            return
        try:
            bounds = f"select min({self.number}) as low, max({self.number}) as high from {self.table}"
            low, high = self._read(bounds)[0]
        except sqlite3.Error:
            low, high = 1, GUESS
        if not isinstance(low, int) or not isinstance(high, int):
            return
        starts = range(low, high + 1, SOME)
        ranges = [(start, min(start + SOME - 1, high)) for start in reversed(starts[: 1 + MOST_FAILURES])]
        failures = 0
        while ranges:
            first, last = ranges.pop()
            try:
                query = f"select {', '.join(self.columns)} from {self.table} where {self.number} between ? and ?"
                yield from self._read(f"{query} order by {self.number}", first, last)
            except (sqlite3.Error, UnicodeDecodeError):
                failures += 1
                if first == last:
                    yield None
                elif failures < MOST_FAILURES:
                    middle = (first + last) // 2
                    ranges += [(middle + 1, last), (first, middle)]

    def _read(self, query: str, *values: int) -> list[sqlite3.Row]:
        self.source.limit()
        return self.source.execute(query, values).fetchall()

    def _is_kept(self, row: dict[str, object]) -> bool:
        """Whether a row could be written; what it refers to may be gone."""
        if "annotator" in row and not self._has("annotator", row["annotator"]):
            self._insert("annotator", {"id": row["annotator"], "name": f"annotator {row['annotator']}", "keys": "{}"})
        if "session" in row and not self._has("session", row["session"]):
            began = {"id": row["session"], "annotator": row["annotator"], "began": row["at"], "origin": ORIGIN}
            self._insert("session", began)
        for name in ("model", "question"):
            if row.get(name) is not None and not self._has(name, row[name]):
                row[name] = None
        if "answered" in row:
            row["answered"] = None  # until the answers are there
        text = self._text_of(row) if "text" in row else None
        beside = text or {"columns": row.get("columns"), "hash": row.get("hash")}
        if fault_of(self.table, {**row, **beside, "id": row.get("id", row.get("text"))}, self.tokens):
            return False
        self._insert(self.table, row)
        return True

    def _text_of(self, row: Row) -> dict[str, object] | None:
        """The text that a row is about, which if it is lost is taken from the pool again."""
        query = "select hash, columns from text where id = ?"
        found = self.target.execute(query, [row["text"]]).fetchone()
        if found is None and isinstance(row.get("thing"), str) and isinstance(row["text"], int):
            hashes = [part for part in str(row["thing"]).split(":")[1:2] if len(part) == 16]
            text = self.pool.find(hashes[0]) if hashes else None
            if text:
                keep_texts(self.target, [text])
                self.target.execute("update text set id = ? where hash = ?", [row["text"], text.hash])
                found = self.target.execute(query, [row["text"]]).fetchone()
        return None if found is None else {"hash": found["hash"], "columns": found["columns"]}

    def _has(self, table: str, number: object) -> bool:
        return self.target.execute(f"select 1 from {table} where id = ?", [number]).fetchone() is not None

    def _insert(self, table: str, row: Row) -> None:
        names = ", ".join(row)
        values = ", ".join("?" for _ in row)
        self.target.execute(f"insert into {table} ({names}) values ({values})", [*row.values()])


def _settle(target: sqlite3.Connection) -> None:
    """Says again which questions are answered: by the last answer of their annotator about their text."""
    target.execute(
        """update question set answered = (select max(c.id) from counting c where c.annotator = question.annotator
           and c.text = question.text and c.kind in ('sentence', 'skip'))"""
    )


def _keep_settings(
    source: Limited, target: Limited, folder: str, instead: Mapping[str, Json], salvage: Salvage
) -> None:
    """Keeps the settings that are whole, and those that a command names in their place."""
    usual: dict[str, Json] = {"strategy": CHANCE, "overlap": 1, "train": [], "dev": [], "template": _template(folder)}
    stored = {**usual}
    names = ("labels", "scheme", "template", "train", "dev", "strategy", "overlap", "overlaps", "begun")
    is_table = source.execute("select 1 from sqlite_schema where name = 'setting' and type = 'table'").fetchone()
    for name in names if is_table else ():
        with suppress(sqlite3.Error, ValueError):
            source.limit()
            row = source.execute("select value from setting where name = ?", [name]).fetchone()
            if row is not None and isinstance(row["value"], str):
                stored[name] = json_value(row["value"])
    stored |= instead
    if isinstance(said := instead.get("template"), str):
        stored["template"] = copied_template(folder, said)
    for name in usual:
        others = {**stored, **{other: value for other, value in usual.items() if other != name}}
        if not _is_whole(others, folder) and _is_whole({**others, name: usual[name]}, folder):
            stored[name] = usual[name]
            salvage.settings.append(name)
    try:
        overlaps_in(stored)
    except SstagError:
        del stored["overlaps"]
        salvage.settings.append("overlaps")
    try:
        with_files(settings_in(stored), folder)
    except SstagError as error:
        way = "name what is lost: --labels A,B, --scheme SCHEME, --template FILE"
        raise DataError(f"its settings cannot be read ({error}): {way}", display_name(folder)) from error
    rows = [(name, as_json(value)) for name, value in stored.items()]
    target.executemany("insert into setting values (?, ?)", rows)


def _template(folder: str) -> str:
    """The name of the template of a project that does not say it."""
    own = sorted(path.name for path in Path(folder, TEMPLATES).glob("*.yaml"))
    return f"{TEMPLATES}/{own[0]}" if own and not kind_of(os.path.join(folder, TEMPLATE)) else TEMPLATE


def _is_whole(stored: Mapping[str, Json], folder: str) -> bool:
    with suppress(SstagError):
        with_files(settings_in(stored), folder)
        return True
    return False


def _whole_pool(folder: str) -> Pool:
    """The parts of the pool that are whole; the others are moved aside."""
    parts = []
    pool = os.path.join(folder, POOL)
    if kind_of(pool) not in (FOLDER, None):
        os.rename(pool, _aside(folder, POOL))
    for name in sorted(os.listdir(pool)) if os.path.isdir(pool) else []:
        if PART.fullmatch(name):
            try:
                check_all(os.path.join(pool, name), 0)
                parts.append(part_in(Path(pool, name)))
            except SstagError:
                os.rename(os.path.join(pool, name), _aside(folder, f"{POOL}-{name}"))
    return Pool(tuple(part for part in parts if part.corpus.columns == parts[0].corpus.columns))


def _exchange(path: str, new: str) -> None:
    """Puts a new file in the place of one that stays beside it."""
    folder, name = os.path.split(path)
    aside = _aside(folder, name)
    for ending in (*BESIDE, JOURNAL):
        if kind_of(path + ending):
            os.replace(path + ending, aside + ending)
    os.replace(path, aside)
    os.replace(new, path)
    sync(Path(folder))


def _aside(folder: str, name: str) -> str:
    """A free name for what is damaged."""
    names: Sequence[str] = [f"{name}.{DAMAGED}", *(f"{name}.{DAMAGED}-{number}" for number in range(2, 1000))]
    return next(path for one in names if not kind_of(path := os.path.join(folder, one)))
