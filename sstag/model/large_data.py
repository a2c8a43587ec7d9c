"""A text in volumes as arrays: a dataset for each volume."""

from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.incidence import attributes_of, in_bundles
from sstag.features.series import Words
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary
from sstag.foundation.arrays import Longs
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import row_of_each
from sstag.foundation.shelves import Shelf
from sstag.model.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Encoded:
    """A volume of a text, and its dataset."""

    volume: Volume
    data: Dataset


def encoded(large: LargeText, words: Words, unary: Vocabulary, edge: Vocabulary, labels: int) -> Shelf[Encoded]:
    """The volumes of a text with the attributes of their tokens."""
    return large.volumes.made(_encoded, large.head, words, unary, edge, labels)


def _encoded(
    volume: Volume, over: Over, head: Corpus, words: Words, unary: Vocabulary, edge: Vocabulary, labels: int
) -> Encoded:
    view = View(whole(volume, head), words.template, words)
    ids = unary.ids(view)
    entries, bundles = in_bundles(unary, view, attributes_of(unary, view, ids), ids)
    steps = attributes_of(edge, view, edge.ids(view))
    allowed = np.zeros((0, labels), bool)
    return Encoded(volume, Dataset(view.corpus.offsets, entries, steps, None, allowed, bundles=bundles))


def times(encoded: Encoded, over: Over, attributes: int) -> Longs:
    """How often each attribute occurs in a volume."""  # (A,)
    unary, bundles = encoded.data.unary, encoded.data.bundles
    often = np.bincount(unary.indices, minlength=attributes + (bundles.rows if bundles else 0))
    if bundles:
        np.add.at(often, bundles.indices, often[attributes + row_of_each(bundles.indptr)])
    return often[:attributes]
