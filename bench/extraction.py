"""Reading a corpus and making its features: sstag's columns against Python strings appended to python-crfsuite.

The same file, the same attributes (CRF++'s chunking template), each run in a process of its own, alternating; the best
of several counts, the slowest is shown.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import pycrfsuite
from peers import RESULTS, TEMPLATE, alternated, chunking_corpus, crfsuite_sentences

from sstag.conll import read
from sstag.dataset import compiled
from sstag.template_file import load_template

RUNS = 7


def sstag_side(path: str) -> dict[str, int]:
    template = load_template(str(TEMPLATE))
    made = compiled(template, read(path, template.layout(path)))
    return {"attributes": made.unary.size, "pairs": len(made.pairs.labels)}


def crfsuite_side(path: str) -> dict[str, int]:
    trainer = pycrfsuite.Trainer(verbose=False)
    for attributes, labels in crfsuite_sentences(path):
        trainer.append(attributes, labels)
    return {}


def one_run(side: str, path: str) -> None:
    start = time.perf_counter()
    counts = {"sstag": sstag_side, "crfsuite": crfsuite_side}[side](path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, **counts}))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        name, path = chunking_corpus(Path(scratch))
        runs = alternated(__file__, ["crfsuite", "sstag"], path, RUNS)
    best = {side: min(run["seconds"] for run in results) for side, results in runs.items()}
    print(f"{name}: {runs['sstag'][0]['attributes']:,} attributes, {runs['sstag'][0]['pairs']:,} pairs")
    for side, results in runs.items():
        slowest, memory = max(run["seconds"] for run in results), max(run["megabytes"] for run in results)
        print(f"  {side:<9} {best[side]:6.3f} s (slowest {slowest:.3f} s)  {memory:5.0f} MB")
    print(f"  sstag is {best['crfsuite'] / best['sstag']:.1f} times as fast (best of {RUNS})")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "extraction.json").write_text(json.dumps({"corpus": name, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    one_run(*sys.argv[1:]) if len(sys.argv) > 1 else main()
