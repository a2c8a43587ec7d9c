"""Labels at the least expected cost, where missing one label costs more than missing another.

    ŷ = argmin_y Σ_t Σ_{g ≠ y_t} c_g p_t(g|x) = argmax_y Σ_t c_{y_t} p_t(y_t|x)

c_g is what it costs to give another label to a token that has label g. Tokens are decided one by one, unless only
well-formed sequences count: then the best of these is found by one more dynamic programme. Limit: with equal costs
the labels that are most probable by themselves, which are right most often, as those of the best path need not be.
"""

from collections.abc import Mapping

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, nearest
from sstag.model.legality import Legality
from sstag.model.model import Best, Model


def listed_costs(model: Model, path: str) -> Floats:
    """The costs in a list of labels, `B-PER<TAB>2` on each line."""  # (L,)
    from sstag.knowledge.label_costs import costs_in  # tagging without costs starts sooner

    listed = costs_in(path)
    return decision_costs(model, listed.costs, path, listed.lines)


def decision_costs(
    model: Model, costs: Mapping[str, float], path: str | None = None, lines: Mapping[str, int] | None = None
) -> Floats:
    """The cost of missing each label of a model, which is 1 for labels that are not named."""  # (L,)
    from sstag.knowledge.label_costs import DEAREST, UNNAMED

    if model.rules is not None:
        raise ConfigError(
            "costs are weighed by probabilities, which know nothing of the model's rules: leave these out (--no-rules)"
        )
    result = np.full(len(model.labels), UNNAMED)
    for label, cost in costs.items():
        if label not in model.labels:
            message = f"the model has no label '{label!s:.50}'{nearest(str(label), model.labels)}"
            raise ConfigError(message, path, (lines or {}).get(label))
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= DEAREST:
            raise ConfigError(f"the cost {cost!r:.50} of {label} is not from 0 to {DEAREST:g}")
        result[model.labels.index(label)] = cost
    return result


def cheapest(lattice: Lattice, costs: Floats, legality: Legality | None) -> Best:
    """The labels of least expected cost, with the scores of the labellings that they are."""
    worth = costs * lattice.nodes  # (T, L)
    if legality is None:
        labels = worth.argmax(axis=1).astype(np.int32)
    else:
        pot = lattice.potentials
        labels, _ = Lattice(legality.imposed(pot.with_values(worth, np.zeros_like(pot.edge)))).viterbi()
    return Best(labels, lattice.path_scores(labels), [])
