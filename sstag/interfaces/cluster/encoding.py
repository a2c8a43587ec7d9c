"""Texts that the workers of a cluster encode: vectors of parts are written beside the output, where they are joined."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sstag.corpus.file_parts import lines_of_file, part_blocks, parts_of_file
from sstag.corpus.reading import joined
from sstag.features.encoders.ahead import encoded_texts, join_vectors, write_vectors
from sstag.features.encoders.settings import Settings
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.jobs import Heard, each_done
from sstag.interfaces.cluster.parts import LayoutOf, PartJob, beside, refuse_absent

PART = 2**20  # bytes of text, whose vectors take some hundred times as many


@dataclass(frozen=True)
class _Made:
    tokens: int
    width: int
    digest: str


@dataclass(frozen=True)
class EncodedFiles:
    """A file of vectors that was made: the tokens of each text, their dimensions, the encoder, how many sentences."""

    tokens: list[int]
    width: int
    digest: str
    sentences: int


def encoded_by_workers(
    cluster: Cluster,
    paths: Sequence[str],
    layout_of: LayoutOf,
    settings: Settings,
    folder: str,
    target: str,
    tell: Callable[[str], None],
) -> EncodedFiles:
    """Writes the vectors of the sentences of some files; an encoder in a folder is one that the workers reach."""
    with beside(target) as own:
        parts = [
            (text, number, part)
            for text, path in enumerate(paths)
            for number, part in enumerate(parts_of_file(path, layout_of, PART))
        ]
        jobs = [
            PartJob(part, layout_of(part.path), str(own / f"{text:06}-{number:06}")) for text, number, part in parts
        ]
        made = each_done(cluster, _encoded, jobs, (settings, os.path.abspath(folder)), tell)
        tokens = [0] * len(paths)
        for (text, _, _), one in zip(parts, made, strict=True):
            tokens[text] += one.tokens
        for path, count in zip(paths, tokens, strict=True):
            if not count:
                raise DataError("no sentence in it", display_name(path))
        full = [(one, job.target) for one, job in zip(made, jobs, strict=True) if one.tokens]
        sentences = join_vectors(target, [name for _, name in full])
    return EncodedFiles(tokens, full[0][0].width, full[0][0].digest, sentences)


def _encoded(job: PartJob, common: tuple[Settings, str], heard: Heard) -> _Made:
    """Encodes a part of a text, and writes its vectors."""
    refuse_absent(job.target)
    with lines_of_file(job.part):
        corpus = joined(part_blocks(job.part, job.layout), job.part.path)
        if not corpus.sentences:
            return _Made(0, 0, "")
        made = encoded_texts([corpus], *common, 1, lambda done, tokens: heard(done))
    write_vectors(job.target, made)
    return _Made(corpus.tokens, made.texts[0].vectors.shape[1], made.digest)
