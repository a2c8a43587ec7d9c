"""The estimator: what scikit-learn asks for, CRFsuite's optimum on its dictionaries, and the tutorial's script."""

import pickle
from collections import Counter

import numpy as np
import pycrfsuite
import pytest
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

import sstag
from sstag.foundation.errors import ConfigError, DataError
from sstag.sklearn import SequenceTagger, chunk_f1, metrics, sentence_accuracy, token_accuracy
from tests.training import TWO_LOOKS, made_ads, raw

TEMPLATE = {"columns": ["word", "label"], "features": ["word[0]", "word[-1]"]}
X = [["Ann", "Lee", "sat"], ["Oslo", "sat"], ["Ann", "sat", "in", "Oslo"]] * 6
Y = [["B-A", "I-A", "O"], ["B-B", "O"], ["B-A", "O", "O", "B-B"]] * 6


def fitted(**more):
    return SequenceTagger(TEMPLATE, **more).fit(X, Y)


def test_it_inherits_base_estimator_alone_and_declares_lists():
    assert issubclass(SequenceTagger, BaseEstimator)
    assert not issubclass(SequenceTagger, ClassifierMixin)
    tags = get_tags(SequenceTagger())
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.required


def test_arguments_are_stored_as_they_are_given_cloned_and_shown():
    given = {"template": TEMPLATE, "method": "crf", "l2": 0.25, "random_state": 3, "minimum_count": 2}
    tagger = SequenceTagger(**given)
    assert {name: tagger.get_params()[name] for name in given} == given
    assert tagger.get_params()["l1"] is None
    assert tagger.template is TEMPLATE
    copy = clone(tagger)
    assert copy.get_params() == tagger.get_params()
    assert copy.set_params(l2=1).l2 == 1
    assert "l2=0.25" in repr(tagger)
    with pytest.raises(TypeError):
        SequenceTagger(nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        tagger.set_params(nonsense=1)


def test_what_is_learned_is_what_train_learns():
    tagger = fitted(l2=0.5, method="crf")
    model = sstag.train(TEMPLATE, X, Y, method="crf", l2=0.5)
    assert tagger.model_.theta.tolist() == model.theta.tolist()
    assert tagger.predict(X) == sstag.tag(model, X)
    assert tagger.classes_ == ["B-A", "B-B", "I-A", "O"]
    assert tagger.predict_single(X[0]) == Y[0]


def test_probabilities_and_the_best_labellings():
    tagger = fitted()
    for sentence, marginals, best in zip(X, tagger.predict_marginals(X), tagger.predict_nbest(X, 3), strict=True):
        assert len(marginals) == len(sentence)
        assert all(sum(one.values()) == pytest.approx(1) for one in marginals)
        assert len(best) == 3
        assert best[0][1] >= best[1][1] >= best[2][1]
    assert tagger.predict_marginals_single(X[0]) == tagger.predict_marginals(X[:1])[0]


def test_label_sets_weights_raw_text_and_development_data():
    partial = [["B-A|O", "?", "O"], ["!O", "O"], ["B-A", "O", "O", "B-B"]] * 6
    SequenceTagger(TEMPLATE).fit(X, partial).predict(X)
    twice = SequenceTagger(TEMPLATE, tolerance=1e-9).fit(X, Y, sample_weight=[2.0] * len(X))
    doubled = SequenceTagger(TEMPLATE, tolerance=1e-9).fit(X * 2, Y * 2)
    assert twice.model_.theta == pytest.approx(doubled.model_.theta, abs=1e-3)
    raw = [["Lee", "sat"], ["Ann", "in", "Oslo"]]
    entropy = SequenceTagger(TEMPLATE, method="entropy", gamma=0.1).fit(X, Y, X_unlabeled=raw, X_dev=X[:3], y_dev=Y[:3])
    assert entropy.score(X, Y) == 1
    with pytest.raises(ConfigError, match="learns nothing from raw text"):
        SequenceTagger(TEMPLATE).fit(X, Y, X_unlabeled=raw)


def test_tuples_are_columns():
    template = {"columns": ["word", "pos", "label"], "features": ["word[0] | pos[0]"]}
    sentences = [[(word, word[0]) for word in sentence] for sentence in X]
    assert SequenceTagger(template).fit(sentences, Y).score(sentences, Y) > 0.5


def test_pickles_are_the_bytes_of_the_model_file(tmp_path):
    tagger = fitted()
    sstag.save(tagger.model_, tmp_path / "model")
    assert tagger.__getstate__()["model file"] == (tmp_path / "model").read_bytes()
    again = pickle.loads(pickle.dumps(tagger))
    assert again.predict(X) == tagger.predict(X)
    assert again.classes_ == tagger.classes_
    assert pickle.dumps(again) == pickle.dumps(pickle.loads(pickle.dumps(again)))
    with pytest.raises(NotFittedError):
        pickle.loads(pickle.dumps(SequenceTagger(TEMPLATE))).predict(X)


def test_processes_pipelines_and_searches():
    tagger = fitted()
    parts = Parallel(n_jobs=2)(delayed(tagger.predict)(part) for part in (X[:9], X[9:]))
    assert parts[0] + parts[1] == tagger.predict(X)
    assert cross_val_score(SequenceTagger(TEMPLATE), X, Y, cv=3).tolist() == [1, 1, 1]
    assert cross_val_score(SequenceTagger(TEMPLATE), X, Y, cv=3, scoring=token_accuracy, n_jobs=2).tolist() == [1, 1, 1]
    lower = FunctionTransformer(lambda some: [[word.lower() for word in one] for one in some])
    pipeline = Pipeline([("lower", lower), ("tag", SequenceTagger(TEMPLATE))]).fit(X, Y)
    assert pipeline.predict([["ANN"]]) == [["B-A"]]
    search = GridSearchCV(pipeline, {"tag__l2": [1e4, 1.0], "tag__method": ["crf", "partial"]}, scoring=chunk_f1, cv=2)
    search.fit(X, Y)
    assert search.best_params_["tag__l2"] == 1.0
    assert sentence_accuracy(search.best_estimator_["tag"], [[w.lower() for w in one] for one in X], Y) == 1


def test_metadata_is_routed():
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        tagger = SequenceTagger(TEMPLATE).set_fit_request(sample_weight=True, X_unlabeled=False)
        pipeline = Pipeline([("same", FunctionTransformer(None)), ("tag", tagger)])
        pipeline.fit(X, Y, sample_weight=np.full(len(X), 0.001))
        weak = pipeline.predict_marginals(X[:1]) if hasattr(pipeline, "predict_marginals") else None
        assert weak is None
        light, full = pipeline["tag"].predict_marginals(X[:1])[0][0], fitted().predict_marginals(X[:1])[0][0]
        assert max(light.values()) < max(full.values())


# ---------------------------------------------------------------------- CRFsuite's dictionaries


def as_dicts(sentence):
    found = []
    for place, word in enumerate(sentence):
        token = {
            "bias": 1.0,
            "word": word.lower(),
            "title": word.istitle(),
            "length": len(word) / 4,
            "ends": {"2": word[-2:]},
        }
        found.append(token | ({"-1:word": sentence[place - 1]} if place else {"BOS": True}))
    return found


def test_on_dictionaries_the_optimum_is_crfsuites():
    data = [as_dicts(sentence) for sentence in X]
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(
        {"c1": 0, "c2": 0.5, "feature.possible_states": True, "feature.possible_transitions": True, "epsilon": 1e-9}
    )
    for sentence, labels in zip(data, Y, strict=True):
        trainer.append([dict(token) for token in sentence], labels)
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "m"))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(Path(folder) / "m"))
        ours = SequenceTagger(method="crf", l2=1.0, pairs="all", edge_pairs="all", tolerance=1e-10).fit(data, Y)
        test = as_dicts(["Kim", "sat", "in", "Lee"])
        theirs = tagger.tag(test)
        assert ours.predict([test])[0] == theirs
        for place, shares in enumerate(ours.predict_marginals([test])[0]):
            for label, share in shares.items():
                assert share == pytest.approx(tagger.marginal(label, place), abs=2e-3)
        tagger.close()


def test_keys_are_told_apart_and_unknown_ones_are_nothing():
    data = [as_dicts(sentence) for sentence in X]
    tagger = SequenceTagger(method="crf").fit(data, Y)
    weights = tagger.state_features_
    assert ("word=oslo", "B-B") in weights
    assert ("title", "O") in weights
    assert ("ends:2=lo", "B-B") in weights
    assert tagger.transition_features_["B-A", "I-A"] > 0
    odd = [{"word": "Ann", "never": 3.0, "title": "text"}, {}]
    assert len(tagger.predict([odd])[0]) == 2
    assert pickle.loads(pickle.dumps(tagger)).predict(data) == tagger.predict(data)


@pytest.mark.parametrize(
    ("how", "sentences", "message"),
    [
        ({"template": TEMPLATE}, [[{"a": "b"}]], "no template is needed"),
        ({}, [[{"a": None}]], "is no text and no number"),
        ({}, [[{"a": float("nan")}]], "is no finite number"),
        ({"template": TEMPLATE}, "text", "X is a list of sentences"),
        ({"template": TEMPLATE, "method": "nonsense"}, X, "there is no method 'nonsense'"),
        ({"template": TEMPLATE, "random_state": 0.5}, X, "random_state is a whole number"),
    ],
)
def test_what_cannot_be_is_said(how, sentences, message):
    labels = Y if sentences is X else [["O"]]
    with pytest.raises((ConfigError, DataError), match=message):
        SequenceTagger(**how).fit(sentences, labels)


def test_the_script_of_sklearn_crfsuites_tutorial_with_two_lines_changed():
    """The imports, and the line that makes the tagger; the rest is as its readers have written it."""
    import scipy.stats

    train_sents = [[(w, "NN", t) for w, t in zip(s, labels, strict=True)] for s, labels in zip(X, Y, strict=True)]

    def word2features(sent, i):
        word, postag = sent[i][0], sent[i][1]
        features = {"bias": 1.0, "word.lower()": word.lower(), "word[-3:]": word[-3:], "word.isupper()": word.isupper(),
                    "word.istitle()": word.istitle(), "postag": postag, "postag[:2]": postag[:2]}  # fmt: skip
        if i > 0:
            features.update({"-1:word.lower()": sent[i - 1][0].lower(), "-1:word.istitle()": sent[i - 1][0].istitle()})
        else:
            features["BOS"] = True
        if i == len(sent) - 1:
            features["EOS"] = True
        return features

    X_train = [[word2features(s, i) for i in range(len(s))] for s in train_sents]
    y_train = [[label for _, _, label in s] for s in train_sents]
    crf = SequenceTagger(method="crf", l1=0.1, l2=0.2, max_iterations=100, edge_pairs="all")
    crf.fit(X_train, y_train)
    labels = list(crf.classes_)
    labels.remove("O")
    y_pred = crf.predict(X_train)
    assert metrics.flat_f1_score(y_train, y_pred, average="weighted", labels=labels) == 1
    sorted_labels = sorted(labels, key=lambda name: (name[1:], name[0]))
    assert "B-A" in metrics.flat_classification_report(y_train, y_pred, labels=sorted_labels, digits=3)
    f1_scorer = make_scorer(metrics.flat_f1_score, average="weighted", labels=labels)
    space = {"l1": scipy.stats.expon(scale=0.5), "l2": scipy.stats.expon(scale=0.05)}
    rs = RandomizedSearchCV(crf, space, cv=3, n_jobs=2, n_iter=3, scoring=f1_scorer, random_state=1)
    rs.fit(X_train, y_train)
    assert rs.best_score_ > 0.9
    crf = rs.best_estimator_
    assert Counter(crf.transition_features_).most_common(20)
    assert Counter(crf.state_features_).most_common()[-10:]


def test_notices_of_a_training_are_warnings():
    with pytest.warns(UserWarning, match=r"sentence:2: I-B between the beginning and O is ill-formed in IOB2: labels"):
        SequenceTagger(TEMPLATE).fit([["Ann", "Lee"], ["Oslo", "sat"]], [["B-A", "I-A"], ["I-B", "O"]])


class Frame:
    """A table as pandas has them: who goes through it gets names of columns."""

    columns, shape = ["sentence", "word"], (2, 2)

    def __iter__(self):
        return iter(self.columns)


@pytest.mark.parametrize(
    ("sentences", "labels", "message"),
    [
        (Frame(), Y, r"X is a list of sentences, not a table: table.groupby\('sentence'\)"),
        (X, Frame(), "y is a list of labels for each sentence, not a table"),
        (X[:1], [float("nan")], "nan is no list of labels"),
        ([float("nan")], Y[:1], "nan is no list of tokens"),
        (X[:1], ["OOO"], "'OOO' is no list of labels"),
    ],
)
def test_a_table_and_rows_that_are_missing_are_said(sentences, labels, message):
    with pytest.raises((ConfigError, DataError), match=message):
        SequenceTagger(TEMPLATE).fit(sentences, labels)


def test_arrays_stand_where_lists_do():
    arrays = SequenceTagger(TEMPLATE).fit(map(np.array, X), map(np.array, Y))
    assert arrays.predict(map(np.array, X)) == fitted().predict(X)


@pytest.mark.parametrize("name", ["ner", "chunking"])
def test_a_template_that_comes_with_sstag_fits_words_and_labels(name: str) -> None:
    words, labels = [["Kim", "met", "Ann"], ["Bob", "left"]], [["B-P", "O", "B-P"], ["B-P", "O"]]
    tagger = SequenceTagger(template=name).fit(words, labels)
    assert tagger.predict(words) == labels


def test_what_is_predicted_depends_on_all_of_x_unless_a_context_says_otherwise(tmp_path):
    """As `sstag.tag` has it; the argument is one of scikit-learn's, and says nothing to a model of one look."""
    (tmp_path / "two.yaml").write_text(TWO_LOOKS)
    labelled, text, test = made_ads(20, 1), raw(60, 2), raw(12, 3)
    words, labels = ([labelled.words(column, s) for s in range(labelled.sentences)] for column in ("word", "label"))
    X_raw, X_test = ([of.words("word", s) for s in range(of.sentences)] for of in (text, test))
    found = {}
    for context in (None, "file", 5, "none"):
        tagger = SequenceTagger(str(tmp_path / "two.yaml"), "crf", context=context)
        assert clone(tagger).get_params()["context"] == context
        fitted = clone(tagger).fit(words, labels, X_unlabeled=X_raw)
        found[context] = fitted.predict(X_test)
        assert found[context] == sstag.tag(fitted.model_, X_test, context=context)
        marginals = [[max(token, key=token.get) for token in one] for one in fitted.predict_marginals(X_test)]
        best = [one[0][0] for one in fitted.predict_nbest(X_test, 1)]
        tagged = sstag.tag(fitted.model_, X_test, context=context, marginals=True, nbest=1)
        assert marginals == [[max(token, key=token.get) for token in one.marginals] for one in tagged]
        assert best == [one.best[0][0] for one in tagged]
    assert found[None] == found["file"] != found["none"]
    assert found[5] not in (found["file"], found["none"])
    with pytest.raises(ConfigError, match="no context"):
        fitted.set_params(context="some").predict(X_test)
    plain = SequenceTagger(str(tmp_path / "two.yaml"), "crf", context="file")
    with pytest.warns(UserWarning, match="left out"):
        plain.fit(words, labels)
    assert plain.predict(X_test) == sstag.tag(plain.model_, X_test)
