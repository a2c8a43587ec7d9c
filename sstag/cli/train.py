"""sstag train"""

import json
import os
import resource
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from sstag.cli import ENDINGS
from sstag.cli.options import marking, marks_said, say_if_terminal, threads_option
from sstag.cli.progress import ProgressLine
from sstag.configuration import PATHS, Configuration, chosen_parameters, chosen_template, configuration, settings
from sstag.files import check_folder, output
from sstag.labels import CONLLU_MARKS, Marks, changed
from sstag.methods import METHODS
from sstag.template_file import CHOICES

if TYPE_CHECKING:
    from sstag.model import Model
    from sstag.training import Progress

INTERRUPTED = ".interrupted"


def _epilog() -> str:
    """The methods and their parameters."""
    parameters = {name: value for entry in METHODS.values() for name, value in entry.parameters.items()}
    methods = [f"  {name:<15} {entry.help}" for name, entry in METHODS.items()]
    listed = [f"  {name:<15} {text}  [default: {default:g}]" for name, (default, text) in parameters.items()]
    return "\n\n".join(
        [
            "\b\nMethods:\n" + "\n".join(methods),
            "\b\nParameters (--set, or `parameters:` in a configuration):\n" + "\n".join(listed),
            f"And as in a template, instead of what it says: {', '.join(CHOICES)}.",
        ]
    )


@click.command(name="train", epilog=_epilog())
@click.option("--template", "-t", metavar="FILE", help="YAML or CRF++ template.")
@click.option("--train", metavar="FILE", help="Labelled sentences.")
@click.option("--dev", metavar="FILE", help="Labelled sentences that say when to stop, and which weights to keep.")
@click.option("--model", "-m", metavar="FILE", help="Where to write the model.")
@click.option("--method", type=click.Choice(list(METHODS)), help="How to train.  [default: crf]")
@click.option("--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="A parameter; may be given repeatedly.")
@click.option("--config", "-c", "config_path", metavar="FILE", help="A whole run as YAML; options win over it.")
@click.option("--init", metavar="FILE", help="An earlier model to start from; it may have other labels and attributes.")
@click.option("--seed", type=click.IntRange(0), help="For what is random.  [default: 1]")
@click.option("--report", metavar="FILE", help="Write every iteration, and all it takes to repeat the run, as JSON.")
@threads_option
@marking
def command(
    said: tuple[str, ...],
    config_path: str | None,
    threads: int,
    marks: tuple[str, ...],
    no_marks: bool,
    **values: Any,
) -> None:
    """Train a tagger.

    On a terminal a line shows how far it is. Ctrl-C (or SIGTERM) ends the training early and keeps the best weights so
    far: in the model's file, or in FILE.interrupted if that holds an earlier model, which stays as it is.

    A configuration has the keys template, train, dev, init, model, report, method, seed, parameters and marks; its
    paths are relative to its folder.

    \b
    Example:
        sstag train --template configs/templates/ner.yaml --train train.txt --dev dev.txt --model ner.model
        sstag train --template ner.yaml --train train.txt --model ner.model --set l2=0.5 --set minimum_count=2
        sstag train --config ner.run.yaml
    """
    asked = Configuration(**values, marks=marks_said(marks, no_marks), parameters=settings(said))
    if config_path:
        asked = asked.over(configuration(config_path))
    for name in ("template", "train", "model"):
        if getattr(asked, name) is None:
            raise click.UsageError(f"which {name}? say --{name}, or `{name}:` in a configuration (--config)")
    _train(asked, threads)


def _train(asked: Configuration, threads: int) -> None:
    began = time.monotonic()
    method, seed = asked.method or "crf", 1 if asked.seed is None else asked.seed
    parameters = chosen_parameters(method, asked.parameters)
    assert asked.template is not None
    assert asked.train is not None
    assert asked.model is not None
    template = chosen_template(asked.template, asked.parameters)

    from sstag.archive import check_target
    from sstag.conll import read
    from sstag.model_file import load, save
    from sstag.runs import Task, trained
    from sstag.shards import shards
    from sstag.training import Inputs, Run

    check_target(asked.model)
    if asked.report:
        check_folder(asked.report)
    say_if_terminal(asked.train)
    with ProgressLine() as line, _interruptible() as interruption, shards(threads) as over:
        line.show("reading")
        layout = template.layout(asked.train)
        inputs = Inputs(
            template,
            read(asked.train, layout),
            development=read(asked.dev, template.layout(asked.dev)) if asked.dev else None,
            init=load(asked.init) if asked.init else None,
            marks=changed(CONLLU_MARKS if layout.conllu else Marks(), asked.marks),
        )
        line.show("making attributes")
        watch = _Watch(line)
        model = trained(Task(inputs, method, parameters, seed), Run(over, watch.tell, interruption.asked))
        stopped = interruption.number
        if stopped and not watch.seen:
            raise click.Abort
        kept = asked.model + INTERRUPTED if stopped and os.path.exists(asked.model) else asked.model
        save(model, kept)
        if asked.report:
            _write_report(replace(asked, method=method, seed=seed), model, watch, threads, time.monotonic() - began)
    click.echo(_summary(kept, model))
    if stopped:
        again = shlex.join(["sstag", *sys.argv[1:], "--init", kept])
        click.echo(f"interrupted: these are the best weights so far. To go on:\n  {again}", err=True)
        sys.exit(128 + stopped)


@dataclass
class _Watch:
    """Every iteration, as it is reported."""

    line: ProgressLine
    seen: "list[Progress]" = field(default_factory=list)

    def tell(self, progress: "Progress") -> None:
        self.seen.append(progress)
        score = "" if progress.score is None else f"   dev {100 * progress.score:.2f}"
        self.line.show(
            f"iteration {progress.iteration}   objective {progress.objective:,.2f}"
            f"   gradient {progress.gradient_norm:,.3g}   {progress.seconds:,.1f} s{score}"
        )


@dataclass
class _Interruption:
    """Whether a signal has asked for an end, and which."""

    number: int = 0
    may_wait: bool = False

    def asked(self) -> bool:
        """Asked between evaluations: from now on there is something to keep."""
        self.may_wait = True
        return self.number != 0


@contextmanager
def _interruptible() -> Iterator[_Interruption]:
    """Once the training can stop in order, the first signal only asks for that; others act as they always do."""
    interruption = _Interruption()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDINGS)}

    def remember(number: int, frame: FrameType | None) -> None:
        if interruption.may_wait and not interruption.number:
            interruption.number = number
            click.echo("\nending with the best weights so far (once more to give up)", err=True)
            return
        act = before[signal.Signals(number)]
        if callable(act):
            act(number, frame)

    for number, act in before.items():
        if callable(act):  # what is ignored, as under nohup, stays so
            signal.signal(number, remember)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(path: str, model: "Model") -> str:
    about = model.about
    lines = [
        f"{path}: {len(model.labels):,} labels, {model.unary.size + model.edge.size:,} attributes, "
        f"{model.parameters.size:,} weights",
        f"{about['iterations']:,} iterations; {about['reason']}",
    ]
    if "development score" in about:
        figure = "accuracy" if about["scheme"] == "plain" else "F"
        lines.append(f"dev {figure} {100 * about['development score']:.2f} at iteration {about['best iteration']:,}")
    return "\n".join(lines)


def _write_report(asked: Configuration, model: "Model", watch: _Watch, threads: int, seconds: float) -> None:
    """Everything about a run, as JSON; `run` is a configuration that repeats it."""
    said = {key: getattr(asked, key) for key in (*PATHS, "method", "seed") if getattr(asked, key) is not None}
    report = {
        "run": said | {"marks": dict(asked.marks), "parameters": _together(asked)},
        "model": model.about,
        "labels": list(model.labels),
        "attributes": model.unary.size + model.edge.size,
        "weights": model.parameters.size,
        "iterations": [asdict(progress) for progress in watch.seen],
        "threads": threads,
        "seconds": seconds,
        "peak memory in bytes": _peak_memory(),
    }
    assert asked.report is not None
    with output(asked.report) as file:
        file.write(json.dumps(report, ensure_ascii=False, indent=1).encode() + b"\n")


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _together(asked: Configuration) -> dict[str, Any]:
    return {name: value for document in asked.parameters for name, value in document.mapping().items()}
