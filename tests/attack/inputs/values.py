"""Values as JSON has them, in which one thing is another than it should be."""

import random
from typing import Any

from tests.attack.inputs.pieces import ODD

OTHERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 0.5, 1e308, -1e308, float("nan"), float("inf"), 2**31, 2**63, 2**64, 10**400,
    "", "x", "0", "PER", [], {}, [[]], [None], {"": {}}, ["x"], [0], [0, 1], [0, 1, "PER"], "\ud800", "a\ud800b",
    [["a"]], {"a": [1]},
)  # fmt: skip


def changed_value(chance: random.Random, value: Any) -> Any:
    """The value with one thing in it changed, wherever that is."""
    places: list[tuple[Any, Any]] = []

    def walk(one: Any) -> None:
        for key in list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ():
            places.append((one, key))
            walk(one[key])

    walk(value)
    if not places:
        return chance.choice(OTHERS)
    holder, key = chance.choice(places)
    way = chance.randrange(10)
    old = holder[key]
    if way < 2:
        holder[key] = chance.choice(OTHERS)
    elif way < 5:
        holder[key] = _near(chance, old)
    elif way == 5:
        del holder[key]
    elif way == 6 and isinstance(holder, list):
        holder.insert(key, old)
    elif way == 6:
        holder[chance.choice(ODD)] = old
    elif way == 7:
        other, at = chance.choice(places)
        holder[key] = other[at] if not isinstance(other[at], dict | list) else str(other[at])[:50]
    elif way == 8 and isinstance(old, list):
        holder[key] = old * chance.choice((0, 2, 300))
    else:
        holder[key] = [old] if chance.random() < 0.5 else {"a": old}
    return value


def _near(chance: random.Random, old: Any) -> Any:
    """Something of the same type."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        if abs(old) > 2**1000:  # which is no float, and perhaps too long for a text
            return chance.choice((old + 1, -old, 2**31 - 1))
        return chance.choice((old + 1, old - 1, -old, old * 1000, old + 0.5, str(old), 2**31 - 1))
    if isinstance(old, float):
        return chance.choice((-old, old * 1e300, old + 1, int(old) if abs(old) < 1e300 else 0))
    if isinstance(old, str):
        at = chance.randrange(len(old) + 1)
        return chance.choice(
            (old[:at] + chance.choice(ODD) + old[at:], old[:at], old[at:], old + " ", old.upper(), chance.choice(ODD))
        )
    if isinstance(old, list):
        return chance.choice((old[:-1], old[1:], old[::-1], [*old, None], [*old, *old[:1]]))
    if isinstance(old, dict):
        return dict(reversed(list(old.items())))
    return chance.choice(OTHERS)
