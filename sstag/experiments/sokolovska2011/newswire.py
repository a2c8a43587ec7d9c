"""Sentences weighed by the text they are to be like: parts of speech learned from newswire, found in web text.

A real covariate shift, for which the paper hopes most of weights. q(x) are trigrams of words of the web text, and its
ratio to that of the newswire is Shimodaira's weight; either also evened out, as its mean per token, since products of
probabilities of long sentences differ by many orders of magnitude.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected
from sstag.evaluation.scoring import Evaluation
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.samples.ads import ads
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import one_by_one
from sstag.selection.density.file import density_of_text
from sstag.training.sentence_weights import effective_size, of_probabilities

FILES = ("ptb_sample/wsj_mrg.txt", "ewt/train.txt", "ewt/dev.txt")
COLUMNS = ("word", "tag")
WEB = ("word", "upos", "tag")
ALIKE, BY_Q, BY_RATIO = "none", "q", "ratio"
EVENED = ", per token"
SYSTEMS = (ALIKE, BY_Q, BY_Q + EVENED, BY_RATIO, BY_RATIO + EVENED)


def weighed(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, made: int, size: int, draws: Sequence[int]
) -> list[Row]:
    """Errors on the web text of taggers of so many sentences of newswire, by how these are weighed."""
    source, raw, tested = _texts(corpora, made)
    log_q, log_q0 = (density_of_text([one], ("word",)).log_q(source, one_by_one) for one in (raw, source))
    lengths = np.diff(source.offsets).astype(np.float64)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        some = np.sort(np.random.default_rng([2011, draw]).permutation(source.sentences)[:size])
        part = selected(source, np.isin(np.arange(source.sentences), some))
        found: dict[str, Evaluation] = {}
        for system in SYSTEMS:
            omega = _omega(system, log_q[some], log_q0[some], lengths[some])
            model = tagger(shipped_template("templates/pos"), replace(part, weights=omega), "crf")
            found[system] = judged(model, tested)
            right = [found[system].figures[name] for name in ("accuracy", "sentence accuracy")]
            error, sentences = (percent(1 - one) for one in right)
            said = {"draw": draw, "system": system, "effective": round(effective_size(omega), 2)}
            rows.append(said | {"error": error, "sentence error": sentences})
        if draw == 1:
            rows[-1] |= {"over test": gain_of(found[BY_RATIO + EVENED], found[ALIKE], "accuracy")}
    return rows


def _omega(system: str, log_q: Floats, log_q0: Floats, lengths: Floats) -> Floats:
    if system == ALIKE:
        return np.ones(len(log_q))
    log_omega = log_q - log_q0 if system.startswith(BY_RATIO) else log_q
    if system.endswith(EVENED):
        log_omega = log_omega / lengths
    return of_probabilities(log_omega, np.ones(len(log_q), np.int64), "mean1", 1.0).omega


def _texts(corpora: Corpora, made: int) -> tuple[Corpus, Corpus, Corpus]:
    """The text to learn from, the raw text of the other kind, and its test; of so many ads, the short and the long."""
    if not made:
        source, raw, tested = (
            corpora.read(name, columns) for name, columns in zip(FILES, (COLUMNS, WEB, WEB), strict=True)
        )
        return source, raw, tested
    text = corpus_of(list(ads(made, np.random.default_rng(2011))), COLUMNS)
    lengths = np.diff(text.offsets)
    short = lengths <= np.median(lengths)
    return selected(text, short), selected(text, ~short), selected(text, ~short)
