"""The teacher of a distillation: a model, the digest of its file, and its scores of the sentences of a text."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import Text
from sstag.features.template import Template
from sstag.foundation.display import first_of
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import translated_errors
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import in_batches
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.second_look import in_own_context
from sstag.model.weight_map import DataMap, Weights
from sstag.training.objectives import DistillationParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.distillation import Distillation

FEW = 5  # labels that a warning names


@dataclass(frozen=True)
class Teacher:
    """A model that says how probable labellings of raw text are."""

    path: str
    digest: str
    model: Model

    @property
    def labels(self) -> Set[str]:
        return frozenset(self.model.labels)

    @property
    def tells_apart(self) -> bool:
        return True

    @property
    def about(self) -> Mapping[str, Json]:
        return {"sha256": self.digest, "method": self.model.about.get("method")}

    def odd(self, known: Sequence[str]) -> list[str]:
        found = []
        new = [label for label in self.model.labels if label not in known]
        if known and 2 * len(new) > len(self.model.labels):
            shown = first_of(new, FEW)
            found.append(
                f"{self.path}: most labels of the teacher are in no labelled sentence ({shown}): is it the right one?"
            )
        if self.model.rules is not None:
            found.append(f"{self.path}: its rules do not count, since what is distilled is how probable labels are")
        return found

    def scores(self, text: Corpus) -> Iterator[Potentials]:
        """The scores of the sentences of a text, batch by batch."""
        data = self.model.dataset(text)
        weights = Weights(DataMap(self.model.weight_map, data), self.model.theta)
        for batch in in_batches(data, len(self.model.labels)):
            yield weights.potentials(batch)


def read_teacher(path: str, template: Template, text: Text) -> Teacher:
    """The teacher in a model file."""
    if not path:
        raise ConfigError("distill needs a teacher: a model that labels the raw text (--set teacher=MODEL)")
    with translated_errors(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Teacher(path, digest, load(path))


def distillation(parameters: DistillationParameters, ground: Ground, opened: Teacher) -> Distillation:
    """The objective whose teacher a file has; a teacher of two stages reads the text before it labels it."""
    opened = replace(opened, model=in_own_context(opened.model, ground.corpus, one_by_one))
    place = {label: index for index, label in enumerate(ground.compiled.labels)}
    to = np.array([place[label] for label in opened.model.labels], np.int64)
    return Distillation(parameters.strength, lambda some: opened.scores(ground.corpus.part(some)), to)
