"""Trials for tests of the runner: they leave a mark where they ran, and do what they are told."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Table
from sstag.experiments.plan import uninstalled
from sstag.experiments.trials import Experiment, Row, Section, Trial
from sstag.foundation.errors import DataError


def doubled(corpora: Corpora, needed: Sequence[Sequence[Row]], *, number: int) -> list[Row]:
    """Twice the number, and the sum of what it needs; a file in the first folder says that it ran."""
    with Path(corpora.folders[0], "ran").open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")
    return [{"double": 2 * number, "needed": sum(row["double"] for rows in needed for row in rows)}]


def timed(corpora: Corpora, needed: Sequence[Sequence[Row]], *, number: int) -> list[Row]:
    """When it ran."""
    began = time.time()
    time.sleep(0.05)
    return [{"began": began, "ended": time.time()}]


def failing(corpora: Corpora, needed: Sequence[Sequence[Row]], *, how: str) -> list[Row]:
    """Fails as a user's mistake does, as a bug does, as a killed process does, or by what it returns."""
    if how == "mistake":
        raise DataError("is no corpus", "corpus.txt", 7)
    if how == "bug":
        raise ZeroDivisionError("a bug")
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"number": float("nan")}]


def small(scale: str, corpora: Corpora) -> Experiment:
    """Three trials: of one file; of one that is a part of the whole; with a package."""
    parts = {"file": corpora.absent(["part.txt"]), "package": uninstalled(["part_of_small"], corpora)}
    trials = [Trial(f"{__name__}:doubled", {"number": 1}, ["whole.txt"])]
    if not parts["file"]:
        trials.append(Trial(f"{__name__}:doubled", {"number": 2}, ["part.txt"]))
    if not parts["package"]:
        trials.append(Trial(f"{__name__}:doubled", {"number": 3}, packages=["part_of_small"]))

    def report(rows: list[Row]) -> Iterator[Block]:
        yield Table("Doubled", ("number", "double"), [(str(row["number"]), row["double"]) for row in rows])

    left_out = [*parts["file"], *parts["package"]]
    return Experiment("Small", [Section(trials, report)], corpora.absent(["whole.txt"]), left_out=left_out)
