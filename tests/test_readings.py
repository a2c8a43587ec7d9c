"""A label column is taken apart once in a training, whatever becomes known of its labels afterwards."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import DataError
from sstag.labels import column
from sstag.labels.label_sets import LabelSets, decided_sets, label_sets, with_known
from sstag.labels.marks import Marks
from sstag.training import inputs as training_inputs
from sstag.training.assembly import Assembled, Given, assembled
from sstag.training.inputs import Run
from sstag.training.methods.completion import completed
from sstag.training.run import trained
from sstag.training.tuning.search import tuned
from tests.training import NEEDED, ads_template, made_ads, needed, partly, raw

FEW = {"max_iterations": 2}
VALUES = st.lists(
    st.sampled_from(["A", "B", "A|B", "C|A", "!A", "!B|C", "!D", "?", "A|", "!"]), min_size=1, unique=True
)
LABELS = st.lists(st.sampled_from(["A", "B", "C", "D", "!D"]), max_size=3, unique=True)


def counting(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[Sequence[str]]:
    """A list to which every call of a function adds its first argument."""
    calls: list[Any] = []
    counted: Callable[..., object] = getattr(module, name)

    def called(*given: Any, **more: Any) -> object:
        calls.append(given[0])
        return counted(*given, **more)

    monkeypatch.setattr(module, name, called)
    return calls


def given_texts(labelled: Corpus, unlabelled: Corpus | None = None) -> Assembled:
    return assembled(
        Given(
            template=ads_template(),
            labelled=lambda template: labelled,
            raw=(lambda template: unlabelled) if unlabelled else None,
            development=None,
            init=None,
            marks=lambda marks: marks,
            features=None,
            rules=None,
            spans=None,
            weights=None,
        )
    )


@pytest.mark.parametrize(
    ("method", "ambiguous"),
    [
        *((name, None) for name in ("crf", "partial", "expectation", "constraint-driven")),
        *(("crf", way) for way in ("random", "frequent", "argmax")),
    ],
)
def test_a_training_reads_its_labels_once(method, ambiguous, monkeypatch):
    calls = counting(monkeypatch, column, "label_sets")
    unlabelled = raw(10, 2) if method in NEEDED else None
    labelled = partly(20, 1) if ambiguous or method == "partial" else made_ads(20, 1)
    some = {"rounds": 1} if method == "constraint-driven" else FEW
    parameters = completed(method, needed(method) | some)
    trained(given_texts(labelled, unlabelled).task(ads_template(), method, parameters, 1, ambiguous), Run())
    assert len(calls) == 1


def test_self_training_reads_the_new_column_of_each_round(monkeypatch):
    calls = counting(monkeypatch, column, "label_sets")
    parameters = completed("self-training", FEW | {"rounds": 1})
    task = given_texts(made_ads(5, 1), raw(10, 2)).task(ads_template(), "self-training", parameters, 1, None)
    assert len(trained(task, Run()).about["rounds"]) == len(calls) == 2


def test_folds_are_read_once_for_all_values(monkeypatch):
    calls = counting(monkeypatch, training_inputs, "labelled_text")
    points = [{"l2": 1.0}, {"l2": 2.0}, {"l2": 3.0}]
    whole = given_texts(made_ads(12, 1))
    tasks = [whole.task(ads_template(), "crf", completed("crf", FEW | point), 1, None) for point in points]
    tuned(tasks, points, 2, Run())
    assert len(calls) == 1 + 2  # all sentences, and those of each fold


def allowed(sets: LabelSets) -> tuple[object, ...]:
    """Everything that label sets say, to be compared."""
    return sets.labels, sets.allowed_labels, sets.unknown.tolist(), sets.marked, sets.excluded


@given(VALUES, LABELS, LABELS)
def test_labels_that_become_known_change_a_reading_as_if_it_were_made_anew(values, before, after):
    try:
        first = label_sets(values, known=before)
    except DataError:
        return
    try:
        anew = label_sets(values, known=after)
    except DataError:
        with pytest.raises(DataError, match="leaves no label"):
            with_known(first, Marks(), after)
    else:
        assert allowed(with_known(first, Marks(), after)) == allowed(anew)


@given(st.lists(st.sampled_from(["A", "B", "C", "A|", "!", "!D"]), min_size=1, unique=True), LABELS)
def test_decided_labels_are_what_would_be_read(values, known):
    if "D" not in known:
        assert allowed(decided_sets(values, Marks(), known)) == allowed(label_sets(values, known=known))


def test_a_decided_label_may_contain_a_mark():
    assert decided_sets(["A|B", "?"], Marks(), ("A|B", "?")).single.tolist() == [0, 1]
