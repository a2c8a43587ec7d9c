"""Label columns read under a tag scheme: the labels, the scheme that they follow, and those that do not fit it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.labels.label_sets import LabelSets, decided_sets, label_sets, with_known
from sstag.labels.marks import Marks
from sstag.labels.schemes.guess import scheme_of_steps
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.steps import EDGE, Steps, steps_of
from sstag.labels.schemes.tagset import (
    Tagset,
    check_scheme,
    fits,
    is_ill_formed,
    possible_labels,
    tagset,
    tolerant_tagset,
)


@dataclass(frozen=True)
class Annotation:
    """A label column as it is read: its label sets, their scheme, and the label of each value that is decided.

    The labels are those of the column and every other one that the scheme has for their types, because an unknown
    label may be one of these: a column with B-PER alone also has I-PER in IOB2. Labels that do not fit the scheme are
    strangers: they are outside every chunk and count as undecided.
    """

    sets: LabelSets
    tags: Tagset
    single: Ints  # (V,) index into sets.labels, or UNDECIDED
    strangers: tuple[str, ...]


def annotation(
    values: Sequence[str],
    codes: Ints,
    offsets: Longs,
    marks: Marks,
    scheme: str | None,
    line_of: Callable[[int], tuple[str, int]] | None = None,
) -> Annotation:
    """Reads a label column, given its distinct values and their code at each token; the scheme is guessed if None."""
    return annotation_of_steps(values, partial(steps_of, codes, offsets), marks, scheme, line_of)


def annotation_of_steps(
    values: Sequence[str],
    steps: Callable[[], Steps],
    marks: Marks,
    scheme: str | None,
    line_of: Callable[[int], tuple[str, int]] | None = None,
) -> Annotation:
    """Reads a label column of which the distinct values are known, and the steps between their codes if need be."""
    if scheme:
        check_scheme(scheme)
    first = label_sets(values, marks, line_of=line_of)
    # What contains a mark may yet be understood, once the scheme tells which labels there can be.
    ordinary = [label for label in first.labels if label not in first.marked]
    name = scheme or scheme_of_steps(ordinary, _between_labels(steps(), first, ordinary))
    known = [label for label in ordinary if fits(label, name)]
    sets = label_sets(values, marks, possible_labels(tagset(known, name)), line_of)
    fitting = np.array([*(fits(label, name) for label in sets.labels), True])  # the last answers for UNDECIDED
    strangers = tuple(sorted(label for label, fit in zip(sets.labels, fitting, strict=False) if not fit))
    single = sets.single.astype(np.int32)
    tags = tolerant_tagset(sets.labels, name)
    return Annotation(sets, tags, np.where(fitting[single], single, UNDECIDED).astype(np.int32), strangers)


def _between_labels(steps: Steps, sets: LabelSets, labels: Sequence[str]) -> Steps:
    """Steps between values as steps between some labels: UNDECIDED is what is none of them, the edge their number."""
    number = {label: index for index, label in enumerate(labels)}
    places = np.array([number.get(label, UNDECIDED) for label in sets.labels] + [UNDECIDED], np.int64)
    label_of = np.append(places[sets.single], len(labels))  # EDGE takes the last
    return replace(steps, before=label_of[steps.before], here=label_of[steps.here])


def impossible(read: Annotation, codes: Ints, offsets: Longs) -> Longs:
    """The tokens of whose allowed labels none is well-formed beside a neighbour: `ill_formed` for sets of labels."""
    steps = steps_of(codes, offsets)
    return np.flatnonzero(impossible_steps(read, steps)[steps.of])


def impossible_steps(read: Annotation, steps: Steps) -> Bools:
    """Which steps lead to a token of whose allowed labels none is well-formed beside the one before, or at an end."""
    legal, count = read.tags.legal, len(read.sets.labels)
    single = np.append(read.single, count)  # EDGE takes the last, here and below
    wrong = is_ill_formed(read.tags, single[steps.before], single[steps.here], steps.last)
    # Sets are looked at in pairs of neighbours. One that has most labels is taken to fit beside any other.
    several = (read.sets.sizes > 1) & ~read.sets.unknown
    few = 2 * read.sets.sizes < count
    is_set, open_ended = np.append(several & few, False), np.append(several & ~few | read.sets.unknown, False)

    def none_is_legal(left: int, right: int) -> bool:
        before, after = ((count,) if code == EDGE else read.sets.allowed_labels[code] for code in (left, right))
        return not legal[np.ix_(before, after)].any()

    ends = np.flatnonzero(steps.last)
    pairs = [
        (steps.before, steps.here, np.arange(len(steps.here))),
        (steps.here[ends], np.full(len(ends), EDGE), ends),
    ]
    for left, right, step in pairs:
        concerned = np.flatnonzero((is_set[left] | is_set[right]) & ~(open_ended[left] | open_ended[right]))
        for one in concerned.tolist():
            wrong[step[one]] |= none_is_legal(int(left[one]), int(right[one]))
    return wrong


@dataclass(frozen=True, eq=False)
class LabelledText:
    """Sentences whose label column has been read: its label sets, and for each token which of them it has."""

    corpus: Corpus
    sets: LabelSets
    codes: Ints  # (T,) index into the values of the sets

    @property
    def single(self) -> Longs:
        """The label of each token, or -1 where it is not decided."""  # (T,)
        return self.sets.single[self.codes]


def labelled_text(corpus: Corpus, label: str, marks: Marks, known: tuple[str, ...] = ()) -> LabelledText:
    """The sentences of a corpus with the label sets of a column; labels that are known come first."""
    index = corpus.column(label)
    sets = label_sets(corpus.values[index], marks, known, partial(corpus.first_place, index))
    return LabelledText(corpus, sets, corpus.codes[index])


def labelled_beside(text: LabelledText, label: str, marks: Marks, known: tuple[str, ...]) -> LabelledText:
    """Sentences whose column was read by these marks, now that other labels are known; it is not read again."""
    index = text.corpus.column(label)
    return replace(text, sets=with_known(text.sets, marks, known, partial(text.corpus.first_place, index)))


def decided_text(corpus: Corpus, label: str, marks: Marks, known: tuple[str, ...]) -> LabelledText:
    """Sentences in whose column every value is a label, as whoever decided them knows; nothing is to be read in it."""
    index = corpus.column(label)
    return LabelledText(corpus, decided_sets(corpus.values[index], marks, known), corpus.codes[index])
