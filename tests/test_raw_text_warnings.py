"""Warnings of what raw text may cost: lists that echo the labelled sentences, shares that are found already, drifts."""

import numpy as np
import pytest

from sstag.features.reading import template
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.known_shares import KnownShares
from sstag.knowledge.labelled_features import read_features
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained as run_of
from sstag.training.share_matching import matched
from tests.datasets import corpus, unlabelled
from tests.training import ads_template, made_ads, raw, task, trained

HOW = template("columns: [word, label]\nfeatures: [word[0], word[-1]]\n", "made.yaml")
NAMES = [
    [("the", "O"), ("town", "O"), ("of", "O"), ("Rome", "B-LOC"), ("and", "O"), ("Ann", "B-PER"), ("Oslo", "B-LOC")]
]
TEXT = [["the", "town", "of", "Bonn", "and", "Bob"], ["Rome", "and", "Oslo", "of", "Ann"]] * 3
ECHOES = "word[0]=Rome\tB-LOC\nword[0]=Oslo\tB-LOC\nword[0]=Ann\tB-PER\n"
MAY_COST = "gains little here and may cost"


def warned_of(text, inputs, method, tmp_path, **given):
    (tmp_path / "list.tsv").write_text(text)
    warned = []
    trained(inputs, Run(warn=warned.append), method, expectations=str(tmp_path / "list.tsv"), **given)
    return [one for one in warned if MAY_COST in one]


@pytest.mark.parametrize("method", ["expectation", "expected-gradient", "posterior-hmm"])
@pytest.mark.parametrize(
    ("lines", "warns"),
    [
        (ECHOES, True),
        (ECHOES + "word[0]=Bonn\tB-LOC\n", False),  # the sentences do not have it
        (ECHOES.replace("Ann\tB-PER", "Ann\tO"), False),  # and do not say this
    ],
)
def test_a_list_that_echoes_the_labelled_sentences_is_warned_of(method, lines, warns, tmp_path):
    found = warned_of(lines, Inputs(HOW, corpus(NAMES * 4), unlabelled(TEXT)), method, tmp_path)
    assert [one[one.index(MAY_COST) :].split(" have")[0] for one in found] == (
        [f"{MAY_COST}: 3 of 3 features"] if warns else []
    )


def test_a_posterior_objective_is_asked_the_same(tmp_path):
    inputs = Inputs(HOW, corpus(NAMES * 4), unlabelled(TEXT))
    objectives = [{"likelihood": {}}, {"posterior": {}}]
    assert len(warned_of(ECHOES, inputs, "composed", tmp_path, objectives=objectives)) == 1


def test_fields_without_a_label_of_most_tokens_are_not_warned_of(tmp_path):
    """There such lists were measured to gain."""
    inputs = Inputs(ads_template(), made_ads(20, 1), raw(20, 4))
    assert warned_of("word[0]=$\trent\n", inputs, "expectation", tmp_path) == []


def test_biases_say_how_much_is_found_without_them():
    model, text = trained(Inputs(HOW, corpus(NAMES * 4))), unlabelled(TEXT)
    nodes = np.concatenate(model.asked(model.dataset(text), one_by_one, lambda _, lattice: lattice.nodes.copy()))
    found = 1 - float(nodes.mean(axis=0)[model.labels.index("O")])

    def of(others):
        shares = {"O": 1 - others, "B-LOC": others / 2, "B-PER": others / 2}
        return matched(model, text, KnownShares("", "", shares), one_by_one, lambda step, away: None)

    near, far = of(min(1.2 * found, 0.5)), of(min(2 * found, 0.99))
    assert near.beside.ratio == pytest.approx(found / min(1.2 * found, 0.5))
    assert MAY_COST in near.warning
    assert far.warning is None


def test_a_drift_of_self_training_is_that_of_all_labels():
    """Of the sure ones alone most would have the commonest label from the first round on."""
    inputs = Inputs(ads_template(), made_ads(6, 1), raw(10, 4))
    said = trained(inputs, None, "self-training", rounds=1, confidence=0.9).about["raw text"]
    first = trained(Inputs(ads_template(), inputs.labelled))
    tags = first.tagged(first.dataset(inputs.unlabelled), one_by_one)
    shares = dict(zip(first.labels, np.bincount(tags, minlength=len(first.labels)) / len(tags), strict=True))
    assert said["start"] == pytest.approx(shares[said["label"]])


def test_raw_text_that_a_list_labels_is_asked_for_a_drift(tmp_path):
    (tmp_path / "list.tsv").write_text(
        "lower(word[0])=the\tO\n" + "".join(f"word[0]={w}\tO\n" for w in ("Bonn", "Bob"))
    )
    text, how = unlabelled(TEXT), HOW
    listed = read_features(str(tmp_path / "list.tsv"), how)
    model = run_of(task(Inputs(how, corpus(NAMES), text), "partial", features=listed), Run())
    assert model.about["raw text"]["label"] == "O"
    assert model.about["raw text"]["labelled"] == pytest.approx(4 / 7)
