"""The command `sstag density`: it tells how probable sentences are, and saves densities."""

from functools import partial

import click

from sstag.foundation.files import STANDARD, check_outputs, is_written_through, output
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, Number, OneOf, options_of
from sstag.interfaces.cli.keeping import end_if_elsewhere, kept
from sstag.interfaces.cli.options import (
    Reading,
    output_option,
    reading_columns,
    say_if_terminal,
    those_called,
    threads_option,
)
from sstag.selection.density import DENSITIES, HIGHEST, ORDER, SMOOTHING, Density

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(name="density", cls=Command, lists=[("Kinds", DENSITIES.items())])
@click.argument("file", cls=Argument, metavar="[FILE]", required=False)
@_data(
    "--text",
    "count",
    multiple=True,
    callback=those_called,
    metavar="FILE",
    show_default="FILE",
    help="Text to count. Repeatable.",
)
@_data("--load", "source", metavar="FILE", help="Count nothing: a saved density, or an HMM.")
@_method("--kind", type=OneOf(DENSITIES, "kind"), show_default="ngram", help="What is counted.")
@_method("--order", type=click.IntRange(1, HIGHEST), show_default=str(ORDER), help="Order of the n-grams.")
@_method(
    "--smoothing",
    type=Number(0),
    metavar="S",
    show_default=f"{SMOOTHING:g}",
    help="For what was not counted: 1 as Witten and Bell, 0 none.",
)
@_method("--of", metavar="A,B,…", show_default="all but the label", help="The columns that count.")
@_output("--save", metavar="FILE", help="Keep what was counted.")
@output_option
@threads_option
@reading_columns
def command(
    file: str | None,
    count: tuple[str, ...],
    kind: str | None,
    order: int | None,
    smoothing: float | None,
    of: str | None,
    source: str | None,
    save: str | None,
    target: str,
    threads: int,
    how: Reading,
) -> None:
    """Tell how probable sentences are, whatever their labels.

    Writes log q(x) of each sentence of FILE, and of it per token. A density that is saved gives weights to sentences
    (`sstag train --sentence-weights`) and quotas (`sstag select --density`). Without FILE text is counted and saved.

    \b
    Example:
        sstag density raw.txt
        sstag density --text train.txt --text raw.txt --save text.density
        sstag density --load text.density test.txt
    """
    given = {"kind": kind, "order": order, "smoothing": smoothing, "of": of, "text": count or None}
    if source and (said := [name for name, value in given.items() if value is not None] + ["save"] * bool(save)):
        raise click.UsageError(f"--{said[0]} is for what is counted: not together with --load")
    if kind == "empirical" and (order is not None or smoothing is not None):
        raise click.UsageError("--order and --smoothing are for n-grams")
    if file is None and not (save and count):
        raise click.UsageError("which file? FILE, or --text and --save")
    paths = count or ((file,) if file and not source else ())
    if (file in paths and is_written_through(file or STANDARD)) or paths.count(STANDARD) > 1:
        raise click.UsageError("a stream can be read only once: --text another file, or --load a density")

    from sstag.foundation.archive import check_target
    from sstag.selection.density.file import density_of_text, load, streamed
    from sstag.selection.density.file import save as saved

    check_outputs([target, save], [file, source, *count])
    if save:
        check_target(save)
    for path in {*paths, *([file] if file else [])}:
        say_if_terminal(path)
    density: Density
    at = save
    if source:
        density = load(source)
    else:
        corpora = (corpus for path in paths for corpus in streamed(path, how.layout(path)))
        label = how.layout(paths[0]).label
        columns = [name.strip() for name in of.split(",")] if of is not None else None
        smoothing = SMOOTHING if smoothing is None else smoothing
        density = made = density_of_text(corpora, columns, label, kind or "ngram", order or ORDER, smoothing)
        if save:
            at = kept(partial(saved, made), save)
    if file is not None:
        _tell(density, file, how, target, threads)
    if save and at:
        end_if_elsewhere(at, save)


def _tell(density: Density, file: str, how: Reading, target: str, threads: int) -> None:
    """Writes how probable each sentence of a file is."""
    from sstag.foundation.parallel import shards
    from sstag.selection.density.file import streamed, table

    with shards(threads) as over, output(target) as out:
        out.write(b"# sentence\ttokens\tlog q\tper token\n")
        done = 0
        for corpus in streamed(file, how.layout(file)):
            out.write(table(done, corpus, density.log_q(corpus, over)))
            done += corpus.sentences
