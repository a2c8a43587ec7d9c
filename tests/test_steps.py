"""Expectations of steps: lists of what follows what, shares within bounds, and what they do to a model."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.share_ranges import nearest_shares
from sstag.knowledge.step_list import SAME, classes, read_steps
from sstag.model.weight_map import weight_map
from sstag.training import climb
from sstag.training.inputs import Inputs, Run
from sstag.training.outcome import Outcome
from sstag.training.run import trained
from tests.definitions import least_distance
from tests.training import WORDS, ads_template, made_ads, raw, task


def listed(tmp_path, text):
    (tmp_path / "steps.tsv").write_text(text)
    return read_steps(str(tmp_path / "steps.tsv"), ads_template(), raw(1, 1))


def test_a_list_of_steps(tmp_path):
    read = listed(tmp_path, "# what follows what\n*\tsame:0.9\n*\tA>B:0.02-0.05\nB\tlength:4-8 A:0.1\t5\n")
    assert [dict(line.shares) for line in read.lines] == [
        {SAME: (0.9, 0.9)},
        {"A>B": (0.02, 0.05)},
        {SAME: (0.75, 0.875), "A": (0.1, 0.1)},
    ]
    assert [line.strength for line in read.lines] == [1.0, 1.0, 5.0]
    assert read.labels == {"A", "B"}
    same, pair, following = (classes(line, ("A", "B", "C")) for line in read.lines)
    np.testing.assert_array_equal(same.cells, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(pair.cells, [[1, 0, 1], [1, 1, 1], [1, 1, 1]])
    np.testing.assert_array_equal(following.cells, [[-1, -1, -1], [1, 0, 2], [-1, -1, -1]])
    np.testing.assert_allclose([following.low, following.high], [[0.75, 0.1, 0.025], [0.875, 0.1, 0.15]])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A same:0.9", "1: a line is a label or \\*, a tab, shares such as same:0.9"),
        ("A\tsame", "1: 'same' is no share: write same:0.9, LABEL:0.1 or A>B:0.02"),
        ("A\tsame:0.9-0.8", "1: '0.9-0.8' is not from 0 to 1, the smaller number first"),
        ("A\tsame:high", "1: 'high' is neither a number such as 0.8 nor a range such as 0.6-0.9"),
        ("A\tlength:0.5", "1: a length is at least 1, not 0.5"),
        ("A\tB>C:0.5", "1: 'B>C': after a label write the labels that follow it"),
        ("*\tB:0.5", "1: 'B': after \\* write pairs, A>B:0.02"),
        ("*\tB>:0.5", "1: 'B>' is no pair of labels A>B"),
        ("A\tB:0.6 C:0.6", "1: the shares add up to at least 1.2, more than 1"),
        ("A\tB:0.1 B:0.2", "1: 'B' stands here twice"),
        ("A\tB:0.1\tmuch", "1: the strength 'much' is no number above 0"),
    ],
)
def test_errors_say_the_line(tmp_path, line, message):
    with pytest.raises(DataError, match=message):
        listed(tmp_path, f"{line}\n")


@st.composite
def bounded(draw):
    """Shares, and bounds within which some shares add up to 1."""
    size = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    found, inside = rng.dirichlet(np.full(size, draw(st.sampled_from([0.3, 3.0])))), rng.dirichlet(np.ones(size))
    width = draw(st.sampled_from([0.0, 0.1, 1.0]))
    return found, inside * (1 - width * rng.random(size)), np.minimum(inside + width * rng.random(size), 1.0)


@given(bounded(), st.sampled_from(["kl", "squared"]))
def test_no_shares_within_the_bounds_are_nearer(case, distance):
    found, low, high = case
    nearest = nearest_shares(found, low, high, distance)
    assert abs(nearest.sum() - 1) < 1e-9
    assert (nearest >= low - 1e-12).all()
    assert (nearest <= high + 1e-12).all()
    least = least_distance(found, low, high, distance)
    ours = ((nearest - found) ** 2).sum() if distance == "squared" else (nearest * np.log(nearest / found)).sum()
    assert ours <= least + 1e-7


def stays(model, text):
    """The share of steps that are expected to keep the label."""
    steps = sum(
        model.asked(model.dataset(text), one_by_one, lambda batch, lattice: lattice.marginals().edge.sum(axis=0))
    )
    return np.trace(steps) / steps.sum()


def test_labels_stay_as_long_as_is_said_of_a_feature(tmp_path):
    """A list that says how many steps to a word keep their label, beside the labels of words, is learned from."""
    text = raw(20, 4)
    spoken = [word for sentence in range(text.sentences) for word in text.words("word", sentence)]
    has = np.array([word == "," for word in spoken])
    first = np.isin(np.arange(text.tokens), text.offsets[:-1])
    shares = []
    for share in (0.9, 0.3):
        path = tmp_path / "words.tsv"
        path.write_text(f"{Path(WORDS).read_text()}word[0]=,\tsame:{share}\t100\n")
        given = {"expectations": str(path), "strength": 10.0}
        model = trained(task(Inputs(ads_template(), None, text), "expectation", given), Run())
        lattices = model.asked(model.dataset(text), one_by_one, lambda batch, lattice: lattice_steps(lattice))
        shares.append(np.concatenate(lattices)[has & ~first].mean())
    assert abs(shares[0] - 0.9) < 0.03
    assert abs(shares[1] - 0.3) < 0.03


def lattice_steps(lattice):
    """The probability that each token has the label of the one before it; 0 of first tokens."""
    kept = np.zeros(len(lattice.nodes))
    for s, (start, stop) in enumerate(pairwise(lattice.potentials.offsets.tolist())):
        kept[start + 1 : stop] = np.trace(lattice.edge_marginals(s), axis1=1, axis2=2)
    return kept


def test_labels_stay_as_long_as_is_said():
    text = raw(20, 4)
    given = {"expectations": WORDS, "strength": 10.0}
    alone, longer, shorter = (
        trained(task(Inputs(ads_template(), None, text), "expectation", given | {"stay": share}), Run())
        for share in (0.0, 0.9, 0.5)
    )
    assert stays(alone, text) < 0.4
    assert abs(stays(shorter, text) - 0.5) < 0.02
    assert abs(stays(longer, text) - 0.9) < 0.02
    assert longer.about["parameters"]["stay"] == 0.9
    assert longer.about["parameters"]["strength"] == 10.0


def test_a_list_beside_other_objectives(tmp_path):
    (tmp_path / "steps.tsv").write_text("rent\tlength:2-4\n*\tsame:0.8-0.9\nsize\tfee:0.1\n")
    objectives = [{"likelihood": {}}, {"steps": {"shares": str(tmp_path / "steps.tsv")}}]
    warned = []
    inputs = Inputs(ads_template(), made_ads(6, 1), raw(10, 4))
    model = trained(task(inputs, "composed", {"objectives": objectives}), Run(warn=warned.append))
    assert model.about["steps"] == {"lines": 3}
    assert "fee" in model.labels
    assert any("no labelled sentence has the label 'fee'" in text for text in warned)


def test_steps_without_anything_said_of_them():
    objectives = [{"likelihood": {}}, {"steps": {}}]
    inputs = Inputs(ads_template(), made_ads(6, 1), raw(10, 4))
    with pytest.raises(SstagError, match="steps needs a list"):
        trained(task(inputs, "composed", {"objectives": objectives}), Run())


def test_a_prior_around_sticky_steps():
    """Without data but two tokens the prior is all there is: its mean is where the weights of steps end."""
    inputs = Inputs(ads_template(), made_ads(2, 1), raw(1, 4))
    objectives = [{"likelihood": {}}]
    model = trained(task(inputs, "composed", {"objectives": objectives, "sticky": 3.0, "l2": 1e6}), Run())
    steps = np.zeros(model.weight_map.steps.shape)
    steps[model.weight_map.steps] = model.weight_map.parts(model.theta)["steps"]
    kept = np.diag(model.weight_map.steps)
    np.testing.assert_allclose(np.diag(steps)[kept], 3.0, atol=1e-3)
    np.testing.assert_allclose(steps[~np.eye(len(steps), dtype=bool)], 0.0, atol=1e-3)


def test_the_gradient_around_sticky_steps(monkeypatch):
    """Central differences of the criterion that a climb is given."""
    seen = []

    def seeing(inputs, compiled, hill, params, run, start):
        seen.append((compiled, hill))
        return Outcome(start, 0, True, "", 0.0)

    monkeypatch.setattr(climb, "highest", seeing)
    given = {"expectations": WORDS, "sticky": 2.0, "l2": 0.5, "stay": 0.9}
    trained(task(Inputs(ads_template(), made_ads(3, 1), raw(3, 4)), "expectation", given), Run())
    compiled, hill = seen[-1]
    theta = hill.standing_for(np.random.default_rng(1).normal(size=weight_map(compiled).size))
    value, gradient = hill.function(theta)
    for place in [*range(0, len(theta), 97), *range(len(theta) - 60, len(theta), 3)]:
        moved = [theta.copy(), theta.copy()]
        moved[0][place] += 1e-5
        moved[1][place] -= 1e-5
        difference = (hill.function(moved[0])[0] - hill.function(moved[1])[0]) / 2e-5
        assert abs(difference - gradient[place]) < 1e-5 * max(1.0, abs(value))
    assert abs(hill.value(hill.weights(theta)) - value) < 1e-9 * max(1.0, abs(value))
