"""Options of `sstag train` that the trainings of a project may have: values, and files inside its folder.

Everything else reaches beyond the folder: large raw text, a cluster, a report. It counts only while the command that
opens the page names it, never because a project says so.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import click

from sstag.corpus.formats import Asked
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.interfaces.cli.train import command as train
from sstag.training.configuration import TEMPLATE, Configuration, configuration, settings, tunings
from sstag.training.methods import METHODS
from sstag.training.methods.completion import OBJECTIVES_KEY, usual_method
from sstag.training.objectives import OBJECTIVES
from sstag.training.objectives.listing import with_paths
from sstag.training.parameter_specs import paths

VALUES = ("method", "ambiguous", "tune", "folds", "seed")
SET = "said"  # the option --set
READ = ("rules", "expectations", "labeled_features", "train", "dev", "unlabeled")
CLUSTER = (
    "workers", "scheduler", "scheduler_file", "tls_ca_file", "tls_cert", "tls_key", "wait_workers", "timeout",
)  # fmt: skip
BEYOND = ("init", "report", "on_disk", "scheduler_file", "tls_ca_file", "tls_cert", "tls_key")  # paths
NOW = (*CLUSTER, *BEYOND, "threads")
CONFIG = "config_path"
OVERRIDDEN = ("template", "model", "parameters", "source", "marks")  # of a configuration; the last two must be empty
OF_METHODS = [*(one.parameters for one in METHODS.values()), *(one.parameters for one in OBJECTIVES.values())]
PATH_NAMES = {name for kind in OF_METHODS for name in paths(kind)}
LONGEST = 1_000_000  # characters of all options

Place = Callable[[str], str | None]  # where a file is; None if it stays outside


@dataclass(frozen=True)
class Options:
    """Options of `sstag train`: those that a project keeps, and those that count as long as a command names them."""

    kept: tuple[str, ...] = ()
    now: tuple[str, ...] = ()


class _Stays(Exception):
    """A file that stays outside of the project."""


def kept_options(given: Sequence[str], place: Place) -> Options:
    """Options of a command, whose files `place` may take into the project; a configuration is spelled out."""
    said = _spelled_out(_parsed(given))
    names = [name for name, _ in said]
    if "method" not in names and any(name == SET and OBJECTIVES_KEY in _setting(value) for name, value in said):
        said.append(("method", usual_method(True, False, False, False)))
    kept, now = list[str](), list[str]()
    for name, value in said:
        if name in NOW:
            now += [_flag(name), os.path.abspath(value) if name in BEYOND else value]
            continue
        try:
            kept += [_flag(name), _placed(name, value, place)]
        except _Stays:
            now += [_flag(name), _placed(name, value, os.path.abspath if "://" not in value else str)]
    return Options(tuple(kept), tuple(now))


def checked_options(stored: Sequence[str], place: Callable[[str], str]) -> tuple[str, ...]:
    """Options that a project has kept, with the paths of its files; others than those that it may have are an error."""
    result: list[str] = []
    for name, value in _parsed(stored):
        if name in (*NOW, CONFIG):
            raise ConfigError(f"{_flag(name)} counts only while the command that opens the page names it (--train)")
        result += [_flag(name), _placed(name, value, place)]
    return tuple(result)


def _parsed(options: Sequence[str]) -> list[tuple[str, str]]:
    """Options as names of parameters of `sstag train` with values; an option that no project can have is an error."""
    if sum(map(len, options)) > LONGEST:
        raise ConfigError(f"the options of sstag train have more than {LONGEST:,} characters")
    context = click.Context(train, info_name="sstag train")
    try:
        given, rest, order = train.make_parser(context).parse_args([*options])
        if rest:
            raise ConfigError(f"'{rest[0]:.60}' is no option of sstag train")
        counts: dict[str, int] = {}
        found: list[tuple[str, str]] = []
        for parameter in order:
            name = parameter.name or ""
            if name not in (*VALUES, SET, *READ, *NOW, CONFIG):
                raise ConfigError(f"{parameter.opts[0]} cannot be among the options of a project's trainings")
            said = given[name]
            if isinstance(said, list):
                counts[name] = counts.get(name, -1) + 1
                said = said[counts[name]]
            parameter.type.convert(said, parameter, context)
            found.append((name, str(said)))
    except click.ClickException as error:
        raise ConfigError(error.format_message()) from error
    tried = tunings([value for name, value in found if name == "tune"])
    if any(name in (TEMPLATE, OBJECTIVES_KEY) or _is_path(name) for name in tried):
        raise ConfigError("the trainings of a project try values of parameters, no files or templates (--tune)")
    return found


def _placed(name: str, value: str, place: Place) -> str:
    """The value of an option, with its files where they are."""

    def placed(path: str) -> str:
        there = place(path)
        if there is None:
            raise _Stays
        return there

    if name in READ:
        return placed(value)
    if name != SET:
        return value
    ((key, said),) = _setting(value).items()
    changed = (
        with_paths(said, placed) if key == OBJECTIVES_KEY else placed(str(said)) if said and _is_path(key) else said
    )
    return value if changed == said else _assigned(key, changed)


def _is_path(name: str) -> bool:
    return name.rpartition(".")[2] in PATH_NAMES


def _setting(value: str) -> dict[str, Json]:
    return settings([value])[0].mapping()


def _assigned(name: str, value: Json) -> str:
    """A value of a parameter as --set takes it."""
    return f"{name}={json.dumps(value)}"


def _flag(name: str) -> str:
    """The option of `sstag train` that sets a parameter."""
    return next(max(option.opts, key=len) for option in train.params if option.name == name)


def _spelled_out(said: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Options with those of a configuration in its place; as in `sstag train`, options win over it."""
    own = [(name, value) for name, value in said if name != CONFIG]
    path = next((value for name, value in said if name == CONFIG), None)
    if path is None:
        return own
    names = {name for name, _ in own if name != SET}
    settled = {key for name, value in own if name in (SET, "tune") for key in [value.partition("=")[0].strip()]}
    theirs = [
        (name, value)
        for name, value in _of_configuration(configuration(path), path)
        if (name not in names or name == "tune") and not (name == "tune" and value.partition("=")[0] in settled)
    ]
    return theirs + own


def _of_configuration(asked: Configuration, path: str) -> Iterator[tuple[str, str]]:
    known = (*VALUES, *READ, *BEYOND, *OVERRIDDEN)
    extra = next((one.name for one in fields(asked) if one.name not in known and getattr(asked, one.name)), None)
    if extra or asked.marks or asked.source != Asked():
        name = extra or ("marks" if asked.marks else "reading")
        raise ConfigError(f"'{name}' cannot be in the configuration of a project's trainings", path)
    yield "method", asked.chosen_method
    for document in asked.parameters:
        yield from ((SET, _assigned(name, value)) for name, value in document.mapping().items())
    for name, values in asked.tune.items():
        yield "tune", f"{name}={','.join(map(json.dumps, values))}"
    for name in (*VALUES, *READ, *BEYOND):
        said = getattr(asked, name, None)
        if name in ("method", "tune") or said is None:
            continue
        yield from ((name, str(value)) for value in (said if isinstance(said, tuple) else [said]))
