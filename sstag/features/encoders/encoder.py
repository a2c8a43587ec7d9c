"""Encoders that have been found: their files, a digest of all that their vectors depend on, and the running network."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from zipfile import is_zipfile

from sstag.features.encoders import BACKENDS
from sstag.features.encoders.contract import Backend, Files
from sstag.features.encoders.settings import Settings, as_json
from sstag.features.encoders.trained_weights import TrainedWeights
from sstag.features.named_files import Named
from sstag.foundation.errors import ConfigError, DataError, installing
from sstag.foundation.files import translated_errors
from sstag.foundation.registry import registered

FOLDERS = "SSTAG_ENCODERS"  # in the environment: folders in which encoders are looked for
VERSION = 1  # of how vectors are made; it is part of the digest
WEIGHTS = "model.safetensors"
PARTS = "model.safetensors.index.json"
BESIDE = ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?(@[\w.-]+)?", re.ASCII)
PIECE = 2**20  # bytes


@dataclass(frozen=True)
class Encoder:
    """An encoder that has been found; it is loaded when something is to be encoded."""

    settings: Settings
    backend: str
    files: Files
    trained: TrainedWeights | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of everything that its vectors depend on, by which they are known."""
        return with_trained(self.base, self.trained)

    @cached_property
    def base(self) -> str:
        """SHA-256 of its files and of how it is read."""
        said = {
            "version": VERSION,
            "backend": self.backend,
            "files": [[os.path.basename(path), digest_of(path)] for path in self.files.all],
            "reading": as_json(self.settings.reading),
        }
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    @cached_property
    def loaded(self) -> Backend:
        """The encoder, ready to run; a package that is missing is an error that says how to get it."""
        entry = BACKENDS[self.backend]
        missing = [name for name in entry.packages if find_spec(name) is None]
        if missing:
            raise ConfigError(
                f"the back end {self.backend} needs {' and '.join(missing)}: {installing(self.backend)}",
                self.settings.place,
            )
        changed = self.trained.changed if self.trained else {}
        return registered(entry.where)(self.files, self.settings.reading.layers, changed)


@dataclass(frozen=True)
class PromisedEncoder:
    """The encoder that a model was trained with, which is looked for when something has to be encoded."""

    settings: Settings
    base: str  # the digest of its files and of how it is read
    model: str  # the path of the model, in whose folder it may be
    trained: TrainedWeights | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of everything that its vectors depend on, by which they are known."""
        return with_trained(self.base, self.trained)

    @cached_property
    def loaded(self) -> Backend:
        """The encoder, ready to run; another one is an error that says which is needed."""
        named = named_encoder(self.settings.place, self.model)
        what = f"the encoder {named.name}, read as in training"
        there = named.first_right(what, self.base, lambda place: _at(Path(place), self.settings))
        return replace(there, trained=self.trained).loaded


def with_trained(base: str, trained: TrainedWeights | None) -> str:
    """The digest of an encoder some of whose weights may have changed."""
    return sha256(f"{base} {trained.digest}".encode()).hexdigest() if trained else base


def named_encoder(name: str, model: str) -> Named:
    """The encoder that the model at a path names, perhaps in the hub's cache."""
    return Named(name, model, FOLDERS, tuple(map(str, _in_hub(name))))


def found(settings: Settings, beside: Sequence[str]) -> Encoder:
    """The encoder that settings mean: a path from one of some folders, or a name in the hub's cache."""
    model = settings.model or ""
    for place in (*(Path(folder) / model for folder in beside), *_in_hub(model)):
        if place.is_file() or place.is_dir():
            return _at(place, settings)
    looked = "" if os.path.isabs(model) else f" in {', '.join(dict.fromkeys(folder or os.curdir for folder in beside))}"
    hub_too = f" or {hub()}" if HUB_NAME.fullmatch(model) else ""
    raise DataError(f"there is no such encoder{looked}{hub_too}", model)


def _in_hub(model: str) -> Iterator[Path]:
    """Where the hub's cache has an encoder of this name."""
    if not HUB_NAME.fullmatch(model):
        return
    name, _, revision = model.partition("@")
    top = Path(hub()) / f"models--{name.replace('/', '--')}"
    reference = top / "refs" / (revision or "main")
    if reference.is_file():
        with translated_errors(str(reference)), open(reference, encoding="ascii", errors="replace") as file:
            revision = file.read(100).strip()
    if revision not in ("", ".", "..") and HUB_NAME.fullmatch(revision):
        yield top / "snapshots" / revision


def hub() -> str:
    """The folder in which the hub's own programs keep what they fetched."""
    home = os.environ.get("HF_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return os.path.expanduser(os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub"))


def _at(place: Path, settings: Settings) -> Encoder:
    """The encoder in a folder, or in an ONNX file, by the back end that is asked for or fits what is there."""
    onnx = [place] if place.is_file() else [place / "model.onnx", place / "onnx" / "model.onnx"]
    single = next((path for path in onnx if path.suffix == ".onnx" and path.is_file()), None)
    backend = settings.backend or ("onnx" if single and not settings.train else "numpy")
    names = (WEIGHTS, PARTS) if backend == "transformers" else (WEIGHTS,)
    there = next((place / name for name in names if (place / name).is_file()), None)
    weights = single if backend == "onnx" else there
    if weights is None:
        wanted = "model.onnx" if backend == "onnx" else WEIGHTS
        fault = f"there is no {wanted} for the back end {backend} (files of pickles are never read)"
        raise DataError(fault + _elsewhere(place, wanted), str(place))
    folders = [weights.parent, *([weights.parent.parent] if weights.parent.name == "onnx" else [])]
    beside = [next((folder / name for folder in folders if (folder / name).is_file()), None) for name in BESIDE]
    more = sorted(weights.parent.glob("model-*-of-*.safetensors")) if weights.name == PARTS else []
    more += [path for ending in ("_data", ".data") if (path := Path(f"{weights}{ending}")).is_file()]
    return Encoder(settings, backend, Files(str(weights), tuple(map(str, (*filter(None, beside), *more)))))


def _elsewhere(place: Path, wanted: str) -> str:
    """A hint where the weights of an encoder are, if not where they are looked for."""
    if place.is_file():
        return ": unpack the archive, and name the folder with the weights" if is_zipfile(place) else ""
    inner = next((path.parent for path in sorted(place.glob(f"*/{wanted}")) if path.is_file()), None)
    return f": name {shlex.quote(str(inner))}, which has one" if inner else ""


def digest_of(path: str) -> str:
    """SHA-256 of a file."""
    checksum = sha256()
    with translated_errors(path), open(path, "rb") as file:
        while piece := file.read(PIECE):
            checksum.update(piece)
    return checksum.hexdigest()
