"""Lines that raw text adds to a template that was chosen: what a first model predicts there, clusters, vectors.

Clusters and vectors are those of `sstag clusters` and `sstag vectors` with nothing else said; a model keeps both.
"""

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.volumes import LargeText, Text, in_volumes
from sstag.features.choice import Choice, with_lines
from sstag.features.clusters import Clusters, read_clusters, write_clusters
from sstag.features.dense_sources import Vectors
from sstag.features.proposals import ENCODERS_BRING
from sstag.features.reading import beside, template
from sstag.features.template import Template
from sstag.features.words.bigrams import MOST_TOKENS, bigrams_of
from sstag.features.words.context_vectors import Contexts, context_vectors
from sstag.features.words.exchange import paths_of
from sstag.features.words.named_vectors import KeptVectors, kept
from sstag.features.words.vector_files import opened
from sstag.features.words.vector_files.own import save
from sstag.foundation.errors import DataError, counted
from sstag.foundation.parallel import Over

CLUSTERS_FROM, VECTORS_FROM = 20_000, 1_000_000  # tokens of raw text
COUNT, LEAST = 192, 3  # of clusters; how often a word must occur
CLUSTERS, VECTORS = "raw.clusters", "raw.vectors"  # the files of a template that is written
CLUSTER_LINE, VECTOR_LINE = "cluster({0}[-1..1], " + CLUSTERS + ", 4, 6, 10, 20)", "vector({0}[-1..1], " + VECTORS + ")"

Say = Callable[[str], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tables:
    """The name and size of raw text, and the clusters and vectors that were made of it."""

    path: str
    tokens: int
    clusters: Clusters | None
    vectors: KeptVectors | None

    @property
    def lines(self) -> list[str]:
        """Lines of a template, in which {0} stands for the column of words."""
        return [CLUSTER_LINE] * bool(self.clusters) + [VECTOR_LINE] * bool(self.vectors)


def tables_of(text: Text, characters: bool, over: Over, say: Say) -> Tables:
    """Clusters and vectors of raw text, as far as its size makes them worth it."""
    large = text if isinstance(text, LargeText) else in_volumes(text, over)
    column = large.head.columns[large.head.word_column]
    clusters = vectors = None
    with tempfile.TemporaryDirectory() as folder:
        if CLUSTERS_FROM <= large.tokens <= MOST_TOKENS and not characters:
            clusters = _clusters(large, column, os.path.join(folder, CLUSTERS), over, say)
        if large.tokens >= VECTORS_FROM and large is not text:  # numbers need a text that is whole in memory
            vectors = _vectors(large, column, os.path.join(folder, VECTORS), over, say)
    return Tables(large.head.path, large.tokens, clusters, vectors)


def _clusters(large: LargeText, column: str, path: str, over: Over, say: Say) -> Clusters | None:
    say("counting bigrams")
    try:
        bigrams = bigrams_of(large, column, LEAST)
    except DataError:  # fewer than two words are frequent enough
        return None
    paths = paths_of(bigrams, COUNT, over, say)
    write_clusters(path, zip(paths, bigrams.words, bigrams.times.tolist(), strict=True))
    return read_clusters(path)


def _vectors(large: LargeText, column: str, path: str, over: Over, say: Say) -> KeptVectors:
    made = context_vectors(large, column, None, Contexts(), LEAST, over, say)
    save(replace(made, vectors=made.vectors.astype(np.float32).astype(np.float64)), path)  # as a model has them
    found = kept(opened(path), "all")
    assert isinstance(found, KeptVectors)
    return found


def with_tables(choice: Choice, tables: Tables) -> Template:
    """The template with lines for what a first model predicts in raw text, and for clusters and vectors of it."""
    lines = [line.format(choice.word) for line in (*choice.predicts, *tables.lines)]
    text = with_lines(choice.template.text, lines) + "vectors_kept: all\n" * bool(tables.vectors)

    def clusters(name: str) -> Clusters:
        assert tables.clusters
        return tables.clusters

    def vectors(name: str) -> Vectors:
        assert tables.vectors
        return tables.vectors

    return template(text, choice.name, replace(beside(choice.name), clusters=clusters, vectors=vectors))


def looking_twice(choice: Choice) -> Template:
    """The template with lines for what a first model predicts in raw text, before anything is made of that."""
    return with_tables(choice, Tables("", 0, None, None))


def with_raw_text(
    choices: Sequence[Choice], text: Text | None, encoder: str | None, over: Over, say: Say
) -> list[Template]:
    """The templates that were chosen, with lines for raw text if there is any that they can use; it is told."""
    tables = tables_of(text, choices[0].of_characters, over, say) if text else None
    for line in _told(choices, tables, encoder):
        log.info(line)
    return [with_tables(one, tables) if tables else one.template for one in choices]


def _told(choices: Sequence[Choice], tables: Tables | None, encoder: str | None) -> Iterator[str]:
    """Three lines: the template, the reason, and how to see it, or to have another one."""
    chosen = choices[0]
    more = [f"lines for {', '.join(chosen.others)}"] if chosen.others else []
    if tables:
        made = " and ".join(name for name, one in (("clusters", tables.clusters), ("vectors", tables.vectors)) if one)
        more += ["predicted(…)", *([f"{made} of {tables.path}"] if made else [])]
    more += [f"the encoder {encoder}"] if encoder else []
    names = ", ".join(one.name for one in choices)
    yield f"template{'s' * (len(choices) > 1)}: {names}{' with ' * bool(more)}{', '.join(more)}"
    size = "with --unlabeled RAW it gains predicted(…), clusters and vectors"
    if tables:
        size = (
            f"{tables.path} has {counted(tables.tokens, 'token')} "
            f"(from {CLUSTERS_FROM:,} clusters, from {VECTORS_FROM:,} vectors)"
        )
    yield f"because {chosen.why}; {size}"
    way = "`sstag inspect MODEL --write-template FILE` writes it"
    yield way if encoder else f"{way}; {ENCODERS_BRING}"
