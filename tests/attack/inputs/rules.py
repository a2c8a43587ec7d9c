"""Rules for whole labellings."""

import json
import random

from tests.attack.inputs import SELDOM, Good, Input
from tests.attack.inputs.pieces import NUMBERS, changed, mostly, pieces_of
from tests.attack.inputs.templates import feature

KNOWN = ("O", "B-PER", "I-PER", "B-LOC")
KEYS = (
    "once",
    "first",
    "change",
    "if",
    "then",
    "contains",
    "order",
    "length",
    "least",
    "most",
    "between",
    "penalty",
    "rules",
)
PIECES = pieces_of(*KNOWN, *KEYS, ": ", "- ", "[", "]", "all", "{", "}", "\n", "  ", ", ", "&a ", "*a")
USES = ("tag {raw} --model {model} --rules {rules} --output {>o}",)
SLOW_USES = ("train --template {template} --train {train} --rules {rules} --model {>m} --set max_iterations=3",)


def rule(chance: random.Random) -> dict[str, object]:
    """A rule, most often one that there can be."""

    def labels() -> object:
        found = [mostly(chance, [label], share=0.02) for label in chance.sample(KNOWN, chance.choice((1, 1, 2, 3)))]
        return chance.choice((found, found, found[0]))

    def features(many: int) -> list[str]:
        return [f"{'word[0]' if chance.random() < 0.7 else feature(chance)}={chance.choice(('Ann', 'Oslo', 'in', '.'))}"
                for _ in range(many)]  # fmt: skip

    number = mostly(chance, ("1", "2", "3", "10"), NUMBERS, 0.05)
    made: dict[str, object] = chance.choice(
        (
            {"once": chance.choice(("all", labels()))},
            {"first": labels()},
            {"change": chance.choice((feature(chance), features(1)[0]))},
            {"if": features(chance.randrange(1, 3)), "then": labels()},
            {"contains": labels()},
            {"order": chance.sample(KNOWN, chance.choice((2, 3)))},
            {"length": labels(), "least": number, "most": mostly(chance, ("10", "19"), NUMBERS, 0.05)},
            {"between": features(2), "then": labels()},
        )
    )
    if chance.random() < 0.8:
        made["penalty"] = number
    if chance.random() < 0.03:
        made[mostly(chance, KEYS, share=0.2)] = labels()
    return made


def text(chance: random.Random) -> bytes:
    """Rules as a file; what is written as JSON is such a file, too, but for the numbers."""
    lines = ["rules:"]
    for _ in range(chance.choice((1, 1, 2, 4))):
        first = "  - "
        for key, value in rule(chance).items():
            number = key in ("least", "most", "penalty")
            lines.append(f"{first}{key}: {value if number else json.dumps(value, ensure_ascii=False)}")
            first = "    "
    return "\n".join([*lines, *(["penalty: 3"] if chance.random() < 0.9 else []), ""]).encode("utf-8", "surrogatepass")


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads rules, with some that are made or changed."""
    words = chance.choice(SLOW_USES if chance.random() < SELDOM else USES).split()
    return Input(
        tuple(words), {"rules": changed(chance, text(chance), PIECES, 1) if chance.random() < 0.4 else text(chance)}
    )
