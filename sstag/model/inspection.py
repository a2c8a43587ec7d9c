"""The contents of a model: counts, and the attributes and steps with the most weight."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.features.vocabulary import Vocabulary
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.ranges import row_of_each
from sstag.model.dense_inspection import DenseFound, dense_found
from sstag.model.model import About, Model
from sstag.model.sparse_weights import PairMap

BEGIN, END = "(begin)", "(end)"


@dataclass(frozen=True)
class Weight:
    """A weight with its attribute, its step between labels, or both."""

    weight: float
    attribute: str | None = None
    before: str | None = None  # the label that a step leads from
    label: str | None = None  # the label of the token, or that a step leads to


@dataclass(frozen=True)
class Inspection:
    """A model, summed up."""

    labels: tuple[str, ...]
    scheme: str
    kind: str
    columns: tuple[str, ...]
    attributes: int
    weights: dict[str, int]  # by kind
    zeros: int
    about: About
    strongest: dict[str, list[Weight]]  # of each label, the highest first
    steps: list[Weight]
    step_attributes: list[Weight]
    dense: DenseFound


def inspected(model: Model, most: int, labels: Sequence[str] = ()) -> Inspection:
    """The model with the weights of the largest size; of all labels if none are named."""
    for label in labels:
        if label not in model.labels:
            raise ConfigError(f"the model has no label '{label}'{nearest(label, model.labels)}")
    return Inspection(
        labels=model.labels,
        scheme=model.scheme,
        kind=model.kind,
        columns=model.template.columns or (),
        attributes=model.unary.size + model.edge.size,
        weights=model.weight_map.sizes,
        zeros=int((model.theta == 0).sum()),
        about=model.about,
        strongest=_by_label(model, most, labels or model.labels),
        steps=_steps(model, most),
        step_attributes=_of_step_attributes(model, most),
        dense=dense_found(model, most, tuple(labels or model.labels)),
    )


def _by_label(model: Model, most: int, labels: Sequence[str]) -> dict[str, list[Weight]]:
    theta, pairs = model.weight_map.parts(model.theta)["unary"], model.weight_map.unary
    owner = _owners(pairs)
    chosen = {}
    for label in labels:
        places = np.flatnonzero(pairs.pairs.labels == model.labels.index(label))
        chosen[label] = places[_largest(theta[places], most)]
    texts = _texts(model.unary, owner, list(chosen.values()))
    return {
        label: [Weight(float(theta[place]), texts[owner[place]], label=label) for place in places.tolist()]
        for label, places in chosen.items()
    }


def _steps(model: Model, most: int) -> list[Weight]:
    """Steps between labels, and to and from the ends of a sentence."""
    parts, names = model.weight_map.parts(model.theta), model.labels
    before, after = np.nonzero(model.weight_map.steps)
    every = [Weight(float(w), None, names[a], names[b]) for w, a, b in zip(parts["steps"], before, after, strict=True)]
    every += [Weight(float(w), None, BEGIN, name) for w, name in zip(parts["begin"], names, strict=False)]
    every += [Weight(float(w), None, name, END) for w, name in zip(parts["end"], names, strict=False)]
    return [every[place] for place in _largest(np.array([one.weight for one in every]), most).tolist()]


def _of_step_attributes(model: Model, most: int) -> list[Weight]:
    theta, pairs = model.weight_map.parts(model.theta)["edge"], model.weight_map.edge
    owner, places = _owners(pairs), _largest(theta, most)
    texts = _texts(model.edge, owner, [places])
    names = model.labels
    steps = [divmod(int(step), len(names)) for step in pairs.pairs.labels[places]]
    return [
        Weight(float(theta[place]), texts[owner[place]], names[a], names[b])
        for place, (a, b) in zip(places.tolist(), steps, strict=True)
    ]


def _owners(pairs: PairMap) -> Longs:
    """The attribute of each weight."""
    return row_of_each(pairs.pairs.indptr)


def _texts(vocabulary: Vocabulary, owner: Longs, places: Sequence[Longs]) -> list[str]:
    return vocabulary.texts(owner[np.concatenate([np.zeros(0, np.int64), *places])])


def _largest(weights: np.ndarray, most: int) -> Longs:
    """The places of the weights of the largest size, the highest weight first; zeros are left out.

    Where all are logarithms of probabilities, as in an HMM, it is the most probable ones.
    """
    size = -np.abs(weights) if (weights > 0).any() else -weights
    order = np.argsort(size, kind="stable")[:most]
    order = order[weights[order] != 0]
    result: Longs = order[np.argsort(-weights[order], kind="stable")]
    return result
