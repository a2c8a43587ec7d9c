"""Secrets in files: written whole or not at all, and refused if they are short, or if somebody else may change them."""

import logging
import os
import re
import secrets
import shlex
import stat
import sys

from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD, display_name, output, translated_errors
from sstag.foundation.plain import check_kind

SECRET = re.compile(r"[A-Za-z0-9_-]{16,200}")
LONGEST_LINE = 1000  # bytes
OWN = 0o600  # the rights of a secret
WANTED = "a secret is at least 16 letters, digits, - and _ on the first line"
BYTES = 24  # of chance in a secret
HAS_RIGHTS = os.name != "nt"

log = logging.getLogger(__name__)


def own_secret(path: str) -> str:
    """The secret that a program keeps for itself: a plain file that nobody else may read, made if it is not there."""
    if not check_kind(path, optional=True):
        _write(path)
    with translated_errors(display_name(path)), open(path, "rb") as file:
        rights = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        line = file.readline(LONGEST_LINE)
    if HAS_RIGHTS and rights != OWN:
        advice = f"for its owner alone: {_private(path)}, or remove it"
        raise ConfigError(f"its rights are {rights:o}, and not 600, {advice}", display_name(path))
    return _checked(line, path, ": remove it, and the next start makes another")


def named_secret(path: str) -> str:
    """The secret in a file that a command names, or on standard input for `-`; made if there is no such file.

    Links are followed, since Kubernetes mounts secrets so.
    """
    if path == STANDARD:
        if sys.stdin is None:
            raise ConfigError("is closed: there is no secret to read", "<stdin>")
        return _checked(sys.stdin.buffer.readline(LONGEST_LINE), path)
    if not os.path.lexists(path):
        _write(path)
    with translated_errors(display_name(path)), open(path, "rb") as file:
        rights = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        line = file.readline(LONGEST_LINE)
    if HAS_RIGHTS and rights & (stat.S_IWGRP | stat.S_IWOTH):
        raise ConfigError(f"others may write this secret (rights {rights:o}): {_private(path)}", display_name(path))
    if HAS_RIGHTS and rights & (stat.S_IRGRP | stat.S_IROTH):
        log.warning("%s: others may read this secret (rights %o): %s", display_name(path), rights, _private(path))
    return _checked(line, path)


def _private(path: str) -> str:
    """The command by which nobody but its owner may read a file."""
    return f"chmod 600 {shlex.quote(path)}"


def _checked(line: bytes, path: str, advice: str = "") -> str:
    secret = line.decode("ascii", "replace").strip()
    if not SECRET.fullmatch(secret):
        raise ConfigError(f"{WANTED}{advice}", display_name(path))
    return secret


def _write(path: str) -> None:
    with output(path, rights=OWN) as out:
        out.write(secrets.token_urlsafe(BYTES).encode() + b"\n")
