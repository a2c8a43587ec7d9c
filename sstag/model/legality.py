"""The well-formed sequences of a model's labels, as scores that a lattice can take."""

from dataclasses import dataclass

import numpy as np

from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError
from sstag.labels.schemes.tagset import Tagset, tolerant_tagset
from sstag.model.model import Model


@dataclass(frozen=True, eq=False)
class Legality:
    """The sequences of labels that are well-formed in a scheme, as scores: 0, or −∞ for an ill-formed one."""

    scheme: str
    begin: Floats  # (L,)
    end: Floats  # (L,)
    step: Floats  # (L, L)

    def imposed(self, scores: Potentials) -> Potentials:
        """The scores of a batch with −∞ for every ill-formed sequence."""
        unary = scores.unary.copy()
        unary[scores.offsets[:-1]] += self.begin
        unary[scores.offsets[1:] - 1] += self.end
        return scores.with_values(unary, scores.edge + self.step)


def legality(model: Model) -> Legality:
    """The well-formed sequences of a model's labels in their scheme; a label that is no tag is outside every chunk."""
    tags = tags_of(model)
    if tags is None:
        raise ConfigError("the labels of this model have no scheme: there is nothing to tell legal sequences by")
    score = np.where(tags.legal, 0.0, -np.inf)
    count = len(model.labels)
    return Legality(tags.scheme, score[count, :count], score[:count, count], score[:count, :count])


def tags_of(model: Model) -> Tagset | None:
    """A model's labels as tags of their scheme, None if they have no scheme: then there are no chunks."""
    scheme = model.scheme
    return None if scheme == "plain" else tolerant_tagset(model.labels, scheme)
