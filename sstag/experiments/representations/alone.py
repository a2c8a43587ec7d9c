"""Each representation by itself and with others: the same tagger, learned from a few sentences up to all."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.representations.eyes import files_of, lines_of, looked_up, template_of
from sstag.experiments.representations.tasks import TASKS, Task, labelled, text
from sstag.experiments.spread import Spread, by_draw, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.foundation.json_values import Json

ALL = 0  # stands for all sentences


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    lines: Sequence[str],
    sentences: int,
    draw: int,
    on: str,
    minimum: int = 2,
) -> list[Row]:
    """The figure of one tagger, and the processor's seconds that it took."""
    of = TASKS[task]
    how = template_of(corpora, of, lines, minimum)
    train, test = labelled(text(corpora, of, "train"), sentences, draw), text(corpora, of, on)
    looked_up(how, of.word, train, test)
    began = time.process_time()
    made = tagger(how, train, "crf", seed=draw)
    then = time.process_time()
    figure = percent(judged(made, test).figures[of.measure])
    return [{"figure": figure, "seconds": round(then - began, 2), "tagging": round(time.process_time() - then, 2)}]


def trial(task: Task, lines: Sequence[str], sentences: int, draw: int, on: str = "test", **more: Json) -> Trial:
    """A tagger that sees these lines besides spellings; `more` are further arguments of `learned`."""
    settings: Row = {"task": task.name, "lines": list(lines), "sentences": sentences, "draw": draw, "on": on, **more}
    judged_by = getattr(task, on)
    data = dict.fromkeys([*filter(None, [task.train, judged_by]), *files_of(task, lines)])
    return Trial(f"{__name__}:learned", settings, list(data), cost=_cost(lines, sentences))


def _cost(lines: Sequence[str], sentences: int) -> float:
    return (2.0 + 2.0 * len(lines)) * (30.0 if sentences == ALL else 1.0 + sentences / 250)


def alone(
    task: Task,
    sizes: Sequence[int],
    systems: Sequence[str],
    draws: int,
    of_all: Sequence[str],
    more: Sequence[Trial] = (),
    report_more: Callable[[list[Row]], Iterable[Block]] = lambda rows: (),
) -> Section:
    """The trials of a task: systems by sentences, some with all sentences; and others, reported on with them."""
    grid = [(system, size) for size in sizes for system in systems]
    trials = [trial(task, lines_of(system), size, draw) for system, size in grid for draw in range(1, draws + 1)]
    trials += [trial(task, lines_of(system), ALL, 1) for system in of_all]

    def report(rows: list[Row]) -> Iterator[Block]:
        yield from _report(task, sizes, systems, bool(of_all), rows)
        yield from report_more(rows)

    return Section([*trials, *more], report)


def _report(task: Task, sizes: Sequence[int], systems: Sequence[str], whole: bool, rows: list[Row]) -> Iterator[Block]:
    shown = [*sizes, *([ALL] if whole else [])]
    others = f" without {' and '.join(task.left_out)}" if task.left_out else ""
    template = task.template.rpartition("/")[2]
    yield (
        f"## {task.title}\n\nThe template `{template}`{others}, attributes that occur once left out, and lines for "
        "representations. Sentences are drawn at random, the same for all; figures are of the whole test set, mean ± "
        "standard deviation over the draws. Nothing was tuned for this corpus but what stands under *Choices*."
    )
    rows = [row for row in rows if "figure" in row and "lines" in row]

    def cell(system: str, size: int, figure: str = "figure") -> Spread | None:
        found = by_draw(rows, figure, lines=lines_of(system), sentences=size)
        return spread([*found.values()])

    head = ("sees spellings, and", *("all" if size == ALL else f"{size}" for size in shown))
    name = {"f1": "F₁", "accuracy": "Accuracy"}[task.measure]
    table: list[list[Cell]] = [[system, *(cell(system, size) for size in shown)] for system in systems]
    yield Table(f"{name} by labelled sentences: {task.title}", head, table)
    lines = [
        Line(system, sizes, [one for size in sizes if (one := cell(system, size)) is not None]) for system in systems
    ]
    yield Plot(f"{task.name}-alone", f"{task.title}: what words are seen as", "labelled sentences", name, lines,
               logarithmic_across=True)  # fmt: skip
    seconds = [[system, *(cell(system, size, "seconds") for size in shown)] for system in systems]
    yield Table("Seconds of one core to train, with vectors that were made before", head, seconds)
