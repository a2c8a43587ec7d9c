"""A script for python-crfsuite as its users write one, which trains on a text or tags it.

The attributes are those of configs/templates/chunking.yaml, for files "word, part of speech, label".
"""

import sys
from collections.abc import Iterator, Sequence

import pycrfsuite

WINDOWS = {  # by column
    0: [(-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1)],
    1: [(-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)],
}


def sentences(path: str) -> Iterator[tuple[list[str], list[list[str]], Sequence[str]]]:
    """The sentences of a column file: lines, attributes of each token, and labels."""
    names = [
        (column, [2 + offset for offset in window], f"U{column}{i}:")
        for column in WINDOWS
        for i, window in enumerate(WINDOWS[column])
    ]
    with open(path, encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            lines = block.split("\n")
            columns = list(zip(*(line.split() for line in lines), strict=True))
            padded = [["_B-2", "_B-1", *column, "_B+1", "_B+2"] for column in columns[:2]]
            attributes = [
                [name + "/".join([padded[column][t + place] for place in places]) for column, places, name in names]
                for t in range(len(lines))
            ]
            yield lines, attributes, columns[-1]


def appended(path: str) -> pycrfsuite.Trainer:
    """A trainer that has been given a file."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for _, attributes, labels in sentences(path):
        trainer.append(attributes, labels)
    return trainer


def train(path: str, model: str, c2: str) -> None:
    trainer = appended(path)
    trainer.set("c2", float(c2))
    trainer.train(model)


def tag(model: str, path: str, target: str) -> None:
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    with open(target, "w", encoding="utf-8") as file:
        for lines, attributes, _ in sentences(path):
            tagged = zip(lines, tagger.tag(attributes), strict=True)
            file.write("".join(f"{line} {label}\n" for line, label in tagged) + "\n")


if __name__ == "__main__":
    {"train": train, "tag": tag}[sys.argv[1]](*sys.argv[2:])
