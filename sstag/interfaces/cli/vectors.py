"""sstag vectors"""

import click

from sstag.foundation.errors import counted
from sstag.foundation.files import STANDARD, check_outputs
from sstag.interfaces.cli.help_sections import Command
from sstag.interfaces.cli.options import Reading, reading_columns, say_if_terminal

SHOWN = 10


@click.command(name="vectors", cls=Command)
@click.argument("file", metavar="[INPUT]", required=False)
@click.option("--column", metavar="NAME", help="The words.  [default: the first column; CoNLL-U: form]")
@click.option("--dimensions", type=click.IntRange(1, 1000), default=50, show_default=True, help="Of each vector.")
@click.option("--window", type=click.IntRange(1, 20), default=1, show_default=True, help="How far neighbours may be.")
@click.option(
    "--contexts", type=click.IntRange(1), default=500, show_default=True, help="The most frequent words count."
)
@click.option("--together", is_flag=True, help="Neighbours count alike whatever their side and distance.")
@click.option("--lower", is_flag=True, help="Of words in lower case: for similar(lower(word[0]), …).")
@click.option("--least", type=click.IntRange(1), default=2, show_default=True, help="Rarer words have no vector.")
@click.option("--load", "source", metavar="FILE", help="Vectors that were made before, for --near.")
@click.option(
    "--near", multiple=True, metavar="WORD", help=f"Show the {SHOWN} words nearest to this one, with cosines."
)
@click.option("--output", "-o", "target", metavar="FILE", help="Where to write the vectors.")
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
    """Vectors of words, from the words that stand beside them in raw text.

    How often each of the most frequent words stands before and after a word, reduced to some dimensions by a singular
    value decomposition. With them a template can say which of some known words a word resembles:
    similar(word[0], prototypes.txt, raw.vectors, 0.35) is an attribute for each of the five prototypes (words, a line
    each, or the lines word[0]=… of a list of features and labels) that are nearest, if the cosine is 0.35 or more. A
    model keeps what it needs of them. A list of lines lower(word[0])=… wants --lower, and similar(lower(word[0]), …).

    A window of 1, with its sides apart, finds words of one kind; a wider one, --together, words of one topic.

    \b
    Example:
        sstag vectors raw.txt --dimensions 50 -o raw.vectors
        sstag vectors ads.txt --window 3 --together --lower --near kitchen --near rent -o ads.vectors
        sstag vectors --load raw.vectors --near Monday
    """
    if (file is None) == (source is None):
        raise click.UsageError("which text? INPUT, or --load for vectors that there are already")
    if source and (target or not near):
        raise click.UsageError("--load is for --near alone")
    if not (target or near):
        raise click.UsageError("where to write the vectors? --output; or --near, to look at them")

    from sstag.corpus.corpus import in_lower_case
    from sstag.corpus.reading import read
    from sstag.features.words.context_vectors import Contexts, context_vectors
    from sstag.features.words.prototypes import nearest_words
    from sstag.features.words.vector_file import load, save
    from sstag.foundation.archive import check_target

    check_outputs([target], [file, source])
    if target:
        check_target(target)
    if source:
        made = load(source)
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
