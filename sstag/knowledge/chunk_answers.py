"""A list of spans as answers about the chunks of a text: which are there, and which are not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.chunk_automaton import KnownChunks
from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import Text
from sstag.features.template import Template
from sstag.foundation.arrays import Bools
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.labels.schemes.tagset import Tagset, tolerant_tagset
from sstag.labels.span_list import SpanList, placed_spans, read_spans

INEXACT = ("iob1", "ioe1")  # the tags of a chunk depend on what stands beside it


@dataclass(frozen=True)
class Answers:
    """A list of spans, as the file of an objective."""

    listed: SpanList

    @property
    def path(self) -> str:
        return self.listed.path

    @property
    def digest(self) -> str:
        return self.listed.digest

    @property
    def labels(self) -> frozenset[str]:
        """None: a list names types, whose labels depend on the scheme."""
        return frozenset()

    @property
    def tells_apart(self) -> bool:
        return True

    @property
    def about(self) -> dict[str, Json]:
        """The numbers of lines and of sentences, for the report of a training."""
        return {
            "accepted": sum(line.accepted for line in self.listed.lines),
            "rejected": sum(not line.accepted for line in self.listed.lines),
            "sentences": len(self.listed.by_sentence),
        }

    def odd(self, known: Sequence[str]) -> list[str]:
        """Nothing: a type or a place that there is not is an error."""
        return []


def answered(path: str, template: Template, text: Text) -> Answers:
    """The answers in a file, about the sentences of a text."""
    if not path:
        raise ConfigError("rejection needs a list of spans: `rejection: {spans: FILE}`")
    return Answers(read_spans(path))


@dataclass(frozen=True, eq=False)
class ChunkAnswers:
    """Chunks that a text has, or does not have, and the labels and the scheme by which they are read."""

    chunks: KnownChunks
    tags: Tagset

    @property
    def beyond_sets(self) -> Bools:
        """The chunks that sets of labels, one for each token, do not say exactly."""  # (N,)
        return ~self.chunks.accepted | (self.tags.scheme in INEXACT)

    def over(self, labels: Sequence[str]) -> KnownChunks:
        """The chunks for these labels, in their order."""
        tags = tolerant_tagset(labels, self.tags.scheme)
        kind = np.array([tags.types.index(name) for name in self.tags.types], np.int64)
        inner = slice(0, len(labels))
        return replace(self.chunks, kind=kind[self.chunks.kind], kinds=tags.type[inner], joined=tags.joined)

    def beside(self, before: "ChunkAnswers | None") -> "ChunkAnswers":
        """These chunks, and those of sentences before theirs, whose types have tags here, too."""
        if before is None:
            return self
        kind = np.array([self.tags.types.index(name) for name in before.tags.types], np.int64)
        ours, theirs = self.chunks, replace(before.chunks, kind=kind[before.chunks.kind])
        parts = {
            name: np.concatenate([getattr(theirs, name), getattr(ours, name)])
            for name in ("first", "stop", "kind", "accepted")
        }
        return replace(self, chunks=replace(ours, **parts))


def known_chunks(listed: SpanList, corpus: Corpus, tags: Tagset) -> ChunkAnswers:
    """The chunks that a list accepts and rejects, as positions of the corpus; what contradicts itself is an error."""
    rows: set[tuple[int, int, int, bool]] = set()
    for sentence, spans, _ in placed_spans(listed, corpus, tags):
        begin = int(corpus.offsets[sentence - 1])
        rows |= {(begin + span.first, begin + span.stop, span.type, span.accepted) for span in spans}
    first, stop, kind, accepted = np.array(sorted(rows), np.int64).reshape(-1, 4).T
    inner = slice(0, len(tags.labels))
    made = KnownChunks(first, stop, kind, accepted.astype(np.bool_), tags.type[inner], tags.joined)
    return ChunkAnswers(made, tags)
