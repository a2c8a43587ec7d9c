"""A training in a process of its own: `python -m sstag.interfaces.web.child`, told on standard input what to train.

The first line is a `Lesson` in JSON. The process ends when standard input does, so that it never outlives the server.
"""

import json
import os
import sys
from collections.abc import Callable
from threading import Thread

from sstag.foundation.errors import ConfigError, SstagError
from sstag.interfaces.python.models import load, save
from sstag.interfaces.python.training import train
from sstag.interfaces.web.training import Lesson
from sstag.model.model import Model

NICENESS = 10  # of 19: answers go before training


def main() -> None:
    """Trains what the first line asks for; a line on standard error says what is wrong, if something is."""
    lesson = Lesson(**json.loads(behind_the_server()))
    try:
        save(_found(lesson), lesson.target)
    except SstagError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


def behind_the_server() -> str:
    """The first line of standard input, as a process that steps back behind the server and ends with it."""
    told = sys.stdin.readline()
    Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    return told


def _found(lesson: Lesson) -> Model:
    """The model of a lesson."""
    init = load(lesson.init) if lesson.init else None
    template = lesson.template or (init.template if init else None)
    make: Callable[..., Model] = train  # parameters are known by name only
    if template is None:
        raise ConfigError("a training needs a template, or a model to start from")
    return make(
        template,
        lesson.sentences,
        unlabeled=lesson.unlabeled,
        rejected=lesson.rejected,
        init=init,
        method=lesson.method,
        **lesson.parameters,
    )


def _end_with_the_server() -> None:
    """Ends the process when the server closes its end of the pipe, or dies."""
    while sys.stdin.read(1):
        pass
    os._exit(2)


if __name__ == "__main__":
    main()
