"""Any sum of objectives of labelled and of raw text, climbed from the supervised optimum (J06 §3; T08 §5.2).

    maximise  Σ objectives(labelled) + Σ objectives(raw) − l2/2 ‖θ‖² − l1 Σ|θ|

Such sums are seldom concave, so the start matters: an earlier model, or the weights `partial` finds for the labelled
sentences, with the attributes and pairs that the raw text adds; or zero. In `steps`, what looks at raw text counts 1/k,
2/k, … of its strength, each climb from the end of the one before. Limit: the likelihood alone is `partial`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import numpy as np

from sstag.arrays import Floats
from sstag.chunks import selected
from sstag.corpus import selected as selected_text
from sstag.criterion import Part
from sstag.dataset import Compiled
from sstag.drift import drift
from sstag.errors import ConfigError, Interrupted
from sstag.files import pieces
from sstag.methods import METHODS, PARAMETERS_OF_TRAINING, completed
from sstag.methods.partial import best
from sstag.model import Model, model
from sstag.objectives import LABELED, OBJECTIVES, UNLABELED, grounded, listed
from sstag.objectives.contract import Ground
from sstag.optimize import REQUESTED
from sstag.training import Inputs, Run, climbed, compiled_texts, label_sets_of, start_weights


def train(inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The best weights for the objectives in a list."""
    params = completed("composed", params)
    return summed("composed", inputs, params["objectives"], params, rng, run)


def shorthand(who: str, inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The best weights for the objectives of a method, whose parameters are its own."""
    params = completed(who, params)
    own = [{name: {key: params[key] for key in OBJECTIVES[name].parameters}} for name in METHODS[who].objectives]
    return summed(who, inputs, listed(own), params, rng, run)


def summed(
    who: str,
    inputs: Inputs,
    objectives: Sequence[Mapping[str, Mapping[str, Any]]],
    params: Mapping[str, Any],
    rng: np.random.Generator,
    run: Run,
) -> Model:
    """The best weights for a list of objectives, and how they were found."""
    chosen = [(name, parameters) for one in objectives for name, parameters in one.items()]
    inputs = _with_all_texts(who, inputs, chosen, params["sample"], rng, run)
    made = compiled_texts(inputs, run, inputs.unlabelled)
    parts = _parts(inputs, made, chosen)
    start, about = _start(inputs, made, chosen, params, run)
    theta = start
    iterations, end = 0, dict[str, Any]()
    for step in range(1, params["steps"] + 1):
        share = step / params["steps"]
        phase = f"step {step} of {params['steps']}" if params["steps"] > 1 else ""
        raised = [replace(part, factor=share) if part.data is made.unlabelled else part for part in parts]
        try:
            theta, end = climbed(inputs, made, raised, params, replace(run, phase=phase), theta)
        except Interrupted:
            if not theta.any():
                raise
            end |= {"reason": REQUESTED, "converged": False}  # what there is already is better than nothing
            break
        iterations += end["iterations"]
    if made.unlabelled and any(name == "entropy" for name, _ in chosen):
        found = drift(made, made.unlabelled, start, theta, run.over)
        if found.warning:
            run.warn(found.warning)
        about["raw text"] = asdict(found)
    about = {"method": who, "parameters": _told(params, chosen), **about, **end, "iterations": iterations}
    return model(made, theta, about)


def _told(params: Mapping[str, Any], chosen: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The parameters as a model tells them: of files the digest of what is in them."""

    def of(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        files = {key: parameters[key] for key in OBJECTIVES[name].files if isinstance(parameters.get(key), str)}
        digests = {key: sha256(b"".join(pieces(path))).hexdigest() for key, path in files.items()}
        return {**parameters, **digests}

    if "objectives" in params:
        return {**params, "objectives": [{name: of(name, parameters)} for name, parameters in chosen]}
    return {**params, **{key: value for name, _ in chosen for key, value in of(name, params).items()}}


def _with_all_texts(
    who: str,
    inputs: Inputs,
    chosen: Sequence[tuple[str, Mapping[str, Any]]],
    sample: int,
    rng: np.random.Generator,
    run: Run,
) -> Inputs:
    """The texts that the objectives look at, of the raw one a sample if that is asked for; an error without one."""
    if inputs.labelled or not inputs.known or any(parameters["data"] == LABELED for _, parameters in chosen):
        label_sets_of(inputs, who)
    raw = inputs.unlabelled
    for name, parameters in chosen:
        if parameters["data"] == UNLABELED and raw is None:
            raise ConfigError(f"{name} needs raw text: unlabeled")
    if raw is None or not 0 < sample < raw.sentences:
        return inputs
    taken = np.isin(np.arange(raw.sentences), rng.permutation(raw.sentences)[:sample])
    return replace(inputs, unlabelled=run.once("sample", (raw, taken.tobytes()), lambda: selected_text(raw, taken)))


def _parts(inputs: Inputs, made: Compiled, chosen: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Part]:
    """The objectives by what they look at: the likelihood at sentences with a label, the others at all."""
    parts = []
    for text, corpus, data in (
        (LABELED, inputs.labelled, made.labelled),
        (UNLABELED, inputs.unlabelled, made.unlabelled),
    ):
        here = [(name, parameters) for name, parameters in chosen if parameters["data"] == text]
        if corpus is None or data is None or not here:
            continue
        ground = Ground(corpus, data, made)
        likelihoods, others = (
            tuple(
                grounded(name, parameters, ground) for name, parameters in here if (name == "likelihood") == supervised
            )
            for supervised in (True, False)
        )
        parts += [Part(selected(data, ~data.free), likelihoods)] if likelihoods else []
        parts += [Part(data, others)] if others else []
    return parts


def _start(
    inputs: Inputs,
    made: Compiled,
    chosen: Sequence[tuple[str, Mapping[str, Any]]],
    params: Mapping[str, Any],
    run: Run,
) -> tuple[Floats, dict[str, Any]]:
    """Where the climb begins, and what is said of it."""
    supervised = params["start"] == "supervised" and any(name == "likelihood" for name, _ in chosen)
    if inputs.init or not supervised or made.labelled is None:
        return start_weights(inputs, made), {"start": "earlier model" if inputs.init else "zero"}
    data = made.labelled
    of = made, inputs.development, *(params[name] for name in PARAMETERS_OF_TRAINING)
    theta, end = run.once("start", of, lambda: best(inputs, made, data, params, replace(run, phase="start")))
    iterations = end["iterations"] + end.get("iterations of the start", 0)
    return theta, {"start": "what is labelled", "iterations of the start": iterations}
