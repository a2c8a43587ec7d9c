"""The `config.json` of an encoder: its kind and its sizes, within bounds that no file may exceed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sstag.features.encoders.contract import Files
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import contents
from sstag.foundation.json_values import json_value, number_of

LARGEST = 2**20  # bytes
USUAL = 512  # places of an encoder that does not say how many it has
MOST_LAYERS, WIDEST, MOST_PIECES = 200, 2**14, 2**22


@dataclass(frozen=True)
class Configuration:
    """The kind of an encoder, and its sizes."""

    kind: str
    activation: str
    layers: int
    heads: int
    width: int
    wide: int  # between the two layers of a piece's own network
    pieces: int
    places: int
    types: int
    buckets: int  # of distances, in MPNet
    epsilon: float


def places_said(files: Files) -> int:
    """How many pieces a window may have: as many as there are places, less those that some encoders leave out."""
    if files.named("config.json") is None:
        return USUAL
    take = _taken(files)
    return USUAL if "max_position_embeddings" not in take.said else take.count("max_position_embeddings", WIDEST) - 2


def read_configuration(files: Files) -> Configuration:
    """The sizes that the `config.json` beside an encoder's weights says, for one that runs in NumPy."""
    take = _taken(files)
    kind = take.text("model_type")
    how = Configuration(
        kind,
        take.text("hidden_act"),
        take.count("num_hidden_layers", MOST_LAYERS),
        take.count("num_attention_heads", WIDEST),
        take.count("hidden_size", WIDEST),
        take.count("intermediate_size", 8 * WIDEST),
        take.count("vocab_size", MOST_PIECES),
        take.count("max_position_embeddings", WIDEST),
        take.count("type_vocab_size", WIDEST) if kind != "mpnet" else 0,
        take.count("relative_attention_num_buckets", WIDEST) if kind == "mpnet" else 0,
        take.number("layer_norm_eps"),
    )
    if how.width % how.heads or (kind == "mpnet" and how.buckets < 4):
        raise DataError("its sizes do not fit together", take.path)
    return how


def _taken(files: Files) -> "_Taken":
    path = files.named("config.json")
    if path is None:
        raise DataError("there is no config.json beside it", files.weights)
    try:
        said = json_value(contents(path, LARGEST))
    except ValueError as error:
        raise DataError("cannot be read as JSON", path) from error
    return _Taken(said if isinstance(said, dict) else {}, path)


def refuse_layers(read: Sequence[int], there: int, path: str) -> None:
    """Raises an error for a layer that there is not."""
    if not read or min(read) < 0 or max(read) > there:
        raise ConfigError(f"layers: there are 0 (before the first) to {there}, not {[*read]}", path)


@dataclass(frozen=True)
class _Taken:
    """Values of a configuration, each of its type or an error."""

    said: Mapping[str, object]
    path: str

    def text(self, key: str) -> str:
        value = self.said.get(key)
        if not isinstance(value, str):
            raise DataError(f"'{key}' is missing", self.path)
        return value

    def count(self, key: str, most: int) -> int:
        value = self.said.get(key)
        if type(value) is not int or not 1 <= value <= most:
            raise DataError(f"'{key}' must be a number from 1 to {most:,}", self.path)
        return value

    def number(self, key: str) -> float:
        value = number_of(self.said.get(key))
        if value is None or value < 0:
            raise DataError(f"'{key}' must be a number from 0 up", self.path)
        return value
