"""Taggers of A alone by other features and a lexicon, judged by gold mentions and by alternatives that are as right."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.evaluation.scoring import Evaluation
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent, tagger
from sstag.experiments.jiao2006.alternatives import counts, figures, listed_alternatives, mentions_of, overlapping
from sstag.experiments.jiao2006.draws import drawn
from sstag.experiments.jiao2006.gene_words import with_gene_words
from sstag.experiments.jiao2006.sweep import OUTSIDE, judged_by, template
from sstag.experiments.jiao2006.threshold import LABELLED, labelled_threshold
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.trials import Row
from sstag.model.model import Model

WINDOW, CONJUNCTIONS, LEXICON = "as above", "conjunctions of two words", "gene words of raw text"
BIASED, FEWER = f"{LEXICON}, {LABELLED}", "as above, as few found as in the paper"
PAPERS = 3334 / 7472  # found mentions, as a share of all on E
TRIES = 10
FIGURES = ("precision", "recall", "f1")


def judged_twice(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    lexicon: bool,
    others: bool,
) -> list[Row]:
    """The figures on E of taggers of A, by gold mentions, by those that overlap one, and by the alternatives."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    every = listed_alternatives(corpora) if others else None
    systems = {WINDOW: template("window"), CONJUNCTIONS: template("conjunctions")}
    if lexicon:
        systems[LEXICON] = with_gene_words(corpora, "window")
    taggers = {name: tagger(how, data.labelled, "crf") for name, how in systems.items()}
    first = LEXICON if lexicon else WINDOW
    taggers[BIASED if lexicon else LABELLED] = labelled_threshold(taggers[first], data)
    found = {name: judged_by(one, data.rest, one.dataset(data.rest)) for name, one in taggers.items()}
    found[FEWER] = _as_few(taggers[WINDOW], data.rest)
    rows: list[Row] = []
    for name in found:
        gold, ours = mentions_of(found[name])
        row: Row = {"system": name, "overlapping": percent(overlapping(gold, ours))}
        row |= {figure: percent(found[name].figures[figure]) for figure in FIGURES}
        if every:
            rows_of = counts(gold, ours, [every[place] for place in data.places.tolist()])
            said = figures(rows_of.sum(axis=0).astype(float))
            row |= {f"{figure} by alternatives": percent(one) for figure, one in zip(FIGURES, said, strict=True)}
        rows.append(row)
    if draw == 1:
        rows[-1]["over test"] = gain_of(found[BIASED if lexicon else LABELLED], found[WINDOW], "f1")
    return rows


def _as_few(tagger: Model, text: Corpus) -> Evaluation:
    """The mentions found with a bias against them by which they are as few, beside those there are, as the paper's."""
    data, outside = tagger.dataset(text), tagger.labels.index(OUTSIDE)
    low, high = -10.0, 10.0
    found = judged_by(tagger, text, data)
    for _ in range(TRIES):
        biases = np.zeros(len(tagger.labels))
        biases[outside] = (low + high) / 2
        found = judged_by(replace(tagger, biases=biases), text, data)
        if found.totals["found"] > PAPERS * found.totals["gold"]:
            low = biases[outside]
        else:
            high = biases[outside]
    return found
