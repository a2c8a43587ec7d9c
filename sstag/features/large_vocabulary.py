"""The vocabulary of texts of which one lies in volumes: the same as if it were all in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.runs_of_attributes import merged_lists
from sstag.features.same_text import Found, Suspects
from sstag.features.series import Series, Words
from sstag.features.template import Feature
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, numbered, occurring, radices, united
from sstag.foundation.parallel import Over


def built_of_large(
    features: tuple[Feature, ...],
    view: View | None,
    large: LargeText,
    words: Words,
    learning: bool,
    minimum_count: int,
    steps: bool,
) -> Vocabulary:
    """The attributes of a text in memory and, if it is learned from, of a large one, whose words are given."""
    values = united(features, [*([view.words] if view else []), *([words] if learning else [])])
    lists = [occurring(features, [view], values, steps)[0]] if view else []
    if learning:
        before = view.corpus.tokens if view else 0
        lists += large.volumes.made(_found, large.head, words, features, values, steps, before).each(_itself)
    suspects = Suspects(features, values)
    merged = [
        merged_lists(
            [one[number] for one in lists],
            radices(feature, values),
            minimum_count,
            partial(suspects.among, number),
        )
        for number, feature in enumerate(features)
    ]
    vocabulary, _ = numbered(features, values, merged, minimum_count, steps)
    return vocabulary


def _itself(found: list[Found], over: Over) -> list[Found]:
    return found


def _found(
    volume: Volume,
    over: Over,
    head: Corpus,
    words: Words,
    features: Sequence[Feature],
    values: Mapping[Series, Mapping[str, int]],
    steps: bool,
    before: int,
) -> list[Found]:
    """The attributes of a volume, with their first tokens counted through all texts."""
    found, _ = occurring(features, [View(whole(volume, head), words.template, words)], values, steps)
    return [replace(one, first=one.first + before + volume.first) for one in found]
