"""Every output of the lattice equals the enumeration of all label paths, in either domain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.chain import _core
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from tests import oracle
from tests.batches import Batch, batches, random_batch
from tests.compare import assert_close

SETTINGS = settings(max_examples=100, deadline=None)


def in_logs(pot: Potentials, allowed=None) -> Lattice:
    """A lattice all of whose sentences are computed by the log-domain twin."""
    lattice = Lattice(pot, allowed)
    distribution = lattice._distribution
    distribution.forward.in_log[:] = True
    assert _core.forward(pot, distribution.allowed, distribution.edges, distribution.forward) == -1
    return lattice


def random_r(batch: Batch, edges: bool) -> Potentials:
    """An additive function that is not the score."""
    rng, pot = np.random.default_rng(batch.seed + 1), batch.potentials
    return pot.with_values(rng.normal(size=pot.unary.shape), rng.normal(size=pot.edge.shape) * edges)


def check_log_z(lattice, batch, paths):
    assert_close(lattice.log_z, oracle.log_z(paths), magnitude=batch.magnitude)


def check_marginals(lattice, batch, paths):
    truth = oracle.marginals(batch.potentials, paths)
    assert_close(lattice.marginals(), truth, magnitude=batch.magnitude)
    assert_close(lattice.nodes, truth.unary, magnitude=batch.magnitude)


def check_edge_marginals(lattice, batch, paths):
    labels = batch.potentials.unary.shape[1]
    for s, sentence in enumerate(paths):
        assert_close(lattice.edge_marginals(s), oracle.edge_marginals(sentence, labels), magnitude=batch.magnitude)


def check_covariance(lattice, batch, paths):
    for edges in (True, False):
        r = random_r(batch, edges)
        assert_close(lattice.expectation(r), oracle.expectation(paths, r), magnitude=batch.magnitude)
        assert_close(lattice.covariance(r), oracle.covariance(batch.potentials, paths, r), magnitude=batch.magnitude)


def check_covariance_of_score(lattice, batch, paths):
    truth = oracle.covariance(batch.potentials, paths, lattice.score)
    # A probability is off by 1e-16 · magnitude, and multiplies a score of that magnitude.
    assert_close(lattice.covariance(lattice.score), truth, magnitude=batch.magnitude**2, tolerance=1e-13)


def check_weights(lattice, batch, paths):
    """Weight 2 is the sentence twice, weight 0 is no sentence."""
    omega = np.array([2.0, 0.0, -0.5])[: len(paths)]
    r = random_r(batch, True)

    def weighted(weigh):
        return oracle.cliques(batch.potentials, paths, lambda s: omega[paths.index(s)] * weigh(s))

    def spread(s):
        v = oracle.value(r, s.start, s.y)
        return s.p * (v - s.p @ v)

    assert_close(lattice.marginals(omega), weighted(lambda s: s.p), magnitude=batch.magnitude)
    assert_close(lattice.covariance(r, omega), weighted(spread), magnitude=batch.magnitude)
    assert_close(
        lattice.subsequence_entropies(omega),
        weighted(lambda s: oracle.plogp(s.p)),
        magnitude=batch.magnitude**2,
        tolerance=1e-13,
    )


def check_entropy(lattice, batch, paths):
    assert_close(lattice.entropy, oracle.entropy(paths), magnitude=batch.magnitude)
    assert (lattice.entropy >= 0).all()
    tokens = [oracle.span_entropy(s, t, t) for s in paths for t in range(s.start, s.stop)]
    assert_close(lattice.token_entropy, tokens, magnitude=batch.magnitude)


def check_span_entropy(lattice, batch, paths):
    spans = [(s, a, b) for s in paths for a in range(s.start, s.stop) for b in range(a, s.stop)]
    first, last = np.array([a for _, a, _ in spans]), np.array([b for _, _, b in spans])
    truth = [oracle.span_entropy(*span) for span in spans]
    assert_close(lattice.span_entropy(first, last), truth, magnitude=batch.magnitude)


def check_side_entropies(lattice, batch, paths):
    for ours, truth in zip(lattice.side_entropies, oracle.side_entropies(batch.potentials, paths), strict=True):
        assert_close(ours, truth, magnitude=batch.magnitude)


def check_subsequence_entropies(lattice, batch, paths):
    truth = oracle.subsequence_entropies(batch.potentials, paths)
    assert_close(lattice.subsequence_entropies(), truth, magnitude=batch.magnitude**2, tolerance=1e-13)
    by_another_road = lattice.subsequence_entropies() + lattice.marginals(lattice.entropy)
    assert_close(by_another_road, lattice.covariance(lattice.score), magnitude=batch.magnitude**2, tolerance=1e-13)


def check_segment_probabilities(lattice, batch, paths):
    """For any rule that says which steps go on with a segment, and labels outside all of them."""
    labels = batch.potentials.unary.shape[1]
    rng = np.random.default_rng(batch.seed + 2)
    kinds = rng.integers(-1, 2, labels)
    joined = (kinds[:, None] == kinds) & (kinds[:, None] >= 0) & (rng.random((labels, labels)) < 0.6)
    spans = [
        (s, a, b, kind)
        for s in paths
        for a in range(s.start, s.stop)
        for b in range(a + 1, s.stop + 1)
        for kind in sorted({*kinds[kinds >= 0].tolist()})
    ]
    first, stop, kind = (np.array([span[place] for span in spans], np.int64) for place in (1, 2, 3))

    def truth(s, a, b, kind):
        y = np.pad(s.y, ((0, 0), (1, 1)), constant_values=labels)[:, a - s.start : b - s.start + 2]
        goes_on = np.pad(joined, (0, 1))[y[:, :-1], y[:, 1:]]
        there = (kinds[y[:, 1]] == kind) & ~goes_on[:, 0] & goes_on[:, 1:-1].all(axis=1) & ~goes_on[:, -1]
        return s.p[there].sum()

    ours = lattice.segment_probabilities(first, stop, kind, kinds, joined)
    assert_close(ours, [truth(*span) for span in spans], magnitude=batch.magnitude)


def check_viterbi(lattice, batch, paths):
    y, scores = lattice.viterbi()
    for s, sentence in enumerate(paths):
        path, score = oracle.viterbi(sentence)
        assert_close(scores[s], score, magnitude=batch.magnitude)
        assert_close(lattice.path_scores(y)[s], score, magnitude=batch.magnitude)
        ours = y[sentence.start : sentence.stop]
        assert_close(sentence.score[(sentence.y == ours).all(axis=1)], [score], magnitude=batch.magnitude)
        if batch.whole:
            assert ours.tolist() == path.tolist()


def check_k_best(lattice, batch, paths):
    y, _ = lattice.viterbi()
    for s, sentence in enumerate(paths):
        for k in (1, 3, 200):
            ours, scores = lattice.k_best(s, k)
            assert_close(scores, oracle.k_best(sentence, k), magnitude=batch.magnitude)
            assert len(np.unique(ours, axis=0)) == len(ours)
            own = oracle.value(batch.potentials, sentence.start, ours)
            assert_close(own, scores, magnitude=batch.magnitude)
            assert ours[0].tolist() == y[sentence.start : sentence.stop].tolist()


def check_samples(lattice, batch, paths):
    """Only possible paths, and the same ones for the same seed."""
    first, again = lattice.sample(np.random.default_rng(5), 4), lattice.sample(np.random.default_rng(5), 4)
    assert (first == again).all()
    for sentence in paths:
        for row in first:
            match = (sentence.y == row[sentence.start : sentence.stop]).all(axis=1)
            assert sentence.score[match] > -np.inf


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]
both_domains = pytest.mark.parametrize("domain", [Lattice, in_logs], ids=["scaled", "in_logs"])


@both_domains
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
def test_equals_enumeration(check, domain):
    @SETTINGS
    @given(batches())
    def test(batch):
        paths = oracle.sentences(batch.potentials, batch.allowed)
        check(domain(batch.potentials, batch.allowed), batch, paths)

    test()


@SETTINGS
@given(batches())
def test_the_two_domains_agree(batch):
    scaled, logs = Lattice(batch.potentials, batch.allowed), in_logs(batch.potentials, batch.allowed)
    r = random_r(batch, True)
    assert_close(scaled.log_z, logs.log_z, magnitude=batch.magnitude)
    assert_close(scaled.marginals(), logs.marginals(), magnitude=batch.magnitude)
    assert_close(scaled.covariance(r), logs.covariance(r), magnitude=batch.magnitude)
    assert_close(scaled.entropy, logs.entropy, magnitude=batch.magnitude)
    for a, b in zip(scaled.side_entropies, logs.side_entropies, strict=True):
        assert_close(a, b, magnitude=batch.magnitude)


def test_ordinary_scores_stay_scaled():
    """Also with labels that nothing reaches: what is zero because it must be is not lost."""
    rng = np.random.default_rng(0)
    for holes in (0.0, 0.5):
        for masked in (False, True):
            batch = random_batch(rng, 5, [6, 1, 30], 2, scale=10.0, holes=holes, masked=masked)
            lattice = Lattice(batch.potentials, batch.allowed)
            lattice.marginals()
            assert not lattice._distribution.forward.in_log.any()


def test_sampling_has_the_distribution_of_the_paths():
    for domain in (Lattice, in_logs):
        batch = random_batch(np.random.default_rng(3), 3, [3, 2], 2, scale=1.0)
        paths = oracle.sentences(batch.potentials)
        draws = domain(batch.potentials).sample(np.random.default_rng(4), 20000)
        for s in paths:
            counts = [(draws[:, s.start : s.stop] == y).all(axis=1).sum() for y in s.y]
            # Pearson's χ² has mean = degrees of freedom, and 5 standard deviations are a chance of about 1e-5.
            free = len(s.y) - 1
            chi = ((np.array(counts) - 20000 * s.p) ** 2 / (20000 * s.p)).sum()
            assert chi < free + 5 * np.sqrt(2 * free)


def test_begin_and_end_scores_are_unary_scores():
    """score(y) + b(y_1) + z(y_n), T08's S and E labels, for a sentence of one position too."""
    batch = random_batch(np.random.default_rng(0), 3, [3, 1], 1, scale=1.0)
    pot = batch.potentials
    begin, end = np.array([0.5, -np.inf, 2.0]), np.array([1.0, 0.0, -3.0])
    unary = pot.unary.copy()
    unary[pot.offsets[:-1]] += begin
    unary[pot.offsets[1:] - 1] += end
    for s, ours in zip(oracle.sentences(pot), Lattice(pot.with_values(unary, pot.edge)).log_z, strict=True):
        assert_close(ours, oracle.log_sum(s.score + begin[s.y[:, 0]] + end[s.y[:, -1]]))


@SETTINGS
@given(batches(), st.floats(-1000, 1000))
def test_a_constant_at_a_position_changes_nothing_but_log_z(batch, constant):
    pot = batch.potentials
    unary, edge = pot.unary.copy(), pot.edge + constant
    unary[0] += constant
    moved, lattice = Lattice(pot.with_values(unary, edge), batch.allowed), Lattice(pot, batch.allowed)
    lengths = np.diff(pot.offsets)
    shift = constant * (lengths - 1 + (np.arange(len(lengths)) == 0))
    magnitude = batch.magnitude + 6000
    assert_close(moved.log_z, lattice.log_z + shift, magnitude=magnitude)
    assert_close(moved.marginals(), lattice.marginals(), magnitude=magnitude)
    assert_close(moved.entropy, lattice.entropy, magnitude=magnitude)
    r = random_r(batch, True)
    assert_close(moved.covariance(r), lattice.covariance(r), magnitude=magnitude)


@SETTINGS
@given(batches())
def test_sentences_of_a_batch_do_not_touch_each_other(batch):
    pot, whole = batch.potentials, Lattice(batch.potentials, batch.allowed)
    r = random_r(batch, True)
    edge, covariance = np.zeros_like(pot.edge), np.zeros_like(pot.edge)
    for s, (start, stop) in enumerate(zip(pot.offsets[:-1], pot.offsets[1:], strict=True)):
        rows = slice(start, stop)
        one = Potentials(pot.unary[rows], pot.edge, pot.edge_index[rows], np.array([0, stop - start]))
        alone = Lattice(one, None if batch.allowed is None else batch.allowed[rows])
        assert alone.log_z[0] == whole.log_z[s]
        assert (alone.nodes == whole.nodes[rows]).all()
        assert (alone.viterbi()[0] == whole.viterbi()[0][rows]).all()
        own = alone.covariance(Potentials(r.unary[rows], r.edge, one.edge_index, one.offsets))
        assert_close(own.unary, whole.covariance(r).unary[rows])
        edge += alone.marginals().edge
        covariance += own.edge
    assert_close(edge, whole.marginals().edge)
    assert_close(covariance, whole.covariance(r).edge)


@SETTINGS
@given(batches())
def test_singletons_leave_one_path_and_full_masks_all(batch):
    pot = batch.potentials
    y, scores = Lattice(pot, batch.allowed).viterbi()
    only = np.arange(pot.unary.shape[1]) == y[:, None]
    gold = Lattice(pot, only)
    assert_close(gold.log_z, scores, magnitude=batch.magnitude)
    assert_close(gold.nodes, only)
    assert_close(gold.entropy, np.zeros(len(scores)))
    free, full = Lattice(pot), Lattice(pot, np.ones_like(only))
    assert (free.log_z == full.log_z).all()
    assert (free.marginals().edge == full.marginals().edge).all()


@SETTINGS
@given(batches())
def test_restricting_a_lattice_is_building_it_restricted(batch):
    if batch.allowed is not None:
        built = Lattice(batch.potentials, batch.allowed)
        restricted = Lattice(batch.potentials).restricted(batch.allowed)  # nobody else holds the free one
        assert (restricted.log_z == built.log_z).all()
        assert (restricted.marginals().edge == built.marginals().edge).all()


@SETTINGS
@given(batches())
def test_zero_edges_are_maximum_entropy(batch):
    """Positions by themselves: log Z is the sum of theirs, and the entropy too."""
    pot = batch.potentials
    lattice = Lattice(pot.with_values(pot.unary, np.zeros_like(pot.edge)))
    each = np.array([oracle.log_sum(row) for row in pot.unary])
    assert_close(lattice.log_z, np.add.reduceat(each, pot.offsets[:-1]), magnitude=batch.magnitude)
    assert_close(lattice.nodes, np.exp(pot.unary - each[:, None]), magnitude=batch.magnitude)
    assert_close(lattice.entropy, np.add.reduceat(lattice.token_entropy, pot.offsets[:-1]), magnitude=batch.magnitude)


def test_an_hmm_decodes_as_textbook_viterbi():
    """δ_t(j) = max_i δ_{t-1}(i) a_ij b_j(x_t), in probabilities, with back pointers (Rabiner 1989, eq. 32–35)."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        start, step, emit = rng.dirichlet([1] * 4), rng.dirichlet([1] * 4, 4), rng.dirichlet([1] * 6, 4)
        words = rng.integers(0, 6, 9)
        delta, back = start * emit[:, words[0]], []
        for word in words[1:]:
            through = delta[:, None] * step
            back.append(through.argmax(axis=0))
            delta = through.max(axis=0) * emit[:, word]
        path = [int(delta.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        unary = np.log(emit[:, words]).T
        unary[0] += np.log(start)
        pot = Potentials(unary, np.log(step)[None], np.zeros(9, np.int32), np.array([0, 9]))
        y, score = Lattice(pot).viterbi()
        assert y.tolist() == path[::-1]
        assert_close(score[0], np.log(delta.max()))


@SETTINGS
@given(batches())
def test_inputs_are_not_written_to(batch):
    pot, allowed = batch.potentials, batch.allowed
    r = random_r(batch, True)
    before = [x.copy() for x in (pot.unary, pot.edge, pot.edge_index, pot.offsets, r.unary, r.edge)]
    mask = None if allowed is None else allowed.copy()
    lattice = Lattice(pot, allowed)
    lattice.covariance(r), lattice.covariance(lattice.score), lattice.subsequence_entropies(), lattice.entropy
    lattice.viterbi(), lattice.k_best(0, 5), lattice.sample(np.random.default_rng(0))
    after = (pot.unary, pot.edge, pot.edge_index, pot.offsets, r.unary, r.edge)
    assert all((a == b).all() for a, b in zip(before, after, strict=True))
    assert mask is None or (mask == allowed).all()
