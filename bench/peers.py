"""What the benchmarks share: the corpus, the peer's features as strings, and runs in processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sstag.samples.ads import ads
from sstag.words import short_shape

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "configs/templates/chunking.yaml"
RESULTS = ROOT / "bench/results"
WINDOWS = {  # of configs/templates/chunking.yaml, by column
    0: [(-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1)],
    1: [(-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)],
}


def chunking_corpus(scratch: Path) -> tuple[str, Path]:
    """CoNLL-2000 if it is present, else ads of its size; with a name for it."""
    folders = [ROOT / "data", Path(os.environ.get("SSTAG_DATA", ROOT / "data"))]
    for path in [folder / "conll2000/train.txt" for folder in folders]:
        if path.exists():
            return "CoNLL-2000", path
    path = scratch / "ads.txt"
    with open(path, "w", encoding="utf-8") as file:
        for ad in ads(3700, np.random.default_rng(1)):
            # The shape of a word stands for its part of speech.
            file.writelines(f"{word} {short_shape(word)} {label}\n" for word, label in ad)
            file.write("\n")
    return "generated ads", path


def crfsuite_sentences(path: str) -> Iterator[tuple[list[list[str]], Sequence[str]]]:
    """The sentences of a column file, each with the template's attributes as strings, and its labels."""
    names = [
        (column, [2 + offset for offset in window], f"U{column}{i}:")
        for column in WINDOWS
        for i, window in enumerate(WINDOWS[column])
    ]
    with open(path, encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            columns = list(zip(*(line.split() for line in block.split("\n")), strict=True))
            padded = [["_B-2", "_B-1", *column, "_B+1", "_B+2"] for column in columns[:2]]
            attributes = [
                [name + "/".join([padded[column][t + place] for place in places]) for column, places, name in names]
                for t in range(len(columns[0]))
            ]
            yield attributes, columns[-1]


def alternated(script: str, sides: Sequence[str], path: Path, runs: int) -> dict[str, list[dict[str, Any]]]:
    """The JSON that `script SIDE PATH` prints, side after side, several times: a slow minute is shared by all."""
    results: dict[str, list[dict[str, Any]]] = {side: [] for side in sides}
    for number in range(runs):
        for side in sides:
            if sys.stderr.isatty():
                print(f"\r{side}, run {number + 1} of {runs}   ", end="", file=sys.stderr)
            command = [sys.executable, script, side, str(path)]
            results[side].append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    return results
