"""A training, or several that differ in a few values, as Python asks for it; and the tasks that this comes to."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read_files
from sstag.features.choice import Choice, choices_for
from sstag.features.raw_lines import looking_twice
from sstag.features.reading import CHOICES, chosen
from sstag.features.shipped import AUTO, is_name
from sstag.features.template import Template
from sstag.foundation.documents import Document
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over
from sstag.interfaces.python.models import loaded
from sstag.interfaces.python.templates import AnyTemplate, Path, load_template
from sstag.interfaces.python.texts import Labels, ReadsFiles, Text, fitted, in_lists, labelled_text, raw_text, sample_of
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.selection.density.weighing import weights_in
from sstag.training.assembly import Given, assembled, knows_numbers
from sstag.training.configuration import TEMPLATE, of_one_reading
from sstag.training.methods.completion import LISTS, RULES, completed, keeps_rules, refuse_fixed, usual_method
from sstag.training.run import Task
from sstag.training.sentence_weights import SentenceWeights, of_numbers


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The arguments of `train`, but for those that change nothing in what is found."""

    template: AnyTemplate | None
    sentences: Text | None
    labels: Labels | None
    dev: Text | None
    dev_labels: Labels | None
    unlabeled: Text | None
    labeled_features: Path | None
    rejected: Path | None
    expectations: Path | None
    rules: Path | None
    sentence_weights: Sequence[float] | Path | None
    weight_scale: str
    weight_exponent: float
    init: Model | Path | None
    method: str | None
    ambiguous: str | None
    marks: Marks | None
    seed: int
    parameters: Mapping[str, Json]
    encoder: Path | None = None
    choices: tuple[Choice, ...] = ()  # in place of a template

    def choosing(self, several: bool) -> "Asked":
        """These arguments with a choice of a template, or of several to be tried, if none is named."""
        if self.template not in (None, AUTO) or not is_name(AUTO):
            if self.encoder is not None:
                raise ConfigError("encoder= is for a template that is chosen: name encoders in the template")
            return self
        encoder = None if self.encoder is None else os.fspath(self.encoder)
        sentences, labels, raw = in_lists(self.sentences), in_lists(self.labels), in_lists(self.unlabeled)
        chosen = replace(self, sentences=sentences, labels=labels, unlabeled=raw)
        if (text := raw if sentences is None else sentences) is None:
            raise ConfigError("which template? there is no text to choose one by: template=")
        sample = sample_of(text, labels, sentences is not None)
        return replace(chosen, template=AUTO, choices=tuple(choices_for(sample, several, encoder)))

    def tasks(
        self,
        points: Sequence[Mapping[str, Json]],
        over: Over,
        warn: Callable[[str], None],
        raw: ReadsFiles = read_files,
    ) -> list[Task]:
        """A training for each of these values of parameters; the texts are read once."""
        given = [{**self.parameters, **self._lists(), **point} for point in points]
        objectives, expectations, rules = (name in given[0] for name in ("objectives", *LISTS))
        rules = rules and self.unlabeled is not None
        method = self.method or usual_method(objectives, expectations, rules, self.rejected is not None)
        kept_rules = given[0].get(RULES) if keeps_rules(method) else None
        given = [{key: value for key, value in one.items() if kept_rules is None or key != RULES} for one in given]
        for one in given:
            refuse_fixed(method, [key for key in CHOICES if key in one])
        templates = [self._first_template(method)] if self.choices else self._templates(given, points, self._loaded)
        own = [completed(method, {key: one[key] for key in one if key not in (*CHOICES, TEMPLATE)}) for one in given]
        material = assembled(self._given(templates[0], over, None if kept_rules is None else str(kept_rules), raw))
        for text in material.odd():
            warn(text)
        if self.choices:
            encoder = None if self.encoder is None else os.fspath(self.encoder)
            grown = material.grown(self.choices, method, encoder, over, lambda said: None)
            templates = self._templates(given, points, lambda name: grown[name or AUTO])
        return [
            material.task(how, method, values, self.seed, self.ambiguous)
            for how, values in zip(templates, own, strict=True)
        ]

    def _templates(
        self, given: Sequence[dict[str, Json]], points: Sequence[Mapping[str, Json]], load: Callable[[str], Template]
    ) -> list[Template]:
        """The template of each point, of which values to try may name others."""
        names = [str(point.get(TEMPLATE, "")) for point in points]
        made = of_one_reading({name: load(name) for name in dict.fromkeys(names)})
        return [
            chosen(made[name], Document({key: one.get(key) for key in CHOICES}, {}, "parameters"))
            for name, one in zip(names, given, strict=True)
        ]

    def _first_template(self, method: str) -> Template:
        """The template that was chosen, by which texts are read."""
        twice = self.unlabeled is not None and knows_numbers(method)
        return looking_twice(self.choices[0]) if twice else self.choices[0].template

    def _loaded(self, name: str) -> Template:
        """The template of a name, or the one that is given; one that comes with sstag for the columns of the text."""
        assert self.template is not None
        template = load_template(name or self.template)
        if self.sentences is not None:
            return fitted(template, self.sentences, self.labels is not None)
        return template if self.unlabeled is None else fitted(template, self.unlabeled, False, raw=True)

    def _lists(self) -> dict[str, Json]:
        """The paths of lists that are parameters of a method."""
        paths = {name: getattr(self, name) for name in LISTS}
        for name, path in paths.items():
            if path is not None and not isinstance(path, str | os.PathLike):
                raise ConfigError(f"{name} is the path of a list, not {type(path).__name__}")
        return {name: os.fspath(path) for name, path in paths.items() if path is not None}

    def _given(self, template: Template, over: Over, rules: str | None, raw: ReadsFiles) -> Given:
        if self.sentences is None and self.labels is not None:
            raise ConfigError("labels, but no sentences")
        if self.dev is None and self.dev_labels is not None:
            raise ConfigError("dev_labels, but no sentences: dev")
        sentences, dev, unlabeled = self.sentences, self.dev, self.unlabeled
        return Given(
            template=template,
            labelled=None if sentences is None else partial(labelled_text, sentences, self.labels),
            raw=None if unlabeled is None else partial(raw_text, unlabeled, raw),
            development=None if dev is None else partial(labelled_text, dev, self.dev_labels),
            init=None if self.init is None else loaded(self.init),
            marks=lambda usual: self.marks or usual,
            features=None if self.labeled_features is None else os.fspath(self.labeled_features),
            rules=rules,
            spans=None if self.rejected is None else os.fspath(self.rejected),
            weights=None if self.sentence_weights is None else partial(self._weights, self.sentence_weights, over),
        )

    def _weights(self, given: Sequence[float] | Path, over: Over, labelled: Corpus) -> SentenceWeights:
        if isinstance(given, str | os.PathLike):
            return weights_in(os.fspath(given), labelled, over, self.weight_scale, self.weight_exponent)
        numbers = np.array(given, np.float64)
        if numbers.ndim != 1 or not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            raise ConfigError("sentence_weights are numbers from 0 up, one for each sentence")
        return of_numbers(numbers, self.weight_scale, self.weight_exponent)
