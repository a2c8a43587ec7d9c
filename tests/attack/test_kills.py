"""A share of the kills of `make attack-kills`."""

import random
from pathlib import Path

from tests.attack.kills import Killer
from tests.attack.runs import Server

SHARE = 25


def test_what_a_killed_command_leaves(server: Server, folder: Path) -> None:
    killer, chance = Killer(server, folder), random.Random(1)
    found = [killer.kill(chance) for _ in range(SHARE)]
    assert not [fault for fault, _ in found if fault]
    assert any(in_time for _, in_time in found)
