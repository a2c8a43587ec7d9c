"""The attributes of all tokens as a sparse matrix, extracted feature by feature and then listed token by token."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.features.dense import Table, WordTable
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

    def part(self, some: slice) -> "Incidence":
        """Some rows, one after another; they share the lists of all."""
        return replace(self, indptr=self.indptr[some.start : some.stop + 1])


def extracted(vocabulary: Vocabulary, view: View, blocks: Sequence[Table] = ()) -> Incidence:
    """The attributes of each token of a corpus, as far as the vocabulary knows them, and then its rows of words."""
    ids = vocabulary.ids(view)
    return _with_rows(vocabulary, view, attributes_of(vocabulary, view, ids), ids, blocks)


def learned_attributes(
    features: tuple[Feature, ...], views: list[View], learning: int, minimum_count: int, steps: bool
) -> tuple[Vocabulary, list[Incidence], list[Ints]]:
    """A vocabulary learned from the first corpora; the attributes of all, as lists and feature by feature, (F, T)."""
    vocabulary, ids = built(features, views[:learning], minimum_count, steps)
    ids += [vocabulary.ids(view) for view in views[learning:]]
    return vocabulary, [attributes_of(vocabulary, view, rows) for view, rows in zip(views, ids, strict=True)], ids


def attributes_of(vocabulary: Vocabulary, view: View, ids: Ints) -> Incidence:
    """The attributes of each token, from (F, T) attributes, which are ABSENT where there is none."""
    weights = vocabulary.weights(view)
    return _listed(ids.T, None if weights is None else weights.T)


def _listed(ids: Ints, values: Floats | None) -> Incidence:
    """The attributes of each row, from (T, F) attributes, which are ABSENT where there is none."""
    present = ids != ABSENT
    return Incidence(offsets_of(present.sum(axis=1)), ids[present], None if values is None else values[present])


def in_bundles(
    vocabulary: Vocabulary, view: View, attributes: Incidence, ids: Ints, blocks: Sequence[Table] = ()
) -> tuple[Incidence, Incidence | None]:
    """The bundles of each token, and the attributes of each bundle; without bundles the attributes, and None.

    Rows of words are attributes after those of the vocabulary, block by block; bundles come after them.
    """
    from sstag.features.bundles import bundled  # a trained model has none

    rows = _rows_of_words(vocabulary, view, blocks)
    dense = [feature for feature in view.template.dense if feature.source]
    size = vocabulary.size + sum(len(block.numbers) for block in blocks if isinstance(block, WordTable))
    found = bundled((*vocabulary.features, *dense), view, np.concatenate([ids, rows]), size)
    if found is None:
        return _with_rows(vocabulary, view, attributes, ids, blocks), None
    weights = vocabulary.weights(view)
    if weights is not None:  # attributes that have values are in no bundle
        groups, tokens = len(found.entries) - len(ids) - len(rows), weights.shape[1]
        weights = np.concatenate([np.ones((groups, tokens)), weights, np.ones((len(rows), tokens))])
    return _listed(found.entries.T, None if weights is None else weights.T), _listed(found.members, None)


def _rows_of_words(vocabulary: Vocabulary, view: View, blocks: Sequence[Table]) -> Ints:
    """The rows of the blocks of words at each token, numbered after the attributes; ABSENT where there is none."""
    result, first = [np.zeros((0, view.corpus.tokens), np.int32)], vocabulary.size
    for block in blocks:
        if isinstance(block, WordTable):
            result.append(np.where(block.rows == ABSENT, ABSENT, block.rows + first).astype(np.int32)[None])
            first += len(block.numbers)
    return np.concatenate(result)


def _with_rows(
    vocabulary: Vocabulary, view: View, attributes: Incidence, ids: Ints, blocks: Sequence[Table]
) -> Incidence:
    """The attributes of each token, and after them its rows of words."""
    rows = _rows_of_words(vocabulary, view, blocks)
    if not len(rows):
        return attributes
    weights = vocabulary.weights(view)
    values = None if weights is None else np.concatenate([weights, np.ones(rows.shape)]).T
    return _listed(np.concatenate([ids, rows]).T, values)
