"""The command `sstag sample`: it generates corpora to try things on."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from sstag.experiments.samples import SAMPLES, Sample
from sstag.foundation.errors import DataError, nearest
from sstag.foundation.files import output, translated_errors
from sstag.foundation.registry import registered
from sstag.interfaces.cli.help_sections import OUTPUT, Argument, Command, Number, options_of
from sstag.interfaces.cli.options import seed_option
from sstag.interfaces.cli.progress import ProgressLine

Sentence = list[tuple[str, str]]
PARTS = ("train", "dev", "test", "unlabeled")
FILES = ("hmm.yaml", "hmm.model")  # besides, of hmm


_parts, _hmm, _output = map(options_of, ("Sentences of each part (0: none)", "hmm only", OUTPUT))


@click.command(name="sample", cls=Command, lists=[("Corpora", [(name, line) for name, (_, line) in SAMPLES.items()])])
@click.argument("name", metavar="NAME")
@click.argument("folder", cls=Argument, metavar="FOLDER")
@_parts("--train", default=100, show_default=True, type=click.IntRange(0), help="In train.txt.")
@_parts("--dev", default=100, show_default=True, type=click.IntRange(0), help="In dev.txt.")
@_parts("--test", default=200, show_default=True, type=click.IntRange(0), help="In test.txt.")
@_parts("--unlabeled", default=1000, show_default=True, type=click.IntRange(0), help="In unlabeled.txt.")
@_hmm("--matrices", metavar="FILE", help="Probabilities, instead of random ones.")
@_hmm("--labels", type=click.IntRange(1, 1000), show_default="6", help="How many labels.")
@_hmm("--symbols", type=click.IntRange(1, 1000), show_default="5", help="How many different symbols.")
@_hmm("--length", type=click.IntRange(1, 10_000), show_default="5", help="Symbols of each sequence.")
@_hmm("--concentration", type=float, metavar="C", show_default="0.1", help="Large for even probabilities.")
@_hmm("--error", nargs=2, type=Number(0, 100), metavar="A B", help="Random ones with errors from A to B %.")
@_output("--force", is_flag=True, help="Replace files that are there.")
@seed_option
def command(
    name: str,
    folder: str,
    train: int,
    dev: int,
    test: int,
    unlabeled: int,
    seed: int,
    force: bool,
    **of_hmm: Any,
) -> None:
    """Generate a corpus to try things on, in files train.txt, dev.txt, test.txt and unlabeled.txt of a folder.

    The same seed gives the same sentences. For hmm the matrices and the model go to hmm.yaml and hmm.model, too.

    \b
    Example:
        sstag sample ads ads/ --train 20 --unlabeled 5000
        sstag sample hmm hmm/ --error 5 7 --test 10000
    """
    if name not in SAMPLES:
        raise click.UsageError(f"there is no sample '{name}'{nearest(name, SAMPLES)}")
    sizes = dict(zip(PARTS, (train, dev, test, unlabeled), strict=True))
    if name != "hmm" and (said := [option for option, value in of_hmm.items() if value is not None]):
        raise click.UsageError(f"--{said[0]} is for hmm")
    if not any(sizes.values()):
        raise click.UsageError("every part has size 0: nothing to write")
    paths = {part: os.path.join(folder, f"{part}.txt") for part, size in sizes.items() if size}
    of_source = [os.path.join(folder, file) for file in FILES] if name == "hmm" else []
    for path in [*paths.values(), *of_source]:
        if os.path.exists(path) and not force:
            raise DataError("exists already (--force replaces it)", path)
    sentences: Sample = registered(SAMPLES[name][0])
    made = None
    if name == "hmm":
        from sstag.interfaces.cli.sample_hmm import source

        made = source(of_hmm, np.random.default_rng([seed, len(PARTS)]))
        sentences = made.sentences
    with translated_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    if made:
        click.echo(made.write(*of_source))
    for number, part in enumerate(PARTS):
        if part in paths:
            stream = sentences(sizes[part], np.random.default_rng([seed, number]))
            _write(paths[part], stream, sizes[part], labelled=part != "unlabeled")


def _write(path: str, sentences: Iterator[Sentence], count: int, labelled: bool) -> None:
    """The sentences as a column file, with one line about it."""
    tokens = 0
    with output(path) as file, ProgressLine() as line:
        for number, sentence in enumerate(sentences, 1):
            line.show(f"{path}: {number:,} of {count:,} sentences")
            tokens += len(sentence)
            rows = [f"{word} {label}\n" if labelled else f"{word}\n" for word, label in sentence]
            file.write("".join([*rows, "\n"]).encode())
    click.echo(f"{path}: {count:,} sentences, {tokens:,} tokens{'' if labelled else ', without labels'}")
