"""Training from Python: one model, or the best of several values of parameters."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sstag.features.shipped import AUTO
from sstag.foundation.documents import Document
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import shards
from sstag.interfaces.python.asked import Asked
from sstag.interfaces.python.signatures import brief
from sstag.interfaces.python.templates import AnyTemplate, Path
from sstag.interfaces.python.texts import Labels, Text, reading_raw
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.training.checkpoint import Checkpoint
from sstag.training.configuration import FEWEST_FOLDS, TEMPLATE, USUAL_EVERY, USUAL_FOLDS, combinations, values_to_try
from sstag.training.inputs import Progress, Run
from sstag.training.run import trained
from sstag.training.tuning.runs import Tuned
from sstag.training.tuning.search import edges, tuned
from sstag.training.weight_scales import SCALES

if TYPE_CHECKING:
    from distributed import Client


@brief
def train(
    template: AnyTemplate | None = None,
    sentences: Text | None = None,
    labels: Labels | None = None,
    *,
    dev: Text | None = None,
    dev_labels: Labels | None = None,
    unlabeled: Text | None = None,
    labeled_features: Path | None = None,
    rejected: Path | None = None,
    expectations: Path | None = None,
    rules: Path | None = None,
    sentence_weights: Sequence[float] | Path | None = None,
    weight_scale: str = SCALES[0],
    weight_exponent: float = 1.0,
    init: Model | Path | None = None,
    encoder: Path | None = None,
    method: str | None = None,
    ambiguous: str | None = None,
    marks: Marks | None = None,
    seed: int = 1,
    threads: int = 1,
    on_disk: Path | None = None,
    client: "Client | None" = None,
    checkpoint: Path | None = None,
    checkpoint_every: int = USUAL_EVERY,
    tell: Callable[[Progress], None] | None = None,
    warn: Callable[[str], None] | None = None,
    **parameters: Json,
) -> Model:
    """The model that a method finds in labelled sentences.

    Example:
        model = sstag.train(sentences="few.txt", unlabeled="raw.txt")
        model = sstag.train("ner", "train.txt", dev="dev.txt", l2=0.5)
        template = {"columns": ["word", "label"], "features": ["word[-1..1]", "suffix(word[0], 3)"]}
        model = sstag.train(template, [["Kim", "met", "Ann"]], [["B-PER", "O", "B-PER"]])

    Without a template, or with "auto", one is chosen by the sentences, as `sstag train` does; `model.template.text`
    shows it. What `sstag train --set` takes are keyword arguments here, such as `l2`; `method` names another method
    than `crf`.
    Sentences are the path of a file, several paths, a corpus, or lists of tokens. In lists a token is a text, or a
    tuple with a text for each column of the template; the labels are a list for each sentence, `labels`, or stand in
    the tuples. Those of `dev` are `dev_labels` or stand in the tuples, and raw text (`unlabeled`) needs none. Only
    with `labeled_features`, `expectations` or `rules` there need be no labelled sentences. `rejected` is a list of
    spans that sentences of the raw text do not have, or have. What the method `composed` adds up are `objectives`,
    such as [{"likelihood": {}}, {"entropy": {"gamma": 0.1}}]. `sentence_weights` are those of the labelled sentences,
    numbers or a file of numbers or with a density. `tell` hears of every iteration, `warn` of every warning.
    With a `checkpoint`, the path of a file that is written every so many iterations, a training that was killed goes on
    from there when the same is asked for again; the file is removed when the model is there. Files of raw text are
    kept in the folder `on_disk`, or read by the workers of a Dask cluster whose `client` is given: the model is the
    same.
    """
    asked = Asked(
        template=template,
        sentences=sentences,
        labels=labels,
        dev=dev,
        dev_labels=dev_labels,
        unlabeled=unlabeled,
        labeled_features=labeled_features,
        rejected=rejected,
        expectations=expectations,
        rules=rules,
        sentence_weights=sentence_weights,
        weight_scale=weight_scale,
        weight_exponent=weight_exponent,
        init=init,
        method=method,
        ambiguous=ambiguous,
        marks=marks,
        seed=seed,
        parameters=parameters,
        encoder=encoder,
    ).choosing(several=False)
    tell, warn = tell or _unheard, warn or _unheard
    with shards(threads) as over:
        (task,) = asked.tasks([{}], over, warn, reading_raw(over, on_disk, client, warn))
        kept = Checkpoint(os.fspath(checkpoint), checkpoint_every) if checkpoint is not None else None
        model = trained(task, Run(over, tell, warn=warn, checkpoint=kept))
        if kept:
            kept.remove()
        return model


@brief
def tune(
    template: AnyTemplate | None,
    sentences: Text,
    labels: Labels | None = None,
    *,
    values: Mapping[str, Iterable[Json]],
    folds: int | None = None,
    dev: Text | None = None,
    dev_labels: Labels | None = None,
    unlabeled: Text | None = None,
    labeled_features: Path | None = None,
    rejected: Path | None = None,
    expectations: Path | None = None,
    rules: Path | None = None,
    sentence_weights: Sequence[float] | Path | None = None,
    weight_scale: str = SCALES[0],
    weight_exponent: float = 1.0,
    init: Model | Path | None = None,
    encoder: Path | None = None,
    method: str | None = None,
    ambiguous: str | None = None,
    marks: Marks | None = None,
    seed: int = 1,
    threads: int = 1,
    tell: Callable[[Progress], None] | None = None,
    warn: Callable[[str], None] | None = None,
    **parameters: Json,
) -> Tuned:
    """The best model of all combinations of some values of parameters, and a table of what was tried.

    Example:
        tuned = sstag.tune("ner", "train.txt", values={"l2": [0.1, 1, 10]}, folds=3)
        tuned.best  # such as {'l2': 0.1}
        sstag.save(tuned.model, "ner.model")

    `values` are those to try, such as {"l2": [0.1, 1, 10]}. They are judged by development data (`dev`), or by cross-
    validation with so many `folds`, 5 if neither is given, after which the best are trained with on all sentences.
    Everything else is that of `train`.
    """
    asked = Asked(
        template=template,
        sentences=sentences,
        labels=labels,
        dev=dev,
        dev_labels=dev_labels,
        unlabeled=unlabeled,
        labeled_features=labeled_features,
        rejected=rejected,
        expectations=expectations,
        rules=rules,
        sentence_weights=sentence_weights,
        weight_scale=weight_scale,
        weight_exponent=weight_exponent,
        init=init,
        method=method,
        ambiguous=ambiguous,
        marks=marks,
        seed=seed,
        parameters=parameters,
        encoder=encoder,
    )
    if not isinstance(values, Mapping) or not values:
        raise ConfigError('values are those to try for each parameter, such as {"l2": [0.1, 1, 10]}')
    tried = values_to_try(Document(_lists(values), {}, "values"))
    if tried.get(TEMPLATE, [AUTO]) == [AUTO]:
        asked = asked.choosing(several=TEMPLATE in tried)
        tried |= {TEMPLATE: [one.name for one in asked.choices]} if TEMPLATE in tried else {}
    points = combinations(tried)
    if both := next((name for name in values if name in parameters), None):
        raise ConfigError(f"{both} has a value, and values to try: give one of them")
    if folds is not None and dev is not None:
        raise ConfigError("values are judged by development data (dev=) or by cross-validation (folds=5): give one")
    if folds is None and dev is None:
        folds = USUAL_FOLDS
    if folds is not None and (isinstance(folds, bool) or not isinstance(folds, int) or folds < FEWEST_FOLDS):
        raise ConfigError(f"folds is a whole number from {FEWEST_FOLDS} up, not {folds!r:.50}")
    tell, warn = tell or _unheard, warn or _unheard
    with shards(threads) as over:
        found = tuned(asked.tasks(points, over, warn), points, folds or 0, Run(over, tell, warn=warn))
    for text in edges(points, found.best):
        warn(text)
    return found


def _unheard(news: Progress | str) -> None:
    """Hears what nobody listens to."""


def _lists(values: Mapping[str, Iterable[Json]]) -> dict[str, Json]:
    """The values to try as lists, where they are a tuple, a range or an array."""
    return {
        name: list(each) if isinstance(each, Iterable) and not isinstance(each, str | Mapping) else each
        for name, each in values.items()
    }
