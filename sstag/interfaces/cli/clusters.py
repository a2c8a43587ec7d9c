"""The command `sstag clusters`: it puts the words of raw text into clusters, and shows those in a file."""

import sys

import click

from sstag.features.clusters import Clusters
from sstag.foundation.display import aligned, display_width
from sstag.foundation.errors import counted
from sstag.foundation.files import check_outputs
from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.keeping import end_if_elsewhere, kept
from sstag.interfaces.cli.options import Reading, reading_columns, say_if_terminal, those_called, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.width import terminal_width
from sstag.interfaces.cluster.wanted import Joining

MOST_COUNT = 4096
SHOWN = 100  # columns of the words of a cluster, where no terminal says its width
LEAST_SHOWN = 30

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(name="clusters", cls=Command)
@click.argument("files", cls=Argument, metavar="[FILE]...", nargs=-1, callback=those_called)
@_data("--column", metavar="NAME", show_default="the first; in CoNLL-U form", help="Column of the words.")
@_method("--count", type=click.IntRange(2, MOST_COUNT), default=192, show_default=True, help="Of clusters.")
@_method("--least", type=click.IntRange(1), default=3, show_default=True, help="Leave out what is rarer.")
@_output("--show", "shown", metavar="FILE", help="Make nothing: show clusters, those of wcluster and spaCy, too.")
@_output("--output", "-o", "target", metavar="FILE", help="Where to write the clusters.")
@threads_option
@reading_columns
@joining_cluster
def command(
    files: tuple[str, ...],
    column: str | None,
    count: int,
    least: int,
    shown: str | None,
    target: str | None,
    threads: int,
    how: Reading,
    joining: Joining | None,
) -> None:
    """Put words that are used alike into clusters, and the clusters into a tree.

    Words are used alike if they stand before and after the same words. Templates use the clusters in
    cluster(word[0], raw.clusters, 4, 6, 10, 20): where in the tree a word is, after so many steps.

    \b
    Example:
        sstag clusters raw.txt more.txt.gz -o raw.clusters
        sstag clusters raw.txt --count 512 -o raw.clusters
        sstag clusters raw.txt -o raw.clusters --workers 4
        sstag clusters --show raw.clusters
    """
    if shown is not None:
        if files or target or joining:
            raise click.UsageError("--show makes nothing: it takes no text, no --output and no cluster")
        _show(shown)
        return
    if not files:
        raise click.UsageError("which text? FILE; or --show CLUSTERS, to look at clusters that there are already")
    if target is None:
        raise click.UsageError("where to write the clusters? --output")

    from sstag.features.clusters import write_clusters
    from sstag.features.words.bigrams import bigrams_of, read_bigrams
    from sstag.features.words.exchange import paths_of
    from sstag.foundation.parallel import shards
    from sstag.interfaces.cluster.joining import joined
    from sstag.interfaces.cluster.words import WORD, large_words

    check_outputs([target], files)
    for path in files:
        say_if_terminal(path)
    with ProgressLine() as line, shards(threads) as over, joined(joining) as cluster:
        large = large_words(cluster, files, how.layout, column, line.say) if cluster else None
        if large:
            line.show("counting bigrams")
            text = bigrams_of(large, WORD, least)
        else:
            text = read_bigrams(files, how.layout, column, least, line.show)
        paths = paths_of(text, count, over, line.show)
        line.clear()
        rows = list(zip(paths, text.words, text.times.tolist(), strict=True))
        at = kept(lambda path: write_clusters(path, rows), target)
    made, known = len(set(paths)), 100 * int(text.times.sum()) / text.tokens
    click.echo(
        f"{at}: {counted(len(text.words), 'word')} in {counted(made, 'cluster')}, "
        f"{known:.1f} % of {counted(text.tokens, 'token')}",
        err=True,
    )
    end_if_elsewhere(at, target)


def _show(path: str) -> None:
    """Prints the clusters in a file as a table: path, number of words, their share of the tokens, the most frequent."""
    from sstag.features.clusters import read_clusters

    clusters = read_clusters(path)
    members: dict[str, list[str]] = {}
    for word, place in clusters.paths.items():
        members.setdefault(place, []).append(word)
    order = sorted(members)
    rows = [[place, f"{len(members[place]):,}", *_share(clusters, members[place])] for place in order]
    head = ["cluster", "words", *(["tokens"] if clusters.times else [])]
    begun = list(aligned([head, *rows], left=(0,)))
    width = max(map(display_width, begun))
    room = max((terminal_width(sys.stdout) or width + 2 + SHOWN) - width - 2, LEAST_SHOWN)
    title = "the most frequent" if clusters.times else "some of them"
    for line, text in zip(begun, [title, *(_fitting(members[one], room) for one in order)], strict=True):
        click.echo(f"{line}{' ' * (width - display_width(line))}  {text}")


def _share(clusters: Clusters, words: list[str]) -> list[str]:
    """The share of the tokens that some words have, if it is known."""
    if not clusters.times:
        return []
    total = sum(clusters.times.values())
    return [f"{100 * sum(clusters.times[word] for word in words) / max(total, 1):.2f} %"]


def _fitting(words: list[str], room: int) -> str:
    """As many words as fit, but at least one."""
    text = words[0]
    for word in words[1:]:
        if display_width(text) + 1 + display_width(word) > room:
            break
        text += f" {word}"
    return text
