"""A run as a configuration file and the command line ask for it.

A configuration describes a whole run, so that `sstag train --config C` alone repeats it. Its paths are relative to the
folder it is in.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from sstag.corpus.formats import Asked
from sstag.features.adapted import with_other_names
from sstag.features.reading import CHOICES, chosen, load_template
from sstag.features.shipped import is_name, template_path
from sstag.features.template import Template
from sstag.foundation.documents import Document, load_text
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD
from sstag.foundation.json_values import Json
from sstag.foundation.strict_yaml import parsed, parsed_value
from sstag.labels.marks import Marks, changed_marks
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.methods.completion import LISTS, RULES, completed, keeps_rules, refuse_fixed, usual_method
from sstag.training.objectives.listing import with_paths
from sstag.training.parameter_specs import ParameterError, Parameters
from sstag.training.reading_settings import reading_settings
from sstag.training.weight_scales import SCALES

CORPORA = ("train", "dev", "unlabeled")
PATHS = (
    "template", "labeled_features", "rejected", "expectations", "rules", "sentence_weights", "init",
    "model", "report",
)  # fmt: skip
KEYS = (
    *PATHS, *CORPORA, "encoder", "method", "ambiguous", "weight_scale", "weight_exponent", "parameters", "objectives",
    "tune", "folds", "marks", "seed", "reading",
)  # fmt: skip
FEWEST_FOLDS, USUAL_FOLDS = 2, 5
USUAL_EVERY = 10  # iterations from one checkpoint to the next
TEMPLATE = "template"  # can be tuned, though it is no parameter
TUNE = "--tune"


@dataclass(frozen=True)
class Configuration:
    """A run as it is asked for; None where nothing is said."""

    template: str | None = None
    train: tuple[str, ...] | None = None  # files that are read as one, as in the next two
    dev: tuple[str, ...] | None = None
    unlabeled: tuple[str, ...] | None = None
    labeled_features: str | None = None
    rejected: str | None = None
    expectations: str | None = None
    rules: str | None = None
    sentence_weights: str | None = None
    init: str | None = None
    encoder: str | None = None
    model: str | None = None
    report: str | None = None
    method: str | None = None
    ambiguous: str | None = None
    weight_scale: str | None = None
    weight_exponent: float | None = None
    seed: int | None = None
    source: Asked = field(
        default_factory=Asked
    )  # the format of the files, and how their texts become tokens with labels
    marks: Mapping[str, str | None] = field(default_factory=dict)  # those that are changed; None is off
    parameters: tuple[Document, ...] = ()  # names and values; later ones win
    tune: Mapping[str, list[Json]] = field(default_factory=dict)  # the values to try of each parameter
    folds: int | None = None  # by which they are judged

    def over(self, other: "Configuration") -> "Configuration":
        """The two as one: what this one says wins."""
        mine = {key: value for key, value in vars(self).items() if value is not None}
        given = {name for document in self.parameters for name in document.mapping()}
        given |= {TEMPLATE} if self.template else set()
        tune = {**{name: values for name, values in other.tune.items() if name not in given}, **self.tune}
        return replace(
            replace(other, **mine),
            source=self.source.over(other.source),
            marks={**other.marks, **self.marks},
            parameters=other.parameters + self.parameters,
            tune=tune,
            folds=self.folds or (other.folds if tune or not other.tune else None),
        )

    @property
    def points(self) -> list[Document]:
        """Every combination of values to try, as parameters; one that is empty if there are none."""
        return [Document(point, {}, TUNE) for point in combinations(self.tune)]

    @property
    def chosen_method(self) -> str:
        """The method: the one that is named, else what the lists that are given are for."""
        objectives = any("objectives" in document.mapping() for document in self.parameters)
        rules = self.rules is not None and bool(self.unlabeled)
        return self.method or usual_method(objectives, self.expectations is not None, rules, self.rejected is not None)

    @property
    def kept_rules(self) -> str | None:
        """The path of rules that the model is to keep, if its method takes none itself."""
        return self.rules if keeps_rules(self.chosen_method) else None

    @property
    def all_parameters(self) -> tuple[Document, ...]:
        """The parameters, and the lists of expectations and of rules as such."""
        lists = {name: getattr(self, name) for name in LISTS if name != RULES or not self.kept_rules}
        given = (Document({name: path}, {}, LISTS[name]) for name, path in lists.items() if path is not None)
        return (*self.parameters, *given)


def configuration(path: str) -> Configuration:
    """The configuration in a file."""
    document = parsed(load_text(path), path)
    data = document.mapping(KEYS)
    folder = os.path.dirname(path)

    def beside(key: str) -> str | None:
        name = document.text(key)
        if name is None or (key == "template" and is_name(name, folder)):
            return name
        return place(name)

    def place(name: str) -> str:
        return name if name == STANDARD else os.path.join(folder, name)

    def files(key: str) -> tuple[str, ...] | None:
        if not isinstance(document.get(key), list):
            name = document.text(key)
            return None if name is None else (place(name),)
        if not (names := document.texts(key)):
            raise document.error(f"'{key}' needs a file, or a list of files", key)
        return tuple(map(place, names))

    tune = values_to_try(document.within("tune"))
    if TEMPLATE in tune:
        tune[TEMPLATE] = [name if is_name(str(name), folder) else place(str(name)) for name in tune[TEMPLATE]]
    seed = data.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
        raise document.error("'seed' must be a whole number from 0 up", "seed")
    exponent = data.get("weight_exponent")
    if exponent is not None and (isinstance(exponent, bool) or not isinstance(exponent, int | float) or exponent < 0):
        raise document.error("'weight_exponent' must be a number from 0 up", "weight_exponent")
    reading = reading_settings(document.within("reading"))
    return Configuration(
        train=files("train"),
        dev=files("dev"),
        unlabeled=files("unlabeled"),
        template=beside("template"),
        labeled_features=beside("labeled_features"),
        rejected=beside("rejected"),
        expectations=beside("expectations"),
        rules=beside("rules"),
        sentence_weights=beside("sentence_weights"),
        init=beside("init"),
        encoder=_encoder(document, folder),
        model=beside("model"),
        report=beside("report"),
        method=document.choice("method", tuple(METHODS)),
        ambiguous=document.choice("ambiguous", tuple(AMBIGUOUS)),
        weight_scale=document.choice("weight_scale", SCALES),
        weight_exponent=None if exponent is None else float(exponent),
        seed=seed,
        marks=_marks(document.within("marks")),
        parameters=(*_objectives(document, folder), document.within("parameters")),
        tune=tune,
        source=replace(reading, of_file=tuple((place(path), form) for path, form in reading.of_file)),
        folds=None if document.get("folds") is None else _folds(document),
    )


def _encoder(document: Document, folder: str) -> str | None:
    """The folder of an encoder, or its name in the hub's cache."""
    name = document.text("encoder")
    place = os.path.join(folder, name or "")
    return place if name and os.path.exists(place) else name


def settings(texts: Sequence[str]) -> tuple[Document, ...]:
    """`NAME=VALUE` from the command line, each value as a configuration would write it."""
    made = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"'{text}': write NAME=VALUE", "--set")
        made.append(Document({key.strip(): parsed_value(value)}, {}, "--set"))
    return tuple(made)


def tunings(texts: Sequence[str]) -> dict[str, list[Json]]:
    """`NAME=V1,V2,…` from the command line."""
    made: dict[str, list[Json]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        name = key.strip()
        if not equals or not name:
            raise ConfigError(f"'{text}': write NAME=VALUE,VALUE,…", "--tune")
        if name in made:
            raise ConfigError(f"{name} is given twice", "--tune")
        made |= values_to_try(Document({name: parsed_value(f"[{values}]")}, {}, "--tune"))
    return made


def values_to_try(document: Document) -> dict[str, list[Json]]:
    """The values to try of each parameter: a list, in which none stands twice."""
    made: dict[str, list[Json]] = {}
    for name, values in document.mapping().items():
        if not isinstance(values, list) or not values:
            raise document.error(f"'{name}' needs the values to try, [a, b]", name)
        twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
        if twice is not None:
            raise document.error(f"'{name}' has the value {twice} twice", name)
        if name == TEMPLATE and not all(isinstance(value, str) for value in values):
            raise document.error("templates to try are files, or names of those of sstag", name)
        made[name] = values
    return made


def combinations(tune: Mapping[str, Sequence[Json]]) -> list[dict[str, Json]]:
    """Every combination of values to try; one that is empty if there are none."""
    return [dict(zip(tune, values, strict=True)) for values in product(*tune.values())]


def _folds(document: Document) -> int:
    if (folds := document.count("folds", 0)) < FEWEST_FOLDS:
        raise document.error(f"'folds' must be a whole number from {FEWEST_FOLDS} up", "folds")
    return folds


def chosen_parameters(method: str, documents: Sequence[Document]) -> Parameters:
    """The method's parameters; what is neither one of them nor a choice of the template is an error at its line."""
    given: dict[str, Json] = {}
    saying: dict[str, Document] = {}  # the document that each was read from
    for document in documents:
        for name, value in document.mapping().items():
            try:
                refuse_fixed(method, [name])
            except ConfigError as error:
                raise document.error(error.message, name) from error
            if name in LISTS and document.path != LISTS[name]:
                raise document.error(f"say {LISTS[name]}, or `{name}:` at the top of a configuration", name)
            if name not in CHOICES and not (name == TEMPLATE and document.path == TUNE):
                given.pop(name, None)  # the last one is said last
                given[name], saying[name] = value, document
    try:
        return completed(method, given)
    except ParameterError as error:
        raise saying[str(error.place[0])].error(error.message, *error.place) from error


def chosen_template(path: str, documents: Sequence[Document], load: Callable[[str], Template]) -> Template:
    """The template in a file, as a function loads it, with the choices that are made for it."""
    template = load(path)
    for document in documents:
        template = chosen(template, document)
    return template


def chosen_templates(asked: Configuration, load: Callable[[str], Template] = load_template) -> list[Template]:
    """The template of each point, as a function loads it; those to try must read the same columns."""
    paths = [str(point.get(TEMPLATE) or asked.template) for point in asked.points]
    made = {path: chosen_template(path, asked.parameters, load) for path in dict.fromkeys(paths)}
    made = of_one_reading(made)
    return [chosen(made[path], point) for path, point in zip(paths, asked.points, strict=True)]


def of_one_reading(templates: Mapping[str, Template]) -> dict[str, Template]:
    """Templates to try, by their paths or names; all call the columns as the first one does.

    Templates that do not read as many columns, or whose label is another column, are an error.
    """
    first, *others = templates
    return {first: templates[first]} | {
        path: _renamed(path, templates[path], templates[first], first) for path in others
    }


def _renamed(path: str, of: Template, first: Template, name: str) -> Template:
    """A template with the names of columns that another one has for the same columns."""
    if (of.columns, of.label) == (first.columns, first.label):
        return of
    if of.columns and first.columns and len(of.columns) == len(first.columns):
        made = with_other_names(of, first.columns, template_path(path) if path else path)
        if (made.columns, made.label) == (first.columns, first.label):
            return made
    raise ConfigError(f"its columns are not those of {name}: only templates of the same text compare", path)


def _objectives(document: Document, folder: str) -> tuple[Document, ...]:
    """The list of objectives, as parameters of its own; its files are beside the configuration."""
    if document.get("objectives") is None:
        return ()
    lines = {place: line for place, line in document.lines.items() if place[:1] == ("objectives",)}
    placed = with_paths(document.get("objectives"), partial(os.path.join, folder))
    return (Document({"objectives": placed}, lines, document.path),)


def _marks(document: Document) -> dict[str, str | None]:
    marks: dict[str, str | None] = {}
    for name, value in document.mapping().items():
        if value is not None and not isinstance(value, str):
            raise document.error(f"the mark '{name}' must be text: quote it", name)
        marks[name] = value
        try:
            changed_marks(Marks(), marks)
        except ConfigError as error:
            raise document.error(error.message, name) from error
    return marks
