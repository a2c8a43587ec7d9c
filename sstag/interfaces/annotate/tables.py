"""The tables of a project's file, version by version.

A project file knows how many of these scripts it has been through (`pragma user_version`); those after that bring an
older file up to date, in one transaction.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from sstag.foundation.errors import DataError

APPLICATION = 0x53535447  # "SSTG", so that `file` and others can tell what this is

FIRST = """
create table setting (name text primary key, value text not null) strict, without rowid;
create table annotator (
    id integer primary key, name text not null unique, keys text not null default '{}'
) strict;
create table session (
    id integer primary key, annotator integer not null references annotator, began real not null, origin text not null
) strict;
create table text (id integer primary key, hash text not null unique, columns text not null) strict;
create table model (
    id integer primary key, file text not null, made real not null, event integer not null, said text not null
) strict;
create table suggestion (
    text integer primary key references text, source text not null, spans text not null
) strict, without rowid;
create table question (
    id integer primary key, text integer not null references text, annotator integer not null references annotator,
    model integer references model, strategy text not null, asked real not null, shown text not null,
    answered integer references event, unique (text, annotator)
) strict;
create index question_waits on question (annotator, id) where answered is null;
create table event (
    id integer primary key autoincrement, at real not null, session integer not null references session,
    annotator integer not null references annotator, key text not null unique, kind text not null,
    thing text not null, text integer references text, question integer references question,
    model integer references model, said text not null, shown text not null, seconds real not null,
    undoes integer unique references event, check ((kind = 'undo') = (undoes is not null))
) strict;
create index event_of_annotator on event (annotator, id);
create index event_of_thing on event (thing, annotator);
create index event_of_text on event (text);
create trigger event_stays before update on event begin select raise(abort, 'events are never changed'); end;
create trigger event_remains before delete on event begin select raise(abort, 'events are never removed'); end;
create view counting as
    select * from event where kind <> 'undo' and id not in (select undoes from event where undoes is not null);
"""

SCRIPTS = (FIRST,)
SCHEMA = "select type, name, tbl_name, sql from sqlite_schema"


def check_tables(file: sqlite3.Connection, path: str, advice: str) -> None:
    """Raises an error if a file has other tables, views or triggers than a project of its version has."""
    version = _version(file, path)
    if not version:
        raise DataError(f"has no project in it: {advice}", path)
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript("".join(SCRIPTS[:version]))
        wanted = {_entry(row) for row in ours.execute(SCHEMA)}
    there = {_entry(row) for row in file.execute(SCHEMA)}
    if extra := sorted(there - wanted):
        raise DataError(f"has a {extra[0][0]} '{extra[0][1]:.40}' that is not of sstag: {advice}", path)
    if missing := sorted(wanted - there):
        raise DataError(f"is damaged (the {missing[0][0]} '{missing[0][1]}' is missing): {advice}", path)


def _entry(row: Sequence[object]) -> tuple[str, str, str, str]:
    kind, name, table, sql = (str(value) for value in row)
    return kind, name, table, sql


def _version(file: sqlite3.Connection, path: str) -> int:
    """The version of the tables of a file; one of a later sstag, or of another program, is an error."""
    application, version = (file.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if (version and application != APPLICATION) or not 0 <= version <= len(SCRIPTS):
        what = "a later sstag" if application == APPLICATION else "another program"
        raise DataError(f"is of {what}: this one knows projects up to version {len(SCRIPTS)}", path)
    return int(version)


def brought_up_to_date(file: sqlite3.Connection, path: str) -> None:
    """Runs the scripts that a file has not been through."""
    version = _version(file, path)
    if version == len(SCRIPTS):
        return
    script = "".join(SCRIPTS[version:])
    file.executescript(
        f"begin immediate; {script} pragma application_id = {APPLICATION}; pragma user_version = {len(SCRIPTS)}; commit"
    )
