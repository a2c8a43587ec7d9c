"""Two domains of unsegmented text, and the word list of one of them (T08 §5.1), from Japanese corpora or from ads.

Source domain: A to train on, B to choose l2 on. Target domain: C, half of which is annotated in part and half of which
is the test; the rest of it is known without labels, and has the list of words that A lacks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected, with_column
from sstag.experiments.corpora import Corpora
from sstag.experiments.samples.ads import ads
from sstag.foundation.arrays import Bools

COLUMNS = ("char", "class", "tag")
FILES = {"wiki": "jws/wiki.train.txt.gz", "kwdlc": "jws/kwdlc.train.txt.gz", "hospital": "jws/fkc_hospital.all.txt"}
GENERAL = ("jws/kwdlc.test.txt", "jws/wiki.dev.txt", "jws/wiki.test.txt")  # a general dictionary has their words
ADS = "ads"  # the target domain of generated text
SEED = 2008
LONGEST = 8  # characters of a term that is looked for
CAPPED = 4  # a longer term counts as this long
TWICE = 2  # how often A has a word of the dictionary: some of its words must be unknown, as in any other text
MANY_WORDS = 400  # sentences of generated text that a general dictionary is made of
MANY = 10**9  # ads, made as they are asked for
ABOUT_PLACE = {"neighborhood", "address", "contact", "available"}  # the fields of ads that are the target domain


@dataclass(frozen=True)
class Domains:
    """One draw of the data; every corpus says where terms of the dictionary are."""

    source: Corpus  # A
    validation: Corpus  # B
    halves: tuple[Corpus, Corpus]  # of C
    raw: Corpus  # of the target domain
    terms: frozenset[str]  # the word list: what raw text has and A has not


def domains(
    corpora: Corpora,
    target: str,
    sizes: Sequence[int],
    draw: int,
    word_list: bool = True,
    general: bool = False,
    listed: float = 1.0,
) -> Domains:
    """A and B, the same in every draw; C, drawn anew. Without the word list the dictionary has words of A only.

    A general dictionary has words of other text besides, and the list none of them; a share of the list may be drawn.
    """
    train, validation, test = sizes
    if target == ADS:
        text, pool = _generated(train + validation, about_place=False), _generated(4 * test, about_place=True)
    else:
        text, pool = corpora.read(FILES["wiki"], COLUMNS), corpora.read(FILES[target], COLUMNS)
    test = min(test, pool.sentences)
    rng = np.random.default_rng([SEED, draw])
    parts = [selected(text, part) for part in _drawn(text.sentences, [train, validation], np.random.default_rng(SEED))]
    halves = _drawn(pool.sentences, [test // 2, test - test // 2], rng)
    rest = ~(halves[0] | halves[1])
    parts += [selected(pool, half) for half in halves]
    parts.append(selected(pool, rest) if rest.any() else corpora.read(FILES["kwdlc"], COLUMNS))
    known, also = Counter(words(parts[0])), _general_words(corpora, target) if general else set()
    terms = frozenset(words(parts[-1])).difference(known, also)
    if listed < 1:
        terms = frozenset(word for word in sorted(terms) if rng.random() < listed)
    dictionary = {word for word, times in known.items() if times >= TWICE} | also | (terms if word_list else set())
    source, other, one, two, raw = (_with_terms(part, dictionary) for part in parts)
    return Domains(source, other, (one, two), raw, terms)


def _general_words(corpora: Corpora, target: str) -> set[str]:
    """The words of text that is neither domain's."""
    if target == ADS:
        return set(words(_generated(MANY_WORDS, about_place=False)))
    return {word for name in GENERAL for word in words(corpora.read(name, COLUMNS))}


def words(corpus: Corpus) -> list[str]:
    """The words of a segmented corpus."""
    chars = [corpus.values[0][code] for code in corpus.codes[0].tolist()]
    bounds = [*begins(corpus).nonzero()[0].tolist(), len(chars)]
    return ["".join(chars[begin:end]) for begin, end in pairwise(bounds)]


def begins(corpus: Corpus) -> Bools:
    """Which characters begin a word; the first of a sentence does."""  # (T,)
    tag = corpus.column("tag")
    first = np.array([text == "B" for text in corpus.values[tag]])[corpus.codes[tag]]
    first[corpus.offsets[:-1]] = True
    return first


def _drawn(count: int, sizes: Sequence[int], rng: np.random.Generator) -> list[Bools]:
    """Disjoint random choices of so many sentences each."""
    order, bounds = rng.permutation(count), np.cumsum([0, *sizes])
    return [np.isin(np.arange(count), order[begin:end]) for begin, end in pairwise(bounds.tolist())]


def _with_terms(corpus: Corpus, dictionary: Iterable[str]) -> Corpus:
    """The corpus with the column `terms` that configs/tsuboi2008/segmentation.yaml describes."""
    known = frozenset(dictionary)
    here = np.zeros((LONGEST + 1, corpus.tokens), bool)  # whether a term of that length begins here
    for sentence, begin in enumerate(corpus.offsets[:-1].tolist()):
        text = "".join(corpus.words("char", sentence))
        for length in range(1, LONGEST + 1):
            for place in range(len(text) - length + 1):
                if text[place : place + length] in known:
                    here[length, begin + place] = True
    starts, ends = np.zeros(corpus.tokens, np.int64), np.zeros(corpus.tokens, np.int64)
    for length in range(1, LONGEST + 1):
        first = here[length].nonzero()[0]
        starts[first] = ends[first + length - 1] = min(length, CAPPED)
    rows = np.stack([here[1], here[2], here[3], starts, ends], axis=1)
    kinds, codes = np.unique(rows, axis=0, return_inverse=True)
    return with_column(corpus, "terms", [_described(*kind) for kind in kinds.tolist()], codes)


def _described(one: int, two: int, three: int, starts: int, ends: int) -> str:
    letters = "".join(letter for letter, begins_here in zip("abc", (one, two, three), strict=True) if begins_here)
    return f"{letters}s{starts}e{ends}"


def _generated(count: int, about_place: bool) -> Corpus:
    """Ads without blanks: what they say of places and people is the target domain, and the rest the source."""
    made = ads(MANY, np.random.default_rng([SEED, about_place]))
    pieces = (piece for ad in made for piece in _pieces(ad, about_place))
    return corpus_of(list(islice(pieces, count)), COLUMNS)


def _pieces(ad: Iterable[tuple[str, str]], about_place: bool) -> Iterator[list[tuple[str, str, str]]]:
    """The runs of an ad's words that are about its place, or about anything else, as characters."""
    for place, words_ in groupby(ad, lambda token: token[1] in ABOUT_PLACE):
        if place == about_place:
            yield [(char, _class(char), "I" if i else "B") for word, _ in words_ for i, char in enumerate(word)]


def _class(char: str) -> str:
    if char.isdigit():
        return "digit"
    return ("upper" if char.isupper() else "lower") if char.isalpha() else "symbol"
