"""Generalized expectation and label regularisation: their limits, and what a training finds."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus, with_column
from sstag.features.incidence import Incidence
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError, NumericalError
from sstag.foundation.parallel import one_by_one, shards
from sstag.interfaces.cli.train import command
from sstag.knowledge.expectations import placed
from sstag.labels.marks import Marks
from sstag.model.batches import in_batches
from sstag.model.compiled import compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model
from sstag.model.model_file import load, save
from sstag.model.weight_map import weight_map
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run
from sstag.training.looks import Part
from sstag.training.methods.completion import completed
from sstag.training.objectives import DISTANCES
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.likelihood import Likelihood
from tests.compare import assert_close
from tests.datasets import corpus, no_attributes, random_dataset, random_potentials
from tests.definitions import active, evaluated, expectation
from tests.training import OF_WORDS, WORDS, accuracy, ads_template, made_ads, raw, trained

RAW = raw(60, 4)


def case(seed, labels=4, lengths=(5, 1, 3, 6)):
    rng = np.random.default_rng(seed)
    data = random_dataset(rng, labels, lengths, steps=2)
    (batch,) = in_batches(data, labels)
    return data, [batch], [random_potentials(rng, data, batch, scale=2.0)]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("seed", range(3))
def test_a_target_that_is_the_own_expectation_has_no_gradient(distance, seed):
    data, batches, potentials = case(seed)
    q = np.zeros((3, 4))
    p = np.repeat(data.weights, np.diff(data.offsets))[:, None] * Lattice(potentials[0]).nodes
    np.add.at(q, active(data).indices, np.repeat(p, np.diff(active(data).indptr), axis=0))
    share = np.divide(
        q, q.sum(axis=1, keepdims=True), out=np.full_like(q, 0.25), where=q.sum(axis=1, keepdims=True) > 0
    )
    made = replace(expectation(data, distance), targets=share)
    value, (d,) = evaluated(made, data, batches, potentials)
    assert abs(value) < 1e-12
    assert_close(d, 0.0 * d, tolerance=1e-13)
    moved, (other,) = evaluated(replace(made, targets=np.roll(share, 1, axis=1)), data, batches, potentials)
    assert moved < -1e-3
    assert np.abs(other.unary).max() > 1e-3


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(range(3)), st.sampled_from(DISTANCES))
def test_the_order_of_expectations_does_not_matter(seed, order, distance):
    data, batches, potentials = case(seed)
    made = expectation(data, distance)
    has = active(data)
    moved = replace(
        made,
        targets=made.targets[order],
        strengths=made.strengths[order],
        active=Incidence(has.indptr, np.argsort(order).astype(np.int32)[has.indices], None),
    )
    before, after = evaluated(made, data, batches, potentials), evaluated(moved, data, batches, potentials)
    assert_close(after[0], before[0])
    assert_close(after[1][0], before[1][0])


def test_a_strength_counts_an_expectation_so_often():
    data, batches, potentials = case(5)
    made, has = expectation(data), active(data)
    doubled = replace(made, strengths=2.0 * made.strengths)
    twice = replace(
        made,
        targets=np.tile(made.targets, (2, 1)),
        strengths=np.tile(made.strengths, 2),
        active=Incidence(2 * has.indptr, np.concatenate([np.r_[one, one + 3] for one in _rows(has)]), None),
    )
    one, two = evaluated(doubled, data, batches, potentials), evaluated(twice, data, batches, potentials)
    assert_close(one[0], two[0])
    assert_close(one[1][0], two[1][0])


def _rows(has: Incidence) -> list[np.ndarray]:
    return np.split(has.indices, has.indptr[1:-1])


@pytest.mark.parametrize("distance", DISTANCES)
def test_label_regularisation_of_single_tokens_is_its_closed_form(distance):
    """Sentences of one token: q is the sum of their softmaxes, and r the same for all."""
    rng = np.random.default_rng(1)
    unary, target = rng.normal(size=(7, 3)), np.array([[0.2, 0.5, 0.3]])
    data = Dataset(np.arange(8), no_attributes(7), no_attributes(7), None, np.zeros((0, 3), bool))
    (batch,) = in_batches(data, 3)
    pot = random_potentials(rng, replace(data, sets=np.zeros(7, np.int32), allowed=np.ones((1, 3), bool)), batch)
    pot = pot.with_values(unary, pot.edge)
    every = Incidence(np.arange(8), np.zeros(7, np.int32), None)
    made = Expectation(target, np.array([2.0]), every, ("*",), ("a", "b", "c"), distance)
    value, (d,) = evaluated(made, data, [batch], [pot])
    p = np.exp(unary) / np.exp(unary).sum(axis=1, keepdims=True)
    share = p.mean(axis=0)
    if distance == "kl":
        assert_close(value, -2.0 * (target[0] * np.log(target[0] / share)).sum())
        r = 2.0 * target[0] / (7 * share)
    else:
        assert_close(value, -2.0 * ((target[0] - share) ** 2).sum())
        r = 4.0 * (target[0] - share) / 7
    assert_close(d.unary, p * (r - (p * r).sum(axis=1, keepdims=True)))
    assert not d.edge.any()


def test_a_label_that_cannot_be_is_named():
    data, batches, (pot,) = case(3)
    unary = pot.unary.copy()
    unary[active(data).indptr[:-1] < active(data).indptr[1:], 2] = -np.inf
    made = expectation(data)
    with pytest.raises(NumericalError, match=r"^expectation 0 is to be 2, which has probability 0 wherever it occurs$"):
        evaluated(made, data, batches, [pot.with_values(unary, pot.edge)])
    value, _ = evaluated(replace(made, distance="squared"), data, batches, [pot.with_values(unary, pot.edge)])
    assert np.isfinite(value)
    never = replace(made, targets=np.where(np.arange(4) == 2, 0.0, 1 / 3) * np.ones((3, 1)))
    assert np.isfinite(evaluated(never, data, batches, [pot.with_values(unary, pot.edge)])[0])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads_gives_the_same_bytes(threads, monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 500)
    inputs = Inputs(ads_template(), made_ads(5, 1), RAW)
    with shards(threads) as over:
        model = trained(inputs, Run(over), "expectation", expectations=WORDS, max_iterations=5)
    assert (
        model.theta.tobytes()
        == trained(inputs, None, "expectation", expectations=WORDS, max_iterations=5).theta.tobytes()
    )


# ------------------------------------------------------------------ the methods


def from_words(labelled: Corpus | None, path: str, method: str = "expectation", text: Corpus = RAW, **more) -> Model:
    return trained(Inputs(ads_template(), labelled, text), None, method, expectations=path, **more)


def test_a_tagger_from_words_alone():
    model = from_words(None, WORDS)
    assert model.labels == ("contact", "features", "neighborhood", "rent", "restrictions", "size")
    assert accuracy(model, made_ads(30, 2)) > 0.36  # always the most frequent field would be 0.29
    assert model.about["start"] == "zero"
    said = model.about["expectation"]
    assert (said["features"], said["that never occur"], said["tokens"]) == (10, 0, RAW.tokens)
    assert len(model.about["parameters"]["expectations"]) == 64


@pytest.mark.parametrize("distance", DISTANCES)
def test_words_are_worth_more_than_few_sentences_alone(distance):
    few, test = made_ads(4, 1), made_ads(60, 2)
    both = from_words(few, WORDS, distance=distance, strength=30.0)
    assert both.about["start"] == "what is labelled"
    assert set(both.labels) == set(few.values[1]) | {"contact", "rent"}
    assert accuracy(both, test) > accuracy(trained(Inputs(ads_template(), few)), test) + 0.05


def test_the_raw_text_comes_to_the_shares_that_are_asked_for(tmp_path):
    (tmp_path / "f.tsv").write_text("word[0]=a\tX:0.8 Y:0.2\nword[0]=b\tY\t2\n", encoding="utf-8")
    how = template("columns: [word, label]\nfeatures: [word[0]]\nedges: []\n", "made.yaml")
    text = corpus([[(word,) for word in "ababb"], [("a",), ("c",)]], ("word",))
    model = trained(Inputs(how, None, text), None, "expectation", expectations=str(tmp_path / "f.tsv"), l2=1e-6)
    p = model.asked(model.dataset(text), one_by_one, lambda _, lattice: lattice.nodes.copy())[0]
    assert_close(p[[0, 2, 5]], [[0.8, 0.2]] * 3, tolerance=1e-3)
    assert_close(p[[1, 3, 4]], [[0.01, 0.99]] * 3, tolerance=1e-3)
    assert_close(p[6], [0.5, 0.5])


def test_words_count_less_beside_labelled_sentences_unless_it_is_said():
    few, both = made_ads(8, 1), [{"likelihood": {}}, {"expectation": {"expectations": WORDS}}]

    def strength(model):
        params = model.about["parameters"]
        return params["objectives"][1]["expectation"]["strength"] if "objectives" in params else params["strength"]

    alone, beside = from_words(None, WORDS), from_words(few, WORDS)
    composed = trained(Inputs(ads_template(), few, RAW), method="composed", objectives=both)
    assert (strength(alone), strength(beside), strength(composed)) == (100.0, 3.0, 3.0)
    for model, labelled, said in ((alone, None, 100), (beside, few, 3)):
        assert np.array_equal(model.theta, from_words(labelled, WORDS, strength=said).theta)


def test_no_strength_is_partial_with_all_that_raw_text_adds():
    none = from_words(made_ads(8, 1), WORDS, strength=0.0, tolerance=1e-9)
    every = ads_template("pairs: all\nvocabulary: all\n")
    alone = trained(Inputs(every, made_ads(8, 1), RAW), method="entropy", gamma=0.0, l2=1.0, tolerance=1e-9)
    assert none.theta.shape == alone.theta.shape
    assert none.about["objective"] == pytest.approx(alone.about["objective"], rel=1e-6)


def test_what_is_climbed_is_the_sum():
    model = from_words(made_ads(8, 1), WORDS, strength=20.0, l2=0.5)
    every = ads_template("pairs: all\nvocabulary: all\n")
    made = compiled(every, made_ads(8, 1), RAW)
    assert made.labels == model.labels
    list_ = placed(WORDS, every, RAW)
    own = Expectation(list_.distributions(made.labels), np.full(10, 20.0), list_.active, list_.names, made.labels)
    both = Criterion(
        weight_map(made),
        [Part(made.labelled, (Likelihood(),)), Part(made.unlabelled, (own,))],
        0.5,
        one_by_one,
    )
    assert both(model.theta)[0] == pytest.approx(model.about["objective"], rel=1e-12)


def test_the_template_may_say_which_weights_there_are():
    every, few = (
        from_words(made_ads(4, 1), WORDS),
        trained(
            Inputs(ads_template("pairs: observed\nvocabulary: labelled\n"), made_ads(4, 1), RAW),
            None,
            "expectation",
            expectations=WORDS,
        ),
    )
    assert few.unary.size < every.unary.size
    assert few.weight_map.size < every.weight_map.size


def test_label_regularisation_keeps_the_shares_of_the_labelled_tokens():
    few = made_ads(6, 1)
    shares = np.bincount(few.codes[1]) / few.tokens
    expected = dict(zip(few.values[1], shares, strict=True))
    inputs = Inputs(ads_template(), few, RAW)
    model = trained(inputs, method="label-regularization", errors=0.0)
    alone = trained(inputs, method="entropy", gamma=0.0)
    target = [expected[label] for label in model.labels]

    def found(tagger):
        return sum(tagger.asked(tagger.dataset(RAW), one_by_one, lambda _, one: one.nodes.sum(axis=0))) / RAW.tokens

    assert np.abs(found(model) - target).max() < 0.01 < np.abs(found(alone) - target).max()
    assert "label-regularization" not in model.about


def test_label_regularisation_can_be_given_the_shares(tmp_path):
    (tmp_path / "f.tsv").write_text("*\tX:0.3 Y:0.7\n", encoding="utf-8")
    how = template("columns: [word, label]\nfeatures: ['first()']\nedges: []\n", "made.yaml")
    text = corpus([[("a",)]] * 10, ("word",))
    inputs = Inputs(how, None, text)
    model = trained(inputs, None, "label-regularization", expectations=str(tmp_path / "f.tsv"), l2=1e-9)
    p = model.asked(model.dataset(text), one_by_one, lambda _, lattice: lattice.nodes.copy())[0]
    assert_close(p, [[0.3, 0.7]] * 10, tolerance=1e-4)
    half = trained(inputs, None, "label-regularization", expectations=str(tmp_path / "f.tsv"), strength=0.5, l2=0.0)
    assert half.about["objective"] == pytest.approx(0.0, abs=1e-6)


def test_a_list_of_objectives_adds_entropy_and_undecided_labels():
    partly = corpus([[(word, "?" if t % 3 == 0 else label) for t, (word, label) in enumerate(ad)] for ad in _ads(6)])
    listing = [
        {"likelihood": {}},
        {"expectation": {"strength": 20.0}},
        {"entropy": {"gamma": 0.01}},
        {"label-regularization": {"expectations": "", "strength": 0.1}},
    ]
    inputs = Inputs(ads_template(), partly, RAW)
    with pytest.raises(
        DataError, match=r"words.tsv:1: 'lower\(word\[0\]\)=rent': label regularisation is of all tokens"
    ):
        trained(inputs, None, "composed", objectives=listing, expectations=WORDS)
    listing[1]["expectation"]["expectations"] = WORDS
    model = trained(inputs, None, "composed", objectives=listing)
    told = model.about["parameters"]["objectives"]
    assert [next(iter(one)) for one in told] == ["likelihood", "expectation", "entropy", "label-regularization"]
    assert len(told[1]["expectation"]["expectations"]) == 64
    assert told[3]["label-regularization"]["expectations"] == ""
    assert accuracy(model, made_ads(30, 2)) > 0.5


def _ads(count):
    made = made_ads(count, 1)
    return [list(zip(made.words("word", s), made.words("label", s), strict=True)) for s in range(made.sentences)]


def test_expectations_come_from_the_list_of_a_composed_run():
    listing = [{"likelihood": {}}, {"expectation": {"strength": 20.0}}]
    inputs = Inputs(ads_template(), made_ads(4, 1), RAW)
    long = trained(inputs, None, "composed", objectives=listing, expectations=WORDS, max_iterations=4)
    short = trained(inputs, None, "expectation", expectations=WORDS, strength=20.0, max_iterations=4)
    assert long.theta.tobytes() == short.theta.tobytes()
    assert long.about["parameters"]["expectations"] == ""


def test_its_models_are_like_any_other(tmp_path):
    model = from_words(None, WORDS)
    save(model, str(tmp_path / "m"))
    again = load(str(tmp_path / "m"))
    assert again.theta.tobytes() == model.theta.tobytes()
    assert again.about == model.about
    onward = trained(Inputs(ads_template(), made_ads(4, 1), RAW, init=again), None, "expectation", expectations=WORDS)
    assert onward.about["start"] == "earlier model"
    assert onward.labels[: len(again.labels)] == again.labels


def test_what_is_missing_is_told():
    few = made_ads(3, 1)
    with pytest.raises(
        ConfigError,
        match=r"^expectation needs a list of .*: expectations \(--expectations FILE\)$",
    ):
        trained(Inputs(ads_template(), few, RAW), method="expectation", expectations="")
    with pytest.raises(ConfigError, match=r"^expectation needs raw text: unlabeled \(--unlabeled FILE\)$"):
        trained(Inputs(ads_template(), few), None, "expectation", expectations=WORDS)
    with pytest.raises(ConfigError, match=r"^label-regularization needs "):
        trained(Inputs(ads_template(), None, RAW), None, "label-regularization")
    with pytest.raises(ConfigError, match="needs labelled sentences"):
        trained(Inputs(ads_template(), None, RAW), None, "entropy")


def test_what_is_odd_is_told(tmp_path):
    (tmp_path / "f.tsv").write_text("word[0]=xyzzy\trent\nlower(word[0])=call\tcontakt\n", encoding="utf-8")
    warned: list[str] = []
    run = Run(one_by_one, warn=warned.append)
    inputs = Inputs(ads_template(), made_ads(8, 1), RAW)
    model = trained(inputs, run, "expectation", expectations=str(tmp_path / "f.tsv"), max_iterations=2)
    assert [text.removeprefix(str(tmp_path)) for text in warned] == [
        "/f.tsv:1: 'word[0]=xyzzy' never occurs in raw",
        "/f.tsv:2: no labelled sentence has the label 'contakt'; did you mean 'contact'?",
    ]
    assert "contakt" in model.labels
    assert [model.about["expectation"][key] for key in ("features", "that never occur")] == [2, 1]


def test_a_label_that_one_line_has_may_be_mistyped(tmp_path):
    lines = "word[0]=rent\tcontact\nword[0]=call\tcontakt\nlower(word[0])=Call\tcontact\nword[0]=the\tsize\n"
    (tmp_path / "f.tsv").write_text(lines, encoding="utf-8")
    warned: list[str] = []
    trained(
        Inputs(ads_template(), None, RAW),
        Run(one_by_one, warn=warned.append),
        "expectation",
        expectations=str(tmp_path / "f.tsv"),
        max_iterations=2,
    )
    assert [text.removeprefix(str(tmp_path)) for text in warned] == [
        "/f.tsv:3: 'lower(word[0])=Call' never occurs in raw: lower(…) has no capitals",
        "/f.tsv:2: no other line has the label 'contakt'; did you mean 'contact'?",
    ]


def test_the_strengths_of_lines_count(tmp_path):
    lines = Path(WORDS).read_text(encoding="utf-8").splitlines(keepends=True)
    told = [f"{line.rstrip()}\t{2 + number % 2}\n" for number, line in enumerate(lines) if not line.startswith("#")]
    plain = [one.rsplit("\t", 1)[0] + "\n" for one in told]
    theta = []
    for name, text, strength in (
        ("even", "".join(f"{one.rstrip()}\t2\n" for one in plain), 10.0),
        ("plain", "".join(plain), 20.0),
        ("uneven", "".join(told), 10.0),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        theta.append(from_words(None, str(tmp_path / name), strength=strength, max_iterations=3).theta)
    assert theta[0].tobytes() == theta[1].tobytes()
    assert np.abs(theta[2] - theta[0]).max() > 1e-3


def test_given_shares_count_as_those_of_the_sentences_do(tmp_path):
    few = made_ads(6, 1)
    labels = [label for sentence in range(few.sentences) for label in few.words("label", sentence)]
    shares = " ".join(f"{label}:{labels.count(label) / len(labels)!r}" for label in sorted(set(labels)))
    (tmp_path / "all.tsv").write_text(f"*\t{shares}\n", encoding="utf-8")
    own, given_ = (
        trained(Inputs(ads_template(), few, RAW), None, "label-regularization", max_iterations=3, **more)
        for more in ({"smoothing": 0.0, "errors": 0.0}, {"expectations": str(tmp_path / "all.tsv")})
    )
    assert_close(given_.theta, own.theta, tolerance=1e-8)


@pytest.mark.parametrize("distance", DISTANCES)
def test_a_factor_is_one_of_the_value_and_of_its_gradient(distance):
    made = compiled(ads_template("pairs: all\nvocabulary: all\n"), made_ads(8, 1), RAW)
    list_ = placed(WORDS, made.template, RAW)
    own = Expectation(
        list_.distributions(made.labels), list_.strengths, list_.active, list_.names, made.labels, distance
    )
    theta = np.random.default_rng(1).normal(size=weight_map(made).size)
    one, half = (
        Criterion(weight_map(made), [Part(made.unlabelled, (own,), factor)], 0.0, one_by_one)(theta)
        for factor in (1.0, 0.5)
    )
    for index in (0, 1):
        assert_close(2 * half[index], one[index])
    assert np.abs(one[1]).max() > 1e-3


def test_labels_of_a_list_may_be_tags(tmp_path):
    (tmp_path / "f.tsv").write_text("word[0]=rent\tB-X\nword[0]=$\tI-X\nword[0]=the\tO\n", encoding="utf-8")
    model = trained(Inputs(ads_template(), None, RAW), None, "expectation", expectations=str(tmp_path / "f.tsv"))
    assert model.scheme == "iob2"
    observed = Inputs(ads_template("pairs: observed\n"), None, RAW)
    with pytest.raises(ConfigError, match=r"^pairs and edge_pairs: without labelled sentences none is observed"):
        trained(observed, None, "expectation", expectations=str(tmp_path / "f.tsv"))


@pytest.mark.parametrize("method", ["expectation", "prototype"])
def test_labels_with_marks_are_refused(tmp_path, method):
    (tmp_path / "f.tsv").write_text("lower(word[0])=rent\trent|size\n", encoding="utf-8")
    how = template(OF_WORDS, "made.yaml")
    inputs = Inputs(how, None, RAW)
    with pytest.raises(DataError, match=r"f.tsv: 'rent\|size' is not one label: it contains a mark"):
        trained(inputs, None, method, expectations=str(tmp_path / "f.tsv"))
    unmarked = replace(inputs, marks=Marks(either=None))
    model = trained(unmarked, None, method, expectations=str(tmp_path / "f.tsv"), max_iterations=1)
    assert model.labels == ("rent|size",)


def test_sentences_that_are_open_throughout_tell_no_shares():
    few = made_ads(3, 1)
    nothing = with_column(few, "label", ["?"], np.zeros(few.tokens, np.int32))
    with pytest.raises(ConfigError, match=r"^label-regularization needs the shares of the labels"):
        trained(Inputs(ads_template(), nothing, RAW), None, "label-regularization")


def test_an_impossible_target_is_told_by_its_likeliest_label():
    one = Expectation(
        np.array([[0.005, 0.99, 0.005]]),
        np.ones(1),
        Incidence(np.arange(2), np.zeros(1, np.int32), None),
        ("f.tsv:1: 'a'",),
        ("X", "Y", "Z"),
        "kl",
    )
    with pytest.raises(NumericalError, match=r"^f.tsv:1: 'a' is to be Y, which has probability 0 wherever it occurs$"):
        one.close(np.array([[0.0, 0.0, 1.0]]))


def test_one_label_is_told(tmp_path):
    (tmp_path / "f.tsv").write_text("word[0]=rent\trent\n", encoding="utf-8")
    warned: list[str] = []
    run = Run(one_by_one, warn=warned.append)
    trained(Inputs(ads_template(), None, RAW), run, "expectation", expectations=str(tmp_path / "f.tsv"))
    assert warned == ["there is one label, 'rent': every token will have it"]


def test_shares_of_all_tokens_alone_tell_nothing_apart(tmp_path):
    (tmp_path / "f.tsv").write_text("*\trent:0.3 size:0.7\n", encoding="utf-8")
    for labelled, expected in (
        (None, ["only the shares of all tokens are known", "the raw text drifts to one label"]),
        (made_ads(8, 1), []),
    ):
        warned: list[str] = []
        inputs, path = Inputs(ads_template(), labelled, RAW), str(tmp_path / "f.tsv")
        run = Run(one_by_one, warn=warned.append)
        trained(inputs, run, "label-regularization", expectations=path, max_iterations=200)
        assert [text.partition(":")[0] for text in warned] == expected


# ------------------------------------------------------------------ the command


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.yaml").write_text("columns: [word, field]\nfeatures: [word[-1..1]]\n", encoding="utf-8")
    (tmp_path / "f.tsv").write_text("word[0]=a\tX\nword[0]=b\tY:0.7 X:0.3\nword[0]=c\tZ\n", encoding="utf-8")
    (tmp_path / "all.tsv").write_text("*\tX:0.5 Y:0.4 Z:0.1\n", encoding="utf-8")
    (tmp_path / "raw.txt").write_text("a\nb\n\nb\na\nd\n", encoding="utf-8")
    (tmp_path / "train.txt").write_text("a X\nd Y\n", encoding="utf-8")
    return tmp_path


def run(files, *more):
    arguments = ["-t", str(files / "t.yaml"), "-m", str(files / "m"), "--threads", "1", *more]
    return CliRunner().invoke(command, [str(files / one) if (files / one).exists() else one for one in arguments])


def again(files, *more):
    """The model of a training, and that of the run its report tells of."""
    made = run(files, *more, "--report", str(files / "r.json"))
    assert made.exit_code == 0, made.output
    before = (files / "m").read_bytes()
    (files / "again.yaml").write_text(json.dumps(json.loads((files / "r.json").read_bytes())["run"]), encoding="utf-8")
    assert CliRunner().invoke(command, ["--config", str(files / "again.yaml")]).exit_code == 0
    assert (files / "m").read_bytes() == before
    return made.output, load(str(files / "m"))


def test_the_command_learns_from_expectations_alone(files):
    said, model = again(files, "--unlabeled", "raw.txt", "--expectations", "f.tsv")
    assert model.about["method"] == "expectation"
    assert "f.tsv:3: 'word[0]=c' never occurs in" in said
    assert "\nexpectation: 3 features, 1 of which never occur, 2 to 2 occurrences each, at 4 of 5 tokens\n" in said
    assert model.labels == ("X", "Y", "Z")


def test_the_command_takes_shares_for_label_regularisation(files):
    more = ["--train", "train.txt", "--unlabeled", "raw.txt", "--method", "label-regularization"]
    _, model = again(files, *more, "--expectations", "all.tsv", "--set", "strength=2")
    assert model.about["parameters"]["strength"] == 2.0
    assert model.labels == ("X", "Y", "Z")
    assert again(files, *more)[1].labels == ("X", "Y")


def test_a_configuration_composes_them(files):
    (files / "deep").mkdir()
    (files / "deep/c.yaml").write_text(
        "train: ../train.txt\nunlabeled: ../raw.txt\nexpectations: ../f.tsv\nobjectives:\n  - likelihood: {}\n"
        "  - expectation: {strength: 5}\n  - label-regularization: {expectations: ../all.tsv, distance: squared}\n"
        "  - entropy: {gamma: 0.01}\n",
        encoding="utf-8",
    )
    said, model = again(files, "--config", str(files / "deep/c.yaml"), "--set", "expectation.strength=7")
    told = model.about["parameters"]["objectives"]
    assert told[1]["expectation"]["strength"] == 7.0
    assert told[2]["label-regularization"]["distance"] == "squared"
    assert all(re.fullmatch("[0-9a-f]{64}", next(iter(one.values()))["expectations"]) for one in told[1:3])
    assert "expectation: 3 features" in said
    assert "label-regularization: 1 feature, 5 to 5 occurrences each, at 5 of 5 tokens" in said


def test_several_lists_need_no_sentences_and_are_all_told(files):
    (files / "more.tsv").write_text("word[0]=d\tY\n", encoding="utf-8")
    (files / "c.yaml").write_text(
        "unlabeled: raw.txt\nobjectives:\n  - expectation: {expectations: f.tsv}\n"
        "  - expectation: {expectations: more.tsv}\n",
        encoding="utf-8",
    )
    said, model = again(files, "--config", "c.yaml")
    assert "\nexpectation: 3 features, 1 of which never occur" in said
    assert "\nexpectation 2: 1 feature, 1 to 1 occurrence each, at 1 of 5 tokens\n" in said
    assert [model.about[name]["features"] for name in ("expectation", "expectation 2")] == [3, 1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--unlabeled", "raw.txt", "--method", "expectation"], "expectation needs a list of"),
        (["--train", "train.txt", "--expectations", "f.tsv"], "expectation needs raw text: unlabeled"),
        (["--unlabeled", "raw.txt"], "which train? say --train"),
        (["--train", "train.txt", "--unlabeled", "raw.txt", "--method", "expectation"], "expectation needs a list of"),
        (
            ["--unlabeled", "raw.txt", "--expectations", "f.tsv", "--method", "crf"],
            "crf takes no expectations: they are for exp",
        ),
        (
            [
                "--train",
                "train.txt",
                "--unlabeled",
                "raw.txt",
                "--expectations",
                "f.tsv",
                "--method",
                "constraint-driven",
            ],
            "constraint-driven takes no expectations: it takes rules (--rules FILE)",
        ),
        (
            ["--train", "train.txt", "--rules", "f.tsv", "--method", "crf"],
            "a list of features and their labels is for --expectations",
        ),
        (
            ["--train", "train.txt", "--unlabeled", "raw.txt", "--rules", "f.tsv"],
            "a list of features and their labels is for --expectations",
        ),
        (["--unlabeled", "raw.txt", "--set", "expectations=f.tsv", "--train", "train.txt"], "say --expectations, or"),
        (["--unlabeled", "raw.txt", "--expectations", "f.tsv", "--set", "distance=far"], "'distance' is kl or squared"),
        (["--unlabeled", "-", "--expectations", "-"], "standard input (-) can be read only once"),
        (["--unlabeled", "raw.txt", "--expectations", "none.tsv"], "none.tsv: no such file"),
    ],
)
def test_the_command_says_what_it_lacks(files, more, message):
    made = run(files, *more)
    assert made.exit_code
    assert message in made.output + str(made.exception)
    assert not (files / "m").exists()


def test_the_usual_prior_is_that_of_expectations_wherever_they_are_learned_from():
    listing = [{"likelihood": {}}, {"expectation": {"strength": 20.0}}]
    assert completed("composed", {"objectives": listing}).l2 == completed("expectation", {}).l2 == 1.0
    assert completed("composed", {"objectives": listing, "l2": 0.5}).l2 == 0.5
    assert completed("composed", {"objectives": listing[:1]}).l2 == completed("entropy", {}).l2 == 0.1
