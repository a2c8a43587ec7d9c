"""The command `sstag train`: its options, and what they must say before a training begins."""

from dataclasses import replace
from typing import Any

import click

from sstag.corpus.formats import Asked
from sstag.features.reading import CHOICES
from sstag.features.shipped import AUTO
from sstag.foundation.sources import matching
from sstag.interfaces.cli.cluster_options import joining_cluster
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
from sstag.interfaces.cli.interruption import interruptible
from sstag.interfaces.cli.method_lists import list_methods
from sstag.interfaces.cli.options import marking, marks_said, threads_option
from sstag.interfaces.cli.text_options import reading_text
from sstag.interfaces.cluster.wanted import Joining
from sstag.training.configuration import (
    CORPORA,
    FEWEST_FOLDS,
    TEMPLATE,
    USUAL_EVERY,
    USUAL_FOLDS,
    Configuration,
    configuration,
    settings,
    tunings,
)
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.parameter_specs import specs
from sstag.training.weight_scales import SCALES


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
@_data("--unlabeled", multiple=True, metavar="FILE", help="Raw text to learn from, also 'raw/*.gz'. Repeatable.")
@_data("--labeled-features", metavar="FILE", help="Features whose tokens in the raw text have a label.")
@_data("--rejected", metavar="FILE", help="Spans that the raw text does not have, or has.")
@_data("--expectations", metavar="FILE", help="Features and shares of their labels.")
@_data("--rules", metavar="FILE", help="Rules for whole labellings.")
@_data("--sentence-weights", metavar="FILE", help="A weight for each labelled sentence, or a density.")
@_data(
    "--weight-scale",
    type=OneOf(SCALES, "scale"),
    show_default="mean1",
    help="Whether weights get a mean of 1.",
)
@_data("--weight-exponent", type=Number(0), metavar="T", show_default="1", help="Raise weights to this power.")
@_data("--init", metavar="MODEL", help="An earlier model to start from.")
@_method(
    "--template",
    "-t",
    metavar="TEMPLATE",
    show_default="chosen",
    help="Features: a file or a name.",
)
@_method("--encoder", metavar="MODEL", help="Added to a chosen template: a folder or a name.")
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
    "--folds",
    type=click.IntRange(FEWEST_FOLDS),
    metavar="K",
    show_default=f"{USUAL_FOLDS} without --dev",
    help="Judge values, or a trained encoder, by cross-validation.",
)
@_output("--model", "-m", metavar="MODEL", help="Where to write the model.")
@_output("--checkpoint", metavar="FILE", help="Where to keep how far it came: begun again, it goes on from there.")
@_output("--report", metavar="FILE", help="Where to write all that happened, as JSON.")
@_other("--config", "-c", "config_path", metavar="FILE", help="A whole run as YAML; options win over it.")
@_other("--seed", type=click.IntRange(0), show_default="1", help="What is random depends on it.")
@_other(
    "--checkpoint-every",
    type=click.IntRange(1),
    show_default=str(USUAL_EVERY),
    help="Iterations from one checkpoint to the next.",
)
@_other("--on-disk", metavar="FOLDER", help="Keep raw text there instead of in memory, while it is learned from.")
@threads_option
@joining_cluster
@marking
@reading_text
def command(
    said: tuple[str, ...],
    tune: tuple[str, ...],
    config_path: str | None,
    checkpoint: str | None,
    checkpoint_every: int | None,
    on_disk: str | None,
    joining: Joining | None,
    threads: int,
    marks: tuple[str, ...],
    no_marks: bool,
    read_as: Asked,
    **values: Any,
) -> None:
    """Train a tagger.

    Ctrl-C ends the training early and keeps the best weights so far.

    \b
    Example:
        sstag train --train few.txt --unlabeled raw.txt -m my.model
        sstag train --template ner --train train.txt --model my.model
        sstag train -t ner --train train.txt --dev dev.txt -m my.model --set l2=2
        sstag train -t ner --train train.txt -m my.model --tune l2=1,2 --folds 5
        sstag train -t ner --train train.txt -m my.model --checkpoint so-far
        sstag train --train train.txt -m my.model --tune template=auto
        sstag train -t ads --unlabeled raw.txt -m my.model --expectations list.tsv
    """
    given, tried = settings(said), tunings(tune)
    if both := next((name for one in given for name in one.mapping() if name in tried), None):
        raise click.UsageError(f"{both} is both set and tuned")
    if values["template"] and TEMPLATE in tried:
        raise click.UsageError("the template is both given and tuned")
    values |= {key: values[key] or None for key in CORPORA}
    asked = Configuration(**values, marks=marks_said(marks, no_marks), source=read_as, parameters=given, tune=tried)
    if config_path:
        asked = asked.over(configuration(config_path))
    asked = replace(asked, train=_called(asked.train), dev=_called(asked.dev), unlabeled=_called(asked.unlabeled))
    files = [*(asked.train or ()), *(asked.dev or ()), *(asked.unlabeled or ())]
    asked = replace(asked, source=asked.source.among(files))
    if TEMPLATE in asked.tune:
        asked = replace(asked, template=str(asked.tune[TEMPLATE][0]))
    lists = asked.labeled_features or asked.rejected or asked.expectations
    other_data = lists or METHODS[asked.chosen_method].unlabelled
    if asked.template is None:
        asked = replace(asked, template=AUTO)
    if asked.encoder and asked.template != AUTO:
        raise click.UsageError("--encoder is for a template that is chosen: sstag template NAME --encoder writes one")
    for name in ("train", "model"):
        if getattr(asked, name) is None and not (name == "train" and other_data):
            raise click.UsageError(f"which {name}? say --{name}, or `{name}:` in a configuration (--config)")
    if asked.labeled_features and not asked.unlabeled:
        raise click.UsageError(
            "--labeled-features needs --unlabeled, the raw text to label, and a method such as --method partial"
        )
    if asked.rejected and not asked.unlabeled:
        raise click.UsageError("--rejected needs --unlabeled, the raw text whose sentences it numbers")
    if asked.tune and asked.dev and asked.folds:
        raise click.UsageError("--tune is judged by development data (--dev) or by cross-validation (--folds 5)")
    if asked.tune and not asked.dev:
        asked = replace(asked, folds=asked.folds or USUAL_FOLDS)
    if asked.folds and asked.dev:
        raise click.UsageError(
            "a trained encoder is judged by development data (--dev) or by cross-validation (--folds 3)"
        )
    if not asked.sentence_weights and (asked.weight_scale or asked.weight_exponent is not None):
        raise click.UsageError("a scale or exponent of weights needs --sentence-weights")
    if asked.sentence_weights and not asked.train:
        raise click.UsageError("--sentence-weights are those of labelled sentences: --train")
    if (on_disk or joining) and not asked.unlabeled:
        raise click.UsageError(
            f"{'--on-disk' if on_disk else 'a cluster'} is for raw text: --unlabeled, and a --method that reads it"
        )
    if on_disk and joining:
        raise click.UsageError("--on-disk is a folder of this machine, and a cluster has its own memory: say one")
    if checkpoint and asked.tune:
        raise click.UsageError("--checkpoint is of one training: not together with --tune")
    if checkpoint_every and not checkpoint:
        raise click.UsageError("--checkpoint-every needs --checkpoint, the file")
    with interruptible() as interruption:
        from sstag.interfaces.cli.train_run import run  # it imports numpy and the kernels, for which help need not wait

        kept = (checkpoint, checkpoint_every or USUAL_EVERY) if checkpoint else None
        run(asked, config_path, threads, kept, on_disk, joining, interruption)


def _called(said: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The files that some names and patterns mean."""
    return None if said is None else tuple(matching(said))
