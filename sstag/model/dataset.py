"""Corpora as arrays, and which weights exist: what training reads, and nothing else.

A weight belongs to a pair (attribute, label). A pair is *observed* if the attribute occurs at a labelled token whose
allowed set contains the label and is not the full set. With unlabelled text the pairs are the observed ones and every
label for attributes that occur there at least twice; without a labelled token all pairs exist.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.bundles import bundled
from sstag.features.template import Feature, Template
from sstag.features.term_values import ABSENT, View
from sstag.features.vocabulary import Vocabulary, built
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.labels.label_sets import LabelSets, label_sets
from sstag.labels.marks import Marks
from sstag.labels.schemes import guessed_scheme, scheme_of_labels

OFTEN = 2  # occurrences in unlabelled text that give an attribute every label
SOME = 2**14  # tokens looked at together
MOST_WEIGHTS = 150_000_000  # with as many attributes as below that is a model of less than 4 GiB
MOST_ATTRIBUTES = 60_000_000
BITMAP = 2**30  # pairs that are marked in a table rather than sorted


@dataclass(frozen=True)
class Incidence:
    """The attributes of each token: token t has indices[indptr[t]:indptr[t + 1]], weighed by values if given."""

    indptr: Longs  # (T + 1,)
    indices: Ints  # (N,)
    values: Floats | None  # (N,)

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True)
class Dataset:
    """Sentences as arrays."""

    offsets: Longs  # (S + 1,)
    unary: Incidence  # of A attributes; A + b is bundle b
    edge: Incidence  # attributes of the step that leads to each token
    sets: Ints | None  # (T,) row of `allowed` that says which labels a token may have; None without labels
    allowed: Bools  # (M, L)
    weights: Floats | None = None  # (S,) ω of each sentence; None: 1
    bundles: Incidence | None = None  # the attributes of each bundle
    cues: Bools | None = None  # (T, R) which rules of the model have one of their features at each token

    @cached_property
    def omega(self) -> Floats:
        """How much each sentence counts."""  # (S,)
        return np.ones(len(self.offsets) - 1) if self.weights is None else self.weights

    @cached_property
    def full(self) -> Bools:
        """The sentences that have one label everywhere."""  # (S,)
        full: Bools = np.maximum.reduceat(self._choices, self.offsets[:-1]) == 1
        return full

    @cached_property
    def free(self) -> Bools:
        """The sentences that may have any label anywhere: they add nothing to a likelihood."""  # (S,)
        open_everywhere = np.minimum.reduceat(self._choices, self.offsets[:-1]) == self.allowed.shape[1]
        free: Bools = ~self.full & open_everywhere
        return free

    @property
    def decided(self) -> tuple[Bools, Longs]:
        """Which tokens have one label, and their labels."""  # (T,), (D,)
        if self.sets is None or not self.allowed.size:
            return np.zeros(self.offsets[-1], bool), np.zeros(0, np.int64)
        single = self._choices == 1
        labels: Longs = self.allowed.argmax(axis=1)[self.sets[single]]
        return single, labels

    @property
    def _choices(self) -> Longs:
        """How many labels each token may have."""  # (T,)
        if self.sets is None:
            return np.full(self.offsets[-1], self.allowed.shape[1])
        choices: Longs = self.allowed.sum(axis=1)[self.sets]
        return choices


@dataclass(frozen=True)
class Pairs:
    """The labels each attribute has a weight for: attribute a has labels[indptr[a]:indptr[a + 1]], ascending."""

    indptr: Longs  # (A + 1,)
    labels: Ints  # (W,)


@dataclass(frozen=True)
class Compiled:
    """A template applied to the corpora of a training."""

    template: Template  # its columns named
    labels: tuple[str, ...]
    unary: Vocabulary
    edge: Vocabulary
    labelled: Dataset | None
    unlabelled: Dataset | None
    pairs: Pairs
    edge_pairs: Pairs  # of edge attributes; a label here is from·L + to
    label_pairs: Bools  # (L, L) the steps [from, to] that have a weight of their own
    scheme: str  # how the labels write chunks: as the labelled sentences do
    origins: dict[str, int]  # attributes by the text they occur in, and weights by why they exist


def annotated(corpus: Corpus, label: str, marks: Marks, known: tuple[str, ...] = ()) -> tuple[LabelSets, Ints]:
    """The label sets of a corpus and, for each token, which of them it has."""
    index = corpus.column(label)
    return label_sets(corpus.values[index], marks, known, partial(corpus.first_place, index)), corpus.codes[index]


def compiled(
    template: Template,
    labelled: Corpus | None,
    unlabelled: Corpus | None = None,
    marks: Marks = Marks(),
    known: tuple[str, ...] = (),
) -> Compiled:
    """A template applied to labelled sentences, to raw text (then the labels must be known), or both."""
    sets, codes = annotated(labelled, template.label, marks, known) if labelled else (None, None)
    labels = sets.labels if sets else known
    allowed = sets.allowed if sets else np.zeros((0, len(labels)), bool)
    options = [np.flatnonzero(row) if not row.all() else np.zeros(0, np.int64) for row in allowed]
    decided = bool(codes is not None and any(len(options[code]) for code in np.unique(codes)))

    views = [View(corpus, template) for corpus in (labelled, unlabelled) if corpus]
    everything = template.vocabulary == "all" or (template.vocabulary is None and not decided)
    learning = len(views) if everything or not labelled else 1
    unary, attributes, ids = _extracted(template.features, views, learning, template.minimum_count, steps=False)
    edge, steps, _ = _extracted(template.edges.features, views, learning, template.minimum_count, steps=True)
    if (size := unary.size + edge.size) > MOST_ATTRIBUTES:
        raise ConfigError(f"{size:,} attributes are too many (at most {MOST_ATTRIBUTES:,}; see minimum_count)")

    in_labelled, in_unlabelled = np.zeros(unary.size, bool), np.zeros(unary.size, np.int64)
    if labelled:
        in_labelled[attributes[0].indices] = True
    if unlabelled:
        in_unlabelled = np.bincount(attributes[-1].indices, minlength=unary.size)
    full = np.full(unary.size, template.pairs == "all" or (template.pairs is None and not decided))
    if template.pairs is None:
        full |= in_unlabelled >= OFTEN
    nothing = np.zeros(0, np.int64)
    seen = _observed(attributes[0], codes, options, len(labels)) if codes is not None else nothing
    pairs = _pairs(seen, full, len(labels))
    datasets = []
    for number, view in enumerate(views):
        entries, bundles = _bundled(unary, view, attributes[number], ids[number])
        chosen = codes if labelled and not number else None
        datasets.append(
            Dataset(view.corpus.offsets, entries, steps[number], chosen, allowed, view.corpus.weights, bundles)
        )
    first, second = (datasets[0] if labelled else None), (datasets[-1] if unlabelled else None)
    label_pairs, edge_pairs = _step_pairs(template, first, edge.size, options, len(labels))
    both = in_labelled & (in_unlabelled > 0)
    return Compiled(
        template=template.named(views[0].corpus.columns),
        labels=labels,
        unary=unary,
        edge=edge,
        labelled=first,
        unlabelled=second,
        pairs=pairs,
        edge_pairs=edge_pairs,
        label_pairs=label_pairs,
        scheme=_scheme(labels, decided, sets, codes, labelled),
        origins={
            "attributes in labelled text only": int((in_labelled & ~both).sum()),
            "attributes in both": int(both.sum()),
            "attributes in unlabelled text only": int(((in_unlabelled > 0) & ~both).sum()),
            "weights of observed pairs": len(seen),
            "weights of other pairs": len(pairs.labels) - len(seen),
        },
    )


def _scheme(
    labels: Sequence[str], decided: bool, sets: LabelSets | None, codes: Ints | None, labelled: Corpus | None
) -> str:
    if sets is None or codes is None or labelled is None or not decided:
        return scheme_of_labels(labels)
    return guessed_scheme(sets.labels, sets.single.astype(np.int32)[codes], labelled.offsets)


def extracted(vocabulary: Vocabulary, view: View) -> Incidence:
    """The known attributes of a corpus."""
    return _incidence(vocabulary, view, vocabulary.ids(view))


def _extracted(
    features: tuple[Feature, ...], views: list[View], learning: int, minimum_count: int, steps: bool
) -> tuple[Vocabulary, list[Incidence], list[Ints]]:
    """A vocabulary learned from the first corpora; the attributes of all, as lists and feature by feature, (F, T)."""
    vocabulary, ids = built(features, views[:learning], minimum_count, steps)
    ids += [vocabulary.ids(view) for view in views[learning:]]
    return vocabulary, [_incidence(vocabulary, view, rows) for view, rows in zip(views, ids, strict=True)], ids


def _incidence(vocabulary: Vocabulary, view: View, ids: Ints) -> Incidence:
    """(F, T) attributes, ABSENT where there is none, as a list per token."""
    weights = vocabulary.weights(view)
    return _listed(ids.T, None if weights is None else weights.T)


def _listed(ids: Ints, values: Floats | None) -> Incidence:
    """(T, F) attributes, ABSENT where there is none, as a list per row."""
    present = ids != ABSENT
    indptr = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return Incidence(indptr, ids[present], None if values is None else values[present])


def _bundled(
    vocabulary: Vocabulary, view: View, attributes: Incidence, ids: Ints
) -> tuple[Incidence, Incidence | None]:
    """The same in bundles, and what is in these, if there are features that depend on the same values."""
    found = bundled(vocabulary.features, view, ids, vocabulary.size)
    if found is None:
        return attributes, None
    weights = vocabulary.weights(view)
    if weights is not None:  # what has a value of its own is in no bundle
        weights = np.concatenate([np.ones((len(found.entries) - len(weights), weights.shape[1])), weights])
    return _listed(found.entries.T, None if weights is None else weights.T), _listed(found.members, None)


def _observed(incidence: Incidence, choice: Ints, options: list[Longs], count: int) -> Longs:
    """The pairs attribute·count + label that occur, ascending; `options[choice[t]]` are the labels of token t."""
    attributes = int(incidence.indices.max(initial=-1)) + 1
    parts = _occurring(incidence, choice, options, count)
    if attributes * count > BITMAP:
        return np.unique(np.concatenate([np.zeros(0, np.int64), *map(np.unique, parts)]))
    seen = np.zeros(attributes * count, bool)
    for keys in parts:
        seen[keys] = True
    return np.flatnonzero(seen)


def _occurring(incidence: Incidence, choice: Ints, options: list[Longs], count: int) -> Iterator[Longs]:
    """The pairs of some tokens at a time, as often as they occur."""
    sizes = np.array([len(one) for one in options], np.int64)
    starts = np.cumsum(sizes) - sizes
    everything = np.concatenate([np.zeros(0, np.int64), *options])
    for begin in range(0, len(choice), SOME):
        bounds = incidence.indptr[begin : begin + SOME + 1]
        attributes = incidence.indices[bounds[0] : bounds[-1]].astype(np.int64)
        chosen = np.repeat(choice[begin : begin + SOME], np.diff(bounds))
        times = sizes[chosen]
        within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        yield np.repeat(attributes, times) * count + everything[np.repeat(starts[chosen], times) + within]


def _pairs(seen: Longs, full: Bools, count: int) -> Pairs:
    """The pairs that were seen, and all labels of the attributes marked full."""
    if (weights := int(full.sum()) * count) > MOST_WEIGHTS:
        raise ConfigError(
            f"{weights:,} weights are too many (at most {MOST_WEIGHTS:,}): pairs or edge_pairs: observed, or a "
            "minimum_count, makes them fewer"
        )
    rest = seen[~full[seen // max(count, 1)]]
    whole = (np.flatnonzero(full)[:, None] * count + np.arange(count)).ravel()
    keys = np.sort(np.concatenate([rest, whole]))
    attributes, labels = np.divmod(keys, max(count, 1))
    indptr = np.zeros(len(full) + 1, np.int64)
    np.cumsum(np.bincount(attributes, minlength=len(full)), out=indptr[1:])
    return Pairs(indptr, labels.astype(np.int32))


def _step_pairs(
    template: Template, data: Dataset | None, size: int, options: list[Longs], count: int
) -> tuple[Bools, Pairs]:
    """Which steps between labels have a weight: for themselves, and for each attribute of a step."""
    if template.edge_pairs == "all" or data is None or data.sets is None:
        everything = np.full((count, count), template.edges.labels)
        return everything, _pairs(np.zeros(0, np.int64), np.ones(size, bool), count * count)
    steps = np.zeros((count, count), bool)
    before = np.concatenate([data.sets[:1], data.sets[:-1]]).astype(np.int64)
    both, choice = np.unique(before * len(options) + data.sets, return_inverse=True)
    step_options = [
        (options[left][:, None] * count + options[right]).ravel()
        for left, right in (divmod(int(key), len(options)) for key in both)
    ]
    inner = np.ones(len(choice), bool)
    inner[data.offsets[:-1][np.diff(data.offsets) > 0]] = False
    for one in np.unique(choice[inner]).tolist():
        steps.ravel()[step_options[one]] = template.edges.labels
    seen = _observed(data.edge, choice.astype(np.int32), step_options, count * count)
    return steps, _pairs(seen, np.zeros(size, bool), count * count)
