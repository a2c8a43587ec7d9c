"""`expected-gradient`: raw text with the labels of its features, as `partial` learns from it."""

import re

import numpy as np
import pytest

from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.training.inputs import Inputs, Run
from tests.datasets import corpus
from tests.training import ads_template, made_ads, raw, trained, weights_by_name

TEXT = corpus([[("a",), ("b",), ("c",)], [("d",), ("a",), ("e",)]], ("word",), "raw.txt")
LIST = "word[0]=a\tX:0.7 Y:0.3\nword[0]=b\tY Z\nword[-1]=a\tX\nword[0]=d\tX:0.4 Z:0.4 Y:0.2\t3\n"
MARKED = [[("a", "X"), ("b", "X|Y|Z"), ("c", "?")], [("d", "X|Z"), ("a", "X"), ("e", "X")]]


def written(tmp_path, text) -> str:
    (tmp_path / "list.tsv").write_text(text, encoding="utf-8")
    return str(tmp_path / "list.tsv")


@pytest.mark.parametrize("labelled", [None, [[("a", "Y"), ("q", "Z")]]])
def test_it_is_partial_on_the_text_with_the_most_probable_labels(tmp_path, labelled):
    """Of each feature those with the largest share; of several features at a token any of theirs."""
    few = None if labelled is None else corpus(labelled)
    model = trained(Inputs(ads_template(), few, TEXT), method="expected-gradient", expectations=written(tmp_path, LIST))
    same = trained(Inputs(ads_template("pairs: all"), corpus([*(labelled or []), *MARKED])), method="partial")
    ours, theirs = weights_by_name(model), weights_by_name(same)
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert any(abs(weight) > 0.1 for weight in ours.values())
    assert model.about["start"] == ("zero" if labelled is None else "what is fully labelled")


def test_what_it_needs_and_what_it_cannot_use(tmp_path):
    how = ads_template()
    with pytest.raises(
        ConfigError, match=r"^expected-gradient needs a list of features and their labels: expectations"
    ):
        trained(Inputs(how, None, TEXT), method="expected-gradient", expectations="")
    with pytest.raises(ConfigError, match=r"^expected-gradient needs raw text"):
        trained(Inputs(how, made_ads(3, 1)), method="expected-gradient")
    for text, message in (
        (
            "word[0]=a\tX\n*\tX\n",
            "list.tsv:2: * is every token, and expected-gradient labels those with a feature",
        ),
        ("word[0]=a\tX|Y\n", "list.tsv:1: 'X|Y' is not one label"),
        ("word[0]=a\t?\n", "list.tsv:1: 'word[0]=a' has no label yet"),
        ("word[0]=a\tX:0.5\n", "list.tsv:1: the shares add up to 0.5, not to 1"),
    ):
        with pytest.raises(DataError, match=re.escape(message)):
            trained(Inputs(how, None, TEXT), method="expected-gradient", expectations=written(tmp_path, text))


def test_what_never_occurs_and_unknown_labels_are_told(tmp_path):
    told: list[str] = []
    path = written(tmp_path, "word[0]=a\tX\nword[0]=zz\tV\n")
    inputs = Inputs(ads_template(), corpus([[("a", "X"), ("q", "Z")]]), TEXT)
    trained(inputs, Run(one_by_one, warn=told.append), "expected-gradient", expectations=path)
    assert told == [
        f"{path}:2: 'word[0]=zz' never occurs in raw.txt",
        f"{path}:2: no labelled sentence has the label 'V' (known: X, Z)",
    ]


def test_no_more_than_the_words_say_is_learned_from_words():
    """The paper's finding in small: open tokens that are summed over are worth little beside their shares."""
    model = trained(Inputs(ads_template(), None, raw(60, 4)), method="expected-gradient")
    test = made_ads(40, 2)
    found = {model.labels[y] for y in np.unique(model.tagged(model.dataset(test), one_by_one))}
    assert found <= {"rent", "contact", "size", "restrictions", "features", "neighborhood"}
