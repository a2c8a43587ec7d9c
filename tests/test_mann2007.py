"""The experiments after Mann and McCallum (2007): what is timed, how slopes are fitted, what ranks what."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from sstag.chain.lattice import Lattice
from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2007 import choosing, growth, rankings, timing, trainings
from sstag.experiments.slopes import slope, upper_half
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import in_batches
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from tests import oracle
from tests.compare import assert_close
from tests.datasets import unlabelled
from tests.models import tiny

NOWHERE = Corpora([])


# ---------------------------------------------------------------------- seconds


def test_generated_text_has_what_it_should_have() -> None:
    data, parameters = timing.generated(3, 4, 5, 6)
    assert data.offsets.tolist() == [0, 4, 8, 12]
    assert (np.diff(data.unary.indptr) == 6).all()
    assert (data.unary.indices.reshape(12, 6) // timing.VALUES == np.arange(6)).all()
    assert parameters.size == 6 * timing.VALUES * 5 + 25 + 5 + 5
    assert data.full.all()
    assert len(in_batches(data, 5)) == 1


def test_all_systems_find_the_same_gradient_of_the_same_entropy() -> None:
    data, parameters = timing.generated(2, 5, 3, 2)
    theta = np.random.default_rng(1).normal(size=parameters.size)
    found = []
    for name in timing.SYSTEMS:
        if name != timing.SUPERVISED:
            one = Entropy(gamma=1.0, algorithm=name)
            found.append(Criterion(parameters, [Part(data, (one,))], 1.0, one_by_one)(theta))
    for value, gradient in found:
        assert value == pytest.approx(found[0][0], rel=1e-12)
        assert_close(gradient, found[0][1])


def test_a_row_for_each_size_and_system_until_one_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {timing.SUPERVISED: lambda n: 1e-3 * n, timing.SYSTEMS[-1]: lambda n: 1e-2 * n**2}
    counts: dict[tuple[str, int], int] = {}

    def evaluations(names, sentences: int, length: int, labels: int, attributes: int):
        def evaluate(name: str) -> Callable[[], float]:
            def run() -> float:
                counts[name, length] = counts.get((name, length), 0) + 1
                return sentences * seconds.get(name, seconds[timing.SUPERVISED])(length)

            return run

        return [(name, (evaluate(name), sentences)) for name in names]

    monkeypatch.setattr(timing, "_evaluations", evaluations)
    sizes = [8, 16, 32, 64, 128]
    rows = timing.timed(NOWHERE, [], across="length", sizes=sizes, other=10, attributes=1)
    supervised = {row["size"]: row["seconds"] for row in rows if row["system"] == timing.SUPERVISED}
    assert supervised == {n: pytest.approx(1e-3 * n) for n in sizes}
    slow = {row["size"]: row["seconds"] for row in rows if row["system"] == timing.SYSTEMS[-1]}
    assert slow == {n: pytest.approx(1e-2 * n**2) for n in (8, 16, 32, 64)}  # 128 would take 164 seconds
    assert counts[timing.SYSTEMS[-1], 64] == 1
    assert (timing.SYSTEMS[-1], 128) not in counts


def test_a_real_measurement() -> None:
    rows = timing.timed(NOWHERE, [], across="labels", sizes=[2, 3], other=4, attributes=2)
    assert {(row["size"], row["system"]) for row in rows} == {*product((2, 3), timing.SYSTEMS)}
    assert all(0 < row["seconds"] < 1 for row in rows)


def test_slopes() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    exact = slope(x.tolist(), (3 * x**2).tolist())
    assert exact is not None
    assert (exact.value, exact.low, exact.high) == pytest.approx((2, 2, 2))
    rng, inside = np.random.default_rng(1), 0
    for _ in range(400):
        found = slope(x.tolist(), (x**1.5 * np.exp(rng.normal(scale=0.1, size=4))).tolist())
        assert found is not None
        inside += found.low <= 1.5 <= found.high
    assert 365 <= inside <= 395  # 95 % of 400, and three standard deviations around it
    assert slope([1, 2], [1, 2]) is None
    assert upper_half([5, 1, 2, 4, 3]) == [3, 4, 5]


def test_tables_leave_out_what_was_not_measured() -> None:
    (section,) = growth.sections("smoke")
    rows = [
        {**trial.settings, "size": size, "system": system, "seconds": 0.5 * size}
        for trial in section.trials
        for size in trial.settings["sizes"]
        for system in timing.SYSTEMS
        if not (system == timing.SYSTEMS[-1] and size == trial.settings["sizes"][-1])
    ]
    _, slopes, ratios, plot, *_ = section.report(rows)
    assert not isinstance(slopes, str)
    assert all(trial.alone for trial in section.trials)
    assert ratios.rows[0][1:] == [1.0] * (len(ratios.head) - 1)
    assert ratios.rows[-1][len(timing.SYSTEMS) - 1] is None
    assert plot.logarithmic
    assert [len(line.x) for line in plot.lines] == [3] * (len(timing.SYSTEMS) - 1) + [2]


# ---------------------------------------------------------------------- what entropy tells


def test_rankings_are_by_what_all_labellings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact figures equal those of the enumeration, and so do the n best if they are all."""
    monkeypatch.setattr(rankings, "FEW", (2, 10**4))
    model = tiny()
    data = unlabelled([["a", "b", "a"], ["c", "a", "b", "d"], ["b"]])
    ((lattice, (labels, unsure)),) = model.asked(
        model.dataset(data), one_by_one, lambda chunk, one: (one, rankings._asked(chunk, one, model))
    )
    assert isinstance(lattice, Lattice)
    paths = oracle.sentences(lattice.potentials)
    exact = [oracle.grouped_entropy(s.y, s.score) for s in paths]
    assert_close(unsure["sentences"]["entropy"], exact)
    assert_close(unsure["sentences"]["10000 best"], exact)
    assert_close(unsure["sentences"]["entropy per token"], np.array(exact) / [3, 4, 1])
    assert_close(unsure["sentences"]["probability"], [-s.p.max() for s in paths])
    two = [np.sort(s.p)[-2:] / np.sort(s.p)[-2:].sum() for s in paths]
    assert_close(unsure["sentences"]["2 best"], [-oracle.plogp(p).sum() for p in two])
    spans = unsure["chunks"]
    assert len(spans["entropy"]) == sum(model.labels[y][0] == "B" for y in labels) > 1
    assert_close(spans["10000 best"], spans["entropy"])
    first = paths[0]
    assert_close(spans["entropy"][0], oracle.span_entropy(first, 0, 2))  # a b, and the label of the second a
    assert (spans["2 best"] <= np.log(2) + 1e-12).all()
    assert (spans["probability"] < 0).all()


@pytest.mark.parametrize("draw", [1, 2])
def test_a_trial_says_everything_of_a_draw_and_repeats_itself(draw: int) -> None:
    one, again = (rankings.ranked(NOWHERE, [], corpus="ads", train=10, test=12, draw=draw) for _ in range(2))
    assert one == again
    assert len(one) == 11
    for row in one:
        assert row["at best"] <= row["area"] <= 100
        assert len(row["curve"]) == rankings.COVERAGES
        assert row["curve"][-1] == pytest.approx(row["by chance"], abs=1e-3)
    other = rankings.ranked(NOWHERE, [], corpus="ads", train=10, test=12, draw=draw + 1)
    assert [row["area"] for row in one] != [row["area"] for row in other]


def test_trainings_by_all_algorithms_end_at_the_same_weights() -> None:
    given = {"corpus": rankings.ADS, "labelled": 8, "raw": 8, "tested": 10, "gamma": 0.01, "draw": 1}
    rows = trainings.timed(NOWHERE, [], **given)
    assert [row["system"] for row in rows] == list(timing.SYSTEMS)
    first, *others = rows
    assert len({round(row["objective"], 4) for row in others}) == 1
    assert others[0]["objective"] != first["objective"]
    assert len({row["f1"] for row in others}) == 1
    assert all(row["seconds"] > 0 for row in rows)
    assert rows[-1]["over test"]["gain"] == pytest.approx(others[0]["f1"] - first["f1"], abs=1e-3)


def test_strategies_begin_with_the_same_sentences() -> None:
    given = {"corpus": rankings.ADS, "sizes": (30, 15), "totals": (100, 1000), "draw": 1}
    rows = {one: choosing.learned(NOWHERE, [], strategy=one, **given) for one in choosing.STRATEGIES}
    assert len({(found[0]["tokens"], found[0]["score"]) for name, found in rows.items() if name != "random"}) == 1
    assert len({found[1]["score"] for found in rows.values()}) > 1
