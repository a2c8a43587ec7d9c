"""Vectors that were made before, kept on disk: a folder for each encoder, with logs (`vector_log.py`).

Each run that keeps something writes a log of its own, so that runs side by side never write to one file.
"""

import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from sstag.features.encoders.vector_log import VectorLog, head, read_log, record
from sstag.foundation.arrays import Halves
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import translated_errors
from sstag.foundation.replacing import place_for, replacing

FOLDER, LIMIT = "SSTAG_CACHE", "SSTAG_CACHE_GIB"
USUAL_LIMIT = 20.0  # GiB
ENDING = ".log"
MANY = 32  # logs of an encoder, more of which become one
AHEAD = 2**24  # bytes for which room is made at a time
WAITING = 2**20  # bytes that are written together
NAME = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Kept:
    """How much the cache holds of an encoder."""

    digest: str
    bytes: int
    sentences: int
    used: float  # when it was last read or written, in seconds


@dataclass(frozen=True)
class Store:
    """A folder of vectors, and how many bytes it may have."""

    folder: Path
    limit: int

    def shelf(self, digest: str) -> "Shelf":
        """The vectors of one encoder; the folder is made if it is not there."""
        place = self.folder / digest
        with translated_errors(str(place)):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_shared(self.folder)
        logs = _logs(place)
        if len(logs) > MANY:
            logs = [_joined(place, logs)]
        for log in logs:
            with suppress(OSError):  # another run may have joined it
                os.utime(log.path)
        return Shelf(self, place, logs)

    def kept(self) -> list[Kept]:
        """How much there is of each encoder, the most recently used first."""
        if not self.folder.is_dir():
            return []
        refuse_shared(self.folder)
        found = []
        for place in self.folder.iterdir():
            if NAME.fullmatch(place.name):
                logs = _logs(place)
                sizes = [os.stat(log.path) for log in logs]
                keys = {key for log in logs for key in log.places}
                if sizes:
                    used = max(one.st_mtime for one in sizes)
                    found.append(Kept(place.name, sum(one.st_size for one in sizes), len(keys), used))
        return sorted(found, key=lambda one: (-one.used, one.digest))

    def cleared(self, digest: str = "") -> int:
        """How many bytes were freed by removing the vectors of the encoders whose digest begins so."""
        freed = 0
        for one in self.kept():
            if one.digest.startswith(digest):
                place = self.folder / one.digest
                with translated_errors(str(place)):
                    for path in place.iterdir():
                        path.unlink()
                    place.rmdir()
                freed += one.bytes
        return freed

    def make_room(self, more: int, spared: Path) -> bool:
        """Whether so many bytes may be added, after the logs that were not used for longest are removed."""
        logs = [(path.stat(), path) for path in self.folder.glob(f"*/*{ENDING}")]
        size = sum(one.st_size for one, _ in logs)
        for one, path in sorted(logs, key=lambda both: both[0].st_mtime):
            if size + more <= self.limit:
                break
            if path.parent != spared:
                with translated_errors(str(path)):
                    path.unlink()
                size -= one.st_size
        return size + more <= self.limit


@dataclass
class Shelf:
    """The vectors of one encoder, for several threads. `full` says that some could not be kept for want of room."""

    store: Store
    place: Path
    logs: list[VectorLog]
    full: bool = False
    _path: str = ""  # the log of this run
    _size: int = 0
    _waiting: bytearray = field(default_factory=bytearray, repr=False)  # records that are not written yet
    _put: dict[bytes, int] = field(default_factory=dict, repr=False)  # where the records of this run are
    _mapped: VectorLog | None = field(default=None, repr=False)  # the log of this run, as far as it was
    _room: int = 0  # bytes that may be written before room is asked for again
    _alone: RLock = field(default_factory=RLock, repr=False)

    @property
    def width(self) -> int | None:
        """The numbers of a vector, or None if there is none."""
        return self.logs[0].width if self.logs else None

    def get(self, key: bytes, tokens: int) -> Halves | None:
        """The vectors of a sentence, or None if they are not here or damaged."""  # (tokens, width)
        if key in self._put:
            return self._written(self._put[key], tokens)
        found = (log.get(key, tokens) for log in self.logs)
        return next((vectors for vectors in found if vectors is not None), None)

    def put(self, key: bytes, vectors: Halves) -> None:
        """Keeps the vectors of a sentence, unless there is no room left."""
        said = record(key, vectors)
        with self._alone:
            if self._room < len(said) and not self.full:
                self._room = max(len(said), min(AHEAD, self.store.limit // 64))
                self.full = not self.store.make_room(self._room, self.place)
            if self.full:
                return
            self._room -= len(said)
            if not self._size:
                self._waiting += head(self.place.name, vectors.shape[1])
                self._size = len(self._waiting)
            self._put[key] = self._size
            self._size += len(said)
            self._waiting += said
            if len(self._waiting) >= WAITING:
                self.flush()

    def flush(self) -> None:
        """Writes what was put: from now on it outlives this process."""
        with self._alone, translated_errors(str(self.place)):
            if not self._path and self._waiting:
                handle, self._path = tempfile.mkstemp(ENDING, "", self.place)
                os.close(handle)
            if self._waiting:
                with open(self._path, "ab") as file:
                    file.write(self._waiting)
                self._waiting.clear()

    def _written(self, at: int, tokens: int) -> Halves | None:
        """The vectors in a record of this run."""
        with self._alone:
            if self._mapped is None or at >= self._mapped.size:
                self.flush()
                self._mapped = read_log(self._path)
            return self._mapped.at(at, tokens)


def usual_store() -> Store:
    """The store of this user: in the folder that SSTAG_CACHE names, or else in that of the XDG rules for caches."""
    said, home = os.environ.get(FOLDER), os.environ.get("XDG_CACHE_HOME", "")
    top = Path(home) if os.path.isabs(home) else Path("~/.cache").expanduser()
    limit = os.environ.get(LIMIT, "")
    try:
        gib = float(limit) if limit else USUAL_LIMIT
    except ValueError:
        gib = -1.0
    if not 0 <= gib < 2**30:
        raise ConfigError(f"{LIMIT}={limit} is no number of GiB")
    return Store((Path(said) if said else top / "sstag") / "encoded", int(gib * 2**30))


def refuse_shared(folder: Path) -> None:
    """Raises an error if somebody else may have written into a folder: models depend on the vectors in it."""
    if not hasattr(os, "getuid"):
        return
    with translated_errors(str(folder)):
        status = folder.stat()
    if status.st_uid != os.getuid():
        raise DataError(f"belongs to another user: name a folder of yours in {FOLDER}", str(folder))
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError("others may write here: take that right away (chmod go-w)", str(folder))


def _logs(place: Path) -> list[VectorLog]:
    """The logs of an encoder, without those that are damaged from their first byte."""
    found = []
    for path in sorted(place.glob(f"*{ENDING}")):
        with suppress(DataError):
            found.append(read_log(str(path)))
    own = [log for log in found if log.digest == place.name]
    return [log for log in own if log.width == own[0].width]


def _joined(place: Path, logs: list[VectorLog]) -> VectorLog:
    """One log in place of many, so that their number stays small however often little is encoded."""
    with translated_errors(str(place)):
        whole = place / f"{os.urandom(4).hex()}{ENDING}"
        with place_for(whole) as spot, replacing(spot, whole) as file:
            file.write(head(place.name, logs[0].width))
            for log in logs:
                for record in log.records():
                    file.write(record)
        for log in logs:
            Path(log.path).unlink(missing_ok=True)
    return read_log(str(whole))
