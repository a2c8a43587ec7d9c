"""`posterior-hmm`: each round of EM raises what it climbs, and its limits are other models."""

from dataclasses import replace

import numpy as np
import pytest

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one, shards
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import expected_counts, posterior_hmm
from sstag.training.methods.hmm_counts import probabilities
from tests.datasets import corpus, unlabelled
from tests.training import ads_template, made_ads, needed, raw, trained

WORDS = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
LABELLED = [[("a", "X"), ("b", "Y"), ("a", "X"), ("b", "Y")], [("c", "Y"), ("c", "X")]]
RAW = [["a", "d", "b"], ["d", "d", "c", "a"], ["e", "b"], ["e", "e", "d"]]
LIST = "word[0]=d\tX:0.9 Y:0.1\nword[0]=e\tX:0.2 Y:0.8\n*\tX:0.6 Y:0.4\n"
DELTA = 0.3


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "list.tsv").write_text(LIST)
    return {"expectations": str(tmp_path / "list.tsv")}


@pytest.mark.parametrize("distance", ["kl", "squared"])
@pytest.mark.parametrize("slack", [0.5, 20.0])
def test_a_round_raises_what_is_climbed(listed, distance, slack):
    """Σ log p(x, y) + Σ log p(x) − D + δ Σ log p, where every word occurs twice, so that none is like unknown ones."""
    seen = []

    def kept(*given):
        seen.append((probabilities(*given), given[1]))
        return seen[-1][0]

    near = []
    close = posterior_hmm.Posterior.close

    def closed(self, statistics):
        value, slope = close(self, statistics)
        near.append((float(statistics[0]), value))
        return value, slope

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_counts, "probabilities", kept)
        patch.setattr(posterior_hmm.Posterior, "close", closed)
        inputs = Inputs(WORDS, corpus(LABELLED), unlabelled(RAW))
        given = listed | {"distance": distance, "slack": slack, "smoothing": DELTA, "rounds": 12}
        trained(inputs, None, "posterior-hmm", **given)
    values = []
    for (now, counts), (log_p, distance_of_q) in zip(seen, near, strict=False):
        known = counts[0]
        decided = (np.log(now.begin) @ known.begin) + (np.log(now.steps[:, :-1]) * known.steps).sum()
        decided += np.log(now.steps[:, -1]) @ known.end
        attributes = known.data.unary.indices[known.tokens]
        decided += np.log(now.emissions[attributes, known.labels]) @ known.weights
        smoothed = DELTA * sum(np.log(one).sum() for one in (now.begin, now.steps, now.emissions))
        values.append(decided + log_p + distance_of_q + smoothed)
    assert len(values) > 5
    # The first model knows nothing of words that only raw text has: all of them are unknown to it.
    assert (np.diff(values[1:]) > -1e-6).all()
    assert values[-1] > values[1] + 1e-3


def share(model, text, word, label):
    """The expected share of a label among the tokens that are a word."""
    p = np.concatenate(model.asked(model.dataset(text), one_by_one, lambda _, lattice: lattice.nodes.copy()))
    at = [w == word for sentence in RAW for w in sentence]
    return p[at, model.labels.index(label)].mean()


@pytest.mark.parametrize("distance", ["kl", "squared"])
def test_the_model_comes_to_the_shares(listed, distance):
    text = unlabelled(RAW)
    inputs, given = Inputs(WORDS, corpus(LABELLED), text), listed | {"distance": distance}
    weak, strong = (trained(inputs, None, "posterior-hmm", slack=s, **given) for s in (1e-6, 1000.0))
    assert abs(share(strong, text, "e", "Y") - 0.8) < 0.1
    assert abs(share(strong, text, "d", "X") - 0.9) < 0.1
    assert abs(share(strong, text, "e", "Y") - 0.8) < abs(share(weak, text, "e", "Y") - 0.8)


def test_raw_text_that_counts_nothing_leaves_the_steps_of_the_hmm(listed):
    inputs = Inputs(WORDS, corpus(LABELLED), unlabelled(RAW))
    nothing = trained(inputs, None, "posterior-hmm", strength=0.0, **listed)
    plain = trained(replace(inputs, unlabelled=None), None, "hmm")
    one, other = (model.weight_map.parts(model.theta)["steps"] for model in (nothing, plain))
    np.testing.assert_allclose(one, other)


def test_any_number_of_threads_finds_the_same(tmp_path):
    inputs = Inputs(ads_template(), made_ads(8, 1), raw(40, 4))
    one = trained(inputs, None, "posterior-hmm", rounds=3)
    with shards(2) as over:
        other = trained(inputs, Run(over), "posterior-hmm", rounds=3)
    assert one.theta.tobytes() == other.theta.tobytes()


def test_errors(listed):
    inputs = Inputs(WORDS, corpus(LABELLED), unlabelled(RAW))
    with pytest.raises(ConfigError, match="posterior-hmm needs a list of features"):
        trained(inputs, None, "posterior-hmm", expectations="")
    with pytest.raises(ConfigError, match="posterior-hmm needs raw text"):
        trained(replace(inputs, unlabelled=None), None, "posterior-hmm", **listed)
    with pytest.raises(DataError, match="no label is decided"):
        trained(replace(inputs, labelled=corpus([[("a", "X|Y"), ("b", "?")]])), None, "posterior-hmm", **listed)
    assert needed("posterior-hmm")
