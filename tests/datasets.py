"""Small random datasets and corpora for tests of objectives and training."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from sstag.chain.potentials import Potentials
from sstag.corpus.coding import Coder
from sstag.corpus.corpus import Corpus
from sstag.features.incidence import Incidence
from sstag.model.batches import in_batches
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import WeightMap


def corpus(sentences, columns=("word", "label"), path="made") -> Corpus:
    """A corpus from lists of rows."""
    rows = [row for sentence in sentences for row in sentence]
    coders = [Coder() for _ in columns]
    codes = tuple(coder.of([str(row[i]).encode() for row in rows]) for i, coder in enumerate(coders[: len(rows[0])]))
    lengths = [len(sentence) for sentence in sentences]
    return Corpus(
        path,
        tuple(columns[: len(codes)]),
        tuple(coder.texts() for coder in coders[: len(codes)]),
        codes,
        np.concatenate([[0], np.cumsum(lengths)]),
        np.arange(1, len(rows) + 1),
    )


def unlabelled(sentences) -> Corpus:
    """A corpus of one column, from lists of words."""
    return corpus([[(word,) for word in sentence] for sentence in sentences], ("word",))


def random_incidence(rng, tokens, attributes, most, weighed=False) -> Incidence:
    sizes = rng.integers(0, most + 1, tokens)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices = rng.integers(0, attributes, indptr[-1]).astype(np.int32)
    return Incidence(indptr, indices, rng.normal(size=len(indices)) if weighed else None)


def no_attributes(tokens) -> Incidence:
    return Incidence(np.zeros(tokens + 1, np.int64), np.zeros(0, np.int32), None)


def random_dataset(rng, labels, lengths, masks="mixed", steps=0) -> Dataset:
    """Random sets of labels: single, mixed, or full; `steps` attributes on steps make edge matrices vary."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = int(offsets[-1])
    single = np.eye(labels, dtype=bool)
    mixed = rng.random((4, labels)) < 0.6
    mixed[np.arange(4), rng.integers(0, labels, 4)] = True
    allowed = np.concatenate([single, mixed, np.ones((1, labels), bool)])
    kind = {"single": (0, labels), "full": (len(allowed) - 1, len(allowed)), "mixed": (0, len(allowed))}[masks]
    sets = rng.integers(*kind, tokens).astype(np.int32)
    if masks == "mixed":  # and some sentences with one label everywhere, or all
        for start, stop in pairwise(offsets):
            sets[start:stop] = [
                rng.integers(0, labels, stop - start),
                sets[start:stop],
                np.full(stop - start, len(allowed) - 1),
            ][rng.integers(0, 3)]
    edge = random_incidence(rng, tokens, steps, 1) if steps else no_attributes(tokens)
    weights = rng.uniform(0.5, 2.0, len(lengths))
    return Dataset(offsets, random_incidence(rng, tokens, 3, 2), edge, sets, allowed, weights)


def random_pairs(rng, attributes, width, share) -> Pairs:
    mask = rng.random((attributes, width)) < share
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return Pairs(indptr, np.nonzero(mask)[1].astype(np.int32))


def random_weight_map(rng, labels, steps, share=0.4) -> WeightMap:
    return WeightMap(
        PairMap(random_pairs(rng, 3, labels, share), labels),
        rng.random((labels, labels)) < 0.7,
        bool(rng.integers(2)),
        bool(rng.integers(2)),
        PairMap(random_pairs(rng, steps, labels * labels, share), labels * labels),
    )


def random_potentials(rng, data, batch, scale=1.0, holes=0.0) -> Potentials:
    """Potentials for a batch of a dataset, some of them −∞; one allowed path of each sentence is left."""
    labels, tokens = data.allowed.shape[1], len(batch.edge_index)
    edge = scale * rng.normal(size=(len(batch.steps.indptr) - 1, labels, labels))
    unary = scale * rng.normal(size=(tokens, labels))
    closed_unary, closed_edge = rng.random(unary.shape) < holes, rng.random(edge.shape) < holes
    path = [rng.choice(np.flatnonzero(row)) for row in data.allowed[data.sets[batch.tokens]]]
    closed_unary[np.arange(tokens), path] = False
    closed_edge[batch.edge_index[1:], path[:-1], path[1:]] = False
    unary[closed_unary], edge[closed_edge] = -np.inf, -np.inf
    return Potentials(unary, edge, batch.edge_index, batch.offsets)


@st.composite
def cases(draw, max_labels=3, max_length=4):
    """A dataset, its batches, and potentials for them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = draw(st.integers(1, max_labels))
    lengths = draw(st.lists(st.integers(1, max_length), min_size=1, max_size=4))
    data = random_dataset(
        rng, labels, lengths, draw(st.sampled_from(["single", "mixed", "full"])), draw(st.integers(0, 2))
    )
    batches = in_batches(data, labels)
    holes = draw(st.sampled_from([0.0, 0.3]))
    return data, batches, [random_potentials(rng, data, batch, holes=holes) for batch in batches]


def unfolded(data: Dataset, attributes: int) -> list[list[int]]:
    """The attributes of each token, with those of its bundles, ascending."""
    return [
        sorted(
            a
            for entry in row(data.unary, token)
            for a in ([entry] if entry < attributes else row(data.bundles, entry - attributes))
        )
        for token in range(data.unary.rows)
    ]


def row(incidence: Incidence, number: int) -> list[int]:
    """The indices of one row."""
    return incidence.indices[slice(*incidence.indptr[number : number + 2])].tolist()
