"""Tables 1 and 2 and Figure 2 of J06: the trials, and the report on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006 import (
    alternatives,
    chosen_tables,
    conclusions,
    gene_words,
    precision_tables,
    printed_tables,
    remedies,
    threshold,
)
from sstag.experiments.jiao2006.draws import ADS, FILE
from sstag.experiments.jiao2006.variants import BASE, SIZES, VARIANTS, report_of_self_training, report_of_variants
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.spread import Spread, by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.foundation.json_values import Json

WHERE = "sstag.experiments.jiao2006.sweep"
REMEDIES = "sstag.experiments.jiao2006.remedies"
PRINTED = "sstag.experiments.jiao2006.printed"
THRESHOLD = "sstag.experiments.jiao2006.threshold"
PRECISION = "sstag.experiments.jiao2006.precision"
RAW = ("B", "C", "D")
CLIMBED: Mapping[str, Mapping[str, Sequence[float]]] = {  # γ with the printed gradient
    "full": {"B": (0.1, 1.0), "C": (0.1,), "D": (0.1,)},
    "smoke": dict.fromkeys(RAW, (0.1,)),
}
AFTER = {"full": (1, 3, 10, 30), "smoke": (1, 3)}  # steps of such a climb
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1)  # along a gradient, as shares of the length of the weights
MADE = {"full": 4_000, "smoke": 80}  # ads
DRAWS = {"full": 10, "smoke": 2}
PAPERS = (0.0, 0.1, 0.5, 1.0, 5.0, 10.0, 20.0, 50.0)
OURS = (-1.0, -0.3, -0.1, -0.03, -0.01, 0.003, 0.01, 0.03)  # γ between and beyond the paper's
GAMMAS = {"full": tuple(sorted(PAPERS + OURS)), "smoke": (-0.1, 0.0, 0.1, 1.0)}
FEW = {"full": (-0.3, -0.1, -0.03, 0.0, 0.01, 0.03, 0.1, 1.0, 10.0), "smoke": (-0.1, 0.0, 0.1)}
BY_TOKEN = {"full": (-10.0, -3.0, -1.0, 0.0, 0.3, 1.0, 3.0, 30.0), "smoke": (-3.0, 0.0, 3.0)}  # 25 tokens a sentence
WORDS = 10  # gene words for each label of a mention
TRIED = {"full": tuple(VARIANTS), "smoke": ("both", "the word itself alone", "3 iterations", "per token")}
SECONDS = {"B": 16.0, "C": 20.0, "D": 30.0}  # a sweep over all γ

TABLE1 = {  # P, R and F on the raw text
    "B": {0: (80, 36, 50), 0.1: (82, 40, 54), 0.5: (82, 40, 54), 1: (82, 40, 54), 5: (84, 45, 59), 10: (78, 46, 58)},
    "C": {0: (77, 29, 43), 0.1: (79, 32, 46), 0.5: (79, 33, 46), 1: (77, 34, 47), 5: (78, 38, 51), 10: (66, 38, 48)},
    "D": {0: (74, 30, 43), 0.1: (74, 31, 44), 0.5: (74, 31, 44), 1: (73, 33, 45), 5: (72, 36, 48), 10: (66, 38, 47)},
}
THEIR_MENTIONS = 7472  # of their E
TABLE2 = {  # mentions found on E, and right ones
    "B": {0: (3334, 2435), 0.1: (3345, 2446), 0.5: (3413, 2489), 1: (3446, 2503), 5: (4089, 2878), 10: (4450, 2799)},
    "C": {0: (3334, 2435), 0.1: (3376, 2470), 0.5: (3450, 2510), 1: (3588, 2580), 5: (4206, 2947), 10: (4762, 2827)},
    "D": {0: (3334, 2435), 0.1: (3366, 2466), 0.5: (3376, 2469), 1: (3607, 2590), 5: (4165, 2888), 10: (4778, 2845)},
}

PROTOCOL = """Of {corpus} disjoint random sets of whole sentences are drawn, {draws} times: A, {A:,} words with labels
to learn from; B ({B:,} words), C ({C:,}) or D ({D:,}), of which only the words are learned from; E, all the rest, for
the test. γ = 0 is the supervised CRF, from which every other γ starts; the prior is ‖θ‖²/2. Features are words, what
they look like, and prefixes and suffixes up to 4, of the word and its neighbours; weights are those of the pairs of
attribute and label that occur in A. Figures are means ± standard deviations over the draws; p is of Wilcoxon's signed
ranks against γ = 0.

The paper had another corpus of the same kind (184,903 words; ours is 4.5 mentions per 100 words, its E implies 5.4),
one draw, and no figures for γ of 20 and 50, so its precision, recall and F are to be compared, and counts as shares of
the supervised ones. It found recall and F higher at nearly the same precision for moderate γ, lower for large γ, and
nothing gained by self-training."""
CHANGES = """What the raw text changes, with D: entropy is that of single labels of D, in nats; the other figures are
of E. Tokens join mentions or leave them as against γ = 0; those that it gave a probability of 0.1 to 0.5 of being in a
mention, and so mostly left out, are unsure: {share:.1f} % of them are in one."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """The sweeps over γ with each set, the variants with D, and self-training."""
    generated = scale == "smoke" or bool(corpora.absent([FILE, gene_words.RAW]))
    base: Row = {
        "corpus": ADS if generated else "BioCreative I",
        "sizes": SIZES[scale],
        "made": MADE[scale] if generated else 0,
    }
    draws = range(1, DRAWS[scale] + 1)

    def trial(function: str, cost: float, where: str = WHERE, **settings: Json) -> Trial:
        share = 0.02 if scale == "smoke" else 1.0
        return Trial(f"{where}:{function}", base | settings, () if generated else (FILE,), cost=cost * share)

    def sweeps(raw: str, gammas: Sequence[float], **changes: Json) -> list[Trial]:
        cost = SECONDS[raw] * len(gammas) / len(GAMMAS["full"])
        settings = {**BASE, **changes, "gammas": list(gammas), "raw": raw}
        return [trial("swept", cost, WHERE, draw=draw, **settings) for draw in draws]

    yield Section([one for raw in RAW for one in sweeps(raw, GAMMAS[scale])], _report)
    varied = [
        one
        for name in TRIED[scale]
        for one in sweeps("D", (BY_TOKEN if name == "per token" else FEW)[scale], **VARIANTS[name])
    ]
    yield Section(varied, report_of_variants)
    trained = [
        trial("self_trained", 10.0, draw=draw, raw=raw, confidence=confidence)
        for raw, confidence in (*((raw, 0.0) for raw in RAW), ("D", 0.9))
        for draw in draws
    ]
    systems = {name: list(said) for name, said in remedies.SYSTEMS.items()}
    trials = [
        trial("remedied", 60.0, draw=draw, raw="D", words=WORDS, systems=systems, where=REMEDIES) for draw in draws
    ]
    yield Section(trials, remedies.report)
    biased = [trial("thresholded", 2.0, THRESHOLD, draw=draw, raw="D") for draw in draws]
    yield Section(biased, threshold.report)
    listed = [] if generated or corpora.absent(alternatives.FILES) else [*alternatives.FILES]
    read = [] if generated else [gene_words.RAW, *listed]
    looked = [
        replace(one, data=(*one.data, *read))
        for draw in draws
        for one in [
            trial("judged_twice", 9.0, PRECISION, draw=draw, raw="D", lexicon=not generated, others=bool(listed))
        ]
    ]
    yield Section(looked, precision_tables.report)
    yield Section([*sweeps("B", (0.0,)), *sweeps("C", (0.0,)), *sweeps("D", (0.0,)), *trained], report_of_self_training)
    along = [trial("stepped", 3.0, PRINTED, draw=draw, raw="D", steps=list(STEPS)) for draw in draws]
    yield Section(along, printed_tables.report)
    climbs = [
        trial("climbed", 25.0, PRINTED, draw=draw, raw=raw, gammas=list(CLIMBED[scale][raw]), after=list(AFTER[scale]))
        for raw in RAW
        for draw in draws
    ]
    yield Section(climbs, lambda rows: printed_tables.report_of_climbs(rows, TABLE2))
    swept = [one for raw in RAW for one in sweeps(raw, GAMMAS[scale])]
    yield Section(swept, chosen_tables.report)
    yield Section([*sweeps("D", GAMMAS[scale]), *trials, *biased, *along, *looked, *climbs], conclusions.claims)


def _report(rows: list[Row]) -> Iterator[Block]:
    corpus, sizes = rows[0]["corpus"], rows[0]["sizes"]
    yield PROTOCOL.format(corpus=corpus, draws=len({row["draw"] for row in rows}), **sizes)
    gammas = sorted({row["gamma"] for row in rows})
    for number, on, where in ((1, "raw", "the raw text"), (2, "rest", "E")):
        yield f"## {where[0].upper() + where[1:]} (Table {number})"
        for raw in RAW:
            here = [row for row in rows if row["raw"] == raw and row["on"] == on]
            title = f"Trained on A and {raw}, on {raw} itself" if on == "raw" else f"Trained on A and {raw}, on E"
            yield _by_gamma(
                title, here, gammas, TABLE1[raw] if on == "raw" else None, TABLE2[raw] if on == "rest" else None
            )
    yield _plot("figure2", "Mentions on E (Figure 2)", [row for row in rows if row["on"] == "rest"], gammas)
    with_d = [row for row in rows if row["raw"] == "D"]
    unsure = [row for row in with_d if row["gamma"] == 0.0 and row["on"] == "rest"]
    yield CHANGES.format(share=_share(unsure, "unsure in gold", "unsure") or 0.0)
    yield _changes(with_d, gammas)


def _by_gamma(
    title: str,
    rows: Sequence[Row],
    gammas: Iterable[float],
    shares: Mapping[float, tuple[int, int, int]] | None,
    counts: Mapping[float, tuple[int, int]] | None,
) -> Table:
    """P, R and F for every γ, beside the paper's; counts as shares of the supervised ones."""
    first = {figure: by_draw(rows, figure, gamma=0.0) for figure in ("f1", "found", "right")}
    table: list[list[Cell]] = []
    for gamma in gammas:
        here = {name: by_draw(rows, name, gamma=gamma) for name in ("precision", "recall", "f1", "found", "right")}
        line: list[Cell] = [f"{gamma:g}", *(spread([*here[name].values()]) for name in ("precision", "recall", "f1"))]
        against = comparison(here["f1"], first["f1"])
        line += [against.gain, against.verdict] if against and gamma else [None, None]
        if shares:
            line += shares.get(gamma, (None, None, None))
        if counts:
            line += [_ratio(here[name], first[name]) for name in ("found", "right")]
            theirs = counts.get(gamma)
            line += [100 * one / zero for one, zero in zip(theirs, counts[0], strict=True)] if theirs else [None, None]
        table.append(line)
    head = ["γ", "P", "R", "F", "gain in F", "p"]
    head += ["paper's P", "R", "F"] if shares else ["found, % of γ = 0", "right, %", "paper's found, %", "right, %"]
    return Table(title, head, table)


def _ratio(here: Mapping[int, float], zero: Mapping[int, float]) -> Cell:
    return spread([100 * value / zero[draw] for draw, value in here.items() if zero[draw]])


def _changes(rows: Sequence[Row], gammas: Sequence[float]) -> Table:
    """A table of the tokens that became surer, and of how many of these are right."""
    rest = [row for row in rows if row["on"] == "rest"]
    table: list[list[Cell]] = []
    for gamma in gammas:
        here = [row for row in rest if row["gamma"] == gamma]
        line: list[Cell] = [
            f"{gamma:g}",
            spread([row["entropy"] for row in rows if row["on"] == "raw" and row["gamma"] == gamma]),
            spread([row["outside"] for row in here]),
        ]
        for kind in ("joined", "left"):
            line += [spread([row[kind] for row in here]), _share(here, f"{kind} rightly", kind)]
        table.append([*line, _share(here, "unsure found", "unsure")])
    head = ("γ", "entropy", "outside, %", "joined", "rightly, %", "left", "rightly, %", "unsure found, %")
    return Table("What changes on E, trained on A and D", head, table)


def _share(rows: Sequence[Row], part: str, whole: str) -> float | None:
    """In percent; of all draws together, since some have next to nothing of it."""
    count = sum(row[whole] for row in rows)
    return 100.0 * sum(row[part] for row in rows) / count if count else None


def _plot(name: str, title: str, rows: Sequence[Row], gammas: Sequence[float]) -> Plot:
    lines = []
    for raw in RAW:
        found = [spread([*by_draw(rows, "f1", raw=raw, gamma=gamma).values()]) for gamma in gammas]
        lines.append(Line(f"with {raw}", list(range(len(gammas))), [one for one in found if one]))
    zero = spread([*by_draw(rows, "f1", gamma=0.0).values()])
    if zero:
        lines.append(Line("supervised", [0, len(gammas) - 1], [zero, zero], marked=False))
    for raw in RAW:
        shown = {gamma: counts for gamma, counts in TABLE2[raw].items() if gamma in gammas}
        scores = [Spread(200 * right / (found + THEIR_MENTIONS), 0.0, 1) for found, right in shown.values()]
        lines.append(Line(f"paper, {raw}", [list(gammas).index(gamma) for gamma in shown], scores, marked=False))
    return Plot(name, title, "γ", "F", lines, [f"{gamma:g}" for gamma in gammas])
