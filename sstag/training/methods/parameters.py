"""The parameters of each method; nothing here needs arrays, so that help is quick."""

from dataclasses import dataclass

from sstag.training.objectives import (
    DistillationParameters,
    EntropyParameters,
    ExpectationParameters,
    LabelRegularizationParameters,
    PosteriorParameters,
)
from sstag.training.objectives.listing import USUAL, Chosen, listed
from sstag.training.parameter_specs import Parameters, choice, number, parsed, path, whole

OF_WORDS = "a list of features and their labels (--expectations FILE)"
OF_PRIOR = "strength of the prior l2/2·‖θ‖²"
OF_TOLERANCE = "stop when the objective improved by less than this share in ten iterations"


@dataclass(frozen=True)
class Training(Parameters):
    """A climb to the best weights."""

    l2: float = number(0.1, OF_PRIOR)
    l1: float = number(0.0, "strength of the penalty l1·Σ|θ|: weights become exactly 0")
    max_iterations: int = whole(1000, "the most iterations of the optimiser")
    tolerance: float = number(1e-4, OF_TOLERANCE)
    patience: int = whole(10, "with development data: stop after so many iterations without a better score (0: never)")


@dataclass(frozen=True)
class Supervised(Training):
    """A climb to the best weights for labelled sentences alone, or passes of stochastic gradient over them."""

    epochs: int = whole(0, "so many passes of stochastic gradient instead of a climb to the optimum (0: the climb)")


@dataclass(frozen=True)
class Climbing(Training):
    """A climb, or several, of what looks at labelled and at raw text."""

    tolerance: float = number(1e-5, OF_TOLERANCE)
    start: str = choice(
        "raw text: from the best weights for the labelled sentences alone, or from zero", "supervised", "zero"
    )
    steps: int = whole(1, "raw text: what looks at it comes to its full strength in so many steps, a climb each", 1)
    sticky: float = number(
        0.0, "the prior's mean of the weight that a step keeps its label, instead of 0", least=float("-inf")
    )
    sample: int = whole(0, "raw text: only so many of its sentences, drawn by the seed (0: all)")


@dataclass(frozen=True)
class Smoothed(Parameters):
    """Counts."""

    smoothing: float = number(0.1, "what is added to every count", least=1e-9)


@dataclass(frozen=True)
class SelfTraining(Supervised):
    """Rounds of labelling raw text."""

    rounds: int = whole(20, "the most rounds")
    settled: float = number(0.0005, "rounds end when no more than this share of the raw labels changes", most=1)
    confidence: float = number(0.0, "found labels less probable than this stay open", most=1)


@dataclass(frozen=True)
class EntropyMethod(EntropyParameters, Climbing):
    """A climb of likelihood and entropy."""


@dataclass(frozen=True)
class ExpectationMethod(ExpectationParameters, Climbing):
    """A climb of likelihood and expectations; a weaker prior costs up to five points."""

    l2: float = number(1.0, OF_PRIOR)
    stay: float = number(0.0, "the share of steps in raw text that keep the label (0: not said)", most=0.999)


@dataclass(frozen=True)
class LabelRegularizationMethod(LabelRegularizationParameters, Climbing):
    """A climb of likelihood and label regularisation."""


@dataclass(frozen=True)
class Distill(DistillationParameters, Climbing):
    """A climb of likelihood and distillation."""


@dataclass(frozen=True)
class ExpectedGradient(Supervised):
    """A climb on raw text that a list labels."""

    expectations: str = path(OF_WORDS)


@dataclass(frozen=True)
class ConstraintDriven(Smoothed):
    """Rounds of labelling raw text under rules."""

    rules: str = path("rules for whole labellings, YAML (--rules FILE)")
    rounds: int = whole(5, "how often the raw text is labelled")
    beam: int = whole(50, "how many labellings of a sentence are looked at, and learned from", 1, 1000)
    mixing: float = number(0.9, "the share of what the labelled sentences say, beside the raw text", most=1)


@dataclass(frozen=True)
class PosteriorHmm(PosteriorParameters, Smoothed):
    """Rounds of counting raw text under known shares of labels."""

    rounds: int = whole(20, "the most rounds", 1)


@dataclass(frozen=True)
class Prototype(Training):
    """A climb of the probability of raw text."""

    l2: float = number(1.0, OF_PRIOR)
    tolerance: float = number(1e-5, OF_TOLERANCE)
    expectations: str = path("a list of words and their labels (--expectations FILE)")
    noise: float = number(0.01, "the standard deviation of the weights that the climb begins at")


@dataclass(frozen=True)
class Composed(Climbing):
    """A climb of whatever objectives are listed."""

    l2: float = number(0.1, f"{OF_PRIOR}; 1 if an expectation is among the objectives")
    objectives: tuple[Chosen, ...] = parsed(USUAL, "what is added up", "a list of objectives", listed)
    expectations: str = path("the list for objectives that name none of their own (--expectations FILE)")
