"""sstag from Python: templates, corpora, models, tags and scores, in a few functions.

Everything here can also be had from the modules it comes from; mistakes are `SstagError`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sstag.conll import read as read_corpus
from sstag.corpus import Corpus
from sstag.evaluation import Evaluation, evaluated
from sstag.labels import CONLLU_MARKS, Marks
from sstag.layout import is_conllu
from sstag.model import Model
from sstag.model_file import load, save
from sstag.runs import Task, trained
from sstag.shards import shards
from sstag.tagging import tagged_corpus, tagged_tokens
from sstag.template import Template
from sstag.template_file import load_template
from sstag.training import Inputs, Progress, Run

__all__ = ["evaluate", "load", "load_template", "read", "save", "tag", "train"]


def read(path: str, template: Template) -> Corpus:
    """The sentences of a column or CoNLL-U file, its columns named as the template names them."""
    return read_corpus(path, template.layout(path))


def train(
    template: Template,
    sentences: Corpus,
    *,
    dev: Corpus | None = None,
    init: Model | None = None,
    method: str = "crf",
    ambiguous: str | None = None,
    marks: Marks | None = None,
    seed: int = 1,
    threads: int = 1,
    tell: Callable[[Progress], None] = lambda progress: None,
    **parameters: Any,
) -> Model:
    """A model; what `sstag train --set` takes are keyword arguments here. `tell` hears of every iteration."""
    marks = marks or (CONLLU_MARKS if is_conllu(sentences.path) else Marks())
    inputs = Inputs(template, sentences, development=dev, init=init, marks=marks)
    with shards(threads) as over:
        return trained(Task(inputs, method, parameters, seed, ambiguous), Run(over, tell))


def tag(
    model: Model, sentences: Corpus | Sequence[Sequence[str | Sequence[str]]], *, threads: int = 1
) -> list[list[str]]:
    """The labels of each sentence; a token is a text, or one for each column of the template but the label."""
    if isinstance(sentences, Corpus):
        return tagged_corpus(model, sentences, threads)
    return tagged_tokens(model, sentences, threads)


def evaluate(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    marks: Marks = Marks(),
) -> Evaluation:
    """How good predicted labels are: `.figures`, `.totals`, and more."""
    return evaluated(gold, predicted, scheme, marks)
