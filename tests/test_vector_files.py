"""Files of word vectors: each format read as it is, only the words that are asked for, and hostile ones refused."""

import gzip
import json
import os
import pathlib
from contextlib import nullcontext

import numpy as np
import pytest

from sstag.features.reading import load_template
from sstag.features.words.vector_files import opened
from sstag.features.words.vector_files.fasttext import fnv
from sstag.features.words.vector_files.word_pieces import Cutter
from sstag.foundation.errors import ConfigError, DataError, ModelError, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.model import model_file
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained as run_trained
from tests.commands import sstag
from tests.datasets import corpus
from tests.training import task, trained
from tests.vector_files import FORMS, LINES, NUMBERS, WORDS, fasttext, npy, safetensors, written


@pytest.mark.parametrize("name", FORMS)
def test_words_have_their_vectors(name, tmp_path):
    found = opened(written(tmp_path, name))
    places, vectors = found.of(["zebra", "été", "PARIS", "The", "x", "été"])
    assert places.tolist() == [1, 3, 4, 5]  # a word that is not there is taken in lower case: The, but not PARIS
    np.testing.assert_array_equal(vectors, NUMBERS[[2, 0, 3, 2]])
    assert vectors.dtype == np.float32
    assert found.dimensions == 3
    places, vectors = found.of(["1", "zebra"])
    assert (places.tolist(), vectors.tolist()) == ([0], [NUMBERS[4].tolist()])
    assert opened(written(tmp_path / "again", name)).digest == found.digest
    every = found.every()
    assert set(every.words) == set(WORDS)
    np.testing.assert_array_equal(every.vectors[every.words.index("x")], NUMBERS[3])


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("damage", ["shorter", "other"])
def test_a_damaged_file_is_an_error_or_has_vectors(name, damage, tmp_path):
    """Whatever byte is missing or another one: never another exception, and never a number that is not finite."""
    path = written(tmp_path, name)
    (path,) = [path] if name != "model2vec" else [f"{path}/model.safetensors"]
    whole, rng, refused = pathlib.Path(path).read_bytes(), np.random.default_rng(1), 0
    for _ in range(150):
        data = bytearray(whole)
        if damage == "shorter":
            del data[int(rng.integers(len(data))) :]
        for _ in range(3 if damage == "other" else 0):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
        pathlib.Path(path).write_bytes(data)
        try:
            _, vectors = opened(path if name != "model2vec" else os.path.dirname(path)).of([*WORDS, "zebra"])
            assert np.isfinite(vectors).all()
        except SstagError:
            refused += 1
    assert refused > 5  # of GloVe nothing says how many words there should be


def test_fasttext_makes_vectors_of_ngrams(tmp_path):
    """By hand: `<ab>` has the n-grams `<ab`, `ab>` and `<ab>`; their buckets are hashes that FNV-1a's authors give."""
    assert (fnv(b""), fnv(b"a"), fnv(b"foobar")) == (0x811C9DC5, 0xE40C292C, 0xBF9CF968)
    assert fnv("é".encode()) == ((((2166136261 ^ 0xFFFFFFC3) * 16777619) ^ 0xFFFFFFA9) * 16777619) % 2**32
    numbers = np.random.default_rng(1).normal(size=(2 + 7, 3)).astype(np.float32)
    (tmp_path / "f").write_bytes(fasttext(["ab", "</s>"], numbers, 7))
    places, vectors = opened(str(tmp_path / "f")).of(["ab", "</s>", "éx"])
    grams = [numbers[2 + fnv(gram.encode()) % 7] for gram in ("<ab", "<ab>", "ab>")]
    assert places.tolist() == [0, 1, 2]
    np.testing.assert_allclose(vectors[0], (numbers[0] + sum(grams)) / 4, rtol=1e-6)
    np.testing.assert_array_equal(vectors[1], numbers[1])
    unknown = [numbers[2 + fnv(gram.encode()) % 7] for gram in ("<éx", "<éx>", "éx>")]
    np.testing.assert_allclose(vectors[2], sum(unknown) / 3, rtol=1e-6)
    every = opened(str(tmp_path / "f")).every(["éx", "ab"])
    assert set(every.words) == {"ab", "</s>", "éx"}
    np.testing.assert_array_equal(every.vectors[every.words.index("éx")], vectors[2])


def test_a_model_does_not_keep_all_vectors_of_a_file_that_makes_them_of_any_word(tmp_path):
    """Those of the words in its list would not be all: others would have none when the model tags."""
    (tmp_path / "v").write_bytes(fasttext(["ab"], np.ones((1 + 7, 3), np.float32), 7))
    for how, refused in (("all", True), ("seen", False), ("file", False)):
        (tmp_path / "t.yaml").write_text(f"{TEMPLATE}vectors_kept: {how}\n", encoding="utf-8")
        with pytest.raises(ConfigError, match="makes vectors of any word") if refused else nullcontext():
            load_template(str(tmp_path / "t.yaml"))


@pytest.mark.parametrize(
    ("model", "normalizer", "word", "expected"),
    [
        ({"type": "WordPiece", "vocab": {"un": 0, "##able": 1, "##a": 2, "u": 3}}, None, "unable", [0, 1]),
        ({"type": "WordPiece", "vocab": {"un": 0, "##a": 2}}, None, "unb", []),
        ({"type": "WordPiece", "vocab": {"u": 0, ".": 1, "s": 2}}, {"type": "Lowercase"}, "U.S.", [0, 1, 2, 1]),
        (
            {"type": "WordPiece", "vocab": {"ete": 4}},
            {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
            "Été",
            [4],
        ),
        (
            {"type": "Unigram", "vocab": [["▁a", -1], ["b", -1], ["▁", -3], ["ab", -1.5], ["c", -2]]},
            None,
            "abc",
            [0, 1, 4],
        ),
        ({"type": "Unigram", "vocab": [["▁a", -1]]}, None, "x", []),
    ],
)
def test_words_are_cut_into_pieces(model, normalizer, word, expected, tmp_path):
    (tmp_path / "t").write_text(json.dumps({"model": model, "normalizer": normalizer}), encoding="utf-8")
    assert Cutter(str(tmp_path / "t")).cut(word) == expected


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "v.npy",
            b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
            "is no matrix of float16",
        ),
        ("v.npy", npy(np.zeros((2, 2))), "has 5 words for 2 rows"),
        ("v.npy", npy(np.zeros(5)), "is no matrix of float16"),
        ("v.npy", npy(np.zeros((5, 2), np.int64)), "is no matrix of float16"),
        ("v.npy", npy(np.full((5, 2), np.inf)), "not finite"),
        ("v.safetensors", safetensors(a=np.zeros((5, 2)), b=np.zeros((5, 2))), "has 2 matrices"),
        ("v.bin", b"3 2\n\x00\x01", "the file is not whole"),
        ("v.bin", b"3 99999\n\x00\x01", "vectors have 1 to 4096 numbers"),
        ("v.bin", b"999999999 2\nthe " + bytes(8) + b"x" * 5000, "no b' ' in 4,096 bytes where one should be"),
        ("v.bin", fasttext(["the"], np.zeros((9, 2)), 7), "its matrix is quantised or of another size"),
        ("v.bin", fasttext(["the"], np.zeros((8, 2)), 7, 9, 2), "n-grams have 9 to 2 letters"),
        ("v.bin", gzip.compress(fasttext(["the"], np.zeros((8, 2)), 7), mtime=0), "unpack it first"),
    ],
)
def test_what_cannot_be_is_refused(name, data, message, tmp_path):
    (tmp_path / "v.txt").write_text("\n".join(WORDS), encoding="utf-8")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=message):
        opened(str(tmp_path / name)).of(["the", "x"])


def test_a_matrix_without_its_words_says_so(tmp_path):
    np.save(tmp_path / "v.npy", NUMBERS)
    with pytest.raises(DataError, match=r"v\.npy: has no list of words beside it, such as .*v\.txt"):
        opened(str(tmp_path / "v.npy")).of(["the"])


def test_a_word_of_glove_may_have_blanks(tmp_path):
    (tmp_path / "v").write_text(f". . . 1 2 3\n{LINES}", encoding="utf-8")
    places, vectors = opened(str(tmp_path / "v")).of(["x", ". . .", "."])
    assert (places.tolist(), vectors[1].tolist()) == ([0, 1], [1, 2, 3])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a file of word vectors that is known here"),
        (b"only words\n", "not a file of word vectors"),
        (b"5 3\nthe 1 2 3\n", "5 words should be here, and 1 are: the file is not whole"),
        (b"1 3\nthe 1 2\n", r"v:2: a word and 3 numbers should stand here"),
        (b"1 3\nthe 1 2 nan\n", "v:2: 'nan' is no number"),
        (b"1 3\nthe 1 2 1_0\n", "v:2: '1_0' is no number"),
        (b"1 3\nthe 1 2 1e9\n", r"v: a vector has a number that is not finite, or above 1e\+06"),
        (b"1 99999\nthe 1 2\n", "vectors have 1 to 4096 numbers, not 99999"),
        (b"the 1 2\nx 1 2\n" + b"y " * 300_000, "v:3: longer than"),
    ],
)
def test_text_that_is_none_is_refused(data, message, tmp_path):
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(DataError, match=message):
        opened(str(tmp_path / "v")).of(["the"])


TEMPLATE = "columns: [word, label]\nfeatures: ['vector(word[-1..1], v)', 'word[0]']\n"
TEXT = [[("the", "X"), ("Paris", "Y"), ("x", "X")], [("1", "Y"), ("x", "X"), ("the", "X")]]


def test_a_model_finds_the_file_that_it_was_trained_with(tmp_path, monkeypatch):
    """Beside the model, or in a folder that the environment names; another file of this name is none."""
    written(tmp_path, "glove")
    (tmp_path / "glove").rename(tmp_path / "v")
    (tmp_path / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    model = trained(Inputs(load_template(str(tmp_path / "t.yaml")), corpus(TEXT)))
    model_file.save(model, str(tmp_path / "m"))
    text = corpus([[("été",), ("the",), ("Paris",)]], ("word",))
    expected = model.tagged(model.dataset(text), one_by_one).tobytes()

    def tagged():
        loaded = model_file.load(str(tmp_path / "m"))
        assert loaded.theta.tobytes() == model.theta.tobytes()
        return loaded.tagged(loaded.dataset(text), one_by_one).tobytes()

    assert tagged() == expected
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "v").rename(tmp_path / "elsewhere/v")
    with pytest.raises(ModelError, match=r"m: needs the vectors of v \(SHA-256 [0-9a-f]{12}…\), which is not found"):
        tagged()
    (tmp_path / "v").write_text("the 1 2 3\n", encoding="utf-8")
    with pytest.raises(ModelError, match="v is another one"):
        tagged()
    (tmp_path / "v").write_text("no vectors at all", encoding="utf-8")
    with pytest.raises(ModelError, match=r"needs the vectors of v .*: .*v: "):
        tagged()
    (tmp_path / "v").unlink()
    (tmp_path / "v").mkdir()
    with pytest.raises(ModelError, match=r"needs the vectors of v .*: .*v/model\.safetensors: no such file"):
        tagged()
    monkeypatch.setenv("SSTAG_VECTORS", str(tmp_path / "elsewhere"))
    assert tagged() == expected


@pytest.mark.parametrize("how", ["all", "seen"])
def test_a_model_keeps_vectors_if_that_is_asked_for(how, tmp_path):
    """Those of all words, or of those that it saw: others then have zeros, whatever files there are."""
    written(tmp_path, "glove")
    (tmp_path / "glove").rename(tmp_path / "v")
    (tmp_path / "t.yaml").write_text(f"{TEMPLATE}vectors_kept: {how}\nscale: 0.5\n", encoding="utf-8")
    text = corpus([[("été",), ("the",), ("PARIS",)]], ("word",))
    model = run_trained(task(Inputs(load_template(str(tmp_path / "t.yaml")), corpus(TEXT))), Run())
    model_file.save(model, str(tmp_path / "m"))
    (tmp_path / "v").unlink()
    loaded = model_file.load(str(tmp_path / "m"))
    assert {one.scale for one in loaded.template.dense} == {0.5}
    numbers = loaded.dataset(text).dense[1]
    np.testing.assert_array_equal(numbers.numbers, NUMBERS[[2, 0] if how == "all" else [0]])
    assert numbers.rows.tolist() == ([0, 1, -1] if how == "all" else [-1, 0, -1])
    first = (tmp_path / "m").read_bytes()
    model_file.save(loaded, str(tmp_path / "m"))
    assert (tmp_path / "m").read_bytes() == first


def test_scales_and_keeping_are_for_numbers(tmp_path):
    for line in ("scale: 0.5", "vectors_kept: all", "scale: 0", "scale: true", "vectors_kept: some"):
        (tmp_path / "t.yaml").write_text(f"columns: [word, label]\nfeatures: ['word[0]']\n{line}\n", encoding="utf-8")
        with pytest.raises(ConfigError, match=r"t.yaml:3: "):
            load_template(str(tmp_path / "t.yaml"))


def test_the_commands_show_numbers(tmp_path):
    """Which tokens have any; which dimensions and words count for a label; and that words need their file."""
    written(tmp_path, "glove")
    (tmp_path / "glove").rename(tmp_path / "v")
    (tmp_path / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "text").write_text("the X\nParis Y\nzebra X\n\n1 Y\nx X\n\n", encoding="utf-8")
    shown = sstag("features", "-t", "t.yaml", "text", cwd=tmp_path).stdout
    assert (
        "zebra  [X]\n    word[0]=zebra\n    vector(word[-1], v): 3 numbers\n    vector(word[0], v): no vector\n"
        in shown
    )
    sstag("train", "-t", "t.yaml", "--train", "text", "-m", "m", cwd=tmp_path)
    model = model_file.load(str(tmp_path / "m"))
    par = model.weight_map
    theta = par.dense_parts(par.parts(model.theta)["dense"])[1]
    scores = (NUMBERS.astype(float) - par.dense[1].mean) * par.dense[1].factor @ theta
    found = json.loads(sstag("inspect", "--format", "json", "-n", "2", "m", cwd=tmp_path).stdout)["dense"]["strongest"]
    (own,) = [one for one in found if (one["feature"], one["label"]) == ("vector(word[0], v)", "Y")]
    best = np.argsort(-scores[:, 1], kind="stable")[:2].tolist()
    assert own["words"] == pytest.approx({WORDS[row]: scores[row, 1] for row in best})
    largest = np.argsort(-np.abs(theta[:, 1]), kind="stable")[:2].tolist()
    assert own["dimensions"] == pytest.approx({str(d): theta[d, 1] for d in largest})
    (tmp_path / "v").unlink()
    text = sstag("inspect", "-n", "2", "m", cwd=tmp_path).stdout
    assert "vector(word[0], v) → Y\n  dimensions " in text
    assert "no words of vectors: m: needs the vectors of v " in text
