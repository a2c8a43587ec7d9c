"""Weights of sentences: their scales, and that every method counts a sentence as often as its weight says."""

import json
import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import sstag
from sstag.corpus.corpus import corpus_of, selected, together
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.inspect import command as inspect_command
from sstag.interfaces.cli.train import command
from sstag.model import model_file
from sstag.selection.density.file import density_of_text, save
from sstag.selection.density.weighing import weighed, weights_in
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
from sstag.training.run import trained as run_trained
from sstag.training.sentence_weights import SentenceWeights, effective_size, of_numbers, of_probabilities
from tests.compare import assert_close
from tests.datasets import corpus, unlabelled
from tests.systems import posix
from tests.training import ads_template, made_ads, partly, raw, task, toy, trained, weights_by_name

ABAB = ["abab", "abc", "b", "b"]
NUMBERS = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=8)


def twice(whole, chosen):
    """A corpus in which some sentences stand a second time, at the end."""
    return together(whole, selected(whole, chosen))


def test_weights_are_probabilities_over_how_often_a_sentence_stands():
    data, density = unlabelled(ABAB), density_of_text([unlabelled(ABAB)], order=2)
    q = np.exp(density.log_q(data, one_by_one)) / [1, 1, 2, 2]
    assert_close(weighed(density, data, one_by_one, "natural").omega, 4 * q)
    assert_close(weighed(density, data, one_by_one).omega, q / q.mean())
    assert_close(weighed(density, data, one_by_one, "mean1", 0.5).omega, np.sqrt(q) / np.sqrt(q).mean())
    assert_close(weighed(density, data, one_by_one, "natural", 0.5).omega, np.sqrt(4 * q))
    # Without covariate shift, where what is drawn is what is likely, the natural weights are 1 (S11 eq. 8).
    assert_close(
        weighed(density_of_text([data], kind="empirical"), data, one_by_one, "natural").omega,
        np.full(4, 1.0) / [1, 1, 1, 1],
    )


@given(numbers=NUMBERS, exponent=st.floats(0, 2))
def test_numbers_keep_their_proportions(numbers, exponent):
    natural = of_numbers(np.array(numbers), "natural", exponent).omega
    assert_close(natural / np.array(numbers) ** exponent, np.ones(len(numbers)))
    mean1 = of_numbers(np.array(numbers), "mean1", exponent).omega
    assert mean1.mean() == pytest.approx(1)
    assert_close(mean1 / natural, np.full(len(numbers), 1 / natural.mean()), magnitude=1 / natural.mean())


def test_tiny_probabilities_have_weights():
    found = of_probabilities(np.array([-5000.0, -5001.0, -np.inf]), np.array([1, 1, 1]), "mean1", 1.0).omega
    assert_close(found, np.array([1, np.exp(-1), 0]) * 3 / (1 + np.exp(-1)))
    assert of_probabilities(np.array([-5000.0, -np.inf]), np.array([1, 1]), "mean1", 0.0).omega.tolist() == [2, 0]
    with pytest.raises(DataError, match="every sentence has the weight 0"):
        of_probabilities(np.full(2, -np.inf), np.ones(2, int), "mean1", 1.0)
    with pytest.raises(DataError, match="weights beyond what numbers can say: choose the scale mean1"):
        of_probabilities(np.full(2, -5000.0), np.ones(2, int), "natural", 1.0)


def test_effective_size():
    assert effective_size(np.ones(7)) == pytest.approx(7)
    assert effective_size(np.array([5.0, 0, 0])) == 1
    assert effective_size(np.array([1.0, 3.0])) == pytest.approx(16 / 10)
    assert effective_size(np.array([1e300, 1e300])) == pytest.approx(2)
    assert SentenceWeights(np.ones(7)).warning is None
    little = "the weights add up to 7e-09 of 7 sentences (the scale mean1 keeps their sum)"
    assert SentenceWeights(np.full(7, 1e-9)).warning == little
    assert SentenceWeights(np.array([1.0] + [0.0] * 3)).warning is None
    assert (
        SentenceWeights(np.array([10.0] + [0.0] * 9)).warning
        == "the weights leave 1.0 of 10 sentences (an exponent below 1 evens them)"
    )


OTHERS = (
    "hmm", "constraint-driven", "posterior-hmm",  # the text tells which words occur once
    "prototype",  # what is climbed is the same, but from noise each last digit leads elsewhere
)  # fmt: skip


@pytest.mark.parametrize("method", [name for name in METHODS if name not in OTHERS])
def test_weight_two_is_the_sentence_twice(method):
    base, whole = toy(method, 6), made_ads(6, 1)
    double = np.arange(whole.sentences) % 3 == 0
    longer = twice(whole, double)
    longer = replace(longer, weights=np.ones(longer.sentences)) if METHODS[method].weights else longer
    choices = {"tolerance": 1e-10} | ({"rounds": 0} if method == "self-training" else {})
    if method == "label-regularization":
        choices["errors"] = 0  # how far its shares may be wrong depends on the number of sentences that were drawn

    def weights(labelled):
        return weights_by_name(trained(replace(base, labelled=labelled), method=method, **choices))

    theirs, even = weights(longer), weights(replace(whole, weights=np.ones(whole.sentences)))
    ours = weights(replace(whole, weights=1.0 + double))
    assert ours == pytest.approx(theirs, abs=1e-3)
    assert max(abs(even[name] - ours[name]) for name in ours) > 0.1


def test_an_hmm_counts_a_sentence_as_often_as_it_weighs():
    how = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
    data = corpus([[("a", "X"), ("b", "Y")], [("a", "X"), ("a", "X")], [("b", "Y"), ("b", "X")]])
    doubled = twice(data, np.array([True, False, True]))
    heavy = trained(Inputs(how, replace(data, weights=np.array([2.0, 1.0, 2.0]))), method="hmm")
    assert weights_by_name(heavy) == pytest.approx(weights_by_name(trained(Inputs(how, doubled), method="hmm")))
    assert heavy.about["reason"] == "counts 6 tokens and 3 steps"


@pytest.mark.parametrize("method", [name for name in METHODS if not METHODS[name].unlabelled])
def test_a_sentence_of_weight_zero_has_no_say(method):
    base, zz = toy(method, 12), corpus([[("zz",)] * 4])

    def labels(label, omega):
        both = together(replace(base.labelled, weights=None), corpus([[("zz", label)] * 4]))
        model = trained(replace(base, labelled=replace(both, weights=np.array([1.0] * 12 + [omega]))), method=method)
        return [model.labels[y] for y in model.tagged(model.dataset(zz), one_by_one)]

    assert labels("rent", 0.0) == labels("size", 0.0)
    assert labels("rent", 1.0) == ["rent"] * 4
    assert labels("size", 1.0) == ["size"] * 4


def test_equal_weights_change_no_bit():
    data = partly(10, 1)
    plain = trained(Inputs(ads_template(), data), method="partial")
    for method in ("partial", "weighted"):
        even = trained(Inputs(ads_template(), replace(data, weights=np.ones(10))), method=method)
        assert even.theta.tobytes() == plain.theta.tobytes()


def test_weights_go_where_their_sentences_go():
    data = replace(made_ads(4, 1), weights=np.array([1.0, 2.0, 3.0, 4.0]))
    assert data.part(slice(1, 3)).weights.tolist() == [2, 3]
    assert selected(data, np.array([True, False, False, True])).weights.tolist() == [1, 4]
    assert together(data, raw(2, 1)).weights.tolist() == [1, 2, 3, 4, 1, 1]
    assert together(raw(2, 1), raw(1, 1)).weights is None


def test_weighted_needs_weights():
    with pytest.raises(ConfigError, match=r"^weighted needs sentence_weights"):
        trained(Inputs(ads_template(), made_ads(5, 1)), method="weighted")
    given = task(Inputs(ads_template(), made_ads(5, 1)), "weighted", weights=SentenceWeights(np.ones(4)))
    with pytest.raises(ConfigError, match=r"^4 weights for 5 labelled sentences$"):
        run_trained(given, Run())


def test_a_model_says_that_its_sentences_had_weights(tmp_path):
    warnings = []
    model = sstag.train(ads_template(), made_ads(10, 1), sentence_weights=[1e-9] * 9 + [1.0], warn=warnings.append)
    assert warnings == ["the weights leave 1.0 of 10 sentences (an exponent below 1 evens them)"]
    assert model.about["sentence weights"]["effective sentences"] == pytest.approx(1)
    assert (model.about["sentence weights"]["scale"], model.about["sentence weights"]["exponent"]) == ("mean1", 1.0)
    (tmp_path / "w").write_text("# comment\n" + "0.5\n2e0\n" * 5, encoding="utf-8")
    one, other = (
        sstag.train(ads_template(), made_ads(10, 1), sentence_weights=given, weight_exponent=2.0, method="weighted")
        for given in ([0.5, 2.0] * 5, tmp_path / "w")
    )
    assert one.about == other.about
    assert one.theta.tobytes() == other.theta.tobytes()
    with pytest.raises(ConfigError, match="weights are numbers from 0 up"):
        sstag.train(ads_template(), made_ads(2, 1), sentence_weights=[1.0, -1.0])
    with pytest.raises(ConfigError, match="there is no scale of weights 'mean'; did you mean 'mean1'"):
        sstag.train(ads_template(), made_ads(2, 1), sentence_weights=[1.0, 1.0], weight_scale="mean")
    with pytest.raises(ConfigError, match="the exponent of weights must be a number from 0 up"):
        sstag.train(ads_template(), made_ads(2, 1), sentence_weights=[1.0, 1.0], weight_exponent=-1.0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1\n2\n", ": 2 weights for 3 sentences (a number a line is needed for each)"),
        ("1\nx\n1\n", ":2: 'x' is no weight: a number from 0 up"),
        ("1\n-1\n1\n", ":2: '-1' is no weight"),
        ("1\nnan\n1\n", ":2: 'nan' is no weight"),
        ("1\n1\n1\t2\n", ":3: '1 2' is no weight"),
        ("0\n0\n0\n", "every sentence has the weight 0"),
    ],
)
def test_files_of_weights_that_are_none(saved, lines, message):
    with pytest.raises(DataError) as error:
        weights_in(saved(lines.encode()), unlabelled("abc"), one_by_one)
    assert message in str(error.value)


def test_the_command_takes_a_density_and_repeats_itself(tmp_path):
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1]]\n", encoding="utf-8")
    (tmp_path / "train.txt").write_text("a X\nb Y\n\nb Y\na X\nc X\n\nb Y\n\n", encoding="utf-8")
    data = corpus_of([["a", "b"], ["b", "a", "c"], ["b"]], ("word",))
    save(density_of_text([data]), str(tmp_path / "d"))

    def train(*more, model="m"):
        base = ["--template", "t.yaml", "--train", "train.txt", "--model", model]
        words = [
            str(tmp_path / word) if word in ("t.yaml", "train.txt", model, "d", "r.json") else word
            for word in base + list(more)
        ]
        return CliRunner().invoke(command, words)

    run = train(
        "--sentence-weights",
        "d",
        "--weight-scale",
        "natural",
        "--weight-exponent",
        "0.5",
        "--method",
        "weighted",
        "--report",
        "r.json",
    )
    assert run.exit_code == 0, run.output
    assert "sentence weights: as if of 1.7 sentences\n" in run.output or "sentence weights: as if of 2." in run.output
    about = model_file.load(str(tmp_path / "m")).about
    expected = weighed(density_of_text([data]), data, one_by_one, "natural", 0.5)
    assert about["sentence weights"] == {**expected.origin, "effective sentences": expected.effective}
    assert "weighted, sentence weights" in CliRunner().invoke(inspect_command, [str(tmp_path / "m")]).output
    report = json.loads((tmp_path / "r.json").read_bytes())["run"] | {"model": str(tmp_path / "n")}
    assert (report["weight_scale"], report["weight_exponent"]) == ("natural", 0.5)
    (tmp_path / "again.yaml").write_text(
        json.dumps({k: v for k, v in report.items() if k != "report"}), encoding="utf-8"
    )
    assert CliRunner().invoke(command, ["--config", str(tmp_path / "again.yaml")]).exit_code == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    assert "a scale or exponent of weights needs --sentence-weights" in train("--weight-scale", "natural").output
    run = CliRunner().invoke(
        command,
        [
            "--template",
            str(tmp_path / "t.yaml"),
            "--model",
            str(tmp_path / "o"),
            "--labeled-features",
            "f",
            "--unlabeled",
            "u",
            "--sentence-weights",
            "d",
        ],
    )
    assert "--sentence-weights are those of labelled sentences: --train" in run.output
    (tmp_path / "bad.yaml").write_text("weight_exponent: x\n", encoding="utf-8")
    run = CliRunner().invoke(command, ["--config", str(tmp_path / "bad.yaml")])
    assert "'weight_exponent' must be a number from 0 up" in str(run.exception)


@posix
def test_weights_may_come_through_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("1\n3\n"))
    writer.start()
    assert weights_in(str(tmp_path / "pipe"), unlabelled("ab"), one_by_one).omega.tolist() == [0.5, 1.5]
    writer.join()
