"""Distillation: raw text whose labellings should be as probable as a teacher says (after Hinton et al. 2015).

    −λ Σ_i ω_i KL(q_i ‖ p_i) = λ Σ_i ω_i (E_q[score(y)] − log Z_i + H(q_i))          ∂/∂potentials = λ ω_i (E_q − E_p)

q is the teacher's distribution over whole labellings, so its expected counts are all that is needed of it: of labels at
each position, and of steps at the positions that share an edge matrix. It is the likelihood of labels that are as sure
as the teacher is, and concave. Limits: a teacher that is sure of one labelling is the likelihood of that labelling; a
student that says what the teacher says has the value 0, which is the largest, and no gradient.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import NumericalError
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset


@dataclass(frozen=True)
class TaughtSide:
    """The expected counts of a batch by its teacher, what its sentences count, and how unsure the teacher is."""

    unary: Floats  # (T, L) ω E_q of labels
    edge: Floats  # (K, L, L) and of steps, for as many edge matrices as are used
    omega: Floats  # (S,)
    entropy: float  # Σ ω H(q)


@dataclass(frozen=True, eq=False)
class Distillation:
    """−λ Σ ω KL(q ‖ p)."""

    strength: float
    scores: Callable[[slice], Iterable[Potentials]]  # the teacher's, of some sentences: in parts, one after another
    to: Longs  # (labels of the teacher,) the label that each of them is

    @property
    def slope(self) -> Floats:
        return np.full(1, self.strength)

    def side(self, data: Dataset, batch: Batch) -> TaughtSide:
        omega = data.omega[batch.sentences]
        labels, matrices = data.allowed.shape[1], int(batch.edge_index.max()) + 1
        unary, edge = np.zeros((len(batch.edge_index), labels)), np.zeros((matrices, labels, labels))
        sentence = token = 0
        entropy = 0.0
        for scores in self.scores(batch.sentences):
            here = slice(token, token + len(scores.unary))
            weights = omega[sentence : sentence + len(scores.offsets) - 1]
            # A position's pair of matrices, the teacher's and the student's, so that counts are summed for each.
            pairs = scores.edge_index.astype(np.int64) * matrices + batch.edge_index[here]
            pairs[scores.offsets[:-1]] = 0  # no step leads here
            distinct, index = np.unique(pairs, return_inverse=True)
            own = Potentials(scores.unary, scores.edge[distinct // matrices], index.astype(np.int32), scores.offsets)
            lattice = Lattice(own)
            counts = lattice.marginals(weights)
            unary[here, self.to] = counts.unary
            for place, matrix in enumerate((distinct % matrices).tolist()):
                edge[matrix][np.ix_(self.to, self.to)] += counts.edge[place]
            entropy += float((weights * lattice.log_z).sum()) - counts.inner(own.finite())
            sentence, token = sentence + len(weights), here.stop
        return TaughtSide(unary, edge, omega, entropy)

    def gather(self, lattice: Lattice, side: TaughtSide) -> Floats:
        scores = lattice.potentials
        counts = _counts(side, scores)
        for held, score in ((counts.unary, scores.unary), (counts.edge, scores.edge)):
            if np.isneginf(score[held > 0.0]).any():
                raise NumericalError("the teacher holds a labelling possible that has probability 0")
        expected = counts.inner(scores.finite()) + side.entropy
        return np.array([expected - float((side.omega * lattice.log_z).sum())])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return self.strength * float(statistics[0]), np.full(1, self.strength)

    def push(self, lattice: Lattice, side: TaughtSide, slope: Floats) -> Potentials:
        return float(slope[0]) * (_counts(side, lattice.potentials) - lattice.marginals(side.omega))

    def curvature(self, lattice: Lattice, side: TaughtSide) -> Potentials:
        """λ ω p(1 − p) at a position, and λ ω p for steps, as of the likelihood."""
        p = lattice.marginals(self.strength * side.omega)
        return p.with_values(p.unary * (1.0 - lattice.nodes), p.edge)


def _counts(side: TaughtSide, like: Potentials) -> Potentials:
    """The teacher's expected counts of a batch, in the space of its potentials."""
    edge = np.zeros_like(like.edge)
    edge[: len(side.edge)] = side.edge
    return like.with_values(side.unary, edge)
