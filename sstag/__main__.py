"""The `sstag` command, which is also `python -m sstag`.

Until the command line is there to say that it was interrupted, Ctrl-C ends the program without a word.
"""

import signal


def main() -> None:
    """Runs the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from sstag.interfaces.cli import main

    main()


if __name__ == "__main__":
    main()
