"""Table 5 of T08, precision and average precision for ambiguous words: the trials, and the report on them."""

from collections.abc import Iterator
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.experiments.tsuboi2008 import ambiguous_tags
from sstag.experiments.tsuboi2008.ambiguous_tags import ADS, BROWN, FOLDS, GOLD_FIRST, LEAST, OTHERS, OURS

FILES = tuple(file for files in ambiguous_tags.FILES.values() for file in files)
OPENED = {"full": (82, 118), "smoke": (8, 12)}  # words, and sentences: as many as the paper's Penn Treebank has
MADE = {"full": 1_500, "smoke": 150}  # ads
DRAWS = {"full": 10, "smoke": 2}
SIZES = {"full": ({1: 1_480, 2: 2_960}, 11_840), "smoke": ({1: 20, 2: 40}, 50)}  # of the paper; other sentences, test
AT_DRAWS = {"full": 10, "smoke": 2}
AS_IT_IS = "GENIA"  # has open tags of its own
COSTS = {
    "GENIA": 15.0,
    "Penn Treebank": 4.0,
    "English Web Treebank": 6.0,
    ADS: 0.5,
    BROWN: 40.0,
}  # of the first exercise
PAPER = {  # P and APA
    1: {
        OURS: (94.39, 73.10),
        "random": (94.27, 71.58),
        "first": (94.26, 72.65),
        "frequent": (94.27, 71.68),
        "discarded": (94.19, 71.91),
    },
    2: {
        OURS: (95.08, 76.70),
        "random": (94.98, 74.27),
        "first": (94.97, 75.28),
        "frequent": (94.97, 74.32),
        "discarded": (94.98, 75.16),
    },
}

PROTOCOL = """## Ambiguous parts of speech (Table 5)

P is the share of tokens that are right; APA the mean over the ambiguous words of each one's share, here over those
with at least 1 and at least 10 occurrences in the test. Symbols are one tag, attributes are seen at least twice, l2 is
1. The paper learned from 118 Penn Treebank sentences with 82 words whose tag the annotators left open, and from 1,480
(exercise 1) or 2,960 (exercise 2) other sentences of these words, five times; it found the first system better than
each other one, in P and APA (p < .05)."""
NATURAL = """### {corpus}, with the tags that its annotators left open

All of its sentences with open tags, and other sentences of their words: most of these words occur nowhere else, so APA
is an average over few of them."""
CONTROLLED = """### {corpus}, with tags that we open

Of {words} confusable words (at least 10 occurrences, the second tag at least 10 % of them; drawn anew in every draw)
each tag in {sentences} sentences is opened: between the right tag and another one of the word's, drawn from its tags
elsewhere, in random order. `{gold_first}` is the same with the right tag written first: what is then learned from
is the gold."""


AT_SIZES = """### {corpus} at the paper's sizes

As many sentences as in the paper, with {words} words that are drawn as often as they occur, as a doubt of annotators
would fall on them: {open} sentences with open tags, {train} others to train on, {tested:,} to test on. Tags are mapped
to the 36 that the paper has; which are opened, and how, is as above. The paper has five trials, here are {draws}."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """The trials on each corpus."""
    there = [name for name, files in ambiguous_tags.FILES.items() if scale == "full" and not corpora.absent(files)]
    found = [name for name in there if name != BROWN]
    if len(there) < len(ambiguous_tags.FILES):
        found.append(ADS)
    for corpus in found:
        settings: Row = {
            "corpus": corpus,
            "made": MADE[scale] if corpus == ADS else 0,
            "opened": None if corpus == AS_IT_IS else OPENED[scale],
        }
        trials = [
            Trial(
                "sstag.experiments.tsuboi2008.ambiguous_tags:tagged",
                {**settings, "exercise": exercise, "draw": draw},
                ambiguous_tags.FILES.get(corpus, ()),
                cost=exercise * COSTS[corpus],
            )
            for exercise in FOLDS
            for draw in range(1, DRAWS[scale] + 1)
        ]
        sizes = Trial(
            "sstag.experiments.tsuboi2008.ambiguous_tags:sized",
            {**settings, "draws": DRAWS[scale]},
            ambiguous_tags.FILES.get(corpus, ()),
            cost=COSTS[corpus],
        )
        yield Section([*trials, sizes], partial(_report, first=corpus == found[0]))
    yield Section(at_sizes(scale, corpora), _report_at_sizes)


def at_sizes(scale: str, corpora: Corpora) -> list[Trial]:
    """The trials with as many sentences as the paper has."""
    files = ambiguous_tags.FILES[BROWN]
    generated = scale == "smoke" or bool(corpora.absent(files))
    train, test = SIZES["smoke" if generated else scale]
    words, opened = OPENED["smoke" if generated else scale]
    return [
        Trial(
            "sstag.experiments.tsuboi2008.ambiguous_tags:tagged",
            {
                "corpus": ADS if generated else BROWN,
                "made": MADE["smoke"] if generated else 0,
                "opened": [words, opened],
                "exercise": exercise,
                "draw": draw,
                "sizes": [train[exercise], test],
            },
            () if generated else files,
            cost=COSTS[ADS if generated else BROWN],
        )
        for exercise in FOLDS
        for draw in range(1, AT_DRAWS[scale] + 1)
    ]


def _report(rows: list[Row], first: bool) -> Iterator[Block]:
    """The report: which tags were opened, and a table for each exercise."""
    if first:
        yield PROTOCOL
    corpus, opened = rows[0]["corpus"], rows[0]["opened"]
    if opened:
        yield CONTROLLED.format(corpus=corpus, words=opened[0], sentences=opened[1], gold_first=GOLD_FIRST)
    else:
        yield NATURAL.format(corpus=corpus)
    yield from _tables(rows)


def _report_at_sizes(rows: list[Row]) -> Iterator[Block]:
    corpus, (words, opened), (_, tested) = rows[0]["corpus"], rows[0]["opened"], rows[0]["sizes"]
    train = " and ".join(f"{size:,}" for size in sorted({row["sizes"][0] for row in rows}))
    draws = len({row["draw"] for row in rows})
    yield AT_SIZES.format(corpus=corpus, words=words, open=opened, train=train, tested=tested, draws=draws)
    yield from _tables(rows)


def _tables(rows: list[Row]) -> Iterator[Block]:
    """A table for each exercise."""
    corpus = rows[0]["corpus"]
    figures = {"p": "P", **{f"apa {least}": f"APA ≥ {least}" for least in LEAST}}
    for exercise in FOLDS:
        here = [row for row in rows if row["exercise"] == exercise and "system" in row]
        sizes = [row for row in rows if row["exercise"] == exercise and "tested" in row]
        systems = [system for system in (OURS, *OTHERS) if any(row["system"] == system for row in here)]
        table = []
        for system in systems:
            cells: list[Cell] = [system]
            for figure in figures:
                found = by_draw(here, figure, system=system)
                cells.append(spread([*found.values()]))
                against = comparison(by_draw(here, figure, system=OURS), found)
                cells.append(against.verdict if against and system != OURS else None)
            table.append([*cells, *PAPER[exercise].get(system, (None, None))])
        head = ["system", *(text for figure in figures.values() for text in (figure, "p")), "paper's P", "paper's APA"]
        at = " at the paper's sizes" if "sizes" in rows[0] else ""
        yield Table(f"{corpus}{at}, exercise {exercise}", head, table)
        words = {least: spread([row[f"words {least}"] for row in here]) for least in LEAST}
        averaged = [f"{found.mean:.1f} with at least {least}" for least, found in words.items() if found]
        sized = [spread([row[name] for row in sizes]) for name in ("open", "others", "tested")]
        counts = [f"{one.mean:,.0f}" for one in sized if one]
        yield (
            f"Words in these averages: {', '.join(averaged)}. Sentences: {counts[0]} with open tags and {counts[1]} "
            f"others to train on, {counts[2]} to test on."
        )
