"""A training as `sstag train` asks for it: files in, a model and a report out, also when it is interrupted."""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import click

from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import Text
from sstag.features.adapted import fitted_to_file
from sstag.features.choice import Choice, choices_for, sample_of_file
from sstag.features.raw_lines import looking_twice
from sstag.features.reading import load_template
from sstag.features.shipped import AUTO, is_name
from sstag.features.template import Template
from sstag.foundation.archive import check_target
from sstag.foundation.errors import ConfigError, Interrupted
from sstag.foundation.files import STANDARD, check_outputs, reserve, room_for
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over, shards
from sstag.interfaces.cli.encoding import watched_template
from sstag.interfaces.cli.interruption import Interruption
from sstag.interfaces.cli.keeping import end_if_elsewhere, kept
from sstag.interfaces.cli.onward import to_go_on, to_train_the_best
from sstag.interfaces.cli.options import say_if_terminal
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.summary import summary
from sstag.interfaces.cli.train_report import Watch, write_report
from sstag.interfaces.cli.tuning import table
from sstag.interfaces.cli.width import say, terminal_width
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining
from sstag.labels.marks import changed_marks
from sstag.model.model_file import load, save
from sstag.selection.density.weighing import weights_in
from sstag.training.assembly import Given, assembled, knows_numbers
from sstag.training.checkpoint import Checkpoint
from sstag.training.configuration import (
    TEMPLATE,
    Configuration,
    chosen_parameters,
    chosen_templates,
)
from sstag.training.in_volumes import fits, read_raw, refuse_volumes
from sstag.training.inputs import Run
from sstag.training.methods import METHODS
from sstag.training.parameter_specs import Parameters
from sstag.training.run import trained
from sstag.training.trained_encoder import both_ways, encoder_to_train
from sstag.training.tuning.runs import Values
from sstag.training.tuning.search import doubts, edges, tuned
from sstag.training.weight_scales import SCALES

INTERRUPTED = ".interrupted"


def run(
    asked: Configuration,
    config_path: str | None,
    threads: int,
    checkpoint: tuple[str, int] | None,  # the file, and how often it is written
    on_disk: str | None,  # the folder in which raw text is kept
    joining: Joining | None,  # the cluster whose workers read it
    interruption: Interruption,
) -> None:
    """Trains what is asked for, keeps the model, and says what came of it."""
    began = time.monotonic()
    method, seed = asked.chosen_method, 1 if asked.seed is None else asked.seed
    target = asked.model
    assert target is not None
    kept_in = Checkpoint(*checkpoint) if checkpoint else None
    _check_paths(asked, target, config_path, kept_in.path if kept_in else None)
    files = asked.train or asked.unlabeled or ()
    for path in (*(asked.train or ()), *(asked.unlabeled or ())):
        say_if_terminal(path)
    choices = _choices(asked, files)
    if choices and TEMPLATE in asked.tune:
        names: list[Json] = [one.name for one in choices]
        asked = replace(asked, tune={**asked.tune, TEMPLATE: names})
    points = asked.points
    own = [chosen_parameters(method, (*asked.all_parameters, point)) for point in points]
    if choices:
        templates = [looking_twice(choices[0]) if asked.unlabeled and knows_numbers(method) else choices[0].template]
    else:
        templates = chosen_templates(asked, partial(_template, files, asked))
    if asked.folds and not asked.tune and encoder_to_train(templates[0]) is None:
        raise click.UsageError("--folds is for --tune, and for a template that trains blocks of an encoder (train: 2)")
    if joining or on_disk:
        refuse_volumes(method, own[0], templates[0])
    folder = None if joining else _folder(asked, method, own[0], templates[0], on_disk)
    with (
        room_for(target) as place,
        ProgressLine() as line,
        shards(threads) as over,
        joined(joining) as cluster,
    ):
        if cluster:
            cluster.onward = f"{'' if kept_in else 'with --checkpoint '}the same command goes on from there"
        line.show("reading")
        templates = [watched_template(one, threads, line) for one in templates]
        exponent = 1.0 if asked.weight_exponent is None else asked.weight_exponent
        scale, weights = asked.weight_scale or SCALES[0], asked.sentence_weights
        material = assembled(
            Given(
                template=templates[0],
                labelled=partial(_labelled, asked.train, asked.source) if asked.train else None,
                raw=partial(_raw, asked.unlabeled, asked.source, folder, over, cluster, line)
                if asked.unlabeled
                else None,
                development=partial(_labelled, asked.dev, asked.source) if asked.dev else None,
                init=load(asked.init) if asked.init else None,
                marks=lambda usual: changed_marks(usual, asked.marks),
                features=asked.labeled_features,
                spans=asked.rejected,
                rules=asked.kept_rules,
                weights=(lambda corpus: weights_in(weights, corpus, over, scale, exponent)) if weights else None,
            )
        )
        for text in material.odd():
            click.echo(text, err=True)
        if choices:
            grown = material.grown(choices, method, asked.encoder, over, line.show)
            templates = chosen_templates(asked, lambda one: grown[one])
            templates = [watched_template(one, threads, line) for one in templates]
        line.show("making attributes")
        watch = Watch(line)
        room = partial(reserve, target, place)
        how = Run(over, watch.tell, interruption.asked, warn=line.say, checkpoint=kept_in, doing=line.show, room=room)
        try:
            tasks = [
                material.task(made, method, parameters, seed, asked.ambiguous)
                for made, parameters in zip(templates, own, strict=True)
            ]
            values: Sequence[Values] = [point.mapping() for point in points]
            if asked.folds and not asked.tune:
                tasks, values = both_ways(tasks[0])
            tries = bool(asked.tune or asked.folds)
            found = tuned(tasks, values, asked.folds or 0, how, watch.trying) if tries else None
            model = found.model if found else trained(tasks[0], how)
        except Interrupted:
            line.clear()
            click.echo("interrupted before there was anything to keep: nothing was saved", err=True)
            sys.exit(128 + interruption.number)
        stopped = interruption.number
        wanted = target + INTERRUPTED if stopped and os.path.exists(target) else target
        line.clear()
        at = kept(lambda path: save(model, path, place), wanted)
        if kept_in and not stopped:
            kept_in.remove()
        report = asked.report or ""
        reported = report
        if report:
            did, seconds = replace(asked, method=method, seed=seed, model=at), time.monotonic() - began
            told = material.inputs, model, found, watch, threads, seconds
            reported = kept(lambda path: write_report(path, did, *told), report)
    if found:
        say("\n".join(table(found, terminal_width(sys.stdout))))
        hints = edges(values, found.best) if found.decided else doubts(found)
        for text in hints if found.complete else ():
            click.echo(text, err=True)
    say(summary(at, model))
    if model.template.vectors or model.template.encoders:
        from sstag.features.out_of_sight import out_of_sight

        for text in out_of_sight(model.template, at):
            click.echo(text, err=True)
    if stopped:
        onward = "" if METHODS[method].counts else f". To go on:\n  {to_go_on(sys.argv[1:], at, found)}"
        if found and not found.whole:
            best = to_train_the_best(sys.argv[1:], found)
            onward += f"\nTo train on all sentences with the best values so far:\n  {best}"
        learned = model.about["data"].get("train", {}).get("sentences", 0)
        if kept_in and os.path.exists(kept_in.path):
            until = f" before it could no longer be written ({kept_in.failed})" if kept_in.failed else ""
            onward = f". To go on, say the same again: {kept_in.path} has how far it came{until}"
        part = f", of {learned:,} sentences (a fold)" if found and not found.whole else ""
        click.echo(f"interrupted: these are the best weights so far{part}{onward}", err=True)
        sys.exit(128 + stopped)
    if kept_in and kept_in.failed:
        click.echo(f"{kept_in.failed}: the model is whole, but there was no checkpoint at the end", err=True)
    end_if_elsewhere(at, wanted)
    end_if_elsewhere(reported, report)


def _template(files: Sequence[str], asked: Configuration, name: str) -> Template:
    """A template that is named; one that comes with sstag for the columns of the text."""
    found = load_template(name)
    return fitted_to_file(found, files[0], asked.source, bool(asked.train)) if files else found


def _choices(asked: Configuration, files: Sequence[str]) -> list[Choice]:
    """The templates that are chosen where none is named: one, or all to be tried."""
    if asked.template != AUTO or not is_name(AUTO):
        return []
    if not files:
        raise click.UsageError("which template? there is no text to choose one by: say --template")
    sample = sample_of_file(files[0], asked.source, bool(asked.train))
    return choices_for(sample, TEMPLATE in asked.tune, asked.encoder)


def _labelled(paths: Sequence[str], source: Asked, how: Template) -> Corpus:
    """The labelled sentences in some files."""
    return read_files(paths, lambda path: how.layout(path, source))


def _raw(
    paths: Sequence[str],
    source: Asked,
    folder: str | None,
    over: Over,
    cluster: Cluster | None,
    line: ProgressLine,
    how: Template,
) -> Text:
    """The raw text in some files, in a folder if one is named, or with the workers of a cluster."""

    def layout_of(path: str) -> Layout:
        return how.raw_layout(path, source)

    if cluster:
        from sstag.interfaces.cluster.reading import read_by_workers

        return read_by_workers(cluster, paths, layout_of, how.label, line.say)
    return read_raw(paths, layout_of, how.label, over, folder, line.say)


def _folder(
    asked: Configuration, method: str, parameters: Parameters, template: Template, on_disk: str | None
) -> str | None:
    """The folder in which raw text is kept: the one that is named, or the usual one if it would not fit into memory."""
    if on_disk is not None:
        if not os.path.isdir(on_disk):
            raise click.UsageError(f"--on-disk {on_disk}: there is no such folder")
    elif asked.unlabeled and not fits(asked.unlabeled):
        with suppress(ConfigError):  # then it is in memory, as far as there is any
            refuse_volumes(method, parameters, template)
            return tempfile.gettempdir()
    return on_disk


def _check_paths(asked: Configuration, model: str, config_path: str | None, checkpoint: str | None) -> None:
    """Refuses paths that could not be read or written after the training, before it begins."""
    inputs = [asked.template, asked.labeled_features, asked.rejected, asked.expectations, asked.rules]
    inputs += [asked.sentence_weights, *map(str, asked.tune.get(TEMPLATE, ()))]
    inputs += [config_path, *(asked.train or ()), *(asked.dev or ()), *(asked.unlabeled or ())]
    if inputs.count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    check_outputs([model, asked.report, checkpoint], inputs)  # a model may take the place of the one it started from
    check_outputs([asked.report, checkpoint], [asked.init])
    check_target(model)
