"""Fingerprints: a number of 64 bits for each sentence, equal for sentences that are equal in some columns.

Each distinct value is hashed once; a sentence is Σ_t hash(x_t) · M^t mod 2⁶⁴ and its length, mixed: no text is made per
token. Two sentences out of ten million agree by chance once in 300,000 corpora.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sstag.corpus.corpus import Corpus, with_sentences, with_used_values
from sstag.foundation.arrays import Longs
from sstag.foundation.ranges import place_in_row

Hashes: TypeAlias = npt.NDArray[np.uint64]
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd: no place is lost


def fingerprints(corpus: Corpus, columns: Sequence[str]) -> Longs:
    """A number for each sentence; it depends on the order of the columns, but not on their names."""  # (S,)
    places = [corpus.column(name) for name in columns]
    hashed = (value_hashes(corpus.values[place], number)[corpus.codes[place]] for number, place in enumerate(places))
    return mixed(hashed, corpus.offsets)


def of_words(corpus: Corpus) -> Longs:
    """The fingerprint of the words of each sentence."""  # (S,)
    own = with_used_values(corpus)  # a volume has the values of its whole text
    return fingerprints(own, [own.columns[own.word_column]])


def apart_from(corpus: Corpus, known: Longs) -> Corpus:
    """The sentences of a corpus whose words have none of the known fingerprints; columns keep the values of all."""
    others = ~np.isin(of_words(corpus), known)
    return corpus if others.all() else with_sentences(corpus, others)


def value_hashes(values: Sequence[str], number: int = 0) -> Hashes:
    """A number for each distinct value of the column that comes as number `number`."""
    salt = number.to_bytes(2, "little")
    hashes = [blake2b(value.encode(errors="surrogatepass"), digest_size=8, salt=salt).digest() for value in values]
    return np.frombuffer(b"".join(hashes), "<u8")


def mixed(columns: Iterable[Hashes], offsets: Longs) -> Longs:
    """The fingerprints of sentences of the hashes of their tokens, (T,), column by column."""  # (S,)
    lengths = np.diff(offsets)
    powers = np.multiply.accumulate(np.full(int(lengths.max(initial=0)) + 1, FACTOR))
    place = place_in_row(offsets)
    total = lengths.astype(np.uint64)
    for each in columns:
        if len(lengths):
            total = total * FACTOR + np.add.reduceat(each * powers[place], offsets[:-1])
            total ^= total >> np.uint64(29)
    return total.view(np.int64)
