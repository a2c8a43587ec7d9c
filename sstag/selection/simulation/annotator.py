"""A labelled pool that stands in for the annotator: it tells the labels it is asked for, and no others.

What is known of the pool stands in a label column like any other, open (`?`) wherever nothing was said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.corpus.corpus import Corpus, selected, with_column
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.ranges import sentences_of

OPEN = 0  # the place in `texts` of what says that a label is open


@dataclass(frozen=True, eq=False)
class Annotator:
    """The one who knows the labels of a pool; the rest of a simulation sees `text`, which has none."""

    labelled: Corpus
    label: str

    @cached_property
    def text(self) -> Corpus:
        """The pool without its labels."""
        return without(self.labelled, self.label)

    def labels_of(self, tokens: Longs) -> list[str]:
        """The labels of some tokens."""
        column = self.labelled.column(self.label)
        values = self.labelled.values[column]
        return [values[code] for code in self.labelled.codes[column][tokens].tolist()]


@dataclass(frozen=True, eq=False)
class Known:
    """The labels of a pool that are known: those that the annotator told, and those that a model gave."""

    text: Corpus
    label: str
    texts: tuple[str, ...]  # the first stands for an open label
    labels: Ints  # (T,) index into texts
    asked: Bools  # (T,) told by the annotator: what has to be paid for
    sentences: Bools  # (S,) of which something is known

    @property
    def labelled(self) -> Corpus:
        """The sentences of which a label is known, with a label column that is open at all other tokens."""
        return selected(with_column(self.text, self.label, self.texts, self.labels), self.sentences)

    def with_labels(self, tokens: Longs, said: Sequence[str], asked: bool) -> "Known":
        """These labels and those of more tokens; `asked` says that the annotator told them, and not a model."""
        number = {text: code for code, text in enumerate(self.texts) if code != OPEN}
        labels, paid_for, sentences = self.labels.copy(), self.asked.copy(), self.sentences.copy()
        labels[tokens] = [number.setdefault(text, len(number) + 1) for text in said]
        paid_for[tokens] |= asked
        sentences[sentences_of(self.text.offsets, tokens)] = True
        return replace(self, texts=(self.texts[OPEN], *number), labels=labels, asked=paid_for, sentences=sentences)


def without(corpus: Corpus, column: str) -> Corpus:
    """A corpus without one of its columns."""
    kept = [place for place, name in enumerate(corpus.columns) if name != column]
    return replace(
        corpus,
        columns=tuple(corpus.columns[place] for place in kept),
        values=tuple(corpus.values[place] for place in kept),
        codes=tuple(corpus.codes[place] for place in kept),
    )


def nothing_known(annotator: Annotator, mark: str) -> Known:
    """The beginning of a simulation, when every label is open."""
    text = annotator.text
    tokens, sentences = np.zeros(text.tokens, bool), np.zeros(text.sentences, bool)
    return Known(text, annotator.label, (mark,), np.full(text.tokens, OPEN, np.int32), tokens, sentences)
