"""Densities that the workers of a cluster count, and tables of log q that they write: parts lie beside the output.

Counts of parts become counts of the whole by pairs of neighbours, so that values are numbered by their first use, as on
one machine. What is counted goes from worker to worker as files: it may be larger than anything that is sent.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from sstag.corpus.corpus import Corpus
from sstag.corpus.file_parts import PART, lines_of_file, part_blocks, parts_of_file
from sstag.corpus.reading import joined
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, output, translated_errors
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.jobs import Heard, each_done
from sstag.interfaces.cluster.parts import LayoutOf, PartJob, columns_of, copy_into, refuse_absent
from sstag.selection.density import Density
from sstag.selection.density.file import TABLE_HEAD, columns_counted, density_of_text, load, merged, save, table


@dataclass(frozen=True)
class Counting:
    """The wish that something is counted."""

    columns: tuple[str, ...]
    kind: str
    order: int
    smoothing: float


@dataclass(frozen=True)
class DensityWork:
    """A cluster, and the folder beside the output in which parts lie meanwhile."""

    cluster: Cluster
    folder: Path
    layout_of: LayoutOf
    tell: Callable[[str], None]

    def counted(self, paths: Sequence[str], columns: list[str] | None, kind: str, order: int, smoothing: float) -> str:
        """The file of the density of some texts."""
        label, first = self.layout_of(paths[0]).label, columns_of(paths[0], self.layout_of(paths[0]))
        wish = Counting(tuple(columns_counted(first, columns, label)), kind, order, smoothing)
        jobs = self._jobs(paths)
        found = each_done(self.cluster, _counted, jobs, wish, self.tell)
        for path in paths:
            if not any(there for there, job in zip(found, jobs, strict=True) if job.part.path == path):
                raise DataError("no sentence in it", display_name(path))
        files = [job.target for there, job in zip(found, jobs, strict=True) if there]
        while len(files) > 1:
            pairs = list(zip(files[::2], files[1::2], strict=False))
            last = files[2 * len(pairs) :]
            files = [*each_done(self.cluster, _merged, pairs, None, self.tell), *last]
            for name in (name for pair in pairs for name in pair):
                os.unlink(name)
        return files[0]

    def write_table(self, density: str, path: str, target: str) -> None:
        """Writes how probable each sentence of a text is under the density in a file that the workers reach."""
        jobs = self._jobs([path])
        sizes = each_done(self.cluster, _sentences, jobs, None, self.tell) if len(jobs) > 1 else [0]
        numbered = list(zip(jobs, accumulate(sizes[:-1], initial=0), strict=True))
        if not sum(each_done(self.cluster, _table, numbered, density, self.tell)):
            raise DataError("no sentence in it", display_name(path))
        with output(target) as out:
            out.write(TABLE_HEAD)
            for job in jobs:
                copy_into(out, job.target)

    def _jobs(self, paths: Sequence[str]) -> list[PartJob]:
        parts = [part for path in paths for part in parts_of_file(path, self.layout_of, PART)]
        names = (str(self.folder / f"{number:06}") for number in range(len(parts)))
        return [PartJob(part, self.layout_of(part.path), name) for part, name in zip(parts, names, strict=True)]


def _corpora(job: PartJob, heard: Heard) -> Iterator[Corpus]:
    tokens = 0
    with lines_of_file(job.part):
        for block in part_blocks(job.part, job.layout):
            if len(block.rows):
                yield joined([block], job.part.path)
                tokens += len(block.rows)
                heard(tokens)


def _counted(job: PartJob, wish: Counting, heard: Heard) -> bool:
    """Counts a part of a text into a file, if it has a sentence."""
    refuse_absent(job.target)
    corpora = _corpora(job, heard)
    first = next(corpora, None)
    if first is None:
        return False

    def every() -> Iterator[Corpus]:
        yield first
        yield from corpora

    save(density_of_text(every(), wish.columns, None, wish.kind, wish.order, wish.smoothing), job.target)
    return True


def _merged(pair: tuple[str, str], _: None, heard: Heard) -> str:
    """A file with the counts of two files, which stay: this may be done again."""
    target = f"{pair[0]}+"
    save(merged(*map(load, pair)), target)
    return target


def _sentences(job: PartJob, _: None, heard: Heard) -> int:
    with lines_of_file(job.part):
        return sum(len(block.offsets) - 1 for block in part_blocks(job.part, job.layout))


def _table(numbered: tuple[PartJob, int], density: str, heard: Heard) -> int:
    """Writes the lines of a part, before which there are so many sentences; how many they are."""
    job, first = numbered
    refuse_absent(job.target)
    known, done = opened(density), first
    with output(job.target) as out:
        for corpus in _corpora(job, heard):
            out.write(table(done, corpus, known.log_q(corpus, one_by_one)))
            done += corpus.sentences
    return done - first


def opened(path: str) -> Density:
    """The density in a file, which a worker keeps for its next jobs."""
    with translated_errors(path):
        status = os.stat(path)
    return _known(path, status.st_mtime_ns, status.st_size)


@lru_cache(2)
def _known(path: str, changed: int, size: int) -> Density:
    """The density in a file, which is the same as long as nobody writes to the file."""
    return load(path)
