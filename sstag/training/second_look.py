"""Training in two stages: a first model reads the raw text, and the second has what it predicted among its features."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.fingerprints import apart_from, of_words
from sstag.corpus.volumes import LargeText, Volume, whole
from sstag.features.predictions import MOST_BYTES, LabelCounts, counted_together, largest_counts
from sstag.features.series import Words
from sstag.features.template import Template
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import Interrupted
from sstag.foundation.parallel import Over
from sstag.model.model import Model
from sstag.model.second_look import Counts, counts_of_sources, no_pairs, predicted_counts, predicted_sums
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS

if TYPE_CHECKING:
    from sstag.training.run import Task

FIRST = "first look"
A = TypeVar("A")
R = TypeVar("R")
LEFT_OUT = "predicted(…) is left out: a first model labels raw text for it, and there is none (--unlabeled FILE)"
ALL_LEARNED = (
    "predicted(…) is left out: each sentence of the raw text is among the labelled ones, "
    "which the first model knows already; name a file with other sentences (--unlabeled FILE)"
)


def trained_twice(task: "Task", run: Run, train: "Callable[[Task, Run], Model]") -> Model:
    """The model of the second stage, which keeps the first one to read texts with before it tags them."""
    template, inputs = task.inputs.template, task.inputs
    reads_raw = METHODS[task.method].unlabelled or task.features is not None or task.spans is not None
    before = inputs.init.first if inputs.init and inputs.init.first else inputs.init
    seen = replace(_read_by(inputs, template.first_look, reads_raw), init=before)
    has_raw, earlier = bool(inputs.unlabelled or inputs.large), _earlier_counts(inputs)
    if not (has_raw or earlier):
        run.warn(LEFT_OUT)
        return train(replace(task, inputs=seen), run)
    first = train(replace(task, inputs=seen), replace(run, phase=FIRST))
    try:
        counts = _raw_counts(first, inputs, run) if has_raw else earlier
        if has_raw and not any(of_source.totals.any() for of_source in counts.values()):
            run.warn(ALL_LEARNED)
            return first
        if any(of_source.dimensions != len(first.labels) for of_source in counts.values()):
            run.warn(f"{LEFT_OUT}; those of the earlier model are of other labels")
            return first
        knowing = replace(template, vectors={**template.vectors, **counts}, encoders=first.template.encoders)
        judged_by = inputs.development
        looked_at = predicted_counts(first, template, judged_by, run.over) if judged_by else None
        second = replace(_read_by(inputs, knowing, reads_raw), looked_at=looked_at)
        model = train(replace(task, inputs=second), run)
    except Interrupted:
        run.warn("interrupted before the second stage: this is the model of the first, without predicted(…)")
        return first
    return replace(model, first=first)


def _read_by(inputs: Inputs, template: Template, reads_raw: bool) -> Inputs:
    """The inputs of a stage, with the raw text only if its method looks at it."""
    raw, large = (inputs.unlabelled, inputs.large) if reads_raw else (None, None)
    return replace(inputs, template=template, unlabelled=raw, large=large)


def _earlier_counts(inputs: Inputs) -> Counts:
    """The counts that an earlier model has of its raw text, if there is one with features of the same values."""
    earlier, template = inputs.init, inputs.template
    if earlier is None or earlier.first is None or earlier.template.predicted != template.predicted:
        return {}
    counts = {name: earlier.template.vectors[name] for name in template.predicted}
    return {name: of_source for name, of_source in counts.items() if isinstance(of_source, LabelCounts)}


def _raw_counts(first: Model, inputs: Inputs, run: Run) -> Counts:
    """The counts of the raw text, the most frequent values of which fit into a model."""
    # The first model knows the labels of sentences that it was trained on: its counts of them would promise too much.
    learned = of_words(inputs.labelled) if inputs.labelled else np.zeros(0, np.int64)
    if inputs.large:
        counts = _counts_of_volumes(first, inputs.template, inputs.large, learned)
    else:
        assert inputs.unlabelled
        raw = apart_from(inputs.unlabelled, learned)
        counts = predicted_counts(first, inputs.template, raw, _watched(run, raw))
    return {name: largest_counts(of_source, MOST_BYTES // len(counts)) for name, of_source in counts.items()}


def _watched(run: Run, raw: Corpus) -> Over:
    """The threads of a run, which tell how far they are in a raw text, and are stopped with the run."""
    done = 0

    def over(function: Callable[[A], R], items: Sequence[A], /) -> list[R]:
        def one(item: A) -> R:
            if run.stop():
                raise Interrupted
            return function(item)

        nonlocal done
        done += 1
        run.doing(f"{FIRST}: counting {raw.tokens:,} tokens of raw text, part {done:,}")
        return run.over(one, items)

    return over


@dataclass(frozen=True)
class _Counted:
    """Counts of a volume, or of several: sums of values that are known beforehand, and counts of pairs."""

    sums: dict[str, Longs]  # (V, L)
    pairs: dict[str, LabelCounts]

    def __add__(self, other: "_Counted") -> "_Counted":
        sums = {name: of_source + other.sums[name] for name, of_source in self.sums.items()}
        pairs = {name: counted_together(of_source, other.pairs[name]) for name, of_source in self.pairs.items()}
        return _Counted(sums, pairs)


def _counts_of_volumes(first: Model, template: Template, large: LargeText, learned: Longs) -> Counts:
    """The counts of a text in volumes, wherever these lie."""
    words = Words(template, large.head.columns, large.head.values, large.head.path)
    of_all = large.volumes.summed(_counted, first, large.head, words, learned)
    return counts_of_sources(words, of_all.sums, of_all.pairs)


def _counted(volume: Volume, over: Over, first: Model, head: Corpus, words: Words, learned: Longs) -> _Counted:
    pairs = no_pairs(words.template, len(first.labels))
    sums = predicted_sums(first, apart_from(whole(volume, head), learned), words, over, pairs)
    return _Counted(sums, {name: of_source.counts for name, of_source in pairs.items()})
