"""Sequences of a hidden Markov model whose matrices are known, as in the simulations of Sokolovska (2011, §6.1).

    p(x, y) = p(y_1) · Π_{t≥2} p(y_t|y_{t−1}) · Π_t p(x_t|y_t)          all sequences of one length n

The matrices are given, or each row of them is drawn from a symmetric Dirichlet distribution. Known are then q(x), as
log Z of the model that they make, and the least error that any tagger can have, by adding up all Vⁿ sequences:

    1 − (1/n) Σ_x q(x) Σ_t max_y p(y_t = y|x)          of tokens;   with the label of the best path, what decoding makes
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import corpus_of
from sstag.features.reading import template
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.documents import Document, load_text
from sstag.foundation.errors import ConfigError
from sstag.foundation.strict_yaml import parsed
from sstag.labels.marks import PLAIN
from sstag.model.compiled import compiled
from sstag.model.model import HMM, About, Model
from sstag.model.model import model as model_of
from sstag.model.weight_map import weight_map

LABELS, SYMBOLS, LENGTH, CONCENTRATION = 6, 5, 5, 0.1  # as in the paper; so concentrated that errors of 6 % are common
MOST_SEQUENCES = 200_000  # that are added up
MOST = 1000  # labels, symbols
LEAST_CONCENTRATION = 0.01  # below, too many probabilities are too small
ATTEMPTS = 10_000
TOGETHER = 1000  # sentences
TEMPLATE = "columns: [word, label]\nfeatures: [word[0]]\nedges: [labels, begin]\npairs: all\n"
KEYS = ("labels", "symbols", "begin", "steps", "emissions")


@dataclass(frozen=True, eq=False)
class Matrices:
    """The matrices of an HMM; every row sums to 1."""

    labels: tuple[str, ...]
    symbols: tuple[str, ...]
    begin: Floats  # (L,)
    steps: Floats  # (L, L), [from, to]
    emissions: Floats  # (L, V)


@dataclass(frozen=True)
class Errors:
    """The share of tokens that are wrong, on average over all sequences."""

    least: float  # with the most probable label of each token
    of_best_paths: float


def hmm(count: int, rng: np.random.Generator) -> Iterator[list[tuple[str, str]]]:
    """Random sequences of an HMM that is always the same."""
    return sentences(drawn(np.random.default_rng(1)), LENGTH, count, rng)


def drawn(
    rng: np.random.Generator, labels: int = LABELS, symbols: int = SYMBOLS, concentration: float = CONCENTRATION
) -> Matrices:
    """Random matrices; rows with a probability too small for a number are drawn again."""
    if not LEAST_CONCENTRATION <= concentration < math.inf:
        raise ConfigError(f"a concentration is a number from {LEAST_CONCENTRATION} up, not {concentration}")

    def rows(count: int, size: int) -> Floats:
        made = rng.dirichlet(np.full(size, concentration), count)
        while not (small := made > np.finfo(float).tiny).all():
            wrong = np.flatnonzero(~small.all(axis=1))
            made[wrong] = rng.dirichlet(np.full(size, concentration), len(wrong))
        return made

    names = tuple(
        f"{letter}{number}" for letter, size in (("y", labels), ("x", symbols)) for number in range(1, size + 1)
    )
    return Matrices(names[:labels], names[labels:], rows(1, labels)[0], rows(labels, labels), rows(labels, symbols))


def drawn_with_error(draw: Callable[[], Matrices], length: int, least: float, most: float) -> Matrices:
    """The first of random matrices whose error of best paths lies between two bounds."""
    for _ in range(ATTEMPTS):
        made = draw()
        found = errors(made, length)
        if found is None:
            raise ConfigError(f"too many sequences to add up their error (at most {MOST_SEQUENCES:,})")
        if least <= found.of_best_paths <= most:
            return made
    raise ConfigError(f"none of {ATTEMPTS:,} draws has an error from {100 * least:g} to {100 * most:g} %: other sizes?")


def errors(made: Matrices, length: int) -> Errors | None:
    """The exact errors; None if there are too many sequences."""
    if len(made.symbols) ** length > MOST_SEQUENCES:
        return None
    shape = (len(made.symbols),) * length
    x = np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1).astype(np.int32)
    lattice = Lattice(_potentials(made, x.ravel(), np.arange(0, x.size + 1, length)))
    q = np.repeat(np.exp(lattice.log_z), length) / length
    labels, _ = lattice.viterbi()
    nodes = lattice.nodes
    least, best = nodes.max(axis=1), nodes[np.arange(len(labels)), labels]
    return Errors(float((q * (1 - least)).sum()), float((q * (1 - best)).sum()))


def _potentials(made: Matrices, x: Ints, offsets: Longs) -> Potentials:
    unary = np.log(made.emissions.T)[x]
    unary[offsets[:-1]] += np.log(made.begin)
    return Potentials(unary, np.log(made.steps)[None], np.zeros(len(x), np.int32), offsets)


def sentences(made: Matrices, length: int, count: int, rng: np.random.Generator) -> Iterator[list[tuple[str, str]]]:
    """So many sequences, each a list of (symbol, label); the first of a longer stream are the shorter stream."""
    steps, emissions = np.cumsum(made.steps, axis=1), np.cumsum(made.emissions, axis=1)
    begin = np.broadcast_to(np.cumsum(made.begin), (len(made.labels), len(made.labels)))
    for done in range(0, count, TOGETHER):
        uniform = rng.random((TOGETHER, length, 2))
        y, x = np.zeros((2, TOGETHER, length), np.int64)
        for t in range(length):
            y[:, t] = _chosen((begin if t == 0 else steps)[y[:, t - 1]], uniform[:, t, 0])
            x[:, t] = _chosen(emissions[y[:, t]], uniform[:, t, 1])
        for labels, symbols in zip(y[: count - done].tolist(), x[: count - done].tolist(), strict=True):
            yield [(made.symbols[v], made.labels[i]) for v, i in zip(symbols, labels, strict=True)]


def _chosen(cumulated: Floats, uniform: Floats) -> Longs:
    """For each row of cumulated probabilities the first that is above a number from 0 to 1."""
    result: Longs = np.minimum((cumulated <= uniform[:, None]).sum(axis=1), cumulated.shape[1] - 1)
    return result


def model(made: Matrices) -> Model:
    """The HMM as a tagger: it decodes as well as possible, and its log Z is log q(x)."""
    size = max(len(made.labels), len(made.symbols))
    every = [(made.symbols[i % len(made.symbols)], made.labels[i % len(made.labels)]) for i in range(size)]
    found = compiled(template(TEMPLATE, "hmm"), corpus_of([every], ("word", "label")), marks=PLAIN)
    label = [made.labels.index(name) for name in found.labels]
    symbol = [made.symbols.index(text.partition("=")[2]) for text in found.unary.texts()]
    theta = np.zeros(weight_map(found).size)
    parts = weight_map(found).parts(theta)
    parts["unary"][:] = np.log(made.emissions.T[np.ix_(symbol, label)]).ravel()
    parts["steps"][:] = np.log(made.steps[np.ix_(label, label)]).ravel()
    parts["begin"][:] = np.log(made.begin[label])
    about: About = {"method": "hmm", "parameters": {}, "converged": True, "reason": "its matrices are known"}
    return replace(model_of(found, theta, about, kind=HMM), scheme="plain")


def written(made: Matrices) -> bytes:
    """The matrices as a file that `read` takes; every number is exactly what it was."""
    lines = [f"{name}: [{', '.join(map(_quoted, getattr(made, name)))}]" for name in ("labels", "symbols")]
    lines.append(f"begin: {made.begin.tolist()}")
    for name in ("steps", "emissions"):
        lines += [f"{name}:", *(f"  - {row}" for row in getattr(made, name).tolist())]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read(path: str) -> Matrices:
    """The matrices in a settings file: labels, symbols, begin, steps and emissions, the last two a list of lists."""
    document = parsed(load_text(path), path)
    document.mapping(KEYS)
    labels, symbols = (_names(document, key) for key in ("labels", "symbols"))
    rows = partial(_rows, document)
    return Matrices(
        labels,
        symbols,
        rows("begin", [document.get("begin")], 1, len(labels))[0],
        rows("steps", document.get("steps"), len(labels), len(labels)),
        rows("emissions", document.get("emissions"), len(labels), len(symbols)),
    )


def _names(document: Document, key: str) -> tuple[str, ...]:
    names = tuple(document.texts(key))
    if not 1 <= len(names) <= MOST or len(set(names)) < len(names) or any(name.split() != [name] for name in names):
        raise document.error(f"'{key}' are different names without blanks, at most {MOST:,}", key)
    return names


def _rows(document: Document, key: str, given: object, count: int, size: int) -> Floats:
    """Rows of probabilities; each has to sum to 1, and may be off by what is lost in writing it."""
    rows: Sequence[object] = given if isinstance(given, list) else []
    for number, row in enumerate(rows):
        place = (key,) if key == "begin" else (key, number)
        if not isinstance(row, list) or len(row) != size or any(type(p) not in (int, float) for p in row):
            raise document.error(f"'{key}': a row is a list of {size} numbers", *place)
        if not all(0 < p <= 1 for p in row) or abs(sum(row) - 1) > 1e-6:
            raise document.error(f"'{key}': a row has probabilities above 0 whose sum is 1", *place)
    if len(rows) != count:
        raise document.error(f"'{key}' needs a row for each of the {count} labels", key)
    made = np.array(rows, np.float64)
    result: Floats = made if (np.abs(made.sum(axis=1) - 1) < 1e-12).all() else made / made.sum(axis=1, keepdims=True)
    return result
