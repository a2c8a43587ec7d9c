"""A training that trains blocks of its encoder, too: which model is better, and what the bytes depend on."""

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from sstag.features.encoders.encoder import Encoder, PromisedEncoder
from sstag.features.encoders.token_vectors import EncoderVectors
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, Interrupted, counted
from sstag.foundation.json_values import Json
from sstag.model.model import About, Model
from sstag.training.climb import Climb
from sstag.training.encoder_training import Learning, blocks_of, trained_blocks
from sstag.training.inputs import Run
from sstag.training.judge import scorer

if TYPE_CHECKING:
    from sstag.training.run import Task

AS_IT_IS, TRAINED = "as it is", "trained"  # of an encoder
INTERRUPTED = "interrupted while blocks were trained: this is the model of the encoder as it is"


def encoder_to_train(template: Template) -> str | None:
    """The name of the encoder whose last blocks are to be trained, if there is one; of several an error."""
    names = [name for name, one in template.encoders.items() if isinstance(one, EncoderVectors) and one.is_to_train]
    if len(names) > 1:
        raise ConfigError(f"train: one encoder of a template is trained, and these are {' and '.join(names)}")
    return names[0] if names else None


def as_it_is(template: Template) -> Template:
    """The template whose encoders stay as they are."""
    encoders = {
        name: one.untrained if isinstance(one, EncoderVectors) else one for name, one in template.encoders.items()
    }
    return replace(template, encoders=encoders)


def both_ways(task: "Task") -> "tuple[list[Task], list[Mapping[str, Json]]]":
    """A training with blocks of its encoder trained and without, and what the two are called where they are judged."""
    template = task.inputs.template
    without = replace(task, inputs=replace(task.inputs, template=as_it_is(template)))
    return [without, task], [{"encoder": AS_IT_IS}, {"encoder": TRAINED}]


def with_encoder_trained(task: "Task", run: Run, train: "Callable[[Task, Run], Model]", told_as: str) -> Model:
    """The model of a training; if blocks of an encoder are to be trained, the better one, where that can be told.

    `told_as` is the part of the model's report that says how it went.
    """
    inputs = task.inputs
    name = encoder_to_train(inputs.template)
    if name is None:
        return train(task, run)
    _refuse(task, run, name)
    encoder = inputs.template.encoders[name]
    assert isinstance(encoder, EncoderVectors)
    count = encoder.encoder.settings.train
    blocks = blocks_of(encoder, name, count)
    seen: list[Climb] = []

    def ended(climb: Climb) -> None:
        seen[:] = [climb]

    frozen = train(replace(task, inputs=replace(inputs, template=as_it_is(inputs.template))), replace(run, ended=ended))
    frozen = replace(frozen, template=as_it_is(frozen.template))
    if not seen:
        raise ConfigError(f"train: {task.method} climbs nothing by which {name} could be trained (crf and partial do)")
    how = Learning()
    weights = None if run.stop() else trained_blocks(seen[0], name, blocks, how, run)
    if weights is None:
        run.warn(INTERRUPTED)
        return frozen
    encoders = {**inputs.template.encoders, name: encoder.with_weights(weights)}
    known = replace(inputs, template=replace(inputs.template, encoders=encoders))
    try:
        model = train(replace(task, inputs=known), run)
    except Interrupted:
        run.warn(INTERRUPTED)
        return frozen
    about: About = {"encoder": name, "blocks": count, **asdict(how), **surroundings(encoder.encoder)}
    if inputs.development:
        before, after = (scorer(inputs, one, run)(one.theta) for one in (frozen, model))
        about |= {AS_IT_IS: before, TRAINED: after, "kept": TRAINED if after > before else AS_IT_IS}
        model = model if after > before else frozen
    return replace(model, about=model.about | {told_as: about})


def surroundings(encoder: Encoder | PromisedEncoder) -> dict[str, str | int]:
    """The surroundings that the last digits of trained blocks depend on."""
    found = np.show_config(mode="dicts")
    extensions = found.get("SIMD Extensions", {}).get("found", []) if isinstance(found, dict) else []
    processor = " ".join([platform.machine(), *extensions[-1:]])
    if isinstance(encoder, Encoder) and encoder.backend == "transformers":
        return {"program": f"torch {version('torch')}", "processor": processor, "threads": 1}
    own = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "program": f"NumPy {np.__version__}",
        "processor": processor,
        "threads": int(own) if own.isdecimal() else cores,
    }


def _refuse(task: "Task", run: Run, name: str) -> None:
    """Raises an error if something cannot go together with the training of blocks."""
    inputs = task.inputs
    if run.checkpoint:
        raise ConfigError(f"train: the blocks of {name} are trained without a checkpoint: leave one of them out")
    if inputs.init and any(one.trained is not None for one in inputs.init.template.encoders.values()):
        raise ConfigError(
            f"init: blocks of the encoder of the earlier model were trained, and those of {name} begin as they are in "
            "its files: leave init out"
        )


def in_words(about: About, figure: str, judged: bool) -> str:
    """The line that says how an encoder was trained, and whether that is better."""
    said = f"{about['encoder']}: the last {counted(about['blocks'], 'block')} trained"
    if "kept" not in about:
        if judged:
            return said
        return f"{said} (--dev FILE or --folds 3 tells whether that is better than the encoder as it is)"
    before, after = (f"{100 * about[which]:.2f}" for which in (AS_IT_IS, TRAINED))
    return f"{said}: dev {figure} {after}, as it is {before}: kept {about['kept']}"
