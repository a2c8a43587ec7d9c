"""`python -m bench.workbench_kills`: kills the server, the training or both at random moments, again and again.

It fails if the store is damaged, or lacks an answer that was acknowledged.
"""

import math
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

import click

from bench.workbench import BEGIN, PROJECT, Annotator, pool, working
from sstag.interfaces.annotate.connecting import connected

PAUSE = 0.02  # seconds between two answers
WHAT = ("server", "training", "both")


@click.command()
@click.option("--kills", default=200, show_default=True)
@click.option("--longest", default=6.0, show_default=True, help="Seconds before a kill, at most.")
@click.option("--sentences", default=100_000, show_default=True, help="In the pool; it must not be used up.")
@click.option("--seed", default=1, show_default=True)
def main(kills: int, longest: float, sentences: int, seed: int) -> None:
    """Kill what runs, and look at what is left."""
    rng = random.Random(seed)
    done = dict.fromkeys(WHAT, 0)
    acknowledged: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="sstag-bench-") as scratch:
        folder = Path(scratch)
        pool(folder / "pool.txt", sentences)
        arguments = ["pool.txt", *BEGIN]
        while sum(done.values()) < kills:
            with working(folder, *arguments) as (process, address, token):
                arguments = [*PROJECT]
                people = [Annotator(address, token, f"annotator{number}") for number in range(4)]
                threads = [Thread(target=one.work, args=(math.inf, PAUSE), daemon=True) for one in people]
                for thread in threads:
                    thread.start()
                while True:
                    time.sleep(rng.uniform(0, longest))
                    children = _children(process.pid)
                    what = rng.choice(WHAT if children else WHAT[:1])
                    for child in children if what != "server" else []:
                        os.kill(child, signal.SIGKILL)
                    done[what] += 1
                    if what != "training":
                        break
                process.kill()
                process.wait()
                for one in people:
                    one.stopped = True
                for thread in threads:
                    thread.join()
            acknowledged |= {key for one in people for key in one.acknowledged}
            _check(folder / "work" / "project.db", acknowledged)
            print(
                f"{sum(done.values())} kills ({done}); {len(acknowledged):,} answers acknowledged, all there",
                flush=True,
            )


def _children(parent: int) -> list[int]:
    """The processes that a process has started, as Linux tells it."""
    tasks = Path(f"/proc/{parent}/task")
    found = [(task / "children").read_text().split() for task in tasks.iterdir()] if tasks.exists() else []
    return [int(number) for numbers in found for number in numbers]


def _check(path: Path, acknowledged: set[str]) -> None:
    """Ends the program if the store is damaged or lacks an answer."""
    file = connected(str(path), read_only=True)
    state = file.execute("pragma integrity_check").fetchone()[0]
    foreign = file.execute("pragma foreign_key_check").fetchall()
    kept = {row["key"] for row in file.execute("select key from event")}
    file.close()
    if state != "ok" or foreign or acknowledged - kept:
        print(f"integrity: {state}; foreign keys: {len(foreign)}; lost: {sorted(acknowledged - kept)[:10]}")
        sys.exit(1)


if __name__ == "__main__":
    main()
