"""Files made of raw text that help a template: which ones are here, what they brought elsewhere, and their lines.

What they brought is F on CoNLL-2003 test B with 100 labelled sentences and the template `ner` without parts of speech
and chunks, mean of ten draws (results/representations).
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path

from sstag.features.encoders.encoder import FOLDERS as ENCODER_FOLDERS
from sstag.features.encoders.encoder import WEIGHTS
from sstag.features.reading import template
from sstag.features.words.named_vectors import FOLDERS as VECTOR_FOLDERS
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import display_name, translated_errors

PLAIN = re.compile(r"[^\s\[\](),|'\"]+")  # a name that needs no quotation marks
MADE = (
    (
        "--clusters FILE",
        "sstag clusters raw.txt -o FILE. Names in news: F 53.3 to 64.2 with 4 million tokens of raw text",
    ),
    (
        "--vectors FILE",
        "sstag vectors raw.txt -o FILE: F 53.3 to 62.6, with clusters 66.4; a file of GloVe's vectors: 68.8. "
        "Characters of Japanese: F 80.5 to 81.7. With less than a million tokens take clusters",
    ),
    (
        "--encoder MODEL",
        "a folder, or a name in the hub's cache: beside vectors and clusters of others F 70.4 to 73.0 by 22 million "
        "parameters, to 79.4 by 110 million; genes 36.7 to 47.5 and 55.3 (docs/how-to/encoders.md)",
    ),
)
ENCODERS_BRING = "--encoder MODEL would add an encoder: F of names in news 70.4 to 73.0 (MiniLM), to 79.4 (MPNet)"
TABLES = "--clusters: English, German, Spanish by spaCy; names in news: F 68.8 to 70.4 beside GloVe's vectors"
HUB = "--encoder: in the hub's cache"
ENCODER = f"--encoder: in a folder of {ENCODER_FOLDERS}"
VECTORS = f"--vectors, --clusters: in a folder of {VECTOR_FOLDERS}"
NAME = re.compile(r"[^a-z0-9]+")  # what has no place in the name that a template gives an encoder


def proposals(hub: str) -> Iterator[tuple[str, str]]:
    """The options that help beside a template, and what is installed: names, each with a line about it."""
    yield from MADE
    if (package := find_spec("spacy_lookups_data")) and package.origin:
        for path in sorted(Path(package.origin).parent.glob("data/*_lexeme_cluster.json.gz")):
            yield str(path), TABLES
    for folder in sorted(Path(hub).glob("models--*")):
        yield folder.name.removeprefix("models--").replace("--", "/"), HUB
    yield from ((str(path), ENCODER) for path in _in_folders(ENCODER_FOLDERS) if _is_encoder(path))
    yield from ((str(path), VECTORS) for path in _in_folders(VECTOR_FOLDERS) if path.is_file())


def _in_folders(variable: str) -> Iterator[Path]:
    """Everything in the folders that a variable of the environment lists."""
    for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
        yield from sorted(Path(folder).glob("[!.]*"))


def _is_encoder(path: Path) -> bool:
    return path.suffix == ".onnx" or any((path / name).is_file() for name in (WEIGHTS, "model.onnx", "onnx/model.onnx"))


def with_files(
    text: str, name: str, clusters: Sequence[str], vectors: Sequence[str], encoders: Sequence[str], folder: str
) -> str:
    """A template with lines for clusters, vectors and encoders, whose paths are relative to its folder."""
    columns = template(text, name).columns
    if not columns:
        raise ConfigError("a template of CRF++ has no place for clusters and vectors", name)
    for path in (*clusters, *vectors):
        with translated_errors(path):
            os.stat(path)
    word = columns[0]
    lines = [f"cluster({word}[-1..1], {_written(path, folder)}, 4, 6, 10, 20)" for path in clusters]
    lines += [f"vector({word}[-1..1], {_written(path, folder)})" for path in vectors]
    named: dict[str, str] = {}
    for one in dict.fromkeys(encoders):
        short = NAME.sub("_", os.path.basename(os.path.normpath(one)).lower()).strip("_")
        names = chain([short], (f"{short}_{number}" for number in count(2)))
        named[next(name for name in names if name not in named)] = one
    lines += [f"encoded({short}[0])" for short in named]
    added = "".join(f"\n  - {line}" for line in lines)
    if named:
        models = "".join(f"\n  {short}: {{model: {_model(one, folder)}}}" for short, one in named.items())
        text = re.sub(r"^features:", lambda found: f"encoders:{models}\n{found[0]}", text, count=1, flags=re.MULTILINE)
    made = re.sub(r"^features:[ ]*$", lambda found: found[0] + added, text, count=1, flags=re.MULTILINE)
    place = os.path.join(folder, name)
    try:
        template(made, place)  # a file that is none, or not there, is said now
    except (ConfigError, DataError) as error:
        if error.path != display_name(place):
            raise
        raise ConfigError(error.message) from error  # the template is not written yet: no line to look at
    return made


def _model(encoder: str, folder: str) -> str:
    """The folder of an encoder as a template has it, or its name in the hub's cache."""
    return _written(encoder, folder) if os.path.exists(encoder) else encoder


def _written(path: str, folder: str) -> str:
    """A path as a line of a template has it: from the folder of the template, unless it begins at the root."""
    found = path if os.path.isabs(path) or sys.platform == "win32" else os.path.relpath(path, folder)
    if PLAIN.fullmatch(found):
        return found
    if "'" in found or "\n" in found:
        raise ConfigError("a template cannot name a file with a quotation mark in its name", path)
    return f"'{found}'"
