"""Known shares of labels without training: biases, what they are worth, and how a model keeps them."""

import json
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.chain.lattice import Lattice
from sstag.foundation.errors import DataError, NotReadAgain, SstagError
from sstag.foundation.parallel import one_by_one, shards
from sstag.interfaces.cli import sstag
from sstag.knowledge.known_shares import KnownShares, read_shares
from sstag.knowledge.label_costs import read_costs
from sstag.model.model import Model
from sstag.model.model_file import load, save
from sstag.training.inputs import Inputs, Run
from sstag.training.share_matching import Matched, matched
from sstag.training.shares_found import SharesFound
from tests import oracle
from tests.compare import assert_close
from tests.datasets import unlabelled
from tests.training import ads_template, made_ads, raw, trained

QUIET = (one_by_one, lambda step, away: None)


@pytest.fixture(scope="module")
def tagger() -> Model:
    return trained(Inputs(ads_template(), made_ads(8, 1)))


def shares_of(model, text):
    answers = model.asked(model.dataset(text), one_by_one, lambda batch, lattice: lattice.nodes.sum(axis=0))
    return np.sum(answers, axis=0) / text.tokens


def test_the_expected_shares_are_those_that_are_known(tagger):
    text = raw(20, 4)
    known = KnownShares("known", "", {label: (place + 1) / 100 for place, label in enumerate(tagger.labels[:4])})
    found = matched(tagger, text, known, *QUIET)
    np.testing.assert_allclose(found.before, shares_of(tagger, text), atol=1e-12)
    np.testing.assert_allclose(found.after, shares_of(found.model, text), atol=1e-12)
    np.testing.assert_allclose(found.after[:4], [0.01, 0.02, 0.03, 0.04], atol=2e-4)
    assert not found.model.biases[4:].any()
    assert np.isnan(found.wanted[4:]).all()


def test_biases_are_scores_of_every_token(tagger):
    """By enumeration: each labelling has its own score and a bias for each of its labels."""
    biases = np.linspace(-1.0, 1.0, len(tagger.labels))
    text = unlabelled([["Call", "now"], ["rent"]])
    (scores,) = tagger.asked(tagger.dataset(text), one_by_one, lambda batch, lattice: lattice.potentials)
    (moved,) = replace(tagger, biases=biases).asked(
        tagger.dataset(text), one_by_one, lambda batch, lattice: (lattice.log_z, lattice.marginals())
    )
    truth = oracle.sentences(scores.with_values(scores.unary + biases, scores.edge))
    assert_close(moved[0], oracle.log_z(truth))
    assert_close(moved[1], oracle.marginals(scores, truth))
    assert Lattice(scores).log_z[0] != pytest.approx(moved[0][0])


def test_the_biases_are_the_nearest_distribution(tagger):
    """A text already has its own shares: they need no bias; and what is matched twice moves no further."""
    text = raw(10, 4)
    own = dict(zip(tagger.labels, shares_of(tagger, text).tolist(), strict=True))
    np.testing.assert_allclose(matched(tagger, text, KnownShares("own", "", own), *QUIET).model.biases, 0.0, atol=1e-2)
    wanted = KnownShares("known", "", {tagger.labels[0]: 0.3})
    once = matched(tagger, text, wanted, *QUIET).model
    np.testing.assert_allclose(matched(once, text, wanted, *QUIET).model.biases, once.biases, atol=1e-2)


def test_where_no_label_has_most_tokens_shares_that_are_found_already_are_warned_of(tagger):
    """Biases pay up to 0.95 of the tokens that should not have the label which is found most."""
    text = raw(20, 4)
    found = shares_of(tagger, text)
    top = int(found.argmax())
    assert found[top] < 0.5
    just_above, just_below = ((1 - (1 - found[top]) / ratio) / found[top] for ratio in (0.955, 0.945))
    for part, warned in ((1.0, True), (0.99, True), (just_above, True), (just_below, False), (0.8, False)):
        wanted = found * (1 - part * found[top]) / (1 - found[top])  # other labels are more
        wanted[top] = part * found[top]
        known = dict(zip(tagger.labels, wanted.tolist(), strict=True))
        beside = matched(tagger, text, KnownShares("", "", known), *QUIET)
        assert beside.beside.ratio == pytest.approx((1 - found[top]) / (1 - part * found[top]), rel=1e-6)
        assert (beside.beside.ratio > 0.95) == warned == (beside.warning is not None)
    few = replace(beside, before=wanted)
    assert f"not '{tagger.labels[top]}' without it" in few.warning
    assert "(1.00 of it; up to about 0.95 it pays where no label has most tokens), unless these shares" in few.warning


def test_the_warning_for_names_stands_above_six_of_ten():
    names = Matched(SimpleNamespace(labels=("O", "B-X")), np.array([0.95, 0.05]), *[np.array([0.9, 0.1])] * 2)
    assert names.warning is None
    assert "(0.70 of it; up to about 0.6 it pays)" in replace(names, before=np.array([0.93, 0.07])).warning


def test_a_model_keeps_its_biases(tagger, tmp_path):
    path = str(tmp_path / "a.model")
    save(replace(tagger, biases=np.arange(len(tagger.labels)) / 2), path)
    np.testing.assert_array_equal(load(path).biases, np.arange(len(tagger.labels)) / 2)
    with pytest.raises(NotReadAgain, match="the biases of its labels cannot be"):
        save(replace(tagger, biases=np.array([np.inf] * len(tagger.labels))), path)
    save(tagger, path)
    assert load(path).biases is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rent 0.1\n", "1: a line is a label, a tab and its share"),
        ("rnet\t0.1\n", "1: the model has no label 'rnet'; did you mean 'rent'"),
        ("rent\t0.1\nrent\t0.2\n", "2: the label 'rent' stands here twice"),
        ("rent\tmuch\n", "1: the share 'much' of rent is not between 0 and 1"),
        ("rent\t0\n", "1: the share '0' of rent is not between 0 and 1"),
        ("*\trent:0.8 size:0.4\n", "the shares add up to 1.2, not to 1"),
    ],
)
def test_errors_of_a_list(tagger, tmp_path, text, message):
    (tmp_path / "shares.tsv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_shares(str(tmp_path / "shares.tsv"), tagger.labels)


def test_both_ways_to_write_a_list(tmp_path):
    (tmp_path / "a.tsv").write_text("# known\nA\t0.25\nB\t0.75\n")
    (tmp_path / "b.tsv").write_text("*\tA:0.25 B:0.75\n")
    one, other = (read_shares(str(tmp_path / name), ("A", "B")).shares for name in ("a.tsv", "b.tsv"))
    assert one == other == {"A": 0.25, "B": 0.75}


def test_from_the_command_line(tagger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tagger, "a.model")
    text = raw(20, 4)
    words = text.values[0]
    lines = ["\n".join(words[c] for c in text.codes[0][a:b]) for a, b in pairwise(text.offsets.tolist())]
    (tmp_path / "raw.txt").write_text("\n\n".join(lines) + "\n")
    (tmp_path / "shares.tsv").write_text("rent\t0.4\n")
    command = ["tag", "-m", "a.model", "raw.txt", "--match-shares", "shares.tsv", "--write-model", "b.model"]
    said = CliRunner().invoke(sstag, [*command, "-o", "out.txt"])
    assert said.exit_code == 0, said.output
    assert "known, %" in said.output
    assert "of the tokens that should not be '" in said.stderr
    assert "40.00" in said.output
    assert CliRunner().invoke(sstag, ["tag", "-m", "b.model", "raw.txt", "-o", "again.txt"]).exit_code == 0
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "out.txt").read_bytes()
    assert "biases" in CliRunner().invoke(sstag, ["inspect", "b.model"]).output
    again = CliRunner().invoke(sstag, ["tag", "-m", "a.model", "-", "--match-shares", "shares.tsv"])
    assert "--match-shares reads a text twice: it needs one FILE" in again.output


def test_an_hmm_keeps_no_biases(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(trained(Inputs(ads_template(), made_ads(8, 1)), method="hmm"), "hmm.model")
    (tmp_path / "raw.txt").write_text("call\nnow\n")
    (tmp_path / "shares.tsv").write_text("rent\t0.4\n")
    command = ["tag", "-m", "hmm.model", "raw.txt", "--match-shares", "shares.tsv", "--write-model", "b.model"]
    said = CliRunner().invoke(sstag, command)
    assert isinstance(said.exception, SstagError)
    assert "the scores of an HMM are probabilities" in str(said.exception)


def test_a_curve_of_precision_and_recall(tagger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tagger, "a.model")
    gold = made_ads(10, 5)
    columns = zip(gold.values, gold.codes, strict=True)
    rows = list(zip(*([values[code] for code in codes] for values, codes in columns), strict=True))
    text = "\n\n".join("\n".join(map(" ".join, rows[a:b])) for a, b in pairwise(gold.offsets.tolist()))
    (tmp_path / "gold.txt").write_text(text + "\n")
    said = CliRunner().invoke(sstag, ["eval", "gold.txt", "-m", "a.model", "--curve", "--format", "json"])
    assert said.exit_code == 0, said.output
    report = json.loads(said.stdout)
    curve, own = report["curve"], report["types"]
    shares = [one["share"] for one in curve["points"]]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]
    (here,) = (one for one in curve["points"] if one["bias"] == 0)
    others = [[*counts.values()] for kind, counts in own.items() if kind != curve["label"]]
    gold_count, found, right = np.sum(others, axis=0)
    assert here["precision"] == right / found
    assert here["recall"] == right / gold_count
    shown = CliRunner().invoke(sstag, ["eval", "gold.txt", "-m", "a.model", "--curve"]).output
    assert f"bias of {curve['label']}" in shown
    both = CliRunner().invoke(sstag, ["eval", "gold.txt", "-m", "a.model", "--curve", "--legal"])
    assert "--curve is for --model, without --legal" in both.output


def test_label_regularisation_says_what_the_labelled_sentences_find_alone(tmp_path):
    """Ten sentences find nearly all: their own shares are warned of, known ones are not."""
    warned = []
    inputs, run = Inputs(ads_template(), made_ads(10, 1), raw(20, 4)), Run(warn=warned.append)
    model = trained(inputs, run, "label-regularization")
    told = model.about["shares"]
    column = inputs.labelled.column("label")
    labels = np.array(inputs.labelled.values[column])[inputs.labelled.codes[column]]
    of_sentences = np.split(labels != told["label"], inputs.labelled.offsets[1:-1])
    counts = np.array([[one.sum(), len(one)] for one in of_sentences])
    share = counts[:, 0].sum() / counts[:, 1].sum()
    error = np.sqrt(((counts[:, 0] - share * counts[:, 1]) ** 2).sum() * 10 / 9) / counts[:, 1].sum()
    assert told["error"] == pytest.approx(error)
    assert told["given"] == pytest.approx(share, abs=0.01)  # smoothed
    assert told["ratio"] == told["found"] / told["given"] > 0.6
    assert not any("gains little" in text for text in warned)  # most tokens have other labels than the commonest
    names = SharesFound("O", given=0.1, found=0.08, error=0.02)
    assert "gains little here and may cost" in names.warning
    assert replace(names, found=0.05).warning is replace(names, error=None).warning is None
    (tmp_path / "known.tsv").write_text("*\t" + " ".join(f"{label}:{1 / len(model.labels)}" for label in model.labels))
    warned.clear()
    known = trained(inputs, run, "label-regularization", expectations=str(tmp_path / "known.tsv"))
    assert known.about["shares"]["error"] is None
    assert not any("gains little" in text for text in warned)


def test_the_strength_that_follows_from_the_error_of_shares():
    """A share with the error of n tokens drawn one by one counts as n tokens."""
    inputs = Inputs(ads_template(), made_ads(10, 1), raw(20, 4))
    told = trained(inputs, None, "label-regularization", counting="error").about
    share, error = told["shares"]["given"], told["shares"]["error"]
    strength = share * (1 - share) / error**2 / inputs.unlabelled.tokens
    same = trained(inputs, None, "label-regularization", strength=strength).about
    assert told["objective"] == pytest.approx(same["objective"], rel=1e-2)
    assert strength < 0.5


def test_self_training_tells_of_a_drift():
    model = trained(Inputs(ads_template(), made_ads(6, 1), raw(10, 4)), None, "self-training", rounds=2)
    assert set(model.about["raw text"]) == {"label", "share", "start", "labelled"}


def test_posterior_regularisation_moves_the_tagger_to_the_shares(tmp_path):
    """Whatever the number of threads: the sums follow the order of the batches."""
    (tmp_path / "words.tsv").write_text("*\trent:0.5 size:0.5\n")
    objectives = [{"likelihood": {}}, {"posterior": {"expectations": str(tmp_path / "words.tsv"), "slack": 1000.0}}]
    inputs = Inputs(ads_template(), made_ads(6, 1), raw(10, 4))
    model, plain = (trained(inputs, None, "composed", objectives=some) for some in (objectives, objectives[:1]))
    rent = model.labels.index("rent")
    assert abs(shares_of(model, inputs.unlabelled)[rent] - 0.5) < abs(shares_of(plain, inputs.unlabelled)[rent] - 0.5)
    with shards(2) as over:
        again = trained(inputs, Run(over), "composed", objectives=objectives)
    assert again.theta.tobytes() == model.theta.tobytes()


def test_dear_labels_are_found_more_often(tmp_path):
    (tmp_path / "costs.tsv").write_text("rent\t3\n")
    few, text = made_ads(8, 1), raw(40, 4)
    shares = [
        shares_of(trained(Inputs(ads_template(), few), None, "composed", objectives=[one]), text)
        for one in ({"likelihood": {}}, {"margin": {"costs": str(tmp_path / "costs.tsv")}})
    ]
    rent = trained(Inputs(ads_template(), few)).labels.index("rent")
    assert shares[1][rent] > 1.1 * shares[0][rent]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rent\n", "1: a line is a label, a tab, and what it costs to miss it"),
        ("rent\t1\nrent\t2\n", "2: the label 'rent' stands here twice"),
        ("rent\tdear\n", "1: the cost 'dear' of rent is not from 0 to 100"),
    ],
)
def test_errors_of_a_list_of_costs(tmp_path, text, message):
    (tmp_path / "costs.tsv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_costs(str(tmp_path / "costs.tsv"), ads_template(), made_ads(2, 1))
