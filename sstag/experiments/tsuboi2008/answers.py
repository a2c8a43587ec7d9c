"""Word segmentation from answers of yes and no (T08 §2.1): every occurrence of a listed term as a text is asked about.

The list is found in text that nobody has segmented, so some of what it finds is no word there. Whoever answers spends
as long on a no as on a yes, so here answers are counted and not marked words; and a no is told to one of the systems:
that these characters are not exactly a word.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.chain.chunk_automaton import KnownChunks
from sstag.corpus.corpus import Corpus, with_column
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import ALONE, CLIMBED
from sstag.experiments.trials import Row
from sstag.experiments.tsuboi2008 import domains
from sstag.experiments.tsuboi2008.domains import begins
from sstag.experiments.tsuboi2008.segmentation import (
    SYSTEMS,
    TEMPLATE,
    System,
    best_l2,
    f1_of,
    marked,
    opened,
    span_entropies,
    system_of,
)
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.parallel import one_by_one
from sstag.training.climb import climbed
from sstag.training.inputs import Inputs
from sstag.training.looks import Part
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.objectives.rejection import Rejection

NOES = "marginalised, noes too"
ASKED = (NOES, *SYSTEMS)


def asked(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    target: str,
    sizes: Sequence[int],
    counts: Sequence[int],
    general: bool,
    listed: float,
    draw: int,
) -> list[Row]:
    """F on each half of the target domain after so many answers about the other half."""
    validated = [row for rows in needed for row in rows]
    l2 = {edges: best_l2(validated, edges) for edges in (True, False)}
    data = domains.domains(corpora, target, sizes, draw, general=general, listed=listed)
    crf, pointwise = (system_of(data, edges, l2[edges], TEMPLATE) for edges in (True, False))
    rows: list[Row] = []
    for fold, (half, test) in enumerate((data.halves, data.halves[::-1])):
        first, stop = _places(half, data.terms)
        yes = _are_words(half, first, stop)
        last = np.minimum(stop, _ends(half)[first] - 1)
        ranked = np.argsort(-span_entropies(crf.model, half, first, last), kind="stable")
        said = {
            "fold": fold,
            "places": len(ranked),
            "words": int(yes.sum()),
            "terms": len(_distinct(half, first, stop)),
        }
        latest = {NOES: crf, SYSTEMS[0]: crf, SYSTEMS[1]: crf, SYSTEMS[2]: pointwise}
        for count in (0, *counts):
            if count > len(ranked):
                continue
            chosen = ranked[:count]
            right, wrong = chosen[yes[chosen]], chosen[~yes[chosen]]
            if count:
                some = marked(half, first[right], last[right])
                filled = with_column(some, "tag", crf.made.labels, crf.model.tagged(crf.dataset(some), one_by_one))
                latest = {
                    NOES: _told(
                        latest[NOES], opened(half, first[right], last[right]), (first[wrong], stop[wrong]), l2[True]
                    ),
                    SYSTEMS[0]: latest[SYSTEMS[0]].adapted(some, l2[True]),
                    SYSTEMS[1]: latest[SYSTEMS[1]].adapted(filled, l2[True]),
                    SYSTEMS[2]: latest[SYSTEMS[2]].adapted(some, l2[False]),
                }
            for name, tagger in latest.items():
                rows.append({**said, "system": name, "answers": count, "yes": len(right), "f1": f1_of(tagger, test)})
    return rows


def _told(tagger: System, half: Corpus, noes: tuple[Longs, Longs], l2: float) -> System:
    """The tagger, trained from its own weights on the source domain, the marked words, and what are no words."""
    made = tagger.made
    assert made.labelled is not None
    joined = np.zeros((len(made.labels),) * 2, bool)
    joined[:, made.labels.index("I")] = True  # a word goes on where the next character does not begin one
    none, kinds = np.zeros(len(noes[0]), np.int64), np.zeros(len(made.labels), np.int64)
    rejected = Rejection(KnownChunks(*noes, none, none.astype(bool), kinds, joined))
    parts = [Part(made.labelled, (Likelihood(),)), Part(tagger.dataset(half), (Likelihood(), rejected))]
    found = climbed(Inputs(made.template, None), made, parts, replace(CLIMBED, l2=l2), ALONE, tagger.theta)
    return System(made, found.theta)


def _places(corpus: Corpus, terms: frozenset[str]) -> tuple[Longs, Longs]:
    """Where a term stands as a text: its first character, and the one after its last."""
    found = []
    for sentence, begin in enumerate(corpus.offsets[:-1].tolist()):
        text = corpus.words("char", sentence)
        for place in range(len(text)):
            for length in range(1, min(domains.LONGEST, len(text) - place) + 1):
                if "".join(text[place : place + length]) in terms:
                    found.append((begin + place, begin + place + length))
    places = np.array(found, np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def _are_words(corpus: Corpus, first: Longs, stop: Longs) -> Bools:
    """Whether exactly a word stands at each of some places."""
    bounds = np.append(begins(corpus), True)
    inside = np.cumsum(bounds)
    right: Bools = bounds[first] & bounds[stop] & (inside[stop - 1] == inside[first])
    return right


def _distinct(corpus: Corpus, first: Longs, stop: Longs) -> set[tuple[int, ...]]:
    codes = corpus.codes[corpus.column("char")]
    return {tuple(codes[a:b].tolist()) for a, b in zip(first.tolist(), stop.tolist(), strict=True)}


def _ends(corpus: Corpus) -> Longs:
    """The end of the sentence of each token."""
    return np.repeat(corpus.offsets[1:], np.diff(corpus.offsets))
