"""The command `sstag vectors`: it makes vectors of words from raw text and tells which words are used alike."""

from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

import click

from sstag.foundation.errors import counted
from sstag.foundation.files import check_outputs
from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.keeping import end_if_elsewhere, kept
from sstag.interfaces.cli.options import Reading, reading_columns, say_if_terminal, those_called, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cluster.wanted import Joining

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus

SHOWN = 10
WORD = "word"
# Dimensions, contexts, and how often a word must occur; None: as many dimensions as are usual for so much text.
APART, TOGETHER = (None, 20_000, 3), (50, 500, 2)


_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


def _default(place: int) -> str:
    return f"{APART[place] or '25 to 100, by the tokens'}; with --together {TOGETHER[place]}"


@click.command(name="vectors", cls=Command)
@click.argument("files", cls=Argument, metavar="[FILE]...", nargs=-1, callback=those_called)
@_data("--column", metavar="NAME", show_default="the first; in CoNLL-U form", help="Column of the words.")
@_data("--load", "loaded", metavar="FILE", help="Make nothing: vectors that there are, of any known format.")
@_method("--dimensions", type=click.IntRange(1, 1000), show_default=_default(0), help="Of each vector.")
@_method("--window", type=click.IntRange(1, 20), default=2, show_default=True, help="How far neighbours may be.")
@_method("--contexts", type=click.IntRange(1), show_default=_default(1), help="How many frequent neighbours count.")
@_method("--together", is_flag=True, help="For similar(...): neighbours on either side count alike, by their shares.")
@_method("--lower", is_flag=True, help="Vectors of words in lower case.")
@_method("--least", type=click.IntRange(1), show_default=_default(2), help="Leave out what is rarer.")
@_output("--near", multiple=True, metavar="WORD", help=f"Show the {SHOWN} words nearest to this one. Repeatable.")
@_output("--output", "-o", "target", metavar="FILE", help="Where to write the vectors.")
@threads_option
@reading_columns
@joining_cluster
def command(
    files: tuple[str, ...],
    column: str | None,
    dimensions: int | None,
    window: int,
    contexts: int | None,
    together: bool,
    lower: bool,
    least: int | None,
    loaded: str | None,
    near: tuple[str, ...],
    target: str | None,
    threads: int,
    how: Reading,
    joining: Joining | None,
) -> None:
    """Tell which words are used alike: vectors of words from raw text.

    The vectors say how often each of the most frequent words stands beside a word, in fewer dimensions. Templates use
    their numbers in vector(word[-1..1], raw.vectors); those made --together have cosines that suit similar(word[0],
    prototypes.txt, raw.vectors, 0.35).

    \b
    Example:
        sstag vectors --no-label raw.txt more.txt -o raw.vectors
        sstag vectors ads.txt --window 3 --together --near kitchen
        sstag vectors --load glove.txt --near monday
        sstag vectors raw.txt -o raw.vectors --workers 4
    """
    if bool(files) == (loaded is not None):
        raise click.UsageError(
            "which text? FILE; or --load VECTORS --near WORD, to look at vectors that there are already"
        )
    if loaded and (target or joining or not near):
        raise click.UsageError("--load is for --near alone")
    if not (target or near):
        raise click.UsageError("where to write the vectors? --output; or --near, to look at them")

    from sstag.features.words.context_vectors import Contexts, context_vectors
    from sstag.features.words.prototypes import nearest_words
    from sstag.features.words.vector_files import opened
    from sstag.features.words.vector_files.own import save
    from sstag.foundation.archive import check_target
    from sstag.foundation.parallel import shards
    from sstag.interfaces.cluster.joining import joined
    from sstag.interfaces.cluster.words import large_words

    check_outputs([target], [*files, loaded])
    if target:
        check_target(target)
    if loaded:
        made = opened(loaded).every(near)
    else:
        usual = TOGETHER if together else APART
        size = usual[0] if dimensions is None else dimensions
        words, rare = (b if a is None else a for a, b in zip((contexts, least), usual[1:], strict=True))
        with ProgressLine() as line, shards(threads) as over, joined(joining) as cluster:
            large = large_words(cluster, files, how.layout, column, line.say, lower) if cluster else None
            text = large or _words(files, column, lower, how)
            made = context_vectors(text, WORD, size, Contexts(window, words, together), rare, over, line.show)
    for word in near:
        click.echo(
            f"{word}\t" + " ".join(f"{other}:{cosine:.2f}" for other, cosine in nearest_words(made, word, SHOWN))
        )
    if target:
        at = kept(partial(save, made), target)
        size = made.vectors.shape[1]
        click.echo(f"{at}: {counted(len(made.words), 'word')}, {counted(size, 'dimension')}", err=True)
        end_if_elsewhere(at, target)


def _words(files: tuple[str, ...], column: str | None, lower: bool, how: Reading) -> "Corpus":
    """The words of all files, one after another, in one column."""
    from sstag.corpus.corpus import in_lower_case, together
    from sstag.corpus.reading import read

    texts = []
    for path in files:
        say_if_terminal(path)
        text = read(path, how.layout(path))
        index = text.word_column if column is None else text.column(column)
        words = replace(text, columns=(WORD,), values=(text.values[index],), codes=(text.codes[index],))
        texts.append(in_lower_case(words, WORD) if lower else words)
    return reduce(together, texts)
