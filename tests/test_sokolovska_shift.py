"""Shared draws, covariate shift and cross-validated priors after Sokolovska (2011)."""

from itertools import product

import numpy as np
import pytest

from sstag.experiments.corpora import Corpora
from sstag.experiments.refitting import fitted_to
from sstag.experiments.samples.hmm import LENGTH
from sstag.experiments.sokolovska2011 import newswire, shared_draws, shifted, simulation
from sstag.experiments.sokolovska2011.annotating import BY_LENGTH, BY_Q, RANDOM
from sstag.experiments.sokolovska2011.tasks import CONLL, NETTALK, Prepared, prepared
from sstag.experiments.sokolovska2011.worlds import EXACT, World, world
from tests.small_hmm import SMALL, joint

NOWHERE = Corpora([])


@pytest.fixture(scope="module")
def small() -> World:
    return world(SMALL)


@pytest.fixture(scope="module", params=[NETTALK, CONLL])
def task(request: pytest.FixtureRequest) -> Prepared:
    return prepared(NOWHERE, request.param, (40, 20))


def test_strategies_share_the_luck_of_a_draw(task: Prepared) -> None:
    count = len(task.lengths)
    numbers = np.random.default_rng(1).random(count)
    random = shared_draws.chosen(task, RANDOM, 8, numbers)
    assert sorted(numbers[random]) == sorted(numbers)[:8]
    for strategy, values in ((BY_Q, task.log_q), (BY_LENGTH, task.lengths)):
        some = shared_draws.chosen(task, strategy, 8, numbers)
        ranked = np.sort(-values)
        assert len(set(some.tolist())) == 8
        for one, group in zip(np.sort(-values[some]), np.array_split(ranked, 8), strict=True):
            assert group[0] <= one <= group[-1]
        assert sorted(shared_draws.chosen(task, strategy, count, numbers)) == [*range(count)]
    # With one group there is nothing to sort: both take the smallest number.
    assert shared_draws.chosen(task, BY_Q, 1, numbers) == shared_draws.chosen(task, RANDOM, 1, numbers)


def test_errors_of_shared_draws_are_of_labels_and_of_sentences() -> None:
    rows = shared_draws.compared(NOWHERE, [], task=NETTALK, made=(40, 20), size=6, draws=(1, 2), strengths=[])
    assert {(row["draw"], row["strategy"]) for row in rows} == set(product((1, 2), shared_draws.COMPARED))
    assert all(0 < row["error"] <= row["sentence error"] <= 100 for row in rows)
    chosen = shared_draws.compared(
        NOWHERE, [], task=NETTALK, made=(40, 20), size=6, draws=(1, 1), strengths=[0.1, 50.0]
    )
    assert {row["l2"] for row in chosen} <= {0.1, 50.0}
    of = {row["strategy"]: row["error"] for row in rows if row["draw"] == 1}
    told = next(row["over test"] for row in rows if "over test" in row)
    assert told["gain"] == pytest.approx(of[RANDOM] - of[BY_Q], abs=1e-3)


def test_cross_validation_takes_the_strongest_of_equals(task: Prepared) -> None:
    some = np.arange(10)
    assert shared_draws.validated(task.text, some, [0.1, 0.1], 1) == 0.1
    wrong = {l2: _wrong_in_validation(task, some, l2) for l2 in (0.1, 30.0)}
    assert shared_draws.validated(task.text, some, [*wrong], 1) == min(wrong, key=lambda l2: (wrong[l2], -l2))


def _wrong_in_validation(task: Prepared, some: np.ndarray, l2: float) -> int:
    """Sentence by sentence, by the tagger of the other parts."""
    fold, wrong = np.random.default_rng([2011, 1]).permutation(len(some)) % shared_draws.FOLDS, 0
    zero = np.zeros(task.text.weight_map.size)
    for one, part in zip(some.tolist(), fold.tolist(), strict=True):
        theta = fitted_to(task.text, some[fold != part], l2, zero).theta
        begin, end = task.corpus.offsets[one : one + 2].tolist()
        gold = task.text.data.allowed[task.text.data.sets].argmax(axis=1)
        wrong += int((task.text.best(theta)[begin:end] != gold[begin:end]).sum())
    return wrong


def test_the_error_of_sequences_is_that_of_all(small: World) -> None:
    every = list(product(range(2), repeat=LENGTH))
    labels = np.random.default_rng(5).integers(2, size=(len(every), LENGTH)).astype(np.int32)
    right = sum(joint(SMALL, x, tuple(y)) for x, y in zip(every, labels.tolist(), strict=True))
    assert shifted.sentence_error(small, labels) == pytest.approx(1 - right)


def test_labels_of_shifted_inputs_are_those_of_the_hmm(small: World) -> None:
    inputs = np.repeat(np.arange(4), 3000)
    labels = shifted.labels_of(small, inputs, np.random.default_rng(2)).reshape(4, 3000, LENGTH)
    for place in range(4):
        assert (labels[place] == 1).mean(axis=0) == pytest.approx(small.nodes[place][:, 1], abs=0.05)


def test_weights_of_a_shift_are_the_papers_and_the_ratio() -> None:
    inputs = np.array([3, 3, 5])
    log_q, log_q0 = np.log([0.2, 0.2, 0.1]), np.log([0.1, 0.1, 0.4])
    assert shifted._omega(simulation.STANDARD, log_q, log_q0, inputs) is None
    papers, ratio = (shifted._omega(one, log_q, log_q0, inputs) for one in (shifted.PAPERS, shifted.RATIO))
    assert papers is not None
    assert ratio is not None
    assert papers / papers[0] == pytest.approx([1, 1, 1])  # 0.2 / 2, 0.2 / 2, 0.1 / 1
    assert ratio / ratio[2] == pytest.approx([8, 8, 1])
    assert papers.mean() == ratio.mean() == pytest.approx(1)


@pytest.mark.parametrize("shift", [shifted.NO, shifted.FLAT, shifted.OTHER])
def test_a_shift_changes_what_is_drawn_from(shift: str) -> None:
    known = [simulation.known(NOWHERE, [], hmm=hmm) for hmm in (1, 2)]
    of = world(simulation.of_row(known[0][0]), known[0][0]["best"])
    log_q0 = shifted._drawn_from(of, shift, known)
    assert np.exp(log_q0).sum() == pytest.approx(1)
    assert np.allclose(log_q0, of.log_q) == (shift == shifted.NO)
    rows = shifted.learned(
        NOWHERE, known, hmm=1, shift=shift, template=EXACT, size=4, strengths=[0.1, 1.0], draws=(1, 2)
    )
    assert [(row["draw"], row["system"]) for row in rows] == list(product((1, 2), shifted.SYSTEMS))
    assert all(row["error"] < row["sentence error"] for row in rows)


def test_sentences_are_weighed_by_the_text_they_are_to_be_like() -> None:
    rows = newswire.weighed(NOWHERE, [], made=60, size=6, draws=(1, 2))
    effective = {row["system"]: row["effective"] for row in rows if row["draw"] == 1}
    assert effective[newswire.ALIKE] == 6
    assert effective[newswire.BY_Q] <= effective[newswire.BY_Q + newswire.EVENED] < 6
    assert len({row["error"] for row in rows if row["draw"] == 1}) > 1
