"""Prose from Python, tables and Series of pandas in the place of lists, and what an error says to pass instead."""

import inspect
import json
import pydoc
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import sstag
from docs.tools.python_api import EXAMPLE, MEMBERS
from sstag.foundation.errors import ConfigError, DataError
from tests.commands import sstag as command

HOW = {"columns": ["word", "ner"], "features": ["word[-1..1]", "short_shape(word[0])"]}
WORDS = [["Kim", "met", "Ann", "."], ["Ann", "lives", "in", "Rome", "."], ["Kim", "saw", "Rome", "."]]
LABELS = [["B-PER", "O", "B-PER", "O"], ["B-PER", "O", "O", "B-LOC", "O"], ["B-PER", "O", "B-LOC", "O"]]
TEXT = "Kim  met 😀 Ann. She lives in Rome."
FUNCTIONS = [name for name in sstag.__all__ if name.islower()]


@pytest.fixture(scope="module")
def model() -> sstag.Model:
    return sstag.train(HOW, WORDS, LABELS)


def test_spans_of_a_text_are_those_of_the_command(model: sstag.Model, tmp_path: Path) -> None:
    sstag.save(model, tmp_path / "m")
    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    run = command("tag", "-m", "m", "--text", "--format", "spans", "t.txt", cwd=tmp_path)
    told = json.loads(run.stdout)["spans"]
    found = sstag.tag(model, text=TEXT, confidence=True)
    assert [(one.start, one.end, one.label) for one in found] == [(a["start"], a["end"], a["label"]) for a in told]
    assert [one.text for one in found] == [TEXT[one.start : one.end] for one in found]
    assert {one.text for one in found} >= {"Kim", "Ann", "Rome"}
    assert [one.probability for one in found] == [a["probability"] for a in told]
    unsure = [one._replace(probability=None) for one in found]
    assert sstag.tag(tmp_path / "m", text=TEXT) == unsure
    assert sstag.tag(model, text=[TEXT, "", " "]) == [unsure, [], []]
    assert sstag.tag(model, text=iter([TEXT, TEXT])) == [unsure] * 2
    assert sstag.tag(model, text=[]) == []
    assert sstag.tag(model, text="") == []
    assert sstag.tag(model, text=TEXT, costs={"B-LOC": 100.0})[0].label == "LOC"


class Series:
    """A Series of pandas as far as sstag knows it: it can be gone through and has a length, but is no list."""

    def __init__(self, values: list) -> None:
        self.values = values

    def __iter__(self) -> Iterator:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


class Frame:
    """A table of pandas as far as sstag knows it."""

    def __init__(self, **columns: list) -> None:
        self.columns, self.shape = list(columns), (len(next(iter(columns.values()))), len(columns))

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return self.shape[0]


@pytest.mark.parametrize("kind", [Series, np.array, tuple])
def test_a_series_or_an_array_stands_where_lists_do(model: sstag.Model, kind: Callable) -> None:
    words, labels = Series([kind(one) for one in WORDS]), Series([kind(one) for one in LABELS])
    same = sstag.train(HOW, words, labels, dev=words, dev_labels=labels)
    assert same.theta.tobytes() == sstag.train(HOW, WORDS, LABELS, dev=WORDS, dev_labels=LABELS).theta.tobytes()
    assert sstag.tag(model, words) == sstag.tag(model, WORDS)
    assert sstag.tag(model, text=Series([TEXT])) == [sstag.tag(model, text=TEXT)]
    assert sstag.evaluate(labels, labels).figures["f1"] == 1
    raw = sstag.train(HOW, words, labels, unlabeled=words, method="self-training", rounds=1)
    assert raw.labels == model.labels


TABLE = Frame(sentence=[1, 1], word=["Kim", "met"])
HINT = "groupby('sentence')['word'].apply(list)"


@pytest.mark.parametrize(
    ("wrong", "parts"),
    [
        (lambda of: sstag.tag(of, "Kim met Ann in Rome."), ["no such file", 'text="Kim met Ann."']),
        (lambda of: sstag.tag(of, "Kim"), ["no such file", "text="]),
        (lambda of: sstag.tag(of, ["Kim met Ann in Rome."]), ["is no list of tokens", "text="]),
        (lambda of: sstag.tag(of, Series(["Kim met Ann in Rome."])), ["is no list of tokens", "text="]),
        (lambda of: sstag.tag(of), ["one of the two", "text="]),
        (lambda of: sstag.tag(of, [["a"]], text="a"), ["one of the two"]),
        (lambda of: sstag.tag(of, text="a", nbest=2), ["instead of text="]),
        (lambda of: sstag.tag(of, text="a", marginals=True), ["instead of text="]),
        (lambda of: sstag.tag(of, text=3), ["text is a text, or a list of texts, not 3"]),
        (lambda of: sstag.tag(of, text=["a", ["b"]]), ["['b'] is none"]),
        (lambda of: sstag.tag(of, text={"a": "b"}), ["text is a text, or a list of texts, not {"]),
        (lambda of: sstag.tag(of, TABLE), ["not a table", HINT]),
        (lambda of: sstag.tag(of, text=TABLE), ["not a table"]),
        (lambda of: sstag.tag(of, 3), ["the path of a file or lists of tokens, not 3"]),
        (lambda of: sstag.tag(of, [float("nan")]), ["nan is no list of tokens: a sentence is one"]),
        (lambda of: sstag.train(HOW, TABLE, LABELS), ["not a table", HINT]),
        (lambda of: sstag.train(HOW, WORDS, TABLE), ["not a table", HINT]),
        (lambda of: sstag.train(HOW, WORDS, LABELS, unlabeled=TABLE, method="entropy"), ["not a table", HINT]),
        (lambda of: sstag.train(HOW, "Kim met Ann."), ["no such file", "[['Kim', 'met', 'Ann']]"]),
        (lambda of: sstag.train(HOW, ["Kim met Ann."]), ["no such file", "[['Kim', 'met', 'Ann']]"]),
        (lambda of: sstag.train(HOW, {"a", "b"}), ["not {"]),
        (lambda of: sstag.read("Kim met Ann.", "ner"), ["no such file", "[['Kim', 'met', 'Ann']]"]),
        (lambda of: sstag.evaluate(TABLE, LABELS), ["not a table"]),
        (lambda of: sstag.evaluate(LABELS, [float("nan")]), ["nan is no list of labels"]),
        (lambda of: sstag.evaluate(3, LABELS), ["labels are a list for each sentence, not 3"]),
    ],
)
def test_an_error_says_what_to_pass(
    model: sstag.Model, wrong: Callable[[sstag.Model], object], parts: list[str]
) -> None:
    with pytest.raises((ConfigError, DataError)) as error:
        wrong(model)
    assert all(part in str(error.value) for part in parts), str(error.value)


def test_a_file_that_is_not_there_is_only_that(model: sstag.Model) -> None:
    for path in ("nothing.txt", "no/such", "../nothing"):
        with pytest.raises(DataError) as error:
            sstag.tag(model, path)
        assert str(error.value) == f"{path}: no such file or directory"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_begins_with_a_sentence_and_an_example(name: str) -> None:
    function = getattr(sstag, name)
    lines = pydoc.render_doc(function, renderer=pydoc.plaintext).split("\n")
    assert re.fullmatch(rf"{name}\(.{{,80}}\)", lines[2])
    assert re.match("    [A-Z].*", lines[3])
    assert lines[5] == "    Example:"
    assert list(inspect.signature(function).parameters) == list(function.__annotations__)[:-1]  # the types are kept
    assert EXAMPLE.search(inspect.getdoc(function) or "")


def test_examples_of_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: sstag.Model) -> None:
    """In one go, and what a comment says of a value is so."""
    rows = "".join(
        "".join(f"{word} X Y {label}\n" for word, label in zip(words, labels, strict=True)) + "\n"
        for words, labels in zip(WORDS, LABELS, strict=True)
    )
    monkeypatch.chdir(tmp_path)
    for name in ("train.txt", "few.txt", "dev.txt", "test.txt"):
        Path(name).write_text(rows, encoding="utf-8")
    Path("raw.txt").write_text("Kim X Y\nslept X Y\n. X Y\n", encoding="utf-8")
    names: dict[str, object] = {"sstag": sstag}
    for name in sorted(
        FUNCTIONS, key=["train", "tag", "tune", "save", "load", "load_template", "read", "evaluate"].index
    ):
        found = EXAMPLE.search(inspect.getdoc(getattr(sstag, name)))
        for line in found[1].splitlines():
            code, _, said = line.strip().partition("  # ")
            if name == "tag":
                names["model"] = sstag.train("ner", "train.txt") if "test.txt" in code else model
            if not said:
                exec(code, names)
                continue
            value = repr(eval(code, names))
            assert re.fullmatch(re.escape(said).replace("…", ".*"), value) or said.startswith("such as"), value


def test_a_shell_completes_the_members_of_a_model_that_stay(model: sstag.Model) -> None:
    assert set(dir(model)) == set(MEMBERS["Model"])
    assert all(hasattr(model, name) for name in dir(model))
