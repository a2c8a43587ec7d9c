"""A gain over the sentences of one test set: what other sentences of its kind would make of it.

Deviations over draws tell what other labelled sentences would have changed. The test set is the same for all of them,
or nearly, so what it adds has to be asked of its sentences.
"""

from collections.abc import Callable

import numpy as np

from sstag.evaluation.scoring import FIGURES, Evaluation, figures
from sstag.evaluation.significance import bootstrap
from sstag.experiments.fitting import percent
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats, Longs

RESAMPLES = 2_000


def gain_over_sentences(ours: Longs, theirs: Longs, figure: Callable[[Floats], Floats]) -> Row:
    """The gain in a figure of sums of counts, and its 95 % interval when the sentences are drawn with replacement."""
    rows, width = np.hstack([ours, theirs]), ours.shape[1]

    def gain(sums: Floats) -> Floats:
        found: Floats = figure(sums[..., :width]) - figure(sums[..., width:])
        return found[..., None]

    low, high = bootstrap(rows, gain, RESAMPLES, np.random.default_rng(0))[:, 0].tolist()
    of_all = gain(rows.sum(axis=0).astype(np.float64))
    return {"gain": percent(of_all[0]), "low": percent(low), "high": percent(high), "tested": len(rows)}


def gain_of(ours: Evaluation, theirs: Evaluation, figure: str) -> Row:
    """The gain of one evaluation over another of the same sentences, in one of their figures."""
    place = FIGURES.index(figure)
    return gain_over_sentences(ours.rows, theirs.rows, lambda sums: figures(sums)[..., place])


def errors(sums: Floats) -> Floats:
    """Wrong ones as a share of all; the sums are of both, (…, 2)."""
    wrong: Floats = sums[..., 0] / sums[..., 1]
    return wrong
