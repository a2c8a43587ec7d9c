"""Weighted CRFs of inputs that are drawn from another distribution than those of the test: covariate shift.

p(y|x) is that of the HMM in both, so everything is exact. The paper's ω = q(x) / N_x asks for nothing but the q of the
test, since N_x / n tends to the distribution that was drawn from; the ratio of the two distributions is what it tends
to (Shimodaira 2000). Without a shift the two are the same, and the paper's Figure 1 is repeated with ρ by
cross-validation of the standard CRF, for all systems alike.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.refitting import Text, fitted_to
from sstag.experiments.samples.hmm import LENGTH
from sstag.experiments.sokolovska2011.shared_draws import validated
from sstag.experiments.sokolovska2011.simulation import STANDARD, TOLERANCE, of_row
from sstag.experiments.sokolovska2011.worlds import EXACT, World, world
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.model.batches import taken
from sstag.training.sentence_weights import of_probabilities

PAPERS, RATIO = "q / N", "ratio"
SYSTEMS = (STANDARD, PAPERS, RATIO)
NO, FLAT, OTHER = "none", "flatter", "another HMM's"  # what is drawn from: q itself, or in proportion to its root
ROOT = 0.5


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    hmm: int,
    shift: str,
    template: str,
    size: int,
    strengths: Sequence[float],
    draws: Sequence[int],
) -> list[Row]:
    """A row for each draw and system, whose errors of labels and of sentences are those of all inputs of the HMM."""
    of = world(of_row(needed[0][0]), needed[0][0]["best"])
    risk, log_q0 = of.risks[template], _drawn_from(of, shift, needed)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        rng = np.random.default_rng([2011, hmm, draw])
        inputs = rng.choice(len(log_q0), size, p=np.exp(log_q0))
        data = taken(risk.inputs.text.data, inputs)
        gold, allowed = labels_of(of, inputs, rng), np.eye(len(of.made.labels), dtype=bool)
        text = Text(replace(data, sets=gold, allowed=allowed), risk.inputs.text.weight_map)
        every = np.arange(size)
        l2 = validated(text, every, strengths, draw)
        for system in SYSTEMS:
            omega = _omega(system, of.log_q[inputs], log_q0[inputs], inputs)
            weighed = replace(text, data=replace(text.data, weights=omega))
            theta = fitted_to(weighed, every, l2, np.zeros(risk.inputs.size), TOLERANCE).theta
            labels = risk.inputs.best(theta)
            errors = {"error": percent(of.error(labels)), "sentence error": percent(sentence_error(of, labels))}
            rows.append({"draw": draw, "system": system, "l2": l2, **errors})
    return rows


def _drawn_from(of: World, shift: str, needed: Sequence[Sequence[Row]]) -> Floats:
    """The logarithm of the distribution of the inputs that are learned from."""  # (X,)
    if shift == NO:
        log_q0 = of.log_q
    elif shift == FLAT:
        log_q0 = ROOT * of.log_q
    else:
        log_q0 = world(of_row(needed[1][0]), needed[1][0]["best"]).log_q
    result: Floats = log_q0 - np.log(np.exp(log_q0).sum())
    return result


def _omega(system: str, log_q: Floats, log_q0: Floats, inputs: Longs) -> Floats | None:
    """The weights of some inputs, with mean 1; None: all alike."""
    if system == STANDARD:
        return None
    _, which, times = np.unique(inputs, return_inverse=True, return_counts=True)
    if system == PAPERS:
        return of_probabilities(log_q, times[which], "mean1", 1.0).omega
    return of_probabilities(log_q - log_q0, np.ones_like(inputs), "mean1", 1.0).omega


def labels_of(of: World, inputs: Longs, rng: np.random.Generator) -> Ints:
    """Labels of some inputs, drawn from the HMM's p(y|x)."""  # (S · n,)
    exact = of.risks[EXACT]
    text = replace(exact.inputs.text, data=taken(exact.inputs.text.data, inputs))
    return np.concatenate([lattice.sample(rng)[0] for _, lattice in text.lattices(exact.best)])


def sentence_error(of: World, labels: Ints) -> float:
    """The share of sequences with a wrong label, on average over all, if these labels are given to the inputs."""
    exact, parts = of.risks[EXACT], []
    for batch, lattice in exact.inputs.text.lattices(exact.best):
        here = np.ascontiguousarray(labels.reshape(-1)[batch.tokens], np.int32)
        parts.append(np.exp(lattice.path_scores(here) - lattice.log_z))
    assert len(labels[0]) == LENGTH
    return float(1 - np.exp(of.log_q) @ np.concatenate(parts))
