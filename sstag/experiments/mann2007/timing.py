"""Seconds per value and gradient on generated text, one size after another, the systems in turn.

Every token has so many attributes, each of its slot one of VALUES; all pairs of them and labels have a weight. Each
system evaluates the same sentences at the same weights, in one thread: the likelihood of random labels, or the entropy.
"""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Row
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import one_by_one
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import WeightMap
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.likelihood import Likelihood

SUPERVISED, NESTED = "supervised", "nested"
SYSTEMS = (SUPERVISED, "covariance", "constrained", NESTED)
VALUES = 100  # of each slot
CELLS = 60_000  # about how many tokens × labels an evaluation has
STEPS = 300_000_000  # about how many products the nested one has at least
ROUNDS = 15  # evaluations of each system at most; the fastest counts
PATIENCE = 1.0  # seconds of evaluations of a system at one size, after which there are no more
LIMIT = 60.0  # seconds of an evaluation; what would take longer is not run


def timed(
    corpora: Corpora, needed: Sequence[list[Row]], *, across: str, sizes: Sequence[int], other: int, attributes: int
) -> list[Row]:
    """A row for each size and system: the seconds of its fastest evaluation, for each sentence."""
    rows: list[Row] = []
    for size in sizes:
        length, labels = (size, other) if across == "length" else (other, size)
        sentences = max(1, CELLS // (length * labels))
        found: dict[str, float] = {}
        running = [name for name in SYSTEMS if _expected(rows, name, size) <= LIMIT]
        evaluations = dict(_evaluations(running, sentences, length, labels, attributes))
        spent = dict.fromkeys(evaluations, 0.0)
        for name, (evaluate, _) in evaluations.items():
            if _expected(rows, name, size) < PATIENCE:
                evaluate()  # kernels and memory are made
        for _ in range(ROUNDS):
            for name, (evaluate, count) in evaluations.items():
                if spent[name] < PATIENCE:
                    seconds = evaluate()
                    spent[name] += seconds
                    found[name] = min(found.get(name, np.inf), seconds / count)
        rows += [{"size": size, "system": name, "seconds": seconds} for name, seconds in found.items()]
    return rows


def _expected(rows: Sequence[Row], system: str, size: int) -> float:
    """The seconds that a system will take, as far as the last two sizes tell."""
    before = [(row["size"], row["seconds"]) for row in rows if row["system"] == system][-2:]
    if len(before) < 2:
        return 0.0
    (a, first), (b, second) = before
    return float(second * (size / b) ** (np.log(second / first) / np.log(b / a)))


def _evaluations(
    names: Sequence[str], sentences: int, length: int, labels: int, attributes: int
) -> Iterator[tuple[str, tuple[Callable[[], float], int]]]:
    """For each system what runs it once and says how long that took, and how many sentences it was."""
    for name in names:
        count = max(1, min(sentences, STEPS // (length**2 * labels**3))) if name == NESTED else sentences
        data, weight_map = generated(count, length, labels, attributes)
        theta = np.random.default_rng(1).normal(size=weight_map.size) / np.sqrt(attributes)
        one = Likelihood() if name == SUPERVISED else Entropy(gamma=1.0, algorithm=name)
        criterion = Criterion(weight_map, [Part(data, (one,))], 1.0, one_by_one)
        yield name, (_timer(criterion, theta), count)


def _timer(criterion: Criterion, theta: Floats) -> Callable[[], float]:
    def evaluate() -> float:
        start = time.perf_counter()
        criterion(theta)
        return time.perf_counter() - start

    return evaluate


def generated(sentences: int, length: int, labels: int, attributes: int) -> tuple[Dataset, WeightMap]:
    """Sentences of one length with random attributes and labels, and the weights for them."""
    rng = np.random.default_rng([sentences, length, labels, attributes])
    tokens, count = sentences * length, attributes * VALUES
    indices = rng.integers(VALUES, size=(tokens, attributes)) + VALUES * np.arange(attributes)
    data = Dataset(
        offsets=length * np.arange(sentences + 1),
        unary=Incidence(attributes * np.arange(tokens + 1), indices.astype(np.int32).ravel(), None),
        edge=Incidence(np.zeros(tokens + 1, np.int64), np.zeros(0, np.int32), None),
        sets=rng.integers(labels, size=tokens).astype(np.int32),
        allowed=np.eye(labels, dtype=bool),
    )
    every = Pairs(labels * np.arange(count + 1), np.tile(np.arange(labels, dtype=np.int32), count))
    none = Pairs(np.zeros(1, np.int64), np.zeros(0, np.int32))
    steps = np.ones((labels, labels), bool)
    return data, WeightMap(PairMap(every, labels), steps, True, True, PairMap(none, labels * labels))
