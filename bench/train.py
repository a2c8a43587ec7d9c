"""train: seconds of the whole command, from start-up to the model in its file, beside a script with python-crfsuite.

sstag has its defaults. The script has the same prior, and CRFsuite's own criterion for convergence.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.corpora import Corpus, corpus, template
from bench.figures import CRFSUITE, THREADS, TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import Command, alternated, module, run, sstag

C2 = 0.5  # as l2 = 1
ALL_PAIRS = "sstag, 2 threads, pairs: all"


def _measured(bench: Bench) -> Measured:
    on, test = corpus(bench, "conll2000"), corpus(bench, "conll2000 test")
    models = {side: bench.scratch / f"{side}.model" for side in (CRFSUITE, *THREADS, ALL_PAIRS)}
    sides = {CRFSUITE: crfsuite_training(on, models[CRFSUITE])}
    sides |= {side: sstag_training(on, models[side], threads) for side, threads in THREADS.items()}
    runs = alternated(sides, bench.scale.few, bench.tell)
    bench.tell(ALL_PAIRS)
    some = ("--set", "max_iterations=20")  # by then it has allocated all its memory
    every_pair = run(sstag_training(on, models[ALL_PAIRS], 2, "--set", "pairs=all", *some))
    bench.tell("scoring")
    scores = {side: [_score(bench, side, models[side], test)] for side in (CRFSUITE, TWO)}
    figures = [
        figure("whole training", "s", runs, "seconds", Target(TWO, "times", 10.0)),
        figure("peak memory", "MiB", runs, "MiB", Target(TWO, "share", 1.3)),
        figure("peak memory, pairs: all", "MiB", {CRFSUITE: runs[CRFSUITE], TWO: [every_pair]}, "MiB"),
        Figure("score", "%", scores, rising=True),
    ]
    return Measured(on.on | {"c2": C2, "test": test.on}, runs | {ALL_PAIRS: [every_pair]}, figures)


def crfsuite_training(on: Corpus, model: Path) -> Command:
    return module("bench.crfsuite_script", "train", on.path, model, C2)


def sstag_training(on: Corpus, model: Path, threads: int, *more: str) -> Command:
    words = ["train", "--template", template(on.template), "--train", on.path, "--model", model]
    return sstag(*words, "--set", "minimum_count=1", "--threads", threads, *more)


def _score(bench: Bench, side: str, model: Path, test: Corpus) -> float:
    """F of chunks, or accuracy of plain labels, in percent; `sstag eval` computes it for both sides."""
    tagged = bench.scratch / "scored.txt"
    if side == CRFSUITE:
        run(module("bench.crfsuite_script", "tag", model, test.path, tagged))
    else:
        run(sstag("tag", "--model", model, test.path, "--output", tagged))
    said: Mapping[str, Any] = run(sstag("eval", tagged, "--format", "json", speaks=True))
    found = said["predicted"]["figures"]
    return 100 * found.get("f1", found["accuracy"])


CASES = (Case("CoNLL-2000", _measured),)
