"""Where arrays lie in memory changes no bit, nor does what lies beside them; nothing is read behind their ends."""

import ctypes
import mmap
import sys
from collections.abc import Callable

import numpy as np
import pytest

from sstag.chain import _core
from sstag.chain.lattice import Lattice
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.features.incidence import Incidence
from sstag.foundation.ranges import offsets_of
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.training.optimiser.lbfgs import maximised

LAYOUTS = 6
NO_ACCESS = 0  # PROT_NONE


def before_nothing(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Copies each of which ends where memory ends, so that whoever reads on is killed."""
    copies = []
    for array in arrays:
        size = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
        pages = np.frombuffer(mmap.mmap(-1, size + mmap.PAGESIZE), np.uint8)
        end = pages.ctypes.data + size
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(end), mmap.PAGESIZE, NO_ACCESS) == 0
        copies.append(pages[size - array.nbytes : size].view(array.dtype).reshape(array.shape))
        copies[-1][...] = array
    return copies


def relaid(arrays: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Copies close together, or far from one another, in any order."""
    apart = 512 * int(rng.integers(0, 2))
    memory = np.full(sum(array.nbytes + 600 for array in arrays) + 64, 255, np.uint8)  # as numbers these are NaN
    copies: dict[int, np.ndarray] = {}
    place = -memory.ctypes.data % 8
    for index in rng.permutation(len(arrays)).tolist():
        array = arrays[index]
        place += 8 * int(rng.integers(0, 4)) + apart
        copies[index] = memory[place : place + array.nbytes].view(array.dtype).reshape(array.shape)
        copies[index][...] = array
        place += -(-array.nbytes // 8) * 8
    return [copies[index] for index in range(len(arrays))]


class Copied:
    """A struct whose arrays are others."""

    def __init__(self, of: object, copies: dict[int, np.ndarray]) -> None:
        self._of, self._copies = of, copies

    def __getattr__(self, name: str) -> object:
        value = getattr(self._of, name)
        return self._copies.get(id(value), value)


def arrays_of(value: object) -> list[np.ndarray]:
    """An array, or those of a struct."""
    if isinstance(value, np.ndarray):
        return [value]
    names = getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", ())
    return [one for name in names if isinstance(one := getattr(value, name), np.ndarray)]


@pytest.fixture
def differing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The functions that found different bits for the same arrays in different places; there are none in the end."""
    names: set[str] = set()
    rng = np.random.default_rng(5)

    def laid_out(plain: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            own = {id(one): one for value in arguments for one in arrays_of(value) if one.size}
            found = set()
            for layout in range(LAYOUTS):
                guarded = layout == 0 and sys.platform == "linux"
                placed = before_nothing([*own.values()]) if guarded else relaid([*own.values()], rng)
                copies = dict(zip(own, placed, strict=True))
                given = [
                    copies.get(id(value), value)
                    if isinstance(value, np.ndarray) or not arrays_of(value)
                    else Copied(value, copies)
                    for value in arguments
                ]
                result = plain(*given)
                found.add((repr(result), *(copy.tobytes() for copy in copies.values())))
            if len(found) > 1:
                names.add(plain.__name__)
            for key, array in own.items():
                if array.flags.writeable:
                    array[...] = copies[key]
            return result

        return call

    for name, value in list(vars(_core).items()):
        if callable(value) and not name.startswith("_"):
            monkeypatch.setattr(_core, name, laid_out(value))
    return names


@pytest.mark.parametrize("labels", [2, 3, 8, 16, 22])
@pytest.mark.parametrize("lengths", [[1], [5, 1, 3, 7]], ids=str)
def test_of_a_lattice(differing: set[str], labels: int, lengths: list[int]) -> None:
    rng = np.random.default_rng(labels)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    for scale in (1.0, 300.0):
        unary = rng.normal(scale=scale, size=(offsets[-1], labels))
        edge, index = rng.normal(size=(2, labels, labels)), rng.integers(0, 2, offsets[-1])
        lattice = Lattice(Potentials(unary, edge, index.astype(np.int32), offsets))
        weights = rng.uniform(0.5, 2.0, len(lengths))
        lattice.marginals(weights)
        lattice.covariance(lattice.score, weights)
        lattice.subsequence_entropies(weights)
        nothing, last = np.zeros(len(lengths), np.int64), offsets[1:]
        kinds, joined = np.zeros(labels, np.int64), rng.random((labels, labels)) < 0.7
        lattice.segment_probabilities(offsets[:-1], last, nothing, kinds, joined)
        lattice.segment_probabilities(last - 1, last, nothing, kinds, joined)
        lattice.viterbi()
        lattice.k_best(0, 3)
        bits = 1 << np.arange(labels)
        nodes, steps, again = (rng.uniform(size=shape) for shape in (unary.shape, len(unary), labels))
        lattice.penalised(Penalties(nodes, steps, bits, again, bits[:2].copy(), np.ones(2)), 4)
        lattice.sample(rng)
    assert not differing


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_of_the_optimiser(differing: set[str], l1: float) -> None:
    rng = np.random.default_rng(1)
    for weights in (3, 6, 10, 13, 17, 24, 31, 600):
        curvature, mean = rng.uniform(0.5, 50.0, weights), rng.normal(size=weights)

        def function(theta, curvature=curvature, mean=mean):
            away = theta - mean
            return -(curvature * away**2).sum() / 2 - 0.1 * np.cosh(theta).sum(), -curvature * away - 0.1 * np.sinh(
                theta
            )

        maximised(function, np.zeros(weights), l1=l1, metric=lambda theta, h=curvature: h + 1.0, max_iterations=30)
    assert not differing


@pytest.mark.parametrize("labels", [3, 7])
@pytest.mark.parametrize("weighed", [False, True])
def test_of_the_map_between_weights_and_scores(differing: set[str], labels: int, weighed: bool) -> None:
    """Attributes of few labels and of many, and rows of a table that stand behind all attributes, as bundles do."""
    rng = np.random.default_rng(labels)
    attributes, others, tokens, each = 40, 30, 25, 6
    sizes = rng.integers(0, labels + 1, attributes)
    chosen = [np.sort(rng.permutation(labels)[:size]) for size in sizes]
    pairs = PairMap(Pairs(offsets_of(sizes), np.concatenate(chosen).astype(np.int32)), labels)
    own, width = pairs.rows_shape
    row_of = np.append(pairs.row_of, np.arange(own, own + others, dtype=np.int32))
    indices = np.sort(rng.integers(0, attributes + others, (tokens, each)), axis=1).astype(np.int32).ravel()
    values = rng.normal(size=len(indices)) if weighed else None
    bounds = np.arange(0, len(indices) + 1, each, dtype=np.int64)
    entries = pairs.entries(Incidence(bounds, indices, values), row_of)
    theta, table = rng.normal(size=sizes.sum()), rng.normal(size=(own + others, width))
    pairs.fill_rows(theta, table)
    scores = np.zeros((tokens, labels))
    entries.scores(theta, table, scores)
    d, gradient, slopes = rng.normal(size=scores.shape), np.zeros_like(theta), np.zeros_like(table)
    entries.add_gradient(d, slopes, gradient)
    assert (scores * d).sum() == pytest.approx((theta * gradient).sum() + (table * slopes).sum())
    pairs.add_from_rows(slopes, gradient)
    assert not differing
