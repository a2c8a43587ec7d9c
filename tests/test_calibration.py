"""Calibration and risk–coverage equal their definitions, and `sstag eval --calibration` shows them."""

import json
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.reading import read
from sstag.evaluation.calibration import BINS, Calibration, Confidences, area, calibrations, least_area, risks
from sstag.evaluation.prediction_lines import read_predictions
from sstag.evaluation.report.calibration_tables import calibration_tables
from sstag.evaluation.scoring import evaluated
from sstag.experiments.plots import can_draw
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import one_by_one
from sstag.labels.schemes.tagset import Chunks
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.model.questions import of_confidence
from sstag.model.tagged_text import Tagger
from sstag.model.tagging import sure_labels
from tests.commands import Ran, ran
from tests.compare import assert_close
from tests.models import tiny

predictions = st.lists(
    st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.95, 1.0]), st.booleans()), min_size=1, max_size=7
)


@given(predictions)
def test_the_risk_is_the_mean_over_all_orders_of_ties(made: list[tuple[float, bool]]) -> None:
    orders = [o for o in permutations(made) if all(a[0] >= b[0] for a, b in pairwise(o))]
    truth = np.mean([np.cumsum([wrong for _, wrong in o]) / np.arange(1, len(o) + 1) for o in orders], axis=0)
    sure, wrong = np.array([p for p, _ in made]), np.array([w for _, w in made])
    assert_close(risks(sure, wrong), truth)
    assert_close(area(sure, wrong), truth.mean())
    assert least_area(wrong) <= area(sure, wrong) + 1e-12
    assert_close(area(np.zeros(len(wrong)), wrong), wrong.mean())


@given(predictions)
def test_the_calibration_error_is_its_definition(made: list[tuple[float, bool]]) -> None:
    one = Calibration(np.array([p for p, _ in made]), np.array([r for _, r in made]))
    error = 0.0
    for b in range(BINS):
        inside = [(p, r) for p, r in made if b / BINS <= p < (b + 1) / BINS or (b == BINS - 1 and p == 1.0)]
        error += abs(sum(r for _, r in inside) - sum(p for p, _ in inside)) / len(made)
    assert_close(one.error, error)
    assert sum(each.count for each in one.bins) == len(made)
    curve = one.curve(4)
    assert curve[-1].coverage == 1.0
    assert_close(curve[-1].risk, 1 - np.mean([r for _, r in made]))
    assert [point.confidence for point in curve] == sorted((p.confidence for p in curve), reverse=True)


def test_what_is_not_scored_does_not_count() -> None:
    one = evaluated([["B-X", "O", "?"], ["O"], ["B-Y", "O"]], [["B-X", "O", "O"], ["B-Y"], ["B-Y", "O"]], "iob2")
    found = Chunks(*np.array([[0, 1, 0], [3, 4, 1], [4, 5, 1]]).T)
    sure = Confidences(np.arange(6) / 10, np.array([0.7, 0.8, 0.9]), found, ("X", "Y"), np.array([0.1, 0.2, 0.3]))
    result = calibrations(one, sure, "p")
    assert result["tokens"].confidence.tolist() == [0.0, 0.1, 0.3, 0.4, 0.5]
    assert result["tokens"].right.tolist() == [True, True, False, True, True]
    assert result["sentences"].confidence.tolist() == [0.8, 0.9]
    assert result["sentences"].right.tolist() == [False, True]
    assert result["chunks"].confidence.tolist() == [0.1, 0.2, 0.3]
    assert result["chunks"].right.tolist() == [True, False, True]
    assert calibrations(one, Confidences(None, None, None, (), np.zeros(0)), "p") == {}


@pytest.mark.parametrize(
    "chunks", [[], [[0, 1, 0]], [[0, 2, 0], [3, 4, 0]], [[0, 1, 1], [3, 4, 0]], [[1, 2, 0], [3, 4, 0]]]
)
def test_other_chunks_than_those_whose_probability_is_known_are_an_error(chunks: list[list[int]]) -> None:
    one = evaluated([["B-X", "O", "O", "B-X"]], [["B-X", "O", "O", "B-X"]], "iob2")
    known = Chunks(*np.array(chunks, np.int64).reshape(-1, 3).T)
    sure = Confidences(None, None, known, ("X", "Y"), np.zeros(len(chunks)))
    with pytest.raises(DataError, match=r"^p: read as IOB2, its labels make other chunks"):
        calibrations(one, sure, "p")


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save(tiny(), "iob2.model")
    save(tiny("plain"), "plain.model")
    words = ["".join(word) for word in product("abc", repeat=3)]
    labels = {"a": "B-X", "b": "I-X", "c": "O"}
    Path("gold").write_text("".join("".join(f"{c} {labels[c]}\n" for c in word) + "\n" for word in words))
    return tmp_path


def written(model: Model, path: str, out: str) -> None:
    from sstag.corpus.reading import read_blocks

    tagger = Tagger(model, of_confidence(model), as_json=True)
    blocks = read_blocks(path, model.template.layout(path))
    Path(out).write_bytes(b"".join(tagger.texts(blocks, map, 1)))


def test_a_model_and_the_json_lines_it_writes_are_calibrated_alike(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tiny(), "gold", "p.jsonl")
    asked = ("--calibration", "--format", "json")
    by_file = json.loads(ran("gold", "p.jsonl", *asked).out)["calibration"]
    assert list(by_file) == ["tokens", "chunks", "sentences"]
    assert by_file == json.loads(ran("gold", "--model", "iob2.model", *asked).out)["calibration"]
    monkeypatch.setattr("sstag.model.runs.RUN", 2000)
    again = json.loads(ran("gold", "--model", "iob2.model", *asked, "--threads", "2").out)["calibration"]
    assert again == by_file
    tokens = by_file["tokens"]
    assert tokens["count"] == 81
    assert sum(each["count"] for each in tokens["bins"]) == 81
    assert tokens["least risk area"] <= tokens["risk area"] <= 1
    assert tokens["curve"][-1]["risk"] == pytest.approx(1 - tokens["right"])
    assert tokens["curve"][-1]["confidence"] == pytest.approx(tokens["bins"][0]["low"], abs=0.1)


def test_sure_labels_are_those_of_the_whole_corpus(folder: Path) -> None:
    data = read("gold", tiny().template.layout("gold"))
    labels, sure = sure_labels(tiny(), data, one_by_one)
    assert labels.tolist() == tiny().tagged(tiny().dataset(data), one_by_one).tolist()
    assert sure.chunks is not None
    assert (np.diff(sure.chunks.first) > 0).all()


def test_text_and_markdown_show_it(folder: Path) -> None:
    text, marked = (
        ran("gold", "--model", "iob2.model", "--calibration", "--format", kind).out for kind in ("text", "markdown")
    )
    for word in ("calibration, %", "probability, %", "surest, %", "ECE", "90 to 100"):
        assert word in text
        assert word in marked
    assert "chunks" in text
    plain = ran("gold", "--model", "plain.model", "--label", "word", "--calibration").out
    assert "wrong chunks" not in plain
    assert "wrong tokens" in plain
    assert "calibration" not in ran("gold", "--model", "iob2.model").out


def test_tables_that_do_not_fit_are_narrower_ones_with_all_figures() -> None:
    sure = np.linspace(0.05, 0.95, 20)
    calibrations = {unit: Calibration(sure, sure > 0.4) for unit in ("tokens", "chunks", "sentences")}
    wide = [*calibration_tables(calibrations)]
    narrow = [*calibration_tables(calibrations, lambda table: len(table.head) <= 4)]
    assert [len(table.head) for table in wide] == [8, 10, 7]
    assert [len(table.head) for table in narrow] == [4, 4, 4, 4, 3, 3, 3]
    assert [*zip(narrow[0].head, *narrow[0].rows, strict=True)] == [wide[0].head, *wide[0].rows]
    assert [row[4:7] for row in wide[1].rows] == [row[1:] for row in narrow[2].rows]


@pytest.mark.skipif(not can_draw(), reason="matplotlib is an extra")
def test_plots_are_drawn(folder: Path) -> None:
    assert ran("gold", "--model", "iob2.model", "--calibration", "--plot", "drawn").code == 0
    names = [f"drawn-{name}.{kind}" for name in ("calibration", "risk") for kind in ("png", "svg")]
    assert all(Path(name).stat().st_size > 1000 for name in names)
    Path("gold-risk.png").symlink_to("gold")
    assert ran("gold-risk.png", "--model", "iob2.model", "--calibration", "--plot", "gold").code == 1


LINE = {"word": ["a", "b"], "predicted": ["B-X", "O"], "confidence": 0.5, "token_confidence": [0.5, 1]}
CHUNK = {"first": 0, "stop": 1, "type": "X", "confidence": 0.25}


def test_json_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    lines = [LINE | {"chunks": [CHUNK]}, LINE | {"chunks": []}]
    path.write_text("\n" + "\n\n".join(map(json.dumps, lines)))
    corpus, sure = read_predictions(str(path))
    assert corpus.words("word", 1) == ["a", "b"]
    assert corpus.words("predicted", 0) == ["B-X", "O"]
    assert corpus.lines.tolist() == [2, 2, 4, 4]
    assert sure.sentences is not None
    assert sure.tokens is not None
    assert (sure.sentences.tolist(), sure.tokens.tolist()) == ([0.5, 0.5], [0.5, 1.0] * 2)
    assert sure.chunks is not None
    assert (sure.chunks.stop.tolist(), sure.types, sure.of_chunks.tolist()) == ([1], ("X",), [0.25])
    path.write_text(json.dumps(LINE) + "\n" + json.dumps({"id": ["1"], "form": ["c"], "predicted": ["O"]}))
    corpus, sure = read_predictions(str(path))
    assert corpus.words("word", 1) == ["c"]
    assert (sure.tokens, sure.sentences, sure.chunks) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.jsonl: no sentence in it"),
        ("{", "p.jsonl:1: no JSON: expecting property name"),
        ("[" * 100_000, "p.jsonl:1: no JSON that can be read: too deep"),
        ("[]", "p.jsonl:1: no JSON object"),
        (json.dumps({"predicted": ["a"]}), "words and a list 'predicted' are needed"),
        (json.dumps({"word": ["a"]}), "words and a list 'predicted' are needed"),
        (json.dumps({"word": ["a"], "predicted": [1]}), "words and a list 'predicted' are needed"),
        (json.dumps({"word": ["a"], "predicted": ["X", "Y"]}), "1 words, but 2 labels"),
        (json.dumps(LINE | {"confidence": 1.5}), "'confidence' is no probability"),
        (json.dumps(LINE | {"confidence": float("nan")}), "'confidence' is no probability"),
        (json.dumps(LINE | {"confidence": True}), "'confidence' is no probability"),
        (json.dumps(LINE | {"token_confidence": [0.5]}), "'token_confidence' is no list of 2 probabilities"),
        (json.dumps(LINE | {"token_confidence": None}), "'token_confidence' is no list of 2 probabilities"),
        (json.dumps(LINE | {"chunks": [1]}), "'chunks' must be a list in order"),
        (json.dumps(LINE | {"chunks": [CHUNK | {"stop": 3}]}), "'chunks' must be a list in order"),
        (json.dumps(LINE | {"chunks": [CHUNK | {"first": -1}]}), "'chunks' must be a list in order"),
        (json.dumps(LINE | {"chunks": [CHUNK, CHUNK]}), "'chunks' must be a list in order"),
        (json.dumps(LINE | {"chunks": [CHUNK | {"type": 1}]}), "'chunks' must be a list in order"),
    ],
)
def test_json_lines_that_are_none_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text(text)
    with pytest.raises(DataError) as error:
        read_predictions("p.jsonl")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["gold", "gold", "--calibration"], 2, "--calibration needs --model, or what"),
        (["gold", "--model", "iob2.model", "--plot", "x"], 2, "--plot draws what --calibration finds"),
        (["gold", "p.jsonl", "--predicted", "2"], 2, "--predicted names a column, and JSON lines have one prediction"),
        (["gold", "p.jsonl", "--calibration"], 1, "p.jsonl: says nothing of how sure it is"),
        (["gold", "--model", "iob2.model", "--calibration", "--format", "conlleval"], 2, "has no place in --format"),
        (
            ["gold", "--model", "iob2.model", "--calibration", "--scheme", "ioe1"],
            1,
            "read as IOE1, its labels make other",
        ),
    ],
)
def test_mistakes_are_one_line(folder: Path, arguments: list[str], code: int, message: str) -> None:
    rows = [{"word": list(word), "predicted": ["O"] * 3} for word in product("abc", repeat=3)]
    Path("p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run: Ran = ran(*arguments)
    assert run.code == code
    assert message in run.err
