"""Random sampling, quotas and FuSAL (S11 Figures 2–5, Tables 1, 2): the trials, and the report on them."""

from collections.abc import Iterator, Sequence
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block
from sstag.experiments.sokolovska2011.annotating import BY_Q, BY_STEPS, DRAWN, FUSAL, RANDOM, SENTENCES, TOKENS
from sstag.experiments.sokolovska2011.quota_tables import (
    COLD,
    STRONGER,
    Scale,
    closed_table,
    error_boxes,
    errors_table,
    examples,
    likeness_table,
    stronger_table,
    warm_and_cold_table,
)
from sstag.experiments.sokolovska2011.tasks import TASKS
from sstag.experiments.trials import Row, Section, Trial

FILES = tuple(file for task in TASKS.values() for file in task.files)
WHERE = "sstag.experiments.sokolovska2011.annotating"
SECONDS = {"nettalk": (4.0, 25.0), "conll2003": (8.0, 12.0)}  # of a draw: without a model, of FuSAL
TOGETHER = {"drawn": 10, "active": 2}  # draws of a trial


PROTOCOL = """## {called}

{source}: {sentences:,} sentences to choose from, {labels} labels. {features} with the label and with pairs of labels,
ρ ‖θ‖² with ρ = {rho:g} (l2 = {l2:g}). q(x): {order}-grams, without smoothing, of all text, multiplied over {columns}.
{draws} draws of n = {sizes} sentences, or of as many tokens as n sentences have on average. Quotas take one sentence
from each of n groups of equal size after sorting: by q(x) as in the paper, by length, by log q(x) per token; `steps of
q` takes one from each of n equal steps of log q(x), however few sentences it has. log q(x) goes with the length:
correlation {with_length:.2f}, per token {per_token:.2f}. FuSAL begins with a random sentence and adds the one whose
best labels are the least probable, until it has n; it knows all the labels there are. p is of Wilcoxon's signed ranks
over the draws, p of spread of Brown and Forsythe's test by permutation: whether a strategy varies as random
sampling does.

{paper}"""

PAPERS = {
    "nettalk": """The paper (Figures 2, 3; 53 phonemes, other parts; boxplots, no figures printed): quotas have less
error and less variance than random sampling for n = 30 and 100; FuSAL is poor.""",
    "conll2003": """The paper (Figures 4, 5; boxplots, no figures printed): quotas have much less error than random
sampling for n = 10 and 50, on both tests; FuSAL is less efficient, too.""",
}


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A part for each task."""
    for name, task in TASKS.items():
        if scale == "smoke":
            of = Scale(name, 2, (3, 6), STRONGER[scale], (40, 20))
        else:
            made = (1_000, 300) if corpora.absent(task.files) else (0, 0)
            of = Scale(name, 50, task.sizes, STRONGER[scale], made)
        files = () if any(of.made) else task.files
        yield Section(list(_trials(of, files)), partial(_report, of, corpora))


def _trials(of: Scale, files: Sequence[str]) -> Iterator[Trial]:
    drawn, active = SECONDS[of.name]
    yield Trial(f"{WHERE}:described", of.settings, files)
    settings = of.settings | {"sizes": list(of.sizes)}
    for first, last in _runs(of.draws, TOGETHER["active"]):
        said = settings | {"draws": [first, last], "warm": True}
        yield Trial(f"{WHERE}:active", said, files, cost=active * (last + 1 - first))
    for draw in range(1, min(COLD, of.draws) + 1):
        yield Trial(f"{WHERE}:active", settings | {"draws": [draw, draw], "warm": False}, files, cost=2 * active)
    for first, last in _runs(of.draws, TOGETHER["drawn"]):
        yield Trial(f"{WHERE}:drawn", settings | {"draws": [first, last]}, files, cost=drawn * (last + 1 - first))
    steps = {"draws": [1, of.draws], "strategies": [BY_STEPS]}
    yield Trial(f"{WHERE}:drawn", settings | steps, files, cost=drawn / len(DRAWN) * of.draws)
    factors, draws = of.stronger
    for factor in factors:
        few = {"draws": [1, draws], "strategies": [RANDOM, BY_Q], "stronger": factor}
        yield Trial(f"{WHERE}:drawn", settings | few, files, cost=drawn / 2 * draws)
        for first, last in _runs(draws, TOGETHER["active"]):
            said = settings | {"draws": [first, last], "warm": True, "stronger": factor}
            yield Trial(f"{WHERE}:active", said, files, cost=active * (last + 1 - first))
    only = of.settings | {"sizes": [of.sizes[0]], "draws": [1, draws], "warm": False, "closed": True}
    yield Trial(f"{WHERE}:active", only, files, cost=active / 2 * draws)


def _runs(draws: int, together: int) -> Iterator[tuple[int, int]]:
    for first in range(1, draws + 1, together):
        yield first, min(first + together - 1, draws)


def _report(of: Scale, corpora: Corpora, rows: list[Row]) -> Iterator[Block]:
    pool, cold = rows[0], [row for row in rows if row.get("warm") is False and "closed" not in row]
    stronger, closed = ([row for row in rows if name in row] for name in ("stronger", "closed"))
    found = [row for row in rows[1:] if row.get("warm") is not False and not {"stronger", "closed"}.intersection(row)]
    task = of.task
    source = f"Generated text in place of {task.called}" if any(of.made) else task.called
    features = "The letter" if task.words else "Word, part of speech and chunk"
    yield PROTOCOL.format(
        called=task.called if not any(of.made) else source,
        source=source,
        sentences=pool["sentences"],
        labels=pool["labels"],
        features=features,
        rho=task.l2 / 2,
        l2=task.l2,
        order=task.order,
        columns=" and ".join(task.columns[:-1]),
        draws=of.draws,
        sizes=" and ".join(map(str, of.sizes)),
        with_length=pool["q with length"],
        per_token=pool["q per token with length"],
        paper=PAPERS[of.name],
    )
    for budget in (SENTENCES, TOKENS):
        for test in task.test:
            yield errors_table(
                of, [row for row in found if row["budget"] == budget and row["test"] == test], budget, test
            )
    for test in task.test:
        some = [row for row in found if row["budget"] == SENTENCES and row["test"] == test]
        stem = f"{of.name}-{test.replace(' ', '-').lower()}" if len(task.test) > 1 else of.name
        title = f"{source}, {test}" if len(task.test) > 1 else source
        yield error_boxes(of, some, f"{stem}-quotas", f"{title}: random sampling and quotas", DRAWN)
        yield error_boxes(of, some, f"{stem}-fusal", f"{title}: random sampling and FuSAL", (RANDOM, FUSAL))
    yield stronger_table(of, stronger)
    yield closed_table(of, found, closed)
    yield warm_and_cold_table(of, found, cold)
    if task.words:
        yield likeness_table(of, found)
        yield examples(of, corpora, found)
