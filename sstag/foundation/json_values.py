"""Values that JSON and settings files can say, and JSON that somebody sent, read without trusting it."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

# Made of Sequence and Mapping, so that a list of numbers counts as a list of values; a list that may change would not.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

LARGEST = 2**63  # of whole numbers in such values
DEEPEST = 32  # lists and objects in one another, in values that are kept and shown
HALF = re.compile("[\ud800-\udfff]")


def json_value(text: str | bytes) -> Json:
    """The value of a text of JSON; one that says none is a `ValueError` with what is wrong in words."""
    try:
        text = text if isinstance(text, str) else text.decode()
        value: Json = json.loads(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte 0x{error.object[error.start]:02x})") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg.lower()} (character {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("no JSON that can be read: too deep, or a number too long") from error
    refuse_halves(value, text)
    return value


def refuse_halves(value: Json, text: str) -> None:
    """Raises a `ValueError` for what JSON can escape though it is no character, if a value from a text has it."""
    if ("\\ud" in text or "\\uD" in text) and HALF.search(json.dumps(value, ensure_ascii=False)):
        raise ValueError("half a surrogate pair (\\ud800 to \\udfff alone) is no character")


def number_of(value: object) -> float | None:
    """A value as a finite number; None if it is none, or a whole number that is too large to be one."""
    if type(value) is not int and type(value) is not float:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def check_plain_json(value: Json) -> None:
    """Raises a `ValueError` for a value that is deep, or has a number that JSON has not, as some readers would."""
    layer: list[Json] = [value]
    for _ in range(DEEPEST + 1):
        if any(isinstance(one, float) and not math.isfinite(one) for one in layer):
            raise ValueError("NaN and Infinity are no numbers of JSON")
        if any(isinstance(one, int) and abs(one) > LARGEST for one in layer):
            raise ValueError("a whole number is too large")
        layer = [
            inner
            for one in layer
            if isinstance(one, Mapping | list | tuple)
            for inner in (one.values() if isinstance(one, Mapping) else one)
        ]
        if not layer:
            return
    raise ValueError(f"more than {DEEPEST} lists and objects in one another")
