"""Lists of expectations."""

import random

from tests.attack.inputs import SELDOM, Good, Input
from tests.attack.inputs.pieces import LABELS, NUMBERS, WORDS, changed, mostly, pieces_of
from tests.attack.inputs.templates import feature

PIECES = pieces_of(
    *LABELS,
    "\t",
    ":",
    ":0.5",
    ">",
    "same",
    "same:0.9",
    "*",
    "=",
    "-",
    "0.1-0.9",
    "length:3",
    "word[0]=Ann",
    "?",
    "\n",
    " ",
    "|",
)
USES = (
    "expectations --template {template} --train {train} --list {expectations} --output {>o}",
    "expectations --template {template} --train {train} --like {expectations} --vectors {vectors} --output {>o}",
)
SLOW_USES = (
    "merge {raw} --raw --model {model} --labeled-features {expectations} --output {>o}",
    "train --template {template} --unlabeled {raw} --expectations {expectations} --set max_iterations=3"
    " --method expectation --model {>m}",
    "train --template {template} --train {train} --unlabeled {raw} --expectations {expectations} --set max_iterations=3"
    " --method expectation --model {>m}",
    "train --template {template} --unlabeled {raw} --labeled-features {expectations} --method partial --model {>m}",
)


SHARES = (("1",), ("0.9", "0.1"), ("0.5", "0.5"), ("0.2-0.5", "0.1-0.9"), ("0.6", "0.3", "0.1"), ("0", "1"))


def line(chance: random.Random, word: str) -> str:
    """A line of a list, most often one that there can be."""
    begin = f"{'word[0]' if chance.random() < 0.8 else feature(chance)}={word}" if word else "*"
    labels = chance.sample(LABELS[:8], 3)
    labels = (
        labels
        if chance.random() < 0.9
        else [f"{one}>{two}" for one, two in zip(labels, ["same", *labels], strict=False)]
    )
    shares = chance.choice(SHARES)
    cells = [
        f"{mostly(chance, [label], share=0.02)}:{mostly(chance, [share], NUMBERS, 0.03)}"
        for label, share in zip(labels, shares, strict=False)
    ]
    strength = [mostly(chance, ("5", "0.5"), NUMBERS, 0.1)] if chance.random() < 0.2 else []
    return "\t".join([begin, labels[0] if chance.random() < 0.4 else " ".join(cells), *strength])


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads expectations, with some that are made or changed."""
    words = chance.choice(SLOW_USES if chance.random() < SELDOM else USES).split()
    begin = (
        "\n".join(line(chance, word) for word in chance.sample((*WORDS, ""), chance.randrange(1, 6))).encode(
            "utf-8", "surrogatepass"
        )
        + b"\n"
    )
    begin = begin if chance.random() < 0.8 else good["expectations"]
    return Input(tuple(words), {"expectations": changed(chance, begin, PIECES, 1) if chance.random() < 0.5 else begin})
