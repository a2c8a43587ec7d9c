"""Labels of least expected cost: by enumeration of all labellings, and from the command line and Python."""

from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import sstag as package
from sstag.foundation.errors import ConfigError, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.knowledge.label_costs import costs_in
from sstag.model.decisions import decision_costs
from sstag.model.legality import legality
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.model.questions import Question
from sstag.model.tagging import answered
from sstag.training.inputs import Inputs
from tests.datasets import unlabelled
from tests.training import ads_template, made_ads, trained


@pytest.fixture(scope="module")
def names() -> Model:
    """A tagger that has seen too little to be sure of anything."""
    text = [
        [("Kim", "B-P"), ("Lee", "I-P"), ("met", "O")],
        [("Lee", "B-P"), ("ran", "O")],
        [("Kim", "O"), ("Lee", "O")],
    ]
    words, labels = zip(*((tuple(w for w, _ in one), [y for _, y in one]) for one in text), strict=True)
    return package.train({"columns": ["word", "label"], "features": ["word[0]"]}, words, labels, l2=0.5)


def expected_cost(labels, costs, labellings, probabilities):
    """Σ_y p(y) Σ_t (c of y_t if it is missed)."""
    missed = np.array(
        [[costs[gold] * (gold != said) for gold, said in zip(y, labels, strict=True)] for y in labellings]
    )
    return float(probabilities @ missed.sum(axis=1))


@pytest.mark.parametrize("legal", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_no_labelling_costs_less(names, legal, seed):
    """The expected cost of every labelling, from the probability of every labelling."""
    rng = np.random.default_rng(seed)
    text = unlabelled([[["Kim", "Lee", "met", "ran"][i] for i in rng.integers(4, size=4)]])
    costs = rng.uniform(0.2, 5.0, len(names.labels))
    allowed = legality(names) if legal else None
    every = answered(names, text, Question(best=500, legality=allowed), one_by_one).best[0]
    labellings, probabilities = every
    np.testing.assert_allclose(probabilities.sum(), 1.0)
    found = answered(names, text, Question(confidence=True, legality=allowed, costs=costs), one_by_one)
    own = expected_cost(found.labels, costs, labellings, probabilities)
    those = labellings if legal else [*product(range(len(names.labels)), repeat=4)]
    assert any((found.labels == y).all() for y in those)
    assert own <= min(expected_cost(y, costs, labellings, probabilities) for y in those) + 1e-12
    same = [p for y, p in zip(labellings, probabilities, strict=True) if (y == found.labels).all()]
    np.testing.assert_allclose(found.confidence, same)


def test_equal_costs_give_the_most_probable_label_of_each_token(names):
    text = unlabelled([["Kim", "Lee", "Lee"], ["ran", "Kim"]])
    found = answered(names, text, Question(marginals=True, costs=np.full(3, 2.0)), one_by_one)
    assert (found.labels == found.marginals.argmax(axis=1)).all()


def test_a_dear_label_is_missed_less_often(names):
    dear, cheap = ([y for one in package.tag(names, [["Kim", "Lee"], ["Lee", "Kim", "met"]], costs=costs) for y in one]
                   for costs in ({"B-P": 50}, {"B-P": 0.01}))  # fmt: skip
    assert dear.count("B-P") == 5
    assert "B-P" not in cheap


def test_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tagger = trained(Inputs(ads_template(), made_ads(8, 1)))
    save(tagger, "a.model")
    (tmp_path / "raw.txt").write_text("call\nnow\n\nrent\n")
    (tmp_path / "costs.tsv").write_text("# what it costs to miss\nrent\t100\n")
    said = CliRunner().invoke(sstag, ["tag", "-m", "a.model", "raw.txt", "--costs", "costs.tsv"])
    assert said.exit_code == 0, said.output
    assert said.output == "call\trent\nnow\trent\n\nrent\trent\n".replace("\t", said.output[4])
    assert package.tag(tagger, [["call", "now"], ["rent"]], costs={"rent": 100}) == [["rent", "rent"], ["rent"]]
    (tmp_path / "costs.tsv").write_text("contact\t2\nrents\t100\n")
    said = CliRunner().invoke(sstag, ["tag", "-m", "a.model", "raw.txt", "--costs", "costs.tsv"])
    assert isinstance(said.exception, SstagError)
    assert str(said.exception) == "costs.tsv:2: the model has no label 'rents'; did you mean 'rent'?"
    said = CliRunner().invoke(sstag, ["tag", "-m", "a.model", "raw.txt", "--costs", "costs.tsv", "--nbest", "2"])
    assert said.exit_code == 2


def test_from_python_costs_are_a_mapping_or_the_path_of_a_list(names, tmp_path):
    path = tmp_path / "costs.tsv"
    path.write_text("B-P\t50\n")
    sentences = [["Kim", "Lee"], ["Lee", "Kim", "met"]]
    expected = package.tag(names, sentences, costs={"B-P": 50})
    assert expected != package.tag(names, sentences, costs={})
    assert package.tag(names, sentences, costs=path) == package.tag(names, sentences, costs=str(path)) == expected
    path.write_text("O\t1\n")
    assert package.tag(names, sentences, costs=path) == package.tag(names, sentences, costs={})


def test_a_list_of_costs_means_the_same_to_the_tagger_and_to_the_objective_margin(names, tmp_path):
    texts = {"short": "B-P\t5\n", "whole": "B-P\t5\nI-P\t1\nO\t1\n", "zeros": "B-P\t5\nI-P\t0\nO\t0\n"}
    sentences, labels = [["Kim", "Lee", "met"], ["Lee", "ran"], ["Kim"]], [["B-P", "I-P", "O"], ["B-P", "O"], ["O"]]
    models, tagged = {}, {}
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text)
        objectives = [{"margin": {"costs": str(path)}}]
        models[name] = package.train(names.template, sentences, labels, method="composed", objectives=objectives).theta
        tagged[name] = decision_costs(names, costs_in(str(path)).costs).tolist()
    assert tagged["short"] == tagged["whole"] != tagged["zeros"]
    assert np.array_equal(models["short"], models["whole"])
    assert not np.array_equal(models["short"], models["zeros"])


def test_errors_of_costs(names):
    for costs, message in (
        ({"B-P": -1}, "is not from 0 to 100"),
        ({"B-P": True}, "is not from"),
        ({"B": 1}, "no label"),
        ({None: 1}, "no label 'None'"),
        ({"B-P": float("nan")}, "is not from"),
        ({"B-P": "5"}, "is not from"),
    ):
        with pytest.raises(ConfigError, match=message):
            package.tag(names, [["Kim"]], costs=costs)
    for costs in (5, ["B-P"], b"costs.tsv", object()):
        with pytest.raises(ConfigError, match="costs are a mapping such as"):
            package.tag(names, [["Kim"]], costs=costs)
    with pytest.raises(SstagError, match=r"none\.tsv: no such file or directory"):
        package.tag(names, [["Kim"]], costs="none.tsv")
    with pytest.raises(ConfigError, match="choose one of the two"):
        package.tag(names, [["Kim"]], costs={}, nbest=2)
