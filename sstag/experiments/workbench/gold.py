"""The right answers: the spans of each text of a labelled corpus, and how often a word has each label in it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sstag.corpus.column_names import PREDICTED
from sstag.corpus.corpus import Corpus
from sstag.corpus.sheets import naming_comments
from sstag.labels.schemes.rewrite import rewritten
from sstag.labels.schemes.tagset import chunks, tolerant_tagset
from sstag.selection.simulation.annotator import without

OUTSIDE, PLAIN = "O", "plain"
Span: TypeAlias = tuple[int, int, str]  # first token, the one behind the last, label


@dataclass(frozen=True)
class Gold:
    """Everything that the annotator knows. Two texts of the same words have the spans of the first."""

    labels: tuple[str, ...]
    spans: Mapping[tuple[str, ...], Sequence[Span]]  # by the words of a text
    words: Mapping[str, Counter[str]]  # how often a word has each label, or O


def gold_of(corpus: Corpus, label: str, scheme: str) -> Gold:
    """The right answers about the sentences of a corpus."""
    column = corpus.column(label)
    tags = tolerant_tagset(corpus.values[column], scheme)
    found = chunks(tags, corpus.codes[column], corpus.offsets)
    word = corpus.columns[corpus.word_column]
    spans: dict[tuple[str, ...], Sequence[Span]] = {}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    at = 0
    for sentence in range(corpus.sentences):
        begin, end = corpus.offsets[sentence : sentence + 2].tolist()
        words = tuple(corpus.words(word, sentence))
        own: list[Span] = []
        while at < len(found.first) and found.first[at] < end:
            own.append((int(found.first[at]) - begin, int(found.stop[at]) - begin, tags.types[found.type[at]]))
            at += 1
        kinds = [OUTSIDE] * len(words)
        for first, stop, kind in own:
            kinds[first:stop] = [kind] * (stop - first)
        for said, kind in zip(words, kinds, strict=True):
            counts[said][kind] += 1
        spans.setdefault(words, own)
    labels = (*tags.types, OUTSIDE) if scheme == PLAIN and OUTSIDE in corpus.values[column] else tags.types
    return Gold(labels, spans, counts)


def write_pool(corpus: Corpus, label: str, path: Path, rng: np.random.Generator) -> None:
    """Writes the texts of a corpus to annotate: in random order, without labels, and each once, as it is asked once."""
    bare = without(corpus, label)
    texts: dict[tuple[str, ...], Sequence[Sequence[str]]] = {}
    for sentence in rng.permutation(bare.sentences).tolist():
        columns = [bare.words(name, sentence) for name in bare.columns]
        texts.setdefault(tuple(columns[bare.word_column]), columns)
    _write(path, naming_comments(bare.columns, PREDICTED), texts.values())


def write_labelled(corpus: Corpus, label: str, scheme: str, to: str, path: Path) -> None:
    """Writes the sentences of a corpus with their labels in another scheme, in a last column."""
    bare, column = without(corpus, label), corpus.column(label)
    codes, offsets = corpus.codes[column], corpus.offsets
    labels, new, _ = rewritten(tolerant_tagset(corpus.values[column], scheme), to, codes, offsets)
    said = [labels[code] for code in new.tolist()]
    bounds = pairwise(offsets.tolist())
    texts = (
        [*(bare.words(name, sentence) for name in bare.columns), said[first:stop]]
        for sentence, (first, stop) in enumerate(bounds)
    )
    _write(path, naming_comments((*bare.columns, label), label), texts)


def _write(path: Path, head: str, texts: Iterable[Sequence[Sequence[str]]]) -> None:
    """Writes texts, each as its columns, to a column file."""
    with path.open("w", encoding="utf-8") as out:
        out.write(head)
        for columns in texts:
            out.write("".join("\t".join(row) + "\n" for row in zip(*columns, strict=True)) + "\n")
