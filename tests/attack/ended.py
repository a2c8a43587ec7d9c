"""A command that is run in this process, as `room` and `server` do."""

import traceback

from sstag.interfaces import cli


def ended(mistake: int) -> int:
    """The exit code of the command in `sys.argv`; `mistake` where there is a traceback, which is printed."""
    try:
        cli.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        return mistake
    return 0
