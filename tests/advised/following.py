"""A case is provoked, and its advice followed: what the message says is done, and nothing that it does not say."""

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from tests.advised import Case, ran
from tests.advised.messages import pattern_of

SHOWN = 1000  # characters of a message that is not the one
OPTION = re.compile(r"--[a-z][a-z-]*")
OUTPUTS = ("-o", "--output", "--save", "--write-model")


def provoked(case: Case, patch: pytest.MonkeyPatch) -> str:
    """The message of a case, in the folder that is worked in."""
    for name, text in case.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, Path):
            Path(name).symlink_to(text)
        else:
            Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    for words in case.before:
        code, said = ran(words, case.stdin)
        assert code == 0, f"{shlex.join(words)}: {said[-SHOWN:]}"
    for name, value in case.bounds.items():
        module, _, constant = name.rpartition(".")
        patch.setattr(import_module(module), constant, value)
    return ran(case.words, case.stdin)[1]


def follow(case: Case, message: str) -> None:
    """Does what a message says, and checks that it works."""
    told = pattern_of(case.told)
    assert told.search(message), message[:SHOWN]
    for words in _followed(case, message):
        if case.words[0] in words:  # another command has options of its own
            new = [word for word in words if OPTION.fullmatch(word) and word not in case.words]
            assert not [option for option in new if option not in message], (new, message)
        for output in _outputs(words):
            shutil.rmtree(output, ignore_errors=True)
            Path(output).unlink(missing_ok=True)
        code, said = ran(words, case.stdin)
        assert code == case.code, f"{shlex.join(words)}: {said[-SHOWN:]}"
        assert not told.search(said) or not message.startswith(said[:20])
        missing = [output for output in _outputs(words) if code == 0 and not Path(output).exists()]
        assert not missing, f"{shlex.join(words)} wrote no {missing}"


def _followed(case: Case, message: str) -> Iterator[Sequence[str]]:
    """The commands that follow the advice of a message; a format that it names is copied from it."""
    if case.then or case.added:
        yield from case.then
        yield from ((*case.words, *more) for more in case.added)
        return
    found = re.search(r"(--from-format \S.*?) reads it", message)
    assert found, message
    yield (*case.words, *shlex.split(found[1]))


def _outputs(words: Sequence[str]) -> Iterator[str]:
    """The files that a command is to write."""
    yield from (value for option, value in pairwise(words) if option in OUTPUTS and value != "-")
