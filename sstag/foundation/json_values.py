"""The type of values that JSON and settings files can say."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

# Made of Sequence and Mapping, so that a list of numbers counts as a list of values; a list that may change would not.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
