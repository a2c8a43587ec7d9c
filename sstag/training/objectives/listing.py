"""Lists of objectives, as a configuration writes them: `[{likelihood: {}}, {entropy: {gamma: 0.1}}]`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sstag.foundation.errors import nearest
from sstag.foundation.json_values import Json
from sstag.training.objectives import OBJECTIVES, TEXTS, RegisteredObjective
from sstag.training.parameter_specs import ChoiceSpec, ParameterError, Parameters, paths, specs, told

DATA = "data"  # the key of the text that an objective looks at
TEXT = ChoiceSpec("the text", TEXTS)


@dataclass(frozen=True)
class Chosen:
    """An objective in a list: its name, the text that it looks at, and what it is set to."""

    name: str
    data: str
    parameters: Parameters

    @property
    def entry(self) -> RegisteredObjective:
        return OBJECTIVES[self.name]

    @property
    def path(self) -> str:
        """The path of its file, empty if it has none."""
        return next((getattr(self.parameters, name) for name in paths(type(self.parameters))), "")

    def told(self, digest: str) -> dict[str, Json]:
        """Its parameters as a model tells of them, with a digest in place of a path."""
        return {**told(self.parameters), **dict.fromkeys(paths(type(self.parameters)), digest)}

    def changed(self, name: str, value: Json) -> "Chosen":
        """The objective with another value of a parameter."""
        if name == DATA:
            return replace(self, data=_text(self.name, value))
        known = specs(type(self.parameters))
        if name not in known:
            raise ParameterError(f"{self.name} has no parameter '{name}'{nearest(name, [*known, DATA])}", name)
        return replace(self, parameters=replace(self.parameters, **{name: known[name].checked(name, value)}))


def usual(name: str, parameters: Parameters) -> Chosen:
    """An objective with these parameters, at the text that it usually looks at."""
    return Chosen(name, OBJECTIVES[name].texts[0], parameters)


USUAL = (usual("likelihood", Parameters()),)


def listed(given: Json) -> tuple[Chosen, ...]:
    """The objectives in a list; what is none is an error at its place."""
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ParameterError(
            "'objectives' must be a list such as [{likelihood: {}}, {entropy: {gamma: 0.1}}]", "objectives"
        )
    return tuple(_chosen(one, place) for place, one in enumerate(given))


def _chosen(given: Json, place: int) -> Chosen:
    try:
        return _of(given)
    except ParameterError as error:
        raise ParameterError(error.message, "objectives", place) from error


def _of(given: Json) -> Chosen:
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ParameterError(
            f"an objective is its name and its parameters, such as entropy: {{gamma: 0.1}}, not {given!r}"
        )
    ((name, own),) = given.items()
    if name not in OBJECTIVES:
        raise ParameterError(f"there is no objective '{name}'{nearest(str(name), OBJECTIVES)}")
    if not isinstance(own, Mapping | None):
        raise ParameterError(f"{name}: its parameters are names and values, such as {{data: unlabeled}}")
    made = usual(name, OBJECTIVES[name].parameters())
    for parameter, value in (own or {}).items():
        made = made.changed(parameter, value)
    return made


def _text(name: str, value: Json) -> str:
    """The text that an objective is to look at."""
    text, texts = TEXT.checked(DATA, value), OBJECTIVES[name].texts
    if text not in texts:
        raise ParameterError(f"{name} looks at {' or '.join(texts)} text, not at {text}", DATA)
    return text


def changed(chosen: Sequence[Chosen], text: str, value: Json) -> tuple[Chosen, ...]:
    """A list in which a parameter of one objective, `entropy.gamma`, has another value."""
    name, _, parameter = text.partition(".")
    places = [place for place, one in enumerate(chosen) if one.name == name]
    if len(places) != 1:
        why = f"stands {len(places)} times in" if places else "is not in"
        hint = "" if places else nearest(name, {one.name: one for one in chosen})
        raise ParameterError(f"{text}: {name} {why} the list of objectives{hint}", text)
    try:
        made = chosen[places[0]].changed(parameter, value)
    except ParameterError as error:
        raise ParameterError(error.message, text) from error
    return (*chosen[: places[0]], made, *chosen[places[0] + 1 :])


def with_paths(given: Json, placed: Callable[[str], str]) -> Json:
    """A list whose files have the paths that `placed` gives them; what is no list of objectives is left to `listed`."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return given
    return [
        {name: _with_paths(name, own, placed) for name, own in one.items()} if isinstance(one, Mapping) else one
        for one in given
    ]


def _with_paths(name: str, own: Json, placed: Callable[[str], str]) -> Json:
    files = paths(OBJECTIVES[name].parameters) if name in OBJECTIVES else ()
    if not isinstance(own, Mapping):
        return own
    return {
        key: placed(value) if key in files and isinstance(value, str) and value else value for key, value in own.items()
    }
