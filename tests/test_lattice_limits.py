"""The edges of what a lattice takes: underflow, impossible sentences, sizes; and what it does not compute unasked."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.forward_backward import lattice_bytes
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.errors import NumericalError, SstagError
from tests import oracle
from tests.batches import random_batch
from tests.compare import assert_close

INF = np.inf


def one(unary, edge) -> Potentials:
    unary = np.array(unary, dtype=float)
    return Potentials(unary, np.array([edge], dtype=float), np.zeros(len(unary)), np.array([0, len(unary)]))


# Each loses something in the scaled domain, if not a path then a digit, while no scale is zero where it happens.
LOSSES = {
    "a label that loses every comparison but the last": one(
        [[0, -800], [0, 0], [0, 0], [0, 0]], [[-400, -INF], [-INF, 0]]
    ),
    "exp(u) alone": one([[0, -800], [-INF, 0]], [[0, -INF], [-INF, 0]]),
    "exp(e) alone": one([[0, -INF], [-INF, 0], [-INF, 0]], [[0, -800], [-INF, 0]]),
    "a slow loss, taken back at the end": one([[0, -30]] * 30 + [[-INF, 0]], [[0, -INF], [-INF, 0]]),
    "a loss seen from the right only": one([[0, 0], [0, 0]], [[0, 0], [-800, -800]]),
    "digits lost before a small scale": one(
        [[0, -420, -INF], [-INF, -INF, 0]], [[0, 0, -745], [0, 0, -320], [0, 0, 0]]
    ),
    "an overflow on the way back": one(
        [[-INF, -464, 0], [0, -INF, -417], [-INF, -17, -709]], [[-INF, 0, 0], [0, -749, 0], [-408, -759, 0]]
    ),
    "a conditional under a label all but impossible": one(
        [[-604, -613], [-INF, -571], [0, -INF]], [[0, -733], [-311, -433]]
    ),
    # Both steps from label 1 weigh less than 2.2e-308 and have lost digits. They lead to labels whose α of 1e-290, made
    # by label 0, has lost none; but of label 1 it matters how much more probable one step is than the other.
    "a choice between two steps that have lost digits": one(
        [[0, 0, -INF, -INF], [-INF, -INF, 0, 0]],
        [[0, -INF, -668, -668], [-INF, -INF, -732.5, -733.5], [-INF] * 4, [-INF] * 4],
    ),
    "scores of 1e5": one([[0, -1e5], [1e5, 0], [-INF, 0]], [[1e5, -1e5], [-1e5, 3e4]]),
}


@pytest.mark.parametrize("pot", LOSSES.values(), ids=LOSSES.keys())
def test_nothing_is_lost_to_underflow(pot):
    (sentence,) = batch = oracle.sentences(pot) if len(pot.unary) < 10 else [two_paths(pot)]
    finite = pot.finite()
    magnitude = (np.abs(finite.unary).max() + np.abs(finite.edge).max()) * len(pot.unary)
    lattice = Lattice(pot)
    r = pot.with_values(np.random.default_rng(0).normal(size=pot.unary.shape), np.ones_like(pot.edge))
    assert_close(lattice.log_z, [sentence.log_z], magnitude=magnitude, tolerance=1e-14)
    assert_close(lattice.marginals(), oracle.marginals(pot, batch), magnitude=magnitude, tolerance=1e-14)
    assert_close(lattice.covariance(r), oracle.covariance(pot, batch, r), magnitude=magnitude, tolerance=1e-14)
    assert_close(lattice.entropy, oracle.entropy(batch), magnitude=magnitude, tolerance=1e-14)
    for ours, truth in zip(lattice.side_entropies, oracle.side_entropies(pot, batch), strict=True):
        assert_close(ours, truth, magnitude=magnitude, tolerance=1e-14)
    assert lattice._distribution.forward.in_log.all()


def two_paths(pot):
    """Of a long chain that never changes its label there are only two paths."""
    y = np.repeat([[0], [1]], len(pot.unary), axis=1)
    return oracle.Sentence(0, len(pot.unary), y, oracle.value(pot, 0, y))


def test_log_z_of_a_quiet_loss():
    pot = LOSSES["a label that loses every comparison but the last"]
    assert Lattice(pot).log_z.tolist() == [-800.0]


def test_a_lost_sentence_leaves_its_neighbours_scaled():
    lost, plain = LOSSES["exp(u) alone"], one([[1, 2], [3, 4]], [[0, -INF], [-INF, 0]])
    both = Potentials(
        np.vstack([plain.unary, lost.unary, plain.unary]), plain.edge, np.zeros(6), np.array([0, 2, 4, 6])
    )
    lattice = Lattice(both)
    plain_log_z = 6 + np.log1p(np.exp(-2))
    assert_close(lattice.log_z, [plain_log_z, -800, plain_log_z])
    assert lattice._distribution.forward.in_log.tolist() == [False, True, False]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda u, e: u.__setitem__((4, slice(None)), -INF),
        lambda u, e: e.__setitem__((0, slice(None)), -INF),
        lambda u, e: (u.__setitem__((4, 0), -INF), e.__setitem__((0, slice(None), 1), -INF)),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_a_sentence_without_a_path_is_named(spoil, scale):
    rng = np.random.default_rng(0)
    unary, edge = scale * rng.normal(size=(7, 2)), scale * rng.normal(size=(2, 2, 2))
    index = np.array([0, 1, 0, 0, 0, 0, 1])
    spoil(unary, edge)
    pot = Potentials(unary, edge, index, np.array([0, 2, 5, 7]))
    for ask in (lambda x: x.log_z, lambda x: x.viterbi(), lambda x: x.marginals(), lambda x: x.k_best(0, 3)):
        with pytest.raises(NumericalError, match="sentence 1 of the batch has no path"):
            ask(Lattice(pot))


def test_a_mask_can_leave_no_path():
    pot = random_batch(np.random.default_rng(0), 3, [2, 2], 1, scale=1.0).potentials
    allowed = np.ones((4, 3), dtype=bool)
    allowed[3] = False
    with pytest.raises(NumericalError, match="sentence 1"):
        Lattice(pot, allowed).log_z  # noqa: B018


@pytest.mark.parametrize("value", [np.nan, INF])
def test_nan_and_plus_infinity_are_named(value):
    pot = random_batch(np.random.default_rng(0), 3, [2, 2], 2, scale=1.0).potentials
    unary, edge = pot.unary.copy(), pot.edge.copy()
    unary[2, 1], edge[1, 0, 2] = value, value
    with pytest.raises(NumericalError, match=r"sentence 1 .* unary"):
        _ = Lattice(pot.with_values(unary, pot.edge)).log_z
    with pytest.raises(NumericalError, match=r"sentence 1 .* unary"):
        Lattice(pot.with_values(unary, pot.edge)).viterbi()
    with pytest.raises(NumericalError, match="edge matrix 1 "):
        _ = Lattice(pot.with_values(pot.unary, edge)).log_z
    with pytest.raises(NumericalError, match="must be finite"):
        Lattice(pot).covariance(pot.with_values(unary, pot.edge))


def test_log_z_does_not_run_the_backward_pass(monkeypatch):
    calls = []
    forward, backward = _core.forward, _core.backward
    monkeypatch.setattr(_core, "forward", lambda *a: calls.append("forward") or forward(*a))
    monkeypatch.setattr(_core, "backward", lambda *a: calls.append("backward") or backward(*a))
    lattice = Lattice(random_batch(np.random.default_rng(0), 3, [4, 2], 1, scale=1.0).potentials)
    assert calls == []
    lattice.log_z, lattice.sample(np.random.default_rng(0))
    assert calls == ["forward"]
    lattice.marginals(), lattice.entropy, lattice.covariance(lattice.score), lattice.log_z
    assert calls == ["forward", "backward"]


def test_100_000_positions():
    """Two copies of a homogeneous chain: log Z by matrix powers, and the small relations that enumeration has shown."""
    n, rng = 100_000, np.random.default_rng(0)
    u, e = rng.normal(size=3), rng.normal(size=(1, 3, 3))
    pot = Potentials(np.tile(u, (n, 1)), e, np.zeros(n), np.array([0, n]))
    lattice = Lattice(pot)
    # Z = exp(u) M^(n-1) 1 with M = exp(e) diag(exp(u)) = V diag(values) V⁻¹; the largest value takes all.
    values, vectors = np.linalg.eig(np.exp(e[0] + u))
    top = int(np.argmax(values.real))
    left = np.linalg.inv(vectors)[top].sum().real * (np.exp(u) @ vectors[:, top]).real
    assert_close(lattice.log_z, [(n - 1) * np.log(values[top].real) + np.log(left)], tolerance=1e-11, magnitude=n)
    mu = lattice.marginals()
    assert_close(mu.unary.sum(axis=1), np.ones(n))
    assert_close(mu.edge.sum(), n - 1, magnitude=n)
    assert_close(lattice.entropy, lattice.log_z - lattice.expectation(pot), magnitude=n, tolerance=1e-12)
    assert_close(lattice.span_entropy([0], [n - 1]), lattice.entropy, magnitude=n, tolerance=1e-12)
    # Far from both ends every position is like every other.
    assert_close(lattice.covariance(pot).unary[n // 2], lattice.covariance(pot).unary[n // 2 + 1], tolerance=1e-11)
    y, scores = lattice.viterbi()
    best, best_scores = lattice.k_best(0, 2)
    assert (best[0] == y).all()
    assert best_scores[0] == scores[0] >= best_scores[1]


def test_500_labels():
    pot = random_batch(np.random.default_rng(0), 500, [2, 1], 1, scale=1.0).potentials
    lattice = Lattice(pot)
    score = pot.unary[0][:, None] + pot.edge[0] + pot.unary[1]  # (500, 500), every path of two positions
    assert_close(lattice.log_z[0], oracle.log_sum(score.ravel()))
    assert_close(lattice.marginals().edge[0], np.exp(score - lattice.log_z[0]))
    assert_close(lattice.entropy[0], oracle.grouped_entropy(np.arange(500 * 500)[:, None], score.ravel()))
    assert_close(
        lattice.covariance(lattice.score).unary,
        (lattice.subsequence_entropies() + lattice.marginals(lattice.entropy)).unary,
    )
    y, scores = lattice.viterbi()
    assert tuple(y[:2]) == np.unravel_index(np.argmax(score), score.shape)
    best, best_scores = lattice.k_best(0, 300)
    assert_close(best_scores, -np.sort(-score.ravel())[:300])
    assert_close(score[tuple(best.T)], best_scores)
    assert best_scores[0] == scores[0]


def test_too_large_is_refused_before_anything_is_allocated():
    unary = np.broadcast_to(np.float64(0), (4000, 500))
    pot = Potentials(unary, np.zeros((1, 500, 500)), np.zeros(4000), np.array([0, 4000]))
    assert lattice_bytes(4000, 500) > 100 * 2**20
    with pytest.raises(SstagError, match=r"4000 tokens with 500 labels .* MiB allowed"):
        Lattice(pot, budget=100 * 2**20)
    assert Lattice(pot, budget=lattice_bytes(4000, 500)).potentials is pot


@pytest.mark.parametrize(("labels", "tokens", "matrices"), [(20, 5000, 1), (60, 300, 20)])
def test_no_question_takes_more_than_the_estimate(labels, tokens, matrices):
    rng = np.random.default_rng(0)
    lengths = [25] * (tokens // 25)
    tracemalloc.start()
    try:
        lattice = Lattice(random_batch(rng, labels, lengths, matrices, scale=1.0).potentials)
        tracemalloc.reset_peak()
        lattice.marginals(), lattice.covariance(lattice.score), lattice.token_entropy, lattice.viterbi()
        lattice.subsequence_entropies(), lattice.entropy
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.5 < peak / lattice_bytes(tokens, labels, matrices) < 1


def test_threads_on_their_own_batches_give_the_same_bytes():
    pots = [random_batch(np.random.default_rng(s), 7, [9, 1, 30], 2, scale=3.0).potentials for s in range(12)]

    def work(pot, buffers=None):
        lattice = Lattice(pot, buffers=buffers)
        c = lattice.covariance(lattice.score)
        return lattice.log_z.tobytes() + lattice.marginals().edge.tobytes() + c.unary.tobytes() + c.edge.tobytes()

    alone = [work(pot) for pot in pots]
    own = [Buffers() for _ in pots]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for buffers in own:
                buffers.restart()
            assert list(pool.map(work, pots, own)) == alone


def test_answers_outlive_a_lattice_whose_memory_is_used_again():
    first, second = (random_batch(np.random.default_rng(s), 4, [9, 3], 1, scale=2.0).potentials for s in (0, 1))
    buffers = Buffers()

    def answers(pot):
        buffers.restart()
        x = Lattice(pot, buffers=buffers)
        c, h = x.covariance(x.score), x.subsequence_entropies()
        kept = [x.log_z, x.nodes, x.marginals().edge, c.unary, c.edge, h.unary, h.edge, x.entropy, *x.side_entropies]
        return [*kept, x.token_entropy, x.expectation(pot), x.edge_marginals(0), *x.viterbi(), *x.k_best(0, 9)]

    kept = answers(first)
    copies = [array.copy() for array in kept]
    answers(second)
    assert all((a == b).all() for a, b in zip(kept, copies, strict=True))
    # Used again indeed: of a second lattice of that size both passes lie in the memory of the first.
    buffers.restart()
    rows = Lattice(first, buffers=buffers)._distribution.forward.alpha
    buffers.restart()
    assert np.shares_memory(rows, Lattice(second, buffers=buffers)._distribution.forward.alpha)


def test_what_is_given_is_made_to_fit():
    """The core refuses arrays of another type or order, so floats or integers, contiguous or not, are converted."""
    pot = random_batch(np.random.default_rng(0), 3, [4, 2], 2, scale=1.0).potentials
    read_only = pot.unary.astype(np.float32)
    read_only.flags.writeable = False
    for at in (pot, Potentials(read_only, np.asfortranarray(pot.edge), pot.edge_index.astype(np.int64), [0, 4, 6])):
        for allowed in (None, np.ones((6, 3), dtype=bool)):
            for scale in (1.0, 1e5):
                lattice = Lattice(scale * at, allowed)
                lattice.log_z, lattice.marginals(), lattice.marginals(np.array([1, 2])), lattice.edge_marginals(1)
                lattice.covariance(lattice.score), lattice.subsequence_entropies(), lattice.entropy
                lattice.token_entropy, lattice.viterbi(), lattice.k_best(0, 3)
                lattice.sample(np.random.default_rng(0), 2), lattice.path_scores(lattice.viterbi()[0])


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": [0, 2, 2, 4]},
        {"offsets": [0, 3]},
        {"offsets": [1, 4]},
        {"offsets": []},
        {"edge_index": [0, 1, 0, 0]},
        {"edge_index": [0, -1, 0, 0]},
        {"edge_index": [0, 0, 0]},
        {"edge": np.zeros((1, 3, 2))},
        {"unary": np.zeros((4, 0)), "edge": np.zeros((1, 0, 0))},
    ],
)
def test_shapes_that_do_not_fit_are_refused(change):
    fields = {"unary": np.zeros((4, 2)), "edge": np.zeros((1, 2, 2)), "edge_index": [9, 0, 9, 0], "offsets": [0, 2, 4]}
    Potentials(**fields)
    with pytest.raises(ValueError, match=r"offsets|edge_index|unary"):
        Potentials(**(fields | change))


def test_questions_that_do_not_fit_are_refused():
    lattice = Lattice(random_batch(np.random.default_rng(0), 2, [2, 2], 1, scale=1.0).potentials)
    for first, last in (([1], [2]), ([1], [0]), ([-1], [0]), ([3], [4])):
        with pytest.raises(ValueError, match="within one sentence"):
            lattice.span_entropy(first, last)
    with pytest.raises(ValueError, match="at least 1"):
        lattice.k_best(0, 0)
    with pytest.raises(ValueError, match="weights"):
        lattice.marginals(np.ones(3))
    with pytest.raises(ValueError, match="allowed has shape"):
        Lattice(lattice.potentials, np.ones((4, 3), dtype=bool))
    with pytest.raises(ValueError, match="shape of the potentials"):
        lattice.covariance(random_batch(np.random.default_rng(0), 2, [2, 1], 1, scale=1.0).potentials)


def test_potentials_are_a_vector_space():
    a, b = (random_batch(np.random.default_rng(0), 3, [2, 1], 2, scale=s).potentials for s in (1.0, 5.0))
    assert_close((a + b).inner(a), a.inner(a) + b.inner(a))
    assert_close(3 * a - a, a * 2)
    holes = a.with_values(np.where(a.unary > 0, a.unary, -INF), a.edge).finite()
    assert_close(holes.unary, np.maximum(a.unary, 0))


@pytest.mark.parametrize("labels", [1, 9, 22])
def test_sentences_of_one_token_need_no_matrix(labels):
    rng = np.random.default_rng(labels)
    pot = Potentials(rng.normal(size=(5, labels)), np.zeros((0, labels, labels)), np.zeros(5, np.int32), np.arange(6))
    lattice = Lattice(pot)
    p = np.exp(pot.unary - np.logaddexp.reduce(pot.unary, axis=1, keepdims=True))
    assert_close(lattice.marginals().unary, p)
    entropy, gradient = lattice.entropy_gradient()
    assert_close(entropy, -(p * np.log(p)).sum(axis=1))
    assert_close(gradient.unary, p * (np.log(p) + entropy[:, None]))
    assert_close(lattice.subsequence_entropies().unary, p * np.log(p))
