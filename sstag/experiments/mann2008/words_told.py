"""A trial: how ambiguous the words of some sets are, and what few occurrences tell of one of them (M08 Figure 3)."""

from collections.abc import Sequence

import numpy as np

from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.mann2008.labelled_words import entropies, targets, words
from sstag.experiments.mann2008.texts import texts
from sstag.experiments.trials import Row
from sstag.knowledge.target_shares import standard_errors

SHOWN = ("1", "10", "all")  # occurrences
DRAW = 1


def told(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, corpus: str, made: Sequence[int], sets: int, punctuation: bool
) -> list[Row]:
    """Counts and entropies of the words; and of one word the shares of its labels with their standard errors."""
    data = texts(corpora, corpus, made)
    template = shipped_template("mann2008/fields")
    before = words(template, data, sets - 1, punctuation).texts if sets > 1 else []
    of = words(template, data, sets, punctuation)
    new = [place for place, text in enumerate(of.texts) if text not in before]
    entropy, every = entropies(of)[new], of.counts(None, DRAW)[new]
    in_raw = set(data.raw.values[data.raw.column("word")])
    row: Row = {
        "words": len(new),
        "missing": of.missing,
        "occurrences": int(every.sum()),
        "not in raw": sum(of.texts[place].partition("=")[2] not in in_raw for place in new),
        "entropy": float(entropy.mean()),
        "summed": float(entropy.sum()),
    }
    often = every.sum(axis=1) >= int(SHOWN[1])
    place = new[int(np.where(often, entropy, -1.0).argmax())]
    shown = {}
    for samples in SHOWN:
        counts = of.counts(None if samples == "all" else int(samples), DRAW)[place]
        target = targets(counts)
        shown[samples] = [target.tolist(), standard_errors(target, int(counts.sum())).tolist()]
    return [{**row, "labels": list(of.labels), "usual": of.majority(place), "shown": shown}]
