"""Figure 3 of T08, F against the number of marked words: the trials, and the report on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.experiments.tsuboi2008.domains import ADS, GENERAL
from sstag.experiments.tsuboi2008.domains import FILES as NAMED
from sstag.experiments.tsuboi2008.segmentation import RANDOM, SYSTEMS, best_l2
from sstag.foundation.json_values import Json

FILES = (*NAMED.values(), *GENERAL)
WHERE = "sstag.experiments.tsuboi2008.segmentation"
STEP = 6.0  # about how many seconds a training from the weights of the source domain takes
PRIORS = {"full": (0.03, 0.1, 0.3, 1.0), "smoke": (1.0,)}


@dataclass(frozen=True)
class _Target:
    """A target domain: what it is called, how many sentences A, B and C have, and what is drawn and marked."""

    name: str
    called: str
    sizes: tuple[int, int, int]
    draws: int
    counts: tuple[int, ...]
    word_list: bool = True
    step: float = STEP
    changes: Mapping[str, Json] = field(default_factory=dict)  # settings of its trials besides
    plotted: str = ""  # the name of its plot, if it has one

    @property
    def files(self) -> list[str]:
        return [] if self.name == ADS else [NAMED[name] for name in dict.fromkeys(("wiki", "kwdlc", self.name))]


JAPANESE = (11_700, 1_300, 1_000)
COUNTS = (100, 300, 500, 1_000)
TARGETS = (
    _Target("kwdlc", "web pages", JAPANESE, 10, COUNTS, plotted="figure3-kwdlc"),
    _Target("hospital", "complaints about hospitals", JAPANESE, 5, (100, 300), plotted="figure3-hospital"),
    _Target(
        "kwdlc",
        "web pages, the word list not in the dictionary",
        JAPANESE,
        5,
        (300, 1_000),
        word_list=False,
        plotted="figure3-kwdlc-without-list",
    ),
    _Target(
        "kwdlc",
        "web pages, features of two characters and their types alone",
        JAPANESE,
        10,
        COUNTS,
        step=2.0,
        changes={"template": "characters"},
        plotted="figure3-kwdlc-characters",
    ),
    _Target("kwdlc", "web pages, words marked at random", JAPANESE, 5, (300,), changes={"ranking": RANDOM}),
    _Target("kwdlc", "web pages, l2 ten times what was chosen", JAPANESE, 5, (300,), changes={"stronger": 10.0}),
)
GENERATED = {
    "full": _Target(ADS, "generated ads", (1_500, 200, 300), 10, (20, 50, 100, 200), step=1.0, plotted="figure3-ads"),
    "smoke": _Target(ADS, "generated ads", (100, 30, 60), 2, (5, 20), step=0.1, plotted="figure3-ads"),
}

PROTOCOL = """## Word segmentation (Figure 3)

Source domain: {train:,} sentences of {source} to train on, {validation:,} to choose l2 on (with the dictionary of the
first draw). Target domain: {test:,} sentences, or all there are; one half is marked in part and the other is the test,
then the other way round; the draws differ in these sentences. The word list, which stands for a dictionary of the
domain, has the words of the rest of the target domain that the source has not; the dictionary of the features is this
list and the words that the source has twice. Occurrences of listed words are ranked by the entropy of their span under
the CRF of the source domain, and so many are marked. `argmax` fills the other labels of the marked sentences in by that
CRF, `pointwise` has no label pairs. Mean ± standard deviation over the draws, each the mean of its two halves; p is of
Wilcoxon's signed ranks over the draws.

The paper (conversation → medical manual, two trials): F 96.84 on the source domain, 92.3 on the target before
adaptation; marginalised above argmax and pointwise at every number of marked words (p < .05; it prints a curve and no
figures)."""
BORROWED = "Nothing of this domain is left beside them: the list is that of the web pages."


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """The trials that choose l2, and those of each target domain."""
    targets = [one for one in TARGETS if scale == "full" and not corpora.absent(one.files)]
    if len(targets) < len(TARGETS):
        targets.append(GENERATED[scale])
    described: list[dict[str, Json]] = []
    for target in targets:
        base: dict[str, Json] = {"target": target.name if target.name == ADS else "kwdlc", "sizes": list(target.sizes)}
        base |= {name: target.changes[name] for name in ("template",) if name in target.changes}
        on_source = priors(scale, base, [name for name in target.files if name != NAMED["hospital"]], target.step)
        steps = 6 + 2 * (len(SYSTEMS) * len(target.counts) + 1)  # the two cold ones take as long as six
        rest = {"target": target.name, "word_list": target.word_list, "counts": list(target.counts), **target.changes}
        on_target = [
            Trial(f"{WHERE}:on_target", {**base, **rest, "draw": draw}, target.files, on_source, steps * target.step)
            for draw in range(1, target.draws + 1)
        ]
        if base not in described:
            yield Section(on_source, partial(_report_of_source, first=not described))
            described.append(base)
        yield Section(on_target, partial(_report, target))


def priors(scale: str, base: Mapping[str, Json], files: Sequence[str], step: float) -> list[Trial]:
    """The trials on the source domain that choose l2."""
    return [
        Trial(f"{WHERE}:on_source", {**base, "edges": edges, "l2": l2}, files, cost=3 * step)
        for edges in (True, False)
        for l2 in PRIORS[scale]
    ]


def _report_of_source(rows: list[Row], first: bool) -> Iterator[Block]:
    """How l2 is chosen; and before everything else, how it is all done."""
    source = "generated ads" if rows[0]["target"] == ADS else "Wikipedia"
    features = f", features of `{rows[0]['template']}.yaml`" if "template" in rows[0] else ""
    if first:
        train, validation, test = rows[0]["sizes"]
        yield PROTOCOL.format(source=source, train=train, validation=validation, test=test)
    head = ("system", *(f"l2 = {row['l2']:g}" for row in rows if row["edges"]), "chosen", "paper's F")
    yield Table(
        f"F on the source domain, {source}, by which l2 is chosen{features}",
        head,
        [
            (name, *(row["f1"] for row in rows if row["edges"] == edges), f"{best_l2(rows, edges):g}", paper)
            for name, edges, paper in (("CRF", True, 96.84), ("pointwise", False, None))
        ],
    )


def _report(target: _Target, rows: list[Row]) -> Iterator[Block]:
    """A table and a plot of one target domain."""
    counts = sorted({row["marked"] for row in rows if row["marked"] is not None})
    found = {(one, n): by_draw(rows, "f1", system=one, marked=n) for one in SYSTEMS for n in counts}
    spreads = {key: spread([*values.values()]) for key, values in found.items()}
    everything = spread([*by_draw(rows, "f1", system="everything").values()])
    ours, *others = SYSTEMS
    table: list[list[Cell]] = []
    for n in counts:
        table.append([f"{n:,}", *(spreads[one, n] for one in SYSTEMS)])
        for other in others:
            against = comparison(found[ours, n], found[other, n])
            table[-1] += [against.gain, against.verdict] if against else [None, None]
    table.append(["all words", everything, *[None] * (len(others) * 3)])
    head = ("marked words", *SYSTEMS, *(text for other in others for text in (f"gain over {other}", "p")))
    yield Table(f"F on {target.called}", head, table)
    occurrences = [row["occurrences"] for row in rows]
    said = f"A half has {min(occurrences):,} to {max(occurrences):,} occurrences of listed words."
    yield f"{said} {BORROWED}" if target.name == "hospital" else said
    drawn = [(one, [n for n in counts if spreads[one, n]]) for one in SYSTEMS]
    lines = [Line(one, some, [value for n in some if (value := spreads[one, n])]) for one, some in drawn]
    if everything:
        lines.append(Line("all words of the half", [counts[0], counts[-1]], [everything] * 2, marked=False))
    if target.plotted:
        yield Plot(target.plotted, f"Word segmentation: {target.called}", "marked words", "F", lines)
