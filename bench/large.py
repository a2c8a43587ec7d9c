"""large: much text in bounded memory. The text is generated, and has new words up to its end."""

import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bench.corpora import Language, template
from bench.figures import TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import NotMeasured, function, run, sstag

LANGUAGE = Language(labels=22, words=5_000_000, columns=2, length=24)
LEARNED = 200_000  # tokens that the model has seen
MOST = 4096  # MiB
A_TENTH = "a tenth of the stream"
LINE = 16  # bytes of a token, at most


def _whole(bench: Bench) -> Measured:
    """A corpus whose attributes are all in memory at once."""
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < MOST * 2**20:
        raise NotMeasured(f"it may take {MOST:,} MiB of memory, and there is less")
    path, _ = _text(bench, LANGUAGE, tokens=bench.scale.extracted)
    model = _model(bench)
    bench.tell("extraction and scoring")
    one = run(function("bench.sstag_side:whole", path=path, model=model, threads=2))
    path.unlink()
    rate = Figure("reading, extraction, scoring in memory", "tokens/s", _rate(one, one["tokens"]), rising=True)
    memory = figure("peak memory of it", "MiB", {TWO: [one]}, "MiB", Target(TWO, "most", MOST))
    return Measured(_on(one["tokens"]), {TWO: [one]}, [rate, memory])


def _tagged(bench: Bench, path: Path) -> dict[str, Any]:
    """The run of `sstag tag` from standard input to standard output."""
    model = _model(bench)
    bench.tell("tagging")
    one = run(sstag("tag", "--model", model, "--threads", 2, stdin=path))
    path.unlink()
    return one


def _sentence(bench: Bench) -> Measured:
    path, made = _text(bench, replace(LANGUAGE, length=bench.scale.longest), tokens=1)
    one = _tagged(bench, path)
    rate = Figure("a sentence tagged", "tokens/s", _rate(one, made["tokens"]), rising=True)
    return Measured(_on(made["tokens"]), {TWO: [one]}, [rate, figure("peak memory of it", "MiB", {TWO: [one]}, "MiB")])


def _stream(bench: Bench) -> Measured:
    """A stream, and first a tenth of it, which shows whether its memory is bounded."""
    path, _ = _text(bench, LANGUAGE, tokens=0, size=bench.scale.streamed // 10)
    tenth = _tagged(bench, path)
    path, made = _text(bench, LANGUAGE, tokens=0, size=bench.scale.streamed)
    whole = _tagged(bench, path)
    figures = [
        Figure("a stream tagged", "tokens/s", _rate(whole, made["tokens"]), rising=True),
        figure("peak memory of it", "MiB", {A_TENTH: [tenth], TWO: [whole]}, "MiB", peer=A_TENTH),
    ]
    return Measured(_on(made["tokens"]) | {"bytes": made["bytes"]}, {A_TENTH: [tenth], TWO: [whole]}, figures)


def _on(tokens: int) -> dict[str, Any]:
    return {"corpus": f"generated, {tokens:,} tokens", "template": "chunking", "language": asdict(LANGUAGE)}


def _rate(one: dict[str, Any], tokens: int) -> dict[str, list[float | None]]:
    return {TWO: [tokens / one["seconds"]]}


def _text(bench: Bench, language: Language, **size: int) -> tuple[Path, dict[str, Any]]:
    """A generated file without labels, and its size; the disk must have room for three of them."""
    path = bench.scratch / "large.txt"
    wanted = 3 * max(size.get("size", 0), LINE * size["tokens"])
    if (free := shutil.disk_usage(bench.scratch).free) < wanted:
        raise NotMeasured(f"it takes {wanted:,} bytes of disk, and {free:,} are free")
    bench.tell("making the text")
    return path, run(
        function("bench.writing:write_generated", path=path, language=asdict(language), labelled=False, **size)
    )


def _model(bench: Bench) -> Path:
    """A model of the language, from a short training."""
    path, model = bench.scratch / "learned.txt", bench.scratch / "learned.model"
    if not model.exists():
        bench.tell("a model")
        run(function("bench.writing:write_generated", path=path, language=asdict(LANGUAGE), tokens=LEARNED))
        chosen = ["--template", template("chunking"), "--set", "max_iterations=20"]
        run(sstag("train", *chosen, "--train", path, "--model", model))
    return model


CASES = (
    Case("10 million tokens", _whole, quick=False, needs=()),
    Case("a sentence of 100,000 tokens", _sentence, quick=False, needs=()),
    Case("1 GB", _stream, quick=False, needs=()),
)
