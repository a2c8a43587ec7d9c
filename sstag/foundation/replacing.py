"""Files and folders that take the place of others whole: written under another name beside them, synced and renamed.

What a killed program left half-written is removed by the next one that writes into the folder. It is known by its name,
and by nobody having locked it: whoever writes keeps a lock, which the system takes away when a program ends.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from stat import S_ISDIR
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that is open: that is as good as a lock
    fcntl = None  # type: ignore[assignment]

ENDING, LOCK = ".sstag-part", ".sstag-lock"
LEFT = re.compile(rf"\..*\.[0-9a-f]{{8}}{re.escape(ENDING)}", re.DOTALL)
LONGEST = 50  # characters of a name that a temporary one begins with: a whole name has at most 255 bytes
NOT_A_LINK = getattr(os, "O_NOFOLLOW", 0)  # a lock is never made where a link leads
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Lock(Enum):
    """The state of a file that one has tried to lock."""

    OURS = "ours"
    THEIRS = "theirs"  # somebody else holds it
    GONE = "gone"  # it was removed before it was locked


class Place:
    """A new file or folder beside a target, which nobody else removes before it has become the target or is left."""

    def __init__(self, target: Path) -> None:
        self._handle: int | None = None
        self._name_for(target)

    def _name_for(self, target: Path) -> None:
        self.path = target.parent / f".{target.name[:LONGEST]}.{os.urandom(4).hex()}{ENDING}"

    def take(self, target: Path, folder: bool) -> None:
        """Makes the file or folder; its name is known before, so that whoever is interrupted here can remove it."""
        remove_leftovers(target.parent)
        while True:
            with suppress(FileExistsError):
                self._handle = _made(self.path, folder)
                if self._handle is None or _lock(self._handle, self.path) == Lock.OURS:
                    return
                self._close()  # somebody took it for one that was left behind, before it was locked
            self._name_for(target)

    def reserve(self, size: int) -> None:
        """Gives the file that many bytes on the disk; `OSError` if there are not as many."""
        if self._handle is None or not hasattr(os, "posix_fallocate"):
            return
        try:
            os.posix_fallocate(self._handle, 0, size)
        except OSError as error:
            if error.errno in NO_ROOM:  # otherwise the file system cannot reserve anything
                raise

    def file(self) -> BinaryIO:
        """The file, to be written from its beginning; closing it keeps the place."""
        assert self._handle is not None
        os.lseek(self._handle, 0, os.SEEK_SET)
        return open(os.dup(self._handle), "wb")

    def become(self, target: Path) -> None:
        """Takes a name in this folder from whatever has it, to last."""
        if fcntl is None:
            self._close()  # what is open cannot be renamed there
        os.replace(self.path, target)
        sync(target.parent)

    def leave(self) -> None:
        """Removes what has not become the target."""
        if fcntl is None:
            self._close()
        _remove(self.path)
        self._close()

    def _close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None


@contextmanager
def place_for(target: Path, folder: bool = False) -> Iterator[Place]:
    """A place beside a target, which is left in any case."""
    place = Place(target)
    try:
        place.take(target, folder)
        yield place
    finally:
        place.leave()


@contextmanager
def replacing(
    place: Place, target: Path, read_back: Callable[[str], object] | None = None, rights: int | None = None
) -> Iterator[BinaryIO]:
    """The file of a place, which becomes the target when the block ends well and `read_back` could read it."""
    with place.file() as file:
        yield file
        file.flush()
        file.truncate()
        os.chmod(place.path, _mode(target) if rights is None else rights)
        os.fsync(file.fileno())
    if read_back:
        read_back(str(place.path))
    place.become(target)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether nobody else has a file in work, as far as others ask in this way; then nobody gets it until this ends."""
    lock = path.parent / f".{path.name[:LONGEST]}{LOCK}"
    state = Lock.GONE
    while state == Lock.GONE:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | NOT_A_LINK | (os.O_EXCL if fcntl is None else 0), 0o600)
        except FileExistsError:
            yield False
            return
        state = _lock(handle, lock)
        if state != Lock.OURS:
            os.close(handle)
    if state == Lock.THEIRS:
        yield False
        return
    try:
        yield True
    finally:
        if fcntl is None:
            os.close(handle)
        _remove(lock)
        if fcntl is not None:
            os.close(handle)  # after the removal: who gets the lock now finds the file gone, and makes a new one


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files and folders that killed programs of this user have left in a folder."""
    left: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if LEFT.fullmatch(entry.name)]
    for path in left:
        if fcntl is None:
            _remove(Path(path))
            continue
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if os.fstat(handle).st_uid == os.geteuid():
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(Path(path))
            finally:
                os.close(handle)


def sync(folder: Path) -> None:
    """Makes new names in a folder last; a file system that cannot has the old ones or the new ones, whole."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _made(path: Path, folder: bool) -> int | None:
    """A new file or folder, open so that it can be locked, if this system has locks."""
    if not folder:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    path.mkdir(0o700)
    try:
        return None if fcntl is None else os.open(path, os.O_RDONLY)
    except FileNotFoundError as error:  # somebody took it for one that was left behind, before it was open
        raise FileExistsError(path) from error


def _lock(handle: int, path: Path) -> Lock:
    """Locks what is open; a file system without locks lets everybody have it."""
    if fcntl is None:
        return Lock.OURS
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN):
            return Lock.THEIRS
    with suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(handle), os.lstat(path)):
            return Lock.OURS
    return Lock.GONE


def _remove(path: Path) -> None:
    with suppress(OSError):
        if S_ISDIR(os.lstat(path).st_mode):
            import shutil  # which imports what compresses, and a folder is seldom here

            gone = path.with_name(f"..{os.urandom(4).hex()}{ENDING}")
            os.rename(path, gone)  # so that nobody who still writes there adds to it while it is emptied
            shutil.rmtree(gone)
        else:
            os.unlink(path)


def _mode(target: Path) -> int:
    """The permissions the file had, or what the process would give a new one."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
