"""Random sentences to learn from and to test on, and the template for them: chunks of a corpus, or of generated ads."""

from dataclasses import replace

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.mann2007.rankings import ADS, ADS_TEMPLATE, CORPORA, chunked_ads
from sstag.features.reading import template
from sstag.features.template import Template

SEED = 2007


def text_and_template(corpora: Corpora, name: str, train: int, test: int, draw: int) -> tuple[Corpus, Corpus, Template]:
    """So many sentences of each part, drawn at random, and a template that keeps attributes that occur once."""
    rng = np.random.default_rng([SEED, draw])
    if name == ADS:
        return chunked_ads(train, rng), chunked_ads(test, rng), template(ADS_TEMPLATE, "made.yaml")
    files, columns, stem = CORPORA[name]
    texts = [corpora.read(file, columns) for file in files]
    one, other = (
        selected(text, rng.permutation(text.sentences) < size) for text, size in zip(texts, (train, test), strict=True)
    )
    return one, other, replace(shipped_template(stem), minimum_count=1)
