"""F against answers of yes and no, with a general dictionary and a smaller list: the trials, and the report on them."""

from collections.abc import Iterator
from statistics import fmean

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.experiments.tsuboi2008.answers import ASKED, NOES
from sstag.experiments.tsuboi2008.domains import ADS, GENERAL
from sstag.experiments.tsuboi2008.domains import FILES as NAMED
from sstag.experiments.tsuboi2008.figure3 import GENERATED, JAPANESE, priors
from sstag.experiments.tsuboi2008.segmentation import SYSTEMS
from sstag.foundation.json_values import Json

FILES = GENERAL
LISTED = 0.25  # of the terms
DRAWS = {"full": 10, "smoke": 2}
COUNTS = {"full": (100, 300), "smoke": (5, 20)}
STEP = 6.0
OURS = SYSTEMS[0]

TOLD = """### A general dictionary, a smaller list, and noes

As the paper has it more nearly: a general dictionary (the words of {text}, which are neither domain's) beside the list,
which has {share:.0f} % of the words that neither it nor the source has; and whoever answers is shown every place where
a listed term stands as a text, word or not, the least sure first. So answers are counted: of a half's {places:,.0f}
places {words:,.0f} are words, of {terms:,.0f} different terms (the paper: 224). A yes is learned from by all
systems, a no by `{noes}` alone, as what is no word. {draws} draws; where a half has fewer places than answers are
counted it is left out."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """One part, on web pages or on generated text."""
    yield Section(trials(scale, corpora), _report)


def trials(scale: str, corpora: Corpora) -> list[Trial]:
    """A trial for each draw."""
    files = [NAMED["wiki"], NAMED["kwdlc"]]
    generated = scale == "smoke" or bool(corpora.absent([*files, *GENERAL]))
    size = "smoke" if generated else scale
    base: dict[str, Json] = {
        "target": ADS if generated else "kwdlc",
        "sizes": list(GENERATED[scale].sizes if generated else JAPANESE),
    }
    step = GENERATED[scale].step if generated else STEP
    chosen = priors(scale, base, [] if generated else files, step)
    rest: dict[str, Json] = {"counts": list(COUNTS[size]), "general": True, "listed": LISTED}
    return [
        Trial(
            "sstag.experiments.tsuboi2008.answers:asked",
            {**base, **rest, "draw": draw},
            [] if generated else [*files, *GENERAL],
            chosen,
            cost=(6 + 2 * len(ASKED) * len(COUNTS[size])) * step,
        )
        for draw in range(1, DRAWS[scale] + 1)
    ]


def _report(rows: list[Row]) -> Iterator[Block]:
    places, words, terms = (fmean(row[name] for row in rows) for name in ("places", "words", "terms"))
    text = "generated text" if rows[0]["target"] == ADS else "other web pages and other pages of Wikipedia"
    draws = len({row["draw"] for row in rows})
    yield TOLD.format(text=text, share=100 * LISTED, places=places, words=words, terms=terms, noes=NOES, draws=draws)
    table: list[list[Cell]] = []
    for count in sorted({row["answers"] for row in rows}):
        found = {system: by_draw(rows, "f1", system=system, answers=count) for system in ASKED}
        yes = spread([*by_draw(rows, "yes", answers=count).values()])
        line: list[Cell] = [f"{count:,}", yes, *(spread([*one.values()]) for one in found.values())]
        for ours, theirs in ((NOES, OURS), *((OURS, other) for other in SYSTEMS[1:])):
            against = comparison(found[ours], found[theirs]) if count else None
            line += [against.gain.mean, between(against.gain), against.verdict] if against else [None, None, None]
        table.append(line)
    head = ["answers", "of them yes", *ASKED, "gain by noes", "95 % of its mean", "p"]
    for other in SYSTEMS[1:]:
        head += [f"gain over {other}", "95 % of its mean", "p"]
    yield Table("F by answers", head, table)
