"""Resampling against the enumeration of everything that it may draw."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import PermutationMethod, wilcoxon

from sstag.evaluation import significance
from sstag.evaluation.report import difference_of, interval_of
from sstag.evaluation.scoring import COUNTS, evaluated, figures
from sstag.evaluation.significance import bootstrap, holm, randomisation, signed_rank

ROWS = np.array([[4, 4, 1, 1, 2, 1, 1], [5, 2, 1, 0, 1, 3, 0], [4, 4, 1, 1, 2, 1, 1], [7, 6, 1, 0, 3, 3, 2]])
OTHER = np.array([[4, 2, 1, 0, 2, 2, 0], [5, 3, 1, 0, 1, 1, 0], [4, 3, 1, 0, 2, 4, 1], [7, 5, 1, 0, 3, 2, 1]])
MANY = 20_000


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def recorded(seen: Counter[tuple[float, ...]]):
    """Sums as they are, and a note of each."""

    def function(sums: np.ndarray) -> np.ndarray:
        seen.update(map(tuple, np.atleast_2d(sums).tolist()))
        return np.asarray(sums, float)

    return function


def assert_drawn_from(seen: Counter[tuple[float, ...]], every: list[tuple[float, ...]]) -> None:
    """Draws are even over everything there is: counts lie within five standard deviations."""
    exact = Counter(every)
    assert seen.keys() == exact.keys()
    total = seen.total()
    for sums, times in exact.items():
        p = times / len(every)
        assert abs(seen[sums] - total * p) <= 5 * np.sqrt(total * p * (1 - p))


@pytest.mark.parametrize("count", [1, 3, 4])
def test_bootstrap_draws_every_choice_of_rows_alike(count: int) -> None:
    rows = ROWS[:count]
    every = [tuple(rows[list(chosen)].sum(axis=0).tolist()) for chosen in product(range(count), repeat=count)]
    seen: Counter[tuple[float, ...]] = Counter()
    bootstrap(rows, recorded(seen), MANY, rng())
    assert_drawn_from(seen, every)


def test_bootstrap_intervals_are_the_quantiles_of_all_resamples() -> None:
    every = [ROWS[list(chosen)].sum(axis=0) for chosen in product(range(4), repeat=4)]
    exact = np.quantile(figures(np.array(every)), [0.025, 0.975], axis=0, method="inverted_cdf")
    assert bootstrap(ROWS, figures, MANY, rng()) == pytest.approx(exact)


def test_randomisation_draws_every_swap_alike_and_counts_the_large_ones() -> None:
    swaps = [np.array(swap, bool)[:, None] for swap in product([False, True], repeat=4)]
    ours = [np.where(swap, OTHER, ROWS).sum(axis=0) for swap in swaps]
    theirs = [np.where(swap, ROWS, OTHER).sum(axis=0) for swap in swaps]
    differences = np.abs([figures(a) - figures(b) for a, b in zip(ours, theirs, strict=True)])
    share = (differences >= differences[0] - 1e-12).mean(axis=0)
    p = randomisation(ROWS, OTHER, figures, MANY, rng())
    assert np.abs(p - share).max() < 5 * 0.5 / np.sqrt(MANY)
    assert len(set(share.tolist())) > 2  # the figures differ in it, so the test tells them apart

    seen: Counter[tuple[float, ...]] = Counter()
    randomisation(ROWS, OTHER, recorded(seen), MANY, rng())
    seen.subtract([tuple(ours[0].tolist()), tuple(theirs[0].tolist())])  # the observed ones
    assert_drawn_from(seen, [tuple(sums.tolist()) for sums in ours + theirs])


def test_p_is_one_for_equal_systems_and_never_zero() -> None:
    assert randomisation(ROWS, ROWS, figures, 100, rng()).tolist() == [1.0] * 5
    good, bad = np.tile([4, 4, 1, 1, 2, 2, 2], (60, 1)), np.tile([4, 0, 1, 0, 2, 2, 0], (60, 1))
    assert randomisation(good, bad, figures, 999, rng()) == pytest.approx([1 / 1000] * 5)
    assert randomisation(bad, good, figures, 999, rng()) == pytest.approx([1 / 1000] * 5)  # two-sided


def test_what_is_drawn_does_not_depend_on_the_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    whole = bootstrap(ROWS, figures, 50, rng()), randomisation(ROWS, OTHER, figures, 50, rng())
    monkeypatch.setattr(significance, "DRAWS", 20)
    assert (bootstrap(ROWS, figures, 50, rng(), told.append) == whole[0]).all()
    assert (randomisation(ROWS, OTHER, figures, 50, rng()) == whole[1]).all()
    assert told == [*range(5, 50, 5), 50]


def test_differences_pair_the_sentences() -> None:
    gold = [["O", "B-X"]] * 5 + [["B-X", "O"]] * 5 + [["?", "?"]] * 90
    worse = [["O", "O"]] * 5 + [["B-X", "B-X"]] * 5 + [["O", "O"]] * 90
    one, two = evaluated(gold, gold, "iob2"), evaluated(gold, worse, "iob2")
    bounds, p = difference_of(one, two, 500, 1, lambda done: None)
    assert bounds is not None
    assert p is not None
    assert bounds[:, 0].tolist() == [0.5, 0.5]  # every sentence is half right: no chance in the difference
    # |d| is the largest only if all ten or none are swapped
    assert p[0] < 0.02
    assert difference_of(one, two, 0, 1, lambda done: None) == (None, None)
    assert interval_of(one, 0, 1, lambda done: None) is None


def test_a_sentence_without_a_scored_token_is_no_part_of_the_sample() -> None:
    some = evaluated([["O", "B-X"], ["O", "O"]], [["O", "O"], ["O", "O"]], "iob2")
    more = evaluated([["O", "B-X"], ["?", "?"], ["O", "O"]], [["O", "O"], ["O", "O"], ["O", "O"]], "iob2")
    both = [interval_of(one, 200, 1, lambda done: None) for one in (some, more)]
    assert both[0] is not None
    assert (both[0] == both[1]).all()


def test_figures_where_there_is_nothing() -> None:
    nothing = dict.fromkeys(COUNTS, 0) | {"tokens": 2, "tokens right": 2, "sentences": 1, "sentences right": 1}
    for changes, expected in (
        ({}, [1, 1, 1, 1, 1]),  # nothing to find and nothing found
        ({"gold": 2}, [1, 1, 0, 0, 0]),
        ({"found": 2}, [1, 1, 0, 0, 0]),
        ({"gold": 2, "found": 4, "right": 1}, [1, 1, 0.25, 0.5, 1 / 3]),
    ):
        assert figures(np.array([*(nothing | changes).values()])) == pytest.approx(expected)


@given(st.lists(st.integers(-4, 6).filter(bool), min_size=2, max_size=10))
def test_signed_ranks_with_ties_are_those_of_all_choices_of_signs(differences: list[int]) -> None:
    exact = wilcoxon(differences, method=PermutationMethod(n_resamples=10**6)).pvalue
    assert signed_rank([0.1 * one for one in differences]) == pytest.approx(exact, rel=1e-12)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_signed_ranks_without_ties_are_those_of_scipy(count: int, seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.3, 1.0, count)
    assert signed_rank(differences.tolist()) == pytest.approx(wilcoxon(differences, method="exact").pvalue, rel=1e-9)
    assert signed_rank([*differences, 0.0, 0.0]) == signed_rank([*(-differences)])  # two-sided, zeros left out


def test_signed_ranks_at_their_limits() -> None:
    assert signed_rank([]) == signed_rank([0.0, 0.0]) == signed_rank([1.0, -1.0]) == signed_rank([2.0]) == 1.0
    assert signed_rank([0.3 - 0.2, 0.1, 0.1, 0.1, 0.1]) == 2 / 2**5  # five draws are never below .05
    assert signed_rank([1.0] * 6) == 2 / 2**6


@given(st.lists(st.floats(0.0, 1.0), max_size=6))
def test_holm_believes_what_the_closed_test_of_bonferroni_believes(chances: list[float]) -> None:
    """A test holds if every set of tests that has it holds by Bonferroni: its p is the largest of theirs."""
    found = holm(chances)
    for place, p in enumerate(found):
        sets = [one for size in range(1, len(chances) + 1) for one in combinations(range(len(chances)), size)]
        wanted = max(min(1.0, len(one) * min(chances[i] for i in one)) for one in sets if place in one)
        assert p == pytest.approx(wanted, abs=1e-12)
