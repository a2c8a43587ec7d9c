"""Words of a text that are like those of a list, by the cosines of their vectors: more features to label.

A list says `word[0]=rent<TAB>rent`; of all values of `word[0]` in the text, those whose vector is nearest to that of a
listed value of the same feature are proposed, with the listed feature that each is nearest to.
"""

from dataclasses import dataclass

import numpy as np

from sstag.features.dense_sources import Vectors
from sstag.features.sentence_vectors import cosines
from sstag.features.template import Feature, Text
from sstag.foundation.arrays import Floats, Longs, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.labelled_features import FeatureLine, FeatureList
from sstag.knowledge.proposals import Proposals

TOGETHER = 64  # listed words that are compared with all others at a time


@dataclass(frozen=True)
class Alike:
    """The listed feature that an attribute is nearest to, and the cosine of their vectors."""

    line: FeatureLine
    cosine: float


def alike_words(of: Proposals, listed: FeatureList, vectors: Vectors, count: int, least: int) -> dict[int, Alike]:
    """The `count` attributes nearest to a listed one, the nearest first, of those that occur `least` times or more."""
    texts = of.vocabulary.texts()
    lines = {line.attribute for line in listed.lines}
    found: list[tuple[float, int, FeatureLine]] = []
    compared = False
    for feature in dict.fromkeys(line.feature for line in listed.lines):
        if not _is_word(feature):
            continue
        start = f"{feature.name}="
        own = [line for line in listed.lines if line.feature == feature]
        of_lines, those = _directions(vectors, [line.attribute.removeprefix(start) for line in own])
        compared |= len(of_lines) > 0
        numbers = [
            number
            for number, text in enumerate(texts)
            if text.startswith(start) and text not in lines and of.occurrences[number] >= least
        ]
        having, rows = _directions(vectors, [texts[number].removeprefix(start) for number in numbers])
        cosine, nearest = _nearest(rows, those)
        found += [
            (-cosine[place], numbers[word], own[of_lines[nearest[place]]])
            for place, word in enumerate(having.tolist())
            if cosine[place] > 0
        ]
    if not compared:
        raise DataError("none of its features is a word that has a vector, such as word[0]=rent", listed.path)
    found.sort(key=lambda one: one[:2])
    return {number: Alike(line, -less) for less, number, line in found[:count]}


def _is_word(feature: Feature) -> bool:
    """Whether the values of a feature are words, or functions of words, alone."""
    return len(feature.terms) == 1 and isinstance(feature.terms[0], Text) and feature.literals[0] == f"{feature.name}="


def _directions(vectors: Vectors, words: list[str]) -> tuple[Longs, Singles]:
    """The places of those words that have a vector other than 0, and these vectors, of length 1."""
    having, rows = vectors.of(words)
    length = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return having[length > 0], (rows[length > 0] / length[length > 0, None]).astype(np.float32)


def _nearest(rows: Singles, those: Singles) -> tuple[Floats, Longs]:
    """The largest cosine of each row with one of some others, and the first of these that has it; −1 without others."""
    best, place = np.full(len(rows), -1.0), np.zeros(len(rows), np.int64)
    for begin in range(0, len(those), TOGETHER):
        found = cosines(rows, those[begin : begin + TOGETHER], one_by_one)
        here = found.argmax(axis=1)
        larger = found[np.arange(len(rows)), here] > best
        best[larger] = found[np.arange(len(rows)), here][larger]
        place[larger] = begin + here[larger]
    return best, place
