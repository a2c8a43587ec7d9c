"""Parts of a pool, made of files block by block."""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.column_names import word_place
from sstag.corpus.fingerprints import mixed, value_hashes
from sstag.corpus.formats.conllu import NO_SPACE
from sstag.corpus.layout import Layout
from sstag.corpus.reading import held_blocks
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.interfaces.annotate.pool import DESCRIPTION, Pool, mapped, opened, part_in
from sstag.model.runs import runs

BUILDING = ".building"
PLACES = ("start", "end")  # columns of texts with spans
TOGETHER = 2**20  # tokens


def added(folder: str, path: str, layout: Layout, blocks: Iterable[Block] | None = None) -> Pool:
    """The pool in a folder with the texts of a file as its last part."""
    os.makedirs(folder, exist_ok=True)
    known = opened(folder)
    building = Path(folder, BUILDING)
    shutil.rmtree(building, ignore_errors=True)  # of a reading that was interrupted
    building.mkdir()
    _build(building, path, layout, held_blocks(path, layout) if blocks is None else blocks)
    part = Path(folder, f"{len(known.parts) + 1:04}")
    os.rename(building, part)
    return Pool((*known.parts, part_in(part)))


def _build(folder: Path, path: str, layout: Layout, blocks: Iterable[Block]) -> None:
    """Makes the arrays of a file, block by block."""
    coders: list[Coder] = []
    names: tuple[str, ...] = ()
    kept: list[int] = []
    files: list[BinaryIO] = []
    lengths, joined = list[Longs](), list[Bools]()
    with ExitStack() as stack:
        for block in blocks:
            if not len(block.rows):
                continue
            if not coders:
                every = [name for name in block.columns if name not in (layout.label, *PLACES, *layout.beside)]
                kept, names = [block.column(name) for name in every], tuple(every)
                coders = [Coder() for _ in kept]
                files = [stack.enter_context(open(folder / f"codes-{place}", "wb")) for place in range(len(kept))]
            for coder, file, place in zip(coders, files, kept, strict=True):
                file.write(coder.of(block.fields[place]).tobytes())
            lengths.append(np.diff(block.offsets))
            if (without := glued(block)) is not None:
                joined.append(without)
    if not coders:
        raise DataError("no sentence in it", display_name(path))
    offsets: Longs = np.cumsum(np.concatenate([[0], *lengths]))
    values = [coder.texts() for coder in coders]
    words = word_place(names)
    hashes = _hashes(values[words], mapped(folder / f"codes-{words}", np.int32, int(offsets[-1])), offsets)
    arrays = {
        "offsets": offsets,
        "hashes": hashes,
        "order": np.argsort(hashes, kind="stable"),
        **({"joined": np.concatenate(joined)} if joined else {}),
    }
    for name, array in arrays.items():
        array.tofile(folder / name)
    said = {"path": display_name(path), "columns": names, "values": values, "sentences": len(hashes)}
    (folder / DESCRIPTION).write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8")


def _hashes(words: Sequence[str], codes: Ints, offsets: Longs) -> Longs:
    """The fingerprint of each sentence, some sentences at a time."""  # (S,)
    table = value_hashes(words)
    found = [
        mixed(
            [table[codes[offsets[run.start] : offsets[run.stop]]]],
            offsets[run.start : run.stop + 1] - offsets[run.start],
        )
        for run in runs(offsets, TOGETHER)
    ]
    return np.concatenate(found)


def glued(block: Block) -> Bools | None:
    """Whether each token follows the one before it without a blank; None if the file does not say it."""
    if set(PLACES) <= set(block.columns):
        start, end = (np.array(block.fields[block.column(name)]).astype(np.int64) for name in PLACES)
        result = np.concatenate([[False], start[1:] == end[:-1]])
    elif "misc" in block.columns:
        without = [NO_SPACE.encode() in value for value in block.fields[block.column("misc")]]
        result = np.array([False, *without[:-1]])
    else:
        return None
    result[block.offsets[:-1]] = False
    return result
