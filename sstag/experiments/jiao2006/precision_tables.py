"""The report on the distance to the paper's precision."""

from collections.abc import Iterator

from sstag.experiments.claims import over_test
from sstag.experiments.jiao2006 import alternatives
from sstag.experiments.jiao2006.gene_words import OFTEN
from sstag.experiments.jiao2006.precision import BIASED, FIGURES, WINDOW
from sstag.experiments.jiao2006.threshold import LABELLED
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row

TOLD = """## The distance to the paper's precision

The paper's supervised CRF has a precision of 73 at a recall of 33 on its E. Here are taggers of A alone on E: with
conjunctions; with a lexicon that raw text gives{lexicon}; with biases besides; and with a bias by
which as few mentions are found, for those that there are, as in the paper (45 %), which looks at E and is there to
compare. `overlapping` is the share of found
mentions that have a token of a gold one: if every
text that touches one were right, that would be the precision.{also}"""
HAS = " (words that {text} has at least {often} times before `gene`, `protein`, `mRNA` or the like)"
ALSO = """
By alternatives, a mention is right if it is one of the texts that GENETAG lists as good besides its gold, as its own
scorer counts (`Correct.Data` of the release)."""
WITHOUT = """
GENETAG's alternatives (`{file}`, of the release) are not among the corpora that were found, so nothing is scored by
them, and the column says how much they could do at most."""


def report(rows: list[Row]) -> Iterator[Block]:
    """Each tagger by gold mentions and by alternatives."""
    has = HAS.format(text="MEDLINE", often=OFTEN) if rows[0]["lexicon"] else ""
    also = ALSO if rows[0]["others"] else WITHOUT.format(file=alternatives.LISTED)
    yield TOLD.format(lexicon=has, also=also)
    ways = ["", *([" by alternatives"] if rows[0]["others"] else [])]
    table: list[list[Cell]] = []
    for system in dict.fromkeys(row["system"] for row in rows):
        some = [row for row in rows if row["system"] == system]
        against = comparison(by_draw(some, "precision"), by_draw(rows, "precision", system=WINDOW))
        line: list[Cell] = [system]
        line += [spread([row[f"{figure}{way}"] for row in some]) for way in ways for figure in FIGURES]
        line.append(spread([row["overlapping"] for row in some]))
        if against and system != WINDOW:
            table.append([*line, against.gain.mean, between(against.gain), against.verdict])
        else:
            table.append([*line, None, None, None])
    heads = [one for way in ways for one in (f"P{way}", "R", "F")]
    yield Table(
        "Taggers of A on E", ("features", *heads, "overlapping, %", "gain in P", "95 % of its mean", "p"), table
    )
    told = next(row["over test"] for row in rows if "over test" in row)
    yield over_test(f"for the CRF with {(BIASED if rows[0]['lexicon'] else LABELLED)} over the first row, in F", told)
