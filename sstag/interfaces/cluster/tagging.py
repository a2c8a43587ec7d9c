"""Files that the workers of a cluster tag: each reads a part of one, and writes what becomes of it beside the output.

The parts, one after another, are the bytes that one machine writes. Whole files go straight to their place.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from sstag.corpus.blocks import Block
from sstag.corpus.contexts import NO_CONTEXT, OF_FILE
from sstag.corpus.file_parts import PART, FilePart, lines_of_file, part_blocks, parts_of_file
from sstag.corpus.formats import Asked
from sstag.foundation.files import output
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.jobs import Heard, each_done
from sstag.interfaces.cluster.parts import beside, copy_into, has_comments, refuse_absent
from sstag.model.second_look import counts_of_blocks, in_context, save_counts, saved_counts, saved_counts_together
from sstag.model.tagged_file import TaggedFiles
from sstag.model.tagged_text import with_warnings


@dataclass(frozen=True)
class _Job:
    part: FilePart
    target: str
    counts: str | None = None  # the file of what the first look at the whole file has counted


def tagged_by_workers(
    cluster: Cluster,
    tagged: TaggedFiles,
    read_as: Asked,
    pairs: Sequence[tuple[str, str]],
    tell: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Tags files, each into another one that the workers reach as well; `warn` hears what is odd about them.

    Where a file is read twice, the worker that has all of it does that by itself. Of a file in parts each part is
    counted by a worker first, and nobody tags one before the counts of all are added up.
    """
    jobs: list[_Job] = []
    cut: dict[str, list[_Job]] = {}  # the parts of a target, in their order
    with ExitStack() as stack:
        for source, target in pairs:
            parts = [FilePart(source)] if tagged.documents else _parts(cluster, tagged, read_as, source, tell)
            if len(parts) == 1:
                jobs.append(_Job(parts[0], os.path.abspath(target)))  # as the folder of a worker is another one
                continue
            folder = stack.enter_context(beside(target))
            counts = str(folder / "counts") if tagged.context == OF_FILE else None
            cut[target] = [_Job(part, str(folder / f"{number:06}"), counts) for number, part in enumerate(parts)]
            jobs += cut[target]
        _count(cluster, tagged, read_as, cut.values(), tell)
        for warning in each_done(cluster, _tagged, jobs, (tagged, read_as), tell):
            if warning:
                warn(warning)
        for target, of_target in cut.items():
            with output(target) as out:
                for job in of_target:
                    copy_into(out, job.target)
                    os.unlink(job.target)


def _count(
    cluster: Cluster,
    tagged: TaggedFiles,
    read_as: Asked,
    files: Iterable[Sequence[_Job]],
    tell: Callable[[str], None],
) -> None:
    """Adds up what workers count in the parts of each file, if files are read twice."""
    for of_file in files if tagged.context == OF_FILE else ():
        each_done(cluster, _counted, of_file, (tagged, read_as), lambda text: tell(f"first look: {text}"))
        together = saved_counts_together([job.target for job in of_file], tagged.model)
        save_counts(together, str(of_file[0].counts))


def _parts(
    cluster: Cluster, tagged: TaggedFiles, read_as: Asked, source: str, tell: Callable[[str], None]
) -> list[FilePart]:
    """The parts of a file; comments, which records of JSON tell, are about all sentences after them, so it is whole.

    So is Parquet, of whose rows the output may say the numbers.
    """
    parts = parts_of_file(source, partial(tagged.layout, read_as=read_as), PART)
    if parts[0].rows is not None or tagged.context.is_held:  # nobody knows where documents begin before they are read
        return [FilePart(source)]
    if tagged.as_json and len(parts) > 1 and any(each_done(cluster, has_comments, parts, None, tell)):
        return [FilePart(source)]
    return parts


def _counted(job: _Job, common: tuple[TaggedFiles, Asked], heard: Heard) -> None:
    """Writes the counts of a part of a file."""
    (tagged, read_as), part = common, job.part
    refuse_absent(job.target)
    with lines_of_file(part):
        blocks = _heard_blocks(part_blocks(part, tagged.layout(part.path, read_as)), heard)
        save_counts(counts_of_blocks(tagged.model, blocks, map, 1, is_part=True), job.target)


def _tagged(job: _Job, common: tuple[TaggedFiles, Asked], heard: Heard) -> str | None:
    """Tags a part of a file; whatever is odd about it."""
    (tagged, read_as), part, warnings = common, job.part, list[str]()
    refuse_absent(job.target)

    def watched(blocks: Iterator[Block], is_last: bool) -> Iterator[Block]:
        found = with_warnings(blocks, tagged.model, tagged.context, warnings.append) if is_last else blocks
        return _heard_blocks(found, heard)

    with lines_of_file(part):
        if part.end is None:
            tagged.tag(part.path, job.target, read_as, watched=watched)
        else:
            own = replace(tagged, context=NO_CONTEXT)
            if job.counts:
                own = replace(own, model=in_context(tagged.model, saved_counts(job.counts, tagged.model)))
            blocks = part_blocks(part, tagged.layout(part.path, read_as))
            own.write(watched(blocks, not part.begin), part.path, job.target, map, 1)
    return warnings[0] if warnings else None


def _heard_blocks(blocks: Iterator[Block], heard: Heard) -> Iterator[Block]:
    tokens = 0
    for block in blocks:
        tokens += len(block.rows)
        yield block
        heard(tokens)
