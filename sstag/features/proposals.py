"""Files made of raw text that help a template: which ones are here, what they brought elsewhere, and their lines.

What they brought is F on CoNLL-2003 test B with 100 labelled sentences and the template `ner` without parts of speech
and chunks, mean of ten draws (results/representations).
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError

PLAIN = re.compile(r"[^\s\[\](),|'\"]+")  # a name that needs no quotation marks
MADE = (
    (
        "--clusters FILE",
        "sstag clusters raw.txt -o FILE. Names in news: F 53.3 to 64.2 with 4 million tokens of raw text",
    ),
    (
        "--vectors FILE",
        "sstag vectors raw.txt -o FILE: F 53.3 to 62.6, with clusters 66.4; a file of GloVe's vectors: 68.8",
    ),
)
TABLES = "--clusters: English, German, Spanish by spaCy; names in news: F 68.8 to 70.4 beside GloVe's vectors"
ENCODER = "an encoder in the hub's cache (docs/how-to/encoders.md)"


def proposals(hub: str) -> Iterator[tuple[str, str]]:
    """The options that help beside a template, and what is installed: names, each with a line about it."""
    yield from MADE
    if (package := find_spec("spacy_lookups_data")) and package.origin:
        for path in sorted(Path(package.origin).parent.glob("data/*_lexeme_cluster.json.gz")):
            yield str(path), TABLES
    for folder in sorted(Path(hub).glob("models--*")):
        yield folder.name.removeprefix("models--").replace("--", "/"), ENCODER


def with_files(text: str, name: str, clusters: Sequence[str], vectors: Sequence[str], folder: str) -> str:
    """A template with lines for files of clusters and of vectors, whose names are relative to its folder."""
    columns = template(text, name).columns
    if not columns:
        raise ConfigError("a template of CRF++ has no place for clusters and vectors", name)
    word = columns[0]
    lines = [f"cluster({word}[-1..1], {_written(path, folder)}, 4, 6, 10, 20)" for path in clusters]
    lines += [f"vector({word}[-1..1], {_written(path, folder)})" for path in vectors]
    added = "".join(f"\n  - {line}" for line in lines)
    made = re.sub(r"^features:[ ]*$", lambda found: found[0] + added, text, count=1, flags=re.MULTILINE)
    template(made, os.path.join(folder, name))  # a file that is none, or not there, is said now
    return made


def _written(path: str, folder: str) -> str:
    """A path as a line of a template has it."""
    found = os.path.relpath(path, folder) if sys.platform != "win32" else path
    if PLAIN.fullmatch(found):
        return found
    if "'" in found or "\n" in found:
        raise ConfigError("a template cannot name a file with a quotation mark in its name", path)
    return f"'{found}'"
