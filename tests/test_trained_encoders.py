"""Encoders whose last blocks are trained: slopes by differences, models that keep the weights, and what is refused."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sstag.corpus.corpus import corpus_of
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.learning import LearningVectors
from sstag.features.encoders.settings import Reading, Settings
from sstag.features.encoders.trained_weights import TrainedWeights, trained_weights
from sstag.features.reading import load_template
from sstag.foundation.archive import Archive, write_archive
from sstag.foundation.errors import ConfigError, DataError, ModelError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces import python as sstag
from sstag.model.model_file import load, save
from sstag.model.weight_map import weight_map
from sstag.training.climb import Climb
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run, with_labels_read
from sstag.training.methods.completion import completed
from sstag.training.run import OF_ENCODER as ABOUT
from sstag.training.run import Task
from sstag.training.run import trained as trained_task
from sstag.training.trained_encoder import as_it_is
from sstag.training.vector_slopes import VectorSlopes, with_tables
from tests.commands import sstag as run
from tests.encoder_models import model

WORDS = ("a", "bad", "cafe", "b", "h", "ed", "dc", "gg", "fab")
TEMPLATE = """columns: [word, label]
encoders:
  mini: {model: mini, layers: [1, 3], train: 2}
features:
  - lower(word[0])
  - encoded(mini[-1..1])
"""


def sentences(count: int, seed: int) -> list[list[tuple[str, str]]]:
    """Words, some of which are labelled by the word before them: the encoder alone sees that at a distance."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        words = [WORDS[i] for i in rng.integers(0, len(WORDS), rng.integers(2, 8))]
        hot = [i > 1 and words[i - 2] in ("a", "gg") for i in range(len(words))]
        found.append([(word, "Y" if is_hot else "X") for word, is_hot in zip(words, hot, strict=True)])
    return found


def written(path: Path, text: list[list[tuple[str, str]]]) -> None:
    path.write_text("\n\n".join("\n".join(map(" ".join, one)) for one in text) + "\n")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an encoder, a template and texts, and a cache of its own."""
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SSTAG_ENCODERS", raising=False)
    monkeypatch.chdir(tmp_path)
    model(tmp_path / "mini")
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    for name, count in (("train", 30), ("dev", 40), ("raw", 20)):
        written(tmp_path / f"{name}.txt", sentences(count, len(name)))
    return tmp_path


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("pieces", ["mean", "first", "last"])
def test_slopes_of_weights_are_those_of_differences(tmp_path, kind, pieces):
    how = Reading(layers=(1, 3), pieces=pieces, window=6, stride=4)
    encoder = found(Settings(str(model(tmp_path / "m", kind)), reading=how), ("",))
    blocks = encoder.loaded.blocks(2)
    text = corpus_of([["bad", "cafe", "aed"], ["h"] * 9, ["a"]], ("word",))
    learning = LearningVectors(text, "word", encoder.loaded, how, blocks)
    rng = np.random.default_rng(1)
    way = learning.way([1, 0])
    d = rng.normal(size=way.vectors.shape).astype(np.float32)

    def value() -> float:
        """Σ d · vectors, without rounding them to half precision."""
        total, token = 0.0, 0
        windows = [window for sentence in (1, 0) for window in learning._windows[sentence]]
        states, _ = blocks.up(blocks.below([one.pieces for one in windows]), [one.pieces for one in windows])
        begin = 0
        for window in windows:
            for first, last in zip(window.bounds, window.bounds[1:], strict=False):
                own = states[begin + first : begin + last].astype(np.float64)
                chosen = {"mean": own.mean(axis=0), "first": own[0], "last": own[-1]}[pieces]
                total, token = total + float(chosen @ d[token]), token + 1
            begin += len(window.pieces)
        return total

    slopes = learning.slopes(way, d)
    assert len(slopes) == len(blocks.arrays) == 24
    for array, slope in zip(blocks.arrays, slopes, strict=True):
        along = rng.normal(size=array.shape).astype(np.float32)
        before, step = array.copy(), np.float32(2e-3)
        array += step * along
        up = value()
        array[:] = before - step * along
        down = value()
        array[:] = before
        want = float((slope.astype(np.float64) * along).sum())
        scale = float(np.linalg.norm(slope) * np.linalg.norm(along))
        assert abs((up - down) / (2 * float(step)) - want) < 0.01 * scale + 1e-3


@pytest.mark.parametrize(
    ("method", "given", "raw"),
    [
        ("crf", {}, False),
        ("partial", {}, False),
        ("maxent", {}, False),
        ("entropy", {"gamma": 0.5}, True),
        ("label-regularization", {"expectations": "shares.tsv"}, True),
    ],
)
def test_slopes_in_vectors_are_those_of_differences(here, method, given, raw):
    text = sentences(6, 3)
    if method == "partial":
        text = [[(word, label if i % 2 else "{X,Y}") for i, (word, label) in enumerate(one)] for one in text]
        text += sentences(3, 4)
    (here / "shares.tsv").write_text("*\tX:0.3 Y:0.7\n")
    how = as_it_is(load_template("t.yaml"))
    read = [corpus_of([[row[0] for row in one] for one in sentences(5, 8)], ("word",))] if raw else [None]
    labelled = corpus_of(text, ("word", "label"))
    climbs: list[Climb] = []
    inputs = with_labels_read(Inputs(how, labelled, read[0]))
    trained_task(Task(inputs, method, completed(method, given)), Run(ended=climbs.append))
    climb = climbs[-1]
    made = climb.compiled
    datas = [data for data in (made.labelled, made.unlabelled) if data]
    numbers = [data.dense[0].numbers for data in datas]
    tables = [np.round(one.astype(np.float32) * 32) / 32 for one in numbers]
    tables = [one.astype(np.float16) for one in tables]
    parts = [with_tables(part, {id(a): b for a, b in zip(numbers, tables, strict=True)}) for part in climb.parts]
    objectives = VectorSlopes(weight_map(made), parts, tables)
    theta = climb.theta + np.random.default_rng(5).normal(0, 0.5, climb.theta.shape)
    objectives.take(theta, one_by_one)
    slopes = [np.zeros(table.shape) for table in tables]
    for chunk in objectives.chunks(4):
        for number, (rows, d) in objectives.at(chunk)[1].items():
            slopes[number][rows] += d
    assert all(np.abs(slope).max() > 0 for slope in slopes)

    def value() -> float:
        return Criterion(weight_map(made), parts, 1.0, one_by_one)(theta)[0]

    rng, step = np.random.default_rng(1), 1 / 32
    for number, table in enumerate(tables):
        for _ in range(6):
            row, column = rng.integers(len(table)), rng.integers(table.shape[1])
            before = table[row, column]
            table[row, column] = before + step
            up = value()
            table[row, column] = before - step
            down = value()
            table[row, column] = before
            want = slopes[number][row, column]
            assert (up - down) / (2 * step) == pytest.approx(want, rel=0.02, abs=2e-4)


def test_training_of_blocks_finds_what_the_encoder_does_not_tell(here):
    sstag_model = sstag.train("t.yaml", "train.txt")
    (here / "f.yaml").write_text(TEMPLATE.replace(", train: 2", ""))
    frozen = sstag.train("f.yaml", "train.txt")
    assert sstag_model.about["objective"] > frozen.about["objective"]
    about = sstag_model.about[ABOUT]
    assert (about["encoder"], about["blocks"]) == ("mini", 2)
    assert about["program"] == f"NumPy {np.__version__}"
    assert about["threads"] >= 1
    assert about["processor"]


def test_a_model_keeps_its_weights_and_finds_the_encoder_again(here, monkeypatch):
    made = sstag.train("t.yaml", "train.txt")
    text = [["a", "cafe", "bad"], ["h", "gg", "a", "b"]]
    save(made, "m")
    first = Path("m").read_bytes()
    shutil.rmtree("cache")
    save(sstag.train("t.yaml", "train.txt"), "again")
    assert Path("again").read_bytes() == first
    again = load("m")
    vectors = [one.template.encoders["mini"] for one in (made, again)]
    assert vectors[0].digest == vectors[1].digest != vectors[0].base == vectors[1].base
    corpus = corpus_of(text, ("word",))
    want, kept, plain = (
        encoded(corpus, "word", one, None)
        for one in (*(one.encoder for one in vectors), load_template("t.yaml").encoders["mini"].encoder)
    )
    np.testing.assert_array_equal(kept, want)
    assert not np.array_equal(plain, want)
    assert sstag.tag(again, text) == sstag.tag(made, text)
    assert f"NumPy {np.__version__}" in run("inspect", "m").stdout
    save(again, "third")
    assert Path("third").read_bytes() == first


def test_development_data_keep_the_better(here):
    made = sstag.train("t.yaml", "train.txt", dev="dev.txt")
    about = made.about[ABOUT]
    better = about["trained"] > about["as it is"]
    assert about["kept"] == ("trained" if better else "as it is")
    assert (made.template.encoders["mini"].trained is not None) == better
    assert made.about["development score"] == pytest.approx(max(about["trained"], about["as it is"]))
    save(made, "m")
    assert (load("m").template.encoders["mini"].trained is not None) == better
    out = run("train", "-t", "t.yaml", "--train", "train.txt", "--dev", "dev.txt", "-m", "own").stdout
    assert f"kept {about['kept']}" in out


def test_folds_compare_both_ways(here):
    out = run("train", "-t", "t.yaml", "--train", "train.txt", "--folds", "2", "-m", "own").stdout
    assert "2-fold cross-validation" in out
    tried = [line.split("  ")[0].strip() for line in out.splitlines()[2:4]]
    assert tried == ["as it is", "trained"]
    (here / "c.yaml").write_text("train: train.txt\ntemplate: t.yaml\nmodel: own\nfolds: 2\n")
    assert run("train", "--config", "c.yaml").stdout == out
    (here / "f.yaml").write_text(TEMPLATE.replace(", train: 2", ""))
    failed = run("train", "-t", "f.yaml", "--train", "train.txt", "--folds", "2", "-m", "own")
    assert failed.returncode
    assert "a template that trains blocks of an encoder" in failed.stderr


def test_stages_share_trained_blocks(here):
    (here / "two.yaml").write_text(TEMPLATE.replace("features:", "features:\n  - predicted(lower(word[0]))"))
    made = sstag.train("two.yaml", "train.txt", unlabeled="raw.txt")
    stages = [one.template.encoders["mini"] for one in (made, made.first)]
    assert stages[0].trained is not None
    assert stages[0].digest == stages[1].digest
    assert made.about[ABOUT] == made.first.about[ABOUT]
    save(made, "m")
    assert sstag.tag(load("m"), [["a", "b", "bad"]]) == sstag.tag(made, [["a", "b", "bad"]])


def test_an_interruption_keeps_the_encoder_as_it_is(here):
    how = load_template("t.yaml")
    corpus = corpus_of(sentences(20, 2), ("word", "label"))
    inputs = with_labels_read(Inputs(how, corpus))
    told, warned = [], []
    at = Run(tell=told.append, warn=warned.append, stop=lambda: bool(told) and told[-1].phase.startswith("mini"))
    stopped = trained_task(Task(inputs, "crf", completed("crf", {})), at)
    assert told[-1].phase == "mini, pass 1 of 10"
    assert warned == ["interrupted while blocks were trained: this is the model of the encoder as it is"]
    plain = replace(inputs, template=as_it_is(how))
    whole = trained_task(Task(plain, "crf", completed("crf", {})), Run())
    np.testing.assert_array_equal(stopped.theta, whole.theta)
    assert stopped.template.encoders["mini"].trained is None


def mutated(path: str, content: np.ndarray) -> str:
    """A model whose trained weights are other bytes, with a checksum that is right."""
    archive = Archive(path, "a model")
    arrays = {name.removesuffix(".npy"): None for name in archive._entries}
    kinds = {name: _read(archive, name) for name in arrays}
    kinds["trained_0"] = content
    write_archive("mutated", archive.document, kinds, lambda path: None)
    return "mutated"


def _read(archive: Archive, name: str) -> np.ndarray:
    import io

    return np.load(io.BytesIO(archive._entries[f"{name}.npy"].tobytes()), allow_pickle=False)


def test_weights_that_cannot_be_are_refused(here):
    made = sstag.train("t.yaml", "train.txt")
    save(made, "m")
    content = made.template.encoders["mini"].trained
    named = TrainedWeights(content).changed
    head = int.from_bytes(content[:8].tobytes(), "little")
    said = json.loads(content[8 : 8 + head].tobytes())
    wide = content.copy()
    wide[8 + head : 8 + head + 2] = np.array([np.inf], np.float16).view(np.uint8)
    kinds = content.tobytes().replace(b'"F16"', b'"I16"')
    names = content.tobytes().replace(b'"encoder.layer.1', b'"encoder/layer.1')
    for bad in (
        content[:-1],
        content[:20],
        content[:0],
        wide,
        np.frombuffer(kinds, np.uint8),
        np.frombuffer(names, np.uint8),
        np.full(100, 255, np.uint8),
    ):
        with pytest.raises(ModelError, match="damaged"):
            load(mutated("m", bad))
    assert len(said) == 32
    shutil.rmtree("cache")
    name, array = next((name, array) for name, array in named.items() if array.ndim == 2)
    for others in ({name: array[:, :-1]}, {"encoder.layer.1.other.weight": array}):
        wrong = load(mutated("m", trained_weights({**named, **others}).content))
        with pytest.raises(DataError, match="was trained"):
            sstag.tag(wrong, [["a", "b"]])


def test_what_cannot_go_with_it_says_so(here):
    def failure(text: str, *more: str) -> str:
        (here / "x.yaml").write_text(text)
        done = run("train", "-t", "x.yaml", "--train", "train.txt", "-m", "x", *more)
        assert done.returncode == 1
        assert not (here / "x").exists()
        return done.stderr

    assert "backend: numpy" in failure(TEMPLATE.replace("train: 2", "train: 2, backend: onnx"))
    assert "2 blocks can be trained, not 3" in failure(TEMPLATE.replace("1, 3], train: 2", "1, 2], train: 3"))
    assert "name its 'model'" in failure(TEMPLATE.replace("model: mini, layers: [1, 3]", "vectors: mini"))
    assert "without a checkpoint" in failure(TEMPLATE, "--checkpoint", "so-far")
    assert "HMM" in failure(TEMPLATE, "--method", "hmm")
    assert "epochs" in failure(TEMPLATE, "--set", "epochs=2")
    run("train", "-t", "t.yaml", "--train", "train.txt", "-m", "m")
    assert "leave init out" in failure(TEMPLATE, "--init", "m")
    two = TEMPLATE.replace("features:", "  other: {model: mini, train: 1}\nfeatures:\n  - encoded(other[0])")
    assert "one encoder of a template is trained" in failure(two)
    raw = ("--unlabeled", "raw.txt", "--method", "entropy", "--on-disk", str(here))
    assert "whole in memory" in failure(TEMPLATE, *raw)
    with pytest.raises(ConfigError, match="without a checkpoint"):
        sstag.train("t.yaml", "train.txt", checkpoint="so-far")
    assert not os.path.exists("so-far")


def test_an_encoder_in_onnx_alone_trains_nothing(here):
    (here / "mini" / "model.safetensors").rename(here / "mini" / "model.onnx")
    with pytest.raises(ConfigError, match=r"no model.safetensors for the back end numpy"):
        load_template("t.yaml")
