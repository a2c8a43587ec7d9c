"""Where the features of a list are in a text that lies in volumes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.attribute_tables import table
from sstag.features.incidence import Incidence
from sstag.features.large_vocabulary import built_of_large
from sstag.features.series import Words
from sstag.features.template import Feature
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, radices
from sstag.foundation.arrays import Longs
from sstag.foundation.grouping import ABSENT
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import offsets_of
from sstag.knowledge.labelled_features import FeatureList


@dataclass(frozen=True, eq=False)
class ListPlaces:
    """Where the lines of a list are: a vocabulary for each of its features, whose attributes are the lines."""

    vocabularies: Sequence[Vocabulary]
    words: Words
    head: Corpus
    lines: int

    def within(self, corpus: Corpus) -> Incidence:
        """The lines that each token of a volume has, in their order."""
        view = View(whole(Volume(0, corpus), self.head), self.words.template, self.words)
        none = np.zeros((0, corpus.tokens), np.int32)
        rows = np.sort(np.concatenate([none, *(one.ids(view) for one in self.vocabularies)]), axis=0).T  # (T, F)
        present = rows != ABSENT
        return Incidence(offsets_of(present.sum(axis=1)), rows[present], None)


def places_of(listed: FeatureList, large: LargeText) -> ListPlaces:
    """The places of a list in a text."""
    head, template = large.head, listed.template
    words = Words(template, head.columns, head.values, head.path)
    lines: dict[Feature, dict[str, int]] = {}
    for number, line in enumerate(listed.lines):
        lines.setdefault(line.feature, {})[line.attribute] = number
    # One by one, because the attributes of thousands of features would not fit into memory together.
    vocabularies = [_with_lines(feature, own, large, words) for feature, own in lines.items()]
    return ListPlaces(vocabularies, words, head, len(listed.lines))


def _with_lines(feature: Feature, lines: dict[str, int], large: LargeText, words: Words) -> Vocabulary:
    """The attributes of a feature that stand in a list, numbered by its lines."""
    every = built_of_large((feature,), None, large, words, True, 1, steps=False)
    line_of = np.array([lines.get(text, ABSENT) for text in every.texts()], np.int32)
    (known,) = every.tables
    ids = line_of[known.ids]
    kept = ids != ABSENT
    listed = table(known.components[kept], ids[kept], ABSENT, radices(feature, every.values))
    return replace(every, tables=(listed,), size=len(lines))


def occurrences(places: ListPlaces, large: LargeText) -> Longs:
    """How often each line occurs, and then how many tokens have one."""  # (M + 1,)
    return large.volumes.summed(_of_volume, places)


def _of_volume(volume: Volume, over: Over, places: ListPlaces) -> Longs:
    active = places.within(volume.corpus)
    times = np.bincount(active.indices, minlength=places.lines)
    return np.append(times, int((np.diff(active.indptr) > 0).sum()))
