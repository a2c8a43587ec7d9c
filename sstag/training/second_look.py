"""Training in two stages: a first model reads the raw text, and the second has what it predicted among its features."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.predictions import MOST_BYTES, counts_of_values, largest_counts, no_counts
from sstag.features.series import Words
from sstag.features.template import Source, Template
from sstag.foundation.arrays import Longs
from sstag.foundation.parallel import Over
from sstag.model.model import Model
from sstag.model.second_look import Counts, predicted_counts, predicted_sums
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS

if TYPE_CHECKING:
    from sstag.training.run import Task

FIRST = "first look"


def trained_twice(task: "Task", run: Run, train: "Callable[[Task, Run], Model]") -> Model:
    """The model of the second stage, which keeps the first one to read texts with before it tags them."""
    template, inputs = task.inputs.template, task.inputs
    reads_raw = METHODS[task.method].unlabelled or task.features is not None or task.spans is not None
    before = inputs.init.first if inputs.init and inputs.init.first else inputs.init
    seen = replace(_read_by(inputs, template.first_look, reads_raw), init=before)
    first = train(replace(task, inputs=seen), replace(run, phase=FIRST))
    counts = _raw_counts(first, inputs, template.predicted, run)
    knowing = replace(template, vectors={**template.vectors, **counts})
    model = train(replace(task, inputs=_read_by(inputs, knowing, reads_raw)), run)
    return replace(model, first=first)


def _read_by(inputs: Inputs, template: Template, reads_raw: bool) -> Inputs:
    """The inputs of a stage, with the raw text only if its method looks at it."""
    raw, large = (inputs.unlabelled, inputs.large) if reads_raw else (None, None)
    return replace(inputs, template=template, unlabelled=raw, large=large)


def _raw_counts(first: Model, inputs: Inputs, sources: Mapping[str, Source], run: Run) -> Counts:
    """The counts of the raw text, the most frequent values of which fit into a model."""
    if inputs.unlabelled:
        counts = predicted_counts(first, inputs.unlabelled, sources, run.over)
    elif inputs.large:
        counts = _counts_of_volumes(first, inputs.large, sources)
    else:
        counts = {name: no_counts(len(first.labels)) for name in sources}
    return {name: largest_counts(of_source, MOST_BYTES // len(sources)) for name, of_source in counts.items()}


def _counts_of_volumes(first: Model, large: LargeText, sources: Mapping[str, Source]) -> Counts:
    """The counts of a text in volumes, wherever these lie."""
    words = Words(first.template, large.head.columns, large.head.values, large.head.path)
    sums: Longs = large.volumes.summed(_sums_of_volume, first, large.head, tuple(sources.values()))  # of all, (V, L)
    bounds = np.cumsum([0, *(len(words.of(source).values) for source in sources.values())])
    return {
        name: counts_of_values(words.of(source).values, sums[begin:end])
        for (name, source), begin, end in zip(sources.items(), bounds, bounds[1:], strict=False)
    }


def _sums_of_volume(volume: Volume, over: Over, first: Model, head: Corpus, sources: Sequence[Source]) -> Longs:
    """The sums of all sources in a volume, one below the other."""
    corpus = whole(volume, head)
    words = Words(first.template, corpus.columns, corpus.values, corpus.path)
    return np.concatenate(predicted_sums(first, corpus, words, sources, over))
