"""The vocabulary of texts of which one lies in volumes: the same as if it were all in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.runs_of_attributes import Run, found_in, merged_runs, run_of
from sstag.features.same_text import Suspects
from sstag.features.series import Series, Words
from sstag.features.template import Feature
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, built, numbered, occurring, radices, united
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
    if view and not learning:
        return built(features, [view], minimum_count, steps)[0]
    if not features:
        return numbered(features, {}, [], minimum_count, steps)[0]
    values = united(features, [*([view.words] if view else []), words])
    suspects = Suspects(features, values)
    before = view.corpus.tokens if view else 0
    runs = large.volumes.made(_runs_of_volume, large.head, words, features, values, suspects, steps, before)
    here = _runs(features, view, values, suspects, steps, 0) if view else None
    merged = [
        found_in(run, radices(feature, values))
        for run, feature in zip(merged_runs(runs, here, minimum_count), features, strict=True)
    ]
    vocabulary, _ = numbered(features, values, merged, minimum_count, steps)
    return vocabulary


def _runs_of_volume(
    volume: Volume,
    over: Over,
    head: Corpus,
    words: Words,
    features: Sequence[Feature],
    values: Mapping[Series, Mapping[str, int]],
    suspects: Suspects,
    steps: bool,
    before: int,
) -> list[Run]:
    """The attributes of a volume, with their first tokens counted through all texts."""
    return _runs(
        features, View(whole(volume, head), words.template, words), values, suspects, steps, before + volume.first
    )


def _runs(
    features: Sequence[Feature],
    view: View,
    values: Mapping[Series, Mapping[str, int]],
    suspects: Suspects,
    steps: bool,
    before: int,
) -> list[Run]:
    """The attributes of some sentences before which there are some tokens."""
    found, _ = occurring(features, [view], values, steps)
    return [
        run_of(replace(one, first=one.first + before), radices(feature, values), suspects.among(number, one.components))
        for number, (one, feature) in enumerate(zip(found, features, strict=True))
    ]
