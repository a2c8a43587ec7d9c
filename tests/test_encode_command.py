"""`sstag encode` and `sstag cache` as a shell runs them, and vectors that other programs made."""

from pathlib import Path

import numpy as np
import pytest

from sstag.corpus.corpus import corpus_of
from sstag.features.encoders.ahead import taken_text, write_vectors
from sstag.features.encoders.settings import Settings
from sstag.features.encoders.token_vectors import opened
from sstag.features.encoders.vector_log import key_of, read_log
from sstag.foundation.errors import DataError
from tests.commands import sstag
from tests.encoder_models import WIDTH, model, safetensors

TEXT = "a O\nbad O\n\ncafe O\n\na O\nbad O\n\n"
TEMPLATE = """columns: [word, label]
encoders:
  mini: {model: mini, layers: [1, 2]}
  done: {vectors: done}
features:
  - word[0]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text, an encoder and a template, and a cache of its own."""
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "x.txt").write_text(TEXT)
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    model(tmp_path / "mini")
    return tmp_path


def test_vectors_are_written_and_kept(here):
    ran = sstag("encode", "x.txt", "--encoder", "mini", "--layers", "2,1", "-o", "x.vectors", cwd=here)
    assert (ran.returncode, ran.stdout) == (0, "")
    first, second = ran.stderr.splitlines()
    log = read_log(str(here / "x.vectors"))
    assert first == f"x.txt: 5 tokens, {WIDTH} dimensions"
    assert second == f"x.vectors: 2 sentences, encoder {log.digest[:12]}…"
    assert log.get(key_of(["cafe"]), 1).shape == (1, WIDTH)
    before = (here / "x.vectors").read_bytes()
    by_template = sstag("encode", "x.txt", "--template", "t.yaml", "--encoder", "mini", "-o", "x.vectors", cwd=here)
    assert by_template.returncode == 0
    assert (here / "x.vectors").read_bytes() == before  # the same encoder, read in the same way
    shown = sstag("cache", cwd=here)
    assert shown.stdout.splitlines()[1].split()[:2] == [log.digest[:12], "2"]
    assert sstag("cache", "--clear", "--digest", log.digest[:12], cwd=here).stdout.endswith(f"{here}/cache/encoded\n")
    assert len(sstag("cache", cwd=here).stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "what makes the vectors?"),
        (["--rows", "r.npy"], "need --name and --output"),
        (["--rows", "r.npy", "--name", "x", "-o", "y", "--layers", "2"], "--rows are read as they are"),
        (["--encoder", "mini", "--name", "x"], "--name is for --rows"),
        (["--encoder", "mini", "--stride", "3"], "a --stride needs a --window"),
        (["--encoder", "mini", "--layers", "a"], "numbers with commas"),
        (["--encoder", "mini", "--template", "t.yaml", "--layers", "1"], "give the options there"),
        (["--encoder", "mini", "--layers", "9"], "mini/model.safetensors: layers: there are 0 (before the first) to 4"),
        (["--encoder", "mimi"], "mimi: there is no such encoder in ."),
        (["--encoder", "mimi", "--template", "t.yaml"], "there is no encoder 'mimi'; did you mean 'mini'?"),
        (["--encoder", "done", "--template", "t.yaml"], "there is nothing to encode"),
        (["--encoder", "mini", "-o", "x.txt"], "is an input"),
        (["--encoder", "mini", "--column", "form"], "form"),
    ],
)
def test_what_cannot_be_done(here, arguments, message):
    ran = sstag("encode", "x.txt", *arguments, cwd=here)
    assert ran.returncode in (1, 2)
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_nothing_is_kept_of_an_unknown_encoder(here):
    ran = sstag("cache", "--clear", "--digest", "abc", cwd=here)
    assert (ran.returncode, "nothing is kept of an encoder abc" in ran.stderr) == (1, True)


# ------------------------------------------------------------------ rows of other programs


@pytest.mark.parametrize("kind", ["npy", "safetensors"])
def test_rows_of_other_programs(here, kind):
    rows = np.arange(10, dtype=np.float32).reshape(5, 2) / 4
    if kind == "npy":
        np.save(here / "r.npy", rows)
    else:
        safetensors(here / "r.safetensors", {"all": rows})
    (here / "done").mkdir()
    ran = sstag("encode", "x.txt", "--rows", f"r.{kind}", "--name", "elmo", "-o", "done/x.vectors", cwd=here)
    assert ran.returncode == 0, ran.stderr
    got = opened(Settings(vectors="done"), str(here)).numbers(corpus_of([["cafe"], ["a", "bad"]], ("word",)))
    np.testing.assert_array_equal(got, rows[[2, 0, 1]])
    with pytest.raises(DataError, match="the vectors of this sentence are not in done"):
        opened(Settings(vectors="done"), str(here)).numbers(corpus_of([["bad", "a"]], ("word",)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((4, 2), np.float32), "4 rows for a text of 5 tokens"),
        (np.zeros(5, np.float32), "is no matrix of float16"),
        (np.zeros((5, 2), np.int64), "is no matrix of float16"),
        (np.array([[0.0], [1.0], [1e9], [0.0], [0.0]]), "row 2, counted from 0, has a number that does not fit"),
        (np.array([[None]] * 5), "is no matrix of float16"),
    ],
)
def test_rows_that_do_not_fit(here, rows, message):
    np.save(here / "r.npy", rows, allow_pickle=True)
    with pytest.raises(DataError, match=message):
        taken_text(corpus_of([["a", "bad", "a", "a", "a"]], ("word",)), None, str(here / "r.npy"), "elmo")


def test_files_of_different_encoders_are_not_mixed(here):
    for name in ("one", "two"):
        np.save(here / "r.npy", np.zeros((1, 2)))
        made = taken_text(corpus_of([["a"]], ("word",)), None, str(here / "r.npy"), name)
        write_vectors(str(here / f"{name}.vectors"), made)
    with pytest.raises(DataError, match=r"two.vectors: its vectors are of another encoder than those of .*one.vectors"):
        opened(Settings(vectors=str(here)), "")
    assert opened(Settings(vectors="one.vectors"), str(here)).dimensions == 2
    (here / "empty").mkdir()
    with pytest.raises(DataError, match="there is no file"):
        opened(Settings(vectors="empty"), str(here))


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("said", "line", "message"),
    [
        ("{}", 3, "an encoder has either a 'model', or 'vectors'"),
        ("{model: a, vectors: b}", 3, "an encoder has either a 'model', or 'vectors'"),
        ("{model: a, layer: 3}", 3, "unknown key 'layer'; did you mean 'layers'?"),
        ("{model: a, layers: [2, 2]}", 3, "'layers' is a list of numbers"),
        ("{model: a, layers: [-1]}", 3, "'layers' is a list of numbers"),
        ("{model: a, layers: []}", 3, "'layers' is a list of numbers"),
        ("{model: a, pieces: all}", 3, "'pieces' is mean or first or last"),
        ("{model: a, window: 0}", 3, "'window' must be a whole number from 1 up"),
        ("{model: a, stride: 4}", 3, "a 'stride' needs a 'window'"),
        ("{model: a, backend: tensorflow}", 3, "there is no back end 'tensorflow'"),
        ("{vectors: a, layers: [1]}", 3, "'layers' says how a model is read; 'vectors' are as they are"),
    ],
)
def test_settings_that_cannot_be(here, said, line, message):
    (here / "t.yaml").write_text(TEMPLATE.replace("{model: mini, layers: [1, 2]}", said))
    ran = sstag("encode", "x.txt", "--template", "t.yaml", "--encoder", "mini", cwd=here)
    assert ran.stderr.startswith(f"t.yaml:{line}: encoders: mini: {message}")
    assert ran.returncode == 1
