"""Tables of one look and two, by corpora and labelled sentences, and of other uses of the same raw text."""

from collections.abc import Iterator, Sequence

from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.eyes import lines_of
from sstag.experiments.representations.tasks import Task
from sstag.experiments.second_look.texts import ALL
from sstag.experiments.second_look.ways import AT_HAND, ONE, OTHERS, RAW_TEXT
from sstag.experiments.spread import by_draw, comparison, gain_and_p, spread
from sstag.experiments.trials import Row

FIGURES = ("labelled", ONE, RAW_TEXT, "gain", "p", AT_HAND, "gain", "p", "better")


def figures_of(
    rows: Sequence[Row], task: str, size: int, seen: str, way: str, figure: str = "figure"
) -> dict[int, float]:
    """A figure of a way by draw, of a tagger that sees something besides spellings."""
    here = [row for row in rows if row.get("way") == way and figure in row]
    return by_draw(here, figure, task=task, sentences=size, lines=lines_of(seen))


def by_corpus(title: str, tasks: Sequence[Task], sizes: Sequence[int], seen: str, rows: Sequence[Row]) -> Table:
    """One look and two on some corpora: a row for each corpus and number of labelled sentences."""
    lines = [
        (f"{task.title}, {_sizes(size)}", line)
        for task in tasks
        for size in sizes
        if (line := _line(rows, task, size, seen))
    ]
    return Table(title, ("", *FIGURES[1:]), [[name, *cells] for name, cells in lines])


def by_size(task: Task, sizes: Sequence[int], seen: str, rows: Sequence[Row]) -> Table:
    """One look and two on a corpus: a row for each number of labelled sentences."""
    name = {"f1": "F₁", "accuracy": "accuracy"}[task.measure]
    lines = [[_sizes(size), *line] for size in sizes if (line := _line(rows, task, size, seen))]
    return Table(f"{task.title}: {name}", FIGURES, lines)


def _sizes(size: int) -> str:
    return "all" if size == ALL else f"{size}"


def _line(rows: Sequence[Row], task: Task, size: int, seen: str) -> list[Cell]:
    """The figures of the ways, each gain over one look with p, and on how many draws there is one; nothing of none."""
    one, raw, hand = (figures_of(rows, task.name, size, seen, way) for way in (ONE, RAW_TEXT, AT_HAND))
    if not one:
        return []
    found = comparison(hand, one)
    better = f"{found.wins} of {found.gain.count}" if found else None
    cells: list[Cell] = [spread([*one.values()])]
    for ours in (raw, hand):
        cells += [spread([*ours.values()]), *gain_and_p(comparison(ours, one))]
    return [*cells, better]


def costs(tasks: Sequence[Task], sizes: Sequence[int], seen: str, rows: Sequence[Row]) -> Table:
    """The seconds of training and of tagging the whole test, with one look and with two, and the sizes of models."""
    table: list[list[Cell]] = []
    for task in tasks:
        for size in sizes:
            if not figures_of(rows, task.name, size, seen, ONE):
                continue
            cells = [
                spread([*figures_of(rows, task.name, size, seen, way, figure).values()])
                for figure, ways in (
                    ("seconds", (ONE, AT_HAND)),
                    ("tagging", (ONE, RAW_TEXT, AT_HAND)),
                    ("size", (ONE, AT_HAND)),
                )
                for way in ways
            ]
            table.append([f"{task.title}, {_sizes(size)}", *cells])
    training, tagging, model = "training, {}, s", "tagging, {}, s", "model, {}, MiB"
    head = (
        "", training.format("one look"), training.format("two"), tagging.format("one look"),
        tagging.format("raw text counted"), tagging.format("text at hand, too"), model.format("one look"),
        model.format("two"),
    )  # fmt: skip
    return Table("Seconds of one core, and sizes of models", head, table)


def beside(tasks: Sequence[Task], size: int, seen: str, rows: Sequence[Row]) -> Iterator[Block]:
    """The gains of other uses of the same raw text over one look, corpus by corpus."""
    there = [task for task in tasks if any(row.get("way") in OTHERS and row["task"] == task.name for row in rows)]
    table: list[list[Cell]] = []
    for way in (RAW_TEXT, AT_HAND, *OTHERS):
        line: list[Cell] = [way]
        for task in there:
            lines = {} if way in OTHERS else {"lines": lines_of(seen)}
            ours = by_draw(
                [row for row in rows if row.get("way") == way], "figure", task=task.name, sentences=size, **lines
            )
            found = comparison(ours, figures_of(rows, task.name, size, seen, ONE))
            line.append(found.gain if found else None)
        table.append(line)
    yield Table(f"Gains over one look, {size} labelled sentences", ("", *(task.name for task in there)), table)
