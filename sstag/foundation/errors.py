"""Errors that a user can cause, which the command line tells in one line, and helpers that word messages."""

from collections.abc import Iterable, Sequence

FEW = 10  # messages of a kind that are shown
SHORT = 3  # letters of a name in which one that is wrong is a third
ALIKE, ALIKE_IF_SHORT = 0.75, 0.65  # shares of letters that two names have in common


class SstagError(Exception):
    """An error that a user can cause and mend. The command line prints its message alone, without a traceback."""


class _Located(SstagError):
    """An error that knows where it is: `path:line: message`."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        where = [part for part in (path, None if line is None else str(line)) if part is not None]
        super().__init__(": ".join([":".join(where), message] if where else [message]))


class DataError(_Located):
    """A corpus, lexicon or list that cannot be read in its format."""


class NotReadAgain(DataError):
    """A file that could not be read again after it was written, wherever it might stand."""


class ConfigError(_Located):
    """A template, configuration or option that asks for something impossible."""


class ModelError(_Located):
    """A model file that is damaged, or that does not fit what it is used for."""


class Interrupted(SstagError):
    """A training that was asked to stop before there was anything to keep."""

    def __init__(self) -> None:
        super().__init__("interrupted before the first iteration: there is nothing to keep")


class NumericalError(SstagError):
    """Numbers that left the range in which the mathematics means anything."""


class NoPathError(NumericalError):
    """A sentence of a batch for which no sequence of labels is possible."""

    def __init__(self, sentence: int) -> None:
        self.sentence = sentence
        super().__init__(f"sentence {sentence} of the batch has no path of positive weight")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: `; did you mean 'x'?` or the list of known names."""
    names = list(known)
    close = alike(name, names)[:1]
    return f"; did you mean '{close[0]}'?" if close else f" (known: {', '.join(names)})"


def not_among(key: str, value: object, choices: Sequence[str]) -> str:
    """A message on a value that is none of some texts: the one that was meant, or all of them."""
    close = alike(value, choices)[:1] if isinstance(value, str) else []
    return (
        f"'{key}' is not {value!r}; did you mean '{close[0]}'?"
        if close
        else f"'{key}' is {' or '.join(choices)}, not {value!r:.60}"
    )


def alike(name: str, names: Iterable[str]) -> list[str]:
    """Those of some names that may be meant by a mistyped one, the nearest first.

    Names that merely share letters are no guess: five of `train` stand in `constraints`.
    """
    from difflib import get_close_matches  # only mistakes need it

    return get_close_matches(name, names, cutoff=ALIKE if len(name) > SHORT else ALIKE_IF_SHORT)


def few(messages: Sequence[str], path: str, rest: str) -> list[str]:
    """The first messages of a kind about a file, and the number of the others."""
    more = len(messages) - FEW
    return [*messages[:FEW], *([f"{path}: and {more:,} more {rest}"] if more > 0 else [])]


def counted(count: int, noun: str) -> str:
    """A count with its noun: `1 token`, `2 tokens`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def installing(extra: str) -> str:
    """The command that installs what an extra of sstag needs: by its packages, since no index need have sstag."""
    from importlib.metadata import PackageNotFoundError, requires  # what an error needs, no other run waits for

    try:
        needed = [line.partition(";") for line in requires("sstag") or []]
    except PackageNotFoundError:  # the sources, installed nowhere
        needed = []
    wanted = f'extra=="{extra}"'
    packages = [name.strip() for name, _, when in needed if "".join(when.split()).replace("'", '"') == wanted]
    return f"pip install {' '.join(map(repr, packages))}" if packages else f"pip install '.[{extra}]' in its sources"
