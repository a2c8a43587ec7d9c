"""Weighted and standard CRFs of sequences of an HMM, whose q(x) is known exactly (Sokolovska 2011, §4, §6.1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.refitting import Text, fitted_to
from sstag.experiments.samples.hmm import LENGTH, Matrices, errors, sentences
from sstag.experiments.sokolovska2011.worlds import Risk, World, matrices, world
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats, Longs
from sstag.model.batches import taken
from sstag.training.sentence_weights import effective_size, of_probabilities

STANDARD = "standard"
SYSTEMS = (STANDARD, "mean1", "natural")  # the others are scales of the weights
TEST, TRAIN = 0, 1
ARRAYS = ("begin", "steps", "emissions")
FIGURES = ("error", "exact error", "excess", "distance", "distance to prior's")
TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class _Sample:
    """Sequences: the numbers of their inputs, and their labels."""

    inputs: Longs  # (S,)
    labels: Longs  # (S, n)


def known(corpora: Corpora, needed: Sequence[Sequence[Row]], *, hmm: int) -> list[Row]:
    """The HMM of a seed, its Bayes error, and θ* of every template."""
    made = matrices(hmm)
    found = errors(made, LENGTH)
    assert found
    arrays = {name: getattr(made, name).tolist() for name in ARRAYS}
    best = {template: risk.best.tolist() for template, risk in world(made).risks.items()}
    said = {"error": percent(found.of_best_paths), "least error": percent(found.least), "best": best}
    return [{"labels": made.labels, "symbols": made.symbols, **arrays, **said}]


def of_row(row: Row) -> Matrices:
    """The HMM that a row of `known` has."""
    arrays = {name: np.array(row[name]) for name in ARRAYS}
    return Matrices(tuple(row["labels"]), tuple(row["symbols"]), **arrays)


def simulated(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    hmm: int,
    template: str,
    size: int,
    l2: float,
    draws: Sequence[int],
    test: int,
) -> list[Row]:
    """For draws from one to another, what each system makes of so many sequences: a figure per system, in order.

    Errors are per cent of labels, of so many test sequences and of all there could be. Excess is n (E ℓ(θ) − E ℓ(θ*)),
    distance n ‖θ − θ*‖²; the last is to where the prior alone would lead, of which θ* is the limit.
    """
    of = world(of_row(needed[0][0]), needed[0][0]["best"])
    risk, tested = of.risks[template], _sample(of, test, [hmm, TEST])
    drawn_to = risk.shrunk(l2 / size)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        sample = _sample(of, size, [hmm, TRAIN, draw])
        row: Row = {"draw": draw, "effective": round(effective_size(_omega(of, sample, SYSTEMS[1])), 2)}
        figures = [_figures(of, risk, tested, drawn_to, theta) for theta in _fitted(of, risk, sample, l2)]
        scales = (1.0, 1.0, size, size, size)
        for name, scale, values in zip(FIGURES, scales, zip(*figures, strict=True), strict=True):
            row[name] = [float(f"{scale * value:.5g}") for value in values]
        rows.append(row)
    return rows


def _sample(of: World, count: int, seed: Sequence[int]) -> _Sample:
    """Sequences of the HMM; fewer of the same seed are the first of them."""
    symbol, label = ({name: i for i, name in enumerate(names)} for names in (of.made.symbols, of.made.labels))
    drawn = list(sentences(of.made, LENGTH, count, np.random.default_rng([2011, *seed])))
    x = np.array([[symbol[name] for name, _ in one] for one in drawn])
    y = np.array([[label[name] for _, name in one] for one in drawn])
    return _Sample(x @ len(symbol) ** np.arange(LENGTH - 1, -1, -1), y)


def _omega(of: World, sample: _Sample, scale: str) -> Floats:
    _, which, times = np.unique(sample.inputs, return_inverse=True, return_counts=True)
    return of_probabilities(of.log_q[sample.inputs], times[which], scale, 1.0).omega


def _fitted(of: World, risk: Risk, sample: _Sample, l2: float) -> Iterator[Floats]:
    """The weights of every system."""
    whole = risk.inputs.text
    data, every = taken(whole.data, sample.inputs), np.arange(len(sample.inputs))
    gold, allowed = sample.labels.ravel().astype(np.int32), np.eye(len(of.made.labels), dtype=bool)
    for system in SYSTEMS:
        omega = None if system == STANDARD else _omega(of, sample, system)
        weighed = Text(replace(data, sets=gold, allowed=allowed, weights=omega), whole.weight_map)
        yield fitted_to(weighed, every, l2, np.zeros(risk.inputs.size), TOLERANCE).theta


def _figures(of: World, risk: Risk, tested: _Sample, drawn_to: Floats, theta: Floats) -> tuple[float, ...]:
    labels = risk.inputs.best(theta)
    return (
        100 * float((labels[tested.inputs] != tested.labels).mean()),
        100 * of.error(labels),
        risk(theta) - risk.least,
        float(((theta - risk.best) ** 2).sum()),
        float(((theta - drawn_to) ** 2).sum()),
    )
