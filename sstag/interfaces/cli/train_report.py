"""The line that says how far `train` is, and the report of a run as JSON."""

import json
import os
import resource
import sys
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sstag.features.shipped import is_name
from sstag.foundation.files import STANDARD, display_name, output
from sstag.foundation.json_values import Json
from sstag.interfaces.cli.progress import ProgressLine
from sstag.training.configuration import CORPORA, PATHS, Configuration
from sstag.training.objectives.listing import with_paths
from sstag.training.reading_settings import settings_of_reading

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus
    from sstag.corpus.volumes import LargeText
    from sstag.model.model import Model
    from sstag.training.inputs import Inputs, Progress
    from sstag.training.tuning.runs import Trying, Tuned

MINUTE = 60.0


@dataclass
class Watch:
    """Every iteration, as it is reported."""

    line: ProgressLine
    what: str = ""
    seen: "list[Progress]" = field(default_factory=list)

    def tell(self, progress: "Progress") -> None:
        """One iteration."""
        self.seen.append(progress)
        phase = f"{progress.phase}: " if progress.phase else ""
        score = "" if progress.score is None else f"   dev {100 * progress.score:.2f}"
        gradient = "" if progress.gradient_norm is None else f"   gradient {progress.gradient_norm:,.3g}"
        self.line.show(
            f"{self.what}{phase}iteration {progress.iteration}   objective {progress.objective:,.2f}"
            f"{gradient}   {progress.seconds:,.1f} s{score}"
        )

    def trying(self, what: "Trying") -> None:
        """Which of many runs this is."""
        left, time = what.seconds_left, ""
        if left is not None:
            time = f", {left / MINUTE:.0f} min left" if left >= 2 * MINUTE else f", {left:.0f} s left"
        self.what = f"{what.number} of {what.total}{time}: "


def write_report(
    path: str,
    did: Configuration,
    inputs: "Inputs",
    model: "Model",
    tuned: "Tuned | None",
    watch: Watch,
    threads: int,
    seconds: float,
) -> None:
    """Everything about a run, as JSON; `run` is a configuration that repeats it."""
    from sstag.interfaces.cli.tuning import tuning_report

    paths = {key: getattr(did, key) for key in PATHS}
    said: dict[str, Json] = {key: _from_anywhere(key, value) for key, value in paths.items() if value}
    files = {key: [_from_anywhere(key, one) for one in getattr(did, key) or ()] for key in CORPORA}
    for key, some in files.items():
        said |= {key: some[0]} if len(some) == 1 else {key: [*some]} if some else {}
    others = ("method", "ambiguous", "weight_scale", "weight_exponent", "seed", "folds")
    said |= {key: getattr(did, key) for key in others if getattr(did, key) is not None}
    given = {name: value for document in did.parameters for name, value in document.mapping().items()}
    if "objectives" in given:
        given["objectives"] = with_paths(given["objectives"], partial(os.path.join, os.getcwd()))
    if reading := settings_of_reading(did.source, lambda path: _from_anywhere("train", path)):
        said["reading"] = reading
    report = {
        "run": said | {"marks": dict(did.marks), "parameters": given} | ({"tune": did.tune} if tuned else {}),
        "files": {name: _files(corpus) for name, corpus in _corpora(inputs).items() if corpus}
        | ({"unlabeled": _large_files(inputs.large)} if inputs.large else {}),
        "model": model.about,
        **({"first look": model.first.about} if model.first else {}),
        **({"tuning": tuning_report(tuned)} if tuned else {}),
        "labels": list(model.labels),
        "attributes": model.unary.size + model.edge.size,
        "weights": model.weight_map.size,
        "iterations": [asdict(progress) for progress in watch.seen],
        "threads": threads,
        "seconds": seconds,
        "peak memory in bytes": _peak_memory(),
    }
    with output(path) as file:
        file.write(json.dumps(report, ensure_ascii=False, indent=1).encode() + b"\n")


def _corpora(inputs: "Inputs") -> dict[str, "Corpus | None"]:
    return {"train": inputs.labelled, "dev": inputs.development, "unlabeled": inputs.unlabelled}


def _files(corpus: "Corpus") -> list[Json]:
    """The files that were read as one corpus."""
    from sstag.corpus.corpus import sizes_of_files

    return [{"file": path, "sentences": s, "tokens": t} for path, s, t in sizes_of_files(corpus)]


def _large_files(text: "LargeText") -> list[Json]:
    """The files of a text in volumes, together."""
    return [{"file": text.head.path, "sentences": text.sentences, "tokens": text.tokens}]


def _from_anywhere(key: str, path: str) -> str:
    """A path that means the same in any folder; standard input and the name of a template do already."""
    return path if path == STANDARD or (key == "template" and is_name(path)) else display_name(os.path.abspath(path))


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
