"""A network of hosts that are namespaces of this machine, as slow and as far from each other as one likes.

Every host has a link to a switch, which routes. `tc` limits what goes over each link, in both directions, with its
token bucket filter. The delay is that of a process: Linux has a queue for it, netem, but not every kernel is built with
that. The switch sends everything that it gets through a tunnel device, and the process at its other end sends it back a
little later. Needs root.
"""

import fcntl
import os
import select
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sstag.foundation.child_python import child_environment, module_command

NET = "10.91.8"
SWITCH = "bench-switch"
DELAY = "delay0"
BURST = "128kb"  # at least a packet as TCP hands it on
QUEUED = "5ms"  # what a link keeps, at its rate: more would hold small messages back
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
TUN, NO_INFORMATION, SEGMENTED = 0x1, 0x1000, 0x4000
CHECKSUMS, SEGMENTS = 0x1, 0x2 | 0x4  # packets of up to 64 KiB, whose checksums nobody needs
LARGEST = 2**17


def address(hosts: Sequence[str], host: str) -> str:
    """The address of a host."""
    return f"{NET}.{hosts.index(host) + 1}"


def inside(host: str) -> list[str]:
    """The words before a command that runs on a host."""
    return ["ip", "netns", "exec", f"bench-{host}"]


@contextmanager
def network(hosts: Sequence[str], rate: str, seconds: float) -> Iterator[None]:
    """Hosts of these names, each with a link of a rate such as `1gbit`; a packet takes so long from one to another."""
    relay = None
    try:
        _ip("netns", "add", SWITCH)
        _ip("netns", "exec", SWITCH, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0")
        relay = subprocess.Popen(
            ["ip", "netns", "exec", SWITCH, *module_command("bench.network", seconds)], stdout=subprocess.PIPE,
            env=child_environment(),
        )  # fmt: skip
        assert relay.stdout
        relay.stdout.readline()
        _at(SWITCH, "link", "set", DELAY, "up", "mtu", "1500")
        _at(SWITCH, "route", "add", "default", "dev", DELAY, "table", "100")
        for host in hosts:
            _add(hosts, host, rate)
        yield
    finally:
        if relay:
            relay.kill()
            relay.wait()
        for name in (*(f"bench-{host}" for host in hosts), SWITCH):
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def _add(hosts: Sequence[str], host: str, rate: str) -> None:
    space, own, other = f"bench-{host}", address(hosts, host), f"{NET}.254"
    _ip("netns", "add", space)
    _at(SWITCH, "link", "add", host, "type", "veth", "peer", "name", "net0", "netns", space)
    for at, device, here, there in ((SWITCH, host, other, own), (space, "net0", own, other)):
        _at(at, "address", "add", here, "peer", f"{there}/32", "dev", device)
        _at(at, "link", "set", device, "up")
        limit = ["rate", rate, "burst", BURST, "latency", QUEUED]
        _run("tc", "-n", at, "qdisc", "add", "dev", device, "root", "tbf", *limit)
    _at(space, "link", "set", "lo", "up")
    _at(space, "route", "add", "default", "via", other)
    _at(SWITCH, "rule", "add", "iif", host, "lookup", "100")


def _at(space: str, *words: str) -> None:
    _ip("-n", space, *words)


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


def held_back(seconds: float) -> None:
    """Sends every packet back so many seconds after it came, until it is killed."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # it sleeps most of the time, and must wake punctually
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", DELAY.encode(), TUN | NO_INFORMATION | SEGMENTED))
    fcntl.ioctl(device, TUNSETOFFLOAD, CHECKSUMS | SEGMENTS)
    print("ready", flush=True)
    waiting: deque[tuple[float, bytes]] = deque()
    while True:
        wait = max(waiting[0][0] - time.perf_counter(), 0.0) if waiting else None
        readable, _, _ = select.select([device], [], [], wait)
        if readable:
            waiting.append((time.perf_counter() + seconds, os.read(device, LARGEST)))
        while waiting and waiting[0][0] <= time.perf_counter():
            os.write(device, waiting.popleft()[1])


if __name__ == "__main__":
    held_back(float(sys.argv[1]))
