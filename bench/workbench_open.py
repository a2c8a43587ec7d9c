"""`python -m bench.workbench_open`: how long a large pool takes to open, and how much memory the server needs for it.

The project is begun first, which reads the file of the pool once; what is measured then is what happens every day.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import click

from bench.workbench import BEGIN, PROJECT, Annotator, pool, working


@click.command()
@click.option("--sentences", default=1_000_000, show_default=True, help="In the pool.")
@click.option("--times", default=3, show_default=True, help="How often the project is opened.")
def main(sentences: int, times: int) -> None:
    """Begin a project, open it again and again, and print seconds and megabytes."""
    with tempfile.TemporaryDirectory(prefix="sstag-bench-") as scratch:
        folder = Path(scratch)
        pool(folder / "pool.txt", sentences)
        for number in range(times + 1):
            _opened(folder, *(PROJECT if number else ("pool.txt", *BEGIN)), what="opened" if number else "begun")


def _opened(folder: Path, *arguments: str, what: str) -> None:
    began = time.perf_counter()
    with working(folder, *arguments) as (server, address, token):
        ready = time.perf_counter() - began
        someone = Annotator(address, token, "ann")
        session = (someone.asked("sessions", {"annotator": "ann"}) or {})["session"]
        someone.asked(f"next?session={session}&count=5")
        answered = time.perf_counter() - began
        most, used = _most_memory(server) / 1e6, _processor_time(server)
    said = f"{what}: ready after {ready:.1f} s, the first questions after {answered:.1f} s"
    print(f"{said}, of which the processor worked {used:.1f} s; at most {most:.0f} MB", flush=True)


def _most_memory(process: subprocess.Popen[str]) -> int:
    """The most bytes that a process has had in memory, with the pages of files, as Linux tells it."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def _processor_time(process: subprocess.Popen[str]) -> float:
    """The seconds that a process has had of a processor."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
