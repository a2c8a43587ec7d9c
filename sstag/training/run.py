"""One training, from corpora to a model that says where it comes from: what the command and the Python API share."""

from dataclasses import asdict, dataclass, replace
from hashlib import sha256

import numpy as np

import sstag
from sstag.corpus.volumes import LargeText, Text
from sstag.features.lexicon import lexicon_bytes
from sstag.features.words import cluster_arrays
from sstag.features.words.named_vectors import kept
from sstag.features.words.prototypes import digest
from sstag.foundation.errors import ConfigError, counted
from sstag.foundation.registry import registered
from sstag.knowledge.chunk_answers import Answers
from sstag.knowledge.labelled_features import FeatureList, labels_of_lines
from sstag.labels.span_list import SpanList
from sstag.model.model import About, Model, carried_over
from sstag.training.answered import with_answers, with_rejected_cells
from sstag.training.disambiguation.preparations import disambiguated
from sstag.training.identity import identity
from sstag.training.in_volumes import refuse_volumes
from sstag.training.inputs import Inputs, Run, labelled_text_of, with_decided, with_labels_read, with_weighed
from sstag.training.methods import METHODS
from sstag.training.methods.expected_gradient import with_raw_text_labelled
from sstag.training.methods.parameters import Training
from sstag.training.parameter_specs import Parameters
from sstag.training.raw_text_told import with_drift
from sstag.training.ruled import ruled
from sstag.training.second_look import trained_twice
from sstag.training.sentence_weights import SentenceWeights

OF_ENCODER = "encoder training"  # the part of a report that says how blocks were trained: in the first stage of two


@dataclass(frozen=True)
class Task:
    """A training to be done: inputs, a method with its parameters, and whatever changes the inputs before it."""

    inputs: Inputs
    method: str
    parameters: Parameters  # of the method's class
    seed: int = 1
    ambiguous: str | None = None  # how undecided labels are decided beforehand, of `AMBIGUOUS`
    features: FeatureList | None = None  # by which raw text is labelled beforehand
    weights: SentenceWeights | None = None  # of the labelled sentences
    spans: SpanList | None = None  # chunks that sentences of raw text have, or do not have
    rules: str | None = None  # the path of rules that the model keeps, of a method that takes none itself


def trained(task: Task, run: Run) -> Model:
    """The model; its `about` says everything that the training depended on."""
    if task.seed < 0:
        raise ConfigError(f"'seed' must be a whole number from 0 up, not {task.seed}")
    if task.inputs.init and METHODS[task.method].counts:
        raise ConfigError(f"{task.method} counts: it cannot start from an earlier model")
    _check_raw_text(task)
    if task.inputs.large:
        refuse_volumes(task.method, task.parameters, task.inputs.template)
    task = replace(task, inputs=with_labels_read(replace(task.inputs, seed=task.seed)))
    origin = _origin(task.inputs)
    if run.checkpoint and (told := run.checkpoint.begin(identity(task, origin))):
        run.warn(told)
    if not task.inputs.template.predicted:
        return _with_encoder(task, run)
    model = trained_twice(task, run, _with_encoder)
    trained_first = {OF_ENCODER: said} if model.first and (said := model.first.about.get(OF_ENCODER)) else {}
    return replace(model, about=model.about | trained_first | {"data": origin["data"] | model.about["data"]})


def _with_encoder(task: Task, run: Run) -> Model:
    """The model of one stage, with blocks of its encoder trained if they are to be."""
    if not task.inputs.template.encoders:
        return _stage(task, run)
    from sstag.training.trained_encoder import with_encoder_trained  # others need not wait for it

    return with_encoder_trained(task, run, _stage, OF_ENCODER)


def _stage(task: Task, run: Run) -> Model:
    """The model of a training in one stage, or of one of two."""
    inputs, origin = task.inputs, _origin(task.inputs)
    version = sstag.__version__  # now: an installation that has none, or changes meanwhile, loses no training
    rng = np.random.default_rng(task.seed)
    if task.weights:
        inputs = _with_weights(inputs, task.weights, run)
        origin["sentence weights"] = {**task.weights.origin, "effective sentences": task.weights.effective}
    if task.features:
        labels = labels_of_lines(task.features, inputs.marks)
        inputs = with_raw_text_labelled(inputs, task.features, labels, run)
        origin["labelled features"] = {"sha256": task.features.digest, "features": len(task.features.lines)}
        origin["data"]["labelled"] = _of(inputs.labelled) | _tallied(inputs)
    inputs = with_rejected_cells(inputs, task.ambiguous, run)
    if inputs.chunks:
        origin["rejected"] = len(inputs.chunks.chunks.first)
    if task.ambiguous:
        training = task.parameters if isinstance(task.parameters, Training) else Training()
        decided = disambiguated(task.ambiguous, inputs, training, rng, run)
        inputs = with_decided(inputs, decided)
        origin["ambiguous"] = task.ambiguous
        origin["data"]["decided"] = _of(inputs.labelled)
    if task.spans:
        inputs = with_answers(inputs, task.spans, task.method, run)
        origin["spans"] = Answers(task.spans).about | {"sha256": task.spans.digest}
        origin["data"]["labelled"] = _of(inputs.labelled) | _tallied(inputs)
    model = registered(METHODS[task.method].where)(inputs, task.parameters, rng, run)
    if METHODS[task.method].unlabelled:
        model = with_drift(model, inputs, run)
    elif task.features:
        model = with_drift(model, with_labels_read(task.inputs), run)
    if task.rules:
        model = ruled(model, inputs, task.rules, run)
    if inputs.init:
        origin["carried over"] = int((carried_over(inputs.init, model) != 0).sum())
    how = model.template
    if how.vectors:
        vectors = {name: kept(one, how.vectors_kept) for name, one in how.vectors.items()}
        model = replace(model, template=replace(how, vectors=vectors))
    return replace(model, about=model.about | {"sstag": version, "seed": task.seed, **origin})


def _check_raw_text(task: Task) -> None:
    """Raw text that nobody would read, or that is missing, is an error."""
    raw, reads = task.inputs.unlabelled or task.inputs.large, METHODS[task.method].unlabelled
    reads_first = bool(task.inputs.template.predicted)
    if task.features and reads:
        raise ConfigError(f"{task.method} learns from raw text by itself: not together with labelled features")
    if task.features and not (METHODS[task.method].undecided or task.ambiguous):
        raise ConfigError(
            f"labelled features leave tokens open, and {task.method} learns from none: partial does (--method partial)"
        )
    if task.inputs.large and (task.features or task.spans):
        raise ConfigError("lists that label raw text need it whole in memory: leave out --on-disk, or the cluster")
    if task.features and raw is None:
        raise ConfigError("labelled features need raw text to label: unlabeled (--unlabeled FILE)")
    if task.features and task.spans:
        raise ConfigError("labelled features label all raw text: not together with rejected spans")
    if raw is not None and not (task.features or task.spans or reads or reads_first):
        methods = "|".join(name for name, entry in METHODS.items() if entry.unlabelled)
        raise ConfigError(
            f"{task.method} learns nothing from raw text: unlabeled is for other methods (--method {methods}), "
            "labelled features (--labeled-features), rejected spans (--rejected), and templates with predicted(…) (any "
            "method gains most from this, and from clusters and vectors of the text: `sstag template` says how)"
        )


def _with_weights(inputs: Inputs, weights: SentenceWeights, run: Run) -> Inputs:
    """The labelled sentences with their weights; a warning if these leave few."""
    corpus = inputs.labelled
    if corpus is None or len(weights.omega) != corpus.sentences:
        what = "no sentence" if corpus is None else counted(corpus.sentences, "labelled sentence")
        raise ConfigError(f"{counted(len(weights.omega), 'weight')} for {what}")
    if weights.warning:
        run.warn(weights.warning)
    weighed = run.once("weighed", (corpus, weights), lambda: replace(corpus, weights=weights.omega))
    return with_weighed(inputs, weighed)


def _origin(inputs: Inputs) -> About:
    """A report of the inputs, by their content."""
    data = {"train": inputs.labelled, "dev": inputs.development, "unlabeled": inputs.unlabelled or inputs.large}
    vectors = inputs.template.vectors
    origin: About = {
        "data": {name: _of(corpus) for name, corpus in data.items() if corpus},
        "template": sha256(inputs.template.text.encode()).hexdigest(),
        "lexica": {name: sha256(lexicon_bytes(one)).hexdigest() for name, one in inputs.template.lexica.items()},
        **({"vectors": {name: one.digest for name, one in vectors.items()}} if vectors else {}),
        "similar": {of.name: digest(near) for of, near in inputs.template.similar.items()},
        "marks": asdict(inputs.marks),
    }
    if clusters := inputs.template.clusters:
        origin["clusters"] = {name: cluster_arrays.digest(one) for name, one in clusters.items()}
    if inputs.labelled:
        origin["data"]["train"] |= _tallied(inputs)
    return origin | ({"init": sha256(inputs.init.theta.tobytes()).hexdigest()} if inputs.init else {})


def _of(text: Text | None) -> About:
    if text is None:
        return {}
    digest = text.head.digest if isinstance(text, LargeText) else text.digest
    return {"sha256": digest, "sentences": text.sentences, "tokens": text.tokens}


def _tallied(inputs: Inputs) -> dict[str, int]:
    """How many of the labelled tokens have one label, several, and any; nothing if there are no labels."""
    if inputs.labelled is None or inputs.template.label not in inputs.labelled.columns:
        return {}
    text = labelled_text_of(inputs, "training")
    return dict(zip(("decided", "ambiguous", "unknown"), text.sets.tallied(text.codes), strict=True))
