"""Learning curves of every strategy on words to pronounce and on names: what Sokolovska (2011, §6) leaves open.

The paper compares random sampling, quotas and FuSAL at a few sizes; here are whole curves, of entropies, of parts of
sentences and of self-labelling too, by tokens and by sentences. Each draw has its own first sentences; the pool and the
test sentences stay.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected
from sstag.experiments.claims import Claim, claimed
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.curves import PoolRows, curves, last_scores, plots, starts, tables
from sstag.experiments.fitting import CLIMBED
from sstag.experiments.page import Block
from sstag.experiments.samples.ads import ads
from sstag.experiments.simulated import curve, warm_and_cold
from sstag.experiments.trials import Experiment, Row, Section, Trial
from sstag.selection.density.file import density_of_text
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import TOKENS, Scene
from sstag.selection.simulation.variant import variant
from sstag.selection.strategies import CHANCE

TITLE = "Learning curves: what to annotate next"
SEED = 2011
DRAWS = 10
QUOTAS = ("quota", "quota:by=length", "quota:by=q-per-token")
SENTENCES = ("fusal", "margin", "entropy", "token-entropy", "density", "entropy:diverse=0.5")
PARTS = ("sesal", "sesal:confidence=0.9", "token-entropy:spans")
OF_SPANS = ("span-entropy", "span-entropy:spans")
CLAIMED = ("quota", "fusal", "margin", "token-entropy", "sesal", "token-entropy:spans")  # each over chance
CLAIMS = """## What is claimed

One comparison of each strategy with random sentences, at as many tokens: the most of its curve. p is corrected for all
of these (Holm). The figures were known when these comparisons were written down, and those at fewer tokens are
described without a test."""
GROUPS = {  # of plots
    "quotas": QUOTAS,
    "sentences": (*SENTENCES, "span-entropy"),
    "parts": (*PARTS, "span-entropy:spans"),
}


@dataclass(frozen=True)
class Task:
    """A corpus and how much of it is used."""

    name: str
    title: str
    files: tuple[str, str]  # pool and test; nothing: generated text
    columns: tuple[str, ...]
    template: str
    sizes: tuple[int, int]  # sentences of pool and test
    totals: tuple[int, ...]  # tokens
    strategies: tuple[str, ...]
    batches: tuple[int, ...]  # small ones, for warm starts


NETTALK = Task(
    "nettalk", "NetTalk", ("nettalk/parts/part0.txt", "nettalk/parts/part9.txt"), ("letter", "phoneme"),
    "templates/letters", (1628, 800), (100, 200, 400, 800, 1600, 3200), (CHANCE, *QUOTAS, *SENTENCES, *PARTS),
    (3000, 3050, 3100, 3150, 3200),
)  # fmt: skip
NAMES = Task(
    "conll2003", "CoNLL-2003", ("conll2003/eng.train.gz", "conll2003/eng.testa"), ("word", "pos", "chunk", "ner"),
    "templates/ner", (2000, 1000), (250, 500, 1000, 2000, 4000, 8000),
    (CHANCE, *QUOTAS, *SENTENCES, *PARTS, *OF_SPANS), (4000, 4100, 4200, 4300, 4400),
)  # fmt: skip
SMALL = Task(
    "ads", "Generated ads", ("", ""), ("word", "field"), "templates/ads", (40, 20), (150, 300),
    (CHANCE, "quota", "entropy", "sesal", "token-entropy:spans"), (150, 200),
)  # fmt: skip


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Both corpora; generated text where they are absent."""
    absent = [] if scale == "smoke" else corpora.absent([*NETTALK.files, *NAMES.files])
    tasks = [SMALL] if scale == "smoke" else [_present(NETTALK, corpora), _present(NAMES, corpora)]
    draws = 2 if scale == "smoke" else DRAWS
    sections = [part for task in tasks for part in _sections(task, draws)]
    every = [trial for section in sections for trial in section.trials if trial.function.endswith(":learned")]
    return Experiment(TITLE, [*sections, Section(every, partial(_claims, tasks))], absent)


def _present(task: Task, corpora: Corpora) -> Task:
    if not corpora.absent(task.files):
        return task
    return replace(
        task, files=("", ""), title=f"{task.title}: generated ads", columns=SMALL.columns, template=SMALL.template
    )


def _sections(task: Task, draws: int) -> Iterator[Section]:
    data = [file for file in task.files if file]
    same: Row = {
        "corpus": task.name, "files": task.files, "columns": task.columns, "template": task.template,
        "sizes": task.sizes,
    }  # fmt: skip
    trials = [
        Trial(f"{__name__}:learned", {"strategy": text, "draw": draw, **same, "totals": task.totals}, data, cost=6.0)
        for draw in range(1, draws + 1)
        for text in task.strategies
    ]
    yield Section(trials, partial(_report, task, draws))
    timed: Row = {"strategy": "entropy", "draw": 1, **same, "totals": task.batches}
    yield Section([Trial(f"{__name__}:compared", timed, data, cost=5.0, alone=True)], partial(_report_of_starts, task))


def learned(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, strategy: str, draw: int, corpus: str, files: Sequence[str],
    columns: Sequence[str], template: str, sizes: Sequence[int], totals: Sequence[int],
) -> list[Row]:  # fmt: skip
    """The rounds of one strategy."""
    scene, test = _scene(corpora, files, columns, template, sizes)
    return curve(scene, variant(strategy, draw).wish, totals, TOKENS, test)


def compared(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, strategy: str, draw: int, corpus: str, files: Sequence[str],
    columns: Sequence[str], template: str, sizes: Sequence[int], totals: Sequence[int],
) -> list[Row]:  # fmt: skip
    """Rounds of few sentences, trained from the last model (warm) and from nothing (cold)."""
    scene, test = _scene(corpora, files, columns, template, sizes)
    return warm_and_cold(scene, variant(strategy, draw).wish, totals, TOKENS, test)


def _scene(
    corpora: Corpora, files: Sequence[str], columns: Sequence[str], template: str, sizes: Sequence[int]
) -> tuple[Scene, Corpus]:
    """The pool, and the sentences to test on: the same in every draw."""
    rng = np.random.default_rng(SEED)
    texts = [_part(corpora, file, columns, size, rng) for file, size in zip(files, sizes, strict=True)]
    annotator = Annotator(texts[0], columns[-1])
    density = density_of_text([annotator.text])
    return Scene(shipped_template(template), annotator, parameters=CLIMBED, density=density), texts[1]


def _part(corpora: Corpora, file: str, columns: Sequence[str], size: int, rng: np.random.Generator) -> Corpus:
    if not file:
        return corpus_of(list(ads(size, rng)), tuple(columns))
    whole = corpora.read(file, columns)
    return selected(whole, rng.permutation(whole.sentences) < size)


def _report(task: Task, draws: int, rows: list[Row]) -> list[Block]:
    pool = PoolRows(rows, task.title, task.name)
    made = curves(pool)
    said = (
        f"## {task.title}\n\nA pool of {task.sizes[0]:,} sentences, {task.sizes[1]:,} others to test on, "
        f"{draws} draws; what needs a model begins with random sentences, the same for all strategies of a draw. As "
        "tokens count those whose label was asked for; a sentence counts as looked at if one of its tokens was."
    )
    groups = [
        block
        for name, strategies in GROUPS.items()
        for block in plots(pool, [one for one in made if one.strategy in (CHANCE, *strategies)], name)
    ]
    return [said, *tables(pool, made), *groups]


def _report_of_starts(task: Task, rows: list[Row]) -> list[Block]:
    return list(starts(rows, f"{task.title}, entropy"))


def _claims(tasks: Sequence[Task], rows: list[Row]) -> Iterator[Block]:
    yield CLAIMS
    found = []
    for task in tasks:
        pool = PoolRows([row for row in rows if row["corpus"] == task.name], task.title)
        for strategy in (one for one in CLAIMED if one in task.strategies):
            says = f"{task.title}, {task.totals[-1]:,} tokens: {strategy} over {CHANCE}"
            found.append(Claim(says, last_scores(pool, strategy), last_scores(pool, CHANCE)))
    yield claimed(found)
