"""Files that the workers of a cluster tag: each reads a part of one, and writes what becomes of it beside the output.

The parts, one after another, are the bytes that one machine writes. Whole files go straight to their place.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from sstag.corpus.blocks import Block
from sstag.corpus.file_parts import PART, FilePart, lines_of_file, part_blocks, parts_of_file
from sstag.corpus.formats import Asked
from sstag.foundation.files import output
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.jobs import Heard, each_done
from sstag.interfaces.cluster.parts import beside, copy_into, has_comments, refuse_absent
from sstag.model.tagged_file import TaggedFiles
from sstag.model.tagged_text import no_label


@dataclass(frozen=True)
class _Job:
    part: FilePart
    target: str


def tagged_by_workers(
    cluster: Cluster,
    tagged: TaggedFiles,
    read_as: Asked,
    pairs: Sequence[tuple[str, str]],
    tell: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Tags files, each into another one that the workers reach as well; `warn` hears what is odd about them."""
    jobs: list[_Job] = []
    cut: dict[str, list[str]] = {}  # the parts of a target, in their order
    with ExitStack() as stack:
        for source, target in pairs:
            parts = [FilePart(source)] if tagged.documents else _parts(cluster, tagged, read_as, source, tell)
            if len(parts) == 1:
                jobs.append(_Job(parts[0], target))
                continue
            folder = stack.enter_context(beside(target))
            cut[target] = [str(folder / f"{number:06}") for number in range(len(parts))]
            jobs += map(_Job, parts, cut[target])
        for warning in each_done(cluster, _tagged, jobs, (tagged, read_as), tell):
            if warning:
                warn(warning)
        for target, names in cut.items():
            with output(target) as out:
                for name in names:
                    copy_into(out, name)
                    os.unlink(name)


def _parts(
    cluster: Cluster, tagged: TaggedFiles, read_as: Asked, source: str, tell: Callable[[str], None]
) -> list[FilePart]:
    """The parts of a file; comments, which records of JSON tell, are about all sentences after them, so it is whole.

    So is Parquet, of whose rows the output may say the numbers.
    """
    parts = parts_of_file(source, partial(tagged.layout, read_as=read_as), PART)
    if parts[0].rows is not None:
        return [FilePart(source)]
    if tagged.as_json and len(parts) > 1 and any(each_done(cluster, has_comments, parts, None, tell)):
        return [FilePart(source)]
    return parts


def _tagged(job: _Job, common: tuple[TaggedFiles, Asked], heard: Heard) -> str | None:
    """Tags a part of a file; whatever is odd about it."""
    (tagged, read_as), part, warning, tokens = common, job.part, None, 0
    refuse_absent(job.target)

    def blocks() -> Iterator[Block]:
        nonlocal warning, tokens
        for block in part_blocks(part, tagged.layout(part.path, read_as)):
            if not (tokens or part.begin):
                warning = warning or no_label(block, tagged.model)
            tokens += len(block.rows)
            yield block
            heard(tokens)

    with lines_of_file(part):
        tagged.write(blocks(), part.path, job.target, map, 1)
    return warning
