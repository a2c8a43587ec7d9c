"""sstag density"""

import click

from sstag.foundation.files import STANDARD, check_outputs, is_written_through, output
from sstag.interfaces.cli.help_sections import Command, Number
from sstag.interfaces.cli.options import Reading, reading_columns, say_if_terminal, threads_option
from sstag.selection.density import DENSITIES, HIGHEST, ORDER, SMOOTHING, Density


@click.command(name="density", cls=Command)
@click.argument("file", metavar="[INPUT]", required=False)
@click.option(
    "--count", multiple=True, metavar="FILE", help="Text to count; may be given repeatedly.  [default: INPUT]"
)
@click.option(
    "--kind", type=click.Choice(list(DENSITIES)), help="; ".join(f"{k}: {v}" for k, v in DENSITIES.items()) + "."
)
@click.option("--order", type=click.IntRange(1, HIGHEST), metavar="N", help=f"Of n-grams.  [default: {ORDER}]")
@click.option(
    "--smoothing",
    type=Number(0),
    metavar="S",
    help=f"For what was not counted: 1 is Witten and Bell's, 0 none.  [default: {SMOOTHING:g}]",
)
@click.option("--of", metavar="A,B,…", help="The columns that count.  [default: all but the label]")
@click.option("--load", "source", metavar="FILE", help="Count nothing: a density that was saved, or an HMM.")
@click.option("--save", metavar="FILE", help="Keep what was counted.")
@click.option("--output", "-o", "target", default=STANDARD, metavar="FILE", help="Where to write.  [default: stdout]")
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
    """How probable sentences are, whatever their labels: log q(x) of each sentence, and of it per token.

    q(x) is the product of the n-grams of every column, counted in any text; the share of the counted sentences that are
    this one (--kind empirical); or that of an HMM (--load hmm.model, of `sstag train --method hmm`), by the forward
    algorithm. A density that was saved gives weights to sentences (`sstag train --sentence-weights`) and quotas to
    choose by (`sstag select --density`). Without INPUT it is only counted and saved.

    \b
    Example:
        sstag density raw.txt
        sstag density --count train.txt --count raw.txt --order 4 --save text.density
        sstag density --load text.density test.txt
    """
    given = {"kind": kind, "order": order, "smoothing": smoothing, "of": of, "count": count or None}
    if source and (said := [name for name, value in given.items() if value is not None] + ["save"] * bool(save)):
        raise click.UsageError(f"--{said[0]} is for what is counted: not together with --load")
    if kind == "empirical" and (order is not None or smoothing is not None):
        raise click.UsageError("--order and --smoothing are for n-grams")
    if file is None and not (save and count):
        raise click.UsageError("which file? INPUT, or --count and --save")
    paths = count or ((file,) if file and not source else ())
    if (file in paths and is_written_through(file or STANDARD)) or paths.count(STANDARD) > 1:
        raise click.UsageError("a stream can be read only once: --count another file, or --load a density")

    from sstag.foundation.archive import check_target
    from sstag.foundation.parallel import shards
    from sstag.selection.density.file import density_of_text, load, streamed, table
    from sstag.selection.density.file import save as saved

    check_outputs([target, save], [file, source, *count])
    if save:
        check_target(save)
    for path in {*paths, *([file] if file else [])}:
        say_if_terminal(path)
    density: Density
    if source:
        density = load(source)
    else:
        corpora = (corpus for path in paths for corpus in streamed(path, how.layout(path)))
        label = how.layout(paths[0]).label
        columns = [name.strip() for name in of.split(",")] if of is not None else None
        smoothing = SMOOTHING if smoothing is None else smoothing
        density = made = density_of_text(corpora, columns, label, kind or "ngram", order or ORDER, smoothing)
        if save:
            saved(made, save)
    if file is None:
        return
    with shards(threads) as over, output(target) as out:
        out.write(b"# sentence\ttokens\tlog q\tper token\n")
        done = 0
        for corpus in streamed(file, how.layout(file)):
            out.write(table(done, corpus, density.log_q(corpus, over)))
            done += corpus.sentences
