"""Files of word vectors in each format, and clusters: bytes, heads and numbers that are others than they should be."""

import json
import random
import struct

from tests.attack.inputs import Good, Input
from tests.attack.inputs.models import NUMBERS, PIECES
from tests.attack.inputs.pieces import changed
from tests.attack.inputs.values import changed_value

BEGINS = ("vectors-", "clusters")
HEAD = 200  # bytes, among which the sizes of most formats stand


def _number(chance: random.Random, data: bytes) -> bytes:
    """Another number somewhere, most often near the beginning."""
    at = chance.randrange(max(1, min(len(data), HEAD) if chance.random() < 0.7 else len(data)))
    piece = chance.choice((*NUMBERS, struct.pack("<i", chance.randrange(-3, 9)), struct.pack("<q", 2**40)))
    return (data[:at] + piece + data[at + len(piece) :])[: len(data)]


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads vectors or clusters, with a file that is changed."""
    name = chance.choice([one for one in good if one.startswith(BEGINS)])
    data = good[name]
    for _ in range(chance.choice((1, 1, 2, 3))):
        if name in ("vectors-wink", "clusters-table") and chance.random() < 0.7:
            try:
                text = json.dumps(changed_value(chance, json.loads(data)), separators=(",", ":"))
                data = text.encode("utf-8", "surrogatepass")
            except (ValueError, RecursionError):
                data = good[name]
        elif chance.random() < 0.5:
            data = _number(chance, data)
        else:
            data = changed(chance, data, PIECES, 1)
    shown = ("clusters", "--show", f"{{{name}}}")
    near = ("vectors", "--load", f"{{{name}}}", "--near", "the")
    return Input(shown if name.startswith("clusters") else near, {name: data})
