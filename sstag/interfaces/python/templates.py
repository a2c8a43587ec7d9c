"""Templates as Python gives them: a path, a name that `sstag template` lists, text, a mapping, or one read already."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sstag.features.reading import load_template as template_at
from sstag.features.reading import template as template_in
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.interfaces.python.signatures import brief

Path: TypeAlias = str | os.PathLike[str]
AnyTemplate: TypeAlias = Template | Path | Mapping[str, Json]

IN_MEMORY = "template"  # the name of a template without a file, in messages


@brief
def load_template(template: AnyTemplate) -> Template:
    """The template in a file, YAML or CRF++, or the one that comes with sstag under this name.

    Example:
        ner = sstag.load_template("ner")
        ner.columns  # ('word', 'pos', 'chunk', 'ner')

    A text of several lines is a template itself, and so is a mapping such as
    {"columns": ["word", "label"], "features": ["word[-1..1]"]}; files that these name are looked for in the current
    folder.
    """
    if isinstance(template, Template):
        return template
    if isinstance(template, Mapping):
        return _of_mapping(template)
    if not isinstance(template, str | os.PathLike):
        raise ConfigError(
            f"a template is wanted: the path of a file, a name of `sstag template`, text, or a mapping, "
            f"not {template!r:.50}"
        )
    given = os.fspath(template)
    return template_in(given, IN_MEMORY) if "\n" in given else template_at(given)


def _of_mapping(data: Mapping[str, Json]) -> Template:
    """The template that a mapping says; its text, which models keep, is YAML."""
    try:
        text = "".join(f"{key}: {_written(value)}\n" for key, value in data.items())
    except (TypeError, ValueError) as error:
        raise ConfigError("a template in a mapping is made of texts, whole numbers and lists of texts") from error
    try:
        return template_in(text, IN_MEMORY)
    except ConfigError as error:
        if error.path != IN_MEMORY:
            raise
        raise ConfigError(error.message, IN_MEMORY) from error  # a line of the text would lead nowhere


def _written(value: Json) -> str:
    """A value in YAML; each entry of a list has a line of its own."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return _quoted(value)
    return "".join(f"\n  - {_quoted(one)}" for one in value) or "[]"


def _quoted(value: Json) -> str:
    """A value as JSON, which is YAML if no character in it ends a line there."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text)
