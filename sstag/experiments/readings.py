"""The way in which the files of a trial are read, as a setting of the trial."""

from collections.abc import Mapping

from sstag.corpus.formats import Asked
from sstag.corpus.text.options import LISTS, TextOptions
from sstag.foundation.json_values import Json

FORMAT, OF_FILE = "format", "format of a file"


def reading_said(asked: Asked) -> dict[str, Json]:
    """The settings that differ from the usual ones, by the names of the fields."""
    said: dict[str, Json] = {FORMAT: asked.name} if asked.name else {}
    if asked.of_file:
        said[OF_FILE] = dict(asked.of_file)
    for name in asked.options.changed:
        value = getattr(asked.options, name)
        said[name] = list(value) if isinstance(value, tuple) else value
    return said


def reading_asked(said: Mapping[str, Json]) -> Asked:
    """The way that is said so."""
    own = (FORMAT, OF_FILE)
    options = {name: tuple(value) if name in LISTS else value for name, value in said.items() if name not in own}  # type: ignore[arg-type]
    of_file = said.get(OF_FILE)
    pairs = tuple(of_file.items()) if isinstance(of_file, Mapping) else ()
    return Asked(said.get(FORMAT), TextOptions(**options), pairs)  # type: ignore[arg-type]
