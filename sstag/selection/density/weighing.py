"""The weights ω of sentences from a file: it has a number on each line, or a density, and then ω = q(x) / N_x.

N_x is how often the sentence x stands in the corpus (`training/sentence_weights.py`).
"""

import os

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.fingerprints import fingerprints
from sstag.foundation.archive import BEGIN
from sstag.foundation.files import translated_errors
from sstag.foundation.parallel import Over
from sstag.selection.density import Density
from sstag.selection.density.file import load
from sstag.training.sentence_weights import SentenceWeights, of_numbers, of_probabilities, read_numbers
from sstag.training.weight_scales import SCALES


def weights_in(path: str, corpus: Corpus, over: Over, scale: str = SCALES[0], exponent: float = 1.0) -> SentenceWeights:
    """The weights that a file gives the sentences of a corpus."""
    begin = b""
    if os.path.isfile(path):  # of a pipe every byte is read once
        with translated_errors(path), open(path, "rb") as file:
            begin = file.read(len(BEGIN))
    if begin != BEGIN:
        return of_numbers(read_numbers(path, corpus.sentences), scale, exponent)
    return weighed(load(path), corpus, over, scale, exponent)


def weighed(
    density: Density, corpus: Corpus, over: Over, scale: str = SCALES[0], exponent: float = 1.0
) -> SentenceWeights:
    """ω of the sentences of a corpus under a density."""
    _, which, times = np.unique(fingerprints(corpus, density.columns), return_inverse=True, return_counts=True)
    return of_probabilities(density.log_q(corpus, over), times[which], scale, exponent)
