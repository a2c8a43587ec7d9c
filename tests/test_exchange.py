"""Clusters by exchange and their tree, beside a computation from scratch in whole numbers of Python."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sstag.chain import _core
from sstag.corpus.layout import layout_for
from sstag.features.words import bigrams as bigrams_of
from sstag.features.words import exchange
from sstag.features.words.bigrams import Bigrams, read_bigrams
from sstag.features.words.exchange import Exchange, begun, moved_in, n_log_n, paths_of, tree
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one, shards

RARE, EDGE = "<rare>", "<edge>"
FACTORS = (1, 300_000)  # the larger one leads beyond the table of logarithms


def silent(text: str) -> None:
    """Says nothing."""


def sentences(seed: int, count: int = 60, kinds: int = 4) -> list[list[str]]:
    """Sentences of words of some kinds, in which the kind of a word depends on the one before."""
    rng = np.random.default_rng(seed)
    steps = rng.dirichlet(np.full(kinds, 0.3), kinds)
    made = []
    for _ in range(count):
        kind, words = int(rng.integers(kinds)), []
        for _ in range(int(rng.integers(1, 9))):
            kind = int(rng.choice(kinds, p=steps[kind]))
            words.append(f"{'abcdef'[kind]}{min(int(rng.geometric(0.3)), 6)}")
        made.append(words)
    return made


def read(tmp_path: Path, *texts: list[list[str]], least: int = 2) -> Bigrams:
    paths = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.txt"
        path.write_text("\n\n".join("\n".join(words) for words in text) + "\n")
        paths.append(str(path))
    return read_bigrams(paths, layout_for, None, least, silent)


def listed(text: Bigrams) -> dict[tuple[str, str], int]:
    names = [*text.words, RARE, EDGE]
    return {(names[a], names[b]): int(n) for a, b, n in zip(text.first, text.second, text.counts, strict=True)}


def h(n: int) -> int:
    return int(n_log_n(np.array([n], np.int32))[0])


def likelihood(pairs: dict[tuple[str, str], int], cluster: dict[str, int]) -> int:
    """F from its definition; words in no cluster count for nothing but the sums of the others."""
    joint, left, right = dict[tuple[int, int], int](), dict[int, int](), dict[int, int]()
    for (a, b), n in pairs.items():
        if a in cluster:
            left[cluster[a]] = left.get(cluster[a], 0) + n
        if b in cluster:
            right[cluster[b]] = right.get(cluster[b], 0) + n
        if a in cluster and b in cluster:
            joint[cluster[a], cluster[b]] = joint.get((cluster[a], cluster[b]), 0) + n
    return sum(map(h, joint.values())) - sum(map(h, left.values())) - sum(map(h, right.values()))


def clusters_in(state: Exchange, text: Bigrams) -> dict[str, int]:
    names = [*text.words, RARE, EDGE]
    return {name: int(one) for name, one in zip(names, state.cluster, strict=True) if one >= 0}


def text_of(tmp_path: Path, seed: int, factor: int) -> Bigrams:
    made = read(tmp_path, sentences(seed))
    return replace(made, counts=made.counts * np.int32(factor))


def random_state(text: Bigrams, clusters: int, seed: int) -> Exchange:
    """Some words in clusters by chance, and the others in none."""
    state = begun(text, clusters)
    words = len(text.words)
    best = np.random.default_rng(seed).integers(0, clusters, words).astype(np.int32)
    for word in range(clusters, words):
        if best[word] % 3:
            _core.exchange(state, word, word + 1, best)
    return state


def test_n_log_n_is_rounded_once():
    numbers = [0, 1, 2, 3, 10, 12345, 2**20 - 1, 2**20, 2**20 + 1, 2**31 - 1]
    for n, found in zip(numbers, n_log_n(np.array(numbers, np.int32)).tolist(), strict=True):
        assert found / 2**26 == pytest.approx(n * math.log(max(n, 1)), rel=1e-15, abs=2**-27)
    table = exchange.table_of_logarithms()
    assert table[:-1].tolist()[:4] == [h(n) for n in range(4)]
    assert table[-1] == 0


def test_bigrams_are_those_of_the_sentences(tmp_path, monkeypatch):
    texts = sentences(1, 30), sentences(2, 7)
    monkeypatch.setattr(bigrams_of, "SOME", 16)  # many pieces
    made = read(tmp_path, *texts, least=3)
    every = [word for text in texts for words in text for word in words]
    times = {word: every.count(word) for word in every}
    assert list(made.words) == sorted((word for word in times if times[word] >= 3), key=lambda w: (-times[w], w))
    assert made.times.tolist() == [times[word] for word in made.words]
    assert made.tokens == len(every)
    stream = [EDGE]
    for text in texts:
        for words in text:
            stream += [*(word if times[word] >= 3 else RARE for word in words), EDGE]
    expected: dict[tuple[str, str], int] = {}
    for pair in pairwise(stream):
        expected[pair] = expected.get(pair, 0) + 1
    assert listed(made) == expected


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_move_of_a_word_is_the_best_of_all(tmp_path, seed, factor):
    text = text_of(tmp_path, seed, factor)
    state = random_state(text, 5, seed)
    pairs, cluster = listed(text), clusters_in(state, text)
    best = np.zeros(len(text.words), np.int32)
    assert state.likelihood == likelihood(pairs, cluster)
    _core.best_clusters(state, 0, len(text.words), best)
    for word, found in zip(text.words, best.tolist(), strict=True):
        values = [likelihood(pairs, cluster | {word: one}) for one in range(5)]
        own = cluster.get(word)
        if own is not None and max(values) == values[own]:
            assert found == own
        else:
            assert found == values.index(max(values))


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("block", [1, 7, 100])
def test_the_likelihood_never_falls(tmp_path, monkeypatch, block, factor):
    text = text_of(tmp_path, 3, factor)
    pairs, words = listed(text), len(text.words)
    state = begun(text, 5)
    for begin in range(5, words, block):
        moved_in(state, begin, min(begin + block, words), one_by_one)
        assert state.likelihood == likelihood(pairs, clusters_in(state, text))
    assert (state.cluster >= 0).all()
    before = state.likelihood
    for _ in range(20):
        moved = 0
        for begin in range(0, words, block):
            here = moved_in(state, begin, min(begin + block, words), one_by_one)
            after = likelihood(pairs, clusters_in(state, text))
            assert after == state.likelihood
            assert after > before if here else after == before
            before, moved = after, moved + here
        if not moved:
            break
    assert not moved
    np.testing.assert_array_equal(state.n.T, state.transposed)


def merged(cluster: dict[str, int], into: int, away: int) -> dict[str, int]:
    return {word: into if one == away else one for word, one in cluster.items()}


def merged_from_scratch(pairs: dict[tuple[str, str], int], cluster: dict[str, int], count: int) -> list[str]:
    """Brown's merges, each the best of all by a likelihood from scratch; the paths of the clusters."""
    cluster, paths, alive = dict(cluster), [""] * count, list(range(count))
    members = {one: [one] for one in alive}
    while len(alive) > 1:
        some = [(i, j) for i in alive for j in alive if i < j]
        i, j = max(some, key=lambda pair: likelihood(pairs, merged(cluster, *pair)))  # the first of several
        cluster = merged(cluster, i, j)
        for one in members[i]:
            paths[one] = f"0{paths[one]}"
        for one in members[j]:
            paths[one] = f"1{paths[one]}"
        members[i] += members.pop(j)
        alive.remove(j)
    return paths


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_is_that_of_the_best_merges(tmp_path, seed, factor):
    text = text_of(tmp_path, seed, factor)
    state = random_state(text, 7, seed)
    rest = np.arange(7, len(text.words))
    _core.exchange(state, 7, len(text.words), np.where(state.cluster[:-2] < 0, 3, state.cluster[:-2]).astype(np.int32))
    assert (state.cluster[rest] >= 0).all()
    expected = merged_from_scratch(listed(text), clusters_in(state, text), 7)
    with shards(2) as over:
        assert tree(state, over, silent) == expected


def test_words_used_alike_come_together(tmp_path):
    made = read(tmp_path, sentences(5, 400, 3))
    paths = dict(zip(made.words, paths_of(made, 3, one_by_one, silent), strict=True))
    assert len(set(paths.values())) == 3
    for kind in "abc":
        assert len({path for word, path in paths.items() if word[0] == kind}) == 1


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(tmp_path, threads):
    made = read(tmp_path, sentences(6, 500, 6))
    with shards(threads) as over:
        assert paths_of(made, 9, over, silent) == paths_of(made, 9, one_by_one, silent)


def test_more_clusters_than_words_are_as_many_as_words(tmp_path):
    made = read(tmp_path, sentences(7, 20, 2))
    paths = paths_of(made, 500, one_by_one, silent)
    assert len(set(paths)) == len(made.words)
    assert not any(other.startswith(one) for one in paths for other in paths if one != other)


@pytest.mark.parametrize("count", [0, 1, 4097])
def test_the_number_of_clusters_has_bounds(tmp_path, count):
    with pytest.raises(ConfigError, match=r"there can be 2 to 4,096 clusters, not"):
        paths_of(read(tmp_path, sentences(1)), count, one_by_one, silent)


def test_texts_that_cannot_be_clustered_are_said(tmp_path):
    with pytest.raises(DataError, match="fewer than two words occur 9 times"):
        read(tmp_path, [["a", "b"], ["a"]], least=9)
    (tmp_path / "empty").write_text("\n\n")
    with pytest.raises(DataError, match="empty: no sentence in it"):
        read_bigrams([str(tmp_path / "empty")], layout_for, None, 1, silent)
    (tmp_path / "one").write_text("a\nb\n")
    with pytest.raises(DataError, match="there is no column 'tag'"):
        read_bigrams([str(tmp_path / "one")], layout_for, "tag", 1, silent)


def test_too_long_texts_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bigrams_of, "MOST_TOKENS", 10)
    with pytest.raises(DataError, match="more than 10 tokens: take a part of them"):
        read(tmp_path, sentences(1))
