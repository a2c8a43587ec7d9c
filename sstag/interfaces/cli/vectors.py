"""The command `sstag vectors`: it makes vectors of words from raw text and tells which words are used alike."""

import click

from sstag.foundation.errors import counted
from sstag.foundation.files import STANDARD, check_outputs
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.options import Reading, reading_columns, say_if_terminal

SHOWN = 10


_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(name="vectors", cls=Command)
@click.argument("file", cls=Argument, metavar="[FILE]", required=False)
@_data("--column", metavar="NAME", show_default="the first; in CoNLL-U form", help="Column of the words.")
@_data("--load", "source", metavar="FILE", help="Make nothing: vectors that were written before.")
@_method("--dimensions", type=click.IntRange(1, 1000), default=50, show_default=True, help="Of each vector.")
@_method("--window", type=click.IntRange(1, 20), default=1, show_default=True, help="How far neighbours may be.")
@_method(
    "--contexts", type=click.IntRange(1), default=500, show_default=True, help="How many frequent neighbours count."
)
@_method("--together", is_flag=True, help="Neighbours count alike on either side, at any distance.")
@_method("--lower", is_flag=True, help="Vectors of words in lower case.")
@_method("--least", type=click.IntRange(1), default=2, show_default=True, help="Leave out what is rarer.")
@_output("--near", multiple=True, metavar="WORD", help=f"Show the {SHOWN} words nearest to this one. Repeatable.")
@_output("--output", "-o", "target", metavar="FILE", help="Where to write the vectors.")
@reading_columns
def command(
    file: str | None,
    column: str | None,
    dimensions: int,
    window: int,
    contexts: int,
    together: bool,
    lower: bool,
    least: int,
    source: str | None,
    near: tuple[str, ...],
    target: str | None,
    how: Reading,
) -> None:
    """Tell which words are used alike: vectors of words from raw text.

    The vectors say how often each of the most frequent words stands beside a word, in fewer dimensions. Templates use
    them in similar(word[0], prototypes.txt, raw.vectors, 0.35).

    \b
    Example:
        sstag vectors raw.txt --dimensions 50 -o raw.vectors
        sstag vectors ads.txt --window 3 --together --near kitchen
        sstag vectors --load raw.vectors --near Monday
    """
    if (file is None) == (source is None):
        raise click.UsageError("which text? FILE, or --load for vectors that there are already")
    if source and (target or not near):
        raise click.UsageError("--load is for --near alone")
    if not (target or near):
        raise click.UsageError("where to write the vectors? --output; or --near, to look at them")

    from sstag.corpus.corpus import in_lower_case
    from sstag.corpus.reading import read
    from sstag.features.words.context_vectors import Contexts, context_vectors
    from sstag.features.words.prototypes import nearest_words
    from sstag.features.words.vector_files import opened
    from sstag.features.words.vector_files.own import save
    from sstag.foundation.archive import check_target

    check_outputs([target], [file, source])
    if target:
        check_target(target)
    if source:
        made = opened(source).every()
    else:
        path = file or STANDARD
        say_if_terminal(path)
        text = read(path, how.layout(path))
        name = text.columns[text.word_column] if column is None else column
        text = in_lower_case(text, name) if lower else text
        made = context_vectors(text, name, dimensions, Contexts(window, contexts, together), least)
    for word in near:
        click.echo(
            f"{word}\t" + " ".join(f"{other}:{cosine:.2f}" for other, cosine in nearest_words(made, word, SHOWN))
        )
    if target:
        save(made, target)
        size = made.vectors.shape[1]
        click.echo(f"{target}: {counted(len(made.words), 'word')}, {counted(size, 'dimension')}", err=True)
