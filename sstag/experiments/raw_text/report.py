"""Tables of the ways to learn from raw text, corpus by corpus, and of where each loses without a warning."""

from collections.abc import Iterator, Sequence

from sstag.experiments.claims import Claim, claimed, over_test
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.raw_text.ways import PLAIN, REGULARISED, WAYS
from sstag.experiments.representations.tasks import Task
from sstag.experiments.spread import by_draw, comparison, gain_and_p, spread
from sstag.experiments.trials import Row

LOSS = 0.5  # points of the mean, from which a way is said to lose


def report(task: Task, sizes: Sequence[int], raw: int, ways: Sequence[str], rows: Sequence[Row]) -> Iterator[Block]:
    """A corpus: the figures, what each way adds to labels alone, and how often it was warned of."""
    name = {"f1": "F₁", "accuracy": "accuracy"}[task.measure]
    yield f"## {task.title}\n\n{raw:,} raw sentences; the template `{task.template.rpartition('/')[2]}`, words alone."
    table: list[list[Cell]] = []
    for way in ways:
        line: list[Cell] = [way]
        for size in sizes:
            ours, plain = (by_draw(rows, "figure", sentences=size, way=one) for one in (way, PLAIN))
            gain = comparison(ours, plain) if way != PLAIN else None
            line += [spread([*ours.values()]), *gain_and_p(gain), _warned(rows, size, way)]
        seconds = by_draw(rows, "seconds", sentences=sizes[-1], way=way)
        table.append([*line, spread([*seconds.values()])])
    each = [(f"{size} labelled", f"gain, {size}", f"p, {size}", f"warned, {size}") for size in sizes]
    head = ["", *(cell for some in each for cell in some), "seconds"]
    yield Table(f"{task.title}: {name}, gain over labels alone, and of how many draws training warned", head, table)
    ratios: list[list[Cell]] = [
        [f"{size} labelled", spread([*by_draw(rows, "ratio", sentences=size, way=REGULARISED).values()])]
        for size in sizes
    ]
    yield Table(f"{task.title}: what is found alone, as a share of what the shares say", ("", "ratio"), ratios)


def losses(grid: Sequence[tuple[Task, Sequence[int]]], rows: Sequence[Row]) -> Iterator[Block]:
    """For each way on how many corpora and sizes it gains and loses, and where it loses without a warning."""
    table: list[list[Cell]] = []
    for way in WAYS:
        if way == PLAIN:
            continue
        gains, silent = [], []
        for task, size in [(task, size) for task, sizes in grid for size in sizes]:
            here = [row for row in rows if row["task"] == task.name]
            ours, plain = (by_draw(here, "figure", sentences=size, way=one) for one in (way, PLAIN))
            found = comparison(ours, plain)
            if found is None:
                continue
            gains.append(found.gain.mean)
            warned = by_draw(here, "warned", sentences=size, way=way)
            if found.gain.mean <= -LOSS and 2 * sum(warned.values()) < len(warned):
                silent.append(f"{task.name} {size} ({found.gain.mean:+.1f})")
        if gains:
            table.append(
                [
                    way,
                    sum(gain >= LOSS for gain in gains),
                    sum(abs(gain) < LOSS for gain in gains),
                    sum(gain <= -LOSS for gain in gains),
                    min(gains),
                    max(gains),
                    ", ".join(silent) or "–",
                ]
            )
    yield f"""## What is a default

A cell is a corpus and a number of labelled sentences. A way gains there or loses if the mean over the draws is {LOSS}
points or more from that of labels alone; it loses without a warning if training warned on less than half of them."""
    head = ("", "gains", "same", "loses", "least", "most", "loses without a warning")
    yield Table("Each way over all corpora and sizes", head, table)


def claims(grid: Sequence[tuple[Task, Sequence[int]]], rows: Sequence[Row]) -> Iterator[Block]:
    """The one comparison that decides about a default: label regularisation over labels alone, wherever it was made."""
    yield """## What is claimed

Compared is what a person gets who asks for `label-regularization` and sets nothing, with labels alone, on each corpus
and with each number of labelled sentences; p is corrected for all of these (Holm). The comparisons were written down
before these draws were run; that it gains on legal names and genes was known from two draws of 100 sentences."""
    found = []
    for task, size in [(task, size) for task, sizes in grid for size in sizes]:
        here = [row for row in rows if row["task"] == task.name and "figure" in row]
        ours, plain = (by_draw(here, "figure", sentences=size, way=one) for one in (REGULARISED, PLAIN))
        found.append(Claim(f"{task.title}, {size} labelled: label regularisation over labels alone", ours, plain))
    yield claimed(found)
    for row in rows:
        if "over test" in row:
            says = f"with {row['sentences']} labelled sentences of {_title(grid, row['task'])} and label regularisation"
            yield over_test(says, row["over test"])


def _title(grid: Sequence[tuple[Task, Sequence[int]]], name: str) -> str:
    return next(task.title for task, _ in grid if task.name == name)


def _warned(rows: Sequence[Row], size: int, way: str) -> str | None:
    warned = by_draw(rows, "warned", sentences=size, way=way)
    return f"{sum(warned.values()):.0f} of {len(warned)}" if warned and way != PLAIN else None
