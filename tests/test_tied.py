"""Tied weights: which they are, that the criterion is that of equal shares, and that the climb is the same."""

from collections import Counter

import numpy as np
import pytest

from sstag.features.reading import template
from sstag.foundation.parallel import one_by_one
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.weight_map import WeightMap, weight_map
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.optimiser.lbfgs import maximised
from sstag.training.tied_weights import tied
from tests.compare import assert_close
from tests.datasets import corpus, row

TEMPLATE = """
columns: [word, size, label]
pairs: {pairs}
vocabulary: {vocabulary}
features:
  - word[-1..1]
  - word[-1] | word[0]
  - word[0] | word[1]
  - suffix(word[0], 1..3)
  - prefix(word[0], 1..2)
  - shape(word[0])
  - word[0] | value(size)
"""


def made(seed: int, pairs: str = "observed", vocabulary: str = "labelled") -> tuple[Compiled, list[Dataset]]:
    """Labelled and raw sentences, where many attributes occur once: in bundles, by themselves, or as another number."""
    rng = np.random.default_rng(seed)
    words = [f"{chr(97 + i % 7)}{i}" for i in np.minimum(rng.zipf(1.5, 200), 50)]
    values = [words, ["1", "1", "-0.5"], ["X", "Y", "X|Y"]]
    texts = [
        corpus([[tuple(map(rng.choice, values)) for _ in range(rng.integers(1, 6))] for _ in range(20)], columns)
        for columns in (("word", "size", "label"), ("word", "size"))
    ]
    result = compiled(template(TEMPLATE.format(pairs=pairs, vocabulary=vocabulary), "made"), *texts)
    assert result.labelled
    assert result.labelled.bundles
    assert result.unlabelled
    return result, [result.labelled, result.unlabelled]


def criteria(one: WeightMap, datasets: list[Dataset]) -> tuple[Criterion, Criterion]:
    """With a weight for each, and with tied weights."""
    ties, parts = tied(one, datasets, np.zeros(one.size)), [Part(data, (Likelihood(),)) for data in datasets]
    return Criterion(one, parts, 0.3, one_by_one), Criterion(ties.weight_map, parts, 0.3, one_by_one, ties.shares)


@pytest.mark.parametrize(("pairs", "vocabulary"), [("observed", "labelled"), ("all", "labelled"), ("all", "all")])
@pytest.mark.parametrize("seed", range(3))
def test_tied_are_the_weights_for_a_label_of_what_occurs_once_at_the_same_token(seed, pairs, vocabulary):
    compiled_texts, both = made(seed, pairs, vocabulary)
    size, weights = compiled_texts.unary.size, compiled_texts.pairs
    for datasets in (both, both[:1]):
        occurrences: dict[int, list[tuple[int, float]]] = {}
        for place, (data, token) in enumerate((one, t) for one in datasets for t in range(one.unary.rows)):
            for i in range(*data.unary.indptr[token : token + 2].tolist()):
                entry, value = int(data.unary.indices[i]), 1.0 if data.unary.values is None else data.unary.values[i]
                inside = [entry] if entry < size else row(data.bundles, entry - size)
                for attribute in inside:
                    occurrences.setdefault(attribute, []).append((place, value))
        expected: dict[object, list[int]] = {}
        left_out, par = list[int](), weight_map(compiled_texts)
        for attribute in range(size):
            found = occurrences.get(attribute, [])
            where = ("token", found[0][0]) if len(found) == 1 and found[0][1] == 1.0 else ("attribute", attribute)
            for weight in range(*weights.indptr[attribute : attribute + 2].tolist()):
                if not found and weight >= par.size // 2:
                    left_out.append(weight)
                    continue
                expected.setdefault((where, int(weights.labels[weight])), []).append(weight)
        start = np.zeros(par.size)
        start[: par.size // 2] = 1.0
        ties = tied(par, datasets, start)
        groups: dict[int, list[int]] = {}
        for weight, number in enumerate(ties.number.tolist()):
            groups.setdefault(number, []).append(weight)
        assert sorted(groups.pop(ties.weight_map.size, [])) == left_out
        assert bool(left_out) == (datasets != both and vocabulary == "all")
        others = [[weight] for weight in range(len(weights.labels), par.size)]
        assert sorted(groups.values()) == sorted([*expected.values(), *others])
        assert ties.shares.tolist() == [len(groups[number]) for number in range(ties.weight_map.size)]
        assert Counter(map(len, groups.values()))[1] < len(groups) < par.size


@pytest.mark.parametrize("seed", range(3))
def test_value_gradient_and_curvature_are_those_of_equal_shares(seed):
    one, datasets = made(seed, "all")
    par = weight_map(one)
    ties = tied(par, datasets, np.ones(par.size))
    every, fewer = criteria(par, datasets)
    start = np.random.default_rng(seed).normal(size=par.size)
    phi = ties.sums(start)
    theta = ties.spread(phi)
    assert_close(ties.sums(theta), phi)
    (value, gradient), (tied_value, tied_gradient) = every(theta), fewer(phi)
    assert_close(tied_value, value)
    assert_close(tied_gradient[ties.number], gradient)
    assert_close((fewer.curvature(phi) * ties.shares)[ties.number], every.curvature(theta))
    assert every(start)[0] < value


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_the_climb_is_that_of_all_weights(l1):
    one, datasets = made(5)
    par = weight_map(one)
    ties = tied(par, datasets, np.ones(par.size))
    every, fewer = criteria(par, datasets)
    steps: tuple[list[np.ndarray], list[np.ndarray]] = [], []
    for criterion, seen in zip((every, fewer), steps, strict=True):
        maximised(
            criterion,
            np.zeros(criterion.weight_map.size),
            metric=criterion.curvature,
            l1=l1,
            max_iterations=15,
            callback=lambda step, seen=seen: seen.append(step.theta),
        )
    assert len(steps[0]) == len(steps[1]) > 10
    for theta, phi in zip(*steps, strict=True):
        assert_close(ties.spread(phi), theta, tolerance=1e-6)


def test_a_climb_leaves_out_what_occurs_nowhere_and_begins_at_0():
    """A climb on the first text alone, with the weights of both, takes the same steps; the other weights stay 0."""
    one, (labelled, _) = made(5, "all", "all")
    par = weight_map(one)
    ties = tied(par, [labelled], np.zeros(par.size))
    every, fewer = criteria(par, [labelled])
    absent = ties.number == ties.weight_map.size
    assert absent.sum() > 20
    climbs = [
        maximised(criterion, np.zeros(criterion.weight_map.size), metric=criterion.curvature, max_iterations=15)
        for criterion in (every, fewer)
    ]
    assert_close(ties.spread(climbs[1].theta), climbs[0].theta, tolerance=1e-6)
    assert not climbs[0].theta[absent].any()
