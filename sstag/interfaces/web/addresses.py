"""Addresses that a server listens on, and whether a request names one of them.

A page on another site can make a browser send requests to this machine, also under a name of its own that leads here
(DNS rebinding). So a request must name the server as it was bound, and one that changes something must not come from
another site.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address

LOOPBACK = "127.0.0.1"
HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")
HTTP = 80  # the port that a browser leaves out


@dataclass(frozen=True)
class Bound:
    """The address and port that a server is bound to, and further names by which its clients may call it."""

    address: str
    port: int
    names: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The address as a browser takes it."""
        return f"http://{f'[{self.address}]' if ':' in self.address else self.address}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine can reach it."""
        return ip_address(self.address).is_loopback

    def is_named_by(self, host: str) -> bool:
        """Whether the value of a Host header names this server."""
        found = HOST.fullmatch(host)
        if found is None or int(found[2] or HTTP) != self.port:
            return False
        name = found[1].strip("[]").lower().removesuffix(".")
        if name in self.names or (name == "localhost" and self.is_loopback):
            return True
        try:
            asked = ip_address(name)
        except ValueError:
            return False
        bound = ip_address(self.address)
        return asked == bound or bound.is_unspecified  # no name can be rebound to an address that stands there itself

    def is_origin(self, origin: str) -> bool:
        """Whether the value of an Origin header is a page of this server."""
        scheme, divider, host = origin.partition("://")
        return (scheme, divider) == ("http", "://") and self.is_named_by(host)
