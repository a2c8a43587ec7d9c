"""Vectors of sentences, and batches that are spread over them: each equals its definition, summed in plain loops."""

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sstag.corpus.corpus import Corpus
from sstag.features import sentence_vectors
from sstag.features.sentence_vectors import cosines, fitted
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one, shards
from sstag.selection import spreading
from sstag.selection.budget import Basket, Budget
from sstag.selection.candidates import Pool, whole_sentences
from sstag.selection.choosing import Wish, chosen
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import SENTENCES, Scene, rounds
from sstag.selection.simulation.variant import variant
from sstag.selection.strategies import SPREADS
from sstag.training.methods.parameters import Training
from tests.compare import assert_close
from tests.datasets import corpus, unlabelled
from tests.dense import MadeEncoder, MadeVectors, dense_template
from tests.models import tiny

WORDS = ["rent", "pets", "cozy", "rooms", "no", "the", "a", "view"]
MEANS = dense_template(
    "columns: [word, label]\nencoders: {mini: {model: made}}\n"
    "features: ['vector(word[-1..1], made)', 'encoded(mini[0..1], 0.7)']\n"
)
OF_WORDS = dense_template("columns: [word, label]\nfeatures: ['vector(word[0], made)']\n")
sentences = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=2, max_size=9)


def by_hand(data: list[list[str]], text: list[list[str]], encoder: bool) -> np.ndarray:
    """The vectors of sentences, by the formula at the head of `sentence_vectors`, fitted to a text."""
    tokens = [word for sentence in text for word in sentence]
    count = Counter(tokens)
    parts = []
    for number in range(2 if encoder else 1):
        means = []
        encoded = iter([*MadeEncoder().numbers(unlabelled(text)), *MadeEncoder().numbers(unlabelled(data))])
        for one in (*text, *data):
            rows = [next(encoded) for _ in one]
            total, weight = 0.0, 0.0
            for word, row in zip(one, rows, strict=True):
                has, vector = MadeVectors().of([word])
                if number == 0 and not len(has):
                    continue
                share = 1e-3 / (1e-3 + count[word] / len(tokens))
                total, weight = total + share * (row if number else vector[0]).astype(float), weight + share
            means.append(total / weight if weight else None)
        own = np.array([one for one in means[: len(text)] if one is not None])
        own = own if len(own) else np.zeros((1, 3 if number else 5))
        deviation, middle = own.std(axis=0), np.abs(own.mean(axis=0))
        size = own.shape[1]
        parts.append(
            [
                np.zeros(size)
                if one is None
                else (one - own.mean(axis=0)) / np.where(deviation > 1e-5 * middle, deviation, np.inf) / math.sqrt(size)
                for one in means[len(text) :]
            ]
        )
    rows = np.array([np.concatenate(own) for own in zip(*parts, strict=True)])
    length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return rows / np.where(length > 1e-5, length, 1)


@given(text=sentences, other=sentences, encoder=st.booleans(), some=st.sampled_from([1, 3, 2**13]))
def test_a_sentence_is_the_mean_of_its_words_standardised_over_the_text(text, other, encoder, some):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sentence_vectors, "SOME", some)
        how, found = fitted(MEANS if encoder else OF_WORDS, unlabelled(text))
        assert_close(found, by_hand(text, text, encoder), tolerance=1e-4)
        assert_close(how.of(unlabelled(other)), by_hand(other, text, encoder), tolerance=1e-4)
        again = fitted(MEANS if encoder else OF_WORDS, unlabelled(text))[1]
    assert again.tobytes() == found.tobytes()


def test_a_sentence_of_unknown_words_has_no_place():
    _, found = fitted(OF_WORDS, unlabelled([["a", "the"], ["rent"], ["pets", "a"]]))
    assert not found[0].any()
    assert_close((found[1:] ** 2).sum(axis=1), np.ones(2), tolerance=1e-6)


def test_cosines_are_the_same_for_any_number_of_threads():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(300, 37)).astype(np.float32)
    with shards(4) as over:
        many = cosines(rows, rows[:5], over)
    assert many.tobytes() == cosines(rows, rows[:5], one_by_one).tobytes()
    assert_close(many, rows.astype(float) @ rows[:5].T.astype(float))


def test_what_cannot_be_said_of_sentences_is_told(monkeypatch):
    with pytest.raises(ConfigError, match=r"no feature is vector\(…\) or encoded\(…\)"):
        fitted(Template(("word",), "label", ()), unlabelled(["ab"]))
    monkeypatch.setattr(sentence_vectors, "MOST_BYTES", 10)
    with pytest.raises(DataError, match=r"the vectors of 2 sentences take .* choose from a part of them"):
        fitted(OF_WORDS, unlabelled([["rent"], ["pets"]]))


# ---------------------------------------------------------------------- batches


def made(count: int, seed: int = 3) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[WORDS[i] for i in rng.integers(0, len(WORDS), rng.integers(1, 6))] for _ in range(count)]


def pool(data: Corpus, **more) -> Pool:
    return Pool(data, "label", one_by_one, meaning=MEANS, **more)


def squared(one: np.ndarray, other: np.ndarray) -> float:
    return float(((one.astype(float) - other.astype(float)) ** 2).sum())


@pytest.mark.parametrize("earlier", [0, 1, 90])
def test_a_core_set_takes_the_farthest_of_all(earlier):
    data = unlabelled(made(40))
    before = [unlabelled(made(earlier, 8))] if earlier else []
    how, rows = fitted(MEANS, data)
    centres = [row for one in before for row in how.of(one)]
    found = chosen(pool(data), Wish("random", Budget(12), spread="core-set"), before).candidates.sentence.tolist()
    asked = {tuple(words) for words in (made(earlier, 8) if earlier else [])}
    left = [one for one, words in enumerate(made(40)) if tuple(words) not in asked]
    for one in found:
        near = {
            other: min((squared(rows[other], centre) for centre in centres), default=-1.0)
            if centres
            else -sum(squared(rows[other], rows[third]) for third in left)  # the nearest to all on average
            for other in left
        }
        assert_close(near[one], max(near.values()), tolerance=1e-5)
        centres.append(rows[one])
        left.remove(one)


@pytest.mark.parametrize("strategy", ["random", "entropy", "margin"])
def test_seeds_of_k_means_are_drawn_by_weight_and_squared_distance(strategy):
    """Many draws of two sentences, against the probability of each ordered pair."""
    data = unlabelled([["rent"], ["pets", "no"], ["cozy"], ["rooms", "rent"], ["no", "the"]])
    case = replace(pool(data), model=None if strategy == "random" else TINY)
    _, rows = fitted(MEANS, data)
    weight = np.ones(5)
    if strategy != "random":
        every = chosen(case, Wish(strategy, Budget(5)))
        assert every.scores is not None
        weight[every.candidates.sentence] = every.scores - min(every.scores.min(), 0.0)
    draws, seen = 1500, Counter[tuple[int, int]]()
    for seed in range(draws):
        first, second = chosen(case, Wish(strategy, Budget(2), spread="k-means++", seed=seed)).candidates.sentence
        seen[int(first), int(second)] += 1
    expected = {}
    for first in range(5):
        worth = np.array([weight[two] * squared(rows[first], rows[two]) if two != first else 0.0 for two in range(5)])
        for two in np.flatnonzero(worth).tolist():
            expected[first, two] = draws * weight[first] / weight.sum() * worth[two] / worth.sum()
    expected = {pair: count for pair, count in expected.items() if count > 0}
    assert set(seen) <= set(expected)
    often = [pair for pair, count in expected.items() if count >= 5]
    rest = [draws - sum(counts[pair] for pair in often) for counts in (seen, expected)]
    observed, wanted = (
        [*(counts[pair] for pair in often), more + 5] for counts, more in zip((seen, expected), rest, strict=True)
    )
    assert stats.chisquare(observed, wanted).pvalue > 1e-4


TINY = tiny("iob2")


@pytest.mark.parametrize("way", SPREADS)
def test_batches_are_the_same_for_any_number_of_threads_and_know_their_budget(way):
    data = unlabelled(made(200))
    wish = Wish("random", Budget(tokens=60), spread=way, alike=0.5)
    one = chosen(pool(data), wish).candidates
    with shards(3) as over:
        many = chosen(Pool(data, "label", over, meaning=MEANS), wish).candidates
    assert one.sentence.tolist() == many.sentence.tolist()
    assert len(set(one.sentence.tolist())) == len(one) > 5
    assert one.lengths.sum() <= 60
    other = chosen(pool(data), replace(wish, seed=2)).candidates
    assert (other.sentence.tolist() == one.sentence.tolist()) == (way == "core-set")


@pytest.mark.parametrize("way", SPREADS)
def test_what_has_no_vector_is_left_out(way):
    data = unlabelled([["a"], ["rent"], ["the", "a"], ["pets"]])
    found = chosen(Pool(data, None, one_by_one, meaning=OF_WORDS), Wish("random", Budget(9), spread=way))
    assert sorted(found.candidates.sentence.tolist()) == [1, 3]


def test_equal_points_can_all_be_drawn():
    assert {spreading.drawn(np.zeros(3), np.random.default_rng(seed)) for seed in range(50)} == {0, 1, 2}


@given(data=sentences, alike=st.sampled_from([0.2, 0.5, 0.9, 0.99]))
def test_diversity_by_meaning_leaves_out_what_has_a_large_cosine_with_one_before(data, alike):
    corpus = unlabelled(data)
    rows = fitted(MEANS, corpus)[1]
    basket = Basket(corpus, whole_sentences(Pool(corpus, None, one_by_one)), alike, rows)
    taken: list[int] = []
    for one in range(len(data)):
        near = [float(rows[one].astype(float) @ rows[other].astype(float)) for other in taken]
        if any(abs(cosine - alike) < 1e-6 for cosine in near):
            return
        assert basket.add(one) == all(cosine < alike for cosine in near)
        taken += [one] if all(cosine < alike for cosine in near) else []
    assert basket.chosen == taken


def test_a_quota_may_be_diverse_by_meaning():
    data = unlabelled([["rent", "rent"], ["rent"], ["pets"], ["pets", "pets"]])
    wish = Wish("quota", Budget(4), by="length", alike=0.9, alike_by="meaning")
    found = chosen(Pool(data, None, one_by_one, meaning=OF_WORDS), wish).candidates.sentence.tolist()
    assert len(found) == len({"rent" if one < 2 else "pets" for one in found}) == 2


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"spread": "core-sets"}, "there is no way to spread 'core-sets'; did you mean 'core-set'"),
        ({"spread": "core-set", "strategy": "quota"}, "a quota is spread over its groups already"),
        ({"spread": "core-set", "spans": True}, "spans have no meaning of their own"),
        ({"alike_by": "meaning"}, "from which cosine on are two sentences alike"),
        ({"alike_by": "word", "alike": 0.5}, "not alike by 'word'; did you mean 'words'"),
        ({"spread": "core-set"}, "what do sentences mean"),
    ],
)
def test_wishes_that_cannot_be(wish, message):
    with pytest.raises(ConfigError, match=message):
        chosen(
            Pool(unlabelled(["ab"]), None, one_by_one, terms=(("a",),)),
            Wish(**{"strategy": "random", "budget": Budget(1)} | wish),
        )


def test_a_model_without_dense_features_says_nothing_of_meaning():
    with pytest.raises(ConfigError, match="nothing says what sentences mean"):
        chosen(Pool(unlabelled(["ab"]), None, one_by_one, TINY), Wish("entropy", Budget(1), spread="core-set"))


def test_variants_say_how_they_are_spread():
    found = variant("entropy:spread=k-means++,meaning=glove.txt,diverse=0.9,alike=meaning")
    assert (found.wish.spread, found.wish.alike_by, found.wish.alike) == ("k-means++", "meaning", 0.9)
    assert found.files == ["glove.txt"]
    with pytest.raises(ConfigError, match="meaning is nothing that entropy goes by"):
        variant("entropy:meaning=glove.txt")


def test_rounds_of_a_simulation_go_on_from_what_was_asked():
    """The template's own vectors say what sentences mean; rounds of four and three are a core-set of seven."""
    text = made(25)
    data = corpus([[(word, "X" if word == "rent" else "O") for word in words] for words in text])
    template = dense_template("columns: [word, label]\nfeatures: ['vector(word[0], made)']\n")
    scene = Scene(template, Annotator(data, "label"), parameters=Training(max_iterations=2))
    first, second = rounds(scene, variant("random:spread=core-set").wish, [4, 7], SENTENCES)
    every = chosen(
        Pool(scene.annotator.text, "label", one_by_one, meaning=template), Wish("random", Budget(7), spread="core-set")
    )
    asked = [*first.choice.candidates.sentence.tolist(), *second.choice.candidates.sentence.tolist()]
    assert asked == every.candidates.sentence.tolist()


# ---------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    raw = "\n\n".join("\n".join(words) for words in made(30))
    (tmp_path / "raw.txt").write_text(raw + "\n", encoding="utf-8")
    rng = np.random.default_rng(1)
    lines = [f"{word} {' '.join(f'{number:.3f}' for number in rng.normal(size=4))}" for word in WORDS[:6]]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: ['vector(word[0], v.txt)']\n", encoding="utf-8")
    return tmp_path


def sstag(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sstag", "select", "--pool", "raw.txt", "--strategy", "random", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("more", [["--spread", "core-set"], ["--diverse", "0.6", "--alike", "meaning"]])
def test_a_file_of_vectors_and_a_template_that_names_it_mean_the_same(folder, more):
    runs = [sstag(folder, "--count", "5", *more, "--meaning", name) for name in ("v.txt", "t.yaml")]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr + runs[1].stderr
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stderr.startswith("5 of 30 sentences, ")


def test_a_second_batch_is_far_from_the_first(folder):
    first = sstag(folder, "--count", "5", "--spread", "core-set", "--meaning", "v.txt", "-o", "first.txt")
    assert first.returncode == 0, first.stderr
    both = sstag(folder, "--count", "9", "--spread", "core-set", "--meaning", "v.txt").stdout
    second = sstag(folder, "--count", "4", "--spread", "core-set", "--meaning", "v.txt", "--exclude", "first.txt")
    assert (folder / "first.txt").read_text(encoding="utf-8") + second.stdout.split("\n", 2)[2] == both


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--spread", "core-set"], 1, "what do sentences mean? name a template with dense features, or a file"),
        (["--spread", "core-set", "--meaning", "none.txt"], 1, "none.txt: "),
        (["--spread", "core-set", "--meaning", "chunking"], 1, "no feature is vector(…) or encoded(…)"),
        (["--spread", "core-set", "--meaning", "v.txt", "-o", "v.txt"], 1, "would be overwritten"),
        (["--meaning", "v.txt"], 2, "--meaning is for --spread, and for --diverse with --alike meaning"),
        (["--alike", "meaning", "--meaning", "v.txt"], 2, "--alike says how --diverse compares"),
    ],
)
def test_mistakes_are_one_line(folder, more, code, message):
    run = sstag(folder, "--count", "2", *more)
    assert (run.returncode, message in run.stderr) == (code, True), run.stderr
    assert "Traceback" not in run.stderr
