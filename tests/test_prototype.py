"""`prototype`: p(x) over all words and labels written down, its gradient by differences, and what it finds."""

from dataclasses import replace
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest

from sstag.features.incidence import Incidence
from sstag.features.reading import template
from sstag.features.words.vector_files.own import WordVectors
from sstag.features.words.vector_files.own import save as save_vectors
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import Marks
from sstag.labels.span_list import read_spans
from sstag.model.dataset import Dataset
from sstag.model.model import model
from sstag.model.model_file import load, save
from sstag.training.answered import with_answers
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.parameters import Prototype
from sstag.training.methods.prototype import EXCLUDED, LogLikelihood, train
from sstag.training.outcome import Outcome
from tests.datasets import corpus
from tests.training import trained, weights_by_name

TEMPLATE = "columns: [word, label]\nfeatures: [word[0], 'suffix(word[0], 1)', \"matches(word[0], '^a')\"]\n"
SENTENCES = ["ab cb ad", "cb", "ab ee", "ab ab cb ad", "ad"]
LIST = "word[0]=ab\tX\nsuffix(word[0], 1)=d\tY:0.4 Z:0.4 X:0.2\n"
LABELS = ("X", "Y", "Z")
ALLOWED = {"ab": "X", "ad": "YZ"}


def raw(sentences=SENTENCES):
    return corpus([[(word,) for word in sentence.split()] for sentence in sentences], ("word",))


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "list.tsv").write_text(LIST)
    return str(tmp_path / "list.tsv")


def prepared(listed, how=TEMPLATE, labelled=None, sentences=SENTENCES, weights=None, l1=0.0, spans=None):
    """The criterion of a training, without training: the function of θ, and a model of any θ."""
    caught = {}

    def stopped(inputs, made, hill, params, run, start):
        caught.update(made=made, hill=hill, start=start)
        return Outcome(start, 0, True, "", None)

    text = raw(sentences)
    inputs = Inputs(
        template(how, "made.yaml"), labelled, replace(text, weights=weights) if weights is not None else text
    )
    if spans:
        inputs = with_answers(inputs, read_spans(spans), "prototype", Run())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sstag.training.methods.prototype.highest", stopped)
        train(inputs, Prototype(expectations=listed, l2=0.7, l1=l1), np.random.default_rng(1), Run(one_by_one))
    return caught["made"], caught["hill"]


class ByHand:
    """All words and labels of a length, one by one."""

    def __init__(self, made, theta, words=("ab", "cb", "ad", "ee"), allowed=ALLOWED):
        self.weights = weights_by_name(model(made, theta))
        self.words, self.allowed = (*words, None), allowed

    def attributes(self, word):
        if word is None:  # the one that is not known
            return ["word[0] else unknown", "suffix(word[0], 1) else unknown"]
        return [f"word[0]={word}", f"suffix(word[0], 1)={word[-1]}", *(["matches(word[0], '^a')"] * (word[0] == "a"))]

    def joint(self, words, labels):
        if any(y not in self.allowed.get(word, "XYZ") for word, y in zip(words, labels, strict=True)):
            return 0.0
        w = self.weights
        score = w["begin", labels[0]] + w["end", labels[-1]]
        score += sum(w["step", a, b] for a, b in pairwise(labels))
        score += sum(w[name, y] for word, y in zip(words, labels, strict=True) for name in self.attributes(word))
        return exp(score)

    def given_words(self, words, only=None):
        """Σ_y; `only` are labels that a sentence says."""
        choices = [only[t] if only else LABELS for t in range(len(words))]
        return sum(self.joint(words, labels) for labels in product(*choices))

    def normaliser(self, length):
        return sum(self.given_words(words) for words in product(self.words, repeat=length))

    def log_p(self, words, only=None):
        return log(self.given_words(words, only)) - log(self.normaliser(len(words)))


def theta_for(made, hill, seed=0):
    size = len(hill.standing_for(np.zeros(model(made, np.zeros(0)).weight_map.size)))
    return np.random.default_rng(seed).normal(size=size)


def test_the_value_is_the_log_probability_of_the_text(listed):
    made, hill = prepared(listed)
    assert made.labels == LABELS
    theta = theta_for(made, hill)
    hand = ByHand(made, theta)
    expected = sum(hand.log_p(sentence.split()) for sentence in SENTENCES) - 0.35 * (theta**2).sum()
    assert hill.function(theta)[0] == pytest.approx(expected, rel=1e-10)


@pytest.fixture
def spans(tmp_path):
    (tmp_path / "spans.tsv").write_text("1\t2\t3\t!Y\n4\t3\t3\t!Z\n")
    return str(tmp_path / "spans.tsv")


THREE = [[("cb", "X"), ("cb", "Y"), ("cb", "Z")]]


def test_rejected_chunks_leave_the_labellings_without_them(listed, spans):
    made, hill = prepared(listed, labelled=corpus(THREE), spans=spans)
    theta = theta_for(made, hill)
    hand = ByHand(made, theta)
    expected = hand.log_p(["cb"] * 3, "XYZ") - 0.35 * (theta**2).sum()
    for sentence, without in zip(SENTENCES, ("XYY", "", "", "XXZY", ""), strict=True):
        words = sentence.split()
        left = hand.given_words(words) - (hand.joint(words, without) if without else 0.0)
        expected += log(left) - log(hand.normaliser(len(words)))
    assert hill.function(theta)[0] == pytest.approx(expected, rel=1e-10)


def test_prototypes_that_exclude_what_spans_say_are_an_error(listed, tmp_path):
    (tmp_path / "spans.tsv").write_text("1\t1\t1\tY\n1\t2\t3\t!Y\n")
    with pytest.raises(DataError, match=r"list.tsv: its prototypes exclude .* of labelled sentence 2"):
        prepared(listed, labelled=corpus(THREE), spans=str(tmp_path / "spans.tsv"))


def test_the_value_of_weights_has_all_of_the_prior_and_nothing_of_what_is_excluded(listed):
    _, hill = prepared(listed, l1=0.1)
    made, _ = prepared(listed)
    free = theta_for(made, hill)
    expected = hill.function(free)[0] - 0.1 * np.abs(free).sum()
    assert (hill.weights(free) < EXCLUDED / 2).any()
    assert hill.value(hill.weights(free)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_probabilities_of_all_texts_of_a_length_sum_to_one(listed, length):
    """The code's own, of all words and the unknown one; a text at a time."""
    made, hill = prepared(listed)
    theta, words = theta_for(made, hill), hill.function.words
    nothing = Incidence(np.zeros(length + 1, np.int64), np.zeros(0, np.int32), None)
    total = 0.0
    for text in product(range(len(words.allowed)), repeat=length):
        numbers = np.array(text, np.int32)
        offsets = np.array([0, length])
        tokens = Incidence(np.arange(length + 1), numbers, None)
        any_word = Incidence(np.arange(length + 1), np.full(length, len(words.allowed), np.int32), None)
        one = replace(
            words,
            text=Dataset(offsets, tokens, nothing, numbers, words.allowed),
            lengths=Dataset(offsets, any_word, nothing, None, words.allowed),
        )
        total += exp(LogLikelihood(made, one, 0.0, one_by_one)(theta)[0])
    assert total == pytest.approx(1, abs=1e-10)


def test_the_gradient_is_that_of_central_differences(listed):
    made, hill = prepared(listed)
    theta = theta_for(made, hill, 3)
    _, gradient = hill.function(theta)
    step = 1e-5
    found = [
        (hill.function(theta + step * one)[0] - hill.function(theta - step * one)[0]) / (2 * step)
        for one in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, found, atol=1e-7, rtol=1e-6)


def test_sentences_have_weights_and_labels(listed):
    """A labelled token has its label; where a prototype has another one, the prototype is right."""
    labelled = corpus([[("ab", "X"), ("cb", "Y|Z")], [("ab", "Y"), ("cb", "?")]], ("word", "label"))
    made, hill = prepared(listed, labelled=labelled, weights=np.array([1.0, 2.0, 0.5, 1.0, 3.0]))
    theta = theta_for(made, hill)
    hand = ByHand(made, theta)
    expected = hand.log_p(["ab", "cb"], ["X", "YZ"]) + hand.log_p(["ab", "cb"], ["X", LABELS])
    expected += sum(
        weight * hand.log_p(sentence.split())
        for weight, sentence in zip([1.0, 2.0, 0.5, 1.0, 3.0], SENTENCES, strict=True)
    )
    assert hill.function(theta)[0] == pytest.approx(expected - 0.35 * (theta**2).sum(), rel=1e-10)


def test_threads_and_chunks_change_nothing(listed, monkeypatch):
    made, hill = prepared(listed)
    theta = theta_for(made, hill)
    value, gradient = hill.function(theta)
    monkeypatch.setattr("sstag.model.batches.CELLS", 12)
    _, other = prepared(listed)
    assert other.function(theta)[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(other.function(theta)[1], gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("word[0]=ab\tX Y\nsuffix(word[0], 1)=b\tY Z\n", {"ab": "Y", "cb": "YZ", "ee": "XYZ"}),
        ("word[0]=ab\tX\nsuffix(word[0], 1)=b\tY\nword[0]=ee\tZ\n", {"ab": "XY", "cb": "Y", "ee": "Z"}),
    ],
)
def test_of_several_prototypes_of_a_word_labels_count_that_the_fewest_exclude(tmp_path, lines, left):
    """In training as in the model."""
    (tmp_path / "list").write_text(lines)
    made, hill = prepared(str(tmp_path / "list"))
    theta = theta_for(made, hill)
    hand = ByHand(made, theta, allowed=left)
    expected = sum(hand.log_p(sentence.split()) for sentence in SENTENCES) - 0.35 * (theta**2).sum()
    assert hill.function(theta)[0] == pytest.approx(expected, rel=1e-10)
    found = trained(
        Inputs(template(TEMPLATE, "made.yaml"), None, raw()), method="prototype", expectations=str(tmp_path / "list")
    )
    words = corpus([[(word,)] for word in left], ("word",))
    p = found.asked(found.dataset(words), one_by_one, lambda _, lattice: lattice.nodes.copy())[0]
    assert ["".join(np.array(found.labels)[row > 1e-9]) for row in p] == list(left.values())


def test_the_model_has_what_prototypes_exclude(listed, tmp_path):
    found = trained(Inputs(template(TEMPLATE, "made.yaml"), None, raw()), method="prototype", expectations=listed)
    weights = weights_by_name(found)
    assert {y for y in LABELS if weights["word[0]=ab", y] < EXCLUDED / 2} == {"Y", "Z"}
    assert {y for y in LABELS if weights["suffix(word[0], 1)=d", y] < EXCLUDED / 2} == {"X"}
    assert min(weight for key, weight in weights.items() if key[0] not in ("word[0]=ab", "suffix(word[0], 1)=d")) > -100
    text = corpus([[("ab",), ("cb",), ("xd",), ("new",)]], ("word",))
    tags = [found.labels[y] for y in found.tagged(found.dataset(text), one_by_one)]
    assert tags[0] == "X"
    assert tags[2] in "YZ"
    onward = trained(
        Inputs(template(TEMPLATE, "made.yaml"), None, raw(), init=found), method="prototype", expectations=listed
    )
    assert weights_by_name(onward)["word[0]=ab", "Y"] == EXCLUDED
    assert onward.about["iterations"] < found.about["iterations"]
    save(found, str(tmp_path / "m"))
    assert (load(str(tmp_path / "m")).theta == found.theta).all()


def test_words_that_stand_alike_get_the_label_of_their_prototype(tmp_path):
    """Determiners and nouns: one prototype each, and what stands where they stand goes with them."""
    rng = np.random.default_rng(2)
    nouns, determiners = ["cat", "dog", "bird", "fish", "cow"], ["the", "a", "every", "this"]
    sentences = []
    for _ in range(200):
        pairs = [
            [(str(rng.choice(determiners)), "D"), (str(rng.choice(nouns)), "N")] for _ in range(rng.integers(1, 4))
        ]
        sentences.append([token for pair in pairs for token in pair])
    (tmp_path / "list").write_text("word[0]=the\tD\nword[0]=cat\tN\n")
    how = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
    text = corpus([[(word,) for word, _ in sentence] for sentence in sentences], ("word",))
    found = trained(Inputs(how, None, text), method="prototype", expectations=str(tmp_path / "list"), l2=0.1)
    tags = [found.labels[y] for y in found.tagged(found.dataset(text), one_by_one)]
    assert tags == [label for sentence in sentences for _, label in sentence]
    assert found.about["types"] == 9


@pytest.mark.parametrize("labels", ["RRRPPP", "RPPPRR"])
def test_similar_words_go_with_their_prototype(tmp_path, labels):
    """Words that stand alone: nothing but their vectors tells which prototype they are like."""
    words = dict(zip(("rent", "price", "cost", "cat", "dog", "horse"), labels, strict=True))
    vectors = np.array([[1.0, 0.1 * i] if label == "R" else [0.1 * i, 1.0] for i, label in enumerate(labels)])
    save_vectors(WordVectors(tuple(words), vectors), str(tmp_path / "v"))
    (tmp_path / "list").write_text("word[0]=rent\tR\nword[0]=cat\tP\n")
    text = corpus([[(str(word),)] for word in np.random.default_rng(4).choice(list(words), 100)], ("word",))
    features = "[word[0], 'similar(word[0], list, v, 0.8)']"
    how = template(f"columns: [word, label]\nfeatures: {features}\n", str(tmp_path / "t.yaml"))
    found = trained(Inputs(how, None, text), method="prototype", expectations=str(tmp_path / "list"))
    tags = [found.labels[y] for y in found.tagged(found.dataset(text), one_by_one)]
    assert tags == [words[text.values[0][code]] for code in text.codes[0].tolist()]


@pytest.mark.parametrize(
    ("features", "lines", "message"),
    [
        ("[word[-1]]", LIST, r"prototype is a distribution over words: 'word\[-1\]' looks beyond the word itself"),
        ("[word[0], word[1]]", LIST, r"'word\[1\]' looks beyond the word itself"),
        ("[word[0], first()]", LIST, r"'first\(\)' looks beyond the word itself"),
        ("[word[0]]\nedges: [labels, word[0]]", LIST, r"'word\[0\]' looks beyond .* edges labels, begin and end"),
        ("[word[0]]", "word[-1]=ab\tX\n", r"list.tsv:1: 'word\[-1\]=ab' is no feature of a word alone"),
        ("[word[0]]", "word[0]=ab\tX\n*\tX:1\n", r"list.tsv:2: '\*' is no feature of a word alone"),
        (
            "[word[0]]",
            "\nlower(word[0])=ab\tX\n",
            r"list.tsv:2: 'lower\(word\[0\]\)=ab' is a prototype, and .* has no such attr",
        ),
        ("[word[0]]", "word[0]=ab\t?\n", "list.tsv:1: 'word.*' has no label yet"),
    ],
)
def test_what_it_cannot_learn_from_is_an_error(tmp_path, features, lines, message):
    (tmp_path / "list.tsv").write_text(lines)
    how = template(f"columns: [word, label]\nfeatures: {features}\n", "made.yaml")
    with pytest.raises((ConfigError, DataError), match=message):
        trained(Inputs(how, None, raw()), method="prototype", expectations=str(tmp_path / "list.tsv"))


def test_it_needs_a_list():
    with pytest.raises(ConfigError, match="prototype needs a list of words and their labels: expectations"):
        trained(Inputs(template(TEMPLATE, "made.yaml"), None, raw()), method="prototype", expectations="")


def test_what_is_odd_is_said(tmp_path):
    (tmp_path / "list").write_text("word[0]=ab\tX\nword[0]=none\tY\n")
    labelled = corpus([[("ab", "V"), ("cb", "V")]], ("word", "label"))
    told: list[str] = []
    trained(
        Inputs(template(TEMPLATE, "made.yaml"), labelled, raw()),
        Run(one_by_one, warn=told.append),
        "prototype",
        expectations=str(tmp_path / "list"),
        max_iterations=2,
    )
    assert [text.removeprefix(f"{tmp_path}/") for text in told] == [
        "list:2: 'word[0]=none' never occurs in made, made",
        "list:1: no labelled sentence has the label 'X' (known: V)",
        "list:2: no labelled sentence has the label 'Y' (known: V)",
        "the list wins where it and the labels differ, at 1 labelled token: a prototype has its label everywhere",
    ]


def test_the_climb_begins_where_chance_says(listed):
    inputs = Inputs(template(TEMPLATE, "made.yaml"), None, raw())
    one, other, again = (
        train(
            inputs, Prototype(expectations=listed, max_iterations=1), np.random.default_rng(seed), Run(one_by_one)
        ).theta
        for seed in (1, 2, 1)
    )
    assert one.tobytes() == again.tobytes() != other.tobytes()
    still = train(
        inputs, Prototype(expectations=listed, noise=0.0, max_iterations=5), np.random.default_rng(1), Run(one_by_one)
    )
    weights = weights_by_name(still)
    names = {key[0] for key in weights if len(key) == 2}
    free = [name for name in names if weights[name, "Z"] > EXCLUDED / 2]
    assert free
    assert all(weights[name, "Y"] == pytest.approx(weights[name, "Z"], abs=1e-12) for name in free)


def test_open_tokens_are_written_with_the_marks_there_are(listed):
    labelled = corpus([[("ab", "X"), ("cb", "Y"), ("ee", "*")]], ("word", "label"))
    marked, usual = (
        train(
            Inputs(template(TEMPLATE, "made.yaml"), text, raw(), marks=marks),
            Prototype(expectations=listed, max_iterations=2),
            np.random.default_rng(1),
            Run(),
        )
        for text, marks in (
            (labelled, Marks(unknown="*")),
            (corpus([[("ab", "X"), ("cb", "Y"), ("ee", "?")]], ("word", "label")), Marks()),
        )
    )
    assert marked.labels == usual.labels == LABELS
    assert marked.theta.tobytes() == usual.theta.tobytes()


def test_what_has_no_strengths_and_what_is_rare_is_told(tmp_path):
    (tmp_path / "list").write_text("word[0]=ab\tX\t5\nword[0]=ee\tY\n")
    told: list[str] = []
    inputs = Inputs(template(TEMPLATE, "made.yaml"), None, raw())
    few = Prototype(expectations=str(tmp_path / "list"), max_iterations=1)
    train(inputs, few, np.random.default_rng(1), Run(one_by_one, warn=told.append))
    assert told == [f"{tmp_path}/list: its strengths count nothing here, where every line is taken at its word"]
    rarely = Inputs(template(f"{TEMPLATE}minimum_count: 2\n", "made.yaml"), None, raw())
    with pytest.raises(DataError, match=r"list:2: 'word\[0\]=ee' is a prototype, and the template has it too seldom"):
        train(rarely, few, np.random.default_rng(1), Run())
