"""The likelihood with a cost for each wrong label: the softmax-margin (Gimpel & Smith 2010).

    ℓ = Σ_i ω_i (log Z_Λ(i) − log Σ_y exp(score(y) + Σ_t c(t, y_t)))
    c(t, y) = c_g if the label of t is g and y is another one, else 0
    ∂/∂potentials = ω_i · (marginals under Λ − marginals with the costs)

c_g is what it costs not to find label g: labellings that miss it have to be less probable by as much, and so dear
labels are found more often. Undecided tokens have no cost. Cost: a pass over the sentences, and one over what they
allow. Limit: with all costs 0 it is the likelihood. The labels that a tagger of it finds are the best ones by score
alone.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats
from sstag.knowledge.label_costs import UNNAMED, LabelCosts
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives import MarginParameters
from sstag.training.objectives.contract import Ground


@dataclass(frozen=True, eq=False)
class CostlySide:
    """The sentences of a batch: ω, 0 where nothing is labelled; what is allowed; and the costs."""

    weights: Floats  # (S,)
    allowed: Bools  # (T, L)
    costs: Floats  # (T, L)


@dataclass(frozen=True, eq=False)
class Margin:
    """ℓ, with the costs of missing each label, (L,)."""

    costs: Floats

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> CostlySide:
        count, tokens = len(self.costs), batch.tokens.stop - batch.tokens.start
        allowed = np.ones((tokens, count), bool) if data.sets is None else data.allowed[data.sets[batch.tokens]]
        single = allowed.sum(axis=1) == 1
        gold = allowed.argmax(axis=1)
        costs = np.where(single[:, None] & ~allowed, self.costs[gold][:, None], 0.0)
        return CostlySide(np.where(data.free[batch.sentences], 0.0, data.omega[batch.sentences]), allowed, costs)

    def gather(self, lattice: Lattice, side: CostlySide) -> Floats:
        under, against = _both(lattice, side)
        return np.array([(side.weights * (under.log_z - against.log_z)).sum()])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: CostlySide, slope: Floats) -> Potentials:
        under, against = _both(lattice, side)
        weights = float(slope[0]) * side.weights
        return under.marginals(weights) - against.marginals(weights)

    def curvature(self, lattice: Lattice, side: CostlySide) -> None:
        """That of a likelihood of other scores."""


def _both(lattice: Lattice, side: CostlySide) -> tuple[Lattice, Lattice]:
    """The lattices over what is allowed, and with the costs."""
    pot = lattice.potentials

    def made() -> tuple[Lattice, Lattice]:
        return lattice.restricted(side.allowed), Lattice(pot.with_values(pot.unary + side.costs, pot.edge))

    return lattice.once((side, "both"), made)


def margin(parameters: MarginParameters, ground: Ground, opened: LabelCosts) -> Margin:
    """The costs of a list, which are those of `tag --costs`."""
    return Margin(np.array([opened.costs.get(label, UNNAMED) for label in ground.compiled.labels]))
