"""Training from the API: every method learns, repeats itself to the byte, and can be watched and stopped."""

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest

from sstag.corpus.corpus import Corpus
from sstag.evaluation.gold import f_score
from sstag.evaluation.scoring import evaluated
from sstag.experiments.samples.ads import ads
from sstag.features.reading import template
from sstag.features.term_values import View
from sstag.foundation.errors import ConfigError, DataError, Interrupted
from sstag.foundation.parallel import one_by_one, shards
from sstag.labels.schemes.tagset import tagset
from sstag.model.compiled import compiled
from sstag.model.model import Model, carried_over
from sstag.model.model_file import load, save
from sstag.model.weight_map import weight_map
from sstag.training import inputs as inputs_module
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.parameter_specs import settled, specs, told
from sstag.training.run import trained as run_trained
from tests.compare import assert_close
from tests.datasets import corpus
from tests.training import accuracy, ads_template, made_ads, needed, raw, task, toy, trained, weights_by_name

every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def small() -> Model:
    return trained(toy("crf", 20))


@pytest.fixture(scope="module")
def learned(small) -> Callable[[str], Model]:
    """A model of each method, learned from a small toy corpus."""
    models = {"crf": small}

    def of(method: str) -> Model:
        if method not in models:
            models[method] = trained(toy(method, 20), method=method)
        return models[method]

    return of


@every_method
def test_more_ads_make_a_better_tagger(method, learned):
    test = made_ads(60, 2)
    more = trained(toy(method, 100), method=method)
    assert 0.6 < accuracy(learned(method), test) < accuracy(more, test) - 0.05


@every_method
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same_weights(method, threads, learned):
    small = learned(method)
    with shards(threads) as over:
        again = trained(toy(method, 20), Run(over), method)
        assert again.theta.tobytes() == small.theta.tobytes()
        assert again.about == small.about
        test = made_ads(10, 3)
        assert (again.tagged(again.dataset(test), over) == small.tagged(small.dataset(test), one_by_one)).all()


@every_method
def test_neither_chunks_nor_threads_change_what_is_found(method, monkeypatch):
    """Chunks of a few sentences: what is known of a token goes with it, and sums are the same but for their order."""
    few = {name: 3 for name in ("max_iterations", "rounds") if name in specs(METHODS[method].parameters)}
    test = made_ads(10, 3)
    whole = trained(toy(method, 20), method=method, **few)
    monkeypatch.setattr("sstag.model.batches.CELLS", 1500)
    cut = trained(toy(method, 20), method=method, **few)
    assert_close(cut.theta, whole.theta, tolerance=1e-7)
    with shards(2) as over:
        again = trained(toy(method, 20), Run(over), method, **few)
        assert again.theta.tobytes() == cut.theta.tobytes()
        assert (cut.tagged(cut.dataset(test), over) == whole.tagged(whole.dataset(test), one_by_one)).all()
    monkeypatch.undo()
    assert (whole.tagged(whole.dataset(test), one_by_one) == cut.tagged(cut.dataset(test), one_by_one)).all()


@every_method
def test_a_model_comes_back_from_its_file(method, learned, tmp_path):
    model, test = learned(method), made_ads(10, 3)
    save(model, str(tmp_path / "model"))
    back = load(str(tmp_path / "model"))
    assert back.about == model.about
    assert (back.tagged(back.dataset(test), one_by_one) == model.tagged(model.dataset(test), one_by_one)).all()


@every_method
def test_a_method_says_what_it_is_and_what_it_did(method, learned):
    about = learned(method).about
    assert METHODS[method].help
    assert about["method"] == method
    assert about["reason"]
    files = {name: sha256(Path(path).read_bytes()).hexdigest() for name, path in needed(method).items()}
    assert about["parameters"] == told(settled(METHODS[method].parameters(), beside=True)) | files | (
        {"objectives": [{"likelihood": {"data": "labeled"}}]} if method == "composed" else {}
    )
    assert about["converged"]
    alone = method in (
        "expectation",
        "label-regularization",
        "expected-gradient",
        "prototype",
        "distill",
    )  # which may learn from raw text, and nothing else
    with pytest.raises(ConfigError, match=f"^{method} needs {'raw text' if alone else 'labelled sentences'}"):
        trained(Inputs(ads_template(), None), method=method)
    with pytest.raises(DataError, match=rf"^raw.txt: no column 'label': {method} needs labels \(columns: word\)$"):
        trained(Inputs(ads_template(), corpus([[("a",)]], path="raw.txt")), method=method)


@pytest.mark.parametrize("method", [name for name, entry in METHODS.items() if entry.counts])
def test_what_counts_starts_from_no_earlier_model(method, learned):
    with pytest.raises(ConfigError, match=f"{method} counts: it cannot start from an earlier model"):
        run_trained(task(Inputs(ads_template(), made_ads(2, 1), raw(2, 1), init=learned("hmm")), method), Run())


def test_l1_makes_weights_exactly_zero(small):
    sparse = trained(Inputs(ads_template(), made_ads(20, 1)), l1=0.5, l2=0.0)
    assert (sparse.theta == 0).mean() > 0.5
    assert (small.theta == 0).mean() < 0.05
    assert accuracy(sparse, made_ads(40, 2)) > 0.55


@pytest.mark.parametrize(
    ("setting", "sizes"),
    [
        ("edges: []", {"steps": 0, "begin": 0, "end": 0, "edge": 0}),
        ("edges: [labels]", {"begin": 0, "end": 0, "edge": 0}),
        ("edges: [labels, begin, end, shape(word[0])]", {"begin": 11, "end": 11}),
    ],
)
def test_the_template_says_which_weights_exist(setting, sizes):
    model = trained(Inputs(ads_template(setting), made_ads(5, 1)), max_iterations=3)
    assert {name: model.weight_map.sizes[name] for name in sizes} == sizes
    observed = trained(Inputs(ads_template(f"{setting}\nedge_pairs: observed"), made_ads(5, 1)), max_iterations=1)
    assert observed.weight_map.size <= model.weight_map.size
    all_pairs = trained(Inputs(ads_template(f"{setting}\npairs: all"), made_ads(5, 1)), max_iterations=1)
    assert all_pairs.weight_map.sizes["unary"] == 11 * model.unary.size
    rare = trained(Inputs(ads_template(f"{setting}\nminimum_count: 3"), made_ads(5, 1)), max_iterations=1)
    assert rare.unary.size < model.unary.size / 2


def test_progress_is_told_and_the_objective_only_rises():
    told: list[Progress] = []
    trained(Inputs(ads_template(), made_ads(10, 1)), Run(one_by_one, tell=told.append))
    assert [progress.iteration for progress in told] == list(range(1, len(told) + 1))
    assert all(a.objective <= b.objective for a, b in pairwise(told))
    assert told[-1].score is None


def test_development_data_choose_the_best_weights_and_stop_early():
    inputs = Inputs(ads_template(), made_ads(10, 1), development=made_ads(20, 5))
    told: list[Progress] = []
    model = trained(inputs, Run(one_by_one, tell=told.append), patience=3, l2=0.01)
    scores = [progress.score for progress in told]
    best = int(np.argmax(scores))
    assert model.about["best iteration"] == told[best].iteration
    assert len(told) == best + 4
    assert accuracy(model, made_ads(20, 5)) == max(scores) == model.about["development score"]
    assert trained(inputs, patience=0, l2=0.01).about["iterations"] > len(told)


def test_undecided_development_labels_do_not_count():
    tags = tagset(["B-X", "I-X", "O"], "iob2")
    gold = np.array([2, 2, -1, 2, -1, 0, 1, 2], np.int32)  # O O ? O ? B-X I-X O
    predicted = np.array([0, 2, 0, 2, 0, 0, 1, 2], np.int32)  # a chunk at 0 is wrong, at 2 and 4 unknown, 5 touches one
    assert f_score(tags, gold, predicted, np.array([0, 8])) == 0.0
    assert f_score(tags, gold, predicted, np.array([0, 5, 8])) == pytest.approx(2 / 3)  # 5 begins a sentence: it counts
    plain = tagset(["a", "b"], "plain")
    assert f_score(plain, np.array([0, 1, -1, -1]), np.array([0, 0, 0, 1]), np.array([0, 4])) == 0.5
    silent = corpus([[("a", "?"), ("b", "?")]], path="dev.txt")
    with pytest.raises(DataError, match=r"^dev.txt: no label is decided"):
        trained(Inputs(ads_template(), made_ads(5, 1), development=silent))


CHUNKS = corpus([[("a", "B-X"), ("b", "I-X"), ("c", "O")], [("c", "O"), ("a", "B-X"), ("d", "B-Y")]] * 3)


@pytest.mark.parametrize("strange", ["WEIRD", "S-X"])
def test_a_development_label_that_is_no_tag_is_outside_every_chunk(strange):
    dev = corpus([[("a", "B-X"), ("b", "I-X"), ("c", "O")], [("c", strange), ("a", "B-X"), ("d", "B-Y")]])
    model = trained(Inputs(ads_template(), CHUNKS, development=dev))
    assert model.scheme == "iob2"
    assert model.about["development score"] == 1.0
    plain = trained(Inputs(ads_template(), corpus([[("a", "title"), ("b", "size")]])))
    onward = trained(Inputs(ads_template(), CHUNKS, development=CHUNKS, init=plain))
    assert (onward.scheme, onward.about["development score"]) == ("iob2", 1.0)


@pytest.mark.parametrize(("data", "made"), [(made_ads(10, 1), made_ads(20, 5)), (CHUNKS, CHUNKS)])
def test_development_data_are_scored_as_eval_does(data, made):
    rng = np.random.default_rng(3)
    texts = sorted(set(made.words("label", 0)))[:2]
    values = ["?", "|".join(texts), "!" + texts[0], "WEIRD"]
    dev = corpus(
        [
            [
                (word, str(rng.choice(values)) if rng.random() < 0.4 else label)
                for word, label in zip(made.words("word", s), made.words("label", s), strict=True)
            ]
            for s in range(made.sentences)
        ]
    )
    told: list[Progress] = []
    model = trained(Inputs(ads_template(), data, development=dev), Run(one_by_one, tell=told.append), max_iterations=2)
    guess = [model.labels[y] for y in model.tagged(model.dataset(dev), one_by_one)]
    predicted = [guess[a:b] for a, b in pairwise(dev.offsets.tolist())]
    gold = [dev.words("label", s) for s in range(dev.sentences)]
    figures = evaluated(gold, predicted, model.scheme).figures
    assert model.about["development score"] == figures.get("f1", figures["accuracy"])
    assert 0 < model.about["development score"] < 1


def test_a_model_that_gets_nothing_right_has_learned_all_the_same():
    data = corpus([[("a", "B-X"), ("b", "I-X"), ("c", "O")]])
    inputs = Inputs(ads_template(), data, development=corpus([[("c", "B-Y"), ("a", "O")]], path="dev.txt"))
    model = trained(inputs, max_iterations=4)
    assert (model.about["development score"], model.about["best iteration"]) == (0.0, 4)
    assert model.theta.any()
    with pytest.raises(
        DataError, match=r"^dev.txt: none of its labels is one of the training data \('B-X', 'I-X', 'O'\)"
    ):
        trained(replace(inputs, development=corpus([[("c", "X"), ("a", "?")]], path="dev.txt")))


def test_without_patience_the_best_weights_are_kept_all_the_same():
    told: list[Progress] = []
    inputs = Inputs(ads_template(), made_ads(10, 1), development=made_ads(20, 5))
    model = trained(inputs, Run(one_by_one, tell=told.append), patience=0, l2=0.01)
    scores = [progress.score for progress in told]
    assert model.about["converged"]
    assert model.about["best iteration"] == 1 + int(np.argmax(scores)) < len(told) == model.about["iterations"]
    assert model.about["development score"] == max(scores) == accuracy(model, made_ads(20, 5))


@every_method
def test_stopped_before_the_first_iteration_there_is_no_model(method):
    with pytest.raises(Interrupted, match="before the first iteration"):
        trained(toy(method, 20), Run(one_by_one, stop=lambda: True), method)


def test_what_is_left_of_a_start_that_was_stopped():
    told: list[Progress] = []
    whole = trained(toy("partial", 20), Run(one_by_one, tell=told.append), "partial")
    of_start = whole.about["iterations of the start"]
    assert [progress.phase for progress in told] == ["start"] * of_start + [""] * whole.about["iterations"]
    for wanted in (3, of_start):
        told.clear()
        run = Run(one_by_one, told.append, lambda wanted=wanted: len(told) >= wanted)
        model = trained(toy("partial", 20), run, "partial")
        assert model.about["iterations"] == model.about["iterations of the start"] == wanted
        assert (model.about["reason"], model.about["converged"]) == ("stopped: as requested", False)
        assert model.about["objective"] == told[-1].objective
        assert model.theta.any()


def test_a_start_that_is_best_on_development_data_is_kept(small):
    dev = made_ads(20, 5)
    weak = Inputs(ads_template(), made_ads(1, 8), development=dev, init=small)
    model = trained(weak, l2=20.0, patience=2)
    assert model.about["best iteration"] == 0
    assert model.about["development score"] == accuracy(model, dev)
    assert model.about["reason"] == "stopped: no better score on the development data in 2 iterations"


def test_the_objective_told_is_that_of_the_weights_returned():
    data = made_ads(10, 1)
    inputs = Inputs(ads_template(), data, development=made_ads(10, 5))
    model = trained(inputs, patience=3, l2=0.01, l1=0.1)
    made = compiled(inputs.template, data)
    assert made.labelled is not None
    value = Criterion(weight_map(made), [Part(made.labelled, (Likelihood(),))], 0.01, one_by_one)(model.theta)[0]
    assert model.about["objective"] == pytest.approx(value - 0.1 * np.abs(model.theta).sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"l2": -1}, "'l2' must be a number from 0 up"),
        ({"l1": float("inf")}, "'l1' must be a number from 0 up"),
        ({"tolerance": "small"}, "'tolerance' must be a number, not 'small'"),
        ({"patience": 1.5}, "'patience' must be a whole number"),
        ({"max_iteration": 9}, "no parameter 'max_iteration'; did you mean 'max_iterations'?"),
    ],
)
def test_parameters_that_cannot_be_are_an_error(changes, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        trained(Inputs(ads_template(), made_ads(2, 1)), **changes)


def test_threads_are_at_least_one():
    with pytest.raises(ConfigError, match="at least one thread"), shards(0):
        pass


def test_labels_of_an_earlier_model_do_not_make_sets_of_plain_ones(small):
    data = corpus([[("a", "A"), ("b", "B"), ("c", "!A")]], path="t.txt")
    with pytest.raises(DataError, match=r"^t.txt:3: '!A' is not one label"):
        trained(Inputs(ads_template(), data, init=small))


def test_a_stopped_training_keeps_the_best_so_far():
    told: list[Progress] = []
    run = Run(one_by_one, tell=told.append, stop=lambda: len(told) >= 5)
    model = trained(Inputs(ads_template(), made_ads(10, 1)), run)
    assert model.about["iterations"] == 5
    assert model.about["objective"] == told[-1].objective
    assert not model.about["converged"]
    assert model.about["reason"] == "stopped: as requested"


def test_training_goes_on_from_an_earlier_model(small):
    inputs = Inputs(ads_template(), made_ads(20, 1), init=small)
    again = trained(inputs)
    assert again.about["iterations"] < small.about["iterations"] / 3
    assert 0 <= again.about["objective"] - small.about["objective"] < 0.01


def test_an_earlier_model_helps_with_other_data_features_and_labels(small):
    text = "columns: [word, label]\nfeatures: [word[0], word[-1..0], prefix(word[0], 1)]\nedges: [labels, begin]\n"
    with pytest.raises(Exception, match="twice"):
        template(text, "made.yaml")
    other = template(text.replace("word[0], word[-1..0]", "word[-1..0]"), "made.yaml")
    data = corpus([[("new", "garden"), ("st", "address"), (".", "address")], *ads(5, np.random.default_rng(9))])
    model = trained(Inputs(other, data, init=small), max_iterations=0)
    assert set(model.labels) == {*small.labels, "garden"}
    both = set(small.unary.texts()) & set(model.unary.texts())
    assert both
    weight = weights_by_name(small), weights_by_name(model)
    shared = weight[0].keys() & weight[1].keys()
    assert len(shared) > 50
    assert all(weight[1][pair] == weight[0][pair] for pair in shared)
    assert all(weight[1][pair] == 0 for pair in weight[1].keys() - shared)


def test_weights_carried_over_to_the_same_model_are_the_same(small):
    assert (carried_over(small, replace(small, theta=np.zeros_like(small.theta))) == small.theta).all()


def test_labels_that_are_not_decided_are_an_error_with_their_line():
    data = corpus([[("a", "X"), ("b", "X|Y"), ("c", "Y"), ("d", "?")]], path="t.txt")
    message = (
        "t.txt:2: 'X|Y' is not one label (2 such tokens; crf needs every label decided: "
        "--method partial|maxent|hmm, or --ambiguous random|first|frequent|discard|argmax; --no-marks, if it is one)"
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        trained(Inputs(ads_template(), data))
    with pytest.raises(DataError, match=r"^t.txt:1: '\?' is not one label \(1 such token;"):
        trained(Inputs(ads_template(), corpus([[("a", "?"), ("b", "X")]], path="t.txt")))


def test_f_score_counts_chunks_or_tokens():
    tags = tagset(["B-X", "I-X", "O"], "iob2")
    gold, predicted = np.array([0, 1, 2, 0, 0], np.int32), np.array([0, 1, 2, 0, 1], np.int32)
    assert f_score(tags, gold, predicted, np.array([0, 5])) == pytest.approx(2 * 1 / (3 + 2))
    assert f_score(tagset(["a", "b"], "plain"), gold % 2, predicted % 2, np.array([0, 5])) == 0.8


def test_the_optimum_is_that_of_crfsuite(tmp_path):
    """CRFsuite has our attributes, only label pairs that were seen, no begin and end, and a c2 of half our l2."""
    train_data, test_data = made_ads(40, 1), made_ads(20, 2)
    made_template = ads_template("edges: [labels]\nedge_pairs: observed\n")
    model = trained(Inputs(made_template, train_data), l2=0.5, tolerance=1e-9)

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.25, "max_iterations": 2000, "epsilon": 1e-7, "delta": 1e-9})
    for rows, labels in _strings(model, train_data):
        trainer.append(rows, labels)
    trainer.train(str(tmp_path / "model"))
    theirs = -trainer.logparser.last_iteration["loss"]

    made = compiled(made_template, train_data)
    assert made.labelled is not None
    likelihood = Criterion(weight_map(made), [Part(made.labelled, (Likelihood(),))], 0.5, one_by_one)
    assert_close(likelihood(model.theta)[0], theirs, tolerance=1e-4, magnitude=abs(theirs))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    tagged = [tag for rows, _ in _strings(model, test_data) for tag in tagger.tag(rows)]
    ours = [model.labels[y] for y in model.tagged(model.dataset(test_data), one_by_one)]
    assert np.mean([a == b for a, b in zip(ours, tagged, strict=True)]) > 0.995


def _strings(model: Model, data: Corpus):
    """Each sentence as lists of attributes, and its labels."""
    ids, texts = model.unary.ids(View(data, model.template)), model.unary.texts()
    for s in range(data.sentences):
        tokens = range(data.offsets[s], data.offsets[s + 1])
        yield [[texts[a] for a in ids[:, t].tolist() if a >= 0] for t in tokens], data.words("label", s)


@pytest.mark.parametrize("method", ["crf", "partial", "maxent", "hmm", "weighted"])
def test_the_label_column_is_read_once(method, monkeypatch):
    read: list[str] = []
    labelled_text = inputs_module.labelled_text

    def counting(corpus, *more):
        read.append(corpus.path)
        return labelled_text(corpus, *more)

    monkeypatch.setattr(inputs_module, "labelled_text", counting)
    run_trained(task(toy(method, 8), method, {} if method == "hmm" else {"max_iterations": 1}), Run())
    assert len(read) == 1
