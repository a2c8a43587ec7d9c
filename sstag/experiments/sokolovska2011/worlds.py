"""HMMs of which everything is known (Sokolovska 2011, §6.1), and CRFs whose risk is known exactly.

A CRF has the weights θ and the features f. Over all Vⁿ inputs of length n, with q(x) and p(y|x) those of the HMM,

    E ℓ(θ) = Σ_x q(x) log Z_θ(x) − ⟨θ, C⟩         C = Σ_x q(x) E[f(x, Y) | x]

θ* is where it is least. Every HMM is a CRF of steps that depend on the symbol, whose weights are its logarithms; of
single symbols the best p(y|x) is the share of the label among the occurrences of the symbol. Of all weights that make
the same p(y|x), those of least norm are the projection onto the span of the differences f(x, y) − f(x, y′): what is
fitted with a prior lies there already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from sstag.corpus.corpus import corpus_of
from sstag.experiments.corpora import shipped_template
from sstag.experiments.refitting import Text
from sstag.experiments.samples.hmm import LENGTH, Matrices, drawn, drawn_with_error
from sstag.foundation.arrays import Floats, Ints
from sstag.model.batches import taken
from sstag.model.compiled import compiled
from sstag.model.weight_map import Gradient, Weights, total, weight_map
from sstag.training.optimiser.lbfgs import maximised

LEAST, MOST = 0.05, 0.07  # the Bayes error; the paper: about 6 %
EXACT, UNIGRAMS = "symbols", "unigrams"  # templates: one that holds the HMM, and one that does not
ENOUGH = 100  # of 3,125 inputs
NULL = 1e-9  # of the largest eigenvalue
PRECISE = 1e-9


def matrices(seed: int) -> Matrices:
    """The first matrices of a seed whose Bayes error is about that of the paper."""
    rng = np.random.default_rng([2011, seed])
    return drawn_with_error(lambda: drawn(rng), LENGTH, LEAST, MOST)


@dataclass(frozen=True, eq=False)
class Inputs:
    """All Vⁿ inputs, input i in the base of V, as the features of a CRF see them."""

    text: Text
    symbols: tuple[Ints, Ints, Ints]  # the attributes of each symbol: anywhere, at first, of the step to it

    @property
    def size(self) -> int:
        """The number of weights."""
        return self.text.weight_map.size

    def best(self, theta: Floats) -> Ints:
        """The labels of the best path of each input."""  # (X, n)
        return self.text.best(theta).reshape(-1, LENGTH)

    def expected(self, theta: Floats, q: Floats) -> Floats:
        """Σ_x q(x) E[f(x, Y) | x]."""
        gradient = Gradient(self.text.map)
        for chunk, lattice in self.text.lattices(theta):
            gradient.add(lattice.marginals(q[chunk.sentences]), chunk)
        return total([gradient])

    def identified(self, inputs: int = ENOUGH) -> Floats:
        """Orthonormal directions in which some p(y|x) changes: in which f varies, all labels being alike.

        So many inputs are looked at, spread over all: pairs of symbols at every place are enough.
        """  # (n, m)
        every = len(self.text.data.offsets) - 1
        some = replace(self.text, data=taken(self.text.data, np.arange(0, every, max(every // inputs, 1))))
        zero, covariances = np.zeros(self.size), []
        for unit in np.eye(len(zero)):
            gradient, r = Gradient(some.map), Weights(some.map, unit)
            for chunk, lattice in some.lattices(zero):
                gradient.add(lattice.covariance(r.potentials(chunk)), chunk)
            covariances.append(total([gradient]))
        values, vectors = np.linalg.eigh(np.stack(covariances))
        result: Floats = vectors[:, values > NULL * values.max()]
        return result

    def least_norm(self, theta: Floats) -> Floats:
        """The weights of least norm with the same p(y|x)."""
        directions = self.identified()
        result: Floats = directions @ (directions.T @ theta)
        return result


@dataclass(frozen=True, eq=False)
class Risk:
    """E ℓ(θ) of the CRFs of a template under an HMM."""

    inputs: Inputs
    q: Floats  # (X,)
    expected: Floats  # C
    best: Floats  # θ* of least norm

    def __call__(self, theta: Floats) -> float:
        log_z = np.concatenate([lattice.log_z for _, lattice in self.inputs.text.lattices(theta)])
        return float(self.q @ log_z - theta @ self.expected)

    @cached_property
    def least(self) -> float:
        return self(self.best)

    def shrunk(self, strength: float) -> Floats:
        """Where E ℓ(θ) + strength/2 ‖θ‖² is least: what a prior tends to."""

        def value(theta: Floats) -> tuple[float, Floats]:
            gradient = self.expected - self.inputs.expected(theta, self.q) - strength * theta
            return -self(theta) - 0.5 * strength * float(theta @ theta), gradient

        zero = np.zeros(len(self.expected))
        return maximised(value, zero, gradient_tolerance=1e-6, value_tolerance=PRECISE).theta


@dataclass(frozen=True, eq=False)
class World:
    """An HMM, all its inputs, and the risks of CRFs by template."""

    made: Matrices
    log_q: Floats  # (X,)
    nodes: Floats  # (X, n, L) p(y_t|x)
    risks: dict[str, Risk]

    def error(self, labels: Ints) -> float:
        """The share of labels that are wrong, on average over all sequences, if these are given to the inputs."""
        right = np.take_along_axis(self.nodes, labels[:, :, None], axis=2)[:, :, 0]
        return float(1 - np.exp(self.log_q) @ right.mean(axis=1))


def world(made: Matrices, best: Mapping[str, Sequence[float]] | None = None) -> World:
    """The world of an HMM; `best` has θ* by template, if it is known already."""
    exact, unigrams = (_inputs(made, template) for template in (EXACT, UNIGRAMS))
    theta = _logarithms(made, exact)
    log_q = np.concatenate([lattice.log_z for _, lattice in exact.text.lattices(theta)])
    nodes = np.concatenate([lattice.nodes for _, lattice in exact.text.lattices(theta)])
    q = np.exp(log_q)
    counts = exact.expected(theta, q)
    own = counts[: unigrams.size]  # weights of single symbols come first, in the same order

    def risk(template: str, of: Inputs, expected: Floats, somewhere: Floats) -> Risk:
        return Risk(of, q, expected, np.array(best[template]) if best else of.least_norm(somewhere))

    risks = {
        EXACT: risk(EXACT, exact, counts, theta),
        UNIGRAMS: risk(UNIGRAMS, unigrams, own, _shares(unigrams, own)),
    }
    return World(made, log_q, nodes.reshape(len(q), LENGTH, -1), risks)


def _inputs(made: Matrices, template: str) -> Inputs:
    every = [list(one) for one in product(made.symbols, repeat=LENGTH)]
    how = shipped_template(f"sokolovska2011/{template}")
    found = compiled(how, None, corpus_of(every, ("word",)), known=made.labels)
    assert found.unlabelled is not None

    def symbols(texts: list[str], beginning: str) -> Ints:
        """The attribute of each symbol."""
        return np.array([texts.index(f"{beginning}={symbol}") for symbol in made.symbols], np.int32)

    unary, edge = found.unary.texts(), found.edge.texts()
    steps = symbols(edge, "word[0]") if edge else np.zeros(0, np.int32)
    places = symbols(unary, "word[0]"), symbols(unary, "first() | word[0]"), steps
    return Inputs(Text(found.unlabelled, weight_map(found)), places)


def _logarithms(made: Matrices, inputs: Inputs) -> Floats:
    """The weights of the CRF that is the HMM; its log Z is log q(x)."""
    theta = np.zeros(inputs.size)
    parts, (symbol, first, step) = inputs.text.weight_map.parts(theta), inputs.symbols
    unary = parts["unary"].reshape(-1, len(made.labels))
    unary[symbol] = np.log(made.emissions.T)
    unary[first] = np.log(made.begin)
    parts["edge"].reshape(-1, made.steps.size)[step] = np.log(made.steps).ravel()
    return theta


def _shares(inputs: Inputs, counts: Floats) -> Floats:
    """The weights of single symbols whose p(y|x) are the shares of the labels at first and at other places."""
    theta = np.zeros(inputs.size)
    symbol, first, _ = inputs.symbols
    unary, count = (inputs.text.weight_map.parts(one)["unary"].reshape(len(symbol) * 2, -1) for one in (theta, counts))
    unary[symbol] = np.log(count[symbol] - count[first])
    unary[first] = np.log(count[first]) - unary[symbol]
    return theta
