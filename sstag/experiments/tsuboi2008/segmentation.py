"""Word segmentation of another domain from a few marked words (T08 §5.1, Figure 3).

CRF_S is trained on the source domain. Occurrences of listed words in one half of the target's sentences are ranked once
by the entropy of their span under CRF_S; of the first n the boundaries before, within and after them become known. All
systems learn from the source domain and these, and are tested on the other half; then the halves change places.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus, selected, with_column
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import CLIMBED, fitted, judged, percent
from sstag.experiments.trials import Row
from sstag.experiments.tsuboi2008 import domains
from sstag.experiments.tsuboi2008.domains import begins, words
from sstag.features.template import NO_EDGES
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.parallel import one_by_one
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.model.weight_map import weight_map

OPEN = "?"
SYSTEMS = ("marginalised", "argmax", "pointwise")
TEMPLATE = "segmentation"  # of configs/tsuboi2008
ENTROPY, RANDOM = "entropy", "random"  # how occurrences are ranked


@dataclass(frozen=True)
class System:
    """A tagger of the source domain, and what it was compiled to."""

    made: Compiled
    theta: Floats

    @property
    def model(self) -> Model:
        return model(self.made, self.theta)

    def dataset(self, corpus: Corpus) -> Dataset:
        """Sentences with what is known of their labels."""
        text = labelled_text(corpus, "tag", Marks(), self.made.labels)
        return replace(self.model.dataset(corpus), sets=text.codes, allowed=text.sets.allowed)

    def adapted(self, corpus: Corpus, l2: float) -> "System":
        """The tagger of the source domain and of these sentences, trained from its own weights."""
        assert self.made.labelled is not None
        data = [self.made.labelled, self.dataset(corpus)]
        return replace(self, theta=fitted(self.made, data, self.theta, replace(CLIMBED, l2=l2)))


def on_source(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    target: str,
    sizes: Sequence[int],
    edges: bool,
    l2: float,
    template: str = TEMPLATE,
) -> list[Row]:
    """F on the validation part of the source domain: l2 is chosen by it."""
    data = domains.domains(corpora, target, sizes, draw=1)
    return [{"f1": f1_of(system_of(data, edges, l2, template), data.validation)}]


def on_target(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    target: str,
    sizes: Sequence[int],
    counts: Sequence[int],
    word_list: bool,
    draw: int,
    template: str = TEMPLATE,
    ranking: str = ENTROPY,
    stronger: float = 1.0,
) -> list[Row]:
    """F on each half of the target domain, with so many words marked in the other half.

    The prior may be so many times stronger than what was best on the source domain.
    """
    validated = [row for rows in needed for row in rows]
    l2 = {edges: stronger * best_l2(validated, edges) for edges in (True, False)}
    data = domains.domains(corpora, target, sizes, draw, word_list)
    crf, pointwise = (system_of(data, edges, l2[edges], template) for edges in (True, False))
    rng = np.random.default_rng([domains.SEED, draw, 1])
    rows: list[Row] = []
    for fold, (half, test) in enumerate((data.halves, data.halves[::-1])):
        first, last = occurrences(half, data.terms)
        urgency = rng.random(len(first)) if ranking == RANDOM else span_entropies(crf.model, half, first, last)
        ranked = np.argsort(-urgency, kind="stable")
        said = {"fold": fold, "occurrences": len(ranked)}
        ours, best, alone = crf, crf, pointwise
        for count in (0, *counts):
            if count > len(ranked):
                continue
            if count:
                some = marked(half, first[ranked[:count]], last[ranked[:count]])
                filled = with_column(some, "tag", crf.made.labels, crf.model.tagged(crf.dataset(some), one_by_one))
                ours = crf.adapted(some, l2[True])  # not concave: it has to start from the source domain (T08 §5.1)
                best, alone = best.adapted(filled, l2[True]), alone.adapted(some, l2[False])
            for name, tagger in zip(SYSTEMS, (ours, best, alone), strict=True):
                rows.append({**said, "system": name, "marked": count, "f1": f1_of(tagger, test)})
        everything = ours.adapted(half, l2[True])
        rows.append({**said, "system": "everything", "marked": None, "f1": f1_of(everything, test)})
    return rows


def f1_of(tagger: System, test: Corpus) -> float:
    return percent(judged(tagger.model, test).figures["f1"])


def best_l2(validated: Iterable[Row], edges: bool) -> float:
    """The strength of the prior with which a system was best on the source domain."""
    l2: float = max((row for row in validated if row["edges"] == edges), key=lambda row: row["f1"])["l2"]
    return l2


def system_of(data: domains.Domains, edges: bool, l2: float, template: str = TEMPLATE) -> System:
    how = shipped_template(f"tsuboi2008/{template}")
    if not edges:
        how = replace(how, edges=NO_EDGES)
    made = compiled(how, data.source, data.raw)
    assert made.labelled is not None
    zero = np.zeros(weight_map(made).size)
    return System(made, fitted(made, [made.labelled], zero, replace(CLIMBED, l2=l2)))


def occurrences(corpus: Corpus, terms: frozenset[str]) -> tuple[Longs, Longs]:
    """Where listed words stand: their first characters, and those that follow them, or their last ones at the end."""
    first = begins(corpus).nonzero()[0]
    stop = np.append(first[1:], corpus.tokens)
    listed = np.array([word in terms for word in words(corpus)], bool)
    ends = np.repeat(corpus.offsets[1:], np.diff(corpus.offsets))
    return first[listed], np.minimum(stop, ends[first] - 1)[listed]


def span_entropies(tagger: Model, corpus: Corpus, first: Longs, last: Longs) -> Floats:
    def of(batch: Batch, lattice: Lattice) -> Floats:
        start = batch.tokens.start
        here = slice(*np.searchsorted(first, [start, batch.tokens.stop]).tolist())
        return lattice.span_entropy((first[here] - start).astype(np.int32), (last[here] - start).astype(np.int32))

    return np.concatenate(tagger.asked(tagger.dataset(corpus), one_by_one, of))


def marked(corpus: Corpus, first: Longs, last: Longs) -> Corpus:
    """The sentences of some spans, with the labels of these and no others."""
    some = opened(corpus, first, last)
    tag = some.column("tag")
    known = some.codes[tag] != some.values[tag].index(OPEN)
    return selected(some, np.logical_or.reduceat(known, corpus.offsets[:-1]))


def opened(corpus: Corpus, first: Longs, last: Longs) -> Corpus:
    """The whole text, with the labels of some spans and no others."""
    known = np.zeros(corpus.tokens + 1, np.int64)
    np.add.at(known, first, 1)
    np.add.at(known, last + 1, -1)
    inside = known.cumsum()[:-1] > 0
    tag = corpus.column("tag")
    texts = corpus.values[tag]
    return with_column(corpus, "tag", [*texts, OPEN], np.where(inside, corpus.codes[tag], len(texts)))
