"""Projects of the workbench that somebody sent: rows, files and schema that are others than they should be."""

import json
import random
import sqlite3
from contextlib import closing

from tests.attack.inputs import Good, Input, Odd
from tests.attack.inputs.folders import ODDITIES
from tests.attack.inputs.models import NUMBERS, PIECES
from tests.attack.inputs.pieces import changed
from tests.attack.inputs.values import OTHERS, changed_value

BEFORE = "project%"
DATABASE = f"{BEFORE}project.db"
USES = (
    "export folder --output {>o}",
    "export folder --together --output {>o}",
    "export folder --to-format doccano --output {>o}",
    "export folder --rejected {>r} --expectations {>x} --output {>o}",
    "export folder --annotators ann --output {>o}",
)
SCHEMES = (
    "CREATE TRIGGER t BEFORE INSERT ON event BEGIN SELECT RAISE(IGNORE); END", "DROP TABLE setting",
    "CREATE VIEW more AS SELECT 1", "CREATE TABLE more (a)", "ALTER TABLE text ADD COLUMN more", "DROP TABLE event",
    "PRAGMA user_version = 99", "PRAGMA application_id = 7", "DELETE FROM text", "DELETE FROM session",
    "ALTER TABLE setting RENAME TO was; CREATE VIEW setting AS WITH RECURSIVE r(name, value) AS "
    "(SELECT 'a', '1' UNION ALL SELECT name || 'a', value FROM r) SELECT * FROM r",
)  # fmt: skip


def _rows(chance: random.Random, data: bytes) -> bytes:
    """A database in which a value, a row or the schema is another."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data[:18] + b"\1\1" + data[20:])  # memory has no log beside it, as WAL has
        base.execute("PRAGMA writable_schema = 0")
        base.executescript("".join(f"DROP TRIGGER IF EXISTS {name};" for name in _names(base, "trigger")))
        tables = [name for name in _names(base, "table") if not name.startswith("sqlite")]
        for _ in range(chance.choice((1, 1, 2))):
            try:
                if chance.random() < 0.15:
                    base.executescript(chance.choice(SCHEMES))
                    break  # a view may have no end
                _cell(chance, base, chance.choice(tables))
            except sqlite3.Error:
                continue  # a constraint of the schema holds
        base.commit()
        made = base.serialize()
        return made[:18] + data[18:20] + made[20:]


def _names(base: sqlite3.Connection, kind: str) -> list[str]:
    return [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = ?", (kind,))]


def _cell(chance: random.Random, base: sqlite3.Connection, table: str) -> None:
    """Another value in a row: of its JSON, if it is some."""
    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
    rows = base.execute(f"SELECT rowid, * FROM {table}").fetchall()
    if not rows:
        return
    row, at = chance.choice(rows), chance.randrange(len(columns))
    value = row[1 + at]
    try:
        new: object = json.dumps(changed_value(chance, json.loads(value)))
    except (TypeError, ValueError):
        new = chance.choice((*OTHERS, b"\xff", "../../x", "__proto__", -1, "[" * 10**5, "9" * 5000))
    if isinstance(new, str):
        new = new.encode("utf-8", "surrogatepass")
        new = new if chance.random() < 0.05 else new.decode("utf-8", "replace")
    if not isinstance(new, str | bytes | int | float | None) or (isinstance(new, int) and abs(new) >= 2**63):
        new = json.dumps(new)
    base.execute(f"UPDATE {table} SET {columns[at]} = ? WHERE rowid = ?", (new, row[0]))


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads a project, of which a file is another."""
    files: dict[str, bytes | Odd] = {
        f"folder/{name.removeprefix(BEFORE).replace('%', '/')}": data
        for name, data in good.items()
        if name.startswith(BEFORE)
    }
    way, name = chance.random(), chance.choice(list(files))
    if way < 0.6:
        files["folder/project.db"] = _rows(chance, good[DATABASE])
    elif way < 0.75:
        at, piece = chance.randrange(len(good[DATABASE])), chance.choice(NUMBERS)
        files["folder/project.db"] = good[DATABASE][:at] + piece + good[DATABASE][at + len(piece) :]
    elif way < 0.85:
        files[name] = chance.choice(ODDITIES)
    elif way < 0.9:
        del files[name]
    else:
        before = files[name]
        assert isinstance(before, bytes)
        if name.endswith(".json"):
            files[name] = json.dumps(changed_value(chance, json.loads(before))).encode("utf-8", "surrogatepass")
        else:
            files[name] = changed(chance, before, PIECES, 2)
    return Input(tuple(chance.choice(USES).split()), files)
