"""Rounds of annotation: choose tokens, have their labels told, and train on all known labels from the last model on.

    known₀ = nothing;    θ₀ from what is asked first, which needs no model
    a round:  ask for what the strategy chooses of the pool under θ;  θ' = the optimum for all that is known, from θ

Whole sentences are asked for first by every strategy that needs a model. What stays open is summed over (`partial`); if
nothing is open the criterion is concave, and a warm start changes how long a round takes and nothing else.

The raw text of a template with predicted(…) is the pool, which its models read before they choose from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.lexicon import Lexicon
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over, one_by_one
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.model.second_look import in_own_context
from sstag.selection.budget import Budget
from sstag.selection.candidates import Pool
from sstag.selection.choosing import Choice, Wish, chosen
from sstag.selection.density import Density
from sstag.selection.simulation.annotator import Annotator, Known, nothing_known
from sstag.selection.strategies import CHANCE, STRATEGIES
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.parameters import Training
from sstag.training.parameter_specs import Parameters
from sstag.training.run import Task, trained

SENTENCES, TOKENS = UNITS = ("sentences", "tokens")


@dataclass(frozen=True, eq=False)
class Scene:
    """The parts of a simulation that stay as they are in all rounds."""

    template: Template
    annotator: Annotator
    method: str = "partial"
    parameters: Parameters = field(default_factory=Training)
    marks: Marks = field(default_factory=Marks)
    first: str = CHANCE  # the strategy of the first round, where the one that is looked at needs a model
    density: Density | None = None
    terms: Lexicon | None = None
    meaning: Template | None = None  # its dense features say what sentences mean; None: those of the template do
    over: Over = one_by_one
    warm: bool = True


@dataclass(frozen=True, eq=False)
class Round:
    """The outcome of a round: all that is known after it, and the model that was learned from it."""

    known: Known
    model: Model
    choice: Choice  # what was asked for in it

    @property
    def tokens(self) -> int:
        """How many tokens the annotator has labelled so far."""
        return int(self.known.asked.sum())

    @property
    def sentences(self) -> int:
        """How many sentences the annotator has seen so far."""
        return int(self.known.sentences.sum())


def rounds(scene: Scene, wish: Wish, totals: Sequence[int], unit: str) -> Iterator[Round]:
    """A round for each total, which is the most that may have been asked for after it.

    The unit is sentences (or spans, if these are asked for) or tokens. A total that leaves no room for another question
    has no round.
    """
    if list(totals) != sorted(set(totals)) or not totals or totals[0] < 1:
        raise ConfigError(f"the totals of a curve are numbers from 1 up, each above the one before, not {totals}")
    last: Round | None = None
    asked = 0
    for number, total in enumerate(totals):
        left = total - (asked if unit == SENTENCES else last.tokens if last else 0)
        if left < 1:
            continue
        budget = Budget(count=left) if unit == SENTENCES else Budget(tokens=left)
        seed = int(np.random.SeedSequence([wish.seed, number]).generate_state(1)[0])
        found = next_round(scene, replace(wish, budget=budget, seed=seed), last)
        if found is None:
            continue
        asked += len(found.choice.candidates)
        last = found
        yield found


def next_round(scene: Scene, wish: Wish, last: Round | None) -> Round | None:
    """One round, or None if nothing that is left fits into the budget."""
    if last is None and _needs_model(scene, wish):
        wish = Wish(scene.first, wish.budget, seed=wish.seed)
    known = last.known if last else nothing_known(scene.annotator, scene.marks.unknown or "")
    model = last.model if last else None
    reader = in_own_context(model, known.text, scene.over) if model else None  # a model of two stages counts the pool
    pool = Pool(
        known.text, known.label, scene.over, reader, scene.density, scene.terms, scene.meaning or scene.template
    )
    choice = _choice(scene, pool, wish, known)
    if not len(choice.candidates):
        return None
    known = known_after(scene, pool, choice, known)
    return Round(known, learned(scene, known, model), choice)


def _needs_model(scene: Scene, wish: Wish) -> bool:
    return STRATEGIES[wish.strategy].model or wish.spans


def _choice(scene: Scene, pool: Pool, wish: Wish, known: Known) -> Choice:
    """The tokens that a round asks for; none of them has been labelled before."""
    before: list[Corpus] = [known.labelled] if known.sentences.any() else []
    return chosen(pool, wish, before, known.label, known.texts[0])


def known_after(scene: Scene, pool: Pool, choice: Choice, known: Known) -> Known:
    """The labels that are known when a choice has been answered; with `sesal` the model gives those of other tokens."""
    tokens = choice.candidates.tokens
    if choice.candidates.asked is not None:
        assert pool.model
        every = replace(choice.candidates, asked=None).tokens
        rest = every[~choice.candidates.asked[every]]
        known = known.with_labels(rest, [pool.model.labels[y] for y in pool.labels_found[rest].tolist()], asked=False)
    return known.with_labels(tokens, scene.annotator.labels_of(tokens), asked=True)


def learned(scene: Scene, known: Known, start: Model | None) -> Model:
    """The model that is trained on the known labels, from an earlier model on if starts are warm."""
    raw = known.text if scene.template.predicted else None
    inputs = Inputs(scene.template, known.labelled, raw, init=start if scene.warm else None, marks=scene.marks)
    return trained(Task(inputs, scene.method, scene.parameters), Run(scene.over))
