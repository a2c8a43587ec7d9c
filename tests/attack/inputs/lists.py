"""Lists: lexica, labelled features, weights, costs, shares, words, clusters, vectors and matrices."""

import random

from tests.attack.inputs import Good, Input, drawn
from tests.attack.inputs.pieces import LABELS, NUMBERS, WORDS, changed, pieces_of

NAMES = ("lexicon", "features", "weights", "costs", "shares", "terms", "clusters", "vectors", "matrices", "rows")
PIECES = pieces_of(*WORDS, *LABELS, *NUMBERS, "\t", "\t", " ", "\n", "word[0]=", "=", ":", "*", "# ", "2 3", "\n\n")


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads a list, with one that is changed."""
    words, name = drawn(chance, *NAMES)
    return Input(words, {name: changed(chance, good[name], PIECES)})
