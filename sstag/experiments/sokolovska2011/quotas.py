"""Random sampling, quotas and FuSAL (S11 Figures 2–5, Tables 1, 2): the trials, and the report on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Boxes, Cell, Excerpt, Series, Table
from sstag.experiments.sokolovska2011.annotating import BY_Q, BY_STEPS, DRAWN, FUSAL, RANDOM, SENTENCES, TOKENS
from sstag.experiments.sokolovska2011.tasks import TASKS, Task, read
from sstag.experiments.spread import by_draw, comparison, shown, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.experiments.variances import unlike_spread

FILES = tuple(file for task in TASKS.values() for file in task.files)
WHERE = "sstag.experiments.sokolovska2011.annotating"
TOLD = (*DRAWN, BY_STEPS, FUSAL)
STRONGER = {"full": ((30.0,), 10), "smoke": ((10.0,), 1)}  # how many times l2, draws
COLD = 3  # draws of FuSAL that are trained from 0, too
SECONDS = {"nettalk": (4.0, 25.0), "conll2003": (8.0, 12.0)}  # of a draw: without a model, of FuSAL
TOGETHER = {"drawn": 10, "active": 2}  # draws of a trial


@dataclass(frozen=True)
class _Scale:
    """How much is run of a task."""

    name: str
    draws: int
    sizes: tuple[int, ...]
    stronger: tuple[tuple[float, ...], int]
    made: tuple[int, int]  # sentences to generate for the pool and for each test; 0: the corpus

    @property
    def task(self) -> Task:
        return TASKS[self.name]

    @property
    def settings(self) -> Row:
        return {"task": self.name, "made": list(self.made)}


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
            of = _Scale(name, 2, (3, 6), STRONGER[scale], (40, 20))
        else:
            made = (1_000, 300) if corpora.absent(task.files) else (0, 0)
            of = _Scale(name, 50, task.sizes, STRONGER[scale], made)
        files = () if any(of.made) else task.files
        yield Section(list(_trials(of, files)), partial(_report, of, corpora))


def _trials(of: _Scale, files: Sequence[str]) -> Iterator[Trial]:
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


def _report(of: _Scale, corpora: Corpora, rows: list[Row]) -> Iterator[Block]:
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
            yield _errors(of, [row for row in found if row["budget"] == budget and row["test"] == test], budget, test)
    for test in task.test:
        some = [row for row in found if row["budget"] == SENTENCES and row["test"] == test]
        stem = f"{of.name}-{test.replace(' ', '-').lower()}" if len(task.test) > 1 else of.name
        title = f"{source}, {test}" if len(task.test) > 1 else source
        yield _boxes(of, some, f"{stem}-quotas", f"{title}: random sampling and quotas", DRAWN)
        yield _boxes(of, some, f"{stem}-fusal", f"{title}: random sampling and FuSAL", (RANDOM, FUSAL))
    yield _stronger(of, stronger)
    yield _closed(of, found, closed)
    yield _warm_and_cold(of, found, cold)
    if task.words:
        yield _likeness(of, found)
        yield _examples(of, corpora, found)


def _errors(of: _Scale, rows: Sequence[Row], budget: str, test: str) -> Table:
    """Errors of each strategy, and whether they and their spread are those of random sampling."""
    table: list[list[Cell]] = []
    chunks = of.task.chunks
    for size in of.sizes:
        each = {one: by_draw(rows, "error", size=size, strategy=one) for one in TOLD}
        for strategy, errors in each.items():
            tokens = by_draw(rows, "tokens", size=size, strategy=strategy)
            table.append([f"{size}: {strategy}", round(fmean(tokens.values())), spread([*errors.values()])])
            if chunks:
                table[-1].append(spread([*by_draw(rows, "f1", size=size, strategy=strategy).values()]))
            gain = None if strategy == RANDOM else comparison(each[RANDOM], errors)
            if gain is None:
                table[-1] += [None, None, None]
            else:
                p = unlike_spread([*errors.values()], [*each[RANDOM].values()])
                table[-1] += [gain.gain.mean, gain.verdict, shown(p) if of.draws > COLD else None]
    head = ["n", "tokens", "error, %", *(["F"] if chunks else []), "less than random", "p", "p of spread"]
    title = "As many sentences" if budget == SENTENCES else "As many tokens"
    return Table(f"{title}, {test}" if len(of.task.test) > 1 else title, head, table)


def _boxes(of: _Scale, rows: Sequence[Row], name: str, title: str, strategies: Sequence[str]) -> Boxes:
    series = [
        Series(one, [[*by_draw(rows, "error", size=size, strategy=one).values()] for size in of.sizes])
        for one in strategies
    ]
    return Boxes(name, title, "sentences to learn from", "error, %", [str(size) for size in of.sizes], series)


def _stronger(of: _Scale, rows: Sequence[Row]) -> Table:
    """A table of the errors under stronger priors."""
    factors, draws = of.stronger
    table: list[list[Cell]] = []
    for test, size, factor, budget in product(of.task.test, of.sizes, factors, (SENTENCES, TOKENS)):
        wanted = {"test": test, "size": size, "stronger": factor, "budget": budget}
        each = {one: by_draw(rows, "error", strategy=one, **wanted) for one in (RANDOM, BY_Q, FUSAL)}
        length = by_draw(rows, "tokens", strategy=FUSAL, **wanted)
        count = by_draw(rows, "sentences", strategy=FUSAL, **wanted)
        table.append(
            [
                f"{test}, {size}, as many {budget}: l2 = {factor * of.task.l2:g}",
                spread([*each[RANDOM].values()]),
            ]
        )
        for strategy in (BY_Q, FUSAL):
            found = comparison(each[RANDOM], each[strategy])
            table[-1] += [found.gain, found.verdict] if found else [None, None]
        table[-1].append(sum(length.values()) / sum(count.values()))
    head = ("n", RANDOM, f"less with {BY_Q}", "p", f"less with {FUSAL}", "p", f"tokens of a sentence of {FUSAL}")
    return Table(f"Errors with a stronger prior, {draws} draws", head, table)


def _closed(of: _Scale, rows: Sequence[Row], closed: Sequence[Row]) -> Table:
    """A table of the errors of FuSAL when it knows no label that it has not seen."""
    size, table = of.sizes[0], []
    for test in of.task.test:
        for budget in (SENTENCES, TOKENS):
            wanted = {"test": test, "size": size, "budget": budget}
            ours = by_draw(closed, "error", **wanted)
            line: list[Cell] = [f"{test}, as many {budget}", spread([*ours.values()])]
            for strategy in (FUSAL, RANDOM):
                theirs = by_draw(rows, "error", strategy=strategy, **wanted)
                found = comparison({draw: theirs[draw] for draw in ours}, ours)
                line += [found.gain, found.verdict] if found else [None, None]
            table.append(line)
    head = ("test", "error, %", "less than with all labels", "p", "less than random", "p")
    return Table(f"FuSAL that knows the labels it has seen, and no others: n = {size}", head, table)


def _warm_and_cold(of: _Scale, rows: Sequence[Row], cold: Sequence[Row]) -> Table:
    """A table of the choices of FuSAL trained from the last weights, beside those trained from 0."""
    draws = sorted({row["draw"] for row in cold})
    table: list[list[Cell]] = []
    for draw in draws:
        runs = [[row for row in some if row["draw"] == draw and row["strategy"] == FUSAL] for some in (rows, cold)]
        orders, evaluations = (
            [next(row[name] for row in some if name in row) for some in runs] for name in ("order", "evaluations")
        )
        same = len(set(orders[0]).intersection(orders[1]))
        errors = [
            fmean(row["error"] for row in some if row["size"] == of.sizes[-1] and row["budget"] == SENTENCES)
            for some in runs
        ]
        table.append([f"{draw}", f"{same} of {len(orders[0])}", *errors, *evaluations, evaluations[0] / evaluations[1]])
    head = ("draw", "same choices", "error, warm", "cold", "evaluations, warm", "cold", "share")
    return Table(f"FuSAL trained from the last weights (warm) or from 0 (cold), n = {of.sizes[-1]}", head, table)


def _likeness(of: _Scale, rows: Sequence[Row]) -> Table:
    size, table = of.sizes[0], []
    some = [row for row in rows if row["size"] == size and row["budget"] == SENTENCES]
    for strategy in TOLD:
        each = [row for row in some if row["strategy"] == strategy]
        letters = spread([row["tokens"] / row["sentences"] for row in each])
        table.append([strategy, letters, spread([row["alike"] for row in each])])
    title = f"Words that are chosen, n = {size}: letters of a word; mean likeness of two (1 − edits / letters)"
    return Table(title, ("strategy", "letters", "likeness"), table)


def _examples(of: _Scale, corpora: Corpora, rows: Sequence[Row]) -> Block:
    """The words of the first draw, as in Tables 1 and 2; those of a corpus may not be passed on."""
    pool, _ = read(corpora, of.name, of.made)
    title = f"Words that are chosen in the first draw, n = {of.sizes[0]} (the paper's Tables 1 and 2)"
    words = {
        row["strategy"]: ["".join(pool.words(of.task.columns[0], one)) for one in row["chosen"]]
        for row in rows
        if "chosen" in row and row["budget"] == SENTENCES and row["strategy"] in (BY_Q, FUSAL)
    }
    if any(of.made):
        return Table(title, ("strategy", "words"), [(name, ", ".join(some)) for name, some in words.items()])
    return Excerpt("words", title, [f"{name}: {', '.join(some)}" for name, some in words.items()])
