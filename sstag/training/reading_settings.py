"""The format of the files of a run, and how their texts become tokens, as a configuration says it under `reading`."""

from collections.abc import Callable

from sstag.corpus.formats import AUTO, Asked, input_names, option_of
from sstag.corpus.text.encodings import encoding_called
from sstag.corpus.text.options import CHOICES, LISTS, TextOptions
from sstag.foundation.documents import Document
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json

FORMAT, KEY, SKIP, ENCODING = "format", "key", "skip-bad", "encoding"
EVERY = "/*"  # a pattern of whole paths


def reading_settings(document: Document) -> Asked:
    """The settings under the names of the options of the command line."""
    fields = {option_of(one).removeprefix("--"): one for one in (*CHOICES, *LISTS)}
    data = document.mapping((FORMAT, *fields, KEY, SKIP, ENCODING)) if document.data else {}
    said: dict[str, Json | tuple[str, ...]] = {}
    for name, field in fields.items():
        if name not in data:
            continue
        said[field] = tuple(document.texts(name)) if field in LISTS else document.choice(name, tuple(CHOICES[field]))
    if KEY in data:
        keys = document.within(KEY)
        said["keys"] = {name: keys.text(name) for name in keys.mapping()}
    if encoding := document.text(ENCODING):
        try:
            said[ENCODING] = encoding_called(encoding)
        except ConfigError as error:
            raise document.error(error.message, ENCODING) from error
    if SKIP in data:
        if not isinstance(data[SKIP], bool):
            raise document.error(f"'{SKIP}' is true or false", SKIP)
        said["skip_bad"] = data[SKIP]
    if not isinstance(data.get(FORMAT), dict):
        return Asked(document.choice(FORMAT, input_names()), TextOptions(**said))  # type: ignore[arg-type]
    files = document.within(FORMAT)
    pairs = tuple((path, files.choice(path, [AUTO, *input_names()]) or AUTO) for path in files.mapping())
    return Asked(None, TextOptions(**said), pairs)  # type: ignore[arg-type]


def settings_of_reading(asked: Asked, place: Callable[[str], str]) -> dict[str, Json]:
    """The settings that a configuration says for this, with the paths of files as a function writes them."""
    files: dict[str, Json] = {place(path): name for path, name in asked.of_file}
    settings: dict[str, Json] = {}
    if files or asked.name:
        every: dict[str, Json] = {} if asked.name is None else {EVERY: asked.name}
        settings[FORMAT] = {**files, **every} if files else asked.name
    for field in asked.options.changed:
        value = getattr(asked.options, field)
        name = option_of(field).removeprefix("--")
        settings[name] = list(value) if isinstance(value, tuple) else dict(value) if field == "keys" else value
    return settings
