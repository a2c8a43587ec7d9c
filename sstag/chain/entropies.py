"""Entropies of a chain's labellings, in nats: of tokens, of spans, and of either side of a label (methods §2.2)."""

from itertools import pairwise

import numpy as np

from sstag.chain import _core
from sstag.chain.distribution import Distribution
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Ints


def token_entropies(d: Distribution) -> Floats:
    """H(Y_t|x) of every position by itself, (T,)."""
    out = np.empty(len(d.nodes))
    _core.token_entropies(d.nodes, out)
    return out


def conditional_sums(d: Distribution) -> Floats:
    """Σ_{t'≤t} H(Y_t' | Y_t'-1) within the sentence of each t, (T,): a span's sum is the difference of two entries."""
    out = np.empty(len(d.potentials.unary))
    _core.conditional_entropies(*d.passes, out)
    for begin, end in pairwise(d.potentials.offsets.tolist()):  # what stands before a sentence rounds nothing in it
        np.cumsum(out[begin:end], out=out[begin:end])
    return out


def span_entropies(d: Distribution, tokens: Floats, sums: Floats, first: Ints, last: Ints) -> Floats:
    """H(Y_a..Y_b | x) = H(Y_a) + Σ_{a<t≤b} H(Y_t | Y_{t-1}) of each span, from the entropies of tokens and the sums."""
    starts = d.potentials.offsets
    a, b = np.asarray(first), np.asarray(last)
    if (
        not ((a >= 0) & (a <= b) & (b < len(tokens))).all()
        or (np.searchsorted(starts, a, side="right") != np.searchsorted(starts, b, side="right")).any()
    ):
        raise ValueError("a span must lie within one sentence")
    result: Floats = np.asarray(tokens[a] + (sums[b] - sums[a]))
    return result


def side_entropies(d: Distribution) -> tuple[Floats, Floats]:
    """M07 §4: Hα_t(y) = H(Y_1..Y_{t-1} | Y_t=y) and Hβ_t(y) = H(Y_{t+1}..Y_n | Y_t=y), both (T, W), both ≥ 0."""
    h_alpha, h_beta = np.empty_like(d.backward.beta), np.empty_like(d.backward.beta)
    _core.alpha_entropies(*d.passes, h_alpha)
    _core.beta_entropies(*d.passes, h_beta)
    return h_alpha, h_beta


def subsequence_entropies(d: Distribution, h_alpha: Floats, h_beta: Floats, weights: Floats | None) -> Potentials:
    """M07's H^σ of every clique, ω (p log p - p (Hα + Hβ)), from its `side_entropies`."""
    nodes, edge = np.empty_like(d.potentials.unary), np.empty_like(d.potentials.edge)
    _core.subsequence_entropies(*d.passes, d.checked(weights), h_alpha, h_beta, nodes, edge)
    return d.potentials.with_values(nodes, edge)
