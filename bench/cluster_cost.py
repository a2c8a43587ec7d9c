"""`python -m bench.cluster_cost`: what a pass on a cluster costs besides the work on its volumes: predicted, measured.

Here a volume gives numbers at once, as many as θ has, so that θ to the workers, sums in pairs, the root and tasks are
left. Their rates are found one by one on this machine, and fitted to clusters of one and two workers without a network.
From these a formula predicts clusters whose hosts are namespaces with slow links (`bench.network`; needs root and
`tc`), and the same is measured there.

`python -m bench.cluster_cost ADDRESS WORKERS` measures any cluster, and `python -m bench.cluster_cost paper RATES` says
what the formula gives for large ones; RATES are the first line of the whole measurement.
"""

import json
import math
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bench.network import address, inside, network
from sstag.corpus.volumes import VOLUME
from sstag.foundation.arrays import Floats
from sstag.foundation.child_python import child_environment, module_command
from sstag.foundation.parallel import Over
from sstag.interfaces.cluster.at_worker import Parcel, plus
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.homes import Homes
from sstag.interfaces.cluster.shelf import first_shelf

SIZES = 1_000, 100_000, 500_000, 2_000_000  # numbers of θ
TIMES = 7
TASKS = 500
WORKERS = 1, 2, 4
RATE = "1gbit"
PAYLOAD = 125e6 * 1448 / 1514  # bytes a second of it, without the heads of packets
DELAY = 0.0005  # seconds
HEAD, CLIENT = "head", "client"
LOOK = 0.28e-6  # seconds of a token in a pass of entropy over 22 labels (bench/README.md)
WEIGHTS = 1_000_000
DASK = module_command("distributed.cli.dask_scheduler"), module_command("distributed.cli.dask_worker")


@dataclass(frozen=True)
class Rates:
    """Seconds that processors take for a byte, unless something else is said."""

    pack: float  # θ before it is sent
    unpack: float
    add: float  # two gradients
    copy: float  # through a socket, at either end, while the other end does the same
    once: float  # seconds of a pass with one worker and nothing in it
    more: float  # seconds of a pass with two workers and nothing in it beyond that
    task: float  # seconds of Dask's scheduler for each task


@dataclass(frozen=True)
class Link:
    """The link of each host to all others."""

    rate: float  # bytes a second
    delay: float  # seconds from host to host


NO_LINK = Link(math.inf, 0.0)


def seconds(rates: Rates, link: Link, workers: int, size: int) -> float:
    """A pass without the work on volumes, for θ of so many bytes.

    A link and the processors at its ends work at the same time, so a transfer takes what the slowest of them takes. θ
    goes from the client to the scheduler and on to the first worker, and from each worker to two others at once; the
    gradient comes up by pairs and by the scheduler. These are one after another.
    """
    wire = max(1 / link.rate, rates.copy)
    rounds = math.ceil(math.log2(workers))
    down = 2 * wire + rates.pack + rates.unpack
    down += max(spread(workers, wire, rates.pack + rates.unpack))
    up = rounds * (wire + rates.add) + 2 * wire
    messages = 12 + 6 * rounds + 2 * (rounds > 0)  # one after another
    return size * (down + up) + messages * link.delay + rates.once + rates.more * rounds


def spread(workers: int, wire: float, ends: float) -> list[float]:
    """When each worker has θ, after the first has it: those that one worker gives it to share its link."""
    when = [0.0]
    for place in range(1, workers):
        giver = (place - 1) // 2
        children = min(workers - 1, 2 * giver + 2) - 2 * giver
        when.append(when[giver] + children * wire + ends)
    return when


def tasks(workers: int, volumes: int) -> int:
    """The tasks of a pass: θ, subtrees of volumes, sums of two of them."""
    slots = dict.fromkeys(map(str, range(workers)), 1)
    homes = Homes(volumes)
    homes.settle(slots)
    return workers + 2 * len([*homes.parts(slots)]) - 1


def thing(number: int, over: Over) -> int:
    """A volume with nothing in it."""
    return number


def gradient(number: int, over: Over, theta: Floats) -> Floats:
    """As many numbers as θ has, without any work."""
    return theta


def nothing(number: int, over: Over) -> int:
    """No work at all."""
    return number


def measured(cluster: Cluster) -> dict[int, dict[str, float]]:
    """The median seconds of a pass for some sizes of θ, by its bytes."""
    shelf = first_shelf(cluster, Homes(len(cluster.workers)), thing)
    found = {}
    for size in SIZES:
        times = []
        for _ in range(TIMES + 1):
            theta = np.random.default_rng(1).normal(size=size)
            began = time.perf_counter()
            shelf.summed(gradient, theta)
            times.append(time.perf_counter() - began)
        rest = times[1:]
        found[8 * size] = {"seconds": statistics.median(rest), "least": min(rest), "most": max(rest)}
    return found


def for_each_task(cluster: Cluster) -> float:
    """Seconds of a task that does nothing, beside many others."""
    shelf = first_shelf(cluster, Homes(TASKS), thing)
    began = time.perf_counter()
    shelf.each(nothing)
    return (time.perf_counter() - began) / TASKS


def alone() -> dict[str, float]:
    """Seconds for a byte of what one process does with θ and with gradients."""
    from distributed.protocol import deserialize, serialize

    theta = np.random.default_rng(1).normal(size=SIZES[-1])
    header, frames = serialize(Parcel(theta))
    received = [bytearray(frame) for frame in frames]

    def least(what: Callable[[], object]) -> float:
        times = []
        for _ in range(4 * TIMES):
            began = time.perf_counter()
            what()
            times.append(time.perf_counter() - began)
        return statistics.median(times) / theta.nbytes

    return {
        "pack": least(lambda: serialize(Parcel(theta))),
        "unpack": least(lambda: deserialize(header, received)),
        "add": least(lambda: plus(theta, theta)),
    }


def fitted() -> Rates:
    """The rates of this machine, by clusters without a network."""
    passes, task = {}, 0.0
    for workers in (1, 2):
        with started({}, workers) as found:
            passes[workers] = _by_size(found["passes"])
            task = found["task"]
    own = alone()
    largest, least = 8 * SIZES[-1], 8 * SIZES[0]
    slope = (passes[1][largest] - passes[1][least]) / (largest - least)
    copy = max((slope - own["pack"] - own["unpack"]) / 4, 0.0)
    return Rates(**own, copy=copy, once=passes[1][least], more=passes[2][least] - passes[1][least], task=task)


def _by_size(passes: Mapping[str, Mapping[str, float]]) -> dict[int, float]:
    return {int(size): one["seconds"] for size, one in passes.items()}


@contextmanager
def started(at: Mapping[str, str], workers: int) -> Iterator[dict[str, Any]]:
    """Measurements (`ADDRESS WORKERS`) of a cluster of our own, whose hosts have addresses, or are this machine."""
    head = at.get(HEAD, "127.0.0.1")
    words = ["--host", head, "--port", "8799", "--no-dashboard"]
    running = [subprocess.Popen([*_inside(HEAD, at), *DASK[0], *words], **QUIET)]
    try:
        for number in range(workers):
            name = f"w{number}"
            words = ["--host", at.get(name, "127.0.0.1"), "--no-nanny", "--nthreads", "1", "--no-dashboard"]
            running.append(subprocess.Popen([*_inside(name, at), *DASK[1], f"tcp://{head}:8799", *words], **QUIET))
        asked = [*_inside(CLIENT, at), *module_command("bench.cluster_cost", f"tcp://{head}:8799", workers)]
        yield json.loads(subprocess.run(asked, check=True, capture_output=True, env=child_environment()).stdout)
    finally:
        for process in running:
            process.kill()
            process.wait()


QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": child_environment()}


def _inside(host: str, at: Mapping[str, str]) -> list[str]:
    return inside(host) if at else []


def checked(rates: Rates) -> Iterator[dict[str, float]]:
    """Predictions and measurements with slow links."""
    link = Link(PAYLOAD, DELAY)
    for workers in WORKERS:
        hosts = [CLIENT, HEAD, *(f"w{number}" for number in range(workers))]
        with network(hosts, RATE, DELAY), started({host: address(hosts, host) for host in hosts}, workers) as found:
            for size, took in _by_size(found["passes"]).items():
                expected = seconds(rates, link, workers, size)
                yield {
                    "workers": workers,
                    "bytes": size,
                    "predicted": round(expected, 3),
                    "measured": round(took, 3),
                    "ratio": round(expected / took, 2),
                }


def on_paper(rates: Rates) -> Iterator[dict[str, float]]:
    """Passes over more text, on more cores than there are here; each has a link of its own."""
    link = Link(PAYLOAD, DELAY)
    for tokens in (10**9, 10**10):
        volumes = -(-tokens // VOLUME)
        for workers in (8, 64, 512):
            homes = Homes(volumes)
            homes.settle(dict.fromkeys(map(str, range(workers)), 1))
            looking = LOOK * VOLUME * max(Counter(homes).values())
            moving = seconds(rates, link, workers, 8 * WEIGHTS)
            scheduling = tasks(workers, volumes) * rates.task
            parts = {"looking": looking, "moving": moving, "tasks": scheduling, "sum": looking + moving + scheduling}
            yield {"tokens": tokens, "cores": workers, **{name: round(value, 2) for name, value in parts.items()}}


def main(words: Sequence[str]) -> None:
    """Prints what was found, a line of JSON for each finding."""
    if words[:1] == ["paper"]:
        for row in on_paper(Rates(**json.loads(words[1]))):
            print(json.dumps(row))
        return
    if words:
        print(json.dumps(_of_cluster(words[0], int(words[1]))))
        return
    rates = fitted()
    print(json.dumps({name: float(f"{value:.3g}") for name, value in asdict(rates).items()}), flush=True)
    for row in checked(rates):
        print(json.dumps(row), flush=True)


def _of_cluster(where: str, workers: int) -> dict[str, Any]:
    from distributed import Client

    with Client(where, timeout=60) as client:
        client.wait_for_workers(workers, 60)
        cluster = Cluster(client)
        return {"workers": workers, "passes": measured(cluster), "task": for_each_task(cluster)}


if __name__ == "__main__":
    main(sys.argv[1:])
