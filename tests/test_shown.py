"""Models, evaluations and tunings in one line, and as tables of a notebook: escaped, and with the true figures."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sstag
from sstag.foundation.tables import MOST_ROWS, Table, html
from tests.commands import sstag as command
from tests.models import TEXTS, tiny

NASTY = "<script>alert('&\"')</script>"


class Cells(HTMLParser):
    """The rows of all tables; every element that is opened must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs) -> None:
        assert tag in ("div", "strong", "table", "thead", "tbody", "tr", "th", "td")
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if self.open[-1:] in (["th"], ["td"]):
            self.rows[-1][-1] += data


def one_line(shown: object) -> str:
    text = repr(shown)
    assert str(shown) == text
    assert "\n" not in text
    assert len(text) < 200
    return text


@pytest.mark.parametrize("name", TEXTS)
def test_a_model(name: str, tmp_path: Path) -> None:
    model = tiny(name, "bioes" if name == "pairs" else None)
    scheme = "plain" if name == "plain" else model.scheme.upper()
    assert one_line(model).startswith(f"<Model crf: {len(model.labels)} {scheme} label")
    sstag.save(model, tmp_path / "m")
    rows = dict(Cells(sstag.load(tmp_path / "m")._repr_html_()).rows)
    assert rows["labels"] == f"{len(model.labels)}   {' '.join(model.labels)}"
    assert rows["weights"].startswith(f"{len(model.theta):,}   (")
    lines = command("inspect", "--most", "0", tmp_path / "m").stdout.splitlines()
    assert [f"  {key:<11}{text}" for key, text in rows.items()] == lines[2:]


def test_a_model_says_what_it_learned_from() -> None:
    how = {"columns": ["word", "label"], "features": ["word[0]"]}
    labels = [f"{number}<&>" for number in range(30)]
    model = sstag.train(how, [["a"] * 30], [labels], max_iterations=2)
    assert one_line(model) == "<Model crf: 30 plain labels, 1 attribute, 990 weights, train 1 sentence>"
    rows = dict(Cells(model._repr_html_()).rows)
    assert rows["labels"].split() == ["30", *model.labels[:12], "…"]
    assert rows["train"] == "1 sentence, 30 tokens"
    raw = sstag.train(how, [["a"]], [["X"]], unlabeled=[["b"], ["c"]], method="self-training", rounds=1)
    assert one_line(raw).startswith("<Model self-training: 1 plain label,")
    assert one_line(raw).endswith("unlabeled 2 sentences, train 1 sentence>")
    assert one_line(replace(model, about={})).startswith("<Model crf: 30 plain labels")
    assert "columns" in dict(Cells(replace(model, about={})._repr_html_()).rows)


def test_an_evaluation_of_chunks() -> None:
    found = sstag.evaluate([["B-X", "I-X", "O"], ["B-<Y>"], ["O"]], [["B-X", "I-X", "O"], ["O"], ["O"]])
    assert one_line(found) == (
        "<Evaluation IOB2: F1 66.67, recall 50.00, precision 100.00, whole sentences 66.67, accuracy 80.00 %; "
        "5 tokens, 3 sentences>"
    )
    assert Cells(found._repr_html_()).rows == [
        ["", "%", "right", "of", ""],
        ["accuracy", "80.00", "4", "5", "tokens"],
        ["whole sentences", "66.67", "2", "3", "sentences"],
        ["precision", "100.00", "1", "1", "chunks found"],
        ["recall", "50.00", "1", "2", "chunks in gold"],
        ["F1", "66.67", "", "", ""],
        ["type", "gold", "found", "right", "precision", "recall", "F1"],
        ["X", "1", "1", "1", "100.00", "100.00", "100.00"],
        ["<Y>", "1", "0", "0", "–", "0.00", "0.00"],
    ]


def test_an_evaluation_of_plain_labels_and_of_none() -> None:
    found = sstag.evaluate([["X", "Y"]], [["X", NASTY]])
    assert one_line(found) == (
        "<Evaluation plain labels: whole sentences 0.00, accuracy 50.00 %; 2 tokens, 1 sentence>"
    )
    assert "<script" not in found._repr_html_()
    assert [row[0] for row in Cells(found._repr_html_()).rows[3:]] == ["label", "X", "Y", NASTY]
    nothing = sstag.evaluate([["O", "?"]], [["O", "O"]], scheme="iob2")
    assert ["F1", "–", "", "", ""] in Cells(nothing._repr_html_()).rows
    assert one_line(nothing).startswith("<Evaluation IOB2: F1 ")


def test_the_figures_are_those_of_the_command(tmp_path: Path) -> None:
    gold, predicted = [["N", "V", "N"], ["A"]], [["N", "N", "N"], ["A"]]
    found = sstag.evaluate(gold, predicted)
    (tmp_path / "p.txt").write_text("a N N\nb V N\nc N N\n\nd A A\n", encoding="utf-8")
    lines = command("eval", tmp_path / "p.txt", "--resamples", "0").stdout.splitlines()
    rows = [" ".join(" ".join(row).split()) for row in Cells(found._repr_html_()).rows]
    assert rows == [" ".join(line.split()) for line in [*lines[4:7], *lines[8:12]]]


@pytest.mark.parametrize("folds", [None, 3])
def test_a_tuning(folds: int | None) -> None:
    words, labels = [["a", "b"], ["b"], ["a", "a"], ["c"]], [["X", "Y"], ["Y"], ["X", "X"], ["X"]]
    dev = {"folds": folds} if folds else {"dev": words, "dev_labels": labels}
    how = {"columns": ["word", "label"], "features": ["word[0]"]}
    found = sstag.tune(how, words, labels, values={"l2": [0.001, 100.0], "pairs": ["all", "observed"]}, **dev)
    by = "3-fold cross-validation" if folds else "development data"
    score = max(one.score for one in found.tried)
    told = f"accuracy {100 * score:.2f} by {by}, the best of 4 tried>"
    assert one_line(found) == f"<Tuned l2={found.best['l2']}, pairs={found.best['pairs']}: {told}"
    head, *rows = Cells(found._repr_html_()).rows
    assert head == ["l2", "pairs", "accuracy", *(["±"] if folds else []), ""]
    assert [row[:2] for row in rows] == [[l2, pairs] for l2 in ("0.001", "100") for pairs in ("all", "observed")]
    assert [row[2] for row in rows] == [f"{100 * one.score:.2f}" for one in found.tried]
    assert [row[-1] for row in rows] == ["best" if one.values == found.best else "" for one in found.tried]


def test_of_many_rows_the_first_are_shown() -> None:
    many = Table(("n",), [(str(number),) for number in range(MOST_ROWS + 2)], left=())
    assert [row[0] for row in Cells(html("t", [many])).rows] == ["n", *map(str, range(MOST_ROWS)), "… 2 more"]
    assert Cells(html(NASTY, [Table((), [], left=())])).rows == []
