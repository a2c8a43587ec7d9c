"""Reading a corpus and making its features: sstag's columns against Python strings appended to python-crfsuite.

The same file, the same attributes (CRF++'s chunking template), each run in a process of its own, alternating; the best
of several counts, the spread is shown. CoNLL-2000 if it is present, else a generated corpus of its size.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sstag.conll import read
from sstag.dataset import compiled
from sstag.samples.ads import ads
from sstag.template_file import load_template
from sstag.words import short_shape

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "configs/templates/chunking.yaml"
RUNS = 7
WINDOWS = {
    0: [(-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1)],
    1: [(-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)],
}


def sstag_side(path: str) -> dict[str, int]:
    template = load_template(str(TEMPLATE))
    made = compiled(template, read(path, template.layout))
    return {"attributes": made.unary.size, "pairs": len(made.pairs.labels)}


def crfsuite_side(path: str) -> dict[str, int]:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    with open(path, encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            rows = [line.split() for line in block.split("\n")]
            columns = list(zip(*rows, strict=True))
            trainer.append(_strings(columns, len(rows)), columns[-1])
    return {}


def _strings(columns: list[tuple[str, ...]], length: int) -> list[list[str]]:
    padded = [["_B-2", "_B-1", *column, "_B+1", "_B+2"] for column in columns[:2]]
    names = [(column, window, f"U{column}{i}:") for column in WINDOWS for i, window in enumerate(WINDOWS[column])]
    return [
        [name + "/".join([padded[column][t + 2 + offset] for offset in window]) for column, window, name in names]
        for t in range(length)
    ]


def one_run(side: str, path: str) -> None:
    """A single measured run, reported as JSON; importing is not part of it."""
    if side == "crfsuite":
        import pycrfsuite  # noqa: F401
    start = time.perf_counter()
    counts = {"sstag": sstag_side, "crfsuite": crfsuite_side}[side](path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, **counts}))


def main() -> None:
    folders = [ROOT / "data", Path(os.environ.get("SSTAG_DATA", ROOT / "data"))]
    found = [folder / "conll2000/train.txt" for folder in folders if (folder / "conll2000/train.txt").exists()]
    with tempfile.TemporaryDirectory() as scratch:
        path = found[0] if found else _generated(Path(scratch) / "ads.txt")
        runs: dict[str, list[dict[str, float]]] = {"crfsuite": [], "sstag": []}
        for number in range(RUNS):
            for side, results in runs.items():
                if sys.stderr.isatty():
                    print(f"\r{side}, run {number + 1} of {RUNS}   ", end="", file=sys.stderr)
                command = [sys.executable, __file__, side, str(path)]
                results.append(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))
    name = "CoNLL-2000" if found else "generated ads"
    best = {side: min(run["seconds"] for run in results) for side, results in runs.items()}
    print(f"{name}: {int(runs['sstag'][0]['attributes']):,} attributes, {int(runs['sstag'][0]['pairs']):,} pairs")
    for side, results in runs.items():
        slowest, memory = max(run["seconds"] for run in results), max(run["megabytes"] for run in results)
        print(f"  {side:<9} {best[side]:6.3f} s (slowest {slowest:.3f} s)  {memory:5.0f} MB")
    print(f"  sstag is {best['crfsuite'] / best['sstag']:.1f} times as fast (best of {RUNS})")
    results_folder = ROOT / "bench/results"
    results_folder.mkdir(exist_ok=True)
    (results_folder / "extraction.json").write_text(json.dumps({"corpus": name, "runs": runs}, indent=1) + "\n")


def _generated(path: Path) -> Path:
    """Ads with about the tokens of CoNLL-2000; the shape of a word stands for its part of speech."""
    with open(path, "w", encoding="utf-8") as file:
        for ad in ads(3700, np.random.default_rng(1)):
            file.writelines(f"{word} {short_shape(word)} {label}\n" for word, label in ad)
            file.write("\n")
    return path


if __name__ == "__main__":
    one_run(*sys.argv[1:]) if len(sys.argv) > 1 else main()
