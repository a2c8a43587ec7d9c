"""`partial`: what it is in its limits, what it maximises, where it starts."""

from dataclasses import replace

import numpy as np
import pytest

from sstag.corpus.corpus import selected
from sstag.experiments.samples.ads import LABELS, ads
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import in_batches
from sstag.model.compiled import compiled
from sstag.model.dataset import Dataset
from sstag.model.weight_map import DataMap, Weights, weight_map
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.looks import Part
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.optimiser.lbfgs import maximised
from tests import definitions
from tests.compare import assert_close
from tests.datasets import corpus
from tests.training import accuracy, ads_template, made_ads, partly, trained, weights_by_name

TINY = [
    [("a", "X"), ("b", "?"), ("c", "X|Y")],
    [("b", "!Y"), ("c", "Z")],
    [("c", "X"), ("a", "Y")],
    [("b", "?"), ("b", "?")],
]


@pytest.mark.parametrize("changes", [{}, {"l1": 0.3, "l2": 0.1}, {"max_iterations": 3}])
def test_decided_labels_are_crf_to_the_last_bit(changes):
    for more in ({}, {"development": made_ads(5, 3)}, {"init": trained(Inputs(ads_template(), made_ads(3, 7)))}):
        inputs = Inputs(ads_template(), made_ads(12, 1), **more)
        crf, partial = trained(inputs, **changes), trained(inputs, method="partial", **changes)
        assert partial.theta.tobytes() == crf.theta.tobytes()
        assert {name: partial.about[name] for name in crf.about if name != "method"} == {
            name: value for name, value in crf.about.items() if name != "method"
        }
        assert partial.about["start"] == ("earlier model" if "init" in more else "zero")


def test_one_label_for_everything_is_crf_too():
    inputs = Inputs(ads_template(), corpus([[("a", "X"), ("b", "X")], [("c", "X")]]))
    assert trained(inputs, method="partial").theta.tobytes() == trained(inputs).theta.tobytes()


def test_sentences_without_a_label_change_nothing():
    data = partly(20, 1, whole=12, hidden=1.0)
    decided = selected(data, np.arange(20) < 12)
    with_open = trained(Inputs(ads_template(), data), method="partial", tolerance=1e-9)
    crf = trained(Inputs(ads_template(), decided), tolerance=1e-9)
    ours, theirs = weights_by_name(with_open), weights_by_name(crf)
    assert ours.keys() == theirs.keys()
    assert_close([ours[name] for name in theirs], list(theirs.values()), tolerance=1e-3)
    assert with_open.about["objective"] == pytest.approx(crf.about["objective"], rel=1e-8)
    assert with_open.about["start"] == "zero"


def test_the_objective_at_the_optimum_is_that_of_all_label_paths():
    inputs = Inputs(ads_template("edges: [labels, begin, word[0]]"), corpus(TINY))
    model = trained(inputs, method="partial", l2=1.0, tolerance=1e-12)
    made = compiled(inputs.template, inputs.labelled)
    assert isinstance(made.labelled, Dataset)
    data = replace(made.labelled, weights=np.ones(4))
    batches = in_batches(data, 3)

    def enumerated(theta):
        weights = Weights(DataMap(model.weight_map, data), theta)
        potentials = [weights.potentials(batch) for batch in batches]
        return definitions.likelihood(data, batches, potentials) - 0.5 * theta @ theta

    assert model.about["objective"] == pytest.approx(enumerated(model.theta), abs=1e-10)
    for place in range(0, len(model.theta), 7):  # and it is an optimum
        moved = model.theta.copy()
        moved[place] += 1e-2
        assert enumerated(moved) < model.about["objective"]


def test_it_starts_from_the_weights_of_the_fully_labelled_sentences():
    inputs = Inputs(ads_template(), partly(15, 1))
    whole = trained(inputs, method="partial", l2=1.0, tolerance=1e-5)
    assert whole.about["start"] == "what is fully labelled"
    told: list[Progress] = []
    run = Run(one_by_one, told.append, stop=lambda: len(told) >= whole.about["iterations of the start"])
    start = trained(inputs, run, "partial", l2=1.0, tolerance=1e-5)
    assert start.about["iterations"] == whole.about["iterations of the start"]

    made = compiled(inputs.template, inputs.labelled)
    assert isinstance(made.labelled, Dataset)
    only = replace(made.labelled, weights=(np.arange(15) < 5).astype(float))  # the others weigh nothing
    criterion = Criterion(weight_map(made), [Part(only, (Likelihood(),))], 1.0, one_by_one)
    found = maximised(criterion, np.zeros_like(start.theta), metric=criterion.curvature)
    assert_close(start.theta, found.theta, tolerance=1e-6)
    assert start.about["objective"] == pytest.approx(criterion(start.theta)[0], rel=1e-9)


def test_it_starts_from_an_earlier_model_or_from_zero():
    earlier = trained(Inputs(ads_template(), made_ads(5, 7)))
    inputs = Inputs(ads_template(), partly(15, 1), init=earlier)
    kept = trained(inputs, method="partial", max_iterations=0)
    assert kept.about["start"] == "earlier model"
    ours, theirs = weights_by_name(kept), weights_by_name(earlier)
    assert all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
    assert "iterations of the start" not in kept.about
    zero = trained(Inputs(ads_template(), partly(15, 1, whole=0)), method="partial", max_iterations=0)
    assert zero.about["start"] == "zero"
    assert not zero.theta.any()


def test_half_of_the_labels_are_worth_more_than_the_few_whole_sentences():
    data, test = partly(40, 1), made_ads(60, 2)
    discarded = trained(Inputs(ads_template(), selected(data, np.arange(40) < 5)))
    partial = trained(Inputs(ads_template(), data), method="partial")
    assert accuracy(partial, test) > accuracy(discarded, test) + 0.1


@pytest.mark.parametrize("written", ["either", "negation"])
def test_labels_can_be_learned_from_sets(written):
    rng = np.random.default_rng(3)

    def hint(label: str) -> str:
        others = [other for other in LABELS if other != label]
        wrong = rng.choice(others, 2, replace=False)
        return f"{wrong[0]}|{label}" if written == "either" else "!" + "|".join(wrong)

    sentences = [[(word, hint(label)) for word, label in sentence] for sentence in ads(60, np.random.default_rng(1))]
    if written == "negation":  # an excluded label must have been seen somewhere
        sentences += [[(label, label)] for label in LABELS]
    model = trained(Inputs(ads_template(), corpus(sentences)), method="partial")
    assert set(model.labels) == set(LABELS)
    assert model.about["start"] == {"either": "zero", "negation": "what is fully labelled"}[written]
    assert accuracy(model, made_ads(60, 2)) > {"either": 0.6, "negation": 0.4}[written]


@pytest.mark.parametrize("data", [[[("a", "?"), ("b", "?")]], [[("a", "X|Y")], [("b", "?"), ("c", "Y|X")]]])
def test_labels_that_are_all_open_are_an_error(data):
    with pytest.raises(DataError, match=r"^t.txt: every label is open, so there is nothing to learn"):
        trained(Inputs(ads_template(), corpus(data, path="t.txt")), method="partial")
