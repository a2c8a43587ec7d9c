"""Tables and plots of random sampling, quotas and FuSAL: errors, and what they depend on (S11 Figures 2–5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Boxes, Cell, Excerpt, Series, Table
from sstag.experiments.plan import really_absent
from sstag.experiments.sokolovska2011.annotating import BY_Q, BY_STEPS, DRAWN, FUSAL, RANDOM, SENTENCES, TOKENS
from sstag.experiments.sokolovska2011.tasks import TASKS, Task, read
from sstag.experiments.spread import by_draw, comparison, shown, spread
from sstag.experiments.trials import Row
from sstag.experiments.variances import unlike_spread

ALL = (*DRAWN, BY_STEPS, FUSAL)
STRONGER = {"full": ((30.0,), 10), "smoke": ((10.0,), 1)}  # how many times l2, draws
COLD = 3  # draws of FuSAL that are trained from 0, too


@dataclass(frozen=True)
class Scale:
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


def errors_table(of: Scale, rows: Sequence[Row], budget: str, test: str) -> Table:
    """Errors of each strategy, and whether they and their spread are those of random sampling."""
    table: list[list[Cell]] = []
    chunks = of.task.chunks
    for size in of.sizes:
        each = {one: by_draw(rows, "error", size=size, strategy=one) for one in ALL}
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


def error_boxes(of: Scale, rows: Sequence[Row], name: str, title: str, strategies: Sequence[str]) -> Boxes:
    series = [
        Series(one, [[*by_draw(rows, "error", size=size, strategy=one).values()] for size in of.sizes])
        for one in strategies
    ]
    return Boxes(name, title, "sentences to learn from", "error, %", [str(size) for size in of.sizes], series)


def stronger_table(of: Scale, rows: Sequence[Row]) -> Table:
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


def closed_table(of: Scale, rows: Sequence[Row], closed: Sequence[Row]) -> Table:
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


def warm_and_cold_table(of: Scale, rows: Sequence[Row], cold: Sequence[Row]) -> Table:
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


def likeness_table(of: Scale, rows: Sequence[Row]) -> Table:
    size, table = of.sizes[0], []
    some = [row for row in rows if row["size"] == size and row["budget"] == SENTENCES]
    for strategy in ALL:
        each = [row for row in some if row["strategy"] == strategy]
        letters = spread([row["tokens"] / row["sentences"] for row in each])
        table.append([strategy, letters, spread([row["alike"] for row in each])])
    title = f"Words that are chosen, n = {size}: letters of a word; mean likeness of two (1 − edits / letters)"
    return Table(title, ("strategy", "letters", "likeness"), table)


def examples(of: Scale, corpora: Corpora, rows: Sequence[Row]) -> Block:
    """The words of the first draw, as in Tables 1 and 2; those of a corpus may not be passed on."""
    title = f"Words that are chosen in the first draw, n = {of.sizes[0]} (the paper's Tables 1 and 2)"
    if not any(of.made) and really_absent(of.task.files, corpora):
        return Excerpt("words", title, None)
    pool, _ = read(corpora, of.name, of.made)
    words = {
        row["strategy"]: ["".join(pool.words(of.task.columns[0], one)) for one in row["chosen"]]
        for row in rows
        if "chosen" in row and row["budget"] == SENTENCES and row["strategy"] in (BY_Q, FUSAL)
    }
    if any(of.made):
        return Table(title, ("strategy", "words"), [(name, ", ".join(some)) for name, some in words.items()])
    return Excerpt("words", title, [f"{name}: {', '.join(some)}" for name, some in words.items()])
