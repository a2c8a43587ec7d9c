"""The command `sstag train`: its options, and what they must say before a training begins."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from sstag.features.reading import CHOICES, chosen
from sstag.foundation.errors import Interrupted
from sstag.foundation.files import STANDARD, check_outputs
from sstag.interfaces.cli.help_sections import (
    DATA,
    METHOD,
    OTHER,
    OUTPUT,
    TUNING,
    Command,
    Number,
    OneOf,
    options_of,
)
from sstag.interfaces.cli.interruption import Interruption, interruptible
from sstag.interfaces.cli.method_lists import list_methods
from sstag.interfaces.cli.onward import to_go_on, to_train_the_best
from sstag.interfaces.cli.options import marking, marks_said, say_if_terminal, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.summary import summary
from sstag.interfaces.cli.train_report import Watch, write_report
from sstag.interfaces.cli.width import say, terminal_width
from sstag.labels.marks import changed_marks
from sstag.training.configuration import (
    CORPORA,
    FEWEST_FOLDS,
    Configuration,
    chosen_parameters,
    chosen_template,
    configuration,
    settings,
    tunings,
)
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.parameter_specs import specs
from sstag.training.weight_scales import SCALES

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus
    from sstag.features.template import Template

INTERRUPTED = ".interrupted"


class _Train(Command):
    """Parameters are not options, but are taken for such."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if name in CHOICES or any(name.rpartition(".")[2] in specs(entry.parameters) for entry in METHODS.values()):
                raise click.UsageError(f"{name} is a parameter: write --set {name}=…", context) from error
            raise


_data, _method, _tuning, _output, _other = map(options_of, (DATA, METHOD, TUNING, OUTPUT, OTHER))


@click.command(name="train", cls=_Train)
@_data("--train", multiple=True, metavar="FILE", help="Labelled sentences to learn from. Repeatable.")
@_data("--dev", multiple=True, metavar="FILE", help="Labelled sentences that say when to stop. Repeatable.")
@_data("--unlabeled", multiple=True, metavar="FILE", help="Raw text to learn from. Repeatable.")
@_data("--labeled-features", metavar="FILE", help="Features whose tokens in the raw text have a label.")
@_data("--expectations", metavar="FILE", help="Features and shares of their labels.")
@_data("--rules", metavar="FILE", help="Rules for whole labellings.")
@_data("--sentence-weights", metavar="FILE", help="A weight for each labelled sentence, or a density.")
@_data("--weight-scale", type=OneOf(SCALES, "scale"), show_default="mean1", help="Whether their mean becomes 1.")
@_data("--weight-exponent", type=Number(0), metavar="T", show_default="1", help="Raise weights to this power.")
@_data("--init", metavar="MODEL", help="An earlier model to start from.")
@_method("--template", "-t", metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_method("--method", type=OneOf(METHODS, "method"), show_default="crf", help="How to train; --methods lists them.")
@_method(
    "--ambiguous", type=OneOf(AMBIGUOUS, "way"), help="Decide undecided labels first: " + ", ".join(AMBIGUOUS) + "."
)
@_method("--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="Set a parameter. Repeatable.")
@_method(
    "--methods",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_methods,
    help="List methods and their parameters.",
)
@_tuning("--tune", multiple=True, metavar="NAME=V1,V2,…", help="Try values of a parameter, keep the best. Repeatable.")
@_tuning(
    "--folds", type=click.IntRange(FEWEST_FOLDS), metavar="K", help="Judge values by cross-validation, not by --dev."
)
@_output("--model", "-m", metavar="MODEL", help="Where to write the model.")
@_output("--report", metavar="FILE", help="Where to write all that happened, as JSON.")
@_other("--config", "-c", "config_path", metavar="FILE", help="A whole run as YAML; options win over it.")
@_other("--seed", type=click.IntRange(0), show_default="1", help="What is random depends on it.")
@threads_option
@marking
def command(
    said: tuple[str, ...],
    tune: tuple[str, ...],
    config_path: str | None,
    threads: int,
    marks: tuple[str, ...],
    no_marks: bool,
    **values: Any,
) -> None:
    """Train a tagger.

    Ctrl-C ends the training early and keeps the best weights so far.

    \b
    Example:
        sstag train --template ner --train train.txt --model my.model
        sstag train -t ner --train train.txt --dev dev.txt -m my.model --set l2=2
        sstag train -t ner --train train.txt -m my.model --tune l2=1,2 --folds 5
        sstag train -t ads --train few.txt --unlabeled raw.txt -m my.model \\
            --method self-training
        sstag train -t ads --unlabeled raw.txt -m my.model --expectations list.tsv
    """
    given, tried = settings(said), tunings(tune)
    if both := next((name for one in given for name in one.mapping() if name in tried), None):
        raise click.UsageError(f"{both} is both set and tuned")
    values |= {key: values[key] or None for key in CORPORA}
    asked = Configuration(**values, marks=marks_said(marks, no_marks), parameters=given, tune=tried)
    if config_path:
        asked = asked.over(configuration(config_path))
    other_data = asked.labeled_features or asked.expectations or METHODS[asked.chosen_method].unlabelled
    for name in ("template", "train", "model"):
        if getattr(asked, name) is None and not (name == "train" and other_data):
            raise click.UsageError(f"which {name}? say --{name}, or `{name}:` in a configuration (--config)")
    if asked.labeled_features and not asked.unlabeled:
        raise click.UsageError("--labeled-features needs --unlabeled, the raw text to label")
    if asked.tune and bool(asked.dev) == bool(asked.folds):
        raise click.UsageError("--tune is judged by development data (--dev) or by cross-validation (--folds 5)")
    if asked.folds and not asked.tune:
        raise click.UsageError("--folds is for --tune")
    if not asked.sentence_weights and (asked.weight_scale or asked.weight_exponent is not None):
        raise click.UsageError("a scale or exponent of weights needs --sentence-weights")
    if asked.sentence_weights and not asked.train:
        raise click.UsageError("--sentence-weights are those of labelled sentences: --train")
    with interruptible() as interruption:
        _train(asked, config_path, threads, interruption)


def _train(asked: Configuration, config_path: str | None, threads: int, interruption: Interruption) -> None:
    began = time.monotonic()
    method, seed = asked.chosen_method, 1 if asked.seed is None else asked.seed
    assert asked.template is not None
    assert asked.model is not None
    _check_paths(asked, asked.model, config_path)
    points = asked.points
    own = [chosen_parameters(method, (*asked.all_parameters, point)) for point in points]
    template = chosen_template(asked.template, asked.parameters)
    templates = [chosen(template, point) for point in points]

    from sstag.foundation.parallel import shards
    from sstag.interfaces.cli.tuning import table
    from sstag.model.model_file import load, save
    from sstag.selection.density.weighing import weights_in
    from sstag.training.assembly import Given, assembled
    from sstag.training.inputs import Run
    from sstag.training.run import trained
    from sstag.training.tuning.search import edges, tuned

    for path in (*(asked.train or ()), *(asked.unlabeled or ())):
        say_if_terminal(path)
    with ProgressLine() as line, shards(threads) as over:
        line.show("reading")
        exponent = 1.0 if asked.weight_exponent is None else asked.weight_exponent
        scale, weights = asked.weight_scale or SCALES[0], asked.sentence_weights
        material = assembled(
            Given(
                template=template,
                labelled=partial(_labelled, asked.train) if asked.train else None,
                raw=partial(_raw, asked.unlabeled) if asked.unlabeled else None,
                development=partial(_labelled, asked.dev) if asked.dev else None,
                init=load(asked.init) if asked.init else None,
                marks=lambda usual: changed_marks(usual, asked.marks),
                features=asked.labeled_features,
                weights=(lambda corpus: weights_in(weights, corpus, over, scale, exponent)) if weights else None,
            )
        )
        for text in material.odd():
            click.echo(text, err=True)
        line.show("making attributes")
        watch = Watch(line)
        run = Run(over, watch.tell, interruption.asked, warn=line.say)
        try:
            tasks = [
                material.task(made, method, parameters, seed, asked.ambiguous)
                for made, parameters in zip(templates, own, strict=True)
            ]
            values = [point.mapping() for point in points]
            found = tuned(tasks, values, asked.folds or 0, run, watch.trying) if asked.tune else None
            model = found.model if found else trained(tasks[0], run)
        except Interrupted:
            line.clear()
            click.echo("interrupted before there was anything to keep: nothing was saved", err=True)
            sys.exit(128 + interruption.number)
        stopped = interruption.number
        kept = asked.model + INTERRUPTED if stopped and os.path.exists(asked.model) else asked.model
        save(model, kept)
        if asked.report:
            did = replace(asked, method=method, seed=seed, model=kept)
            write_report(asked.report, did, material.inputs, model, found, watch, threads, time.monotonic() - began)
    if found:
        say("\n".join(table(found, terminal_width(sys.stdout))))
        for text in edges(values, found.best) if found.complete else ():
            click.echo(text, err=True)
    say(summary(kept, model))
    if stopped:
        onward = "" if METHODS[method].counts else f". To go on:\n  {to_go_on(sys.argv[1:], kept, found)}"
        if found and not found.whole:
            best = to_train_the_best(sys.argv[1:], found)
            onward += f"\nTo train on all sentences with the best values so far:\n  {best}"
        learned = model.about["data"].get("train", {}).get("sentences", 0)
        part = f", of {learned:,} sentences (a fold)" if found and not found.whole else ""
        click.echo(f"interrupted: these are the best weights so far{part}{onward}", err=True)
        sys.exit(128 + stopped)


def _labelled(paths: Sequence[str], how: "Template") -> "Corpus":
    """The labelled sentences in some files."""
    from sstag.corpus.reading import read_files

    return read_files(paths, how.layout)


def _raw(paths: Sequence[str], how: "Template") -> "Corpus":
    """The raw text in some files."""
    from sstag.corpus.reading import read_files

    return read_files(paths, how.raw_layout, how.label)


def _check_paths(asked: Configuration, model: str, config_path: str | None) -> None:
    """Refuses paths that could not be read or written after the training, before it begins."""
    from sstag.foundation.archive import check_target

    inputs = [asked.template, asked.labeled_features, asked.expectations, asked.rules, asked.sentence_weights]
    inputs += [config_path, *(asked.train or ()), *(asked.dev or ()), *(asked.unlabeled or ())]
    if inputs.count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    check_outputs([model, asked.report], inputs)  # a model may take the place of the one it started from
    check_outputs([asked.report], [asked.init])
    check_target(model)
