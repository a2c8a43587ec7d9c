"""`python -m bench.workbench_load`: many annotators at once beside background training, and how long they wait.

It fails if an answer that was acknowledged is not in the store.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

import click

from bench.workbench import BEGIN, Annotator, pool, quantile, working
from sstag.interfaces.annotate.connecting import connected


@click.command()
@click.option("--annotators", default=50, show_default=True)
@click.option("--seconds", default=600, show_default=True, help="How long they work.")
@click.option("--pause", default=2.0, show_default=True, help="Seconds between two answers of one, on average.")
@click.option("--sentences", default=100_000, show_default=True, help="In the pool.")
def main(annotators: int, seconds: int, pause: float, sentences: int) -> None:
    """Let simulated annotators work, and print the latencies of their requests."""
    with tempfile.TemporaryDirectory(prefix="sstag-bench-") as scratch:
        folder = Path(scratch)
        pool(folder / "pool.txt", sentences)
        with working(folder, "pool.txt", *BEGIN) as (_, address, token):
            everyone = [Annotator(address, token, f"annotator{number}") for number in range(annotators)]
            until = time.monotonic() + seconds
            threads = [Thread(target=one.work, args=(until, pause)) for one in everyone]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            state = Annotator(address, token, "last").asked("state") or {}
        file = connected(str(folder / "work" / "project.db"), read_only=True)
        kept = {row["key"] for row in file.execute("select key from event")}
        file.close()
    acknowledged = {key for one in everyone for key in one.acknowledged}
    failures = [text for one in everyone for text in one.failures]
    model = state.get("model")
    print(f"{len(acknowledged):,} answers acknowledged, {len(acknowledged - kept)} of them lost; models: {model}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for path in ("answers", "next"):
        every = [1000 * one for someone in everyone for one in someone.seconds.get(path, [])]
        shares = ", ".join(f"{share:.0%} {quantile(every, share):.1f} ms" for share in (0.5, 0.9, 0.99))
        print(f"{path}: {len(every):,} requests; {shares}, longest {max(every, default=float('nan')):.1f} ms")
    for text in failures[:10]:
        print(f"failed: {text}")
    sys.exit(bool(acknowledged - kept or failures))


if __name__ == "__main__":
    main()
