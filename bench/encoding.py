"""encode: tokens a second through `sstag encode`'s function, beside the bare back end on windows that are cut already.

The encoder has the sizes of MiniLM-L6 and random weights, since no weights come with sstag; what it finds is not looked
at. With SSTAG_TEST_ENCODERS, a folder of real encoders, each of them is measured by the back end that fits it.
"""

import os
from functools import partial
from pathlib import Path

from bench.corpora import corpus
from bench.figures import ONE, Bench, Case, Measured, Target, figure
from bench.processes import NotMeasured, alternated, function, run

BARE, AGAIN = "the bare back end", "read again from the cache"
SENTENCES = 1000
REAL = "SSTAG_TEST_ENCODERS"


def _numpy(bench: Bench) -> Measured:
    folder = bench.scratch / "encoder"
    on = corpus(bench, "conll2003")
    run(function("bench.encoder_side:written", folder=folder, text=on.path))
    return _measured(bench, {"NumPy, the sizes of MiniLM-L6": folder})


def _real(bench: Bench) -> Measured:
    top = Path(os.environ.get(REAL, ""))
    found = {path.name: path for path in sorted(top.iterdir()) if (path / "config.json").is_file()} if top.name else {}
    if not found:
        raise NotMeasured(f"{REAL} names no folder with encoders")
    return _measured(bench, found)


def _measured(bench: Bench, encoders: dict[str, Path]) -> Measured:
    on = corpus(bench, "conll2003")
    every, figures = {}, []
    for name, folder in encoders.items():
        settings = {"encoder": folder, "text": on.path, "sentences": SENTENCES if bench.scale.aims else 100}
        encoded = partial(function, "bench.encoder_side:encoded_text", **settings)
        sides = {BARE: function("bench.encoder_side:bare", **settings), ONE: encoded()}
        sides[AGAIN] = encoded(cache=bench.scratch / f"cache-{name}")
        runs = alternated(sides, bench.scale.few, bench.tell)
        every |= {f"{name}, {side}": found for side, found in runs.items()}
        figures.append(figure(name, "tokens/s", runs, "speed", Target(ONE, "share", 1.2), peer=BARE, rising=True))
    return Measured(on.on | {"sentences": SENTENCES, "threads": 1}, every, figures)


CASES = (Case("random weights", _numpy, needs=()), Case("real encoders", _real, quick=False, needs=()))
