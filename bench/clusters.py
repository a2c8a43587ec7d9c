"""clusters: words of ten million tokens into 512 clusters, tree included; and a part of them beside wcluster.

wcluster (github.com/percyliang/brown-cluster) is no package: SSTAG_WCLUSTER names the program. Without it sstag is
measured alone, and the row says so.
"""

import os
from pathlib import Path
from typing import Any

from bench.corpora import Language, present
from bench.figures import ONE, THREADS, TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import Command, alternated, function, run, sstag

FILES = ("reuters/reuters21578.raw.txt.gz", "raw/news.txt.gz", "raw/medline.txt.gz", "brown/brown.txt.gz")
LANGUAGE = Language(labels=22, words=200_000, columns=1, length=22)
TOKENS, COUNT, LEAST = 10_000_000, 512, 3
PART = 500_000  # tokens, with which wcluster takes some minutes
MOST_SECONDS, MOST_MEMORY, TIMES = 60, 2048, 50
WCLUSTER = "wcluster"


def _clusters(bench: Bench, paths: list[Path], threads: int) -> Command:
    target = bench.scratch / "made.clusters"
    return sstag("clusters", *paths, "--count", COUNT, "--least", LEAST, "--threads", threads, "-o", target)


def _whole(bench: Bench) -> Measured:
    paths, name = present(FILES), "news, abstracts and Brown, 10.2 million tokens"
    if not paths:
        paths, name = [_generated(bench, TOKENS)], f"generated, {TOKENS:,} tokens"
    runs = alternated({TWO: _clusters(bench, paths, 2)}, bench.scale.few, bench.tell)
    figures = [
        figure(f"{COUNT} clusters and their tree", "s", runs, "seconds", Target(TWO, "most", MOST_SECONDS)),
        figure("peak memory of it", "MiB", runs, "MiB", Target(TWO, "most", MOST_MEMORY)),
    ]
    return Measured({"corpus": name, "least": LEAST}, runs, figures)


def _beside_wcluster(bench: Bench) -> Measured:
    paths, name = present(FILES[:1]), f"Reuters, {PART:,} tokens"
    if not paths:
        paths, name = [_generated(bench, PART)], f"generated, {PART:,} tokens"
    column, lines = bench.scratch / "part.txt", bench.scratch / "lines.txt"
    run(function("bench.writing:write_part", source=paths[0], tokens=PART, column=column, lines=lines))
    sides = {side: _clusters(bench, [column], threads) for side, threads in THREADS.items()}
    runs: dict[str, list[dict[str, Any]]] = alternated(sides, bench.scale.few, bench.tell)
    targets: tuple[Target, ...] = ()
    if program := os.environ.get("SSTAG_WCLUSTER"):
        bench.tell("wcluster, which takes minutes")
        told = (f"--text={lines}", f"--c={COUNT}", f"--min-occur={LEAST}", f"--output_dir={bench.scratch / 'wcluster'}")
        runs[WCLUSTER] = [run(Command((program, *told, "--threads=1")))]
        targets = (Target(ONE, "times", TIMES),)
    else:
        name += " (wcluster is not measured: SSTAG_WCLUSTER names no program)"
    numbers = {side: [one["seconds"] for one in each] for side, each in runs.items()}
    made = Figure(f"{COUNT} clusters and their tree", "s", numbers, targets, peer=WCLUSTER)
    return Measured({"corpus": name, "least": LEAST}, runs, [made])


def _generated(bench: Bench, tokens: int) -> Path:
    path = bench.scratch / "raw.txt"
    bench.tell("making the text")
    language = vars(LANGUAGE)
    run(function("bench.writing:write_generated", path=path, language=language, tokens=tokens, labelled=False))
    return path


CASES = (
    Case("10 million tokens", _whole, quick=False, needs=()),
    Case("beside wcluster", _beside_wcluster, quick=False, needs=()),
)
