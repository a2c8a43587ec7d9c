"""What each objective is, written down over all label paths. A new objective needs a line in DEFINITIONS."""

import numpy as np

from sstag.dataset import Incidence
from sstag.lattice import Lattice
from sstag.objectives import objective
from tests import oracle


def likelihood(data, chunks, potentials) -> float:
    """Σ ω (log Z_Λ − log Z)."""
    value = 0.0
    for chunk, pot in zip(chunks, potentials, strict=True):
        allowed = data.allowed[data.sets[chunk.tokens]]
        difference = oracle.log_z(oracle.sentences(pot, allowed)) - oracle.log_z(oracle.sentences(pot))
        value += float(data.weights[chunk.sentences] @ difference)
    return value


CONSTRAINTS = 3


def active(data) -> Incidence:
    """Constraints of a dataset that follow from its label sets: no, one or two of the first two; the third never."""
    has = np.array([data.sets % 2 == 0, data.sets % 3 == 1]).T
    indptr = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    return Incidence(indptr, np.nonzero(has)[1].astype(np.int32), None)


def expectation(data, distance="kl"):
    """An objective with constraints on a dataset; the targets of the second have zeros where there is room for them."""
    labels = data.allowed.shape[1]
    targets = np.linspace(1.0, 3.0, CONSTRAINTS * labels).reshape(CONSTRAINTS, labels)
    targets[1, 1:] = 0.0
    targets /= targets.sum(axis=1, keepdims=True)
    names = tuple(f"constraint {m}" for m in range(CONSTRAINTS))
    return objective(
        "expectation",
        targets=targets,
        weights=np.array([0.7, 2.0, 1.0]),
        active=active(data),
        names=names,
        labels=tuple(map(str, range(labels))),
        distance=distance,
    )


def distances(data, chunks, potentials, distance="kl") -> float:
    """−Σ λ KL(p̂ ‖ p̃) or −Σ λ ‖p̂ − p̃‖², from the probabilities of all paths."""
    made, has = expectation(data), active(data)
    q = np.zeros_like(made.targets)
    for chunk, pot in zip(chunks, potentials, strict=True):
        p = oracle.marginals(pot, oracle.sentences(pot)).unary
        for t in range(len(p)):
            at = chunk.tokens.start + t
            for m in has.indices[has.indptr[at] : has.indptr[at + 1]]:
                q[m] += p[t]
    value = 0.0
    for target, weight, total in zip(made.targets, made.weights, q, strict=True):
        if total.sum() == 0:
            continue
        share = total / total.sum()
        if distance == "kl":
            pairs = [(a, b) for a, b in zip(target, share, strict=True) if a > 0]
            value -= weight * sum(a * np.log(a / b) if b > 0 else np.inf for a, b in pairs)
        else:
            value -= weight * sum((a - b) ** 2 for a, b in zip(target, share, strict=True))
    return float(value)


# name → an instance for a dataset, and its definition; an objective with a choice has a line for each
DEFINITIONS = {
    "likelihood": (lambda data: objective("likelihood"), likelihood),
    "expectation": (expectation, distances),
    "expectation, squared": (
        lambda data: expectation(data, "squared"),
        lambda *case: distances(*case, distance="squared"),
    ),
}


def evaluated(made, data, chunks, potentials):
    """Value and ∂value/∂potentials of an objective over chunks, as the frame computes them."""
    sides = [made.side(data, chunk) for chunk in chunks]
    lattices = [Lattice(pot) for pot in potentials]
    gathered = [made.gather(lattice, side) for lattice, side in zip(lattices, sides, strict=True)]
    value, slope = made.close(np.sum(gathered, axis=0))
    return value, [made.push(lattice, side, slope) for lattice, side in zip(lattices, sides, strict=True)]
