"""A trial: the labels of raw text have the shares of the labelled sentences, by a training or by biases alone.

Beside label regularisation that holds the shares exactly (`system_list`): what it does when nothing is set, within one
standard error of the shares, and `sstag tag --match-shares`, which trains nothing.
"""

from collections.abc import Sequence

import numpy as np

from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import tagger
from sstag.experiments.mann2008.labelled_words import SMOOTHING
from sstag.experiments.mann2008.systems import _counted, best
from sstag.experiments.mann2008.texts import LABELLED, RAW, some, texts
from sstag.experiments.trials import Row
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.known_shares import KnownShares
from sstag.knowledge.target_shares import counted_shares
from sstag.training.share_matching import matched

WITHIN, BIASES = WAYS = ("CRF + label regularisation, within an error", "supervised CRF, `tag --match-shares`")


def run(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: Sequence[int],
    system: str,
    raw: int,
    instances: int,
    draw: int,
) -> list[Row]:
    """The figures of one way to hold the shares, on the test."""
    data, l2 = texts(corpora, corpus, made), best(needed, "l2")
    labelled, others = some(data.train, instances, draw, LABELLED), some(data.raw, raw, draw, RAW)
    template = shipped_template("mann2008/fields")
    if system == WITHIN:
        model = tagger(template, labelled, "label-regularization", unlabelled=others, l2=l2)
    else:
        model = tagger(template, labelled, "crf", l2=l2)
        place = labelled.column(template.label)
        times = np.bincount(labelled.codes[place], minlength=len(labelled.values[place]))
        of = dict(zip(labelled.values[place], times.tolist(), strict=True))
        counts = np.array([of[label] for label in model.labels], np.float64)
        shares = dict(zip(model.labels, counted_shares(counts, SMOOTHING).tolist(), strict=True))
        model = matched(model, others, KnownShares("", "", shares), one_by_one, lambda step, away: None).model
    return [{**_counted(model, data.test), "chosen": {"l2": l2}}]
