"""Parts of a pool, made of files block by block."""

import json
import os
import shutil
from array import array
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.column_names import word_place
from sstag.corpus.fingerprints import mixed, value_hashes
from sstag.corpus.layout import Layout
from sstag.corpus.reading import held_blocks
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.spacing import NO_SPACE
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.interfaces.annotate.pool import DESCRIPTION, Pool, mapped, opened, part_in
from sstag.interfaces.annotate.provenance import FileName, numbers_in, with_provenances
from sstag.interfaces.annotate.records import Provenance
from sstag.model.runs import runs

BUILDING = ".building"
TOGETHER = 2**20  # tokens


def added(folder: str, file: FileName, layout: Layout) -> Pool:
    """The pool in a folder with the texts of a file as its last part."""
    os.makedirs(folder, exist_ok=True)
    known = opened(folder)
    building = Path(folder, BUILDING)
    shutil.rmtree(building, ignore_errors=True)  # of a reading that was interrupted
    building.mkdir()
    _build(building, file, layout)
    part = Path(folder, f"{len(known.parts) + 1:04}")
    os.rename(building, part)
    return Pool((*known.parts, part_in(part)))


def _build(folder: Path, file: FileName, layout: Layout) -> None:
    """Makes the arrays of a file, block by block."""
    coders: list[Coder] = []
    columns: tuple[str, ...] = ()
    kept: list[int] = []
    files: list[BinaryIO] = []
    lengths, joined = list[Longs](), list[Bools]()
    with ExitStack() as stack:
        origins = _Origins(*(stack.enter_context(open(folder / name, "wb")) for name in ("names", "texts", "starts")))
        for block, provenances in with_provenances(held_blocks(file.path, layout), file):
            if not coders:
                every = [name for name in block.columns if name not in (layout.label, *PLACES[1:], *layout.beside)]
                kept, columns = [block.column(name) for name in every], tuple(every)
                coders = [Coder() for _ in kept]
                files = [stack.enter_context(open(folder / f"codes-{place}", "wb")) for place in range(len(kept))]
            for coder, codes, place in zip(coders, files, kept, strict=True):
                codes.write(coder.of(block.fields[place]).tobytes())
            lengths.append(np.diff(block.offsets))
            if (without := glued(block)) is not None:
                joined.append(without)
            for one, length in zip(provenances, lengths[-1].tolist(), strict=True):
                origins.write(one, length)
    if not coders:
        raise DataError("no sentence in it", display_name(file.path))
    offsets: Longs = np.cumsum(np.concatenate([[0], *lengths]))
    values = [coder.texts() for coder in coders]
    words = word_place(columns)
    hashes = _hashes(values[words], mapped(folder / f"codes-{words}", np.int32, int(offsets[-1])), offsets)
    arrays = {
        "offsets": offsets,
        "hashes": hashes,
        "order": np.argsort(hashes, kind="stable"),
        **origins.arrays(),
        **({"joined": np.concatenate(joined)} if joined else {}),
    }
    for name, values_of in arrays.items():
        values_of.tofile(folder / name)
    said = {
        "path": file.name or display_name(file.path),
        "columns": columns,
        "values": values,
        "sentences": len(hashes),
    }
    (folder / DESCRIPTION).write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8")


class _Origins:
    """Where the sentences of a file come from, written one after another."""

    def __init__(self, names: BinaryIO, texts: BinaryIO, starts: BinaryIO) -> None:
        self._names, self._texts, self._starts = names, texts, starts
        self._name_ends, self._text_ends, self._begins = array("q"), array("q"), array("q")

    def write(self, one: Provenance, tokens: int) -> None:
        """Writes where a sentence of so many tokens comes from."""
        for file, text, ends in (
            (self._names, one.names[0], self._name_ends),
            (self._texts, one.text or "", self._text_ends),
        ):
            size = file.write(text.encode())
            ends.append(size + (ends[-1] if ends else 0))
        self._begins.append(one.begin)
        self._starts.write(np.array([0] * tokens if one.starts is None else one.starts, np.int64).tobytes())

    def arrays(self) -> dict[str, Longs]:
        """Where each name and text ends, and where texts begin in their documents."""
        every = {"name-ends": self._name_ends, "text-ends": self._text_ends, "begins": self._begins}
        return {name: np.frombuffer(numbers, np.int64) for name, numbers in every.items()}


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
    start, end = (numbers_in(block, name) for name in PLACES[1:])
    if start is not None and end is not None:
        result = np.concatenate([[False], start[1:] == end[:-1]])
    elif "misc" in block.columns:
        without = [NO_SPACE.encode() in value for value in block.fields[block.column("misc")]]
        result = np.array([False, *without[:-1]])
    else:
        return None
    result[block.offsets[:-1]] = False
    return result
