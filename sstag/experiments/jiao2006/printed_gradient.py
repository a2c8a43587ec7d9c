"""The gradient of the entropy as J06 §3 prints it.

The paper takes f_j² = f_j, which holds of an indicator at one place and not of its sum over a sentence; and for two
different features of tokens it sums over s < t and t < s, which leaves out that both are at one token. So of the exact
gradient C = Σ_k θ_k Cov(f_j, f_k) it has

    D_(a,y)  = C_(a,y) − Σ_{t with a} p_t(y) Σ_{a'≠a at t} θ_{a',y} − θ_{a,y} Σ_{s≠t with a} p(y_s = y_t = y)
    D_(y',y) = C_(y',y) − θ_{y',y} Σ_{s≠t} p(both steps are y' → y)

At the supervised optimum the gradient of the likelihood and its prior is 0, so D is the direction in which a climb
begins, whatever γ is. C is that of a climb that raises what the paper says it raises.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack

from sstag.chain.lattice import Lattice
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints
from sstag.foundation.parallel import one_by_one
from sstag.foundation.ranges import row_of_each
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.model.weight_map import WeightMap, weight_map
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy


@dataclass(frozen=True, eq=False)
class EntropyGradients:
    """Both gradients of −H, summed over the raw sentences of what was compiled; what θ does not change is kept."""

    made: Compiled

    def __call__(self, theta: Floats) -> tuple[Floats, Floats]:
        """The exact gradient, and the printed one."""
        of = self._map
        _, exact = Criterion(of, [Part(self._data, (Entropy(1.0),))], 0.0, one_by_one)(theta)
        nodes, edges = _marginals(model(self.made, theta), self._data)
        owner, labels = row_of_each(self.made.pairs.indptr), self.made.pairs.labels
        own, attributes = of.parts(theta), self._attributes
        weights = np.zeros((attributes.shape[1], len(self.made.labels)))
        weights[owner, labels] = own["unary"]
        together, stepping = self._twice(nodes, edges)
        beside = (attributes.T @ (nodes * (attributes @ weights)))[owner, labels]
        alone = own["unary"] * (attributes.T @ nodes)[owner, labels]
        printed = exact.copy()
        part = of.parts(printed)
        part["unary"] -= beside - alone + own["unary"] * together[owner, labels]
        part["steps"] -= own["steps"] * stepping[of.steps]
        return exact, printed

    @cached_property
    def _data(self) -> Dataset:
        assert self.made.unlabelled is not None
        return self.made.unlabelled

    @cached_property
    def _map(self) -> WeightMap:
        return weight_map(self.made)

    @cached_property
    def _attributes(self) -> csr_array:
        """The attributes of each token, those of bundles one by one."""  # (T, A)
        data, count = self._data, len(self.made.pairs.indptr) - 1
        rows = _matrix(data.unary, count + (data.bundles.rows if data.bundles else 0))
        if data.bundles is None:
            return rows
        return csr_array(rows @ vstack([eye_array(count), _matrix(data.bundles, count)]))

    @cached_property
    def _pairs(self) -> tuple[list[Ints], csr_array]:
        """By distance the first tokens of pairs of one sentence, and the attributes that both of a pair have."""
        sentence, tokens = row_of_each(self._data.offsets), int(self._data.offsets[-1])
        first, shared = list[Ints](), []
        for lag in range(1, int(np.diff(self._data.offsets).max())):
            before = np.arange(tokens - lag)
            before = before[sentence[before] == sentence[before + lag]]
            first.append(before.astype(np.int32))
            shared.append(csr_array(self._attributes[before].multiply(self._attributes[before + lag])).T)
        return first, csr_array(hstack(shared) if shared else (self._attributes.shape[1], 0))

    def _twice(self, nodes: Floats, edges: Floats) -> tuple[Floats, Floats]:
        """Σ_{s≠t} of the probability of a label at both of two tokens with an attribute, and of a step at both."""
        tokens, count = nodes.shape
        onward = np.divide(edges, nodes[np.r_[0, 0 : tokens - 1], :, None], out=np.zeros_like(edges), where=edges > 0)
        first, shared = self._pairs
        stepping, both = np.zeros((count, count)), [np.zeros((0, count))]
        between = np.tile(np.eye(count), (tokens, 1, 1))  # from the label of a token to that `lag` tokens on
        for lag, before in enumerate(first, 1):
            stepping += 2 * np.einsum("tij,tji,tij->ij", edges[before], between[before], onward[before + lag])
            between[before] = between[before] @ onward[before + lag]
            both.append(nodes[before] * np.einsum("tii->ti", between[before]))
        together: Floats = 2 * (shared @ np.concatenate(both))
        return together, stepping


def _marginals(tagger: Model, data: Dataset) -> tuple[Floats, Floats]:
    """p_t(y) and p_t(y', y), which is 0 where a sentence begins."""  # (T, L), (T, L, L)

    def asked(batch: Batch, lattice: Lattice) -> tuple[Floats, Floats]:
        count = lattice.nodes.shape[1]
        steps = np.zeros((len(lattice.nodes), count, count))
        for sentence, (begin, end) in enumerate(zip(batch.offsets, batch.offsets[1:], strict=False)):
            steps[begin + 1 : end] = lattice.edge_marginals(sentence)
        return lattice.nodes.copy(), steps

    found = tagger.asked(data, one_by_one, asked)
    return np.concatenate([nodes for nodes, _ in found]), np.concatenate([steps for _, steps in found])


def _matrix(incidence: Incidence, width: int) -> csr_array:
    values = np.ones(len(incidence.indices)) if incidence.values is None else incidence.values
    return csr_array((values, incidence.indices, incidence.indptr), (incidence.rows, width))
