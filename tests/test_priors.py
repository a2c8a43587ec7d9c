"""Priors of features: of each weight by hand, tied weights with them, and an optimum that no other weights beat."""

import numpy as np
import pytest

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.model.compiled import compiled
from sstag.model.weight_map import weight_map
from sstag.training.climb import likeliest
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run
from sstag.training.looks import Part
from sstag.training.methods.parameters import Training
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.priors import priors
from tests.compare import assert_close
from tests.dense import dense_template
from tests.training import made_ads, trained

LINES = """columns: [word, label]
features:
  - word[-1..1] prior 4
  - suffix(word[0], 2) else new prior 0.5
  - vector(word[0], made) prior 2
  - shape(word[0])
edges: [labels, begin, "word[0] prior 3"]
"""


def made(text=None):
    return compiled(dense_template(LINES), text or made_ads(15, 1))


def test_each_weight_has_the_prior_of_its_feature():
    one = made()
    of = weight_map(one)
    part = of.parts(priors(one))
    owner = np.repeat(np.arange(one.unary.size), np.diff(one.pairs.indptr))
    for attribute, prior in zip(owner.tolist(), part["unary"].tolist(), strict=True):
        name = one.unary.texts()[attribute]
        assert prior == (4 if name.startswith("word[") else 0.5 if name.startswith("suffix") else 1)
    assert set(part["dense"]) == {2.0}
    assert set(part["edge"]) == {3.0}
    assert set(part["steps"]) | set(part["begin"]) == {1.0}
    assert priors(compiled(template("columns: [word, label]\nfeatures: [word[0]]", "t"), made_ads(3, 1))) is None


def test_the_climb_ends_where_the_gradient_with_all_priors_is_zero():
    """Tied weights included, of which many are here: the criterion of all weights by itself has its top there."""
    one = made()
    own = priors(one)
    of = weight_map(one)
    params = Training(l2=0.7, tolerance=1e-13, max_iterations=5000)
    inputs = Inputs(one.template, made_ads(15, 1))
    found = likeliest(inputs, one, one.labelled, params, Run(), np.zeros(of.size))
    part = [Part(one.labelled, (Likelihood(),))]
    _, gradient = Criterion(of, part, 0.7, one_by_one, 1.0 / own)(found.theta)
    assert np.abs(gradient).max() < 1e-3
    _, plain = Criterion(of, part, 0.0, one_by_one)(found.theta)
    np.testing.assert_allclose(plain, 0.7 * own * found.theta, atol=1e-3)
    assert np.abs(plain).max() > 0.1


def test_a_prior_of_numbers_is_a_scale():
    """λ is the scale divided by √λ, if everything else is alike."""
    text = made_ads(15, 1)
    scores = []
    for more in (", 0.4) prior 4", ", 0.2)"):
        how = dense_template(f"columns: [word, label]\nfeatures: ['vector(word[0], made{more}']\n")
        model = trained(Inputs(how, text), tolerance=1e-13)
        of = model.weight_map
        (theta,) = of.dense_parts(of.parts(model.theta)["dense"])
        scores.append(of.dense[0].factor[:, None] * theta)
    assert_close(*scores, tolerance=1e-3)
    assert np.abs(scores[0]).max() > 0.1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word[0] prior", "a prior is missing"),
        ("word[0] prior 0", "the prior '0' is no number above 0: prior 2"),
        ("word[0] prior -1", "the prior '-1' is no number above 0"),
        ("word[0] prior 2 3", "'3' is not expected"),
    ],
)
def test_faults_are_told(line, message):
    with pytest.raises(ConfigError, match=message):
        template(f"columns: [word, label]\nfeatures: ['{line}']\n", "t")


@pytest.mark.parametrize(("method", "message"), [("hmm", "an HMM counts"), ("prototype", "one prior for all")])
def test_methods_without_such_priors_say_so(method, message):
    how = template("columns: [word, label]\nfeatures: ['word[0] prior 2']\n", "t")
    text = made_ads(15, 1)
    with pytest.raises(ConfigError, match=message):
        trained(Inputs(how, text, text), method=method)
