"""Generated text, whose labels depend on the label before and whose words depend on labels.

y_t is one of a few successors of y_{t−1}, and w_t one of the words of y_t or now and then of all; both as by Zipf's law
"""

import numpy as np

from bench.corpora import Language

SUCCESSORS = 8
JUMPS = 0.02  # how often any label follows
COMMON = 0.2  # how often a word is one that every label has
NOISE = 0.1  # in the columns between word and label
LETTERS = "etaoinsrhldcumfpgwybvkxjqz"


def text(language: Language, sentences: int, seed: int | tuple[int, ...], labelled: bool = True) -> str:
    """A text with an empty line after each sentence; texts of different seeds have the same language."""
    rng = np.random.default_rng(seed)
    lengths = 1 + rng.poisson(language.length - 1, sentences)
    labels = _labels(language, lengths, rng)
    words = _words(language, labels, rng)
    distinct, place = np.unique(words, return_inverse=True)
    columns = [np.array([spelled(number) for number in distinct.tolist()], object)[place]]
    for column in range(1, language.columns):
        kinds = max(44 // column, 2)
        noise = rng.random(len(labels)) < NOISE
        kind = np.where(noise, rng.integers(0, kinds, len(labels)), (words // 7 + labels) % kinds)
        columns.append(np.array([f"{column}.{number}" for number in range(kinds)], object)[kind])
    if labelled:
        columns.append(np.array([f"L{number:03d}" for number in range(language.labels)], object)[labels])
    ends = np.full(len(labels), "\n", object)
    ends[np.cumsum(lengths) - 1] = "\n\n"
    cells = [column.tolist() for column in (*columns, ends)]
    return "".join(" ".join(texts) + end for *texts, end in zip(*cells, strict=True))


def spelled(number: int) -> str:
    """A word for a number: letters, some with a capital, some with a digit."""
    letters = LETTERS[number % 26]
    rest = number // 26
    while rest:
        letters += LETTERS[rest % 26]
        rest //= 26
    if number % 7 == 5:
        letters = letters.capitalize()
    return f"{letters}{number % 10}" if number % 31 == 30 else letters


def _labels(language: Language, lengths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The labels of all sentences, one after another, made for all sentences step by step."""  # (T,)
    grammar = np.random.default_rng(language.labels)
    # Each of the successors is a permutation of the labels, so that all labels are equally frequent.
    successors = np.stack([grammar.permutation(language.labels) for _ in range(SUCCESSORS)], axis=1)
    here = rng.integers(0, language.labels, len(lengths))
    chains = np.empty((int(lengths.max(initial=0)), len(lengths)), np.int64)
    for step in range(len(chains)):
        chains[step] = here
        follows = successors[here, (SUCCESSORS * rng.random(len(here)) ** 2).astype(np.int64)]
        here = np.where(rng.random(len(here)) < JUMPS, rng.integers(0, language.labels, len(here)), follows)
    return chains.T[np.arange(len(chains)) < lengths[:, None]]


def _words(language: Language, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The number of a word for each label."""  # (T,)
    own = max(language.words // language.labels, 1)
    near = labels * own + _ranks(own, rng.random(len(labels)))
    far = _ranks(language.words, rng.random(len(labels))) * 7919
    return np.where(rng.random(len(labels)) < COMMON, far, near) % language.words


def _ranks(count: int, uniform: np.ndarray) -> np.ndarray:
    """Numbers below `count`, each about as often as by Zipf's law."""
    return ((count + 1.0) ** uniform).astype(np.int64) - 1
