"""F against minutes: what the ways of annotating in the workbench bring, with simulated annotators at its API."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sstag.experiments.annotation_minutes.tasks import ADS, GENES, NAMES, TASKS, Task
from sstag.experiments.annotation_minutes.ways import RANDOM, SENTENCES, SPANS, STRATEGY, WAYS, WORDS
from sstag.experiments.claims import Claim, claimed
from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.spread import Spread, comparison, spread
from sstag.experiments.trials import Experiment, Row, Section, Trial
from sstag.experiments.workbench.effort import USUAL, Effort, Times
from sstag.experiments.workbench.person import AROUND, CONTEXTS, MOSTLY

TITLE = "Annotation minutes: F against time in the workbench"
MINUTES, SMOKE_MINUTES = 30.0, 2.0
DRAWS = 3
SIZES = (1000, 500)  # sentences of pool and test set
CLAIMED = ((SENTENCES, RANDOM), (SPANS, SENTENCES), (WORDS, SENTENCES))  # ways, at the end of the minutes
SERVER = ("starlette", "uvicorn")  # packages
SHOWN = (2.5, 5.0, 10.0, 15.0, 20.0, 25.0)
PEOPLE: Mapping[str, Times] = {
    "as above": USUAL,
    "reads 175 words a minute": Times(word=60 / 175),
    "reads 300 words a minute": Times(word=60 / 300),
    "makes up the mind in half the time": Times(decision=USUAL.decision / 2),
    "makes up the mind in twice the time": Times(decision=2 * USUAL.decision),
}


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Each corpus without an encoder and with one; generated ads alone where files are absent."""
    if scale == "smoke":
        few = [_section(ADS, False, (40, 10), 2, SMOKE_MINUTES)]
        return Experiment(TITLE, [_about(SMOKE_MINUTES), *few, _claims(few, SMOKE_MINUTES)])
    wanted = [(task, encoder) for task in (NAMES, GENES, ADS) for encoder in (False, True)]
    absent = corpora.absent(dict.fromkeys(file for task, encoder in wanted for file in task.files(encoder)))
    there = [(task, encoder) for task, encoder in wanted if not corpora.absent(task.files(encoder))]
    parts = [_section(task, encoder, SIZES, DRAWS, MINUTES) for task, encoder in there]
    return Experiment(TITLE, [_about(MINUTES), *parts, _claims(parts, MINUTES)], absent)


def _about(minutes: float) -> Section:
    """A paragraph on how this is simulated, and which times are taken."""
    said = f"""Somebody who knows all the right answers gives them through the API of a running `sstag annotate`, one
after another, in four ways:

- **{WAYS[RANDOM].title}**: as in a tool without a model; every span is marked by hand;
- **{WAYS[SENTENCES].title}**: what `--strategy {STRATEGY}` asks, thirty sentences at random and then those of
  which the model is least sure for the time that they take; with suggestions, what is right is accepted by one key;
- **{WAYS[SPANS].title}**: {WAYS[SPANS].share * minutes:g} minutes of that, then yes or no to the spans that the model
  doubts most;
- **{WAYS[WORDS].title}**: {WAYS[WORDS].share * minutes:g} minutes of words, which get the label that they have in
  {MOSTLY:.0%} of their places, or "knows nothing"; then sentences with suggestions. Words are those that cover most
  tokens.

Trainings are those of the workbench: in the background after ten new answers, or 5 % more. The simulated person waits
for them while the clock stands still, so the page does not depend on the machine. A person who does not wait answers
a few questions more before the next model is there.

**Times.** Reading takes {USUAL.word:.2f} s a word (238 words a minute: Brysbaert 2019, *How many words do we read per
minute?*, Journal of Memory and Language 109). Acts take what the keystroke-level model says (Card, Moran and Newell
1980, Communications of the ACM 23(7)): {USUAL.decision} s to make up one's mind, {USUAL.pointing} s to point with the
mouse, {USUAL.key} s for a key or a button.

| act | takes |
| --- | --- |
| a sentence | reading it, making up one's mind, one key |
| a span to be marked | making up one's mind, pointing at its ends (once if it is one token), two or three keys |
| a suggestion that has to go | making up one's mind, pointing, two keys |
| a span in context | reading it and {AROUND} words on either side, making up one's mind, one key |
| a word | reading it and {CONTEXTS} contexts of {AROUND} words on either side, making up one's mind, one key |

Others have measured what this can be compared with: words are labelled in about a fifth of the time of documents
(Raghavan, Madani and Jones 2005, IJCAI), yes or no to proposed names spares up to 58 % of the effort (Ganchev et al.
2007, Linguistic Annotation Workshop), and what active learning saves in sentences it may lose in minutes (Clancy,
Bayer and Kozierok 2012, MITRE), because the sentences that it asks about are long. The simulated person makes no
mistakes and never tires."""
    return Section([], lambda rows: [said])


def _claims(parts: Sequence[Section], minutes: float) -> Section:
    """Claims of all corpora, which were written down before the trials of this page were run."""

    def claims(rows: list[Row]) -> Iterator[Block]:
        yield "## What is claimed\n\nF₁ at the end: suggestions over none, then each other beginning over sentences."
        found = []
        for task, encoder in dict.fromkeys((row["task"], row["encoder"]) for row in rows):
            here = [row for row in rows if (row["task"], row["encoder"]) == (task, encoder)]
            for pair in CLAIMED:
                says = f"{TASKS[task].title}{', with MiniLM' if encoder else ''}: {' over '.join(pair)}"
                found.append(Claim(says, *(_found(here, way, minutes) for way in pair)))
        yield claimed(found)

    return Section([trial for part in parts for trial in part.trials], claims)


def _section(task: Task, encoder: bool, sizes: tuple[int, int], draws: int, minutes: float) -> Section:
    function, first = f"{__name__}.ways:annotated", 90.0 - encoder / 2  # a draw is whole before the next one begins
    same: Row = {"task": task.name, "encoder": encoder, "sizes": list(sizes), "minutes": minutes}
    trials = [
        Trial(function, {"way": way, "draw": draw, **same}, task.files(encoder), cost=first - draw, packages=SERVER)
        for draw in range(1, draws + 1)
        for way in WAYS
    ]
    return Section(trials, partial(_report, task, encoder, sizes, draws, minutes))


def _report(
    task: Task, encoder: bool, sizes: tuple[int, int], draws: int, minutes: float, rows: list[Row]
) -> Iterator[Block]:
    name = f"{task.title}, with MiniLM" if encoder else task.title
    shown = [one for one in SHOWN if one < minutes] + [minutes]
    yield (
        f"## {name}\n\nA pool of {sizes[0]:,} sentences, {sizes[1]:,} others to test on, {_draws(draws)} of the pool; "
        f"the template `{task.template}`, without columns of other taggers."
    )
    at = {way: [_found(rows, way, moment) for moment in shown] for way in WAYS}
    table: list[list[Cell]] = [
        [WAYS[way].title, *(spread([*one.values()]) for one in found)] for way, found in at.items()
    ]
    yield Table(f"F₁ after so many minutes: {name}", ("way", *(f"{moment:g}" for moment in shown)), table)
    yield _last(name, at, rows)
    lines = [Line(WAYS[way].title, shown, [_spread(one) for one in found]) for way, found in at.items()]
    yield Plot(f"{task.name}{'-encoder' if encoder else ''}", name, "minutes of annotation", "F₁", lines)
    if not encoder:
        yield _others(name, rows, shown[len(shown) // 2])


def _draws(count: int) -> str:
    return "one draw" if count == 1 else f"{count} draws"


def _found(rows: list[Row], way: str, moment: float, times: Times = USUAL) -> dict[int, float]:
    """The figure of each draw at a moment: that of the last model which was learned before; 0 if there was none."""
    own = [row for row in rows if row["way"] == way]
    draws = sorted({row["draw"] for row in own})
    return {draw: _at([row for row in own if row["draw"] == draw], moment, times) for draw in draws}


def _at(rows: Sequence[Row], moment: float, times: Times) -> float:
    before = [row for row in rows if _seconds(row, times) <= 60 * moment or moment == row["minutes"]]
    return float(before[-1]["f1"]) if before else 0.0


def _seconds(row: Row, times: Times) -> float:
    return Effort(row["words"], row["decisions"], row["pointings"], row["keys"]).seconds(times)


def _spread(found: Mapping[int, float]) -> Spread:
    made = spread([*found.values()])
    assert made
    return made


def _last(name: str, at: Mapping[str, Sequence[Mapping[int, float]]], rows: list[Row]) -> Table:
    """The end, draw by draw against sentences at random; and what had been answered."""
    table: list[list[Cell]] = []
    for way, found in at.items():
        ends = [max((row for row in rows if (row["way"], row["draw"]) == (way, draw)), key=lambda row: row["model"])
                for draw in found[-1]]  # fmt: skip
        versus = None if way == RANDOM else comparison(found[-1], at[RANDOM][-1])
        counts = [spread([float(row[count]) for row in ends]) for count in ("answers", "sentences", "tokens", "model")]
        cells: list[Cell] = [versus.gain, f"{versus.wins} of {versus.gain.count}"] if versus else [None, None]
        table.append([WAYS[way].title, *counts, spread([*found[-1].values()]), *cells])
    head = ("way", "answers", "sentences", "tokens", "models", "F₁", "above the first", "better in")
    return Table(f"At the end: {name}", head, table)


def _others(name: str, rows: list[Row], moment: float) -> Table:
    """The figures of people who are faster or slower, at one moment; the same answers, on another clock."""
    table: list[list[Cell]] = [
        [who, *(spread([*_found(rows, way, moment, times).values()]) for way in WAYS)] for who, times in PEOPLE.items()
    ]
    return Table(f"F₁ after {moment:g} minutes of somebody else: {name}", ("who", *WAYS), table)
