"""`python -m bench.soak`: whether memory stays flat: a thousand trainings in one process, and 5 GB through a pipe."""

import gc
import os
import subprocess
import tempfile
import time
from pathlib import Path

from sstag.foundation.child_python import child_environment, module_command

LOOPS, EVERY = 1000, 100
GIGABYTES = 5
SENTENCE = b"Ann B-PER\nLee I-PER\nlives O\nin O\nOslo B-LOC\n. O\n\nKim B-PER\nmet O\nher O\n. O\n\n"
TEMPLATE = "columns: [word, label]\nfeatures: ['word[-1..1]', 'suffix(word[0], 1..3)']\n"


def resident() -> float:
    """MiB of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def loops() -> None:
    """Trains, saves, loads and tags again and again, and prints the memory meanwhile."""
    import sstag

    with tempfile.TemporaryDirectory() as folder:
        train, template, model = (Path(folder, name) for name in ("train", "template", "model"))
        train.write_bytes(SENTENCE * 50)
        template.write_text(TEMPLATE)
        for number in range(1, LOOPS + 1):
            sstag.save(sstag.train(str(template), str(train)), str(model))
            sstag.tag(sstag.load(str(model)), [["Ann", "lives", "in", "Rome"]])
            if not number % EVERY:
                gc.collect()
                print(f"{number:>5} trainings: {resident():.1f} MiB", flush=True)


def stream(*words: str) -> None:
    """Sends gigabytes through a command, and prints its memory after each of them."""
    run = subprocess.Popen(
        module_command("sstag", *words), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=child_environment()
    )
    assert run.stdin
    block, began = SENTENCE * (2**20 // len(SENTENCE)), time.monotonic()
    status = Path(f"/proc/{run.pid}/status")
    for gigabyte in range(1, GIGABYTES + 1):
        for _ in range(10**9 // len(block) + 1):
            run.stdin.write(block)
        peak = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        print(f"{gigabyte} GB: at most {int(peak) / 1024:.0f} MiB, {time.monotonic() - began:.0f} s", flush=True)
    run.stdin.close()
    assert run.wait() == 0


if __name__ == "__main__":
    loops()
    stream("convert", "-", "--keep", "word")
