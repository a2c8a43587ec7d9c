"""Dense features without steps between labels: the optimum of scikit-learn's logistic regression."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from sstag.foundation.parallel import one_by_one
from sstag.training.inputs import Inputs
from tests.dense import WITHOUT_STEPS, dense_numbers, dense_template
from tests.training import made_ads, trained

L2 = 0.5


def test_the_optimum_is_that_of_logistic_regression():
    """So are the labels; C is 1 / l2."""
    text, how = made_ads(30, 1), dense_template(WITHOUT_STEPS)
    tagger = trained(Inputs(how, text), tolerance=1e-12, l2=L2)
    x = dense_numbers(tagger, how, text)
    gold = [text.values[1][code] for code in text.codes[1].tolist()]
    theirs = LogisticRegression(C=1 / L2, fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(x, gold)
    assert theirs.classes_.tolist() == list(tagger.labels)
    weights = np.concatenate(tagger.weight_map.dense_parts(tagger.weight_map.parts(tagger.theta)["dense"]))
    assert np.abs(weights).max() > 0.3
    np.testing.assert_allclose(weights, theirs.coef_.T, atol=1e-4)
    labels = [tagger.labels[code] for code in tagger.tagged(tagger.dataset(text), one_by_one).tolist()]
    assert labels == theirs.predict(x).tolist()
    assert len({*labels}) > 2
