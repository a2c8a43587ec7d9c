"""Files of word vectors: each format read as it is, only the words that are asked for, and hostile ones refused."""

import gzip

import numpy as np
import pytest

from sstag.features.reading import load_template
from sstag.features.words.vector_files import opened
from sstag.features.words.vector_files.own import WordVectors, save
from sstag.foundation.errors import DataError, ModelError
from sstag.foundation.parallel import one_by_one
from sstag.model import model_file
from sstag.training.inputs import Inputs
from tests.datasets import corpus
from tests.training import trained

WORDS = ("the", "Paris", "été", "x", "1")
NUMBERS = np.array([[1, 2.5, -3e-3], [0, 0, 0], [-1, 1e-3, 7], [2, 2, 2], [0.5, -0.25, 4]], np.float32)
LINES = "".join(f"{w} {' '.join(repr(float(n)) for n in row)}\n" for w, row in zip(WORDS, NUMBERS, strict=True))


def written(folder, name: str) -> str:
    path = folder / name
    match name:
        case "sstag":
            save(WordVectors(WORDS, NUMBERS.astype(np.float64)), str(path))
        case "word2vec":
            path.write_text(f"5 3\n{LINES}", encoding="utf-8")
        case "glove":
            path.write_text(LINES, encoding="utf-8")
        case "gzipped":
            path.write_bytes(gzip.compress(f"5 3\n{LINES}".encode()))
    return str(path)


@pytest.mark.parametrize("name", ["sstag", "word2vec", "glove", "gzipped"])
def test_words_have_their_vectors(name, tmp_path):
    found = opened(written(tmp_path, name))
    places, vectors = found.of(["zebra", "été", "PARIS", "The", "x", "été"])
    assert places.tolist() == [1, 3, 4, 5]  # a word that is not there is taken in lower case: The, but not PARIS
    np.testing.assert_array_equal(vectors, NUMBERS[[2, 0, 3, 2]])
    assert vectors.dtype == np.float32
    assert found.dimensions == 3
    places, vectors = found.of(["1", "zebra"])
    assert (places.tolist(), vectors.tolist()) == ([0], [NUMBERS[4].tolist()])


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
        (b"1 3\nthe 1 2 1e9\n", r"v:2: a number is above 1e\+06"),
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
    with pytest.raises(ModelError, match="another one is "):
        tagged()
    monkeypatch.setenv("SSTAG_VECTORS", str(tmp_path / "elsewhere"))
    assert tagged() == expected
