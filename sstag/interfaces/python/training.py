"""sstag from Python: templates, corpora, models, tags and scores, in a few functions.

A path may stand wherever a template, a corpus or a model is asked for; lists of tokens for a corpus; and in `train`
several paths, of files that are read as one. Mistakes are `SstagError`.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar, cast

import numpy as np

from sstag.corpus.corpus import Corpus, Sentence, corpus_of
from sstag.corpus.reading import read as read_corpus
from sstag.corpus.reading import read_files
from sstag.evaluation.scoring import Evaluation, evaluated
from sstag.features.reading import CHOICES, chosen
from sstag.features.reading import load_template as template_in
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over, shards
from sstag.foundation.strict_yaml import Document
from sstag.labels.marks import Marks
from sstag.model import model_file
from sstag.model.model import Model
from sstag.model.tagging import tagged_corpus, tagged_tokens
from sstag.selection.density.weighing import weights_in
from sstag.training.assembly import Given, assembled
from sstag.training.inputs import Progress, Run
from sstag.training.methods.completion import completed, refuse_fixed, usual_method
from sstag.training.run import trained
from sstag.training.sentence_weights import SentenceWeights, of_numbers
from sstag.training.weight_scales import SCALES

__all__ = ["SstagError", "evaluate", "load", "load_template", "read", "save", "tag", "train"]

Path: TypeAlias = str | os.PathLike[str]
Sentences: TypeAlias = Corpus | Path | Sequence[Sentence]
Text: TypeAlias = Sentences | Sequence[Path]  # several files are read as one
V = TypeVar("V")


def load_template(path: Path) -> Template:
    """The template in a file, YAML or CRF++."""
    return template_in(os.fspath(path))


def read(path: Path, template: Template | Path) -> Corpus:
    """The sentences of a column or CoNLL-U file, its columns named as the template names them."""
    name = os.fspath(path)
    return read_corpus(name, _template(template).layout(name))


def train(
    template: Template | Path,
    sentences: Text | None,
    *,
    dev: Text | None = None,
    unlabeled: Text | None = None,
    labeled_features: Path | None = None,
    expectations: Path | None = None,
    rules: Path | None = None,
    sentence_weights: Sequence[float] | Path | None = None,
    weight_scale: str = SCALES[0],
    weight_exponent: float = 1.0,
    init: Model | Path | None = None,
    method: str | None = None,
    ambiguous: str | None = None,
    marks: Marks | None = None,
    seed: int = 1,
    threads: int = 1,
    tell: Callable[[Progress], None] = lambda progress: None,
    warn: Callable[[str], None] = lambda text: None,
    **parameters: Json,
) -> Model:
    """A model; what `sstag train --set` takes are keyword arguments here. `tell` hears of every iteration.

    In lists a token is a tuple with a text for each column of the template, the label too; in raw text (`unlabeled`) a
    text, or a tuple without the label. Only with `labeled_features` or `expectations` there need be no labelled
    sentences. What the method `composed` adds up are `objectives`, such as
    [{"likelihood": {}}, {"entropy": {"gamma": 0.1}}]. `sentence_weights` are those of the labelled sentences, numbers
    or a file of numbers or with a density.
    """
    how = chosen(_template(template), Document({key: parameters.get(key) for key in CHOICES}, {}, "train"))
    own = {key: value for key, value in parameters.items() if key not in CHOICES}
    for name, path in (("expectations", expectations), ("rules", rules)):
        if path is not None and not isinstance(path, str | os.PathLike):
            raise ConfigError(f"{name} is the path of a list, not {type(path).__name__}")
        own |= {} if path is None else {name: os.fspath(path)}
    chosen_method = method or usual_method("objectives" in own, "expectations" in own, "rules" in own)
    refuse_fixed(chosen_method, [key for key in CHOICES if key in parameters])
    with shards(threads) as over:
        material = assembled(
            Given(
                template=how,
                labelled=None if sentences is None else partial(_corpus, sentences),
                raw=None if unlabeled is None else partial(_raw, unlabeled),
                development=None if dev is None else partial(_corpus, dev),
                init=None if init is None else _model(init),
                marks=lambda usual: marks or usual,
                features=None if labeled_features is None else os.fspath(labeled_features),
                weights=None
                if sentence_weights is None
                else partial(_weights, sentence_weights, over, weight_scale, weight_exponent),
            )
        )
        for text in material.odd():
            warn(text)
        task = material.task(how, chosen_method, completed(chosen_method, own), seed, ambiguous)
        return trained(task, Run(over, tell, warn=warn))


def save(model: Model, path: Path) -> None:
    """Writes a model, whole or not at all."""
    model_file.save(model, os.fspath(path))


def load(path: Path) -> Model:
    """The model in a file."""
    return model_file.load(os.fspath(path))


def tag(model: Model | Path, sentences: Sentences, *, threads: int = 1) -> list[list[str]]:
    """The labels of each sentence; a token is a text, or one for each column of the template but the label."""
    tagger = _model(model)
    if isinstance(sentences, str | os.PathLike):
        sentences = read(sentences, tagger.template)
    if isinstance(sentences, Corpus):
        return tagged_corpus(tagger, sentences, threads)
    return tagged_tokens(tagger, list(sentences), threads)


def evaluate(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    marks: Marks = Marks(),
) -> Evaluation:
    """How good predicted labels are: `.figures`, `.totals`, and more."""
    return evaluated(gold, predicted, scheme, marks)


def _template(given: Template | Path) -> Template:
    return _given(given, Template, load_template)


def _model(given: Model | Path) -> Model:
    return _given(given, Model, load)


def _given(given: V | Path, kind: type[V], loaded: Callable[[Path], V]) -> V:
    """An object as it is given, or the one in the file whose path is given."""
    if isinstance(given, str | os.PathLike):
        return loaded(given)
    if not isinstance(given, kind):
        raise ConfigError(f"a {kind.__name__.lower()}, or the path of one, is wanted, not {given!r:.50}")
    return given


def _weights(
    given: Sequence[float] | Path, over: Over, scale: str, exponent: float, labelled: Corpus
) -> SentenceWeights:
    if isinstance(given, str | os.PathLike):
        return weights_in(os.fspath(given), labelled, over, scale, exponent)
    numbers = np.array(given, np.float64)
    if numbers.ndim != 1 or not (np.isfinite(numbers).all() and (numbers >= 0).all()):
        raise ConfigError("sentence_weights are numbers from 0 up, one for each sentence")
    return of_numbers(numbers, scale, exponent)


def _paths(given: Text) -> list[str]:
    """The paths of the files that are given; none if it is a corpus or sentences in memory."""
    every = [given] if isinstance(given, str | os.PathLike) else [] if isinstance(given, Corpus) else given
    paths = [os.fspath(path) for path in every if isinstance(path, str | os.PathLike)]
    return paths if len(paths) == len(every) else []


def _corpus(given: Text, template: Template) -> Corpus:
    if paths := _paths(given):
        return read_files(paths, template.layout)
    return _in_memory(given, template.columns)


def _raw(given: Text, template: Template) -> Corpus:
    if paths := _paths(given):
        return read_files(paths, template.raw_layout, template.label)
    names = template.columns and tuple(name for name in template.columns if name != template.label)
    return _in_memory(given, names)


def _in_memory(given: Text, columns: tuple[str, ...] | None) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if columns is None:
        raise ConfigError("sentences in memory need a template that names its columns")
    corpus = corpus_of(list(cast(Sequence[Sentence], given)), columns)
    if not corpus.sentences:
        raise DataError("no sentence in it", corpus.path)
    return corpus
