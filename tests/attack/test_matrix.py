"""A share of all attacks with hostile files; every option that names a file has its command among them."""

import random
from collections.abc import Iterator
from pathlib import Path

import click

from sstag.interfaces import cli
from tests.attack.hostile import broken, endless
from tests.attack.material import OF_CLUSTERS, RECIPES, SERVERS, is_file, recipes
from tests.attack.matrix import Attempt, may_go_on
from tests.attack.runs import Server

SHARE = 60
SMALL = {"sstag.foundation.files.LARGEST_STREAM": 2**22}  # so that endless sentences end sooner
READ = ("FILE", "MODEL", "TEMPLATE", "GOLD", "PREDICTED", "PROJECT")


def some(folder: Path) -> list[Attempt]:
    """Attacks drawn at random, but always the same."""
    places = [(words, at) for words in recipes() for at, word in enumerate(words) if is_file(word)]
    chance = random.Random(1)
    found = []
    for words, at in chance.sample(places, SHARE):
        name = words[at][words[at].index("{") + 1 : words[at].index("}")]
        good, own = folder / name, folder / "hostile" / name
        own.mkdir(parents=True, exist_ok=True)
        kinds = {**endless(), **broken(good.read_bytes() if good.is_file() else b"x\n", own)}
        kind = chance.choice(list(kinds))
        attempt = Attempt(tuple(words), at, kind, kinds[kind])
        found += [] if may_go_on(attempt) else [attempt]
    return found


def test_hostile_files_end_in_a_message(server: Server, folder: Path) -> None:
    for attempt in some(folder):
        came = server.run(
            *attempt.arguments(folder), folder=str(folder), endless=attempt.hostile.endless, patches=SMALL
        )
        assert not came.fault, f"{attempt.name}: {came.fault}\n{came.err[-2000:]}"


def commands() -> Iterator[tuple[str, click.Command]]:
    """All commands by their names; those within `experiment` with it."""
    context = click.Context(cli.sstag)
    for name in cli.COMMANDS:
        command = cli.sstag.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in command.commands.items())
        elif command and name not in SERVERS:
            yield name, command


def test_every_option_that_names_a_file_is_attacked() -> None:
    missing = []
    for name, command in commands():
        own = [line for line in RECIPES.splitlines() if line.startswith(f"{name} ")]
        for parameter in command.params:
            names = parameter.metavar or ""
            if not any(word in names for word in READ) or not own or parameter.opts[0] in OF_CLUSTERS:
                continue
            used = isinstance(parameter, click.Argument) or any(
                f" {option} " in line for line in own for option in parameter.opts
            )
            missing += [] if used else [f"{name} {parameter.opts[0]}"]
    assert not missing
    with_files = {name for name, one in commands() if any("FILE" in (of.metavar or "") for of in one.params)}
    assert with_files <= {" ".join(words[:2]) for words in recipes()} | {words[0] for words in recipes()}
