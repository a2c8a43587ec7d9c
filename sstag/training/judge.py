"""The score of a tagger on development data."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sstag.evaluation.gold import f_score, gold_labels
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import DataError
from sstag.model.model import Model
from sstag.model.second_look import in_context, in_own_context
from sstag.training.inputs import Inputs, Run


def scorer(inputs: Inputs, tagger: Model, run: Run) -> Callable[[Floats], float]:
    """The score of a tagger with other weights on the development data, as `eval` has it.

    A tagger of two stages has read them once, by its first stage or by the one that was trained before it.
    """
    corpus = inputs.development
    assert corpus is not None
    tagger = in_context(tagger, inputs.looked_at) if inputs.looked_at else in_own_context(tagger, corpus, run.over)
    column, labels = corpus.column(inputs.template.label), tagger.labels
    gold = gold_labels(
        corpus.values[column],
        corpus.codes[column],
        corpus.offsets,
        inputs.marks,
        tagger.scheme,
        labels,
        partial(corpus.first_place, column),
    )
    if not gold.can_be(labels):
        raise DataError(
            f"none of its labels is one of the training data ({', '.join(map(repr, labels[:5]))}"
            f"{', …' if len(labels) > 5 else ''}): nothing to judge by",
            corpus.path,
        )
    numbers = gold.numbers(labels)
    data = tagger.dataset(corpus)

    def score(theta: Floats) -> float:
        guess = numbers[replace(tagger, theta=theta).tagged(data, run.over)]  # the layout of θ is worked out once
        return f_score(gold.tags, gold.against(guess), guess, corpus.offsets)

    return score
