"""Labels that may be wrong: exact probabilities of places, planted errors found, and what is opened."""

import json
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import selected
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.selection.suspects import _probabilities, doubtful_tokens, out_of_fold, with_doubted_open
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task, trained
from tests.datasets import corpus
from tests.training import TWO_LOOKS, made_ads

HOW = template("columns: [word, label]\nfeatures: ['word[0]', 'word[-1]']\n", "made.yaml")
RUN = Run()


@given(st.data())
def test_the_probability_of_a_place_is_that_of_all_labellings_with_it(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    lengths = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    offsets, labels = np.cumsum([0, *lengths]), 3
    tokens = int(offsets[-1])
    unary, edge = rng.normal(size=(tokens, labels)), rng.normal(size=(1, labels, labels))
    if data.draw(st.booleans()):
        edge[0, 0, 1] = -np.inf
    lattice = Lattice(Potentials(unary, edge, np.zeros(tokens, np.int32), offsets))
    sets = rng.random((tokens, labels)) < 0.5
    places = []
    for begin, end in pairwise(offsets):
        token = int(begin)
        while token < end:
            last = int(rng.integers(token, end))
            if rng.random() < 0.7:
                places.append((token, last))
            token = last + 1
    found = _probabilities(lattice, np.array(places, np.int64).reshape(-1, 2), sets)
    for (first, last), probability in zip(places, found, strict=True):
        s = int(np.searchsorted(offsets, first, side="right")) - 1
        begin, length = int(offsets[s]), lengths[s]
        total = right = 0.0
        for path in product(range(labels), repeat=length):
            score = sum(unary[begin + t, y] for t, y in enumerate(path))
            score += sum(edge[0, a, b] for a, b in pairwise(path))
            total += np.exp(score)
            right += np.exp(score) * all(sets[t, path[t - begin]] for t in range(first, last + 1))
        assert probability == pytest.approx(right / total, abs=1e-9)


def text(wrong=(), scheme="chunks"):
    """Thirty sentences whose labels follow from the words; those that are named are wrong."""
    names = {"Ann": "B-A", "Lee": "I-A", "Oslo": "B-B", "in": "O", "sat": "O"}
    made = []
    for number in range(30):
        words = ["Ann", "Lee", "sat", "in", "Oslo"][: 5 if number % 2 else 3]
        labels = [names[word] if scheme == "chunks" else names[word][-1] for word in words]
        for sentence, place, label in wrong:
            if sentence == number:
                labels[place] = label
        made.append(list(zip(words, labels, strict=True)))
    return corpus(made, path="train.txt")


def task(labelled, **more):
    return Task(Inputs(HOW, labelled), "partial", completed("partial", {}), **more)


def test_planted_errors_come_first_as_whole_chunks():
    wrong = [(3, 0, "O"), (3, 1, "O"), (7, 4, "B-A"), (8, 1, "B-B")]
    data = text(wrong)
    found = out_of_fold(task(data), 5, RUN)
    starts = data.offsets
    assert sorted(map(tuple, found.places.tolist())) == [
        (starts[3], starts[3] + 1), (starts[7] + 4,) * 2, (starts[8], starts[8] + 1)
    ]  # fmt: skip
    assert (found.of_given < 0.1).all()
    assert (found.of_best > 0.5).all()
    assert (np.diff(found.of_given - found.of_best) >= 0).all()
    tokens = doubtful_tokens(found)
    assert sorted(tokens.tolist()) == sorted(int(starts[s]) + t for s, t, _ in wrong)
    assert (np.diff((found.given - found.best)[tokens]) >= 0).all()


def test_plain_labels_are_doubted_in_runs():
    data = text([(3, 0, "B"), (3, 1, "B"), (7, 4, "A")], scheme="plain")
    found = out_of_fold(task(data), 5, RUN)
    starts = data.offsets
    assert sorted(map(tuple, found.places.tolist())) == [(starts[3], starts[3] + 1), (starts[7] + 4, starts[7] + 4)]


def test_sets_that_have_the_best_label_and_open_labels_are_not_doubted():
    data = text([(3, 0, "B-A|O"), (3, 1, "?"), (5, 4, "O|I-A")])
    found = out_of_fold(task(data), 5, RUN)
    last = int(data.offsets[5]) + 4
    assert found.places.tolist() == [[last - 1, last]]  # a set is held together with its neighbours
    assert found.given[data.offsets[3] + 1] == pytest.approx(1)


def test_what_is_opened():
    data = text([(3, 0, "O"), (3, 1, "O"), (7, 4, "B-A")])
    found = out_of_fold(task(data), 5, RUN)
    starts = data.offsets
    changes = dict(with_doubted_open(found, 0.5))
    assert set(changes[int(starts[3])]) == {"O", "B-A"}
    assert set(changes[int(starts[7]) + 4]) == {"B-A", "B-B"}
    assert len(changes) == 3
    assert with_doubted_open(found, float(found.of_given.min())) == []
    assert {names for _, names in with_doubted_open(found, 1.0)} >= {None}


def test_nothing_depends_on_threads_and_folds_need_sentences():
    data = text([(3, 0, "O")])
    assert out_of_fold(task(data), 3, RUN).of_given.tolist() == out_of_fold(task(data), 3, RUN).of_given.tolist()
    with pytest.raises(ConfigError, match="31 folds of 30 sentences"):
        out_of_fold(task(data), 31, RUN)


def check(tmp_path, *more):
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: ['word[0]', 'word[-1]']\n")
    lines = ["Ann B-A", "Lee I-A", "sat O", ""] * 20
    lines[9] = "Lee O"
    (tmp_path / "train.txt").write_text("# id = 1\n" + "\n".join(lines) + "\n")
    arguments = ["check", "--suspect", tmp_path / "train.txt", "-t", tmp_path / "t.yaml", *more]
    return CliRunner().invoke(sstag, [str(one) for one in arguments])


def test_the_command_ranks_and_opens(tmp_path):
    run = check(tmp_path, "--open-below", "0.4", "-o", tmp_path / "open.txt")
    assert run.exit_code == 0, run.output
    assert "1 place whose label models of the other 4 folds doubt" in run.stdout
    assert run.stdout.splitlines()[-1].split()[1:5] == ["B-A", "O", "B-A", "I-A"]
    before, after = ((tmp_path / name).read_text().splitlines() for name in ("train.txt", "open.txt"))
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [("Lee O", "Lee O|I-A")]
    told = json.loads(check(tmp_path, "--format", "json", "--by", "token").stdout)
    assert (told["line"], told["words"], told["given"], told["suggested"]) == (11, "Lee", "O", "I-A")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--open-below", "0.1"], "--open-below and --output go together"),
        (["--scheme", "iob2"], "--scheme is not for --suspect"),
        (["--method", "nonsense"], "there is no method 'nonsense'"),
    ],
)
def test_what_cannot_be_asked_is_said(tmp_path, options, message):
    run = check(tmp_path, *options)
    assert message in (run.output if run.exit_code == 2 else str(run.exception))
    without = CliRunner().invoke(sstag, ["check", str(tmp_path / "train.txt"), "--folds", "3"])
    assert "--folds is for --suspect" in without.output


def test_the_raw_text_of_two_looks_is_the_text_that_is_doubted():
    """Each fold is counted by a first model that has not learned from it; no feature is left out."""
    warnings: list[str] = []
    corpus = made_ads(24, 5)
    case = Task(Inputs(template(TWO_LOOKS, "two.yaml"), corpus), "crf", completed("crf", {}))
    found = out_of_fold(case, 2, Run(warn=warnings.append))
    assert not warnings
    chosen = np.empty(24, np.int64)
    chosen[np.random.default_rng(case.seed).permutation(24)] = np.arange(24) % 2
    for fold in range(2):
        part = selected(corpus, chosen == fold)
        inputs = replace(case.inputs, labelled=selected(corpus, chosen != fold), unlabelled=part, named=found.labels)
        model = trained(replace(case, inputs=inputs), Run())
        assert model.first
        labels = model.tagged(model.dataset(part), one_by_one).tolist()
        mine = np.flatnonzero(np.repeat(chosen == fold, np.diff(corpus.offsets)))
        assert [found.labels[y] for y in found.found[mine].tolist()] == [model.labels[y] for y in labels]
