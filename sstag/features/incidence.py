"""The attributes of all tokens as a sparse matrix, extracted feature by feature and then listed token by token."""

from dataclasses import dataclass

import numpy as np

from sstag.features.bundles import bundled
from sstag.features.template import Feature
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, built
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.grouping import ABSENT
from sstag.foundation.ranges import offsets_of


@dataclass(frozen=True)
class Incidence:
    """The attributes of each token: token t has indices[indptr[t]:indptr[t + 1]], weighed by values if given."""

    indptr: Longs  # (T + 1,)
    indices: Ints  # (N,)
    values: Floats | None  # (N,)

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1


def extracted(vocabulary: Vocabulary, view: View) -> Incidence:
    """The attributes of each token of a corpus, as far as the vocabulary knows them."""
    return _incidence(vocabulary, view, vocabulary.ids(view))


def learned_attributes(
    features: tuple[Feature, ...], views: list[View], learning: int, minimum_count: int, steps: bool
) -> tuple[Vocabulary, list[Incidence], list[Ints]]:
    """A vocabulary learned from the first corpora; the attributes of all, as lists and feature by feature, (F, T)."""
    vocabulary, ids = built(features, views[:learning], minimum_count, steps)
    ids += [vocabulary.ids(view) for view in views[learning:]]
    return vocabulary, [_incidence(vocabulary, view, rows) for view, rows in zip(views, ids, strict=True)], ids


def _incidence(vocabulary: Vocabulary, view: View, ids: Ints) -> Incidence:
    """The attributes of each token, from (F, T) attributes, which are ABSENT where there is none."""
    weights = vocabulary.weights(view)
    return _listed(ids.T, None if weights is None else weights.T)


def _listed(ids: Ints, values: Floats | None) -> Incidence:
    """The attributes of each row, from (T, F) attributes, which are ABSENT where there is none."""
    present = ids != ABSENT
    return Incidence(offsets_of(present.sum(axis=1)), ids[present], None if values is None else values[present])


def in_bundles(
    vocabulary: Vocabulary, view: View, attributes: Incidence, ids: Ints
) -> tuple[Incidence, Incidence | None]:
    """The bundles of each token, and the attributes of each bundle; without bundles the attributes, and None."""
    found = bundled(vocabulary.features, view, ids, vocabulary.size)
    if found is None:
        return attributes, None
    weights = vocabulary.weights(view)
    if weights is not None:  # attributes that have values are in no bundle
        weights = np.concatenate([np.ones((len(found.entries) - len(weights), weights.shape[1])), weights])
    return _listed(found.entries.T, None if weights is None else weights.T), _listed(found.members, None)
