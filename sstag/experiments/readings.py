"""The way in which the files of a trial are read, as a setting of the trial."""

from collections.abc import Mapping

from sstag.corpus.formats import Asked
from sstag.corpus.text.options import LISTS, TextOptions
from sstag.foundation.json_values import Json

FORMAT = "format"


def reading_said(asked: Asked) -> dict[str, Json]:
    """The settings that differ from the usual ones, by the names of the fields."""
    said: dict[str, Json] = {FORMAT: asked.name} if asked.name else {}
    for name in asked.options.changed:
        value = getattr(asked.options, name)
        said[name] = list(value) if isinstance(value, tuple) else value
    return said


def reading_asked(said: Mapping[str, Json]) -> Asked:
    """The way that is said so."""
    options = {name: tuple(value) if name in LISTS else value for name, value in said.items() if name != FORMAT}  # type: ignore[arg-type]
    return Asked(said.get(FORMAT), TextOptions(**options))  # type: ignore[arg-type]
