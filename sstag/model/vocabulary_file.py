"""A vocabulary and the map of its weights, as the JSON and the arrays of a model file."""

from itertools import pairwise

import numpy as np

from sstag.features.attribute_tables import table
from sstag.features.same_text import worded
from sstag.features.series import series_of
from sstag.features.template import Feature
from sstag.features.vocabulary import Vocabulary
from sstag.foundation.archive import Archive, texts_out, within
from sstag.foundation.arrays import Array
from sstag.foundation.description import Description
from sstag.foundation.grouping import ABSENT
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import offsets_of
from sstag.model.sparse_weights import PairMap, Pairs


def vocabulary_out(vocabulary: Vocabulary, weights: PairMap) -> tuple[dict[str, Json], dict[str, Array]]:
    """A vocabulary and its weights as JSON and arrays, from which `vocabulary_in` makes them again."""
    texts = [text for values in vocabulary.values.values() for text in values]
    description: dict[str, Json] = {
        "size": vocabulary.size,
        "values": [len(values) for values in vocabulary.values.values()],
        "attributes": [len(one.ids) for one in vocabulary.tables],
        "defaults": [one.default for one in vocabulary.tables],
    }
    components = [one.components.ravel() for one in vocabulary.tables]
    arrays = {
        **texts_out("text", texts),
        "components": np.concatenate([np.zeros(0, np.int32), *components]),
        "ids": np.concatenate([np.zeros(0, np.int32), *(one.ids for one in vocabulary.tables)]),
        "label_counts": np.diff(weights.pairs.indptr).astype(np.int32),
        "labels": weights.pairs.labels,
    }
    return description, arrays


def vocabulary_in(
    archive: Archive, name: str, features: tuple[Feature, ...], width: int, steps: bool
) -> tuple[Vocabulary, PairMap]:
    """The vocabulary in an archive, and the map of its weights; one that does not fit together is an error."""
    all_series = list(dict.fromkeys(series_of(term) for feature in features for term in worded(feature)))
    described = Description(archive).of("vocabularies", dict)
    take = Description(archive, described.get(name) if type(described.get(name)) is dict else {})
    size, values, attributes = take.of("size", int), take.counts("values"), take.counts("attributes")
    defaults = take.counts("defaults", ABSENT)
    words = archive.texts(f"{name}_text")
    components, ids = archive.array(f"{name}_components", "<i4"), archive.array(f"{name}_ids", "<i4")
    counts, labels = archive.array(f"{name}_label_counts", "<i4"), archive.array(f"{name}_labels", "<i4")
    terms = [len(worded(feature)) for feature in features]
    sizes = [count * width for count, width in zip(attributes, terms, strict=False)]
    if (
        len(values) != len(all_series)
        or not len(attributes) == len(defaults) == len(features)
        or len(words) != sum(values)
        or (sum(sizes), sum(attributes)) != (len(components), len(ids))
        or not 0 <= size == len(counts)
        or counts.min(initial=0) < 0
        or counts.sum(dtype=np.int64) != len(labels)
        or not within(labels, 0, width)
        or not within(ids, 0, size)
        or any(default >= size for default in defaults)
    ):
        raise archive.damaged(f"its vocabulary '{name}' does not fit together")
    indptr = offsets_of(counts)
    ascending = labels[1:] > labels[:-1]
    first = indptr[:-1][counts > 0]
    ascending[first[1:] - 1] = True
    if not ascending.all():
        raise archive.damaged(f"the labels of its vocabulary '{name}' are not in order")

    features = tuple(
        feature if default == ABSENT else feature.with_default()
        for feature, default in zip(features, defaults, strict=True)
    )
    known = {}
    for series, (begin, end) in zip(all_series, pairwise(np.cumsum([0, *values]).tolist()), strict=True):
        known[series] = {word: code for code, word in enumerate(words[begin:end])}
        if len(known[series]) < end - begin:
            raise archive.damaged("a word stands in it twice")
    tables = []
    bounds, cells = np.cumsum([0, *attributes]).tolist(), np.cumsum([0, *sizes]).tolist()
    for i, feature in enumerate(features):
        radices = [len(known[series_of(term)]) for term in worded(feature)]
        own = components[cells[i] : cells[i + 1]].reshape(attributes[i], terms[i])
        if not all(within(column, 0, radix) for column, radix in zip(own.T, radices, strict=True)):
            raise archive.damaged(f"the values of its vocabulary '{name}' cannot be")
        tables.append(table(own, ids[bounds[i] : bounds[i + 1]], defaults[i], radices))
    vocabulary = Vocabulary(features, known, tuple(tables), size, steps)
    return vocabulary, PairMap(Pairs(indptr, labels), width)
