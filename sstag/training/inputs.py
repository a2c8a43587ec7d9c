"""The inputs of a training and the run around it, which every method is given, and the reading of its labels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import LargeText
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import Over, one_by_one
from sstag.knowledge.chunk_answers import ChunkAnswers
from sstag.labels.column import LabelledText, decided_text, labelled_beside, labelled_text
from sstag.labels.marks import Marks
from sstag.model.compiled import Compiled, compiled_text
from sstag.model.file_size import expected_size
from sstag.model.model import Model
from sstag.model.second_look import Counts
from sstag.training.checkpoint import Checkpoint

if TYPE_CHECKING:
    from sstag.training.climb import Climb

R = TypeVar("R")


@dataclass(frozen=True)
class Inputs:
    """The texts that a method learns from, and everything that says how they are read."""

    template: Template
    labelled: Corpus | None
    unlabelled: Corpus | None = None
    development: Corpus | None = None
    init: Model | None = None
    marks: Marks = field(default_factory=Marks)
    named: tuple[str, ...] = ()  # labels that there are besides those of the labelled sentences
    reading: "Reading | None" = None  # of the label column, if it has been read
    chunks: ChunkAnswers | None = None  # that the labelled sentences have, or do not have, beside their labels
    answered: int = 0  # of the labelled sentences, the last ones, that were raw text before answers made them such
    large: LargeText | None = None  # raw text in volumes, in place of `unlabelled`
    seed: int = 1  # of the order in which passes of stochastic gradient see sentences
    looked_at: Counts | None = None  # what a first stage predicts for the development data, which it reads before

    @property
    def known(self) -> tuple[str, ...]:
        """The labels of the earlier model, and those that are named."""
        earlier = self.init.labels if self.init else ()
        return (*earlier, *(label for label in self.named if label not in earlier))


@dataclass(frozen=True)
class Progress:
    """One iteration, as a progress line shows it."""

    iteration: int
    objective: float
    gradient_norm: float | None  # None after a pass of stochastic gradient, which does not know it
    seconds: float
    score: float | None  # on development data: F₁ of chunks, or accuracy of plain labels
    phase: str = ""  # what is trained before the rest: `start`, `argmax`


class Once(Protocol):
    """`once(name, of, make)` makes something of some things, or returns what it made of the same things before."""

    def __call__(self, name: str, of: Sequence[object], make: Callable[[], R], /) -> R: ...


def anew(name: str, of: Sequence[object], make: Callable[[], R], /) -> R:
    """`once` of a training that stands alone."""
    return make()


@dataclass(frozen=True)
class Run:
    """The surroundings of a training, none of which changes what it finds: threads, who is told of what, who may stop
    it, things that a training before it made already, and the file from which it goes on if it was stopped.
    """

    over: Over = one_by_one
    tell: Callable[[Progress], None] = lambda progress: None
    stop: Callable[[], bool] = lambda: False
    phase: str = ""
    warn: Callable[[str], None] = lambda text: None
    once: Once = anew
    checkpoint: Checkpoint | None = None
    ended: "Callable[[Climb], None]" = lambda climb: None  # is told of each climb that ended
    doing: Callable[[str], None] = lambda text: None  # is told what takes time besides iterations
    room: Callable[[int], None] = lambda size: None  # is told how many bytes a model will take, before it is trained


@dataclass(frozen=True, eq=False)
class Reading:
    """A label column as it was read, and everything else that it was read by."""

    text: LabelledText
    label: str
    marks: Marks
    known: tuple[str, ...]

    def serves(self, inputs: Inputs) -> bool:
        """Whether the label column of these inputs is the one that was read, by the same marks."""
        theirs = inputs.template.label, inputs.marks
        return self.text.corpus is inputs.labelled and (self.label, self.marks) == theirs


def with_labels_read(inputs: Inputs) -> Inputs:
    """Inputs whose label column has been read, if they have one: once, since labels that become known are added."""
    corpus, label, marks, known = inputs.labelled, inputs.template.label, inputs.marks, inputs.known
    if corpus is None or label not in corpus.columns:
        return inputs
    reading = inputs.reading
    if reading is None or not reading.serves(inputs):
        text = labelled_text(corpus, label, marks, known)
    elif reading.known != known:
        text = labelled_beside(reading.text, label, marks, known)
    else:
        return inputs
    return replace(inputs, reading=Reading(text, label, marks, known))


def with_decided(inputs: Inputs, corpus: Corpus) -> Inputs:
    """Inputs with other labelled sentences, in which every label is decided."""
    label, marks, known = inputs.template.label, inputs.marks, inputs.known
    reading = Reading(decided_text(corpus, label, marks, known), label, marks, known)
    return replace(inputs, labelled=corpus, reading=reading)


def with_weighed(inputs: Inputs, corpus: Corpus) -> Inputs:
    """Inputs whose labelled sentences have other weights, and nothing else that is new."""
    reading = inputs.reading
    if reading:
        reading = replace(reading, text=replace(reading.text, corpus=corpus))
    return replace(inputs, labelled=corpus, reading=reading)


def labelled_text_of(inputs: Inputs, who: str) -> LabelledText:
    """The labelled sentences with their label sets; without labels an error."""
    corpus, label = inputs.labelled, inputs.template.label
    if corpus is None:
        raise ConfigError(f"{who} needs labelled sentences: train (--train FILE)")
    if label not in corpus.columns:
        names = ", ".join(corpus.columns)
        raise DataError(f"no column '{label}': {who} needs labels (columns: {names})", corpus.path)
    reading = with_labels_read(inputs).reading
    assert reading
    return reading.text


def raw_text_of(inputs: Inputs, who: str) -> Corpus:
    """The raw text, whole in memory; without any an error."""
    if inputs.large:
        raise ConfigError(f"{who} looks at raw text that is whole in memory: leave out --on-disk, or the cluster")
    if inputs.unlabelled is None:
        raise ConfigError(f"{who} needs raw text: unlabeled (--unlabeled FILE)")
    return inputs.unlabelled


def with_named_labels(inputs: Inputs, named: Iterable[str], known: Sequence[str], path: str) -> Inputs:
    """Inputs that have the labels which a file names, besides the known ones."""
    marks = inputs.marks.completed()
    if wrong := next((label for label in sorted(named) if label not in known and marks.within(label)), None):
        raise DataError(f"'{wrong}' is not one label: it contains a mark (--mark NAME=TEXT changes marks)", path)
    return with_labels_read(replace(inputs, named=tuple(sorted({*known, *named}))))


def compiled_texts(
    inputs: Inputs, run: Run, raw: Corpus | None = None, large: LargeText | None = None, bundled: bool = True
) -> Compiled:
    """The template applied to the labelled sentences, and to raw text, which may lie in volumes."""
    text = labelled_text_of(inputs, "training") if inputs.labelled else None
    known = text.sets.labels if text else inputs.known
    made = run.once(
        "compiled",
        (inputs.template, inputs.labelled, raw or large, inputs.marks, known, bundled),
        lambda: compiled_text(inputs.template, text, raw, inputs.known, large, bundled),
    )
    run.room(expected_size(made))
    return made
