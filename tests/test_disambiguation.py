"""Ways to decide labels: each against a few lines, and what all have in common."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import ConfigError, DataError, Interrupted
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import PLAIN
from sstag.model.batches import in_batches, selected
from sstag.model.compiled import compiled
from sstag.model.dataset import Dataset
from sstag.model.model import model
from sstag.model.weight_map import DataMap, Weights
from sstag.training.climb import likeliest, start_weights
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.disambiguation.preparations import disambiguated
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.methods import METHODS
from sstag.training.methods.completion import completed
from tests import oracle
from tests.corpora import ALLOWED
from tests.datasets import corpus
from tests.training import ads_template, made_ads, partly, trained

Sentence = list[tuple[str, str]]
every_way = pytest.mark.parametrize("name", AMBIGUOUS)
WRITTEN = [value for value in ALLOWED if value != "?" and not value.startswith("!")]
ALL = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "C")]  # a decided sentence, so that every label is there


def sentences(values=tuple(ALLOWED)) -> st.SearchStrategy[list[Sentence]]:
    token = st.tuples(st.sampled_from("abcd"), st.sampled_from(values))
    return st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=5).map(lambda some: [*some, ALL])


def decided(name: str, data: list[Sentence], seed: int = 1, **more) -> Corpus:
    """The sentences after their open labels were decided in one of the ways."""
    inputs = Inputs(ads_template(), corpus(data, path="t.txt"), **more)
    params = completed("crf", {"max_iterations": 3})
    return disambiguated(name, inputs, params, np.random.default_rng(seed), Run())


def rows(data: Corpus) -> list[Sentence]:
    return [list(zip(data.words("word", s), data.words("label", s), strict=True)) for s in range(data.sentences)]


def is_decided(sentence: Sentence) -> bool:
    return all(len(ALLOWED[value]) == 1 for _, value in sentence)


@every_way
@settings(max_examples=30, deadline=None)
@given(data=sentences())
def test_every_label_is_decided_and_nothing_else_has_changed(name, data):
    if name == "first":
        data = [[token for token in one if token[1] in WRITTEN] or [("a", "A|B")] for one in data]
    made = decided(name, data)
    left = [one for one in data if is_decided(one)] if name == "discard" else data
    assert [[word for word, _ in one] for one in rows(made)] == [[word for word, _ in one] for one in left]
    for ours, given_ones in zip(rows(made), left, strict=True):
        assert all(label in ALLOWED[value] for (_, label), (_, value) in zip(ours, given_ones, strict=True))
    for values, codes in zip(made.values, made.codes, strict=True):
        assert list(dict.fromkeys(codes.tolist())) == list(range(len(values)))  # used, in the order of their first use
    assert (made.path, made.columns) == ("t.txt", ("word", "label"))
    crf = trained(Inputs(ads_template(), made), max_iterations=1)  # which takes it
    assert set(crf.labels) == set("ABC")


@given(data=sentences(WRITTEN))
def test_first_is_the_first_as_written(data):
    wanted = [[(word, value.split("|")[0]) for word, value in one] for one in data]
    assert rows(decided("first", data)) == wanted


@given(data=sentences())
def test_frequent_is_the_allowed_label_with_most_decided_tokens(data):
    times = Counter(ALLOWED[value] for one in data for _, value in one if len(ALLOWED[value]) == 1)

    def most(value: str) -> str:
        order = value.split("|") if value in WRITTEN else list(ALLOWED[value])
        return min(order, key=lambda label: (-times[label], order.index(label)))

    assert rows(decided("frequent", data)) == [[(word, most(value)) for word, value in one] for one in data]


@given(data=sentences())
def test_discard_leaves_what_is_decided_as_if_the_rest_had_not_been_there(data):
    made = decided("discard", data)
    kept = [[(word, ALLOWED[value]) for word, value in one] for one in data if is_decided(one)]
    alone = corpus(kept)
    assert rows(made) == kept
    assert made.values == alone.values
    assert all((a == b).all() for a, b in zip(made.codes, alone.codes, strict=True))
    whole, starts = corpus(data), [0, *np.cumsum([len(one) for one in data])]
    lines = [whole.lines[a:b] for one, (a, b) in zip(data, pairwise(starts), strict=True) if is_decided(one)]
    assert made.lines.tolist() == np.concatenate(lines).tolist()


@pytest.mark.parametrize(("value", "allowed"), [("A|C", "AC"), ("?", "ABC"), ("!A", "BC"), ("!B|A", "C")])
def test_random_takes_each_allowed_label_equally_often(value, allowed):
    made = decided("random", [[("a", value)] * 6000, ALL])
    times = Counter(label for _, label in rows(made)[0])
    assert set(times) == set(allowed)
    expected = 6000 / len(allowed)
    assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in times.values())


def test_random_depends_on_the_seed_alone():
    data = [[("a", "?"), ("b", "A|B")] * 20, ALL]
    one, again, other = (decided("random", data, seed) for seed in (1, 1, 2))
    assert rows(one) == rows(again) != rows(other)


def test_argmax_is_the_best_of_the_allowed_paths():
    data = [
        *[[("a", "A"), ("b", "B"), ("c", "C")]] * 3,
        [("a", "?"), ("b", "A|C"), ("c", "!C")],
        [("b", "B"), ("a", "B|C"), ("d", "?"), ("a", "?")],
        [("d", "D|E"), ("c", "?")],  # labels of which the fully labelled sentences know nothing
        *[[("b", "C"), ("b", "?")]] * 9,  # whose C must not be learned from
    ]
    inputs = Inputs(ads_template(), corpus(data))
    params = completed("crf", {})
    made = disambiguated("argmax", inputs, params, np.random.default_rng(1), Run())

    compiled_data = compiled(inputs.template, inputs.labelled)
    whole = compiled_data.labelled
    assert isinstance(whole, Dataset)
    full = selected(whole, np.arange(len(data)) < 3)
    theta = likeliest(inputs, compiled_data, full, params, Run(), start_weights(inputs, compiled_data)).theta
    tagger = model(compiled_data, theta)
    free = tagger.dataset(corpus(data))
    letters = {"?": "ABCDE", "!C": "ABDE", "A|C": "AC", "B|C": "BC", "D|E": "DE"}
    changed = 0
    for s, sentence in enumerate(data):
        one = selected(free, np.arange(len(data)) == s)
        (path,) = _potentials(tagger, one)
        allowed = np.array([[label in letters.get(value, value) for label in tagger.labels] for _, value in sentence])
        best, unconstrained = (oracle.viterbi(oracle.sentences(path, mask)[0])[0].tolist() for mask in (allowed, None))
        assert made.words("label", s) == [tagger.labels[y] for y in best]
        changed += best != unconstrained
    assert changed >= 2  # the allowed labels did something


def _potentials(tagger, data):
    weights = Weights(DataMap(tagger.weight_map, data), tagger.theta)
    return [weights.potentials(batch) for batch in in_batches(data, len(tagger.labels))]


def test_argmax_is_a_better_guess_than_the_others():
    gold, data = made_ads(40, 1), partly(40, 1)
    inputs, right = Inputs(ads_template(), data), {}
    for name in ("random", "frequent", "argmax"):
        made = disambiguated(name, inputs, completed("crf", {}), np.random.default_rng(1), Run())
        pairs = [(made.words("label", s), gold.words("label", s)) for s in range(40)]
        right[name] = np.mean([a == b for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)])
    assert right["random"] < right["frequent"] < right["argmax"] - 0.05


def test_argmax_that_is_stopped_gives_no_labels():
    inputs, told = Inputs(ads_template(), partly(20, 1)), list[Progress]()
    run = Run(one_by_one, told.append, stop=lambda: len(told) >= 3)
    with pytest.raises(Interrupted):
        disambiguated("argmax", inputs, completed("crf", {}), np.random.default_rng(1), run)
    assert [(progress.iteration, progress.phase) for progress in told] == [(n, "argmax") for n in (1, 2, 3)]


@every_way
def test_what_is_decided_already_is_left_alone_and_trains_nothing(name):
    data = made_ads(3, 1)  # without parameters nothing could be trained
    made = disambiguated(name, Inputs(ads_template(), data), {}, np.random.default_rng(1), Run())
    assert made.values == data.values
    assert all((a == b).all() for a, b in zip(made.codes, data.codes, strict=True))


def test_an_exclusion_stays_the_label_it_means():
    """`!A|C` is B only as long as there are an A and a C: it must not become a label of its own without them."""
    data = [[("a", "!A|C"), ("b", "B")], [("a", "A"), ("b", "C"), ("c", "?")]]
    for name in AMBIGUOUS:
        assert rows(decided(name, [data[0], [("c", "A"), ("d", "C")]]))[0] == [("a", "B"), ("b", "B")]
    assert rows(decided("discard", data)) == [[("a", "B"), ("b", "B")]]


def test_labels_of_an_earlier_model_are_allowed():
    earlier = trained(Inputs(ads_template(), corpus([[("a", "X"), ("b", "Y")]])), max_iterations=1)
    data = [[("a", "?")] * 50, [("b", "A")]]
    assert {label for _, label in rows(decided("random", data, init=earlier))[0]} == {"A", "X", "Y"}
    assert {label for _, label in rows(decided("random", data))[0]} == {"A"}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("first", [[("a", "A")], [("b", "A|B"), ("c", "?")]], "t.txt:3: '?' names no label that it allows"),
        ("first", [[("a", "A"), ("b", "B"), ("c", "C"), ("d", "!A")]], "t.txt:4: '!A' names no label that it allows"),
        ("frequent", [[("a", "A|B"), ("b", "B|A")]], "t.txt: no label is decided"),
        ("discard", [[("a", "A"), ("b", "?")]], "t.txt: no sentence is fully labelled, and discard needs some"),
        ("argmax", [[("a", "A"), ("b", "A|B")]], "t.txt: no sentence is fully labelled, and argmax needs some (--amb"),
        (
            "first",
            [[("a", "A|B"), ("b", "?")]],
            "t.txt:2: '?' names no label that it allows, so none is first (--ambiguous random decides it)",
        ),
        ("argmax", [[("a", "A"), ("b", "?")]], "t.txt: no sentence is fully labelled, and argmax needs some"),
        ("random", [[("a", "?")]], "t.txt: no label is named"),
        ("argmax", [[("a", "?")]], "t.txt: no label is named"),
    ],
)
def test_what_cannot_be_decided_is_an_error(name, data, message):
    with pytest.raises(DataError, match=f"^{re.escape(message)}") as caught:
        decided(name, data)
    if "no label is named" in message:
        return
    (proposed,) = re.findall(r"\(--ambiguous (\S+)", str(caught.value))
    for other in proposed.split("|"):  # what the message says is true
        assert other != name
        assert decided(other, data).tokens


def test_a_bare_mark_or_no_marks_are_plain_labels_here_too():
    data = [[("a", "!"), ("b", "A|"), ("c", "!B"), ("d", "A")]]
    for name in AMBIGUOUS:
        assert rows(decided(name, data)) == data
        assert rows(decided(name, [[("a", "A|B"), ("b", "?")]], marks=PLAIN)) == [[("a", "A|B"), ("b", "?")]]


def test_a_way_that_there_is_not_and_a_corpus_without_labels_are_errors():
    with pytest.raises(ConfigError, match=r"no way 'rondom' to decide labels; did you mean 'random'\?"):
        decided("rondom", [ALL])
    inputs = Inputs(ads_template(), None)
    with pytest.raises(ConfigError, match="random needs labelled sentences"):
        disambiguated("random", inputs, {}, np.random.default_rng(1), Run())
    raw = replace(inputs, labelled=corpus([[("a",)]], path="t.txt"))
    with pytest.raises(DataError, match=r"^t.txt: no column 'label': random needs labels"):
        disambiguated("random", raw, {}, np.random.default_rng(1), Run())


def test_listing_ways_and_methods_imports_nothing_heavy():
    code = (
        "import sys, sstag.training.methods, sstag.training.disambiguation\n"
        "assert sstag.training.disambiguation.AMBIGUOUS and sstag.training.methods.METHODS\n"
        "print(*{'numpy', 'click', 'sstag.training.inputs'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
    assert all(entry.help for entry in AMBIGUOUS.values())
    assert any(entry.undecided for entry in METHODS.values())
