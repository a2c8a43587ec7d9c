"""sstag train"""

import os
import shlex
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from sstag.corpus.layout import is_conllu
from sstag.features.reading import CHOICES, chosen
from sstag.foundation.errors import Interrupted
from sstag.foundation.files import STANDARD, check_outputs
from sstag.interfaces.cli.interruption import Interruption, interruptible
from sstag.interfaces.cli.options import Command, Number, marking, marks_said, say_if_terminal, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.summary import summary
from sstag.interfaces.cli.train_report import Watch, write_report
from sstag.labels.marks import CONLLU_MARKS, Marks, changed
from sstag.training.configuration import (
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
from sstag.training.objectives import OBJECTIVES
from sstag.training.parameter_specs import Depending
from sstag.training.weight_scales import SCALES

if TYPE_CHECKING:
    from sstag.training.inputs import Inputs
    from sstag.training.tuning.runs import Tuned

INTERRUPTED = ".interrupted"


def _epilog() -> str:
    """The methods and their parameters."""
    every = [(name, *value) for entry in METHODS.values() for name, value in entry.parameters.items()]
    parameters = {(name, text): default for name, default, text in every}
    methods = [f"  {name:<20} {entry.help}" for name, entry in METHODS.items()]
    preparations = [f"  {name:<20} {entry.help}" for name, entry in AMBIGUOUS.items()]
    listed = [f"  {name:<20} {text}{_default(default)}" for (name, text), default in parameters.items()]
    objectives = [f"  {name:<20} {entry.help}" for name, entry in OBJECTIVES.items()]
    return "\n\n".join(
        [
            "\b\nMethods:\n" + "\n".join(methods),
            "\b\nWays to decide labels beforehand (--ambiguous):\n" + "\n".join(preparations),
            "\b\nParameters (--set, or `parameters:` in a configuration):\n" + "\n".join(listed),
            "\b\nObjectives (`objectives:` in a configuration, a list), each with its parameters and data: "
            "labeled or unlabeled:\n" + "\n".join(objectives),
            "And as in a template, instead of what it says: edge_pairs (all or observed), minimum_count, pairs "
            "(observed or all), vocabulary (labelled or all).",
        ]
    )


def _default(value: Any) -> str:
    """A list says nothing here, and neither does an empty text."""
    if isinstance(value, list) or value == "":
        return ""
    return f"  [default: {value if isinstance(value, str | Depending) else f'{value:g}'}]"


class _Train(Command):
    """Parameters are not options, but are taken for such."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if name in CHOICES or any(name.rpartition(".")[2] in entry.parameters for entry in METHODS.values()):
                raise click.UsageError(f"{name} is a parameter: write --set {name}=…", context) from error
            raise


@click.command(name="train", cls=_Train, epilog=_epilog())
@click.option("--template", "-t", metavar="FILE", help="YAML or CRF++ template.")
@click.option("--train", metavar="FILE", help="Labelled sentences.")
@click.option("--dev", metavar="FILE", help="Labelled sentences that say when to stop, and which weights to keep.")
@click.option("--unlabeled", metavar="FILE", help="Raw text, for methods that learn from it, and --labeled-features.")
@click.option("--labeled-features", metavar="FILE", help="Label the raw text by a list: FEATURE, a tab, LABEL.")
@click.option(
    "--constraints",
    metavar="FILE",
    help="Features and their labels: what the raw text should come to; or rules for whole labellings.",
)
@click.option("--weights", metavar="FILE", help="Weights of the labelled sentences: a number a line, or a density.")
@click.option("--weight-scale", type=click.Choice(SCALES), help="Their mean is 1, or as they are.  [default: mean1]")
@click.option("--weight-exponent", type=Number(0), metavar="T", help="ω to this power.  [default: 1]")
@click.option("--model", "-m", metavar="FILE", help="Where to write the model.")
@click.option(
    "--method", type=click.Choice(list(METHODS)), help="How to train.  [default: crf; with --constraints expectation]"
)
@click.option("--ambiguous", type=click.Choice(list(AMBIGUOUS)), help="Decide undecided labels before training.")
@click.option("--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="A parameter; may be given repeatedly.")
@click.option(
    "--tune",
    "tune",
    multiple=True,
    metavar="NAME=V1,V2,…",
    help="Try values of a parameter, and keep the best; may be given repeatedly.",
)
@click.option("--folds", type=click.IntRange(FEWEST_FOLDS), metavar="K", help="Tune by cross-validation on --train.")
@click.option("--config", "-c", "config_path", metavar="FILE", help="A whole run as YAML; options win over it.")
@click.option("--init", metavar="FILE", help="An earlier model to start from.")
@click.option("--seed", type=click.IntRange(0), help="For what is random.  [default: 1]")
@click.option("--report", metavar="FILE", help="Write every iteration, and all it takes to repeat the run, as JSON.")
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

    On a terminal a line shows how far it is. Ctrl-C (or SIGTERM) ends the training early and keeps the best weights so
    far: in the model's file, or in FILE.interrupted if that holds an earlier model, which stays as it is.

    A model given with --init may have other labels and attributes. What the new data lack is dropped, since without
    examples a weight would fade: to keep what it knows, train on the old and the new sentences together.

    With --labeled-features the tokens of the raw text that have a listed feature, such as word[0]=rent, have its label
    (or one of theirs, if there are several), and all others are open: partial learns from that with labelled sentences
    or without.

    With --constraints the method expectation learns which share of the raw tokens with a feature has which label, with
    labelled sentences or without. A line of the list is a feature, a tab, and LABEL or LABEL:0.8 OTHER:0.2, perhaps
    with a tab and a weight; * is every token; MALLET's lists are read too. `sstag constraints` makes such lists.

    With --method constraint-driven the list is one of rules (YAML): once: all (each label in one block), first: [A, B],
    change: FEATURE (only there labels change), if: FEATURE and then: [A, B], contains: [A, B], each perhaps with a
    penalty; an HMM learns from raw text labelled under them, and labels under them. configs/rules has some. With
    --method expected-gradient the raw tokens with a listed feature have its most probable labels, and all others none.

    With --weights every method counts sentence i ω_i times. A density (sstag density --save) or an HMM gives ω = q(x)
    over how often x stands in the file; on the scale natural times the number of sentences.

    --tune tries every combination of values, each as --set would set it and to the end, whatever --dev says on the way,
    and keeps the model with the best score on the development data; or trains once more with the values that
    cross-validation finds best (--folds 5: of the labelled sentences a fifth in turn is not learned from, but scored).
    A table says how good each was.

    A configuration has the keys template, train, dev, unlabeled, labeled_features, constraints, weights, weight_scale,
    weight_exponent, init, model, report, method, ambiguous, seed, parameters, objectives, tune (a list of values for
    each name), folds and marks; its paths are relative to its folder. `objectives:` is a list of what training adds up,
    such as [{likelihood: {}}, {entropy: {gamma: 0.1, data: unlabeled}}]; --method entropy is short for this one. --set
    entropy.gamma=0.2 sets what one has, and --tune entropy.gamma=0.1,0.2 tries it.

    \b
    Example:
        sstag train --template configs/templates/ner.yaml --train train.txt --dev dev.txt --model ner.model
        sstag train --template ner.yaml --train train.txt --model ner.model --set l2=0.5 --set minimum_count=2
        sstag train --template ner.yaml --train few.txt --unlabeled raw.txt --method self-training --model ner.model
        sstag train --template ads.yaml --unlabeled raw.txt --constraints words.tsv --model ads.model
        sstag train --template cite.yaml --train few.txt --unlabeled raw.txt --method constraint-driven \\
            --constraints configs/rules/citations.yaml --model cite.model
        sstag train --template words.yaml --unlabeled raw.txt --constraints words.tsv --method prototype --model m.model
        sstag train --template ner.yaml --train train.txt --model ner.model --tune l2=0.25,0.5,1,2 --folds 5
        sstag train --config ner.run.yaml
    """
    given, tried = settings(said), tunings(tune)
    if both := next((name for one in given for name in one.mapping() if name in tried), None):
        raise click.UsageError(f"{both} is both set and tuned")
    asked = Configuration(**values, marks=marks_said(marks, no_marks), parameters=given, tune=tried)
    if config_path:
        asked = asked.over(configuration(config_path))
    other_data = asked.labeled_features or asked.constraints or METHODS[asked.chosen_method].unlabelled
    for name in ("template", "train", "model"):
        if getattr(asked, name) is None and not (name == "train" and other_data):
            raise click.UsageError(f"which {name}? say --{name}, or `{name}:` in a configuration (--config)")
    if asked.labeled_features and not asked.unlabeled:
        raise click.UsageError("--labeled-features needs --unlabeled, the raw text to label")
    if asked.tune and bool(asked.dev) == bool(asked.folds):
        raise click.UsageError("--tune is judged by development data (--dev) or by cross-validation (--folds 5)")
    if asked.folds and not asked.tune:
        raise click.UsageError("--folds is for --tune")
    if not asked.weights and (asked.weight_scale or asked.weight_exponent is not None):
        raise click.UsageError("a scale or exponent of weights needs --weights")
    if asked.weights and not asked.train:
        raise click.UsageError("--weights are those of labelled sentences: --train")
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

    from sstag.corpus.columns import read
    from sstag.foundation.parallel import shards
    from sstag.interfaces.cli.tuning import table
    from sstag.knowledge.labelled_features import read_features
    from sstag.model.model_file import load, save
    from sstag.selection.density.weighing import weights_in
    from sstag.training.inputs import Inputs, Run
    from sstag.training.run import Task, trained
    from sstag.training.tuning.search import edges, tuned

    for path in filter(None, (asked.train, asked.unlabeled)):
        say_if_terminal(path)
    with ProgressLine() as line, shards(threads) as over:
        line.show("reading")
        labelled = read(asked.train, template.layout(asked.train)) if asked.train else None
        named = template.named(labelled.columns) if labelled else template
        raw = read(asked.unlabeled, named.raw_layout(asked.unlabeled)) if asked.unlabeled else None
        inputs = Inputs(
            template,
            labelled,
            raw,
            development=read(asked.dev, template.layout(asked.dev)) if asked.dev else None,
            init=load(asked.init) if asked.init else None,
            marks=changed(CONLLU_MARKS if is_conllu(asked.train or asked.unlabeled or "") else Marks(), asked.marks),
        )
        features = None
        if asked.labeled_features:
            features = read_features(asked.labeled_features, named.named(raw.columns) if raw else named)
        weights = None
        if asked.weights and labelled:
            exponent = 1.0 if asked.weight_exponent is None else asked.weight_exponent
            weights = weights_in(asked.weights, labelled, over, asked.weight_scale or SCALES[0], exponent)
        _warn_of_marks(inputs)
        line.show("making attributes")
        watch = Watch(line)
        run = Run(over, watch.tell, interruption.asked, warn=line.say)
        try:
            tasks = [
                Task(replace(inputs, template=made), method, parameters, seed, asked.ambiguous, features, weights)
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
            write_report(asked.report, did, model, found, watch, threads, time.monotonic() - began)
    if found:
        click.echo("\n".join(table(found)))
        for text in edges(values, found.best) if found.complete else ():
            click.echo(text, err=True)
    click.echo(summary(kept, model))
    if stopped:
        onward = "" if METHODS[method].counts else f". To go on:\n  {_to_go_on(kept, found)}"
        learned = model.about["data"].get("train", {}).get("sentences", 0)
        part = f", of {learned:,} sentences (a fold)" if labelled and learned < labelled.sentences else ""
        click.echo(f"interrupted: these are the best weights so far{part}{onward}", err=True)
        sys.exit(128 + stopped)


def _check_paths(asked: Configuration, model: str, config_path: str | None) -> None:
    """What would go wrong after the training is better said before it."""
    from sstag.foundation.archive import check_target

    inputs = [asked.template, asked.train, asked.dev, asked.unlabeled, asked.labeled_features, asked.constraints]
    inputs += [asked.weights, config_path]
    if inputs.count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    check_outputs([model, asked.report], inputs)  # a model may take the place of the one it started from
    check_outputs([asked.report], [asked.init])
    check_target(model)


def _warn_of_marks(inputs: "Inputs") -> None:
    """Labels such as `!X` where there is no X may be mistyped."""
    from sstag.labels.column import annotated

    corpus = inputs.labelled
    if corpus is None or inputs.template.label not in corpus.columns:
        return
    sets, _ = annotated(corpus, inputs.template.label, inputs.marks)
    for label in sets.marked:
        click.echo(f"{corpus.path}: the label '{label}' contains a mark, and was read as it is", err=True)


def _to_go_on(model: str, tuned: "Tuned | None") -> str:
    """The command line with an interrupted model as its start, and its values for those that were tuned."""
    words = sys.argv[1:]
    if tuned:
        words = _without("--folds", _without("--tune", words))
        words += [word for name, value in tuned.best.items() for word in ("--set", f"{name}={value}")]
    return shlex.join(["sstag", *_without("--init", words), "--init", model])


def _without(option: str, words: list[str]) -> list[str]:
    """A command line that does not say an option."""
    said = [place for place, word in enumerate(words) if word == option]
    left_out = {*said, *(place + 1 for place in said)}
    return [word for place, word in enumerate(words) if place not in left_out and not word.startswith(f"{option}=")]
