"""Choices on development data: clusters, places around a word, layers of an encoder, attributes that occur once."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.alone import ALL, trial
from sstag.experiments.representations.eyes import BROWN, CLUSTERS, GLOVE, LINES, OWN_VECTORS, lines_of
from sstag.experiments.representations.tasks import Task
from sstag.experiments.spread import by_draw, spread
from sstag.experiments.trials import Row, Section

OTHER = {count: f"cluster(WORD[-1..1], {count}.clusters, 4, 6, 10, 20)" for count in (64, CLUSTERS, 256, 512)}
WITHOUT_ENCODERS: Mapping[str, Sequence[str]] = {
    **{f"{count} own clusters": [line] for count, line in OTHER.items()},
    **{f"{count} own clusters, and own vectors": [line, LINES[OWN_VECTORS]] for count, line in OTHER.items()},
    "GloVe and Brown of the word and its neighbours": [LINES[GLOVE], LINES[BROWN]],
    "GloVe and Brown of two words on either side": [
        line.replace("-1..1", "-2..2") for line in (LINES[GLOVE], LINES[BROWN])
    ],
    "GloVe and Brown, scale 0.1": ["vector(WORD[-1..1], glove, 0.1)", LINES[BROWN]],
    "GloVe and Brown, scale 0.6": ["vector(WORD[-1..1], glove, 0.6)", LINES[BROWN]],
}
WITH_ENCODERS: Mapping[str, Sequence[str]] = {
    "MiniLM, middle layers (2 to 4 of 6)": ["encoded(minilm[0])"],
    "MiniLM, middle layers, of the word and its neighbours": ["encoded(minilm[-1..1])"],
    "MiniLM, last layer": ["encoded(minilm_last[0])"],
    "MPNet, middle layers (5 to 8 of 12)": ["encoded(mpnet[0])"],
    "MPNet, middle layers, of the word and its neighbours": ["encoded(mpnet[-1..1])"],
    "MPNet, layers 7 to 10": ["encoded(mpnet_late[0])"],
}


def choices(task: Task, seen: Mapping[str, Sequence[str]], sizes: Sequence[int], draws: int) -> Section:
    """The trials on development data."""
    trials = [
        trial(task, lines, size, draw, "development")
        for lines in seen.values()
        for size in sizes
        for draw in range(1, draws + 1)
    ]
    return Section(trials, partial(_report, task, seen, sizes))


def _report(task: Task, seen: Mapping[str, Sequence[str]], sizes: Sequence[int], rows: list[Row]) -> Iterator[Block]:
    table: list[list[Cell]] = [
        [name, *(spread([*by_draw(rows, "figure", lines=list(lines), sentences=size).values()]) for size in sizes)]
        for name, lines in seen.items()
    ]
    yield "## Choices\n\nMade here, on development data, and the same everywhere else."
    yield Table(f"{task.title}: development data, by labelled sentences", ("sees", *map(str, sizes)), table)


def occurring_once(task: Task, system: str) -> Section:
    """Whether to keep attributes that occur once, where sentences are not scarce."""
    lines, kept, parts = lines_of(system), {"minimum": 1}, ("development", "test")
    trials = [trial(task, lines, ALL, 1, on, **more) for more in ({}, kept) for on in parts]

    def report(rows: list[Row]) -> Iterator[Block]:
        table: list[list[Cell]] = [
            [name, *(spread([*by_draw(rows, "figure", on=on, minimum=minimum).values()]) for on in parts)]
            for name, minimum in (("left out", None), ("kept", kept["minimum"]))
        ]
        yield Table(f"{task.title}: {system}, all sentences, attributes that occur once", ("they are", *parts), table)

    return Section(trials, report)
