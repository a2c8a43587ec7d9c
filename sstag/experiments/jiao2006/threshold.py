"""A threshold alone: the supervised CRF with biases of its labels by which raw text has shares that are known.

Label regularisation gets such shares by whatever weights; this is what its gain has to be compared with. The shares
are those of the labelled words, or the true ones of the raw text, which nobody would know.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import tagger
from sstag.experiments.jiao2006.draws import Draw, drawn
from sstag.experiments.jiao2006.sweep import judged_by, mentions, template
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.known_shares import KnownShares
from sstag.model.model import Model
from sstag.training.share_matching import matched

NOTHING, LABELLED, TRUE = "supervised", "threshold, shares of A", "threshold, true shares of D"
TOLD = """## A threshold alone

The supervised CRF, to whose scores a bias of each label is added, so that D is expected to have the shares of labels
that A has, or that it has itself (`sstag tag --match-shares`). Nothing is trained. p is of Wilcoxon's signed ranks
against the supervised CRF."""


def thresholded(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
) -> list[Row]:
    """The mentions found in the raw text and in the rest without biases, and with those of either shares."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    first = tagger(
        template("window"), data.labelled, "composed", unlabelled=data.raw, objectives=[{"likelihood": {}}]
    )  # as beside label regularisation
    systems = {NOTHING: first, LABELLED: labelled_threshold(first, data), TRUE: _threshold(first, data.raw, data.raw)}
    rows: list[Row] = []
    for name, system in systems.items():
        for on, text in (("raw", data.raw), ("rest", data.rest)):
            rows.append({"system": name, "on": on, **mentions(judged_by(system, text, system.dataset(text)))})
    return rows


def labelled_threshold(tagger: Model, data: Draw) -> Model:
    """A tagger with the biases by which the raw text has the shares of labels that A has."""
    return _threshold(tagger, data.raw, data.labelled)


def _threshold(tagger: Model, raw: Corpus, labelled: Corpus) -> Model:
    known = KnownShares("shares", "", _shares(labelled))
    return matched(tagger, raw, known, one_by_one, lambda step, away: None).model


def _shares(text: Corpus) -> dict[str, float]:
    """The share of each label of a text but the commonest, which has the rest."""
    column = text.column("tag")
    counts = np.bincount(text.codes[column], minlength=len(text.values[column]))
    return {
        label: float(count) / text.tokens
        for label, count in zip(text.values[column], counts.tolist(), strict=True)
        if 0 < count < counts.max()
    }


def report(rows: list[Row]) -> Iterator[Block]:
    """The mentions that each threshold finds, on D itself and on E."""
    yield TOLD
    table: list[list[Cell]] = []
    for on, where in (("raw", "D"), ("rest", "E")):
        first = by_draw(rows, "f1", on=on, system=NOTHING)
        for name in (NOTHING, LABELLED, TRUE):
            here = [row for row in rows if row["on"] == on and row["system"] == name]
            gain = comparison(by_draw(here, "f1"), first) if name != NOTHING else None
            figures = [spread([row[one] for row in here]) for one in ("precision", "recall", "f1")]
            table.append([f"{name}, on {where}", *figures, *([gain.gain, gain.verdict] if gain else [None, None])])
    yield Table("Biases by which shares are as they should be", ("system", "P", "R", "F", "gain in F", "p"), table)
