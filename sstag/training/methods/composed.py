"""A sum of objectives of labelled and of raw text, climbed from the supervised optimum (J06 §3; T08 §5.2).

    maximise  Σ objectives(labelled) + Σ objectives(raw) − l2/2 ‖θ‖² − l1 Σ|θ|

Such sums are seldom concave, so the start matters: an earlier model, or the weights `partial` finds for the labelled
sentences, with the attributes and pairs that the raw text adds; or zero. In `steps`, what looks at raw text counts 1/k,
2/k, … of its strength, each climb from the end of the one before. Limit: the likelihood alone is `partial`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import cast

import numpy as np

from sstag.corpus import volumes
from sstag.corpus.corpus import selected as selected_text
from sstag.corpus.volumes import LargeText, Text
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, Interrupted
from sstag.foundation.json_values import Json
from sstag.foundation.registry import registered
from sstag.knowledge.expectations import Expectations
from sstag.model.batches import selected
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import About, Model, model
from sstag.training.answered import answered_parts
from sstag.training.climb import climbed, start_weights
from sstag.training.criterion import LargePart
from sstag.training.echoes import warn_of_echoes
from sstag.training.in_volumes import can_be_in_volumes
from sstag.training.inputs import Inputs, Run, compiled_texts, labelled_text_of, raw_text_of, with_named_labels
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Climbing, Composed, Training
from sstag.training.methods.partial import best
from sstag.training.objectives import LABELED, OBJECTIVES, UNLABELED, EntropyParameters, WithExpectations
from sstag.training.objectives.contract import Ground, OfVolumes, Opened
from sstag.training.objectives.listing import DATA, Chosen, usual
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.outcome import EARLIER, ZERO, Outcome, Start
from sstag.training.parameter_specs import narrowed, settled, told
from sstag.training.raw_text_told import told_of_raw_text

HOLDING = {"label-regularization", "expectation", "posterior"}  # objectives that hold shares of labels
ENTROPY_ALONE = (
    "the entropy alone makes labels surer without holding their shares, which costs more often than it gains (beside "
    "label-regularization it costs less, and --tune judges gamma)"
)


def train(inputs: Inputs, params: Composed, rng: np.random.Generator, run: Run) -> Model:
    """The best weights for the objectives in a list."""
    objectives = _with_common_list(params.objectives, params.expectations)
    return summed("composed", inputs, objectives, params, rng, run)


def _with_common_list(objectives: tuple[Chosen, ...], path: str) -> tuple[Chosen, ...]:
    """The objectives, of which those without a list of expectations have this one."""
    if not path:
        return objectives
    taking = [one for one in objectives if isinstance(one.parameters, WithExpectations)]
    if all(one.path for one in taking):
        why = f"have lists of their own (--set {taking[0].name}.expectations=FILE)" if taking else "take none"
        raise ConfigError(f"a list of expectations is given, but the objectives {why}")
    return tuple(
        replace(one, parameters=replace(one.parameters, expectations=one.path or path))
        if isinstance(one.parameters, WithExpectations)
        else one
        for one in objectives
    )


def shorthand(
    who: str,
    inputs: Inputs,
    params: Climbing,
    rng: np.random.Generator,
    run: Run,
    beside: tuple[Chosen, ...] = (),
) -> Model:
    """The best weights for the objectives of a method, whose parameters are its own, and for others beside them."""
    entries = {name: OBJECTIVES[name] for name in METHODS[who].objectives}
    alone = inputs.labelled is None and any(entry.reads for entry in entries.values())
    own = tuple(
        usual(name, narrowed(entry.parameters, params))
        for name, entry in entries.items()
        if entry.texts != (LABELED,) or not alone
    )
    return summed(who, inputs, (*beside, *own), params, rng, run)


def summed(
    who: str, inputs: Inputs, objectives: Sequence[Chosen], params: Climbing, rng: np.random.Generator, run: Run
) -> Model:
    """The best weights for a list of objectives, and how they were found."""
    beside = any(one.data == LABELED for one in objectives)
    asked = [replace(one, parameters=settled(one.parameters, beside)) for one in objectives]
    _check_use(inputs, asked, params, run)
    known: tuple[str, ...] = ()
    if inputs.labelled or beside:
        known = labelled_text_of(inputs, who).sets.labels
    inputs = _in_volumes(_with_sample(inputs, params.sample, rng, run), asked, run)
    chosen = [Read(one, _opened(inputs, one)) for one in asked]
    inputs = _with_named_labels(inputs, chosen, known, run)
    if not (beside or any(one.opened and one.opened.tells_apart for one in chosen)):
        run.warn("only the shares of all tokens are known: nothing tells which tokens have which label")
    if not (known or inputs.known):
        labelled_text_of(inputs, who)
    how = inputs.template
    if any(one.of.entry.everything for one in chosen):
        how = replace(how, pairs=how.pairs or "all", vocabulary=how.vocabulary or "all")
    made = compiled_texts(replace(inputs, template=how), run, inputs.unlabelled, inputs.large)
    if len(made.labels) == 1:
        run.warn(f"there is one label, '{made.labels[0]}': every token will have it")
    parts, large = _parts(inputs, made, chosen), _large_part(inputs, made, chosen)
    theta, start = _start(inputs, made, chosen, params, run)
    found = _in_steps(inputs, made, parts, large, params, run, theta)
    about: About = {"method": who, "parameters": _told(params, chosen), **start.about}
    looking = {one.of.name: one.of.parameters for one in chosen if one.of.data == UNLABELED}
    lists = [one.opened for one in chosen if one.of.name == "label-regularization"]
    about |= told_of_raw_text(made, looking, lists[0] if lists else None, theta, found.theta, run)
    for name, opened in _numbered(chosen):
        about[name] = opened.about
    return model(made, found.theta, {**about, **found.about})


def _in_steps(
    inputs: Inputs,
    made: Compiled,
    parts: Sequence[Part],
    large: LargePart | None,
    params: Climbing,
    run: Run,
    start: Floats,
) -> Outcome:
    """The end of a climb for each step, each from the end of the one before; raw text comes to its full strength."""
    found, iterations = None, 0
    theta = start
    for step in range(1, params.steps + 1):
        share = step / params.steps
        phase = f"step {step} of {params.steps}" if params.steps > 1 else ""
        raised = [replace(part, factor=share) if part.data is made.unlabelled else part for part in parts]
        spread = replace(large, factor=share) if large else None
        try:
            found = climbed(inputs, made, raised, params, replace(run, phase=phase), theta, spread)
        except Interrupted:
            if not theta.any():
                raise
            if found is None:  # what there is already is better than nothing
                return Outcome(theta, 0, False, REQUESTED, None)
            return replace(found, iterations=iterations, reason=REQUESTED, converged=False)
        theta, iterations = found.theta, iterations + found.iterations
    assert found is not None
    return replace(found, iterations=iterations)


@dataclass(frozen=True, eq=False)
class Read:
    """An objective of a list, and its file as it was read, if it has one."""

    of: Chosen
    opened: Opened | None


def _told(params: Climbing, chosen: Sequence[Read]) -> dict[str, Json]:
    """The parameters as a model tells them: of files the digest of their content."""
    said = [one.of.told(one.opened.digest if one.opened else "") for one in chosen]
    if not isinstance(params, Composed):
        return told(params) | {name: value for own in said for name, value in own.items()}
    objectives = [{one.of.name: {**own, DATA: one.of.data}} for one, own in zip(chosen, said, strict=True)]
    return {**told(params), "objectives": objectives, "expectations": ""}


def _numbered(chosen: Sequence[Read]) -> Iterator[tuple[str, Opened]]:
    """The files that were read, by the names of their objectives, and a number if one stands there again."""
    times: Counter[str] = Counter()
    for one in chosen:
        if one.opened:
            times[one.of.name] += 1
            again = times[one.of.name]
            yield f"{one.of.name} {again}" if again > 1 else one.of.name, one.opened


def _check_use(inputs: Inputs, asked: Sequence[Chosen], params: Climbing, run: Run) -> None:
    """An error if something would do nothing, and a warning if it does less than it may seem."""
    if inputs.labelled is None and "observed" in (inputs.template.pairs, inputs.template.edge_pairs):
        raise ConfigError("pairs and edge_pairs: without labelled sentences none is observed: say all")
    raw = {one.name: one.parameters for one in asked if one.data == UNLABELED}
    entropy = raw.get("entropy")
    if isinstance(entropy, EntropyParameters) and entropy.gamma > 0 and not HOLDING & raw.keys():
        run.warn(ENTROPY_ALONE)
    if raw:
        return
    if inputs.unlabelled or inputs.large:
        run.warn("no objective looks at the raw text: it only says which attributes have weights for which labels")
    elif unused := "sample" if params.sample else "steps" if params.steps > 1 else "":
        raise ConfigError(f"'{unused}' is for raw text, at which no objective looks")


def _with_sample(inputs: Inputs, sample: int, rng: np.random.Generator, run: Run) -> Inputs:
    """The raw text, or a sample of it if that is asked for."""
    raw = inputs.unlabelled
    if raw is None or not 0 < sample < raw.sentences:
        return inputs
    taken = np.isin(np.arange(raw.sentences), rng.permutation(raw.sentences)[:sample])
    return replace(inputs, unlabelled=run.once("sample", (raw, taken.tobytes()), lambda: selected_text(raw, taken)))


def _in_volumes(inputs: Inputs, asked: Sequence[Chosen], run: Run) -> Inputs:
    """Raw text of several volumes as such, wherever all that look at it can look at volumes.

    So the sums do not depend on where it lies: in memory, on disk, or on other machines.
    """
    raw = inputs.unlabelled
    if raw is None or raw.tokens <= volumes.VOLUME or not can_be_in_volumes(inputs.template, asked):
        return inputs
    large = run.once("volumes", (raw,), lambda: volumes.in_volumes(raw, run.over, volumes.VOLUME))
    return replace(inputs, unlabelled=None, large=large)


def _opened(inputs: Inputs, one: Chosen) -> Opened | None:
    """The file of an objective, read for the text that the objective looks at; a text that is not there is an error."""
    text: Text
    if one.data == UNLABELED:
        text = inputs.large or raw_text_of(inputs, one.name)
    else:
        text = labelled_text_of(inputs, one.name).corpus
    if one.entry.reads is None:
        return None
    columns = (inputs.labelled or (text.head if isinstance(text, LargeText) else text)).columns
    return registered(one.entry.reads)(one.path, inputs.template.named(columns), text)


def _with_named_labels(inputs: Inputs, chosen: Sequence[Read], known: tuple[str, ...], run: Run) -> Inputs:
    """The labels that files name, besides those of the labelled sentences."""
    for one in chosen:
        if one.opened:
            inputs = with_named_labels(inputs, one.opened.labels, inputs.named or known, one.opened.path)
            for text in one.opened.odd(known):
                run.warn(text)
            if isinstance(one.opened, Expectations):
                warn_of_echoes(one.opened.listed, one.opened.targets, inputs, run)
    return inputs


def _parts(inputs: Inputs, made: Compiled, chosen: Sequence[Read]) -> list[Part]:
    """The objectives by what they look at: the likelihood at sentences with a label, the others at all."""
    parts = []
    for text, corpus, data in (
        (LABELED, inputs.labelled, made.labelled),
        (UNLABELED, inputs.unlabelled, made.unlabelled),
    ):
        here = [one for one in chosen if one.of.data == text]
        if corpus is None or data is None or not here:
            continue
        ground = Ground(corpus, data, made)
        likelihoods, others = (
            tuple(
                registered(one.of.entry.where)(one.of.parameters, ground, one.opened)
                for one in here
                if (one.of.name == "likelihood") == supervised
            )
            for supervised in (True, False)
        )
        if likelihoods:
            parts += [] if data.free.all() else [Part(selected(data, ~data.free), likelihoods)]
            parts += answered_parts(inputs, made.labels, data)
        parts += [Part(data, others)] if others else []
    return parts


def _large_part(inputs: Inputs, made: Compiled, chosen: Sequence[Read]) -> LargePart | None:
    """The objectives that look at raw text in volumes."""
    here = [one for one in chosen if one.of.data == UNLABELED]
    if not (inputs.large and made.volumes and here):
        return None
    none = Incidence(np.zeros(1, np.int64), np.zeros(0, np.int32), None)
    empty = Dataset(np.zeros(1, np.int64), none, none, None, np.zeros((0, len(made.labels)), bool))
    ground = Ground(inputs.large.head, empty, made, inputs.large.tokens)
    objectives = [registered(one.of.entry.where)(one.of.parameters, ground, one.opened) for one in here]
    return LargePart(made.volumes, tuple(cast(OfVolumes, one) for one in objectives))


def _start(inputs: Inputs, made: Compiled, chosen: Sequence[Read], params: Climbing, run: Run) -> tuple[Floats, Start]:
    """The weights at which the climb begins, and how they were found."""
    supervised = params.start == "supervised" and any(one.of.name == "likelihood" for one in chosen)
    if inputs.init or not supervised or made.labelled is None:
        return start_weights(inputs, made), EARLIER if inputs.init else ZERO
    data, training = made.labelled, narrowed(Training, params)
    of = made, inputs.development, *astuple(training)
    before, found = run.once("start", of, lambda: best(inputs, made, data, training, replace(run, phase="start")))
    return found.theta, Start("what is labelled", found.iterations + (before.iterations or 0))
