"""The end of a long run: what was made is kept somewhere, even if it cannot be written where it was asked for."""

import os
import sys
import tempfile
from collections.abc import Callable
from itertools import chain, count

import click

from sstag.foundation.errors import DataError, NotReadAgain, SstagError

NOT_LOST = "Nothing is lost yet: make room and press Enter, or name another file"


def kept(write: Callable[[str], object], path: str) -> str:
    """The path that something was written to: this one, one that a person at the terminal names, or one elsewhere.

    Only if no file can be written anywhere is the fault an error.
    """
    asked = path
    while True:
        try:
            write(asked)
            return asked
        except NotReadAgain:
            raise  # no other place would be better
        except SstagError as error:
            fault = error
        said = _named(fault, asked)
        if said is None:
            return _elsewhere(write, path, fault)
        asked = said


def end_if_elsewhere(at: str, asked: str) -> None:
    """Ends the program with a fault if something is not where it was asked for: what comes next would not find it."""
    if at != asked:
        sys.exit(1)


def _named(fault: SstagError, path: str) -> str | None:
    """The path that somebody at the terminal wants to try next; None if nobody is there."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        return None
    click.echo(str(fault), err=True)
    try:
        said: str = click.prompt(NOT_LOST, default=path, err=True)
    except click.Abort:
        return None
    return said


def _elsewhere(write: Callable[[str], object], path: str, fault: SstagError) -> str:
    """The first file of this name in other folders that can be written."""
    tried = [os.path.realpath(os.path.dirname(path))]
    for folder in (os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir()):
        if (place := os.path.realpath(folder)) in tried:
            continue
        tried.append(place)
        found = _free(os.path.join(place, os.path.basename(path)))
        try:
            write(found)
        except SstagError:
            continue
        click.echo(f"{fault}: kept in {found} instead", err=True)
        return found
    raise DataError(f"{fault}; nor could it be written in {', '.join(tried[1:])}") from fault


def _free(path: str) -> str:
    """A path that no file has, made by a number if this one has."""
    return next(one for one in chain([path], (f"{path}.{number}" for number in count(2))) if not os.path.lexists(one))
