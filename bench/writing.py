"""Functions that write corpora to files: real ones, generated text of any size, and ads."""

import gzip
import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.corpora import SOURCES, Language, present
from bench.generated import text
from sstag.experiments.samples.ads import ads

PIECE = 500_000  # tokens


def write_corpus(key: str, path: str, about: str, most: int | None) -> None:
    """Writes a corpus of at most `most` sentences, and a description of it."""
    source = SOURCES[key]
    paths = present(source.files)
    if paths:
        sentences = [one for file in paths for one in _sentences(file)]
    else:
        sentences = text(source.language, source.sentences, source.seed, source.labelled).strip("\n").split("\n\n")
    chosen = sentences[:: source.every][: source.first][:most]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{sentence}\n\n" for sentence in chosen)
    tokens = [line for sentence in chosen for line in sentence.split("\n")]
    name = source.name if paths or not source.files else f"generated, like {source.name}"
    said = {
        "corpus": name if len(chosen) == len(sentences[:: source.every]) else f"{name}, {len(chosen):,} sentences",
        "sentences": len(chosen),
        "tokens": len(tokens),
        **({"labels": len({line.split()[-1] for line in tokens})} if source.labelled else {}),
        **({} if paths else {"generated": asdict(source.language)}),
    }
    Path(about).write_text(json.dumps(said), encoding="utf-8")


def _sentences(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
        for sentence in re.split(r"\n\s*\n", file.read().strip()):
            if not sentence.startswith("-DOCSTART-"):
                yield sentence


def write_part(source: str, tokens: int, column: str, lines: str) -> None:
    """Writes the first sentences of a file, of at least so many tokens, as a column and as lines of words."""
    written = 0
    with open(column, "w", encoding="utf-8") as file, open(lines, "w", encoding="utf-8") as running:
        for sentence in _sentences(Path(source)):
            words = [line.split()[0] for line in sentence.split("\n")]
            file.write("\n".join(words) + "\n\n")
            running.write(" ".join(words) + "\n")
            written += len(words)
            if written >= tokens:
                break


def write_ads(path: str, tokens: int) -> dict[str, int]:
    """Writes ads of so many tokens or a few more, with a word and a label a line."""
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        for ad in ads(tokens, np.random.default_rng(1)):
            file.write("".join(f"{word} {label}\n" for word, label in ad) + "\n")
            written += len(ad)
            if written >= tokens:
                break
    return {"tokens": written}


def write_generated(
    path: str, language: dict[str, Any], tokens: int, size: int = 0, labelled: bool = True
) -> dict[str, int]:
    """Writes generated text of at least so many tokens and bytes, piece by piece in little memory."""
    made, written, lines, number = Language(**language), 0, 0, 0
    with open(path, "w", encoding="utf-8") as file:
        while lines < tokens or written < size:
            wanted = tokens - lines if lines < tokens else PIECE
            piece = text(made, math.ceil(min(wanted, PIECE) / made.length), (1, number), labelled)
            written += file.write(piece)
            lines += piece.count("\n") - piece.count("\n\n")
            number += 1
    return {"tokens": lines, "bytes": written}
