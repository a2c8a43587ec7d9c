"""`hmm`: the textbook's, written down with dictionaries and every path of labels."""

from dataclasses import replace
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.model.model_file import load, save
from sstag.training.inputs import Inputs
from sstag.training.methods.completion import completed
from tests.datasets import corpus
from tests.textbook_hmm import TINY, Textbook
from tests.training import accuracy, made_ads, trained, weights_by_name

WORDS = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
PARTLY = [[("a", "X"), ("b", "?"), ("c", "Y")], [("b", "Z"), ("a", "X|Y"), ("a", "X"), ("f", "Y")], [("f", "!X")]]


def asked(model, sentences):
    """log Z and the best labels of sentences of words."""
    data = model.dataset(corpus([[(word,) for word in words] for words in sentences]))
    log_z = np.concatenate(model.asked(data, one_by_one, lambda _, lattice: lattice.log_z))
    tags = iter(model.tagged(data, one_by_one).tolist())
    return log_z, [[model.labels[next(tags)] for _ in words] for words in sentences]


@settings(max_examples=60)
@given(
    sentences=st.lists(st.lists(st.sampled_from("abcdeUV"), min_size=1, max_size=4), min_size=1, max_size=5),
    data=st.sampled_from([TINY, PARTLY]),
)
def test_it_is_the_textbooks(sentences, data):
    textbook, model = Textbook(data), trained(Inputs(WORDS, corpus(data)), method="hmm")
    log_z, tags = asked(model, sentences)
    for words, ours, path in zip(sentences, log_z, tags, strict=True):
        assert ours == pytest.approx(log(textbook.probability(words)), abs=1e-10)
        best, _ = textbook.viterbi(words)
        assert textbook.joint(words, path) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("data", [TINY, PARTLY])
@pytest.mark.parametrize("smoothing", [0.01, 0.1, 2.0])
def test_probabilities_sum_to_one(data, smoothing):
    """Over all sentences of a length, one unknown word among the words; and lengths are as the steps make them."""
    model = trained(Inputs(WORDS, corpus(data)), method="hmm", smoothing=smoothing)
    words = [*sorted({word for sentence in data for word, _ in sentence}), "unknown"]
    weights = weights_by_name(model)
    begin, end = (np.exp([weights[edge, y] for y in model.labels]) for edge in ("begin", "end"))
    steps = np.exp([[weights["step", a, b] for b in model.labels] for a in model.labels])
    assert begin.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(steps.sum(axis=1) + end, 1, rtol=1e-12)
    for length in (1, 2, 3):
        log_z, _ = asked(model, list(product(words, repeat=length)))
        assert np.exp(log_z).sum() == pytest.approx(begin @ np.linalg.matrix_power(steps, length - 1) @ end, abs=1e-12)


def test_undecided_words_share_the_probability_of_the_unknown_one():
    """One decided word and U = 2 words of undecided tokens: those, and one word that does not occur, have a third each.

    With X counted once for a, and a once more as unknown: p(unknown|X) = (1 + 1) / (1 + 1 + 1 · (1 + 1)) with δ = 1.
    """
    model = trained(Inputs(WORDS, corpus([[("a", "X"), ("b", "?"), ("c", "?")]])), method="hmm", smoothing=1.0)
    weights = weights_by_name(model)
    found = [exp(weights[f"word[0]={word}", "X"]) for word in "abc"] + [exp(weights["word[0] else unknown", "X"])]
    assert found == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])
    assert sum(found) == pytest.approx(1)


def test_a_word_that_occurs_once_says_what_unknown_ones_are():
    """Otherwise the rarest label would be the most likely one of an unknown word."""
    data = [[("the", "D"), (noun, "N"), ("of", "P")] for noun in ("cat", "dog", "cow", "hen")]
    model = trained(Inputs(WORDS, corpus([*data, [("the", "D"), ("yes", "R")]])), method="hmm")
    assert asked(model, [["the", "walrus", "of"]])[1] == [["D", "N", "P"]]
    weight = weights_by_name(model)
    assert weight["word[0] else unknown", "N"] > weight["word[0] else unknown", "D"]


def test_columns_are_independent_given_the_label():
    how = template(
        "columns: [word, pos, label]\n"
        "features: [word[-1..1], pos[0] | word[1], lower(word[0]), pos[0], 'suffix(word[0], 2)', shape(word[0])]\n"
        "edges: [labels, pos[0]]\n",
        "made.yaml",
    )
    data = [[("a", "x", "X"), ("B", "y", "Y")], [("b", "x", "Y"), ("a", "y", "X"), ("a", "y", "X")]]
    model = trained(Inputs(how, corpus(data, ("word", "pos", "label"))), method="hmm")
    assert model.about["emits"] == ["word[0]", "pos[0]"]
    assert model.template.columns_read == ("word", "pos")
    words, tags = ("a", "B", "b", "unknown"), ("x", "y", "unknown")
    pairs = [((word, pos),) for word, pos in product(words, tags)]
    found = model.asked(model.dataset(corpus(pairs, ("word", "pos"))), one_by_one, lambda _, lattice: lattice.log_z)
    weights = weights_by_name(model)
    whole = sum(exp(weights["begin", y] + weights["end", y]) for y in model.labels)
    assert np.exp(np.concatenate(found)).sum() == pytest.approx(whole, abs=1e-12)
    text = "columns: [word, pos, label]\nfeatures: [word[0] | pos[0], word[0], pos[0]]\n"
    joint = trained(Inputs(template(text, "made.yaml"), corpus(data, ("word", "pos", "label"))), method="hmm")
    assert joint.about["emits"] == ["word[0] | pos[0]"]


def test_rare_words_are_unknown_if_the_template_says_so():
    data = [[("a", "X"), ("a", "X"), ("b", "Y"), ("c", "Y")]]
    how = replace(WORDS, minimum_count=2)
    model = trained(Inputs(how, corpus(data)), method="hmm", smoothing=1.0)
    assert set(model.unary.texts()) == {"word[0]=a", "word[0] else unknown"}
    weights = weights_by_name(model)
    assert exp(weights["word[0] else unknown", "Y"]) == pytest.approx((2 + 1) / (2 + 2))
    assert exp(weights["word[0]=a", "X"]) == pytest.approx((2 + 1) / (2 + 2))


def test_it_keeps_what_it_says_of_unknown_words_in_its_file(tmp_path):
    model = trained(Inputs(WORDS, made_ads(10, 1)), method="hmm")
    save(model, str(tmp_path / "m"))
    back, test = load(str(tmp_path / "m")), made_ads(5, 2)
    assert back.template == model.template
    assert back.unary.texts() == model.unary.texts()
    ours, theirs = (one.asked(one.dataset(test), one_by_one, lambda _, x: x.log_z) for one in (back, model))
    assert (np.concatenate(ours) == np.concatenate(theirs)).all()


def test_it_is_judged_on_development_data():
    dev = made_ads(10, 5)
    model = trained(Inputs(WORDS, made_ads(10, 1), development=dev), method="hmm")
    assert model.about["development score"] == accuracy(model, dev)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("[word[-1], 'suffix(word[0], 2)', first(), word[0] | word[1]]", "needs a feature such as word\\[0\\]"),
        ("[word[-1]]", "needs a feature such as word\\[0\\]"),
    ],
)
def test_a_template_that_looks_at_no_token_itself(features, message):
    how = template(f"columns: [word, label]\nfeatures: {features}\n", "made.yaml")
    with pytest.raises(ConfigError, match=message):
        trained(Inputs(how, corpus(TINY)), method="hmm")


def test_what_it_cannot_learn_from():
    with pytest.raises(DataError, match=r"^t.txt: no label is decided"):
        trained(Inputs(WORDS, corpus([[("a", "X|Y")]], path="t.txt")), method="hmm")
    alike = template("U:%x[0,0]\nU:%x[0,1]\nB\n", "made.crfpp")
    with pytest.raises(ConfigError, match="two features make the same attributes"):
        trained(Inputs(alike, corpus([[("a", "x", "X")]], ("word", "pos", "label"))), method="hmm")
    with pytest.raises(ConfigError, match="'smoothing' must be a number from 1e-09 up, not 0"):
        completed("hmm", {"smoothing": 0})


def test_an_hmm_is_a_start_for_a_crf():
    hmm = trained(Inputs(WORDS, made_ads(10, 1)), method="hmm")
    crf = trained(Inputs(WORDS, made_ads(10, 1), init=hmm), max_iterations=0)
    ours, theirs = weights_by_name(crf), weights_by_name(hmm)
    assert all(ours[name] == theirs[name] for name in ours)
