"""`sstag eval --curve`: precision and recall as the most frequent label is found more or less often."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sstag.corpus.contexts import Read
from sstag.evaluation.alignment import LabelColumn
from sstag.evaluation.curve import Curve, curve_point
from sstag.evaluation.scoring import Column, Evaluation
from sstag.foundation.parallel import shards
from sstag.interfaces.cli.progress import ProgressLine
from sstag.model.model_file import load
from sstag.model.second_look import in_contexts

BIASES = (4.0, 3.0, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0)


def curve_of(
    path: str,
    true: LabelColumn,
    found: Column,
    scored: Callable[[Column], Evaluation],
    threads: int,
    line: ProgressLine,
    read: Read,
) -> Curve:
    """The figures with each of some biases of the label that the model finds most often."""
    model = load(path)
    label = int(np.bincount(found.codes, minlength=len(model.labels)).argmax())
    points = []
    own = np.zeros(len(model.labels)) if model.biases is None else model.biases
    with shards(threads) as over:
        parts = [(one, one.dataset(part)) for one, part in in_contexts(model, true.corpus, read, over)]
        for bias in BIASES:
            line.show(f"curve: bias {bias:+.1f} of {model.labels[label]}")
            moved = own.copy()
            moved[label] += bias
            codes = np.concatenate([replace(one, biases=moved).tagged(data, over) for one, data in parts])
            one = scored(Column(model.labels, codes))
            points.append(curve_point(bias, float((codes == label).mean()), model.labels[label], one))
    return Curve(model.labels[label], tuple(points))
