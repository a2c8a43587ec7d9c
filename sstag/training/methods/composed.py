"""Any sum of objectives of labelled and of raw text, climbed from the supervised optimum (J06 §3; T08 §5.2).

    maximise  Σ objectives(labelled) + Σ objectives(raw) − l2/2 ‖θ‖² − l1 Σ|θ|

Such sums are seldom concave, so the start matters: an earlier model, or the weights `partial` finds for the labelled
sentences, with the attributes and pairs that the raw text adds; or zero. In `steps`, what looks at raw text counts 1/k,
2/k, … of its strength, each climb from the end of the one before. Limit: the likelihood alone is `partial`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias

import numpy as np

from sstag.corpus.corpus import selected as selected_text
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, Interrupted
from sstag.foundation.registry import registered
from sstag.model.batches import selected
from sstag.model.compiled import Compiled
from sstag.model.model import Model, model
from sstag.training.climb import climbed, start_weights
from sstag.training.criterion import Part
from sstag.training.inputs import Inputs, Run, compiled_texts, label_sets_of, raw_text_of, with_named_labels
from sstag.training.label_drift import drift
from sstag.training.methods import METHODS, PARAMETERS_OF_TRAINING, completed
from sstag.training.methods.partial import best
from sstag.training.objectives import LABELED, OBJECTIVES, UNLABELED, grounded, listed
from sstag.training.objectives.contract import Ground, Opened
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.parameter_specs import settled


def train(inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The best weights for the objectives in a list."""
    params = completed("composed", params)
    objectives, common = params["objectives"], params["expectations"]
    if common:
        taking = [
            (name, own["expectations"]) for one in objectives for name, own in one.items() if "expectations" in own
        ]
        if all(path for _, path in taking):
            why = f"have lists of their own (--set {taking[0][0]}.expectations=FILE)" if taking else "take none"
            raise ConfigError(f"a list of expectations is given, but the objectives {why}")
        objectives = [
            {name: {**own, "expectations": own["expectations"] or common} if "expectations" in own else own}
            for one in objectives
            for name, own in one.items()
        ]
    return summed("composed", inputs, objectives, {**params, "expectations": ""}, rng, run)


def shorthand(who: str, inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The best weights for the objectives of a method, whose parameters are its own."""
    params = completed(who, params)
    alone = inputs.labelled is None and any(OBJECTIVES[name].files for name in METHODS[who].objectives)
    own = [
        {name: {key: params[key] for key in OBJECTIVES[name].parameters}}
        for name in METHODS[who].objectives
        if OBJECTIVES[name].texts != (LABELED,) or not alone
    ]
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
    beside = any(own["data"] == LABELED for one in objectives for own in one.values())
    asked = [(name, settled(own, beside)) for one in objectives for name, own in one.items()]
    _check_use(inputs, asked, params, run)
    known: tuple[str, ...] = ()
    if inputs.labelled or beside:
        known = label_sets_of(inputs, who)[1].labels
    inputs = _with_sample(inputs, params["sample"], rng, run)
    chosen = [(name, _opened(inputs, name, parameters)) for name, parameters in asked]
    inputs = _with_named_labels(inputs, chosen, known, run)
    if not (beside or any(opened.tells_apart for _, opened in _files(chosen))):
        run.warn("only the shares of all tokens are known: nothing tells which tokens have which label")
    if not (known or inputs.known):
        label_sets_of(inputs, who)
    how = inputs.template
    if any(OBJECTIVES[name].everything for name, _ in chosen):
        how = replace(how, pairs=how.pairs or "all", vocabulary=how.vocabulary or "all")
    made = compiled_texts(replace(inputs, template=how), run, inputs.unlabelled)
    if len(made.labels) == 1:
        run.warn(f"there is one label, '{made.labels[0]}': every token will have it")
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
    for name, opened in _files(chosen):
        also = sum(key.partition(" ")[0] == name for key in about)
        about[f"{name} {also + 1}" if also else name] = opened.about
    about = {"method": who, "parameters": _told(params, chosen), **about, **end, "iterations": iterations}
    return model(made, theta, about)


Chosen: TypeAlias = Sequence[tuple[str, Mapping[str, Any]]]  # objectives and their parameters


def _told(params: Mapping[str, Any], chosen: Chosen) -> dict[str, Any]:
    """The parameters as a model tells them: of files the digest of what is in them."""

    def of(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        opened = {key: parameters[key] for key in OBJECTIVES[name].files if parameters.get(key)}
        return {
            **parameters,
            **dict.fromkeys(OBJECTIVES[name].files, ""),
            **{key: one.digest for key, one in opened.items()},
        }

    if "objectives" in params:
        return {**params, "objectives": [{name: of(name, parameters)} for name, parameters in chosen]}
    own = {key: value for name, parameters in chosen for key, value in of(name, parameters).items()}
    return {key: own.get(key, value) for key, value in params.items()}


def _files(chosen: Chosen) -> list[tuple[str, Opened]]:
    """What was read, and for which objective."""
    return [(name, parameters[key]) for name, parameters in chosen for key in OBJECTIVES[name].files if parameters[key]]


def _check_use(inputs: Inputs, asked: Chosen, params: Mapping[str, Any], run: Run) -> None:
    """What would do nothing is an error, and what does less than it may seem a warning."""
    if inputs.labelled is None and "observed" in (inputs.template.pairs, inputs.template.edge_pairs):
        raise ConfigError("pairs and edge_pairs: without labelled sentences none is observed: say all")
    if any(own["data"] == UNLABELED for _, own in asked):
        return
    if inputs.unlabelled:
        run.warn("no objective looks at the raw text: it only says which attributes have weights for which labels")
    elif unused := next((name for name, usual in (("sample", 0), ("steps", 1)) if params[name] != usual), None):
        raise ConfigError(f"'{unused}' is for raw text, at which no objective looks")


def _with_sample(inputs: Inputs, sample: int, rng: np.random.Generator, run: Run) -> Inputs:
    """The raw text, or a sample of it if that is asked for."""
    raw = inputs.unlabelled
    if raw is None or not 0 < sample < raw.sentences:
        return inputs
    taken = np.isin(np.arange(raw.sentences), rng.permutation(raw.sentences)[:sample])
    return replace(inputs, unlabelled=run.once("sample", (raw, taken.tobytes()), lambda: selected_text(raw, taken)))


def _opened(inputs: Inputs, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of an objective, with what its files say of the text it looks at."""
    text = raw_text_of(inputs, name) if parameters["data"] == UNLABELED else label_sets_of(inputs, name)[0]
    template = inputs.template.named((inputs.labelled or text).columns)
    read = {key: registered(where)(parameters[key], template, text) for key, where in OBJECTIVES[name].files.items()}
    return {**parameters, **read}


def _with_named_labels(inputs: Inputs, chosen: Chosen, known: tuple[str, ...], run: Run) -> Inputs:
    """The labels that files name, besides those of the labelled sentences."""
    for _, opened in _files(chosen):
        inputs = with_named_labels(inputs, opened.labels, inputs.named or known, opened.path)
        for text in opened.odd(known):
            run.warn(text)
    return inputs


def _parts(inputs: Inputs, made: Compiled, chosen: Chosen) -> list[Part]:
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
    chosen: Chosen,
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
