"""`self-training`: every round is a training on the labels of the one before."""

from itertools import pairwise

import numpy as np
import pytest

from sstag.corpus.corpus import together, with_column
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import PLAIN, Marks
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.methods.completion import completed
from sstag.training.run import trained as run_trained
from tests.datasets import corpus
from tests.training import accuracy, ads_template, made_ads, partly, raw, task, trained

RAW = raw(15, 4)


def labelled_by(model, text):
    """A corpus with the labels that a model gives it."""
    return with_column(text, "label", model.labels, model.tagged(model.dataset(text), one_by_one))


def self_trained(labelled, run=None, unlabelled=RAW, marks=Marks(), **changes):
    return trained(Inputs(ads_template(), labelled, unlabelled, marks=marks), run, "self-training", **changes)


@pytest.mark.parametrize(("method", "labelled"), [("crf", made_ads(8, 1)), ("partial", partly(8, 1, whole=4))])
def test_a_round_is_a_training_on_labels_that_were_found(method, labelled):
    first = trained(Inputs(ads_template(), labelled), method=method)
    assert self_trained(labelled, rounds=0).theta.tobytes() == first.theta.tobytes()
    both = together(labelled, labelled_by(first, RAW))
    second = trained(Inputs(ads_template(), both, init=first), method=method)
    once = self_trained(labelled, rounds=1)
    assert once.theta.tobytes() == second.theta.tobytes()
    assert [one["labels changed"] for one in once.about["rounds"][1:]] == [RAW.tokens]


def test_rounds_go_on_until_the_limit_or_until_no_label_changes():
    """A strong prior forgets some of what was found."""
    found, first = [], trained(Inputs(ads_template(), made_ads(8, 1)), l2=20.0)
    while len(found) < 2 or (found[-1] != found[-2]).any():
        found.append(first.tagged(first.dataset(RAW), one_by_one))
        both = together(made_ads(8, 1), labelled_by(first, RAW))
        first = trained(Inputs(ads_template(), both, init=first), l2=20.0)
    model = self_trained(made_ads(8, 1), l2=20.0)
    changed = [RAW.tokens, *((one != other).sum() for one, other in pairwise(found))]
    assert [one.get("labels changed") for one in model.about["rounds"]] == [None, *changed[:-1]]
    assert changed[-1] == 0
    assert changed[1] > 0
    assert model.about["reason"] == "no label changes"
    stopped = self_trained(made_ads(8, 1), l2=20.0, rounds=1)
    assert stopped.about["reason"] == f"the limit of 1 round is reached ({changed[1]} labels would change)"
    assert not stopped.about["converged"]


def test_it_ends_when_few_labels_change():
    rounds = [one["labels changed"] for one in self_trained(made_ads(8, 1), l2=20.0).about["rounds"][1:]]
    assert len(rounds) > 1
    model = self_trained(made_ads(8, 1), l2=20.0, settled=rounds[1] / RAW.tokens)
    assert model.about["reason"] == f"{rounds[1]} labels of {RAW.tokens} would change"
    assert len(model.about["rounds"]) == 2
    assert model.about["converged"]


def test_it_ends_when_no_label_changes():
    model = self_trained(made_ads(8, 1))
    assert (model.about["reason"], model.about["converged"]) == ("no label changes", True)
    rounds = model.about["rounds"]
    assert len(rounds) >= 2
    assert model.about["iterations"] == sum(one["iterations"] for one in rounds)
    assert model.about["objective"] == rounds[-1]["objective"]
    again = self_trained(made_ads(8, 1), rounds=len(rounds) - 1)
    assert again.theta.tobytes() == model.theta.tobytes()
    assert again.about["reason"] == "no label changes"


def test_labels_that_are_not_sure_stay_open():
    labelled = made_ads(8, 1)
    first = trained(Inputs(ads_template(), labelled))
    sure = np.concatenate(first.asked(first.dataset(RAW), one_by_one, lambda _, lattice: _confidence(lattice)))
    for least in (0.5, 0.9):
        model = self_trained(labelled, rounds=1, confidence=least)
        assert model.about["rounds"][1]["open"] == (sure < least).sum()
        texts = np.array([*first.labels, "?"])
        tags = first.tagged(first.dataset(RAW), one_by_one)
        found = with_column(RAW, "label", texts.tolist(), np.where(sure < least, len(first.labels), tags))
        second = trained(Inputs(ads_template(), together(labelled, found), init=first), method="partial")
        assert model.theta.tobytes() == second.theta.tobytes()
    unsure = self_trained(labelled, confidence=1.0)
    assert (unsure.about["reason"], len(unsure.about["rounds"])) == ("no label changes", 1)


def _confidence(lattice):
    labels, _ = lattice.viterbi()
    return lattice.nodes[np.arange(len(labels)), labels]


def test_without_a_mark_for_open_labels_there_are_some_all_the_same():
    labelled = made_ads(8, 1)
    with_marks = self_trained(labelled, rounds=1, confidence=0.9)
    without = self_trained(labelled, rounds=1, confidence=0.9, marks=PLAIN)
    assert without.theta.tobytes() == with_marks.theta.tobytes()
    assert without.labels == with_marks.labels


def test_labels_in_the_raw_text_count_for_nothing():
    labelled, wrong = made_ads(8, 1), with_column(RAW, "label", ["wrong"], np.zeros(RAW.tokens, np.int32))
    assert self_trained(labelled, unlabelled=wrong).theta.tobytes() == self_trained(labelled).theta.tobytes()


def test_development_data_choose_weights_in_every_round():
    dev = made_ads(20, 5)
    inputs = Inputs(ads_template(), made_ads(8, 1), RAW, development=dev)
    told: list[Progress] = []
    model = trained(inputs, Run(one_by_one, told.append), "self-training", rounds=3)
    scores = [one["development score"] for one in model.about["rounds"]]
    assert model.about["development score"] == scores[-1] == accuracy(model, dev)
    assert scores == sorted(scores)
    phases = list(dict.fromkeys(progress.phase for progress in told))
    assert phases[0] == ""
    assert phases[1] == f"round 1, {RAW.tokens} labels changed"
    assert all(progress.score is not None for progress in told)


@pytest.mark.parametrize("rounds", [0, 1])
def test_what_was_found_is_kept_if_it_is_stopped(rounds):
    whole = self_trained(made_ads(8, 1), rounds=rounds)
    told: list[Progress] = []
    run = Run(one_by_one, told.append, lambda: len(told) >= whole.about["iterations"])
    stopped = self_trained(made_ads(8, 1), run)
    assert stopped.theta.tobytes() == whole.theta.tobytes()
    assert (stopped.about["reason"], stopped.about["converged"]) == ("stopped: as requested", False)
    assert len(stopped.about["rounds"]) == rounds + 1


def test_stopped_before_the_first_iteration_of_a_round_the_last_one_is_kept():
    whole = self_trained(made_ads(8, 1), rounds=0)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > calls

    told: list[Progress] = []
    calls = 10**9
    self_trained(made_ads(8, 1), Run(one_by_one, told.append, stop), rounds=0)
    calls = len(asked)  # those of the first training, and the one after it
    asked.clear()
    stopped = self_trained(made_ads(8, 1), Run(one_by_one, stop=stop))
    assert stopped.theta.tobytes() == whole.theta.tobytes()
    assert stopped.about["reason"] == "stopped: as requested"


def test_what_it_needs():
    with pytest.raises(ConfigError, match=r"^self-training needs raw text: unlabeled \(--unlabeled FILE\)$"):
        trained(Inputs(ads_template(), made_ads(2, 1)), method="self-training")
    with pytest.raises(ConfigError, match=r"'confidence' must be a number from 0 to 1, not 1\.5"):
        completed("self-training", {"confidence": 1.5})
    with pytest.raises(ConfigError, match="crf learns nothing from raw text: unlabeled is for other methods"):
        run_trained(task(Inputs(ads_template(), made_ads(2, 1), RAW)), Run())
    with pytest.raises(DataError, match=r"^raw: the template looks at 'word'"):
        trained(Inputs(ads_template(), made_ads(2, 1), corpus([[("a",)]], ("other",), "raw")), method="self-training")


def test_two_corpora_together_know_where_their_tokens_are_from():
    first = corpus([[("a", "X"), ("b", "Y")]], path="one.txt")
    second = corpus([[("b", "Y", "1"), ("c", "Z", "2")], [("a", "X", "3")]], ("word", "label", "more"), "two.txt")
    both = together(together(first, second), first)
    assert both.columns == ("word", "label")
    assert [both.words("word", s) for s in range(both.sentences)] == [["a", "b"], ["b", "c"], ["a"], ["a", "b"]]
    assert [both.words("label", s) for s in range(both.sentences)] == [["X", "Y"], ["Y", "Z"], ["X"], ["X", "Y"]]
    places = [("one.txt", 1), ("one.txt", 2), ("two.txt", 1), ("two.txt", 2), ("two.txt", 3), ("one.txt", 1)]
    assert [both.place(token) for token in range(6)] == places
    assert both.part(slice(1, 3)).place(0) == ("two.txt", 1)
    assert both.path == "one.txt, two.txt, one.txt"
