"""Shares of labels on top of representations: held by label regularisation, and by the biases of a trained tagger."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.eyes import files_of, lines_of, template_of
from sstag.experiments.representations.tasks import RAW, TASKS, Task, labelled, raw_sentences, text
from sstag.experiments.spread import by_draw, comparison, gain_and_p, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.known_shares import KnownShares
from sstag.knowledge.target_shares import counted_shares
from sstag.training.share_matching import matched

PLAIN, WITHIN, BIASES = WAYS = "labels alone", "label regularisation, within an error", "`tag --match-shares`"
SMOOTHING = 0.1  # of shares, as label regularisation has it


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    lines: Sequence[str],
    sentences: int,
    raw: int,
    draw: int,
) -> list[Row]:
    """The figure of a tagger of labels alone, of that with biases, and of one that learns to hold the shares."""
    of = TASKS[task]
    how, test = template_of(corpora, of, lines), text(corpora, of, "test")
    train, others = labelled(text(corpora, of, "train"), sentences, draw), raw_sentences(corpora, of, raw, draw)
    began = time.process_time()
    plain = tagger(how, train, "crf", seed=draw)
    then = time.process_time()
    codes = train.codes[train.column(of.label)]
    times = dict(zip(train.values[train.column(of.label)], np.bincount(codes).tolist(), strict=True))
    counts = counted_shares(np.array([times.get(label, 0) for label in plain.labels], np.float64), SMOOTHING)
    known = KnownShares("", "", dict(zip(plain.labels, counts.tolist(), strict=True)))
    biased = matched(plain, others, known, one_by_one, lambda step, away: None).model
    end = time.process_time()
    within = tagger(how, train, "label-regularization", seed=draw, unlabelled=others)
    took = {PLAIN: then - began, BIASES: end - began, WITHIN: time.process_time() - end}
    return [
        {"way": way, "figure": percent(judged(model, test).figures[of.measure]), "seconds": round(took[way], 2)}
        for way, model in ((PLAIN, plain), (WITHIN, within), (BIASES, biased))
    ]


def biases(task: Task, systems: Sequence[str], sentences: int, draws: int) -> Section:
    """The trials of a task, and the table on them."""
    trials = []
    for system, draw in product(systems, range(1, draws + 1)):
        settings: Row = {
            "task": task.name, "lines": lines_of(system), "sentences": sentences, "raw": RAW, "draw": draw,
        }  # fmt: skip
        data = dict.fromkeys([*task.files, *filter(None, [task.unlabelled]), *files_of(task, lines_of(system))])
        trials.append(Trial(f"{__name__}:learned", settings, list(data), cost=5.0))
    return Section(trials, partial(_report, task, systems, sentences))


def _report(task: Task, systems: Sequence[str], sentences: int, rows: list[Row]) -> Iterator[Block]:
    yield (
        f"## Shares on top: {task.title}\n\n{sentences} labelled sentences, whose shares {RAW:,} raw ones shall have: "
        "within one standard error, as label regularisation does when nothing is set, or exactly, by biases alone."
    )
    table: list[list[Cell]] = []
    for way in WAYS:
        line: list[Cell] = [way]
        for system in systems:
            here, plain = (by_draw(rows, "figure", lines=lines_of(system), way=one) for one in (way, PLAIN))
            line += [spread([*here.values()]), *gain_and_p(comparison(here, plain) if way != PLAIN else None)]
        table.append([*line, spread([*by_draw(rows, "seconds", lines=lines_of(systems[-1]), way=way).values()])])
    head = ["", *(cell for system in systems for cell in (system, "gain", "p")), "seconds"]
    name = {"f1": "F₁", "accuracy": "accuracy"}[task.measure]
    yield Table(f"{task.title}, {sentences} labelled sentences: {name} with shares held, and gain", head, table)
