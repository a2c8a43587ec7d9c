"""q(x): n-grams by hand and by enumeration, HMMs by enumeration, empirical shares; and densities as files."""

import subprocess
import sys
from collections import Counter
from hashlib import blake2b
from itertools import pairwise, product
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.fingerprints import fingerprints
from sstag.corpus.layout import Layout
from sstag.features.reading import template
from sstag.foundation.archive import write_archive
from sstag.foundation.errors import ConfigError, DataError, ModelError
from sstag.foundation.parallel import one_by_one
from sstag.model import model_file
from sstag.selection.density.file import density_of_text, load, save, streamed, table
from sstag.selection.density.hidden import Hidden
from sstag.training.inputs import Inputs
from tests.compare import assert_close
from tests.corpora import WORDS, sentences
from tests.datasets import corpus, unlabelled
from tests.systems import posix
from tests.textbook_hmm import LABELS, TINY, Textbook
from tests.training import trained

ABAB = [list("abab"), list("abc"), list("b")]
COLUMNS = ("word", "pos")


class ByHand:
    """Counts of all n-grams in a dictionary, and the formula as it is written."""

    def __init__(self, sentences, order, smoothing):
        self.order, self.smoothing = order, smoothing
        self.values = {word for sentence in sentences for word in sentence}
        self.times = Counter(
            tuple(sentence[t - n : t + 1])
            for sentence in sentences
            for t in range(len(sentence))
            for n in range(min(order, t + 1))
        )

    def p(self, word, history):
        lower = self.p(word, history[1:]) if history else 1 / (len(self.values) + 1)
        after = {gram: times for gram, times in self.times.items() if gram[:-1] == tuple(history)}
        whole, share = sum(after.values()), self.smoothing * len(after)
        return (after.get((*history, word), 0) + share * lower) / (whole + share) if whole else lower

    def q(self, sentence):
        result = 1.0
        for t, word in enumerate(sentence):
            result *= self.p(word, sentence[max(0, t - self.order + 1) : t])
        return result


def test_bigrams_of_a_small_text_by_hand():
    density = density_of_text([unlabelled(ABAB)], order=2, smoothing=0)
    # a, b and c stand 3, 4 and 1 times of 8; b follows a always; after b come a and c, once each.
    q = np.exp(
        density.log_q(unlabelled([list("ab"), list("bc"), list("abab"), list("c"), list("aa"), ["z"]]), one_by_one)
    )
    assert_close(q, [3 / 8, 4 / 8 * 1 / 2, 3 / 8 * 1 * 1 / 2 * 1, 1 / 8, 0, 0])
    smooth = density_of_text([unlabelled(ABAB)], order=2, smoothing=1)
    # p(c) = (1 + 3/4)/(8 + 3), p(c|b) = (1 + 2 p(c))/(2 + 2); z is the unknown value; nothing follows c.
    p = {"a": (3 + 3 / 4) / 11, "b": (4 + 3 / 4) / 11, "c": (1 + 3 / 4) / 11, "z": (3 / 4) / 11}
    found = np.exp(smooth.log_q(unlabelled([list("bc"), list("cz"), list("az")]), one_by_one))
    assert_close(found, [p["b"] * (1 + 2 * p["c"]) / 4, p["c"] * p["z"], p["a"] * (0 + p["z"]) / 4])


@pytest.mark.parametrize("smoothing", [0.0, 0.3, 1.0, 10.0])
@given(
    given_text=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=6),
    asked=st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=4),
    order=st.integers(1, 5),
)
def test_any_order_is_the_formula(smoothing, given_text, asked, order):
    density = density_of_text([unlabelled(given_text)], order=order, smoothing=smoothing)
    hand = ByHand(given_text, order, smoothing)
    assert_close(
        np.exp(density.log_q(unlabelled(asked), one_by_one)), [hand.q(sentence) for sentence in asked], tolerance=1e-12
    )


@pytest.mark.parametrize("smoothing", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_sequences_of_a_length_have_probability_one(order, smoothing):
    density = density_of_text([unlabelled(ABAB)], order=order, smoothing=smoothing)
    for length in (1, 2, 3, 4):
        every = [list(words) for words in product("abc?", repeat=length)]
        assert np.exp(density.log_q(unlabelled(every), one_by_one)).sum() == pytest.approx(1, abs=1e-12)


def test_columns_multiply():
    data = corpus([[("a", "x"), ("b", "y")], [("a", "y")]], COLUMNS)
    both = density_of_text([data], order=2)
    each = [density_of_text([data], [name], order=2) for name in COLUMNS]
    assert both.columns == COLUMNS
    assert_close(both.log_q(data, one_by_one), sum(one.log_q(data, one_by_one) for one in each))
    assert density_of_text([data], label="pos").columns == ("word",)


@given(
    data=sentences(words=WORDS),
    cuts=st.lists(st.integers(0, 5), max_size=4),
    kind=st.sampled_from(["ngram", "empirical"]),
)
def test_pieces_change_nothing(data, cuts, kind, tmp_path_factory):
    whole = corpus([[(word, pos) for word, pos, *_ in sentence] for sentence in data], COLUMNS)
    bounds = sorted({0, whole.sentences, *(min(cut, whole.sentences) for cut in cuts)})
    pieces = [whole.part(slice(begin, end)) for begin, end in pairwise(bounds)]
    folder = tmp_path_factory.mktemp("density")
    for name, corpora in (("whole", [whole]), ("pieces", pieces)):
        save(density_of_text(corpora, kind=kind), str(folder / name))
    assert (folder / "whole").read_bytes() == (folder / "pieces").read_bytes()
    loaded = load(str(folder / "whole"))
    found = loaded.log_q(whole, one_by_one)
    assert (found == density_of_text([whole], kind=kind).log_q(whole, one_by_one)).all()
    assert (found == np.concatenate([loaded.log_q(piece, one_by_one) for piece in pieces])).all()


def test_empirical_is_the_share_of_sentences():
    density = density_of_text([unlabelled(["ab", "ab", "ba", "a"])], kind="empirical")
    found = np.exp(density.log_q(unlabelled(["ab", "ba", "a", "b", "abb"]), one_by_one))
    assert_close(found, [1 / 2, 1 / 4, 1 / 4, 0, 0])


@given(
    data=st.lists(
        st.lists(st.tuples(*[st.sampled_from(["a", "b", "ab", "c"])] * 2), min_size=1, max_size=4), min_size=1
    )
)
def test_fingerprints_are_equal_where_sentences_are(data):
    found = fingerprints(corpus(data, COLUMNS), COLUMNS)
    assert (found[:, None] == found[None, :]).tolist() == [[one == other for other in data] for one in data]
    alone = [fingerprints(corpus([sentence], COLUMNS), COLUMNS)[0] for sentence in data]
    assert found.tolist() == alone


@pytest.mark.parametrize("sentence", [[("a", "c")], [("a", "b"), ("ab", "c"), ("é", "")], [("b", "a")] * 7])
def test_fingerprints_are_what_density_files_have(sentence):
    """The formula in whole numbers: files keep fingerprints, so another version of sstag must make the same ones."""
    factor, total = 0x9E3779B97F4A7C15, len(sentence)
    for number in range(2):
        salt = number.to_bytes(2, "little")
        hashes = [blake2b(token[number].encode(), digest_size=8, salt=salt).digest() for token in sentence]
        terms = [int.from_bytes(one, "little") * factor ** (place + 1) for place, one in enumerate(hashes)]
        total = (total * factor + sum(terms)) % 2**64
        total ^= total >> 29
    (found,) = fingerprints(corpus([sentence], COLUMNS), COLUMNS)
    assert int(found) % 2**64 == total


def test_an_hmm_is_the_sum_over_all_labellings(tmp_path):
    how = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
    model = trained(Inputs(how, corpus(TINY)), method="hmm")
    every = [words for length in (1, 2, 3) for words in product("abz", repeat=length)]
    truth = [
        sum(Textbook(TINY).joint(words, labels) for labels in product(LABELS, repeat=len(words))) for words in every
    ]
    assert_close(np.exp(Hidden(model).log_q(unlabelled(every), one_by_one)), truth, tolerance=1e-14)
    model_file.save(model, str(tmp_path / "m"))
    assert (
        load(str(tmp_path / "m")).log_q(unlabelled(every), one_by_one)
        == Hidden(model).log_q(unlabelled(every), one_by_one)
    ).all()
    crf = trained(Inputs(how, corpus(TINY)))
    model_file.save(crf, str(tmp_path / "crf"))
    with pytest.raises(ModelError, match=r"crf: a model of crf has no q\(x\): it takes an HMM$"):
        load(str(tmp_path / "crf"))


def test_a_damaged_density_is_an_error(tmp_path):
    path = str(tmp_path / "d")
    arrays = {
        "values_0": np.frombuffer(b"ab", np.uint8),
        "values_0_lengths": np.array([1, 1], np.int32),
        "sizes_0": np.array([2, 1]),
        "keys_0": np.array([0, 1, 1]),
        "counts_0": np.array([3, 2, 1]),
    }
    document = {"format": "sstag density", "version": 1, "kind": "ngram", "columns": ["word"], "smoothing": 1.0}
    write_archive(path, document, arrays, str)
    assert_close(np.exp(load(path).log_q(unlabelled(["a"]), one_by_one)), [(3 + 2 / 3) / 7])
    wrong_arrays = [
        {"sizes_0": np.array([1, 2])},
        {"sizes_0": np.array([2, 2])},
        {"sizes_0": np.array([2**62, 2**62, 3 - 2**63])},
        {"sizes_0": np.zeros(0, np.int64)},
        {"keys_0": np.array([0, 1, 2**31 * 2])},
        {"keys_0": np.array([0, 1, 2])},
        {"keys_0": np.array([0, 1, -1])},
        {"keys_0": np.array([1, 0, 1])},
        {"counts_0": np.array([3, 2, 0])},
        {"counts_0": np.array([3, 2])},
        {"values_0": np.frombuffer(b"aa", np.uint8)},
        {"values_0": np.frombuffer(b"a\xff", np.uint8)},
        {"values_0_lengths": np.array([3, -1], np.int32)},
    ]
    wrong_documents = [{"smoothing": -1.0}, {"smoothing": 1}, {"columns": []}, {"columns": ["a", "a"]}, {"kind": "x"}]
    for change in wrong_arrays:
        write_archive(path, document, arrays | change, str)
        with pytest.raises(ModelError, match="damaged: "):
            load(path)
    for change in wrong_documents:
        write_archive(path, document | change, arrays, str)
        with pytest.raises(ModelError, match="damaged: "):
            load(path)
    for change in ({"format": "else"}, {"version": 2}):
        write_archive(path, document | change, arrays, str)
        with pytest.raises(ModelError, match=r"not a density or an HMM|this sstag reads format 1"):
            load(path)
    for change in ({"times": np.array([0, 1])}, {"sentences": np.array([2, 1])}, {"times": np.array([1])}):
        counts = {"sentences": np.arange(2), "times": np.ones(2, int)} | change
        write_archive(path, document | {"kind": "empirical"}, counts, str)
        with pytest.raises(ModelError, match="its counts do not fit together"):
            load(path)


def test_what_cannot_be_counted(tmp_path):
    with pytest.raises(ConfigError, match="there is no density 'trigram'"):
        density_of_text([unlabelled(ABAB)], kind="trigram")
    with pytest.raises(ConfigError, match="there is no column to count"):
        density_of_text([unlabelled(ABAB)], label="word")
    with pytest.raises(ConfigError, match="a column stands twice"):
        density_of_text([unlabelled(ABAB)], ["word", "word"])
    with pytest.raises(DataError, match="there is no column 'wrod'; did you mean 'word'"):
        density_of_text([unlabelled(ABAB)], ["wrod"])
    (tmp_path / "empty").write_text("\n\n")
    with pytest.raises(DataError, match="no sentence in it"):
        list(streamed(str(tmp_path / "empty"), Layout()))


def test_lines_have_the_number_of_the_sentence():
    data = unlabelled(["ab", "c"])
    assert table(7, data, np.array([-3.0, -np.inf])) == b"8\t2\t-3.000000\t-1.500000\n9\t1\t-inf\t-inf\n"


def density(*arguments: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "sstag", "density", *arguments]
    return subprocess.run(line, cwd=cwd, input=stdin, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text("a X\nb Y\n\na X\n\n", encoding="utf-8")
    (tmp_path / "raw.txt").write_text("a\nc\n\nb\n\n", encoding="utf-8")
    return tmp_path


def test_the_command_counts_keeps_and_tells(folder):
    run = density("raw.txt", "--order", "2", "--smoothing", "0", cwd=folder)
    assert run.returncode == 0, run.stderr
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert rows[0] == ["# sentence", "tokens", "log q", "per token"]
    assert [row[:2] for row in rows[1:]] == [["1", "2"], ["2", "1"]]
    assert_close([float(row[2]) for row in rows[1:]], [log(1 / 3), log(1 / 3)], tolerance=1e-6)
    assert_close([float(row[3]) for row in rows[1:]], [log(1 / 3) / 2, log(1 / 3)], tolerance=1e-6)
    run = density("--text", "train.txt", "--text", "raw.txt", "--save", "both.density", cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    run = density("--load", "both.density", "-", cwd=folder, stdin="a\n")
    words = [list("ab"), list("a"), list("ac"), list("b")]
    assert float(run.stdout.split("\t")[-2]) == pytest.approx(log(ByHand(words, 3, 1.0).q(["a"])), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which file? FILE, or --text and --save"),
        (["--load", "d", "--order", "2", "raw.txt"], "--order is for what is counted: not together with --load"),
        (["--load", "d", "--save", "e", "raw.txt"], "--save is for what is counted: not together with --load"),
        (["--kind", "empirical", "--order", "2", "raw.txt"], "--order and --smoothing are for n-grams"),
        (["-"], "a stream can be read only once: --text another file"),
        pytest.param(["/dev/stdin"], "a stream can be read only once: --text another file", marks=posix),
        (["--smoothing", "inf", "raw.txt"], "inf is not a finite number"),
        (["--of", "wrod", "raw.txt"], "raw.txt: there is no column 'wrod'; did you mean 'word'?"),
        (["--load", "raw.txt", "raw.txt"], "raw.txt: not a density or an HMM"),
        (["--save", "raw.txt", "raw.txt"], "raw.txt: is an input, and would be overwritten"),
        (["--text", "train.txt", "--save", "none/d"], "none: there is no such folder, or no right to write in it"),
    ],
)
def test_mistakes_are_one_line(folder, arguments, message):
    run = density(*arguments, cwd=folder)
    assert run.returncode in (1, 2)
    assert message in run.stderr.splitlines()[-1]
