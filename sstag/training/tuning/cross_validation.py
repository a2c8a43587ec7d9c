"""Tuning by cross-validation: the values with the best score on sentences that were not learned from.

The labelled sentences that have something to score are dealt out to the folds at random, the others are learned from in
every fold; what counts is the score of all held-out sentences together. The best values are trained with once more, on
all sentences. Where a method has but one optimum, the runs of a fold go down from the largest l2, each from the weights
of the one before.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.evaluation.gold import gold_labels
from sstag.evaluation.scoring import FIGURES, Column, evaluation, figures
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import ConfigError, Interrupted, counted
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import UNDECIDED
from sstag.model.model import Model
from sstag.model.second_look import in_own_context
from sstag.training.inputs import Inputs, Run, labelled_text_of, with_labels_read
from sstag.training.methods import METHODS
from sstag.training.trained_encoder import encoder_to_train
from sstag.training.tuning.runs import Session, Tried, Tuned, Values, by_start, described, in_groups, latest

WARM = "l2"  # the parameter along which an optimum is near the one before


def best_by_folds(session: Session, folds: int) -> Tuned:
    """The model of the best values on all sentences; if nobody waits for it, that of a fold."""
    points, task = session.points, session.tasks[0]
    corpus, scheme, fold_of = _dealt(task.inputs, folds, task.seed)
    figure = FIGURES.index("accuracy" if scheme == "plain" else "f1")
    sums: list[list[Longs]] = [[] for _ in points]  # of the held-out sentences, by point and fold
    firsts: list[list[Longs]] = [[] for _ in points]  # of the first look alone, where there are two
    spent = np.zeros((len(points), 2))  # iterations and seconds
    kept: tuple[int, Model] | None = None
    whole = False
    concave = METHODS[task.method].concave and not task.spans and not encoder_to_train(task.inputs.template)
    order = _downwards(points) if concave else by_start(points)

    def score(rows: Sequence[Longs]) -> float:
        return float(figures(np.sum(rows, axis=0))[figure])

    def leader() -> int:
        """The best by the folds that all points have, or at first by the fold that some have."""
        common = max(min(map(len, sums)), 1)
        return max(
            (i for i, rows in enumerate(sums) if len(rows) >= common), key=lambda i: (score(sums[i][:common]), -i)
        )

    for fold in range(folds):
        learned, held_out = selected(corpus, fold_of != fold), selected(corpus, fold_of == fold)
        reading = with_labels_read(replace(task.inputs, labelled=learned)).reading  # one for all values
        weights = task.weights and replace(task.weights, omega=task.weights.omega[fold_of != fold])
        before: tuple[Values, Model] | None = None
        for index, once in in_groups(points, order):
            task = session.tasks[index]
            rest = {name: value for name, value in points[index].items() if name != WARM}
            warm = before[1] if before and before[0] == rest and concave else task.inputs.init
            inputs = replace(task.inputs, labelled=learned, init=warm, reading=reading)
            try:
                name = f"{described(points[index])}, fold {fold + 1}"
                model, seconds = session.model(name, replace(task, inputs=inputs, weights=weights), once)
            except Interrupted:
                break
            if session.run.stop():
                break
            before = rest, model
            spent[index] += model.about.get("iterations", 0), seconds
            sums[index].append(_counts(model, held_out, inputs.marks, scheme, session.run))
            if model.first:
                firsts[index].append(_counts(model.first, held_out, inputs.marks, scheme, session.run))
            if kept is None or index == leader():
                kept = index, model
        if session.run.stop():
            break
    if kept is None:
        raise Interrupted
    if not session.run.stop():
        try:
            best = leader()
            kept, whole = (best, session.model("all sentences", session.tasks[best], latest())[0]), True
        except Interrupted:
            pass  # the model of a fold is better than nothing
    tried = [
        Tried(
            points[i],
            score(rows),
            tuple(score([row]) for row in rows),
            int(spent[i, 0]),
            float(spent[i, 1]),
            score(firsts[i]) if len(firsts[i]) == len(rows) else None,
        )
        for i, rows in enumerate(sums)
        if rows
    ]
    return Tuned(
        judges(folds, [len(one.folds) for one in tried]),
        kept[1],
        points[kept[0]],
        tried,
        not session.run.stop(),
        whole,
    )


def judges(folds: int, judged: Sequence[int]) -> str:
    """The folds that have judged values, in words: an interrupted tuning has not come to all of them."""
    few, most = min(judged), max(judged)
    if few == folds:
        return f"{folds}-fold cross-validation"
    return f"{few if few == most else f'{few} or {most}'} of {folds} folds of cross-validation"


def _dealt(inputs: Inputs, folds: int, seed: int) -> tuple[Corpus, str, Longs]:
    """The labelled sentences, the scheme of their labels, and the fold of each; -1 if it has nothing to score."""
    corpus = labelled_text_of(inputs, "cross-validation").corpus
    column = corpus.column(inputs.template.label)
    values, codes, place = corpus.values[column], corpus.codes[column], partial(corpus.first_place, column)
    gold = gold_labels(values, codes, corpus.offsets, inputs.marks, None, (), place)
    scored = np.flatnonzero(np.logical_or.reduceat(gold.first != UNDECIDED, corpus.offsets[:-1]))
    if len(scored) < folds:
        raise ConfigError(f"{folds} folds, but only {counted(len(scored), 'sentence')} with a label to score by")
    fold_of = np.full(corpus.sentences, -1)
    fold_of[np.random.default_rng(seed).permutation(scored)] = np.arange(len(scored)) % folds
    return corpus, gold.tags.scheme, fold_of


def _counts(model: Model, corpus: Corpus, marks: Marks, scheme: str, run: Run) -> Longs:
    """The counts of right labels or chunks in held-out sentences."""
    column = corpus.column(model.template.label)
    gold = Column(corpus.values[column], corpus.codes[column])
    model = in_own_context(model, corpus, run.over)
    found = Column(model.labels, model.tagged(model.dataset(corpus), run.over))
    counts: Longs = evaluation(
        gold, found, corpus.offsets, marks, scheme, partial(corpus.first_place, column)
    ).rows.sum(0)
    return counts


def _downwards(points: Sequence[Values]) -> list[int]:
    """Points that differ in l2 alone one after another, the largest l2 first."""
    rests = [{name: value for name, value in point.items() if name != WARM} for point in points]
    priors = [point.get(WARM, 0.0) for point in points]
    falling = [-prior if isinstance(prior, int | float) else 0.0 for prior in priors]
    return sorted(range(len(points)), key=lambda i: (rests.index(rests[i]), falling[i], i))
