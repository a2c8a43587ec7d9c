"""Sentences and found chunks from the surest to the least sure, by exact entropies and by those of the n best (§5).

A tagger is trained on few sentences and asked for others. The entropy of a chunk is that of its labels and of the
next one, which says whether it goes on. Of the n best labellings, weighed by their probabilities among themselves,
the entropy is that of whole labellings (Kim et al. 2006), or of what they say at these places.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus, corpus_of, selected
from sstag.evaluation.calibration import Calibration, area, least_area
from sstag.evaluation.scoring import Column, evaluation
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import percent, tagger
from sstag.experiments.samples.ads import ads
from sstag.experiments.trials import Row
from sstag.features.reading import template
from sstag.foundation.arrays import Bools, Floats, Ints
from sstag.foundation.parallel import one_by_one
from sstag.foundation.ranges import sentences_of
from sstag.labels.schemes.tagset import chunks, tagset
from sstag.model.batches import Batch
from sstag.model.model import Model

ADS = "ads"  # generated
ADS_TEMPLATE = "columns: [word, field]\nfeatures: [word[-1..1], 'suffix(word[0], 2)']\n"
CORPORA = {  # files, columns, template
    "conll2000": (("conll2000/train.txt", "conll2000/test.txt"), ("word", "pos", "chunk"), "templates/chunking"),
    "bc1gm": (("bc1gm/train.txt", "bc1gm/test.txt"), ("word", "tag"), "templates/genes"),
}
SCHEME = "iob2"
FEW = (2, 5, 10)  # best labellings
EXACT, PER_TOKEN, PROBABLE = "entropy", "entropy per token", "probability"
SENTENCES, CHUNKS = "sentences", "chunks"
COVERAGES = 20
SEED = 2007


def ranked(
    corpora: Corpora, needed: Sequence[list[Row]], *, corpus: str, train: int, test: int, draw: int
) -> list[Row]:
    """A row for each way to rank sentences and chunks: the area under its risk–coverage curve, and the curve."""
    rng = np.random.default_rng([SEED, draw])
    asked, model = _tagger(corpora, corpus, train, test, rng)
    parts = model.asked(model.dataset(asked), one_by_one, lambda batch, lattice: _asked(batch, lattice, model))
    codes = np.concatenate([labels for labels, _ in parts])
    column = asked.column(model.template.label)
    gold = Column(asked.values[column], asked.codes[column])
    one = evaluation(gold, Column(model.labels, codes), asked.offsets, scheme=SCHEME)
    assert one.chunks is not None
    wrong = {SENTENCES: np.logical_or.reduceat(one.wrong, asked.offsets[:-1]), CHUNKS: ~one.chunks[1].right}
    rows: list[Row] = []
    for unit, ways in parts[0][1].items():
        unsure = {name: np.concatenate([found[unit][name] for _, found in parts]) for name in ways}
        rows += [_row(unit, name, values, wrong[unit]) for name, values in unsure.items()]
    return rows


def _row(unit: str, ranking: str, unsure: Floats, wrong: Bools) -> Row:
    curve = Calibration(-unsure, ~wrong).curve(COVERAGES)
    return {
        "unit": unit,
        "ranking": ranking,
        "area": percent(area(-unsure, wrong)),
        "by chance": percent(wrong.mean()),
        "at best": percent(least_area(wrong)),
        "curve": [percent(point.risk) for point in curve],
    }


def _tagger(corpora: Corpora, name: str, train: int, test: int, rng: np.random.Generator) -> tuple[Corpus, Model]:
    """Sentences to ask about, and what was learned from others, all drawn at random."""
    if name == ADS:
        texts = [chunked_ads(train, rng), chunked_ads(test, rng)]
        how = template(ADS_TEMPLATE, "made.yaml")
    else:
        files, columns, stem = CORPORA[name]
        texts = [corpora.read(file, columns) for file in files]
        how = replace(shipped_template(stem), minimum_count=1)  # also attributes that occur once
    few, asked = (
        selected(text, rng.permutation(text.sentences) < size) for text, size in zip(texts, (train, test), strict=True)
    )
    return asked, tagger(how, few, "crf")


def chunked_ads(count: int, rng: np.random.Generator) -> Corpus:
    """Ads whose fields are chunks."""
    sentences = []
    for sentence in ads(count, rng):
        rows = []
        for field, tokens in groupby(sentence, key=lambda token: token[1]):
            rows += [(word, f"{'I' if place else 'B'}-{field}") for place, (word, _) in enumerate(tokens)]
        sentences.append(rows)
    return corpus_of(sentences, ("word", "field"))


def _asked(batch: Batch, lattice: Lattice, model: Model) -> tuple[Ints, dict[str, dict[str, Floats]]]:
    """The best labels; and how unsure each sentence and each chunk is, in several ways."""
    labels, scores = lattice.viterbi()
    tags, offsets = tagset(model.labels, SCHEME), batch.offsets
    found = chunks(tags, labels, offsets)
    owner = sentences_of(offsets, found.first)
    last = np.minimum(found.stop, offsets[owner + 1] - 1)
    sentences = {
        EXACT: lattice.entropy,
        PER_TOKEN: lattice.entropy / np.diff(offsets),
        PROBABLE: -np.exp(scores - lattice.log_z),
    }
    kinds = tags.type[: len(tags.labels)]
    spans = {
        EXACT: lattice.span_entropy(found.first.astype(np.int32), last.astype(np.int32)),
        PROBABLE: -lattice.segment_probabilities(found.first, found.stop, found.type, kinds, tags.joined),
    }
    best = [lattice.k_best(sentence, max(FEW)) for sentence in range(len(scores))]
    for few in FEW:
        lists = [(paths[:few], _shares(scores[:few])) for paths, scores in best]
        sentences[f"{few} best"] = np.array([_entropy(shares) for _, shares in lists])
        places = owner, found.first - offsets[owner], last - offsets[owner]
        spans[f"{few} best"] = np.array([*_of_places(lists, *(one.tolist() for one in places))], np.float64)
    return labels, {SENTENCES: sentences, CHUNKS: spans}


def _of_places(
    lists: Sequence[tuple[Ints, Floats]], sentences: Sequence[int], firsts: Sequence[int], lasts: Sequence[int]
) -> Iterator[float]:
    """The entropy of what the best labellings of a sentence say from one token to another."""
    for sentence, first, last in zip(sentences, firsts, lasts, strict=True):
        paths, shares = lists[sentence]
        _, same = np.unique(paths[:, first : last + 1], axis=0, return_inverse=True)
        yield _entropy(np.bincount(same.ravel(), shares).astype(np.float64))


def _shares(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max())
    shares: Floats = weights / weights.sum()
    return shares


def _entropy(shares: Floats) -> float:
    there = shares[shares > 0]
    return float(-(there * np.log(there)).sum())
