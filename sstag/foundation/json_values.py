"""The type of values that JSON and settings files can say."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

# Sequence and Mapping, which cannot be written to, so that a list of whole numbers is a list of values, too.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
