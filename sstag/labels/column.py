"""Label columns read under a tag scheme: the labels, the scheme that they follow, and those that do not fit it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Ints, Longs
from sstag.labels.label_sets import LabelSets, decided_sets, label_sets, with_known
from sstag.labels.marks import Marks
from sstag.labels.schemes.guess import guessed_scheme
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import Tagset, check_scheme, fits, ill_formed, possible_labels, tagset, tolerant_tagset


@dataclass(frozen=True)
class Annotation:
    """A label column as it is read: its label sets, their scheme, and the label of each token that is decided.

    The labels are those of the column and every other one that the scheme has for their types, because an unknown
    label may be one of these: a column with B-PER alone also has I-PER in IOB2. Labels that do not fit the scheme are
    strangers: they are outside every chunk and count as undecided.
    """

    sets: LabelSets
    tags: Tagset
    decided: Ints  # (T,) index into sets.labels, or UNDECIDED
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
    if scheme:
        check_scheme(scheme)
    first = label_sets(values, marks, line_of=line_of)
    # What contains a mark may yet be understood, once the scheme tells which labels there can be.
    ordinary = [label for label in first.labels if label not in first.marked]
    name = scheme or guessed_scheme(ordinary, _decided(first, codes, ordinary), offsets)
    known = [label for label in ordinary if fits(label, name)]
    sets = label_sets(values, marks, possible_labels(tagset(known, name)), line_of)
    fitting = np.array([*(fits(label, name) for label in sets.labels), True])  # the last answers for UNDECIDED
    strangers = tuple(sorted(label for label, fit in zip(sets.labels, fitting, strict=False) if not fit))
    decided = sets.single.astype(np.int32)[codes]
    tags = tolerant_tagset(sets.labels, name)
    return Annotation(sets, tags, np.where(fitting[decided], decided, UNDECIDED), strangers)


def impossible(read: Annotation, codes: Ints, offsets: Longs) -> Longs:
    """The tokens of whose allowed labels none is well-formed beside a neighbour: `ill_formed` for sets of labels."""
    wrong = np.zeros(len(codes), bool)
    wrong[ill_formed(read.tags, read.decided, offsets)] = True
    legal, count = read.tags.legal, len(read.sets.labels)
    # Sets are looked at in pairs of neighbours. One that has most labels is taken to fit beside any other.
    several = (read.sets.sizes > 1) & ~read.sets.unknown
    few = 2 * read.sets.sizes < count
    # The last row is for the edge of a sentence, whose code here is -1.
    is_set, open_ended = np.append(several & few, False), np.append(several & ~few | read.sets.unknown, False)

    def none_is_legal(left: int, right: int) -> bool:
        before, after = ((count,) if code < 0 else read.sets.allowed_labels[code] for code in (left, right))
        return not legal[np.ix_(before, after)].any()

    before = np.full(len(codes), -1)
    before[1:] = codes[:-1]
    before[offsets[:-1]] = -1
    last = offsets[1:] - 1
    steps = [(before, codes, np.arange(len(codes))), (codes[last], np.full(len(last), -1), last)]
    for left, right, token in steps:
        concerned = (is_set[left] | is_set[right]) & ~(open_ended[left] | open_ended[right])
        # Each pair of codes is judged once: it has a number, in which the edge counts as 0.
        keys = (left[concerned] + 1) * len(is_set) + right[concerned] + 1
        pairs, place = np.unique(keys, return_inverse=True)
        codes_of = [divmod(int(pair), len(is_set)) for pair in pairs]
        verdicts = [none_is_legal(a - 1, b - 1) for a, b in codes_of]
        wrong[token[concerned]] |= np.array(verdicts, bool)[place]
    return np.flatnonzero(wrong)


def _decided(sets: LabelSets, codes: Ints, labels: Sequence[str]) -> Ints:
    """The label of each token, as an index into some of the labels; UNDECIDED if it is none of them."""
    number = {label: index for index, label in enumerate(labels)}
    places = np.array([number.get(label, UNDECIDED) for label in sets.labels] + [UNDECIDED], np.int32)
    result: Ints = places[sets.single[codes]]
    return result


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
