"""Clusters of words by exchange, and the tree that merging makes of them (Kneser & Ney 1993; Brown et al. 1992).

The most frequent words have a cluster each; the others are put, in order of frequency, into the one that is best for
the likelihood of the text's bigrams. Then every word in turn moves to its best cluster, until few move. Words are
looked at in blocks: the best cluster of each is found while all others stay, by any number of threads, and then they
move one after another, each only if its move is still good. So the likelihood F never falls, and as it is made of whole
numbers (`chain/core/exchange.h`), threads and processors change nothing. At last the two clusters that lose least are
merged, again and again (`chain/core/merging.h`); the path of a cluster says on which side it was, the last merge first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sstag.chain import _core
from sstag.features.words.bigrams import Bigrams, Say
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over, even_shards
from sstag.foundation.ranges import offsets_of

BLOCK = 256  # words that are looked at together
MOST_SWEEPS = 8
FEW_MOVES = 0.005  # of the words; a sweep that moves fewer is the last one
MOST_CLUSTERS = 4096
PIECES = 16  # of a block, or of the losses, that threads share
OUT = -1  # the cluster of a word that is in none yet


@dataclass(frozen=True)
class Exchange:
    """Words, their neighbours, and the clusters that they are in, as the core reads and changes them."""

    next_first: Longs  # (V + 1,)
    next: Ints
    next_times: Ints
    before_first: Longs  # (V + 1,)
    before: Ints
    before_times: Ints
    itself: Ints  # (V,)
    firsts: Ints  # (V,)
    seconds: Ints  # (V,)
    cluster: Ints  # (V + 2,), OUT for none
    n: Ints  # (C + 2, C + 2), bigrams by clusters
    transposed: Ints
    left: Ints  # (C + 2,), the bigrams that a cluster's words begin
    right: Ints  # (C + 2,)
    table: Longs

    @property
    def likelihood(self) -> int:
        """F, in the units of `n_log_n`."""
        return sum(sign * int(n_log_n(of).sum()) for of, sign in ((self.n, 1), (self.left, -1), (self.right, -1)))


@dataclass(frozen=True)
class _Merging:
    """Clusters to be merged, as the core reads and changes them."""

    n: Ints
    transposed: Ints
    left: Ints
    right: Ints
    alive: Bools  # (C,)
    own: Longs  # (C,)
    loss: Longs  # (C, C)
    table: Longs


def n_log_n(numbers: Ints) -> Longs:
    """n log n, in units of 2^-26, rounded."""
    found = np.zeros(numbers.shape, np.int64)
    _core.n_log_n(np.ascontiguousarray(numbers).reshape(-1), found.reshape(-1))
    return found


@lru_cache(maxsize=1)
def table_of_logarithms() -> Longs:
    """`n_log_n` of small numbers, and after the last a 0."""
    table = np.append(n_log_n(np.arange(_core.H_TABLE, dtype=np.int32)), 0)
    table.setflags(write=False)
    return table


def paths_of(text: Bigrams, count: int, over: Over, say: Say) -> list[str]:
    """The path of each word's cluster: 0 and 1, from the root of the tree."""
    if not 2 <= count <= MOST_CLUSTERS:
        raise ConfigError(f"there can be 2 to {MOST_CLUSTERS:,} clusters, not {count:,}")
    words = len(text.words)
    state = begun(text, min(count, words))
    for sweep in range(MOST_SWEEPS + 1):
        name = f"sweep {sweep} of at most {MOST_SWEEPS}" if sweep else "first clusters"
        moved = 0
        for begin, end in _blocks(words, 0 if sweep else min(count, words)):
            moved += moved_in(state, begin, end, over)
            say(f"{name}: {end:,} of {words:,} words")
        if sweep and moved < FEW_MOVES * words:
            break
    paths = tree(state, over, say)
    return [paths[cluster] for cluster in state.cluster[:words].tolist()]


def _blocks(words: int, first: int) -> Iterator[tuple[int, int]]:
    """Where the blocks of words begin and end, the first ones being those of one cluster each."""
    return pairwise([*range(first, words, BLOCK), words])


def begun(text: Bigrams, clusters: int) -> Exchange:
    """The most frequent words in a cluster each, and the others in none."""
    words, symbols = len(text.words), text.symbols
    cluster = np.full(symbols, OUT, np.int32)
    cluster[:clusters] = np.arange(clusters)
    cluster[words:] = clusters, clusters + 1
    is_in = cluster != OUT
    firsts, seconds = (_sums(of, text.counts, symbols) for of in (text.first, text.second))
    left, right = (_sums(cluster[is_in], of[is_in], clusters + 2) for of in (firsts, seconds))
    alone = text.first == text.second
    others, counts = ~alone, text.counts[~alone]
    next_first, next, next_times = _neighbours(text.first[others], text.second[others], counts, words)
    before_first, before, before_times = _neighbours(text.second[others], text.first[others], counts, words)
    n = _by_cluster(text, cluster, clusters + 2)
    return Exchange(
        next_first=next_first,
        next=next,
        next_times=next_times,
        before_first=before_first,
        before=before,
        before_times=before_times,
        itself=_sums(text.first[alone], text.counts[alone], symbols)[:words],
        firsts=firsts[:words],
        seconds=seconds[:words],
        cluster=cluster,
        n=n,
        transposed=np.ascontiguousarray(n.T),
        left=left,
        right=right,
        table=table_of_logarithms(),
    )


def _sums(numbers: Ints | Longs, counts: Ints, size: int) -> Ints:
    """The sum of the counts of each number."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, numbers, counts)
    return sums.astype(np.int32)


def _by_cluster(text: Bigrams, cluster: Ints, contexts: int) -> Ints:
    """The bigrams of clusters, as far as words are in one."""
    first, second = cluster[text.first], cluster[text.second]
    inside = (first != OUT) & (second != OUT)
    keys = first[inside].astype(np.int64) * contexts + second[inside]
    return _sums(keys, text.counts[inside], contexts**2).reshape(contexts, contexts)


def _neighbours(of: Ints, others: Ints, counts: Ints, words: int) -> tuple[Longs, Ints, Ints]:
    """Where the neighbours of each word begin, the neighbours, and how often they stand there."""
    order = np.flatnonzero(of < words)
    order = order[np.argsort(of[order], kind="stable")]
    first = offsets_of(np.bincount(of[order], minlength=words))
    return first, np.ascontiguousarray(others[order]), np.ascontiguousarray(counts[order])


def moved_in(state: Exchange, begin: int, end: int, over: Over) -> int:
    """How many words of a block moved to a better cluster."""
    best = np.zeros(len(state.itself), np.int32)
    sizes = [np.diff(of[begin : end + 1]) for of in (state.next_first, state.before_first)]
    work = np.minimum(sizes, len(state.left)).sum(axis=0) + 1  # at most as many clusters stand beside a word
    over(
        lambda some: _core.best_clusters(state, begin + some.start, begin + some.stop, best),
        even_shards(work.tolist(), PIECES),
    )
    return _core.exchange(state, begin, end, best)


def tree(state: Exchange, over: Over, say: Say) -> list[str]:
    """The path of each cluster in the tree of merges."""
    count = len(state.left) - 2
    merging = _Merging(
        n=state.n.copy(),
        transposed=state.transposed.copy(),
        left=state.left.copy(),
        right=state.right.copy(),
        alive=np.ones(count, np.bool_),
        own=np.zeros(count, np.int64),
        loss=np.zeros((count, count), np.int64),
        table=state.table,
    )
    _core.own_sums(merging)
    say(f"tree: the losses of {count * (count - 1) // 2:,} pairs")
    over(lambda some: _core.losses(merging, some.start, some.stop), even_shards([*range(count, 0, -1)], PIECES))
    members = [[cluster] for cluster in range(count)]
    sides: list[list[str]] = [[] for _ in range(count)]
    pair = np.zeros(2, np.int32)
    for done in range(1, count):
        _core.merge_nearest(merging, pair)
        for side, cluster in zip("01", pair.tolist(), strict=True):
            for one in members[cluster]:
                sides[one].append(side)
        members[pair[0]] += members[pair[1]]
        say(f"tree: {done:,} of {count - 1:,} merges")
    return ["".join(reversed(one)) for one in sides]
