"""Explanations: they add up to the scores, the second label is the second, and what is enough is enough."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.chain.lattice import Lattice
from sstag.features.reading import template
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.model.batches import in_batches
from sstag.model.explanation import _Lines, explained
from sstag.model.legality import legality
from sstag.model.weight_map import DataMap, Weights
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task, trained
from tests.datasets import corpus
from tests.dense import DENSE, dense_template
from tests.training import made_ads

TEXT = corpus(
    [
        [("Ann", "1", "B-A"), ("Lee", "2", "I-A"), ("sat", "0.5", "O"), ("in", "1", "O"), ("Oslo", "3", "B-B")],
        [("Oslo", "1", "B-B"), ("sat", "1", "O")],
        [("Lee", "1", "B-A"), ("in", "1", "O"), ("Ann", "1", "B-A")],
    ],
    ("word", "number", "label"),
)
FEATURES = "[word[0], word[-1], 'shape(word[0])', 'word[0] | value(number)']"


def model(edges="[labels, begin, end]"):
    how = template(f"columns: [word, number, label]\nfeatures: {FEATURES}\nedges: {edges}\n", "made.yaml")
    return trained(Task(Inputs(how, TEXT), "crf", completed("crf", {"l2": 0.1})), Run())


@pytest.fixture(scope="module", params=["[labels, begin, end]", "[labels, begin, end, 'word[0]']"])
def tagger(request):
    return model(request.param)


def scores_of(tagger, sentence):
    data = tagger.dataset(TEXT.part(slice(sentence, sentence + 1)))
    (batch,) = in_batches(data, len(tagger.labels))
    return data, Weights(DataMap(tagger.weight_map, data, once=True), tagger.theta, one_by_one).potentials(batch)


@pytest.mark.parametrize("sentence", range(3))
def test_the_lines_of_a_token_are_its_scores(tagger, sentence):
    data, scores = scores_of(tagger, sentence)
    own = _Lines(tagger, TEXT.part(slice(sentence, sentence + 1)), data)
    for token, row in enumerate(scores.unary):
        assert sum(row for _, row, _ in own.table(token)) == pytest.approx(row)


def test_features_of_numbers_are_a_line_each_and_biases_are_one():
    text = made_ads(6, 1)
    tagger = trained(Task(Inputs(dense_template(DENSE), text), "crf", completed("crf", {"max_iterations": 5})), Run())
    tagger = replace(tagger, biases=np.linspace(-1, 1, len(tagger.labels)))
    part = text.part(slice(2, 3))
    data = tagger.dataset(part)
    (batch,) = in_batches(data, len(tagger.labels))
    unary = Weights(DataMap(tagger.weight_map, data, once=True), tagger.theta, one_by_one).potentials(batch).unary
    own = _Lines(tagger, part, data)
    names = [feature.name for feature in tagger.template.dense]
    for token, row in enumerate(unary):
        table = own.table(token)
        assert sum(line for _, line, _ in table) == pytest.approx(row + tagger.biases, abs=1e-6)
        assert {text for text, *_ in table if text in names} <= set(names)
    assert any(text in names for text, *_ in own.table(0))
    labels = tagger.tagged(data, one_by_one)
    assert [one.label for one in explained(tagger, text, 2)] == [tagger.labels[y] for y in labels]


@pytest.mark.parametrize("sentence", range(3))
def test_the_margin_is_that_of_all_labellings_and_the_parts_add_up(tagger, sentence):
    _, scores = scores_of(tagger, sentence)
    lattice = Lattice(scores)
    paths = list(product(range(len(tagger.labels)), repeat=len(scores.unary)))
    totals = np.concatenate([lattice.path_scores(np.array(path, np.int32)) for path in paths])
    best = paths[int(totals.argmax())]
    for one in explained(tagger, TEXT, sentence):
        others = [score for path, score in zip(paths, totals, strict=True) if path[one.token] != best[one.token]]
        assert one.label == tagger.labels[best[one.token]]
        assert one.margin == pytest.approx(totals.max() - max(others))
        parts = [*one.reasons, *one.steps]
        assert sum(part.first - part.second for part in parts) + one.elsewhere == pytest.approx(one.margin)


def test_without_what_is_enough_the_label_is_another(tagger):
    found = [one for sentence in range(3) for one in explained(tagger, TEXT, sentence)]
    assert any(one.enough for one in found)
    for sentence in range(3):
        data, scores = scores_of(tagger, sentence)
        own = _Lines(tagger, TEXT.part(slice(sentence, sentence + 1)), data)
        for one in explained(tagger, TEXT, sentence):
            unary = scores.unary.copy()
            for text, row, _ in own.table(one.token):
                if one.enough is None or text in one.enough:
                    unary[one.token] -= row if one.enough or row.argmax() == tagger.labels.index(one.label) else 0
            label = tagger.labels[Lattice(scores.with_values(unary, scores.edge)).viterbi()[0][one.token]]
            if one.enough:
                assert label == one.instead != one.label


def test_legal_labellings_only(tagger):
    for one in explained(tagger, TEXT, 0, legality(tagger)):
        assert np.isfinite(one.margin)


def test_the_command(tmp_path):
    (tmp_path / "train.txt").write_text("Ann A\nsat O\n\nBob <b>\nsat O\n\n" * 3)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    (tmp_path / "raw.txt").write_text("Ann\nsat\n\nBob\n")

    def run(*arguments):
        done = CliRunner().invoke(sstag, list(map(str, arguments)))
        assert done.exit_code == 0, done.output
        return done.stdout

    run("train", "-t", tmp_path / "t.yaml", "--train", tmp_path / "train.txt", "-m", tmp_path / "m")
    ask = ["explain", "-m", tmp_path / "m", tmp_path / "raw.txt"]
    assert run(*ask).splitlines()[1].split()[:3] == ["1", "Ann", "A"]
    text = run(*ask, "--sentence", 2, "--token", 1)
    assert text.startswith("'Bob' is <b> (0.")
    assert "Without word[0]=Bob it would be" in text
    told = json.loads(run(*ask, "--sentence", 2, "--format", "json"))
    assert [one["token"] for one in told["tokens"]] == [*range(1, len(told["tokens"]) + 1)]
    assert "word[0]=Bob" in {reason["text"] for reason in told["tokens"][0]["reasons"]}
    page = run(*ask, "--sentence", 2, "--format", "html")
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    wrong = CliRunner().invoke(sstag, [*map(str, ask), "--token", "9"])
    assert "there is no token 9: sentence 1 has 2" in str(wrong.exception)
