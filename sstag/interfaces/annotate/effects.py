"""The effects of listed features: the labels at their occurrences under the model of before, and under the new one."""

from collections.abc import Sequence

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus
from sstag.features.template import Template
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.annotate.suggester import DIGITS, shares_of_types
from sstag.knowledge.expectation_list import read_list
from sstag.knowledge.labelled_features import tokens_with
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.model.model import Model
from sstag.model.runs import asked_in_runs

Means = tuple[Floats, list[str]]  # (T, labels of the project), and these labels


def means(model: Model, corpus: Corpus) -> Means:
    """The probability of each label of the project at each token of a corpus."""

    def nodes(first: int, lattice: Lattice) -> Floats:
        return lattice.nodes.copy()

    found = asked_in_runs(model, corpus, one_by_one, nodes)
    return shares_of_types(np.concatenate(found), tolerant_tagset(model.labels, model.scheme))


def shares_at(tokens: Longs, of: Means) -> dict[str, Json] | None:
    """The mean shares of labels at some tokens, the largest first; None without a token."""
    shares, names = of
    if not len(tokens):
        return None
    mean = shares[tokens].mean(axis=0)
    order: Sequence[int] = np.argsort(-mean, kind="stable").tolist()
    return {names[place]: round(float(mean[place]), DIGITS) for place in order if mean[place] >= 10.0**-DIGITS}


def effects(
    path: str, template: Template, corpus: Corpus, before: Means | None, after: Means
) -> dict[str, dict[str, Json]]:
    """The effect of each feature of a list, by its text."""
    listed = read_list(path, template, corpus)
    return {
        line.attribute: {
            "occurrences": len(tokens),
            "before": None if before is None else shares_at(tokens, before),
            "after": shares_at(tokens, after),
        }
        for line, tokens in zip(listed.lines, tokens_with(listed, corpus), strict=True)
    }
