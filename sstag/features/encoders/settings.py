"""Encoders as a template names them: `encoders: {mini: {model: FOLDER, layers: [2, 3, 4]}}`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sstag.corpus.column_names import ALIASES
from sstag.features.encoders import BACKENDS
from sstag.foundation.documents import Document
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.json_values import Json

KEYS = ("model", "vectors", "column", "backend", "layers", "pieces", "window", "stride", "case", "train")
PIECES = ("mean", "first", "last")
CASES = ("kept", "lower")
MOST_LAYERS = 200


@dataclass(frozen=True)
class Reading:
    """How the states of an encoder become vectors of words."""

    layers: tuple[int, ...] | None = None  # whose mean is taken; None: the middle third
    pieces: str = "mean"  # which of those of a word count
    window: int | None = None  # pieces that are looked at together; None: as many as the encoder can
    stride: int | None = None  # pieces from one window to the next; None: half a window
    case: str = "kept"  # or all words in lower case


@dataclass(frozen=True)
class Settings:
    """An encoder, or files of vectors that were made by one, and how it is read."""

    model: str | None = None  # a folder, an ONNX file, or a name in the hub's cache
    vectors: str | None = None  # a file of vectors, or a folder of such files
    column: str | None = None  # of the words; None: the first, or `form`
    backend: str | None = None  # None: by what there is
    reading: Reading = Reading()
    train: int = 0  # blocks, the last ones, that are trained together with the tagger

    @property
    def place(self) -> str:
        """The folder, file or name that is to be found."""
        return self.model or self.vectors or ""


def encoders_in(document: Document, columns: Sequence[str], label: str) -> dict[str, Settings]:
    """The encoders that a template names under `encoders`, each with a column that it reads."""
    named = document.within("encoders")
    found = {name: _settings(named.within(name), named, name) for name in named.mapping()}
    for name, settings in found.items():
        column = settings.column or next((one for one in columns if ALIASES.get(one, one) == "form"), columns[0])
        if column not in columns or column == label:
            raise named.error(f"encoders: {name}: there is no column '{column}'{nearest(column, columns)}", name)
        found[name] = replace(settings, column=column)
    return found


def _settings(own: Document, around: Document, name: str) -> Settings:
    try:
        said = own.mapping(KEYS)
        if not name.isidentifier():
            raise own.error(f"'{name}' is no name for an encoder: letters, digits and _")
        if (own.text("model") is None) == (own.text("vectors") is None):
            raise own.error("an encoder has either a 'model', or 'vectors' that were made before")
        train = own.count("train", 1) if said.get("train") is not None else 0
        if train and own.text("vectors") is not None:
            raise own.error("'train' changes an encoder, and 'vectors' stay as they are: name its 'model'", "train")
        if train and own.text("backend") == "onnx":
            raise own.error(
                "'train': what is in an ONNX file cannot be changed: backend: numpy, from model.safetensors", "train"
            )
        others = [key for key in KEYS[3:] if said.get(key) is not None]
        if own.text("vectors") is not None and others:
            raise own.error(f"'{others[0]}' says how a model is read; 'vectors' are as they are", others[0])
        reading = Reading(
            _layers(own, said.get("layers")),
            own.choice("pieces", PIECES) or Reading.pieces,
            own.count("window", 1) if said.get("window") is not None else None,
            own.count("stride", 1) if said.get("stride") is not None else None,
            own.choice("case", CASES) or Reading.case,
        )
        if reading.stride and (not reading.window or reading.stride > reading.window):
            raise own.error("a 'stride' needs a 'window' that is at least as large", "stride")
        return Settings(own.text("model"), own.text("vectors"), own.text("column"), _backend(own), reading, train)
    except ConfigError as error:
        line = error.line or around.error("", name).line
        raise ConfigError(f"encoders: {name}: {error.message}", error.path, line) from error


def _backend(own: Document) -> str | None:
    name = own.text("backend")
    if name is not None and name not in BACKENDS:
        raise own.error(f"there is no back end '{name}'{nearest(name, BACKENDS)}", "backend")
    return name


def _layers(own: Document, said: Json) -> tuple[int, ...] | None:
    """The numbers of layers; one may stand without brackets."""
    if said is None:
        return None
    numbers = [said] if isinstance(said, int) else said
    if isinstance(numbers, list) and 0 < len(numbers) <= MOST_LAYERS:
        found = [one for one in numbers if type(one) is int and 0 <= one <= MOST_LAYERS]
        if len(found) == len(numbers) == len(set(found)):
            return tuple(sorted(found))
    raise own.error("'layers' is a list of numbers, 0 for what comes before the first: [2, 3, 4]", "layers")


def as_json(reading: Reading) -> Mapping[str, Json]:
    """The reading as it is part of a digest."""
    return {
        "layers": None if reading.layers is None else list(reading.layers),
        "pieces": reading.pieces,
        "window": reading.window,
        "stride": reading.stride,
        "case": reading.case,
    }
