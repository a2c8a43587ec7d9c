"""The generated apartment ads: a repeatable stream, well-formed, hard enough to tell 20 ads from 200."""

import math
import re
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import islice

import numpy as np
import pytest

from sstag.experiments.samples import SAMPLES
from sstag.experiments.samples.ads import LABELS, LONGEST, SHORTEST, ads
from sstag.foundation.registry import registered

Ad = list[tuple[str, str]]

LINE = re.compile(r"\d{3}[-.]\d{4}$")  # how a telephone number ends
AMBIGUOUS = ("call", "deposit", "garage", "included", "large", "laundry", "month", "new", "no", "park", "pets", "room")


def draw(count: int, seed: int) -> list[Ad]:
    return list(ads(count, np.random.default_rng(seed)))


@pytest.fixture(scope="module")
def corpus() -> list[Ad]:
    return draw(1000, 1)


@pytest.fixture(scope="module")
def test_ads() -> list[Ad]:
    return draw(200, 2)


def test_samples_name_functions() -> None:
    for where, line in SAMPLES.values():
        assert callable(registered(where))
        assert len(line) < 100


def test_the_stream_repeats(corpus: list[Ad]) -> None:
    assert draw(60, 1) == corpus[:60]
    assert list(islice(ads(10**9, np.random.default_rng(1)), 60)) == corpus[:60]
    assert draw(60, 3) != corpus[:60]
    assert draw(0, 1) == []


def test_the_stream_is_the_same_everywhere() -> None:
    """Whoever changes grammar or plan changes every figure measured on the ads: then this digest, knowingly."""
    lines = "\n".join(f"{word} {label}" for ad in draw(100, 0) for word, label in ad)
    assert sha256(lines.encode()).hexdigest()[:16] == "935717be36d3ef80"


def test_words_and_labels(corpus: list[Ad]) -> None:
    for word in {word for ad in corpus for word, _ in ad}:
        assert word
        assert word.isprintable()
        assert word.split() == [word]
        assert "|" not in word
        assert word.encode().decode() == word
    assert {label for ad in corpus for _, label in ad} == set(LABELS)
    assert len(LABELS) == 11
    assert all(label.isalpha() for label in LABELS)


def test_lengths(corpus: list[Ad]) -> None:
    lengths = [len(ad) for ad in corpus]
    assert min(lengths) >= SHORTEST
    assert max(lengths) <= LONGEST
    assert 50 <= np.median(lengths) <= 65


def test_every_label_has_its_share(corpus: list[Ad]) -> None:
    counts = Counter(label for ad in corpus for _, label in ad)
    shares = {label: count / counts.total() for label, count in counts.items()}
    assert min(shares.values()) > 0.01, shares
    assert max(shares.values()) < 0.35, shares


def test_ads_differ_in_order_and_words(corpus: list[Ad]) -> None:
    assert len({tuple(dict.fromkeys(label for _, label in ad)) for ad in corpus}) > 800
    assert len({" ".join(word for word, _ in ad) for ad in corpus}) == len(corpus)


def test_unseen_words(corpus: list[Ad], test_ads: list[Ad]) -> None:
    def unseen(count: int) -> float:
        known = {word.lower() for ad in corpus[:count] for word, _ in ad}
        return float(np.mean([word.lower() not in known for ad in test_ads for word, _ in ad]))

    assert 0.15 < unseen(20) < 0.30
    assert 0.05 < unseen(200) < 0.11
    assert 0.03 < unseen(1000) < unseen(200)


def test_nobody_can_be_called_or_written_to(corpus: list[Ad]) -> None:
    words = {word.lower() for ad in corpus for word, _ in ad}
    assert all(
        ".example." in word or "@example." in word or "/example." in word
        for word in words
        if "http" in word or "@" in word[1:]
    )
    assert all("example." in word for word in words if word.startswith("www"))
    assert {word[-8:-2].replace(".", "-") for word in words if LINE.search(word)} == {"555-01"}


def test_prototypes(corpus: list[Ad]) -> None:
    """Every label has three frequent words that are more frequent for no other label (Haghighi & Klein 2006)."""
    by_label: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ad in corpus:
        for word, label in ad:
            by_label[label][word.lower()] += 1
    for label, counts in by_label.items():
        own = [w for w, c in counts.items() if w.isalpha() and c >= 30 and c == max(by_label[k][w] for k in LABELS)]
        assert len(own) >= 3, label


def test_words_that_only_context_tells_apart(corpus: list[Ad]) -> None:
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for ad in corpus:
        for word, label in ad:
            labels[word.lower()].add(label)
    for word in AMBIGUOUS:
        assert len(labels[word]) >= 2, word


def contexts(ad: Ad) -> list[list[str]]:
    words = ["", *(word.lower() for word, _ in ad), ""]
    return [[f"{d}{words[k + d]}" for d in (-1, 0, 1)] for k in range(1, len(words) - 1)]


def accuracy(train: list[Ad], test: list[Ad], used: slice) -> float:
    """Naive Bayes with add-0.1 smoothing on some of the words (before, itself, after)."""
    priors: Counter[str] = Counter()
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for ad in train:
        for features, (_, label) in zip(contexts(ad), ad, strict=True):
            priors[label] += 1
            for feature in features[used]:
                counts[label, feature] += 1

    def score(label: str, features: list[str]) -> float:
        seen = priors[label]
        return math.log(seen) + sum(math.log((counts[label, f] + 0.1) / (seen + 100)) for f in features)

    right = [
        max(priors, key=lambda label: score(label, features[used])) == gold
        for ad in test
        for features, (_, gold) in zip(contexts(ad), ad, strict=True)
    ]
    return float(np.mean(right))


def test_more_ads_and_more_context_help(corpus: list[Ad], test_ads: list[Ad]) -> None:
    few = np.mean([accuracy(corpus[k : k + 20], test_ads, slice(0, 3)) for k in (200, 400, 600)])
    many = np.mean([accuracy(corpus[k : k + 200], test_ads, slice(0, 3)) for k in (200, 400, 600)])
    alone = np.mean([accuracy(corpus[k : k + 200], test_ads, slice(1, 2)) for k in (200, 400, 600)])
    assert many - few > 0.05, (few, many)
    assert many - alone > 0.05, (alone, many)
