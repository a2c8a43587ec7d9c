"""Column files."""

import random

from tests.attack.inputs import Good, Input, drawn
from tests.attack.inputs.options import some_options
from tests.attack.inputs.pieces import LABELS, ODD, WORDS, changed, mostly, pieces_of

PIECES = pieces_of(*WORDS, *LABELS, "\n\n", "\n", " ", "\t", "# a comment", "-DOCSTART- O", "1-2\t_", "1.1\t_")
TEXTS = [text for text in ODD if not any(char.isspace() for char in text)]


def text(chance: random.Random, labelled: bool) -> bytes:
    """Sentences in columns, most of them well-formed."""
    columns, separator = chance.choice((1, 1, 1, 2, 3)), chance.choice((" ", " ", "\t", "  "))
    lines = []
    for _ in range(chance.randrange(1, 7)):
        for _ in range(chance.choice((1, 2, 3, 5, 8))):
            cells = [mostly(chance, WORDS, TEXTS) for _ in range(columns)]
            cells += [mostly(chance, LABELS, TEXTS)] if labelled else []
            lines.append(separator.join(cells))
        lines.append("")
    return "\n".join(lines).encode("utf-8", "surrogatepass") + chance.choice((b"\n", b"\n", b"\n\n", b""))


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads columns, with a file of some that is made or changed."""
    words, name = drawn(chance, "train", "train", "two", "raw", "raw2")
    begin = text(chance, name not in ("raw", "raw2")) if chance.random() < 0.7 else good[name]
    return some_options(chance, Input(words, {name: changed(chance, begin, PIECES, 2)}), 0.3)
