"""Criteria on lattices. All are maximised; they add up (`criterion.py`).

`OBJECTIVES` is plain data, so that listing objectives and their parameters imports nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sstag.foundation.registry import Where
from sstag.training.parameter_specs import Depending, Parameters, choice, depending, number, path

if TYPE_CHECKING:
    from sstag.training.objectives.contract import MakesObjective, Reader

LABELED, UNLABELED = TEXTS = "labeled", "unlabeled"  # as `data` names them
DISTANCES = ("kl", "squared")  # of shares


@dataclass(frozen=True)
class RegisteredObjective:
    """An objective: the function that makes it, a line of help, what it can be set to, and the texts it can look at,
    the first of them unless `data` says another.

    A parameter that is a path has a reader (`reads`, see `contract.Opened`): a configuration's path is relative to its
    folder, and a model tells the file's digest. An objective that has `everything` learns of attributes that only raw
    text has, and has weights for all pairs, unless the template says otherwise. One that can look at `volumes` needs no
    text that is whole in memory.
    """

    where: "Where[MakesObjective]"
    help: str
    parameters: type[Parameters] = Parameters
    texts: tuple[str, ...] = (UNLABELED, LABELED)
    reads: "Where[Reader] | None" = None
    everything: bool = False
    volumes: bool = False


@dataclass(frozen=True)
class EntropyParameters(Parameters):
    """How sure raw text should be of its labels."""

    gamma: float = number(0.001, "γ, how much the entropy counts; below 0 labels become less sure", least=float("-inf"))
    per: str = choice("the sum over sentences, or each divided by its tokens", "sentence", "token")
    algorithm: str = choice(
        "how the gradient is found, which changes the time alone", "covariance", "constrained", "nested"
    )


@dataclass(frozen=True)
class WithExpectations(Parameters):
    """A list of features, or of shares, of its own."""

    expectations: str = path("a list of features and their labels (--expectations FILE)")


@dataclass(frozen=True)
class ExpectationParameters(WithExpectations):
    """How close features come to their shares of labels."""

    strength: float | Depending = depending(
        beside=3.0, alone=100.0, help="λ, how much each feature counts, unless the list says more"
    )
    distance: str = choice("how far shares are from those of the list", *DISTANCES)


@dataclass(frozen=True)
class LabelRegularizationParameters(WithExpectations):
    """How close raw text comes to the shares of labels that labelled text has."""

    expectations: str = path("other shares, a list with a line for * (--expectations FILE)")
    strength: float = number(1.0, "λ, how much each raw token counts, or each that the error of the shares is worth")
    counting: str = choice("λ for each raw token, or for each whose error the counted shares have", "token", "error")
    errors: float = number(1.0, "so many standard errors around a counted share nothing is lost (0: the share exactly)")
    smoothing: float = number(0.1, "what is added to the count of every label, so that one never seen has a share")
    distance: str = choice("how far shares are from those", *DISTANCES)


@dataclass(frozen=True)
class RejectionParameters(Parameters):
    """Chunks that sentences have, or do not have."""

    spans: str = path("a list of spans, those that are not there with ! before their type")


@dataclass(frozen=True)
class DistillationParameters(Parameters):
    """How close raw text comes to what another tagger says."""

    teacher: str = path("a model whose probabilities are to be learned")
    strength: float = number(1.0, "λ, how much each raw sentence counts beside a labelled one")


@dataclass(frozen=True)
class PosteriorParameters(WithExpectations):
    """How far the tagger is from labellings in which features have their shares of labels."""

    strength: float = number(1.0, "λ, how much each raw sentence counts beside a labelled one")
    slack: float = number(10.0, "s, how much it costs to miss the shares of a feature", least=1e-6)
    distance: str = choice(
        "by what it is missed: ½ of the squared distance, or KL(the shares ‖ those found)", *DISTANCES[::-1]
    )


@dataclass(frozen=True)
class MarginParameters(Parameters):
    """How much it costs to miss each label."""

    costs: str = path("a list of labels, each with what it costs to miss it")


@dataclass(frozen=True)
class StepParameters(Parameters):
    """Which labels follow one another, and how often."""

    stay: float = number(0.0, "the share of steps that keep the label (0: not said)", most=0.999)
    shares: str = path("a list of labels and the shares of what follows them")
    strength: float = number(1.0, "λ, how much each raw token counts, unless the list says more")
    distance: str = choice("how far shares are from those", *DISTANCES)


OBJECTIVES = {
    "likelihood": RegisteredObjective(
        Where("sstag.training.objectives.likelihood:likelihood"),
        "log-likelihood of the labels, over the labels that each token may have",
        texts=(LABELED,),
    ),
    "entropy": RegisteredObjective(
        Where("sstag.training.objectives.entropy:entropy"),
        "−γ times the entropy of the labels of each sentence: γ > 0 makes them surer",
        EntropyParameters,
        volumes=True,
    ),
    "expectation": RegisteredObjective(
        Where("sstag.training.objectives.expected_shares:expectation"),
        "features of the text, whose labels should have given shares (generalized expectation)",
        ExpectationParameters,
        reads=Where("sstag.knowledge.expectations:placed_with_steps"),
        everything=True,
        volumes=True,
    ),
    "label-regularization": RegisteredObjective(
        Where("sstag.training.objectives.expected_shares:label_regularization"),
        "all tokens, whose labels should have the shares of the labelled ones",
        LabelRegularizationParameters,
        reads=Where("sstag.knowledge.expectations:placed_everywhere"),
        volumes=True,
    ),
    "posterior": RegisteredObjective(
        Where("sstag.training.objectives.posterior:posterior"),
        "nearness to labellings in which features have given shares of labels (posterior regularisation)",
        PosteriorParameters,
        reads=Where("sstag.knowledge.expectations:placed"),
        everything=True,
    ),
    "margin": RegisteredObjective(
        Where("sstag.training.objectives.margin:margin"),
        "log-likelihood in which missing a label has a cost of its own (softmax-margin), in place of likelihood",
        MarginParameters,
        texts=(LABELED,),
        reads=Where("sstag.knowledge.label_costs:read_costs"),
    ),
    "steps": RegisteredObjective(
        Where("sstag.training.objectives.step_shares:steps"),
        "steps between labels, which should have given shares: how long fields are, and what follows what",
        StepParameters,
        reads=Where("sstag.knowledge.step_list:read_steps"),
        volumes=True,
    ),
    "rejection": RegisteredObjective(
        Where("sstag.training.objectives.listed_chunks:rejection"),
        "log-probability of having the accepted chunks of a list and none of its rejected ones",
        RejectionParameters,
        reads=Where("sstag.knowledge.chunk_answers:answered"),
    ),
    "distill": RegisteredObjective(
        Where("sstag.training.objectives.teacher:distillation"),
        "labellings as probable as another model says: −λ times the divergence from its distribution",
        DistillationParameters,
        reads=Where("sstag.training.objectives.teacher:read_teacher"),
        everything=True,
    ),
}
