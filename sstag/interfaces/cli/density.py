"""The command `sstag density`: it tells how probable sentences are, and saves densities."""

from functools import partial

import click

from sstag.foundation.files import STANDARD, check_outputs, is_written_through, output
from sstag.interfaces.cli.cluster_options import joining_cluster
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
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cluster.wanted import Joining
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
@joining_cluster
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
    joining: Joining | None,
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
        sstag density --text 'raw/*.gz' --save raw.density --workers 4
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

    if joining and (STANDARD in (file, *paths) or (file is not None and is_written_through(target))):
        raise click.UsageError("with a cluster say FILE and --output, in folders that its workers reach")

    from sstag.foundation.archive import check_target
    from sstag.selection.density.file import density_of_text, load, streamed
    from sstag.selection.density.file import save as saved

    check_outputs([target, save], [file, source, *count])
    if save:
        check_target(save)
    for path in {*paths, *([file] if file else [])}:
        say_if_terminal(path)
    columns = [name.strip() for name in of.split(",")] if of is not None else None
    wish = columns, kind or "ngram", order or ORDER, SMOOTHING if smoothing is None else smoothing
    density: Density
    at = save
    if joining:
        at = _shared(joining, how, paths, wish, source, save, file, target)
    else:
        if source:
            density = load(source)
        else:
            corpora = (corpus for path in paths for corpus in streamed(path, how.layout(path)))
            density = made = density_of_text(corpora, wish[0], how.layout(paths[0]).label, *wish[1:])
            if save:
                at = kept(partial(saved, made), save)
        if file is not None:
            _tell(density, file, how, target, threads)
    if save and at:
        end_if_elsewhere(at, save)


def _shared(
    joining: Joining,
    how: Reading,
    paths: tuple[str, ...],
    wish: tuple[list[str] | None, str, int, float],
    source: str | None,
    save: str | None,
    file: str | None,
    target: str,
) -> str | None:
    """Counts with the workers of a cluster, and lets them write how probable sentences are; where counts are kept."""
    from sstag.interfaces.cluster.density import DensityWork
    from sstag.interfaces.cluster.joining import joined
    from sstag.interfaces.cluster.parts import beside, copy_into

    def copied(path: str) -> None:
        with output(path) as out:
            copy_into(out, counts)

    at = save
    with ProgressLine() as line, joined(joining) as cluster, beside(target if file else str(save)) as folder:
        assert cluster
        work = DensityWork(cluster, folder, how.layout, line.show)
        counts = source or work.counted(paths, *wish)
        if file is not None:
            work.write_table(counts, file, target)
        if save:
            at = kept(copied, save)
    return at


def _tell(density: Density, file: str, how: Reading, target: str, threads: int) -> None:
    """Writes how probable each sentence of a file is."""
    from sstag.foundation.parallel import shards
    from sstag.selection.density.file import TABLE_HEAD, streamed, table

    with shards(threads) as over, output(target) as out:
        out.write(TABLE_HEAD)
        done = 0
        for corpus in streamed(file, how.layout(file)):
            out.write(table(done, corpus, density.log_q(corpus, over)))
            done += corpus.sentences
