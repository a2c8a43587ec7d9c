"""Records with a fault: the first is an error, unless faults are collected, or such records are put aside."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from sstag.foundation.errors import DataError, counted, few
from sstag.foundation.files import STANDARD, display_name, output

ASIDE = ".bad"  # is added to the name of a file; of standard input it is the end of stdin.bad

log = logging.getLogger(__name__)


class Faults:
    """The records of a file that have a fault.

    `report` is told of each if there is one. With `skip`, they are left out, counted, and written to a file beside.
    """

    def __init__(self, path: str, report: Callable[[DataError], None] | None, skip: bool, stack: ExitStack) -> None:
        self.path, self.report, self.skip = path, report, skip
        self.count = 0
        self._stack = stack
        self._file: BinaryIO | None = None
        self._messages: list[str] = []

    @property
    def lenient(self) -> bool:
        """Whether reading goes on after a fault."""
        return self.skip or self.report is not None

    @property
    def aside(self) -> str:
        """The name of the file for bad records."""
        return ("stdin" if self.path == STANDARD else self.path.rstrip("/")) + ASIDE

    def found(self, error: DataError, raw: bytes) -> None:
        """Deals with a fault; raises it if nobody asked otherwise."""
        if self.skip:
            if self._file is None:
                self._file = self._stack.enter_context(output(self.aside))
            self._file.write(raw.rstrip(b"\r\n") + b"\n")
            self.count += 1
            self._messages.append(str(error))
            del self._messages[10:]
        elif self.report:
            name = display_name(self.path)
            self.report(error if error.path == name else DataError(str(error), name))  # of a file in a folder
        else:
            raise error

    def say(self) -> None:
        """Says how many records were put aside, and what was wrong with the first of them."""
        if self.count:
            messages = [*self._messages, *[""] * (self.count - len(self._messages))]
            for line in few(messages, self.path, "records with a fault"):
                log.warning("%s", line)
            log.warning("%s: %s left out, and written to %s", self.path, counted(self.count, "record"), self.aside)


@contextmanager
def faults_of(path: str, report: Callable[[DataError], None] | None, skip: bool) -> Iterator[Faults]:
    """The faults of a file that is being read; what was put aside is complete when the reading ends well."""
    with ExitStack() as stack:
        faults = Faults(path, report, skip, stack)
        yield faults
        faults.say()
