"""Things with large arrays in files, which are read by mapping them into memory.

A file is for the process that wrote it and for those it trusts: its frame is a pickle. So it stands in a folder that
nobody else can write to, and is never an input of anybody.
"""

import mmap
import pickle
from itertools import accumulate

LINE = 64  # bytes: arrays begin at lines of the cache
WORD = 8


def write_mapped(path: str, thing: object) -> int:
    """Writes a thing to a file, and returns the bytes that it takes."""
    arrays: list[pickle.PickleBuffer] = []
    frame = pickle.dumps(thing, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(frame), *(one.raw() for one in arrays)]
    sizes = [len(parts), *(part.nbytes for part in parts)]
    written = 0
    with open(path, "wb") as file:
        for part in (memoryview(b"".join(size.to_bytes(WORD, "little") for size in sizes)), *parts):
            written += file.write(part)
            written += file.write(bytes(-written % LINE))
    return written


def read_mapped(path: str) -> object:
    """The thing in a file, whose arrays stay there until they are looked at; writing to them changes no file."""
    with open(path, "rb") as file:
        memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    count = int.from_bytes(memory[:WORD], "little")
    sizes = [int.from_bytes(memory[WORD * i : WORD * (i + 1)], "little") for i in range(1, count + 1)]
    starts = accumulate((size + -size % LINE for size in (WORD * (count + 1), *sizes)), initial=0)
    _, frame, *arrays = (memory[start : start + size] for start, size in zip(starts, [0, *sizes], strict=False))
    found: object = pickle.loads(frame, buffers=arrays)
    return found
