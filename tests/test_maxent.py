"""`maxent`: a CRF without edges, token by token."""

import numpy as np
import pytest

from sstag.features.reading import template
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import one_by_one
from sstag.model.model_file import load, save
from sstag.training.inputs import Inputs
from tests.compare import assert_close
from tests.datasets import corpus
from tests.reference import attributes
from tests.training import ads_template, made_ads, partly, trained, weights_by_name

EDGES = "edges: [labels, begin, end, word[0]]"
TINY = [
    [("a", "X"), ("b", "?"), ("c", "X|Y")],
    [("b", "!Y"), ("c", "Z")],
    [("c", "X"), ("a", "Y")],
    [("b", "?"), ("b", "?")],
]
ALLOWED = {"X": "X", "Y": "Y", "Z": "Z", "X|Y": "XY", "!Y": "XZ", "?": "XYZ"}


def same_weights(one, other, tolerance=1e-3):
    ours, theirs = weights_by_name(one), weights_by_name(other)
    assert ours.keys() == theirs.keys()
    assert_close([ours[name] for name in theirs], list(theirs.values()), tolerance=tolerance)


@pytest.mark.parametrize(("method", "data"), [("crf", made_ads(12, 1)), ("partial", partly(12, 1))])
def test_without_edges_a_crf_is_a_maxent_classifier(method, data):
    maxent = trained(Inputs(ads_template(EDGES), data), method="maxent", tolerance=1e-10)
    crf = trained(Inputs(ads_template("edges: []"), data), method=method, tolerance=1e-10)
    assert maxent.about["objective"] == pytest.approx(crf.about["objective"], rel=1e-7)
    if method == "crf":  # else there may be several optima
        same_weights(maxent, crf)
    with_edges = trained(Inputs(ads_template(EDGES), data), method=method, tolerance=1e-10)
    assert abs(with_edges.about["objective"] - crf.about["objective"]) > 1


def by_hand(model, sentences, theta_of) -> float:
    """Σ_t log Σ_{y ∈ Λ_t} p(y|x, t) − ½ Σ θ², from texts."""
    value = -0.5 * sum(weight**2 for weight in theta_of.values())
    for sentence in sentences:
        for at, (_, allowed) in enumerate(sentence):
            found = [text for text, _, _ in attributes(model.template.features, sentence, at, {})]
            scores = {y: np.exp(sum(theta_of.get((text, y), 0.0) for text in found)) for y in "XYZ"}
            value += np.log(sum(scores[y] for y in ALLOWED[allowed]) / sum(scores.values()))
    return float(value)


def test_the_objective_is_that_of_every_token_by_itself():
    model = trained(Inputs(ads_template(EDGES), corpus(TINY)), method="maxent", l2=1.0, tolerance=1e-12)
    weights = weights_by_name(model)
    assert model.about["objective"] == pytest.approx(by_hand(model, TINY, weights), abs=1e-10)
    for name in weights:  # and it is an optimum
        moved = weights | {name: weights[name] + 1e-2}
        assert by_hand(model, TINY, moved) < model.about["objective"]


def test_tokens_without_a_label_change_nothing():
    how = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
    left = [[token for token in sentence if token[1] != "?"] for sentence in TINY]
    with_open = trained(Inputs(how, corpus(TINY)), method="maxent", tolerance=1e-12)
    without = trained(
        Inputs(how, corpus([sentence for sentence in left if sentence])), method="maxent", tolerance=1e-12
    )
    same_weights(with_open, without, 1e-6)
    assert with_open.about["objective"] == pytest.approx(without.about["objective"], rel=1e-12)


def test_every_token_gets_its_own_best_label(tmp_path):
    model, test = trained(Inputs(ads_template(EDGES), made_ads(10, 1)), method="maxent"), made_ads(5, 2)
    assert {name: size for name, size in model.weight_map.sizes.items() if size} == {"unary": len(model.theta)}
    scores = np.concatenate(model.asked(model.dataset(test), one_by_one, lambda _, lattice: lattice.potentials.unary))
    assert (model.tagged(model.dataset(test), one_by_one) == scores.argmax(axis=1)).all()
    save(model, str(tmp_path / "m"))
    back = load(str(tmp_path / "m"))
    assert back.template == model.template
    assert (back.tagged(back.dataset(test), one_by_one) == scores.argmax(axis=1)).all()


def test_an_earlier_crf_is_a_start():
    crf = trained(Inputs(ads_template(), made_ads(10, 1)))
    model = trained(Inputs(ads_template(), made_ads(10, 1), init=crf), method="maxent", max_iterations=0)
    ours, theirs = weights_by_name(model), weights_by_name(crf)
    assert ours == {name: theirs[name] for name in ours}


def test_labels_that_are_all_open_are_an_error():
    with pytest.raises(DataError, match=r"^t.txt: every label is open"):
        trained(Inputs(ads_template(), corpus([[("a", "?")]], path="t.txt")), method="maxent")
