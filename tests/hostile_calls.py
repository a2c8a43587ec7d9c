"""Calls of the core's functions with arguments that do not fit: each must be a Python error or a proper answer.

python -m tests.hostile_calls 1000000     as many calls; a crash is a fault
"""

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.distribution import Distribution, Segments
from sstag.chain.labelled import MASKED, Labelled
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.model.dense_weights import TokenWeights
from sstag.model.moving_weights import Moving, Paired
from sstag.model.weight_map import Weighing


class EntryArrays(NamedTuple):
    row_first: object
    rows: object
    row_values: object
    pair_first: object
    pairs: object
    labels: object
    pair_values: object


class ExchangeArrays(NamedTuple):
    next_first: object
    next: object
    next_times: object
    before_first: object
    before: object
    before_times: object
    itself: object
    firsts: object
    seconds: object
    cluster: object
    n: object
    transposed: object
    left: object
    right: object
    table: object


class MergingArrays(NamedTuple):
    n: object
    transposed: object
    left: object
    right: object
    alive: object
    own: object
    loss: object
    table: object


def of_clusters(rng: np.random.Generator) -> dict[str, tuple[object, ...]]:
    """Arguments that fit, for the functions that make clusters of words."""
    words, clusters, table = 9, 4, np.zeros(_core.H_TABLE + 1, np.int64)

    def some(most: int, *shape: int) -> np.ndarray:
        return rng.integers(0, most, shape).astype(np.int32)

    first = np.arange(words + 1) * 2
    neighbours = (first, some(words + 2, 2 * words), some(5, 2 * words) + np.int32(1))
    counts = [some(9, *shape) for shape in ((clusters + 2,) * 2, (clusters + 2,) * 2, (clusters + 2,), (clusters + 2,))]
    cluster = np.append(some(clusters + 1, words) - 1, [clusters, clusters + 1]).astype(np.int32)
    exchange = ExchangeArrays(
        *neighbours, *(one.copy() for one in neighbours), *(some(5, words) for _ in range(3)), cluster, *counts, table
    )
    merging = MergingArrays(
        *(one.copy() for one in counts), rng.random(clusters) < 0.9, np.zeros(clusters, np.int64),
        np.zeros((clusters, clusters), np.int64), table,
    )  # fmt: skip
    best = some(clusters, words)
    return {
        "n_log_n": (some(2**31 - 1, 7), np.zeros(7, np.int64)),
        "best_clusters": (exchange, 2, words, best), "exchange": (exchange, 0, words, best),
        "own_sums": (merging,), "losses": (merging, 0, clusters), "merge_nearest": (merging, np.zeros(2, np.int32)),
    }  # fmt: skip


def proper(rng: np.random.Generator) -> dict[str, tuple[object, ...]]:
    """Arguments that fit, for every function."""
    labels, lengths = int(rng.integers(1, 12)), rng.integers(1, 5, int(rng.integers(1, 4)))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens, sentences = int(offsets[-1]), len(lengths)
    matrices = 2 if lengths.max() > 1 else int(rng.integers(0, 3))  # sentences of one token need none
    index = rng.integers(0, max(matrices, 1), tokens).astype(np.int32)
    pot = Potentials(rng.normal(size=(tokens, labels)), rng.normal(size=(matrices, labels, labels)), index, offsets)
    allowed = rng.random((tokens, labels)) < 0.8
    allowed[:, 0] = True
    d = Distribution(pot, allowed, Buffers(), 1 << 30)
    passes, ones = d.passes, np.ones(sentences)
    width = d.forward.alpha.shape[1]
    t, tl, kl, tw = (np.zeros(shape) for shape in (tokens, (tokens, labels), pot.edge.shape, (tokens, width)))
    steps = np.zeros((int(lengths[0]) - 1, labels, labels))
    kinds, n = np.zeros(labels, np.int64), 10
    segments = Segments(
        offsets[:-1].copy(), offsets[1:].copy(), np.zeros(sentences, np.int64), np.arange(labels),
        np.array([0, labels]), np.zeros((labels, labels), bool),
    )  # fmt: skip
    costs = Penalties(
        tl.copy(), t.copy(), kinds, np.zeros(labels), np.zeros(1, np.int64), np.zeros(1),
        np.ones((2, labels), np.int64), np.ones((2, labels)), np.ones((labels, 4)), np.ones((labels, 4)),
    )  # fmt: skip
    rows = np.sort(rng.integers(0, 6, tokens + 1))
    pairs = np.sort(rng.integers(0, 4, tokens + 1))
    entries = EntryArrays(
        rows, rng.integers(0, 3, 6).astype(np.int32), None, pairs, rng.integers(0, n, 4).astype(np.int32),
        rng.integers(0, labels, 4).astype(np.int32), None,
    )  # fmt: skip
    none = np.zeros(0, np.int32)
    lines = EntryArrays(rows, entries.rows, None, np.zeros(tokens + 1, np.int64), none, none, None)
    kind = rng.integers(0, 3, sentences).astype(np.int32)
    labelled = Labelled(
        ones, kind, rng.integers(0, labels, tokens).astype(np.int32), allowed[np.repeat(kind == MASKED, lengths)]
    )
    per_token, per_step = (
        (np.array([0, most, most + 1]), np.append(np.arange(most), 0).astype(np.int32)) for most in (labels, labels**2)
    )

    def moved() -> Moving:
        sizes = labels + 1, labels**2 + 1, labels, labels
        return Moving(*(rng.normal(size=size) for size in sizes), None)

    halves, singles = np.ones((4, 17), np.float16), np.zeros((labels, 32), np.float32)
    numbers = TokenWeights(halves, index, singles[0], singles, np.zeros((labels, 32)))
    more = TokenWeights(np.ones((9, 3), np.float16), index, np.zeros(16, np.float32), singles[:, :16].copy(),
                        np.zeros((labels, 16)))  # fmt: skip
    memory, x = np.zeros((3, n), np.float32), rng.normal(size=n)
    first, indices = np.array([0, 1, 3]), np.array([0, 1, 1], np.int32)
    bounds, row_of, pair_labels = np.array([0, 1, 3]), np.array([0, -1], np.int32), np.zeros(3, np.int32)
    out, slots = np.zeros(n), np.full((8, 2), -1)
    given: dict[str, tuple[object, ...]] = {
        "exponentials": (x, out), "logarithms": (x, out),
        "factor_edges": (pot.edge, d.edges),
        "forward": (pot, allowed, d.edges, d.forward),
        "backward": (pot, allowed, *passes[1:]),
        "node_marginals": (*passes, ones, tl), "edge_counts": (*passes, ones, kl),
        "edge_marginals": (*passes, 0, steps),
        "covariance": (*passes, tl.copy(), kl.copy(), ones, ones.copy(), tl, kl),
        "token_entropies": (np.full_like(tl, 0.1), t), "conditional_entropies": (*passes, t),
        "alpha_entropies": (*passes, tw), "beta_entropies": (*passes, tw),
        "subsequence_entropies": (*passes, ones, tw, tw.copy(), tl, kl),
        "best_suffixes": (pot, allowed, tl),
        "viterbi": (pot, np.zeros_like(tl), np.zeros(tokens, np.int32), ones.copy()),
        "k_best": (pot, 0, d.best_suffixes, np.zeros((3, int(lengths[0])), np.int32), np.zeros(3)),
        "sample": (pot, d.edges, d.forward, rng.random(tokens), np.zeros(tokens, np.int32)),
        "path_scores": (pot, np.zeros(tokens, np.int32), ones.copy()),
        "segment_probabilities": (*passes, segments, ones.copy()),
        "beam": (pot, allowed, costs, np.zeros((2, tokens), np.int32), np.zeros((2, sentences)), lengths * 0),
        "nested_products": (
            pot, 0, np.zeros((int(lengths[0]), labels)), np.zeros((int(lengths[0]), labels, labels)),
            np.zeros((int(lengths[0]), labels, labels)), 1.0, np.zeros((int(lengths[0]), labels)), kl,
        ),
        "count_entries": (bounds, row_of, first, indices, np.zeros(3, np.int64), np.zeros(3, np.int64)),
        "list_entries": (
            bounds, pair_labels, row_of, first, indices, None, np.zeros(1, np.int32), None, np.zeros(4, np.int32),
            np.zeros(4, np.int32), None,
        ),
        "fill_rows": (bounds, pair_labels, row_of, rng.normal(size=3), np.zeros((1, labels))),
        "add_from_rows": (bounds, pair_labels, row_of, rng.normal(size=(1, labels)), np.zeros(3)),
        "scores": (entries, x, rng.normal(size=(3, labels)), tl, False),
        "gradient": (entries, tl, rng.normal(size=(3, width)), out),
        "dense_scores": (rng.normal(size=(tokens, 2)).astype(np.float32), np.zeros((3, labels)), tl),
        "dense_gradient": (np.zeros((tokens, 9)), tl.copy(), np.zeros((10, labels))),
        "token_scores": (numbers, tl.copy()), "token_slopes": (numbers, tl.copy()),
        "fill_keys": (np.arange(3), np.arange(3, dtype=np.int32), slots),
        "look_up": (slots.copy(), np.arange(-2, 4), -1, np.zeros(6, np.int32)),
        "scan_lines": (b"The DT\n\ncat NN\n", np.zeros(4, np.int64), np.zeros(4, np.int32)),
        "code_fields": (
            b"The DT\n\ncat NN\n", np.array([0, 2], np.int32), 7, np.zeros((2, 2), np.int32),
            np.zeros((2, 2, 2), np.int64), np.zeros(2, np.int64),
        ),
        "likelihood": (
            pot, d.edges, labelled, entries, Weighing(x, rng.normal(size=(3, width)), np.zeros(labels), None),
            Weighing(out, np.zeros((3, width)), np.zeros(labels), None), (numbers,), 1.0, ones.copy(), kl,
        ),
        "visit": (
            offsets, labelled, Paired(*per_token, rows, rng.integers(0, 2, 6).astype(np.int32), None),
            Paired(*per_step, pairs, rng.integers(0, 2, 4).astype(np.int32), rng.normal(size=4)),
            np.arange(labels, dtype=np.int32), moved(), moved(), rng.integers(0, sentences, 5), 0.1, 0.01, 3,
            np.zeros(1), np.zeros(5),
        ),
        "expected_lines": (
            pot, d.edges, ones, entries, Weighing(x, rng.normal(size=(3, width)), None, None),
            (numbers._replace(slopes=None),), lines, np.zeros((3, labels)), tw.copy(),
        ),
        "fused_covariance": (
            pot, d.edges, ones, entries, Weighing(x, rng.normal(size=(3, width)), np.zeros(labels), None),
            Weighing(out, np.zeros((3, width)), np.zeros(labels), None), (numbers, more), lines, np.ones((3, labels)),
            rng.random(tw.shape), ones.copy(), kl,
        ),
        "dot": (x, out),
        "products_of_pairs": (memory, memory.copy(), x, out, 0, 2, n, np.zeros((3, 4))),
        "weighed_squares": (memory, x, 0, n, np.zeros((3, 3))),
        "coefficients": (np.ones((3, 4)), np.eye(3), np.eye(3), 1.0, 0, 2, np.zeros(3), np.zeros(3)),
        "combined": (memory, memory.copy(), x, x, 1.0, 0, 2, np.zeros(3), np.zeros(3), 0, n, out),
        "add_pair": (memory, memory.copy(), x, x, x, x, 1, 0, n),
        "move": (x, x, 0.5, out), "move_in_orthant": (x, x, 0.5, x, x > 0, out),
        "penalised_size": (x, None), "pseudo_gradient": (x, x, None, 0.5, out), "align": (out, x, x, x > 0, True),
    }  # fmt: skip
    return given | of_clusters(rng)


class Spoiled:
    """A struct of which one array is another, or missing."""

    def __init__(self, of: object, name: str, value: object) -> None:
        self._of, self._name, self._value = of, name, value

    def __getattr__(self, name: str) -> object:
        if name == self._name:
            if self._value is ...:
                raise AttributeError(name)
            return self._value
        return getattr(self._of, name)


def spoiled_array(array: np.ndarray, others: list[np.ndarray], rng: np.random.Generator) -> object:
    """An array of another type, shape, order, content or place, or something that is none."""
    integers = array.dtype.kind == "i"
    match int(rng.integers(0, 16)):
        case 0:
            kinds = [np.float32, np.int16, np.complex128, "U3", np.int64]
            return np.zeros(array.shape, kinds[int(rng.integers(0, 5))])
        case 1:
            return array[..., None]
        case 2:
            return array.ravel()
        case 3:
            return np.asfortranarray(np.repeat(array, 2, axis=0))[::2]
        case 4:
            return array[:-1]
        case 5:
            return np.concatenate([array, array])
        case 6:
            return array[:0]
        case 7:
            copy = array.copy()
            copy.flags.writeable = False
            return copy
        case 8:
            return others[int(rng.integers(len(others)))]  # shared memory, or of another argument
        case 9:
            raw = np.zeros(array.nbytes + 3, np.uint8)[3 : 3 + array.nbytes]
            return raw.view(array.dtype).reshape(array.shape) if array.nbytes else array
        case 10:
            return [None, 3, "text", b"bytes", [1.0, 2.0], object(), float("nan")][int(rng.integers(0, 7))]
        case 11 if array.size:
            copy = array.copy()
            at = int(rng.integers(array.size))
            odd = [-1, -(2**31), 2**31 - 1, 7, 100] if integers else [np.nan, np.inf, -np.inf, 1e308, -1e-320]
            with np.errstate(all="ignore"):  # a struct's array may be of another type by now
                copy.ravel()[at] = np.array(odd[int(rng.integers(5))]).astype(array.dtype)
            return copy
        case 12 if integers and array.size:
            return rng.permutation(array)
        case 13 if integers:
            return rng.integers(-(2**31), 2**31, array.shape).astype(array.dtype)
        case 14:
            return array.T.copy()
        case _:
            return array.copy()


def spoiled(arguments: tuple[object, ...], rng: np.random.Generator) -> list[object]:
    """Arguments of which some do not fit."""
    arrays = list(_arrays(arguments))
    result = list(arguments)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(result)))
        value = result[at]
        if isinstance(value, np.ndarray):
            result[at] = spoiled_array(value, arrays, rng)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            odd: list[object] = [-1, 0, 1, 2**40, 2**80, 1.5, None, "0", float("nan"), True]
            result[at] = odd[int(rng.integers(len(odd)))]
        elif names := [name for name in _names(value) if isinstance(getattr(value, name, None), np.ndarray)]:
            name = names[int(rng.integers(len(names)))]
            other = ... if rng.random() < 0.05 else spoiled_array(getattr(value, name), arrays, rng)
            result[at] = Spoiled(value, name, other)
        elif type(value) is tuple and value:
            result[at] = tuple(spoiled(value, rng))
    if rng.random() < 0.02:
        result = result[:-1]
    if rng.random() < 0.02:
        result.append(None)
    return result


def _names(value: object) -> tuple[str, ...]:
    return tuple(getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", ()))


def _arrays(arguments: tuple[object, ...]) -> Iterator[np.ndarray]:
    for value in arguments:
        if type(value) is tuple:
            yield from _arrays(value)
        for one in (value, *(getattr(value, name, None) for name in _names(value))):
            if isinstance(one, np.ndarray):
                yield one


def functions() -> dict[str, Callable[..., object]]:
    """Every function of the core, by name."""
    return {name: value for name, value in vars(_core).items() if inspect.isbuiltin(value)}


def called(count: int, seed: int) -> Counter[str]:
    """How calls ended: an answer, or the type of an error. Only errors that say what is wrong are proper."""
    rng, ended = np.random.default_rng(seed), Counter[str]()
    done = 0
    while done < count:
        given = proper(rng)
        for name, function in functions().items():
            for _ in range(8):
                try:
                    function(*spoiled(given[name], rng))
                    ended["answer"] += 1
                except (ValueError, TypeError, AttributeError, MemoryError) as error:
                    ended[type(error).__name__ if str(error) else "silent"] += 1
                done += 1
    return ended


if __name__ == "__main__":
    print(dict(called(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
