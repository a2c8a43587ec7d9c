"""The gold and the predicted column of an evaluation, found in their files, and checks that their words are equal."""

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sstag.corpus.column_names import ALIASES, columns_in_words
from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.evaluation.scoring import Column
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import DataError, nearest
from sstag.labels.label_sets import label_sets
from sstag.labels.marks import Marks

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
COLUMN_NUMBER = re.compile(r"-?[0-9]{1,4}")


@dataclass(frozen=True)
class LabelColumn:
    """One column of a corpus."""

    corpus: Corpus
    column: int

    @property
    def labels(self) -> Column:
        return Column(self.corpus.values[self.column], self.corpus.codes[self.column])

    def place(self, code: int) -> tuple[str, int]:
        """Path and line of the first token that has this value."""
        return self.corpus.first_place(self.column, code)


def named_column(corpus: Corpus, wanted: str, option: str) -> LabelColumn:
    """The column of a name, or of a number, which counts from 1, or from the end if it is negative."""
    if wanted in corpus.columns or ALIASES.get(wanted) in corpus.columns:
        return LabelColumn(corpus, corpus.column(wanted))
    if not COLUMN_NUMBER.fullmatch(wanted):
        raise DataError(f"there is no column '{wanted}'{nearest(wanted, corpus.columns)} ({option})", corpus.path)
    number, width = int(wanted), len(corpus.columns)
    if not 1 <= abs(number) <= width:
        raise DataError(f"{columns_in_words(width)}, so there is no column {wanted} ({option})", corpus.path)
    return LabelColumn(corpus, number - 1 if number > 0 else width + number)


def label_column(corpus: Corpus, layout: Layout, wanted: str | None, option: str) -> LabelColumn:
    """The label column of a file: the one that is wanted, else the one that its format or head names, or the last."""
    if len(corpus.columns) == 1:
        raise DataError("1 column, but words and their labels are needed", corpus.path)
    fixed = layout.format.fixed
    own = fixed.label if fixed else layout.label if layout.names else None
    return named_column(corpus, wanted or own or "-1", option)


def gold_and_predicted(corpus: Corpus, gold: str | None, predicted: str | None) -> tuple[LabelColumn, LabelColumn]:
    """The gold and the predicted column of one file: those that are wanted, else its last two."""
    if len(corpus.columns) < 3 and not (gold and predicted):
        message = "words, gold labels and predicted ones are needed (PREDICTED can be a second file)"
        raise DataError(f"{columns_in_words(len(corpus.columns))}, but {message}", corpus.path)
    true, guess = named_column(corpus, gold or "-2", "--gold"), named_column(corpus, predicted or "-1", "--predicted")
    if true.column == guess.column:
        raise DataError(f"gold and prediction are one column, {true.column + 1} (--gold, --predicted)", corpus.path)
    return true, guess


def check_labels(gold: LabelColumn, predicted: LabelColumn) -> None:
    """Raises an error if the predictions are numbers: then the last column holds probabilities, not labels."""
    values = predicted.labels.values
    if set(values).isdisjoint(gold.labels.values) and all(map(NUMBER.fullmatch, values)):
        message = f"the last column holds numbers ('{values[0]}'), not labels (--gold and --predicted name columns)"
        raise DataError(message, *predicted.place(0))


def check_words(gold: Corpus, other: Corpus) -> None:
    """Raises an error at the first place where two files differ in words or sentences."""
    known = {word: code for code, word in enumerate(gold.values[gold.word_column])}
    as_gold = np.array([known.get(word, -1) for word in other.values[other.word_column]], np.int32)
    both = min(gold.tokens, other.tokens)
    unlike = as_gold[other.codes[other.word_column][:both]] != gold.codes[gold.word_column][:both]
    starts, other_starts = (_starts(corpus)[: both + 1] for corpus in (gold, other))
    shifted = starts != other_starts
    differing = np.flatnonzero(np.append(unlike, gold.tokens != other.tokens) | shifted)
    if not len(differing):
        return
    token = int(differing[0])
    number = int(np.searchsorted(gold.offsets, token, side="left"))  # the sentence of the token before
    if not shifted[token] and token < both:
        message = f"'{_word(other, token)}' where {_place(gold, token)} has '{_word(gold, token)}'"
    elif not shifted[token] and gold.tokens < other.tokens:
        message = f"a sentence more than in {gold.path}, which ends after {number:,}"
    elif not shifted[token]:
        token -= 1
        message = f"the last sentence, where {_place(gold, token + 1)} has another"
    elif starts[token]:
        message = f"sentence {number:,} goes on here, but ends at {_place(gold, token - 1)}"
    else:
        token -= 1
        message = f"sentence {number:,} ends here, but goes on at {_place(gold, token + 1)}"
    raise DataError(f"{message} (the words must be the same)", other.path, int(other.lines[token]))


def _starts(corpus: Corpus) -> Bools:
    """True for the tokens that begin a sentence, and for the end of the corpus."""  # (T + 1,)
    result = np.zeros(corpus.tokens + 1, bool)
    result[corpus.offsets] = True
    return result


def _word(corpus: Corpus, token: int) -> str:
    text: str = corpus.values[corpus.word_column][corpus.codes[corpus.word_column][token]]
    return text


def _place(corpus: Corpus, token: int) -> str:
    return f"{corpus.path}:{corpus.lines[token]}"


def ambiguous_words(one: LabelColumn, marks: Marks) -> set[str]:
    """The words that have several allowed labels, but not all, at one or more of their tokens."""
    sets = label_sets(one.labels.values, marks, line_of=one.place)
    several = (sets.sizes > 1) & ~sets.unknown
    column = one.corpus.word_column
    words = np.unique(one.corpus.codes[column][several[one.labels.codes]])
    return {one.corpus.values[column][code] for code in words.tolist()}


def word_precisions(gold: Corpus, words: Collection[str], right: Bools, scored: Bools, least: int = 1) -> Floats:
    """The share of right tokens among the scored tokens of each word; words with fewer than `least` are left out.

    Its mean is the average precision for ambiguous words (Tsuboi et al. 2008 §5.2).
    """
    texts, codes = gold.values[gold.word_column], gold.codes[gold.word_column]
    wanted = np.array([text in words for text in texts], bool)
    good, all_ = (np.bincount(codes[mask], minlength=len(texts)) for mask in (right & scored, scored))
    wanted &= all_ >= least
    shares: Floats = good[wanted] / all_[wanted]
    return shares
