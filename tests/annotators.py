"""Annotators for tests: sources of labels that are texts, and simulated ones of known reliability."""

from itertools import pairwise

import numpy as np

from sstag.corpus.corpus import corpus_of
from sstag.knowledge.annotators.votes import Source


def sources(*columns, lengths=None):
    """Sources whose labels are texts with a blank between them; each of one sentence, or of several."""
    made = []
    for number, column in enumerate(columns):
        labels = column.split()
        cut = np.cumsum([0, *(lengths or [len(labels)])])
        text = [[(f"w{t}", labels[t]) for t in range(a, b)] for a, b in pairwise(cut)]
        made.append(Source(f"source {number}", corpus_of(text, ("word", "label")), "label"))
    return made


def simulated(accuracies, seed, sentences=400, length=8):
    """True labels of sentences, and those of annotators who are right as often as is said."""
    rng = np.random.default_rng(seed)
    labels = np.array(["O", "B-A", "I-A", "B-B", "I-B"])
    after = {"O": ["O", "O", "O", "B-A", "B-B"], "A": ["I-A", "O", "B-B"], "B": ["I-B", "O", "O"]}
    truth = []
    for _ in range(sentences):
        state = "O"
        for _ in range(length):
            label = str(rng.choice(after[state]))
            state = label[-1] if label != "O" else "O"
            truth.append(label)
    columns = []
    for right in accuracies:
        wrong = rng.random(len(truth)) >= right
        columns.append(np.where(wrong, rng.choice(labels, len(truth)), np.array(truth)))
    return truth, [" ".join(column) for column in columns], [length] * sentences
