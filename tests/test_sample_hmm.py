"""`sstag sample hmm`: sequences of known matrices, their true q(x), and the exact Bayes error."""

import subprocess
import sys
from collections import Counter
from functools import partial
from itertools import islice, pairwise, product
from math import log, prod
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sstag.experiments.samples.hmm import (
    Matrices,
    drawn,
    drawn_with_error,
    errors,
    hmm,
    model,
    read,
    sentences,
    written,
)
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.model import model_file
from sstag.selection.density.file import load
from tests.compare import assert_close
from tests.datasets import corpus

SMALL = drawn(np.random.default_rng(3), labels=3, symbols=2, concentration=0.7)


def joint(made: Matrices, x, y) -> float:
    """p(x, y), numbers in place of names."""
    steps = prod(made.steps[a, b] for a, b in pairwise(y))
    return made.begin[y[0]] * steps * prod(made.emissions[label, symbol] for label, symbol in zip(y, x, strict=True))


def everything(made: Matrices, length: int):
    """All sequences, and for each the probability with every labelling."""
    for x in product(range(len(made.symbols)), repeat=length):
        paths = list(product(range(len(made.labels)), repeat=length))
        yield x, paths, np.array([joint(made, x, y) for y in paths])


@pytest.mark.parametrize("length", [1, 2, 4])
def test_its_model_knows_the_true_probability(length, tmp_path):
    every = list(everything(SMALL, length))
    data = corpus([[(SMALL.symbols[v],) for v in x] for x, _, _ in every])
    model_file.save(model(SMALL), str(tmp_path / "m"))
    q = np.exp(load(str(tmp_path / "m")).log_q(data, one_by_one))
    assert_close(q, [p.sum() for _, _, p in every], tolerance=1e-14)
    assert q.sum() == pytest.approx(1)
    tagger = model_file.load(str(tmp_path / "m"))
    best = [tagger.labels[y] for y in tagger.tagged(tagger.dataset(data), one_by_one)]
    assert best == [SMALL.labels[y] for _, paths, p in every for y in paths[int(p.argmax())]]


@pytest.mark.parametrize("length", [1, 3])
def test_errors_are_those_of_an_enumeration(length):
    least = best = 1.0
    for _, paths, p in everything(SMALL, length):
        path = paths[int(p.argmax())]
        for t in range(length):
            shares = Counter[int]()
            for y, each in zip(paths, p, strict=True):
                shares[y[t]] += each
            least -= max(shares.values()) / length
            best -= shares[path[t]] / length
    found = errors(SMALL, length)
    assert_close([found.least, found.of_best_paths], [least, best])
    assert errors(drawn(np.random.default_rng(1)), 8) is None


def test_the_stream_is_drawn_from_the_matrices():
    drawn_ones = list(sentences(SMALL, 2, 20_000, np.random.default_rng(5)))
    names = [(x, y) for x in product(range(2), repeat=2) for y in product(range(3), repeat=2)]
    seen = Counter(tuple(sentence) for sentence in drawn_ones)
    expected, observed = [], []
    for x, y in names:
        expected.append(20_000 * joint(SMALL, x, y))
        observed.append(seen[tuple((SMALL.symbols[v], SMALL.labels[i]) for v, i in zip(x, y, strict=True))])
    large = np.array(expected) > 5
    pooled = [np.append(np.array(each)[large], np.array(each)[~large].sum()) for each in (observed, expected)]
    assert stats.chisquare(*pooled).pvalue > 1e-3
    assert list(islice(sentences(SMALL, 2, 10**9, np.random.default_rng(5)), 1500)) == drawn_ones[:1500]
    assert list(hmm(3, np.random.default_rng(1))) == list(hmm(2000, np.random.default_rng(1)))[:3]
    assert all(len(sentence) == 5 for sentence in hmm(3, np.random.default_rng(1)))


def test_matrices_with_an_error_that_is_asked_for():
    rng = np.random.default_rng(1)
    found = errors(drawn_with_error(partial(drawn, rng), 5, 0.05, 0.07), 5)
    assert 0.05 <= found.of_best_paths <= 0.07
    assert found.least <= found.of_best_paths
    with pytest.raises(ConfigError, match=r"none of 10,000 draws has an error from 90 to 95 %"):
        drawn_with_error(partial(drawn, rng, labels=1, symbols=1), 1, 0.9, 0.95)
    for wrong in (0.0, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match=r"a concentration is a number from 0.01 up"):
            drawn(rng, concentration=wrong)
    with pytest.raises(ConfigError, match="too many sequences to add up their error"):
        drawn_with_error(partial(drawn, rng), 20, 0.05, 0.07)


def test_matrices_come_back_from_their_file(saved):
    back = read(saved(written(SMALL)))
    assert (back.labels, back.symbols) == (SMALL.labels, SMALL.symbols)
    assert all((getattr(back, name) == getattr(SMALL, name)).all() for name in ("begin", "steps", "emissions"))
    odd = Matrices(
        ("it's", "a: b".replace(" ", "")), ("#", "-", "?"), *(np.full(s, 1 / s[-1]) for s in [(2,), (2, 2), (2, 3)])
    )
    back = read(saved(written(odd)))
    assert (back.labels, back.symbols) == (odd.labels, odd.symbols)
    assert_close(np.exp(load_of(back, saved).log_q(corpus([[("?",), ("#",)]]), one_by_one)), [1 / 9])


def load_of(made: Matrices, saved):
    path = saved(b"") + ".model"
    model_file.save(model(made), path)
    return load(path)


GOOD = """labels: [A, B]
symbols: [a, b]
begin: [0.5, 0.5]
steps: [[0.5, 0.5], [0.5, 0.5]]
emissions:
  - [1e-3, 0.999]
  - [0.5, 0.5]
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin", "beginn", ":3: unknown key 'beginn'; did you mean 'begin'?"),
        ("[A, B]", "[A, A]", ":1: 'labels' are different names without blanks"),
        ("[A, B]", "[A, 'B C']", ":1: 'labels' are different names without blanks"),
        ("[0.5, 0.5]\nsteps", "[0.5]\nsteps", ":3: 'begin': a row is a list of 2 numbers"),
        ("[0.5, 0.5]\nsteps", "0.5\nsteps", ":3: 'begin': a row is a list of 2 numbers"),
        ("1e-3", "1e-2", ":6: 'emissions': a row has probabilities above 0 whose sum is 1"),
        ("1e-3, 0.999", "0, 1", ":6: 'emissions': a row has probabilities above 0 whose sum is 1"),
        ("1e-3", "true", ":6: 'emissions': a row is a list of 2 numbers"),
        ("  - [0.5, 0.5]\n", "", ":5: 'emissions' needs a row for each of the 2 labels"),
    ],
)
def test_matrices_that_cannot_be(saved, old, new, message):
    assert read(saved(GOOD.encode())).emissions[0, 0] == 1e-3
    assert old in GOOD
    with pytest.raises(ConfigError) as error:
        read(saved(GOOD.replace(old, new, 1).encode()))
    assert message in str(error.value)


def sample(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "sstag", "sample", *arguments]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True)


def test_the_command_writes_matrices_model_and_sequences(tmp_path):
    run = sample("hmm", "a", "--error", "5", "7", "--test", "50", "--dev", "0", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()[0].split()
    assert 5 <= float(said[-2]) <= 7
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "hmm.model",
        "hmm.yaml",
        "test.txt",
        "train.txt",
        "unlabeled.txt",
    ]
    again = sample("hmm", "b", "--matrices", "a/hmm.yaml", "--test", "50", "--dev", "0", cwd=tmp_path)
    assert again.stdout == run.stdout.replace("a/", "b/")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    first = (tmp_path / "a/test.txt").read_text(encoding="utf-8").split("\n\n")[0]
    made = read(str(tmp_path / "a/hmm.yaml"))
    x = [made.symbols.index(line.split()[0]) for line in first.split("\n")]
    truth = sum(joint(made, x, y) for y in product(range(6), repeat=5))
    line = [sys.executable, "-m", "sstag", "density", "--load", "a/hmm.model", "a/test.txt"]
    told = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert float(told[1].split("\t")[2]) == pytest.approx(log(truth), abs=1e-6)
    assert (
        "a/hmm.yaml: exists already (--force replaces it)"
        in sample("hmm", "a", "--train", "0", "--dev", "1", "--unlabeled", "0", "--test", "0", cwd=tmp_path).stderr
    )
    assert "too many sequences" in sample("hmm", "c", "--length", "20", cwd=tmp_path).stdout
    refused = sample("hmm", "d", "--matrices", "a/hmm.yaml", "--labels", "3", cwd=tmp_path).stderr
    assert "--matrices says it all" in refused
    assert "--labels is for hmm" in sample("ads", "d", "--labels", "3", cwd=tmp_path).stderr
