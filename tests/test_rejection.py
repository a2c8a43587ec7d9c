"""Chunks that are there, or are not, in every scheme: the larger chain beside the enumeration of all labellings."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sstag.chain.chunk_automaton import KnownChunks, automata
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.labels.schemes.rules import SCHEMES
from sstag.labels.schemes.tagset import chunks, labels_of_types, tagset
from sstag.model.batches import in_batches
from sstag.model.dataset import Dataset
from sstag.training.objectives.rejection import Rejection
from tests import oracle
from tests.batches import random_batch
from tests.compare import assert_close, assert_gradient
from tests.datasets import no_attributes
from tests.definitions import evaluated

SETTINGS = settings(max_examples=60, deadline=None)


def tags_of(scheme, types=("X", "Y")):
    return tagset(["O", *labels_of_types(types, scheme)], scheme)


def known(tags, spans):
    first, stop, kind, accepted = np.array(sorted(spans), np.int64).reshape(-1, 4).T
    count = len(tags.labels)
    return KnownChunks(first, stop, kind, accepted.astype(bool), tags.type[:count], tags.joined)


def agreeing(tags, one, spans):
    """Which labellings of a sentence have every accepted chunk and no rejected one."""
    mine = {(a - one.start, b - one.start, kind, there) for a, b, kind, there in spans if one.start <= a < one.stop}
    result = []
    for y in one.y:
        found = chunks(tags, y.astype(np.int32), np.array([0, len(y)]))
        here = set(zip(found.first.tolist(), found.stop.tolist(), found.type.tolist(), strict=True))
        result.append(all(((a, b, kind) in here) == there for a, b, kind, there in mine))
    return np.array(result)


@st.composite
def questions(draw, scheme):
    """A batch in a scheme, with up to six spans, of which some are accepted."""
    tags = tags_of(scheme, ("X",) if scheme in ("bioes", "bmes") else ("X", "Y"))
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    masked, holes = draw(st.booleans()), draw(st.sampled_from([0.0, 0.2]))
    batch = random_batch(
        rng, len(tags.labels), lengths, 2, draw(st.sampled_from([1.0, 30.0, 1000.0])), holes, False, masked
    )
    spans = set()
    for _ in range(draw(st.integers(1, 6))):
        sentence = draw(st.integers(0, len(lengths) - 1))
        first = draw(st.integers(0, lengths[sentence] - 1))
        stop = draw(st.integers(first + 1, lengths[sentence]))
        begin = int(batch.potentials.offsets[sentence])
        spans.add((begin + first, begin + stop, draw(st.integers(0, len(tags.types) - 1)), draw(st.booleans())))
    return tags, batch, sorted(spans)


@pytest.mark.parametrize("scheme", SCHEMES)
@SETTINGS
@given(data=st.data())
def test_the_larger_chain_has_the_labellings_that_are_left(scheme, data):
    tags, batch, spans = data.draw(questions(scheme))
    pot = batch.potentials
    every = oracle.sentences(pot, batch.allowed)
    left = [np.where(agreeing(tags, one, spans), one.score, -np.inf) for one in every]
    assume(all(one.max() > -np.inf for one in left))
    made = automata(known(tags, spans), pot.edge_index, pot.offsets, batch.allowed)
    assert sorted(s for one in made for s in one.sentences.tolist()) == sorted(
        {s for s, one in enumerate(every) for a, *_ in spans if one.start <= a < one.stop}
    )
    for one in made:
        lattice = Lattice(one.potentials(pot))
        truth = np.array([oracle.log_sum(left[s]) for s in one.sentences])
        assert_close(lattice.log_z, truth, magnitude=batch.magnitude)
        unary, edge = np.zeros_like(pot.unary), np.zeros_like(pot.edge)
        one.add(lattice.marginals(), unary, edge)
        chosen = [oracle.Sentence(every[s].start, every[s].stop, every[s].y, left[s]) for s in one.sentences]
        assert_close(pot.with_values(unary, edge), oracle.marginals(pot, chosen), magnitude=batch.magnitude)


def one_sentence(length, labels, seed=0):
    rng = np.random.default_rng(seed)
    none = no_attributes(length)
    data = Dataset(np.array([0, length]), none, none, None, np.zeros((0, labels), bool))
    (batch,) = in_batches(data, labels)
    edge = rng.normal(size=(1, labels, labels))
    return data, batch, Potentials(rng.normal(size=(length, labels)), edge, batch.edge_index, batch.offsets)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_rejected_chunk_is_the_logarithm_of_the_rest(scheme):
    tags = tags_of(scheme)
    data, batch, pot = one_sentence(7, len(tags.labels))
    count = len(tags.labels)
    asked = np.array([2]), np.array([5]), np.array([1])
    p = Lattice(pot).segment_probabilities(*asked, tags.type[:count], tags.joined)
    made = Rejection(known(tags, [(2, 5, 1, 0)]))
    value, (d,) = evaluated(made, data, [batch], [pot])
    assert_close(value, np.log1p(-p[0]))
    assert_gradient(lambda at: evaluated(made, data, [batch], [at])[0], pot, d)


def test_several_rejected_chunks_are_no_product():
    """That tokens 2 and 3 are one name excludes that token 3 alone is one: the probabilities of chunks add here."""
    tags = tags_of("bioes", ("X",))
    data, batch, pot = one_sentence(4, len(tags.labels), 1)
    spans = [(1, 3, 0, 0), (2, 3, 0, 0)]
    alone = [evaluated(Rejection(known(tags, [span])), data, [batch], [pot])[0] for span in spans]
    together = evaluated(Rejection(known(tags, spans)), data, [batch], [pot])[0]
    assert_close(np.expm1(together), sum(map(np.expm1, alone)))
    assert abs(together - sum(alone)) > 1e-4


def test_many_rejected_chunks_of_one_sentence():
    """Every chunk that there can be, but for those of one token: what is left has none that is longer."""
    tags = tags_of("iob2", ("X",))
    data, batch, pot = one_sentence(6, len(tags.labels), 2)
    spans = [(a, b, 0, 0) for a in range(6) for b in range(a + 2, 7)]
    value, (d,) = evaluated(Rejection(known(tags, spans)), data, [batch], [pot])
    inside = tags.labels.index("I-X")
    alone = np.where(tags.inside[:3, None] & (np.arange(3) == inside), -np.inf, pot.edge)
    assert_close(value, Lattice(pot.with_values(pot.unary, alone)).log_z[0] - Lattice(pot).log_z[0])
    assert_gradient(lambda at: evaluated(Rejection(known(tags, spans)), data, [batch], [at])[0], pot, d)
