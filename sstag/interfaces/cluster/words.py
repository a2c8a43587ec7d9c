"""Words of raw text that the workers of a cluster read, of which clusters and vectors are made."""

from collections.abc import Callable, Sequence

from sstag.corpus.layout import Layout
from sstag.corpus.volumes import LargeText
from sstag.features.words.large_words import only_words
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.reading import read_by_workers

WORD = "word"


def large_words(
    cluster: Cluster,
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    column: str | None,
    tell: Callable[[str], None],
    lower: bool = False,
) -> LargeText | None:
    """The words of some files in volumes with the workers, in the column WORD; None if a single volume has them all."""
    text = read_by_workers(cluster, paths, layout_of, None, tell)
    return only_words(text, column, WORD, lower) if isinstance(text, LargeText) else None
