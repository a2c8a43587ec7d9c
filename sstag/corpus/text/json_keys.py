"""Values of a record by their keys, each of the kind that is expected there; another is an error that names the key."""

from collections.abc import Mapping, Sequence

from sstag.corpus.text.json_records import Record
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json, number_of

Object = Mapping[str, Json]


def an_object(value: Json, key: str) -> Object:
    """A value that has to be an object."""
    if not isinstance(value, Mapping):
        raise DataError(f"{key} is {kind(value)}, not an object")
    return value


def a_list(value: Json, key: str) -> Sequence[Json]:
    """A value that has to be a list."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise DataError(f"{key} is {kind(value)}, not a list")
    return value


def a_text(value: Json, key: str) -> str:
    """A value that has to be a text."""
    if not isinstance(value, str):
        raise DataError(f"{key} is {kind(value)}, not a text")
    return value


def a_whole(value: Json, key: str) -> int:
    """A value that has to be a whole number from 0 up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(f"{key} is {kind(value)}, not a whole number from 0 up")
    return value


def a_probability(value: Json, key: str) -> float | None:
    """A value that has to be a probability, if it is there."""
    if value is None:
        return None
    number = number_of(value)
    if number is None:
        raise DataError(f"{key} is {kind(value)}, not a number")
    return number


def kind(value: Json) -> str:
    """The kind of a value, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {value!s:.40}"
        case str():
            return f"the text '{value:.40}'"
        case Mapping():
            return "an object"
        case _:
            return "a list"


def first_key(record: Object, keys: Sequence[str]) -> str | None:
    """The first of some keys that a record has."""
    return next((key for key in keys if key in record), None)


def id_of(record: Object, key: str, at: Record) -> str:
    """The name of a record: what its key says, or the number of its line."""
    value = record.get(key)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else str(at.line)
