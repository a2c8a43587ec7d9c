"""A process that has everything imported and runs each command in a child of its own: `python -m tests.attack.server`.

Requests and answers are lines of JSON. A command takes a few milliseconds to begin, and starts from the same state.
"""

import ctypes
import importlib
import io
import json
import os
import resource
import signal
import sys
import time
from typing import Any

from sstag.interfaces import cli
from tests.attack.ended import ended

BUG = 70  # the exit code after a traceback
LARGEST_FILE = 2**33  # bytes, so that an attack does not fill the disk


def served() -> None:
    """Answers requests until there are no more."""
    for module, _ in cli.COMMANDS.values():
        importlib.import_module(module)
    for module in ("sstag.interfaces.cli.train_run", "sstag.model.tagged_text", "sstag.selection.choosing"):
        importlib.import_module(module)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as it is while the program starts
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    feeder, source = _fed(asked.get("endless"))
    child = os.fork()
    if not child:
        os._exit(_child(asked, source))
    if source is not None:
        os.close(source)
    if kill := asked.get("kill"):
        time.sleep(kill["after"])
        os.kill(child, kill["signal"])  # a child that has ended waits to be asked for, so the number is still its own
    stopped, status, usage = _waited(child, began + asked["seconds"])
    if feeder:
        os.kill(feeder, signal.SIGKILL)
        os.waitpid(feeder, 0)
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "late": stopped, "seconds": time.monotonic() - began, "memory": usage.ru_maxrss * 1024}


def _waited(child: int, end: float) -> tuple[bool, int, resource.struct_rusage]:
    """Waits for a child, which is killed when its time is over."""
    pause = 0.001
    while True:
        found, status, usage = os.wait4(child, os.WNOHANG)
        if found:
            return False, status, usage
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            return True, status, usage
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def _fed(endless: str | None) -> tuple[int, int | None]:
    """A process that writes the same text for ever, and the end of the pipe to read it from."""
    if endless is None:
        return 0, None
    source, sink = os.pipe()
    feeder = os.fork()
    if feeder:
        os.close(sink)
        return feeder, source
    os.close(source)
    block = (endless.encode() * (2**16 // len(endless.encode()) + 1))[: 2**16 // len(endless) * len(endless)]
    try:
        while True:
            os.write(sink, block)
    except BaseException:
        os._exit(0)


def _child(asked: dict[str, Any], source: int | None) -> int:
    """Runs the command; 70 after a traceback."""
    os.setsid()
    if asked.get("folder"):
        os.chdir(asked["folder"])
    stdin = source if source is not None else os.open(asked.get("stdin") or os.devnull, os.O_RDONLY)
    out, err = (os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("out", "err"))
    for handle, number in ((stdin, 0), (out, 1), (err, 2)):
        os.dup2(handle, number)
    sys.stdin, sys.stdout = io.TextIOWrapper(_buffered(0, "rb"), "utf-8"), io.TextIOWrapper(_buffered(1, "wb"), "utf-8")
    sys.stderr = io.TextIOWrapper(_buffered(2, "wb"), "utf-8", line_buffering=True)
    for number in cli.ENDINGS:
        signal.signal(number, signal.SIG_DFL)
    for name, value in asked.get("patches", {}).items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    sys.argv = ["sstag", *asked["arguments"]]
    if fault := asked.get("fault"):
        ctypes.CDLL(None).fail_at(fault["at"], fault["number"], os.fsencode(fault["folder"]))
    code = ended(BUG)
    if fault and asked.get("counts"):
        with open(asked["counts"], "w") as file:
            file.write(str(ctypes.CDLL(None).calls_seen()))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    return code


def _buffered(number: int, mode: str) -> Any:
    return open(number, mode, closefd=False)


if __name__ == "__main__":
    served()
