"""Priors of features: by how much the prior l2 of each weight is multiplied, as the template says.

−l2/2 Σ_i λ_i θ_i²          λ_i = 1 unless a feature says `prior λ`
"""

import numpy as np

from sstag.features.vocabulary import Vocabulary
from sstag.foundation.arrays import Floats
from sstag.model.compiled import Compiled
from sstag.model.sparse_weights import Pairs
from sstag.model.weight_map import weight_map


def priors(compiled: Compiled) -> Floats | None:
    """λ of each weight; None if all are 1."""  # (n,)
    if not compiled.template.has_priors:
        return None
    of = weight_map(compiled)
    result = np.ones(of.size)
    part = of.parts(result)
    part["unary"][:] = _of_pairs(compiled.unary, compiled.pairs)
    part["edge"][:] = _of_pairs(compiled.edge, compiled.edge_pairs)
    if of.dense:
        for feature, own in zip(compiled.template.dense, of.dense_parts(part["dense"]), strict=True):
            own[:] = feature.prior
    return result


def _of_pairs(vocabulary: Vocabulary, pairs: Pairs) -> Floats:
    """λ of each pair of an attribute and a label; an attribute of several features has that of the first."""
    of_attribute = np.ones(vocabulary.size)
    for feature, attributes in reversed(list(zip(vocabulary.features, vocabulary.tables, strict=True))):
        of_attribute[attributes.ids] = feature.prior
        if attributes.default >= 0:
            of_attribute[attributes.default] = feature.prior
    return np.repeat(of_attribute, np.diff(pairs.indptr))
