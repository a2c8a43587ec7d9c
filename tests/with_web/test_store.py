"""The store of the workbench: what is acknowledged stays, what counts is the last word, and no kill changes that."""

import json
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from sstag.corpus.corpus import corpus_of
from sstag.corpus.text.json_records import value_of_line
from sstag.foundation.errors import DataError, SstagError
from sstag.interfaces.annotate import writing
from sstag.interfaces.annotate.answers import Ground, answer_in
from sstag.interfaces.annotate.connecting import connected
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.records import Question, Text
from sstag.interfaces.annotate.saying import Said, Span, column, said_in, said_of
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.annotate.tables import SCRIPTS
from sstag.interfaces.annotate.writing import Writer
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks

LABELS = ["PER", "ORG"]
GROUND = Ground(LABELS, "iob2", lambda text: 5, str)
TEXTS = [Text(f"{number:016x}", {"word": ["Ann", "Lee", "met", "Bob", "."]}, "word", [4]) for number in range(4)]


def sentence(key: str, text: Text, spans=(), **more):
    body = {"key": key, "kind": "sentence", "text": text.hash, "spans": list(spans), **more}
    return answer_in(body, GROUND)


@pytest.fixture
def store(tmp_path):
    made = Store(str(tmp_path / "project.db"))
    made.keep_texts(TEXTS)
    yield made
    made.close()


def asked(store, session, texts=TEXTS):
    store.ask(session.annotator, [Question(text, None, "random", {"suggested": None}) for text in texts])


def waiting(store, session):
    return [one.text.hash for one in store.waiting(session.annotator, 10)]


def test_a_question_waits_until_it_is_answered_and_is_asked_once(store):
    ann, bob = store.begin("ann"), store.begin("bob")
    asked(store, ann)
    asked(store, ann)
    asked(store, bob, TEXTS[:1])
    assert waiting(store, ann) == [text.hash for text in TEXTS]
    first = store.waiting(ann.annotator, 1)[0]
    assert first.text.tokens == ["Ann", "Lee", "met", "Bob", "."]
    assert first.text.joined == [4]
    store.keep(ann, [sentence("a", TEXTS[0], question=first.id)])
    assert waiting(store, ann) == [text.hash for text in TEXTS[1:]]
    assert waiting(store, bob) == [TEXTS[0].hash]


def test_the_same_key_is_the_same_answer(store):
    ann, bob = store.begin("ann"), store.begin("bob")
    first = store.keep(ann, [sentence("a", TEXTS[0])])
    assert store.keep(ann, [sentence("a", TEXTS[0])]) == first
    assert store.steps(ann.annotator) == 1
    with pytest.raises(Conflict, match="another answer"):
        store.keep(bob, [sentence("a", TEXTS[0])])
    with pytest.raises(Conflict, match="another answer"):
        store.keep(ann, [sentence("a", TEXTS[1])])


def test_all_answers_of_a_request_are_kept_or_none(store):
    ann = store.begin("ann")
    with pytest.raises(Conflict, match="question 99"):
        store.keep(ann, [sentence("a", TEXTS[0]), sentence("b", TEXTS[1], question=99)])
    assert store.history(ann.annotator, 10, 2**53) == []


def test_undo_goes_back_step_by_step_also_after_a_restart(store):
    ann = store.begin("ann")
    asked(store, ann)
    for number, text in enumerate(TEXTS):
        store.keep(ann, [sentence(f"k{number}", text)])
    again = {"first": 0, "stop": 2, "labels": ["PER"]}
    store.keep(ann, [sentence("again", TEXTS[0], [again])])
    store.close()
    store = Store(store.path)
    ann = store.begin("ann")
    assert store.steps(ann.annotator) == 5
    undone = store.undo(ann, "u0")
    assert undone.said["spans"] == [again]
    assert store.undo(ann, "u0").id == undone.id  # the same request, sent twice
    assert waiting(store, ann) == []  # the answer before it counts again
    assert store.last_said(ann.annotator, f"text:{TEXTS[0].hash}").said["spans"] == []
    for number in range(4):
        assert store.undo(ann, f"u{number + 1}").text == TEXTS[3 - number].hash
        assert waiting(store, ann) == [text.hash for text in TEXTS[3 - number :]]
    assert store.undo(ann, "u9") is None
    assert store.steps(ann.annotator) == 0
    store.close()


def test_what_is_imported_is_not_undone_by_steps(store):
    imported = store.begin("ann", origin="import:old.jsonl")
    store.keep(imported, [sentence("i", TEXTS[0])])
    ann = store.begin("ann")
    assert ann.annotator == imported.annotator
    assert store.steps(ann.annotator) == 0
    assert store.undo(ann, "u") is None


def test_events_are_neither_changed_nor_removed(store):
    ann = store.begin("ann")
    store.keep(ann, [sentence("a", TEXTS[0])])
    file = sqlite3.connect(store.path)
    for query in ("update event set said = '{}'", "delete from event"):
        with pytest.raises(sqlite3.IntegrityError, match="events are never"):
            file.execute(query)
    file.close()


def test_what_a_model_or_a_session_is_must_exist(store):
    with pytest.raises(Conflict, match="no session"):
        store.session(7)
    ann = store.begin("ann")
    with pytest.raises(Conflict, match="no model 3"):
        store.keep(ann, [sentence("a", TEXTS[0], model=3)])
    store.keep_model("1.model", 0, {})
    store.keep(ann, [sentence("a", TEXTS[0], model=1)])
    assert [one.model for one, _ in store.history(ann.annotator, 9, 2**53)] == [1]


def test_files_of_others_and_of_later_versions_are_refused(tmp_path):
    path = str(tmp_path / "other.db")
    file = sqlite3.connect(path)
    file.execute("pragma user_version = 1")
    file.close()
    with pytest.raises(DataError, match="another program"):
        Store(path)
    Store(str(tmp_path / "ours.db")).close()
    file = sqlite3.connect(tmp_path / "ours.db")
    file.execute(f"pragma user_version = {len(SCRIPTS) + 1}")
    file.close()
    with pytest.raises(DataError, match="a later sstag"):
        Store(str(tmp_path / "ours.db"))
    (tmp_path / "text.db").write_text("no database, but a long text " * 100)
    with pytest.raises(SstagError, match="not a database"):
        Store(str(tmp_path / "text.db"))


SPANS = {
    "spans": [
        {"first": 0, "stop": 2, "labels": ["PER"]},
        {"first": 2, "stop": 3, "labels": ["ORG", "PER"]},
    ],
    "open": [{"first": 4, "stop": 5}],
    "forbidden": [{"first": 3, "stop": 4, "labels": ["ORG"]}],
}


def test_what_is_said_becomes_labels_and_comes_back_from_the_store():
    said = said_in(SPANS, 5, LABELS)
    assert said_of(said.json) == said
    assert column(said, 5, "iob2", "O") == ["B-PER", "I-PER", "B-PER|B-ORG", "!B-ORG|I-ORG", "?"]
    assert column(said, 5, "bioes", "O")[2:4] == ["S-PER|S-ORG", "!B-ORG|I-ORG|E-ORG|S-ORG"]
    assert column(Said((Span(0, 1, ("PER",)), Span(1, 2, ("PER",)))), 3, "iob1", "O") == ["I-PER", "B-PER", "O"]
    assert column(Said((Span(0, 2, ("PER", "ORG")),)), 3, "plain", "?") == ["PER|ORG", "PER|ORG", "?"]


def test_a_label_column_allows_what_was_said():
    """The sets of labels that a training reads are those that the spans mean."""
    labels = column(said_in(SPANS, 5, LABELS), 5, "iob2", "O")
    known = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG")
    text = labelled_text(
        corpus_of([list(zip("abcde", labels, strict=True))], ("word", "label")), "label", Marks(), known
    )
    allowed = [{text.sets.labels[y] for y in text.sets.allowed_labels[code]} for code in text.codes.tolist()]
    assert allowed == [{"B-PER"}, {"I-PER"}, {"B-PER", "B-ORG"}, {*known} - {"B-ORG", "I-ORG"}, {*known}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spans": [{"first": 0, "stop": 6, "labels": ["PER"]}]}, "no span from 0 to 6 in 5 tokens"),
        ({"spans": [{"first": 2, "stop": 2, "labels": ["PER"]}]}, "no span from 2 to 2"),
        ({"spans": [{"first": 0, "stop": 1, "labels": []}]}, "at least one label"),
        ({"spans": [{"first": 0, "stop": 1, "labels": ["PER", "PER"]}]}, "none twice"),
        ({"spans": [{"first": 0, "stop": 1, "labels": ["LOC"]}]}, "no label 'LOC'"),
        ({"spans": [{"first": 0, "stop": 2, "labels": ["PER"]}], "open": [{"first": 1, "stop": 3}]}, "token 1"),
        ({"spans": {}}, "an object, not a list"),
        ({"spans": [{"first": -1, "stop": 1, "labels": ["PER"]}]}, "whole number"),
        ({"kind": "word"}, "no answer of the kind 'word'"),
        ({"key": "a b"}, "'key'"),
        ({"key": ""}, "'key'"),
        ({"seconds": -1}, "'seconds'"),
        ({"seconds": float("nan")}, "'seconds'"),
        ({"shown": "x" * 20_000}, "'shown'"),
        ({"question": "1"}, "'question'"),
        ({"kind": "span", "first": 0, "stop": 1, "labels": ["PER"], "answer": "perhaps"}, "'answer' is one of"),
        ({"kind": "feature", "feature": "a\tb", "labels": ["PER"]}, "'feature'"),
        ({"kind": "feature", "feature": "a"}, "one of these alone"),
        ({"kind": "feature", "feature": "a", "nothing": True, "labels": ["PER"]}, "one of these alone"),
        ({"kind": "feature", "feature": "a", "shares": {"PER": 0.5}}, "add up to 0.5"),
        ({"kind": "feature", "feature": "a", "shares": {"PER": float("inf")}}, "not a number"),
        ({"kind": "feature", "feature": "a", "shares": {"LOC": 1.0}}, "no label"),
    ],
)
def test_answers_that_cannot_be_are_refused(change, message):
    body = {"key": "a", "kind": "sentence", "text": TEXTS[0].hash, **change}
    with pytest.raises(DataError, match=message):
        answer_in(value_of_line("the request", 1, json.dumps(body).encode()), GROUND)


WRITER = """
import sys
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.store import Store
store = Store(sys.argv[1])
session = store.begin("ann")
number = 0
while True:
    number += 1
    keys = [f"{session.id}-{number}-{part}" for part in range(1 + number % 3)]
    store.keep(session, [Answer(key, "feature", f"feature:{key}", {"feature": key, "nothing": True}) for key in keys])
    print(*keys, flush=True)
"""


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    path = str(tmp_path / "project.db")
    Store(path).close()
    said: list[str] = []
    for run in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
        for _ in range(20 + 7 * run):
            said += writer.stdout.readline().split()
        writer.kill()
        said += [
            key
            for line in writer.stdout.read().splitlines(keepends=True)
            if line.endswith("\n")
            for key in line.split()
        ]
        writer.wait()
        writer.stdout.close()
    file = connected(path, read_only=True)
    assert file.execute("pragma integrity_check").fetchone()[0] == "ok"
    assert file.execute("pragma foreign_key_check").fetchall() == []
    kept = {row["key"] for row in file.execute("select key from event")}
    file.close()
    assert len(said) >= 80
    assert {*said} <= kept


def test_work_that_waits_together_is_kept_by_one_commit_and_fails_alone(tmp_path):
    path = str(tmp_path / "any.db")
    file = connected(path, new=True)
    file.execute("pragma journal_mode = wal")
    file.execute("create table number (n integer unique) strict")
    statements = []
    file.set_trace_callback(statements.append)
    writer = Writer(file, connected(path))
    busy, free = Event(), Event()

    def hold(file):
        busy.set()
        assert free.wait(60)

    def insert(number):
        def work(file):
            file.execute("insert into number values (?)", [number])
            if number % 5 == 0:
                raise ValueError(number)
            return number

        return work

    with ThreadPoolExecutor(41) as pool:
        first = pool.submit(writer.done, hold)
        assert busy.wait(60)
        rest = [pool.submit(writer.done, insert(number)) for number in range(40)]
        while writer._jobs.qsize() < 40:
            time.sleep(0.001)
        free.set()
        first.result()
        for number, one in enumerate(rest):
            if number % 5:
                assert one.result() == number
            else:
                with pytest.raises(ValueError, match=str(number)):
                    one.result()
    assert sum(text == "commit" for text in statements) == 2
    with pytest.raises(sqlite3.IntegrityError):
        writer.done(insert(1))
    assert writer.done(lambda file: file.execute("select count(*) from number").fetchone()[0]) == 32
    writer.close()
    with pytest.raises(sqlite3.ProgrammingError):
        writer.done(insert(99))
    left = connected(path, read_only=True)
    assert [row[0] for row in left.execute("select n from number order by n")] == [n for n in range(40) if n % 5]
    left.close()


def test_what_was_written_is_brought_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "SYNCS", 3)
    path = str(tmp_path / "any.db")
    file = connected(path, new=True)
    file.execute("pragma journal_mode = wal")
    file.execute("create table number (n integer) strict")
    writer = Writer(file, connected(path))
    empty = (tmp_path / "any.db").stat().st_size
    blob = "x" * 5000
    for _ in range(30):
        writer.done(lambda file: file.execute("create table if not exists text (t text)"))
        writer.done(lambda file: file.execute("insert into text values (?)", [blob]))
    end = time.monotonic() + 60
    while (tmp_path / "any.db").stat().st_size <= empty:
        assert time.monotonic() < end
        time.sleep(0.01)
    writer.close()
