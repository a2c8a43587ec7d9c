"""Generalized expectation of steps: raw text in which labels follow one another as often as is known.

    q_m(c) = Σ_{steps of class c of line m} ω p(y_{t−1}, y_t)        N_m = Σ_c q_m(c)        p̃_m = q_m / N_m
    kl:        −Σ_m λ_m Σ_c p̂_m(c) log(p̂_m(c) / p̃_m(c))         ∂/∂q_m(c) = λ_m (p̂_m(c) / q_m(c) − 1 / N_m)
    squared:   −Σ_m λ_m Σ_c (p̂_m(c) − p̃_m(c))²                  ∂/∂q_m(c) = 2 λ_m (d_c − Σ_k d_k p̃_m(k)) / N_m

with d = p̂ − p̃. A line has a class for each thing that it names, such as the steps that keep the label, and one for
the rest; the steps from one label alone are counted if it says so. Of bounds p̂ are the shares within them that are
nearest to p̃, so that shares within the bounds cost nothing; the gradient is that of a fixed p̂. The gradient in
potentials is one covariance with an additive function of steps, O(T L²) for any number of lines. Limit: shares as the
model has them, no gradient.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain.functions import log
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, NumericalError
from sstag.knowledge.share_ranges import nearest_shares
from sstag.knowledge.step_list import StepClasses, StepList, classes, stay
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives import StepParameters
from sstag.training.objectives.contract import Ground


@dataclass(frozen=True, eq=False)
class StepShares:
    """Σ_m λ_m times the distance of p̃_m from p̂_m, negative."""

    lines: Sequence[StepClasses]
    strengths: Floats  # (M,) λ
    names: tuple[str, ...]  # (M,) what errors call them
    distance: str = "kl"

    @property
    def slope(self) -> None:
        """Known only when all batches have been seen."""

    def side(self, data: Dataset, batch: Batch) -> Floats:
        """ω of each sentence."""  # (S,)
        return data.omega[batch.sentences]

    def gather(self, lattice: Lattice, side: Floats) -> Floats:
        steps: Floats = lattice.marginals(side).edge.sum(axis=0)  # (L, L)
        return steps

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros_like(statistics)
        for line, strength, name in zip(self.lines, self.strengths.tolist(), self.names, strict=True):
            own, of_own = distance_of(line, strength, name, statistics, self.distance)
            value += own
            slope += of_own
        return value, slope

    def push(self, lattice: Lattice, side: Floats, slope: Floats) -> Potentials:
        pot = lattice.potentials
        r = pot.with_values(np.zeros_like(pot.unary), np.broadcast_to(slope, pot.edge.shape).copy())
        return lattice.covariance(r, side)

    def curvature(self, lattice: Lattice, side: Floats) -> None:
        """Not concave."""

    def within(self, corpus: Corpus) -> "StepShares":
        return self


def distance_of(line: StepClasses, strength: float, name: str, steps: Floats, distance: str) -> tuple[float, Floats]:
    """−λ D of a line for expected steps (L, L), and its derivative by each of them."""
    slope = np.zeros_like(steps)
    counted = line.cells >= 0
    q = np.bincount(line.cells[counted], steps[counted], len(line.low))
    total = float(q.sum())
    if total <= 0.0:
        return 0.0, slope
    share = q / total
    target = nearest_shares(share, line.low, line.high, distance)
    if distance == "squared":
        away = target - share
        value = -strength * float((away**2).sum())
        of_class = 2.0 * strength * (away - float((away * share).sum())) / total
    else:
        wanted = target > 0.0
        if not q[wanted].all():
            raise NumericalError(f"{name} asks for steps that have probability 0 everywhere")
        ratio = np.divide(share, target, out=np.ones_like(q), where=wanted)
        value = strength * float((np.where(wanted, target, 0.0) * log(ratio)).sum())
        of_class = strength * (np.divide(target, q, out=np.zeros_like(q), where=wanted) - 1.0 / total)
    slope[counted] = of_class[line.cells[counted]]
    return value, slope


def steps(parameters: StepParameters, ground: Ground, opened: StepList | None) -> StepShares:
    """The lines of a list, or what is said of all steps; λ counts each token of the text."""
    if bool(opened) == bool(parameters.stay):
        raise ConfigError(
            "steps needs a list (`steps: {shares: FILE}`) or the share of steps that keep the label (stay)"
        )
    listed = opened or stay(parameters.stay)
    labels = ground.compiled.labels
    return StepShares(
        [classes(line, labels) for line in listed.lines],
        parameters.strength * ground.tokens * np.array([line.strength for line in listed.lines]),
        tuple(f"{listed.path}:{line.line}" for line in listed.lines),
        parameters.distance,
    )
