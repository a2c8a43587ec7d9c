"""A template applied to the corpora of a training: their datasets, the attributes, and which weights exist.

A weight belongs to a pair (attribute, label). A pair is *observed* if the attribute occurs at a labelled token whose
allowed set contains the label and is not the full set. With unlabelled text the pairs are the observed ones and every
label for attributes that occur there at least twice; without a labelled token all pairs exist.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText
from sstag.features.dense import Standard, blocks, scaled, standards, tables
from sstag.features.incidence import Incidence, attributes_of, in_bundles, learned_attributes
from sstag.features.large_vocabulary import built_of_large
from sstag.features.series import Words
from sstag.features.template import Template
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, least_count
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.ranges import offsets_of, rows_of
from sstag.foundation.shelves import Shelf
from sstag.labels.column import LabelledText, labelled_text
from sstag.labels.label_sets import LabelSets
from sstag.labels.marks import Marks
from sstag.labels.schemes.guess import guessed_scheme, scheme_of_labels
from sstag.model.dataset import Dataset
from sstag.model.large_data import Encoded, encoded, times
from sstag.model.sparse_weights import Pairs

OFTEN = 2  # occurrences in unlabelled text that give an attribute every label
SOME = 2**14  # tokens looked at together
MOST_WEIGHTS = 150_000_000  # with as many attributes as below that is a model of less than 4 GiB
MOST_ATTRIBUTES = 60_000_000
BITMAP = 2**30  # pairs that are marked in a table rather than sorted


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
    dense: tuple[Standard, ...]  # how the numbers of each dense feature are standardised
    scheme: str  # how the labels write chunks: as the labelled sentences do
    origins: dict[str, int]  # attributes by the text they occur in, and weights by why they exist
    volumes: Shelf[Encoded] | None = None  # of a large text, in place of `unlabelled`


def compiled(
    template: Template,
    labelled: Corpus | None,
    unlabelled: Corpus | None = None,
    marks: Marks = Marks(),
    known: tuple[str, ...] = (),
) -> Compiled:
    """A template applied to labelled sentences, to raw text (then the labels must be known), or both."""
    text = labelled_text(labelled, template.label, marks, known) if labelled else None
    return compiled_text(template, text, unlabelled, known)


def compiled_text(
    template: Template,
    text: LabelledText | None,
    unlabelled: Corpus | None,
    known: tuple[str, ...],
    large: LargeText | None = None,
    bundled: bool = True,
) -> Compiled:
    """A template applied to labelled sentences whose labels have been read, to raw text, or both.

    Raw text in volumes gives the same vocabulary and weights as in memory. Attributes that come together are looked up
    together where that saves time, unless they are not to be `bundled`.
    """
    labelled, sets, codes = (text.corpus, text.sets, text.codes) if text else (None, None, None)
    labels = sets.labels if sets else known
    allowed = sets.allowed if sets else np.zeros((0, len(labels)), bool)
    options = [np.flatnonzero(row) if not row.all() else np.zeros(0, np.int64) for row in allowed]
    decided = bool(codes is not None and any(len(options[code]) for code in np.unique(codes)))

    views = [View(corpus, template) for corpus in (labelled, unlabelled) if corpus]
    template = replace(template, minimum_count=least_count(template, views[0] if labelled else None))
    everything = template.vocabulary == "all" or (template.vocabulary is None and not decided)
    learning = len(views) if everything or not labelled else 1
    words = Words(template, large.head.columns, large.head.values, large.head.path) if large else None
    if large and words:
        here = views[0] if views else None
        unary, edge = (
            built_of_large(some, here, large, words, everything or not labelled, template.minimum_count, steps)
            for some, steps in ((template.features, False), (template.edges.features, True))
        )
        ids = [unary.ids(view) for view in views]
        attributes = [attributes_of(unary, view, own) for view, own in zip(views, ids, strict=True)]
        steps = [attributes_of(edge, view, edge.ids(view)) for view in views]
    else:
        unary, attributes, ids = learned_attributes(
            template.features, views, learning, template.minimum_count, steps=False
        )
        edge, steps, _ = learned_attributes(
            template.edges.features, views, learning, template.minimum_count, steps=True
        )
    if (size := unary.size + edge.size) > MOST_ATTRIBUTES:
        raise ConfigError(
            f"{size:,} attributes are too many (at most {MOST_ATTRIBUTES:,}; --set minimum_count=2 makes them fewer)"
        )

    in_labelled, in_unlabelled = np.zeros(unary.size, bool), np.zeros(unary.size, np.int64)
    if labelled:
        in_labelled[attributes[0].indices] = True
    volumes = encoded(large, words, unary, edge, len(labels)) if large and words else None
    if unlabelled:
        in_unlabelled = np.bincount(attributes[-1].indices, minlength=unary.size)
    if volumes:
        in_unlabelled = volumes.summed(times, unary.size)
    full = np.full(unary.size, template.pairs == "all" or (template.pairs is None and not decided))
    if template.pairs is None:
        full |= in_unlabelled >= OFTEN
    nothing = np.zeros(0, np.int64)
    seen = _observed(attributes[0], codes, options, len(labels)) if codes is not None else nothing
    pairs = _pairs(seen, full, len(labels))
    datasets = []
    numbers = [tables(view, template.dense) for view in views]
    dense = tuple(standards(template, numbers, views[0] if labelled else None))
    for number, view in enumerate(views):
        own = blocks(view, template.dense, numbers[number])
        entries, bundles = attributes[number], None
        if bundled:
            entries, bundles = in_bundles(unary, view, entries, ids[number], own)
        chosen = codes if labelled and not number else None
        datasets.append(
            Dataset(view.corpus.offsets, entries, steps[number], chosen, allowed, view.corpus.weights, bundles, own)
        )
    first, second = (datasets[0] if labelled else None), (datasets[-1] if unlabelled else None)
    label_pairs, edge_pairs = _step_pairs(template, first, edge.size, options, len(labels))
    both = in_labelled & (in_unlabelled > 0)
    return Compiled(
        template=scaled(template, dense).named(views[0].corpus.columns if views or not large else large.head.columns),
        labels=labels,
        unary=unary,
        edge=edge,
        labelled=first,
        unlabelled=second,
        pairs=pairs,
        edge_pairs=edge_pairs,
        label_pairs=label_pairs,
        dense=dense,
        scheme=_scheme(labels, decided, sets, codes, labelled),
        origins={
            "attributes in labelled text only": int((in_labelled & ~both).sum()),
            "attributes in both": int(both.sum()),
            "attributes in unlabelled text only": int(((in_unlabelled > 0) & ~both).sum()),
            "weights of observed pairs": len(seen),
            "weights of other pairs": len(pairs.labels) - len(seen),
        },
        volumes=volumes,
    )


def _scheme(
    labels: Sequence[str], decided: bool, sets: LabelSets | None, codes: Ints | None, labelled: Corpus | None
) -> str:
    if sets is None or codes is None or labelled is None or not decided:
        return scheme_of_labels(labels)
    return guessed_scheme(sets.labels, sets.single.astype(np.int32)[codes], labelled.offsets)


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
    """The pairs of attribute and label, SOME tokens at a time; each stands there as often as it occurs."""
    starts = offsets_of(np.array([len(one) for one in options], np.int64))
    everything = np.concatenate([np.zeros(0, np.int64), *options])
    for begin in range(0, len(choice), SOME):
        bounds = incidence.indptr[begin : begin + SOME + 1]
        attributes = incidence.indices[bounds[0] : bounds[-1]].astype(np.int64)
        chosen = np.repeat(choice[begin : begin + SOME], np.diff(bounds))
        ends, places = rows_of(starts, chosen)  # the labels for each attribute, one after another
        yield np.repeat(attributes, np.diff(ends)) * count + everything[places]


def _pairs(seen: Longs, full: Bools, count: int) -> Pairs:
    """The pairs that were seen, and all labels of the attributes marked full."""
    if (weights := int(full.sum()) * count) > MOST_WEIGHTS:
        raise ConfigError(
            f"{weights:,} weights are too many (at most {MOST_WEIGHTS:,}): pairs or edge_pairs: observed, or a "
            "minimum_count (--set minimum_count=2), makes them fewer"
        )
    own = seen // max(count, 1)
    sizes = np.where(full, count, np.bincount(own, minlength=len(full)))
    labels, whole = np.empty(sizes.sum(), np.int32), np.repeat(full, sizes)
    labels[whole] = np.tile(np.arange(count, dtype=np.int32), int(full.sum()))
    labels[~whole] = seen[~full[own]] % max(count, 1)
    return Pairs(offsets_of(sizes), labels)


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
