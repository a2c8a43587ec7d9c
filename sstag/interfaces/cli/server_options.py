"""Options that the commands with a server share."""

from collections.abc import Callable

import click

from sstag.interfaces.cli.help_sections import options_of

SERVER = "Server"
MOST_WAITING = 256
_server = options_of(SERVER)


def queueing(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the option for the length of the queue."""
    queue = _server(
        "--queue",
        "most_waiting",
        type=click.IntRange(0, 100_000),
        default=MOST_WAITING,
        show_default=True,
        help="How many requests may wait for their turn; others get 503.",
    )
    return queue(command)


def secret_option(about: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Gives a command the option for a file with a secret."""
    return _server("--secret", "secret_path", metavar="FILE", help=about)
