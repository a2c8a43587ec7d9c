"""Seconds for one (value, gradient) of the likelihood: sstag with one thread and with two, against CRFsuite.

The same sentences, attributes and label pairs; CRFsuite tells its seconds per iteration itself. Each run is a process
of its own, alternating; of each run the median iteration, of all runs the best.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pycrfsuite
from peers import RESULTS, TEMPLATE, alternated, chunking_corpus, crfsuite_sentences

from sstag.conll import read
from sstag.criterion import Criterion, Part
from sstag.dataset import compiled
from sstag.objectives import objective
from sstag.parameters import parameters
from sstag.shards import shards
from sstag.template_file import load_template

RUNS = 5
PASSES = 15


def sstag_side(path: str, threads: int) -> list[float]:
    template = load_template(str(TEMPLATE))
    made = compiled(template, read(path, template.layout(path)))
    assert made.labelled is not None
    theta = np.random.default_rng(1).normal(0, 0.1, parameters(made).size)
    seconds = []
    with shards(threads) as over:
        criterion = Criterion(parameters(made), [Part(made.labelled, (objective("likelihood"),))], 1.0, over)
        criterion(theta)  # compiles, where nothing is compiled yet
        for _ in range(PASSES):
            start = time.perf_counter()
            criterion(theta)
            seconds.append(time.perf_counter() - start)
    return seconds


def crfsuite_side(path: str) -> list[float]:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.5, "max_iterations": PASSES})
    for attributes, labels in crfsuite_sentences(path):
        trainer.append(attributes, labels)
    with tempfile.TemporaryDirectory() as scratch:
        trainer.train(str(Path(scratch) / "model"))
    return [float(iteration["time"]) for iteration in trainer.logparser.iterations]


def one_run(side: str, path: str) -> None:
    seconds = crfsuite_side(path) if side == "crfsuite" else sstag_side(path, int(side[-1]))
    print(json.dumps({"seconds": seconds}))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        name, path = chunking_corpus(Path(scratch))
        runs = alternated(__file__, ["crfsuite", "sstag 1", "sstag 2"], path, RUNS)
    medians = {side: [statistics.median(run["seconds"]) for run in results] for side, results in runs.items()}
    print(f"{name}: seconds per (value, gradient)")
    for side, seconds in medians.items():
        ratio = min(medians["crfsuite"]) / min(seconds)
        print(f"  {side:<9} {min(seconds):6.3f} (slowest run {max(seconds):.3f})  {ratio:4.2f} times CRFsuite's speed")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "training.json").write_text(json.dumps({"corpus": name, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    one_run(*sys.argv[1:]) if len(sys.argv) > 1 else main()
