"""Advice of the estimator: it is followed, and works."""

import pytest

from sstag.foundation.errors import ConfigError
from sstag.interfaces.sklearn import dicts
from sstag.sklearn import SequenceTagger

X = [["Ann", "met", "Bob"], ["Bob", "left"]] * 3
Y = [["B-A", "O", "B-A"], ["B-A", "O"]] * 3


def test_too_many_keys_become_tokens_and_a_template(monkeypatch):
    monkeypatch.setattr(dicts, "MOST_KEYS", 1)
    with pytest.raises(ConfigError, match=r"2 different keys \(at most 1\): give tokens and a template instead"):
        SequenceTagger().fit([[{"word": word, "first": word[0]} for word in one] for one in X], Y)
    template = {"columns": ["word", "label"], "features": ["word[0]", "prefix(word[0], 1)"]}
    assert SequenceTagger(template).fit(X, Y).predict(X) == Y
