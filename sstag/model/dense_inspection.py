"""The weights of dense features in words: which dimensions count for a label, and which words the numbers speak for."""

from dataclasses import dataclass

import numpy as np

from sstag.chain import _core
from sstag.features.dense import Standard
from sstag.foundation.arrays import Floats, Singles
from sstag.foundation.errors import ModelError
from sstag.model.dense_weights import standard_weights
from sstag.model.model import Model


@dataclass(frozen=True)
class DenseOfLabel:
    """A dense feature and a label: dimensions by the size of their weights, and words by their scores."""

    feature: str
    label: str
    dimensions: dict[str, float]  # the weights of numbers that are standardised and scaled: counted from 0, or labels
    words: dict[str, float]  # none where an encoder makes the vectors
    numbers: str = "dimensions"  # what the numbers are: `predicted` labels, or dimensions


@dataclass(frozen=True)
class DenseFound:
    """The dense features of a model, and why there are no words if there should be."""

    strongest: list[DenseOfLabel]
    missing: str | None


def dense_found(model: Model, most: int, labels: tuple[str, ...]) -> DenseFound:
    """The strongest dimensions and words of every dense feature for these labels."""
    found, missing = [], None
    listed: dict[str, tuple[list[str], Singles]] = {}
    parts = model.weight_map.dense_parts(model.weight_map.parts(model.theta).get("dense", model.theta[:0]))
    for feature, standard, theta in zip(model.template.dense, model.weight_map.dense, parts, strict=True):
        words: list[str] = []
        scores = np.zeros((0, len(model.labels)))
        if feature.source is not None and most:
            try:
                if feature.table not in listed:
                    listed[feature.table] = model.template.vectors[feature.table].listed()
                words, numbers = listed[feature.table]
                scores = word_scores(numbers, standard, theta)
            except ModelError as error:
                missing = str(error)
        names = model.labels if feature.predicted else tuple(map(str, range(len(theta))))
        for label in labels:
            y = model.labels.index(label)
            largest = np.argsort(-np.abs(theta[:, y]), kind="stable")[:most].tolist()
            best = np.argsort(-scores[:, y], kind="stable")[:most].tolist()
            found.append(
                DenseOfLabel(
                    feature.name,
                    label,
                    {names[d]: float(theta[d, y]) for d in largest if theta[d, y]},
                    {words[row]: float(scores[row, y]) for row in best},
                    "predicted" if feature.predicted else "dimensions",
                )
            )
    return DenseFound(found, missing)


def word_scores(numbers: Singles, standard: Standard, theta: Floats) -> Floats:
    """The scores of each label that the numbers of each word add."""  # (W, L)
    result = np.empty((len(numbers), theta.shape[1]))
    _core.dense_scores(numbers, standard_weights(standard, theta), result)
    return result
