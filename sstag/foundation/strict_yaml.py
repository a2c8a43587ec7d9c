"""Settings as text: a YAML that knows only text, integers, floats, true, false and null.

`NO` and `12:30` are text, `1e-3` is a number; tags, anchors and aliases are errors, as are keys given twice. The same
rules read templates, configurations and `--set`. Every value remembers its line.
"""

import math
import re
from collections.abc import Iterator

import yaml

from sstag.foundation.documents import Document, Place
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json

DEEPEST = 16
INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
LIST = re.compile(r"\s*(-\s+)*([A-Za-z_]+:\s*)?\[")
BRACKETED = re.compile(r"[A-Za-z_][^'\"\[(]*[\[(][^'\"]*")  # names something and has brackets
FLOAT = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?")


def parsed(text: str, path: str) -> Document:
    """The document that a text says; `path` is its name in messages."""
    lines: dict[Place, int] = {}
    text = "\n".join(map(_with_quoted_items, text.split("\n")))
    try:
        events = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        data = None
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                if lines:
                    raise ConfigError("a second document begins here; one is read", path, _line(event))
                data = _built(event, events, (), lines, path)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ConfigError(f"not YAML: {error.problem or error.context} (quote the text?)", path, line) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # PyYAML checks neither `\\U` nor version numbers
        raise ConfigError(f"not YAML: {str(error).splitlines()[0]}", path) from error
    return Document(data, lines, path)


def _with_quoted_items(line: str) -> str:
    """A line with items that have brackets, such as `edges: [labels, word[0]]`, quoted: YAML could not read them."""
    begin = LIST.match(line)
    if begin is None:
        return line
    items, start, depth, quote = [], begin.end(), 0, ""
    for place in range(begin.end(), len(line)):
        char = line[place]
        if quote or char in "'\"":
            quote = "" if char == quote else quote or char
        elif depth == 0 and char in ",]":
            items.append(line[start:place].strip())
            start = place + 1
            if char == "]":
                quoted = [f"'{item}'" if BRACKETED.fullmatch(item) else item for item in items]
                return f"{line[: begin.end()]}{', '.join(quoted)}{line[place:]}"
        else:
            depth += (char in "[(") - (char in ")]")
    return line


def parsed_value(text: str) -> Json:
    """The value in a `--set key=value`."""
    return parsed(text, "--set").data


def _built(event: yaml.Event, events: Iterator[yaml.Event], place: Place, lines: dict[Place, int], path: str) -> Json:
    line = _line(event)
    lines[place] = line
    if len(place) > DEEPEST:
        raise ConfigError(f"nested more than {DEEPEST} deep", path, line)
    if getattr(event, "anchor", None) is not None:
        raise ConfigError("anchors and aliases (& and *) are not read; quote this line if it is text", path, line)
    if getattr(event, "tag", None) is not None:
        raise ConfigError("tags (!) are not read; quote this line if it is text", path, line)
    if isinstance(event, yaml.ScalarEvent):
        _check_text(event.value, path, line)
        return _scalar(event.value) if event.style is None else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Json] = []
        for item in events:
            if isinstance(item, yaml.SequenceEndEvent):
                break
            items.append(_built(item, events, (*place, len(items)), lines, path))
        return items
    mapping: dict[str, Json] = {}
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            break
        if not isinstance(key, yaml.ScalarEvent) or key.tag is not None or key.anchor is not None:
            raise ConfigError("a key must be text", path, _line(key))
        _check_text(key.value, path, _line(key))
        if key.value in mapping:
            raise ConfigError(f"'{key.value}' is given twice", path, _line(key))
        mapping[key.value] = _built(next(events), events, (*place, key.value), lines, path)
        lines[(*place, key.value)] = _line(key)
    return mapping


def _check_text(text: str, path: str, line: int) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ConfigError("half of a surrogate pair is no character", path, line)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(text: str) -> Json:
    match text:
        case "" | "~" | "null":
            return None
        case "true" | "false":
            return text == "true"
    if INTEGER.fullmatch(text):
        return int(text)
    if FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
