"""Lists of expectations that say nothing which the labelled sentences do not say themselves.

Such a list was mostly made of the same sentences, and read by nobody. What it adds is the belief that a word keeps its
label in raw text, which is wrong wherever the few sentences had a name by chance: where most tokens have one label, as
outside of names, it cost up to five points of F. Where every token has a field, it was measured to gain.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.foundation.errors import counted
from sstag.knowledge.expectation_list import EVERYWHERE, Target
from sstag.knowledge.labelled_features import FeatureList, tokens_with
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.shares_found import RARE

NEARLY_ALL = 0.9  # of the lines


def warn_of_echoes(listed: FeatureList, targets: Sequence[Target], inputs: Inputs, run: Run) -> None:
    """Warns if nearly all lines have the label that their feature has most often in the labelled sentences."""
    if inputs.labelled is None or inputs.template.label not in inputs.labelled.columns:
        return
    text = labelled_text_of(inputs, "training")
    times = np.bincount(text.single[text.single >= 0], minlength=len(text.sets.labels))
    lines = [(line, of) for line, of in zip(listed.lines, targets, strict=True) if line.attribute != EVERYWHERE]
    if not lines or times.max(initial=0) <= RARE * times.sum():
        return
    known = 0
    apart = replace(listed, lines=tuple(line for line, _ in lines))
    for (_, target), tokens in zip(lines, tokens_with(apart, text.corpus), strict=True):
        labels = text.single[tokens]
        found = np.bincount(labels[labels >= 0], minlength=len(times))
        known += bool(found.any()) and text.sets.labels[int(found.argmax())] in target.likeliest
    if known < NEARLY_ALL * len(lines):
        return
    run.warn(
        f"{listed.path} gains little here and may cost: {known:,} of {counted(len(lines), 'feature')} have the label "
        "that they mostly have in the labelled sentences, which say so themselves (read the list: leave out what is "
        "not so everywhere, and add words that these sentences do not have)"
    )
