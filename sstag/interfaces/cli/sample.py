"""sstag sample"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from sstag.experiments.samples import SAMPLES
from sstag.foundation.errors import DataError, nearest
from sstag.foundation.files import output, translated_errors
from sstag.foundation.registry import registered
from sstag.interfaces.cli.help_sections import Command, Number

Sentence = list[tuple[str, str]]
PARTS = ("train", "dev", "test", "unlabeled")
FILES = ("hmm.yaml", "hmm.model")  # besides, of hmm


@click.command(
    name="sample",
    cls=Command,
    epilog="Corpora: " + "; ".join(f"{name}: {line}" for name, (_, line) in SAMPLES.items()),
)
@click.argument("name", metavar="NAME")
@click.argument("folder", metavar="FOLDER")
@click.option("--train", default=100, show_default=True, type=click.IntRange(0), help="Sentences in train.txt.")
@click.option("--dev", default=100, show_default=True, type=click.IntRange(0), help="Sentences in dev.txt.")
@click.option("--test", default=200, show_default=True, type=click.IntRange(0), help="Sentences in test.txt.")
@click.option("--unlabeled", default=1000, show_default=True, type=click.IntRange(0), help="In unlabeled.txt.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Another seed, another corpus.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--matrices", metavar="FILE", help="hmm: these, instead of random ones.")
@click.option("--labels", type=click.IntRange(1, 1000), help="hmm: labels.  [default: 6]")
@click.option("--symbols", type=click.IntRange(1, 1000), help="hmm: different symbols.  [default: 5]")
@click.option("--length", type=click.IntRange(1, 10_000), help="hmm: symbols of each sequence.  [default: 5]")
@click.option("--concentration", type=float, help="hmm: large for even rows.  [default: 0.1]")
@click.option(
    "--error", nargs=2, type=Number(0, 100), metavar="A B", help="hmm: random ones with errors from A to B %."
)
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
    """Generate a corpus to try things on: train.txt, dev.txt, test.txt and unlabeled.txt in a folder.

    The same seed gives the same sentences; a part does not depend on the sizes of the others, and a larger part begins
    with the sentences of a smaller one. A part of size 0 is not written.

    hmm also writes hmm.yaml, its matrices (labels, symbols, begin, steps, emissions: rows of probabilities), which
    --matrices reads again, and hmm.model: `sstag density --load` says the true q(x) with it, and `sstag tag` the best
    paths. Errors are exact, over all sequences: the least there can be, and that of best paths, which --error is about.

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
    with translated_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    sentences: Callable[[int, np.random.Generator], Iterator[Sentence]] = registered(SAMPLES[name][0])
    if name == "hmm":
        from sstag.interfaces.cli.sample_hmm import source

        made = source(of_hmm, np.random.default_rng([seed, len(PARTS)]))
        sentences = made.sentences
        click.echo(made.write(*of_source))
    for number, part in enumerate(PARTS):
        if part in paths:
            stream = sentences(sizes[part], np.random.default_rng([seed, number]))
            _write(paths[part], stream, sizes[part], labelled=part != "unlabeled")


def _write(path: str, sentences: Iterator[Sentence], count: int, labelled: bool) -> None:
    """The sentences as a column file, with a progress bar on a terminal and one line about it."""
    tokens = 0
    with (
        output(path) as file,
        click.progressbar(
            sentences, count, path, file=sys.stderr, update_min_steps=100, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        for sentence in bar:
            tokens += len(sentence)
            lines = [f"{word} {label}\n" if labelled else f"{word}\n" for word, label in sentence]
            file.write("".join([*lines, "\n"]).encode())
    click.echo(f"{path}: {count:,} sentences, {tokens:,} tokens{'' if labelled else ', without labels'}")
