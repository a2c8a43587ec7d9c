"""Whole trainings with entropy, timed: by each of the three algorithms, and of labelled sentences alone.

What is counted are seconds of the processor, so that others who share the machine do not count. All begin and end as
`sstag train` does; the three algorithms find the same numbers, so they take as many steps and end at the same weights.
"""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from sstag.corpus.corpus import selected
from sstag.evaluation.scoring import Evaluation
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.mann2007.texts import text_and_template
from sstag.experiments.mann2007.timing import SUPERVISED, SYSTEMS
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.trials import Row
from sstag.foundation.json_values import Json

SEED = 2007


def timed(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    labelled: int,
    raw: int,
    tested: int,
    gamma: float,
    draw: int,
) -> list[Row]:
    """The seconds and iterations of each training, and what the tagger is worth."""
    train, test, how = text_and_template(corpora, corpus, labelled + raw, tested, draw)
    order = np.random.default_rng([SEED, draw, 1]).permutation(train.sentences)
    some, rest = (selected(train, np.isin(np.arange(train.sentences), part)) for part in np.split(order, [labelled]))
    rows: list[Row] = []
    found = dict[str, Evaluation]()
    for system in SYSTEMS:
        objectives: list[Mapping[str, Mapping[str, Json]]] = [{"likelihood": {}}]
        if system != SUPERVISED:
            objectives.append({"entropy": {"gamma": gamma, "algorithm": system}})
        began = time.process_time()
        made = tagger(how, some, "composed", unlabelled=rest, objectives=objectives)
        seconds = time.process_time() - began
        found[system] = judged(made, test)
        rows.append(
            {
                "system": system,
                "seconds": round(seconds, 4),
                "iterations": made.about["iterations"],
                "objective": made.about["objective"],
                "f1": percent(found[system].figures["f1"]),
            }
        )
    if draw == 1:
        rows[-1]["over test"] = gain_of(found[SYSTEMS[1]], found[SUPERVISED], "f1")
    return rows
