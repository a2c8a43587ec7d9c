"""A second look at raw text beside one look, on corpora that chose its settings and on corpora that did not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block
from sstag.experiments.representations.eyes import ENCODED, MINILM, OWN_BOTH, SPELLINGS, files_of, lines_of
from sstag.experiments.representations.tasks import ADS, Task
from sstag.experiments.second_look.claims import Aim, aims, apart, bounds
from sstag.experiments.second_look.report import beside, by_corpus, by_size, costs
from sstag.experiments.second_look.texts import (
    ALL,
    APART,
    CHARACTERS,
    DEVELOPMENT,
    MORPHOLOGY,
    RECORDS,
    SEGMENTATION,
    TASKS,
    WORDS,
    files_judged_on,
    judged_on,
)
from sstag.experiments.second_look.ways import OTHERS
from sstag.experiments.trials import Experiment, Row, Section, Trial

TITLE = "A second look at raw text"
WHERE = "sstag.experiments.second_look.ways"
RAW = 2000  # raw sentences, at most
L2 = 0.1  # the usual prior
OF_WORDS = (
    "predicted(lower(WORD[-1..1]))",
    "predicted(suffix(lower(WORD[0]), 2..4))",
    "predicted(prefix(lower(WORD[0]), 2..4))",
    "predicted(short_shape(WORD[0]))",
)
OF_CHARACTERS = ("predicted(WORD[-1..1])", "predicted(WORD[-1] | WORD[0])", "predicted(WORD[0] | WORD[1])")
LOOKS: Mapping[str, Sequence[str]] = {  # what is asked of the first look, by template
    WORDS: OF_WORDS,
    RECORDS: OF_WORDS,
    MORPHOLOGY: OF_WORDS,
    CHARACTERS: OF_CHARACTERS,
    SEGMENTATION: OF_CHARACTERS,
}
SIZES = (100, 500)  # labelled sentences of development corpora
DRAWS: Mapping[tuple[str, int], int] = {  # of these, by what is seen
    (SPELLINGS, 100): 5,
    (SPELLINGS, 500): 3,
    (OWN_BOTH, 100): 5,
    (OWN_BOTH, 500): 1,
    (MINILM, 100): 3,
    (MINILM, 500): 0,
}
OTHER_DRAWS, SMALL_DRAWS = 1, 2  # of other uses of raw text, and of generated ads
NOT_ALL = ("snips",)  # corpora that are not learned as a whole, which takes an hour
DRAWS_APART: Mapping[int, int] = {10: 10, 50: 10, 100: 10, 500: 10, ALL: 1}  # by labelled sentences
SMALL = ("citations", "seminars")  # corpora without 500 sentences to label
SEEN = {
    SPELLINGS: "spellings",
    OWN_BOTH: "spellings, own clusters and vectors",
    MINILM: "spellings and a frozen MiniLM",
}
WITH_ENCODER = ("conll2003", "bc1gm", "ewt", "citations")  # English corpora
SECONDS = {SPELLINGS: 1.0, OWN_BOTH: 2.0, MINILM: 4.0, ENCODED: 5.0}  # about, beside each other
AIMS = (  # on names in news, with the figures that `results/representations` has for one look
    Aim(OWN_BOTH, 100, 5, 70.0, 66.41),
    Aim(ENCODED, 100, 3, 76.0, 73.04),
)


def _listed(lines: Sequence[str]) -> str:
    return ", ".join(f"`{line}`" for line in lines)


ABOUT = f"""One look is a CRF that learns from the labelled sentences. Two looks are `predicted(…)`: this CRF reads up
to {RAW:,} raw sentences, the labels that it finds are counted, and a second CRF with these counts among its features
learns from the same labelled sentences. When it tags, it knows the counts of the raw text alone (`--context none`), or
the test is read once, too, and counted (`--context file`). Sentences are drawn at random, raw ones from the rest of the
same file, and of citations from a file of their own. The prior is the usual one, l2 = {L2}; the templates `words`,
`records`, `morphology`, `characters` and, for Japanese words, `segmentation` come with sstag, and are used as they are.

Two looks have these lines besides, in which `WORD` is the column of the words: {_listed(OF_WORDS)}; where a token is a
character, {_listed(OF_CHARACTERS)}. Lines, constants, templates and the prior are one choice for all corpora, made on
the development corpora together; so the figures on these are development figures, and the six corpora that chose
nothing were judged once, after all settings and claims were committed.

A figure is of a whole test set, mean ± standard deviation over the draws; gains are over one look on the same draws,
and p is of Wilcoxon's signed ranks."""


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Every corpus with one look and with two; generated ads where files are absent."""
    small = _sections([TASKS[ADS.name]], [], (5, 10), (SPELLINGS, OWN_BOTH), 20)
    if scale == "smoke":
        return Experiment(TITLE, small)
    every = _sections(DEVELOPMENT, APART, SIZES, tuple(SEEN), RAW)
    absent = corpora.absent(dict.fromkeys(file for part in every for trial in part.trials for file in trial.data))
    if not absent:
        return Experiment(TITLE, every)
    there = [replace(part, trials=[one for one in part.trials if not corpora.absent(one.data)]) for part in every]
    return Experiment(TITLE, [*(part for part in there if part.trials), *small], absent)


def _sections(
    development: Sequence[Task], others: Sequence[Task], sizes: Sequence[int], seen: Sequence[str], raw: int
) -> list[Section]:
    """The trials on both kinds of corpora, and the reports on them; the claims are about all."""
    by_seen = {
        one: [
            _trial(task, judged_on(task), one, size, raw, draw)
            for size, task in product(sizes, development)
            if (size == min(sizes) or task.name not in SMALL) and (one != MINILM or task.name in WITH_ENCODER)
            for draw in range(1, DRAWS.get((one, size), SMALL_DRAWS) + 1)
        ]
        for one in seen
    }
    size = min(sizes)
    of_others = [
        _other(task, size, raw, draw, way)
        for task, draw, way in product(development, range(1, OTHER_DRAWS + 1), OTHERS)
    ]
    of_apart = [
        _trial(task, "test", SPELLINGS, size, raw, draw)
        for size, task in product(DRAWS_APART, others)
        if size != ALL or task.name not in NOT_ALL
        for draw in range(1, DRAWS_APART[size] + 1)
    ]
    of_aims = [
        _trial(DEVELOPMENT[0], "test", aim.seen, aim.sentences, raw, draw)
        for aim in (AIMS if others else ())
        for draw in range(1, aim.draws + 1)
    ]
    every = [*of_apart, *(trial for trials in by_seen.values() for trial in trials)]
    return [
        Section([], lambda rows: [ABOUT]),
        *(Section(trials, partial(_of_development, one, development, sizes)) for one, trials in by_seen.items()),
        Section([*by_seen[SPELLINGS], *of_others], partial(_of_others, development, size)),
        Section(of_apart, partial(_of_apart, others)),
        Section([*every], partial(_of_claims, development, others, sizes)),
        Section(of_aims, partial(aims, DEVELOPMENT[0], AIMS)),
    ]


def _trial(task: Task, on: str, seen: str, sentences: int, raw: int, draw: int) -> Trial:
    lines = lines_of(seen)
    settings: Row = {
        "task": task.name, "on": on, "lines": lines, "looks": list(LOOKS[task.template]), "sentences": sentences,
        "raw": raw, "draw": draw, "l2": L2,
    }  # fmt: skip
    data = dict.fromkeys([*files_judged_on(task, on), *files_of(task, lines)])
    return Trial(
        f"{WHERE}:looked",
        settings,
        list(data),
        cost=5 * SECONDS[seen] * (20 if sentences == ALL else 1 + sentences / 200),
    )


def _other(task: Task, sentences: int, raw: int, draw: int, way: str) -> Trial:
    settings: Row = {
        "task": task.name, "on": judged_on(task), "looks": list(LOOKS[task.template]), "sentences": sentences,
        "raw": raw, "draw": draw, "l2": L2, "way": way,
    }  # fmt: skip
    return Trial(f"{WHERE}:learned", settings, files_judged_on(task, judged_on(task)), cost=10.0)


def _of_development(seen: str, tasks: Sequence[Task], sizes: Sequence[int], rows: list[Row]) -> Iterator[Block]:
    yield f"## Development corpora, {SEEN[seen]}"
    yield by_corpus(
        f"{SEEN[seen][:1].upper()}{SEEN[seen][1:]}: F₁, or accuracy of parts of speech and fields",
        tasks,
        sizes,
        seen,
        rows,
    )
    yield costs(tasks, sizes, seen, rows)


def _of_others(tasks: Sequence[Task], size: int, rows: list[Row]) -> Iterator[Block]:
    yield "## Other uses of the same raw text"
    yield from beside(tasks, size, SPELLINGS, rows)


def _of_apart(tasks: Sequence[Task], rows: list[Row]) -> Iterator[Block]:
    if not tasks:
        return
    yield "## Corpora that chose nothing"
    for task in tasks:
        yield by_size(task, [*DRAWS_APART], SPELLINGS, rows)
    yield costs(tasks, [*DRAWS_APART], SPELLINGS, rows)


def _of_claims(
    development: Sequence[Task], others: Sequence[Task], sizes: Sequence[int], rows: list[Row]
) -> Iterator[Block]:
    yield "## What was claimed before the runs"
    yield from bounds(development, sizes, rows)
    if others:
        yield from apart(others, [*DRAWS_APART], rows)
