"""Lists of spans, and of spans that are none."""

import random

from tests.attack.inputs import SELDOM, Good, Input
from tests.attack.inputs.options import some_options
from tests.attack.inputs.pieces import NUMBERS, changed, mostly, pieces_of

PLACES = ((1, 1), (1, 3), (1, 5), (2, 1), (2, 2))
PIECES = pieces_of("1", "2", "3", "\t", "\t", "\n", "PER", "!PER", "-", "B-PER", "# ", " ")
USES = (
    "convert {raw} --spans {spans} --to-scheme iob2 --output {>o}",
    "convert {raw} --spans {spans} --to-scheme bioes --output {>o}",
    "convert {raw} --spans {spans} --to-scheme ioe1 --output {>o}",
    "convert {raw} --spans {spans} --to-scheme iob2 --to-format jsonl --output {>o}",
    "convert {raw} --spans {spans} --to-scheme iob2 --to-format conllu --output {>o}",
)
SLOW_USES = (
    "train --template {template} --train {train} --unlabeled {raw} --rejected {spans} --method partial"
    " --set max_iterations=3 --model {>m}",
)


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads spans, with some that are made or changed."""
    words = chance.choice(SLOW_USES if chance.random() < SELDOM else USES).split()
    lines = []
    places = sorted(chance.sample(PLACES, chance.randrange(1, 4)))
    for sentence, begin in places:
        cells = (
            str(sentence),
            str(begin),
            str(begin + chance.choice((0, 0, 0, 1))),
            mostly(chance, ("PER", "LOC", "PER", "LOC", "!PER")),
        )
        lines.append("\t".join(cell if chance.random() > 0.004 else chance.choice(NUMBERS) for cell in cells))
    data = "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")
    data = changed(chance, data, PIECES, 1) if chance.random() < 0.6 else data
    return some_options(chance, Input(tuple(words), {"spans": data}), 0.05)
