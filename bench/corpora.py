"""Corpora to measure on: real ones if they are present (data/README.md), else generated ones of the same size."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Bench
from bench.processes import ROOT, function, run

FOLDERS = [ROOT / "data", *(Path(folder).resolve() for folder in [os.environ.get("SSTAG_DATA", "")] if folder)]


@dataclass(frozen=True)
class Language:
    """The properties of a text to be generated."""

    labels: int
    words: int  # different ones
    columns: int  # without the label
    length: float  # tokens of a sentence, on average


@dataclass(frozen=True)
class Source:
    """The files of a corpus, the sentences of them that are taken, and the language generated if they are missing."""

    name: str
    files: tuple[str, ...]
    template: str
    language: Language
    sentences: int
    every: int = 1
    first: int | None = None  # the number of sentences that are taken; None for all
    seed: int = 1  # of the generated text; training and test part have different ones
    labelled: bool = True


@dataclass(frozen=True)
class Corpus:
    """A file to measure on."""

    name: str
    path: Path
    template: str
    on: dict[str, Any]  # its description in the results


_PHRASES = Language(labels=22, words=19_000, columns=2, length=23.7)
_NAMES = Language(labels=8, words=23_000, columns=3, length=14.5)
_LETTERS = Language(labels=51, words=26, columns=1, length=7.3)
_BROWN = Language(labels=270, words=20_000, columns=1, length=20.3)
_FIELDS = Language(labels=13, words=19_000, columns=1, length=23.7)
_GENES = Language(labels=3, words=25_000, columns=1, length=26.2)
_WIRE = Language(labels=22, words=50_000, columns=1, length=18.5)
_MANY = Language(labels=478, words=1000, columns=1, length=20)  # of which 472 occur in 2,004 tokens
_PARTS = tuple(f"nettalk/parts/part{part}.txt" for part in range(10))

SOURCES = {
    "conll2000": Source("CoNLL-2000", ("conll2000/train.txt",), "chunking", _PHRASES, 8936),
    "conll2000 test": Source("CoNLL-2000 test", ("conll2000/test.txt",), "chunking", _PHRASES, 2012, seed=2),
    "conll2000 first": Source("CoNLL-2000", ("conll2000/train.txt",), "chunking", _PHRASES, 8936, first=823),
    "conll2003": Source("CoNLL-2003", ("conll2003/eng.train.gz",), "ner", _NAMES, 14_041),
    "conll2003 test": Source("CoNLL-2003 test A", ("conll2003/eng.testa",), "ner", _NAMES, 3250, seed=2),
    "nettalk": Source("NetTalk, nine parts", _PARTS[1:], "letters", _LETTERS, 14_652),
    "nettalk test": Source("NetTalk, tenth part", _PARTS[:1], "letters", _LETTERS, 1628, seed=2),
    "brown": Source("Brown, every tenth sentence", ("brown/brown.txt.gz",), "pos", _BROWN, 57_340, every=10),
    "13 labels": Source("generated, 13 labels", (), "pos", _FIELDS, 4000),
    "bc1gm": Source("BioCreative I genes", ("bc1gm/train.txt",), "genes", _GENES, 7500),
    "bc2gm": Source("BioCreative II genes", ("bc2gm/train.txt",), "genes", _GENES, 12_500, seed=2),
    "reuters": Source("Reuters", ("reuters/reuters21578.raw.txt.gz",), "genes", _WIRE, 83_376, labelled=False),
    "many labels": Source("generated, 472 labels", (), "pos", _MANY, 100),
}


def corpus(bench: Bench, key: str) -> Corpus:
    """A corpus as a plain file, which is written once."""
    source, path = SOURCES[key], bench.scratch / f"{key}.txt"
    said = path.with_suffix(".json")
    if not said.exists():
        bench.tell(f"making {source.name}")
        run(function("bench.writing:write_corpus", key=key, path=path, about=said, most=bench.scale.sentences))
    on = json.loads(said.read_bytes())
    return Corpus(on["corpus"], path, source.template, on)


def template(name: str) -> Path:
    """The path of a template that is shipped."""
    return ROOT / f"configs/templates/{name}.yaml"


def present(files: tuple[str, ...]) -> list[Path]:
    """The paths of these files, if one folder has all of them; else none."""
    for folder in FOLDERS:
        paths = [folder / name for name in files]
        if all(path.exists() for path in paths):
            return paths
    return []
