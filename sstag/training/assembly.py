"""From what is given to what a training takes: one way for the command line, for Python, and for whatever comes next.

Whoever asks for a training knows how its texts are read, from files or from memory, and hands in functions that do so;
the order in which columns get their names, marks are found and labels are read is the same for all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText, Text
from sstag.features.choice import Choice
from sstag.features.raw_lines import with_raw_text
from sstag.features.shipped import AUTO
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over
from sstag.knowledge.labelled_features import FeatureList, read_features
from sstag.labels.checking import mistaken_labels
from sstag.labels.marks import Marks, marks_in_file
from sstag.labels.span_list import SpanList, read_spans
from sstag.model.model import Model
from sstag.training.inputs import Inputs, with_labels_read
from sstag.training.methods import METHODS
from sstag.training.parameter_specs import Parameters
from sstag.training.run import Task
from sstag.training.sentence_weights import SentenceWeights

Reads: TypeAlias = Callable[[Template], Corpus]  # a text, by the columns that a template names
ReadsRaw: TypeAlias = Callable[[Template], Text]

AS_THEY_STAND = (
    "labels are learned from as they stand (`sstag check` lists all, `sstag convert --repair` mends ill-formed ones)"
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Everything that a training is given; None where there is nothing."""

    template: Template
    labelled: Reads | None
    raw: ReadsRaw | None
    development: Reads | None
    init: Model | None
    marks: Callable[[Marks], Marks]  # from the usual marks of the first text to those that hold
    features: str | None  # the path of a list by which raw text is labelled
    rules: str | None  # the path of rules that the model keeps
    spans: str | None  # the path of a list of spans that raw text has, or does not have
    weights: Callable[[Corpus], SentenceWeights] | None  # of the labelled sentences


@dataclass(frozen=True)
class Assembled:
    """The inputs of a training, whose labels are read, and what may change its labelled sentences."""

    inputs: Inputs
    features: FeatureList | None
    weights: SentenceWeights | None
    spans: SpanList | None
    rules: str | None

    def task(self, template: Template, method: str, parameters: Parameters, seed: int, ambiguous: str | None) -> Task:
        """A training with this method, and with a template that differs in no more than its choices."""
        inputs = replace(self.inputs, template=template)
        return Task(inputs, method, parameters, seed, ambiguous, self.features, self.weights, self.spans, self.rules)

    def grown(
        self, choices: Sequence[Choice], method: str, encoder: str | None, over: Over, say: Callable[[str], None]
    ) -> dict[str, Template]:
        """The templates that were chosen, by name, with lines for raw text if this method can use them."""
        large = self.inputs.large if not METHODS[method].unlabelled else None
        raw = (large or self.inputs.unlabelled) if knows_numbers(method) else None
        made = with_raw_text(choices, raw, encoder, over, say)
        return {AUTO: made[0]} | {one.name: each for one, each in zip(choices, made, strict=True)}

    def odd(self) -> Iterator[str]:
        """A warning for each label such as `!X` where there is no X, because it may be mistyped; and for tags that are
        ill-formed, or no tags, in the scheme of the labelled sentences.
        """
        if self.inputs.reading:
            corpus, sets = self.inputs.reading.text.corpus, self.inputs.reading.text.sets
            column = corpus.column(self.inputs.template.label)
            for label in sets.marked:
                holding = (code for code, text in enumerate(corpus.values[column]) if label in text)  # perhaps in a set
                code = next(holding, None)
                if code is not None:
                    place = "{}:{}".format(*corpus.first_place(column, code))
                    yield f"{place}: the label '{label}' contains a mark, and was read as it is"
            for line in mistaken_labels(corpus, self.inputs.template.label, self.inputs.marks):
                yield f"{line}: {AS_THEY_STAND}"


def knows_numbers(method: str) -> bool:
    """Whether a method can use features that are numbers, such as predicted(…)."""
    return not METHODS[method].counts and method != "prototype"


def assembled(given: Given) -> Assembled:
    """The texts that are given, read one after another; the columns of raw text follow those of labelled sentences."""
    labelled = given.labelled(given.template) if given.labelled else None
    named = given.template.named(labelled.columns) if labelled else given.template
    raw = given.raw(named) if given.raw else None
    head = raw.head if isinstance(raw, LargeText) else raw
    first = labelled or head
    inputs = Inputs(
        given.template,
        labelled,
        None if isinstance(raw, LargeText) else raw,
        large=raw if isinstance(raw, LargeText) else None,
        development=given.development(given.template) if given.development else None,
        init=given.init,
        marks=given.marks(marks_in_file((first.files or (first.path,))[0]) if first else Marks()),
    )
    features = read_features(given.features, named.named(head.columns) if head else named) if given.features else None
    if given.weights and labelled is None:
        raise ConfigError("sentence_weights are those of labelled sentences, and there are none")
    weights = given.weights(labelled) if given.weights and labelled else None
    spans = read_spans(given.spans) if given.spans else None
    return Assembled(with_labels_read(inputs), features, weights, spans, given.rules)
