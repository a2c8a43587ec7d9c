"""`python -m sstag.experiments.workbench.behind ARGUMENTS`: the command `sstag`, which ends when standard input does.

A trial may be killed at any time, and what it has started must not go on without it.
"""

import os
import runpy
from threading import Thread

STDIN = 0


def main() -> None:
    """Runs the command in this process."""
    Thread(target=_end_with_the_parent, daemon=True).start()
    runpy.run_module("sstag", run_name="__main__")


def _end_with_the_parent() -> None:
    """Ends the process when the parent closes its end of the pipe, or dies."""
    while os.read(STDIN, 1):  # a reader of sys.stdin would hold its lock when the process ends by itself
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
