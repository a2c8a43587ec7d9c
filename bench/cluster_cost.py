"""`python -m bench.cluster_cost ADDRESS WORKERS`: seconds of a pass on a cluster whose volumes take no time.

A pass on a cluster is the work of its volumes and what goes through the network. Here a volume gives numbers at
once, as many as θ has, so the rest remains: tasks, θ to one worker and on to the others, sums in pairs, the root.
"""

import json
import statistics
import sys
import time

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.homes import Homes
from sstag.interfaces.cluster.shelf import first_shelf

SIZES = 1_000, 100_000, 500_000, 2_000_000  # numbers of θ
TIMES = 5
VOLUMES = 8


def thing(number: int, over: Over) -> int:
    """A volume with nothing in it."""
    return number


def gradient(number: int, over: Over, theta: Floats) -> Floats:
    """As many numbers as θ has."""
    return theta + number


def measured(cluster: Cluster) -> list[dict[str, float]]:
    """The median seconds of a pass for some sizes of θ."""
    shelf = first_shelf(cluster, Homes(VOLUMES), thing)
    found = []
    for size in SIZES:
        seconds = []
        for _ in range(TIMES + 1):
            theta = np.random.default_rng(1).normal(size=size)
            began = time.perf_counter()
            shelf.summed(gradient, theta)
            seconds.append(time.perf_counter() - began)
        rest = seconds[1:]
        found.append({"bytes": 8 * size, "seconds": statistics.median(rest), "least": min(rest), "most": max(rest)})
    return found


def main() -> None:
    """Prints the workers and the seconds as JSON."""
    from distributed import Client

    with Client(sys.argv[1], timeout=60) as client:
        client.wait_for_workers(int(sys.argv[2]), 60)
        cluster = Cluster(client)
        print(json.dumps({"workers": len(cluster.workers), "volumes": VOLUMES, "passes": measured(cluster)}))


if __name__ == "__main__":
    main()
