"""Functions that decide the labels of a corpus which allows several, for methods that need one label a token.

The allowed labels of a token are those that its text leaves: of `A|B` A and B, of `!A` all others, of `?` all.
`random`, `first`, `frequent` and `discard` are the baselines of Tsuboi et al. (2008, §5.2), `argmax` that of §5.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus, selected, with_column
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError, Interrupted, nearest
from sstag.foundation.registry import registered
from sstag.labels.column import LabelledText
from sstag.labels.label_sets import LabelSets
from sstag.model.batches import selected as selected_data
from sstag.model.compiled import compiled_text
from sstag.model.dataset import Dataset
from sstag.model.model import model
from sstag.training.climb import likeliest, start_weights
from sstag.training.disambiguation import AMBIGUOUS, SUPERVISED, option
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.methods.parameters import Training
from sstag.training.stochastic import epochs_of


@dataclass(frozen=True)
class Case:
    """The input of a function that decides labels: corpus, label sets, parameters and random numbers."""

    inputs: Inputs
    corpus: Corpus
    sets: LabelSets
    codes: Ints  # (T,) the value of each token, an index into `sets`
    params: Training  # of a CRF, which only `argmax` trains
    rng: np.random.Generator
    run: Run

    @property
    def undecided(self) -> Bools:  # (T,)
        return self.sets.single[self.codes] < 0

    @property
    def full(self) -> Bools:
        """The sentences in which every label is decided."""  # (S,)
        return ~np.logical_or.reduceat(self.undecided, self.corpus.offsets[:-1])

    @property
    def unwritten(self) -> Bools:
        """The values that do not write down what they allow: `?` and `!A`."""  # (V,)
        texts = self.corpus.values[self.corpus.column(self.inputs.template.label)]
        negation = self.inputs.marks.negation
        negated = np.array([negation is not None and text.startswith(negation) for text in texts], bool)
        unwritten: Bools = self.sets.unknown | negated
        return unwritten

    @property
    def possible(self) -> str:
        """The option that names the ways there are for this corpus."""
        without = [] if self.full.any() else list(SUPERVISED)
        without += [] if not (self.undecided & self.unwritten[self.codes]).any() else ["first"]
        return option(*without, *([] if not self.undecided.all() else ["frequent"]))

    def decided(self, labels: Ints | Longs) -> Corpus:
        """The corpus with these labels in place of its own."""
        return with_column(self.corpus, self.inputs.template.label, self.sets.labels, labels)

    def chosen(self, of_value: Sequence[int]) -> Corpus:
        """The corpus with one label for each distinct value."""
        return self.decided(np.array(of_value)[self.codes])


def disambiguated(name: str, inputs: Inputs, params: Training, rng: np.random.Generator, run: Run) -> Corpus:
    """The labelled sentences with every label decided."""
    if name not in AMBIGUOUS:
        raise ConfigError(f"there is no way '{name}' to decide labels{nearest(name, AMBIGUOUS)}")
    text = labelled_text_of(inputs, name)
    case = Case(inputs, text.corpus, text.sets, text.codes, params, rng, run)
    if not case.undecided.any():
        return case.decided(case.sets.single[case.codes])
    if not case.sets.labels:
        raise DataError("no label is named: there is nothing to choose from", case.corpus.path)
    if AMBIGUOUS[name].needs_full and not case.full.any():
        raise DataError(
            f"no sentence is fully labelled, and {name} needs some ({case.possible} does not)", case.corpus.path
        )
    return registered(AMBIGUOUS[name].where)(case)


def random(case: Case) -> Corpus:
    """The corpus with a uniformly random allowed label for each token by itself; for `?`, one of all labels."""
    starts = np.cumsum(case.sets.sizes) - case.sets.sizes
    allowed = np.concatenate(case.sets.allowed_labels)
    labels = case.sets.single[case.codes]
    values = case.codes[case.undecided]
    labels[case.undecided] = allowed[starts[values] + case.rng.integers(case.sets.sizes[values])]
    return case.decided(labels)


def first(case: Case) -> Corpus:
    """The corpus with the first allowed label as written; an error for `?` and `!A`, where none is written."""
    wrong = np.flatnonzero(case.undecided & case.unwritten[case.codes])
    if len(wrong):
        text = case.corpus.values[case.corpus.column(case.inputs.template.label)][case.codes[wrong[0]]]
        raise DataError(
            f"'{text}' names no label that it allows, so none is first ({case.possible} decides it)",
            *case.corpus.place(wrong[0]),
        )
    return case.chosen([allowed[0] for allowed in case.sets.allowed_labels])


def frequent(case: Case) -> Corpus:
    """The corpus with the allowed label that most of the decided tokens have, whatever their word.

    Of labels that are equally frequent it is the one written first; those that are not written follow the order of
    labels. For `?` it is the most frequent label of all.
    """
    decided = case.sets.single[case.codes[~case.undecided]]
    if not len(decided):
        raise DataError(
            f"no label is decided, and frequent counts those that are ({case.possible} does not)",
            case.corpus.path,
        )
    times = np.bincount(decided, minlength=len(case.sets.labels))
    return case.chosen([allowed[times[list(allowed)].argmax()] for allowed in case.sets.allowed_labels])


def discard(case: Case) -> Corpus:
    """The sentences in which every label is decided."""
    left = selected(case.corpus, case.full)
    labels = case.sets.single[case.codes][np.repeat(case.full, np.diff(case.corpus.offsets))]
    return with_column(left, case.inputs.template.label, case.sets.labels, labels)


def argmax(case: Case) -> Corpus:
    """The most probable path that the labels allow, under a CRF trained on the fully labelled sentences.

    That CRF has the weights of all sentences, so that it knows every label: a label that no fully labelled sentence has
    is merely unlikely.
    """
    inputs = case.inputs
    text = LabelledText(case.corpus, case.sets, case.codes)
    made = compiled_text(inputs.template, text, None, inputs.known, bundled=not epochs_of(case.params))
    data = made.labelled
    assert isinstance(data, Dataset)
    full = selected_data(data, data.full)
    run = replace(case.run, phase="argmax")
    found = likeliest(inputs, made, full, case.params, run, start_weights(inputs, made))
    if run.stop():
        raise Interrupted  # labels are no model, and who asked for an end does not wait for one
    return case.decided(model(made, found.theta).tagged(data, case.run.over))
