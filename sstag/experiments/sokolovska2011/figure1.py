"""Weighted against standard CRFs on generated sequences (S11 Figure 1, §5): the trials, and the report on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean

from sstag.experiments.page import Block, Boxes, Cell, Series, Table
from sstag.experiments.samples.hmm import LENGTH, written
from sstag.experiments.sokolovska2011.simulation import FIGURES, STANDARD, SYSTEMS, of_row
from sstag.experiments.sokolovska2011.worlds import EXACT, UNIGRAMS
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.sokolovska2011.simulation"
TOGETHER = 75  # draws of a trial
SECONDS = 0.15  # of a draw
LARGE = 5_000  # sequences that are learned from in a second


@dataclass(frozen=True)
class _Scale:
    sizes: tuple[int, ...]
    draws: int
    test: int
    strengths: tuple[float, ...]  # l2, the main one first
    others: int  # HMMs besides the first
    large: tuple[tuple[int, ...], int]  # sizes far above, draws


SCALES = {
    "full": _Scale((10, 20, 50, 100, 200), 150, 10_000, (0.1, 0.01, 0.001, 1.0), 2, ((1_000, 10_000), 20)),
    "smoke": _Scale((4, 8), 6, 100, (1.0,), 1, ((20,), 6)),
}

RISKS = {  # what is shown of them, and by what they are divided
    "exact error": ("error of all sequences, %", 1.0),
    "excess": ("scaled excess risk", 1.0),
    "distance": ("squared error, thousands", 1_000.0),
    "distance to prior's": ("to where the prior leads, thousands", 1_000.0),
}

PROTOCOL = """## Weighted CRFs on generated sequences

The first HMM whose Bayes error lies from 5 to 7 % (6 labels, 5 symbols, length {length}, rows from a Dirichlet
distribution; error of the best paths {best:.2f} %, least possible {least:.2f} %) is below. Of {sizes} sequences each,
{draws} draws, a standard CRF (eq. 14: symbols with labels, and with pairs of labels) and a weighted one (eq. 17) are
trained; ω = q(x) / N_x with the exact q(x), with mean 1 (`mean1`) or n·q(x)/N_x (`natural`, eq. 8). The prior is
l2/2 ‖θ‖². The figure is the error of the standard CRF on {test:,} test sequences less that of the weighted one: above 0
the weights help. p is of Wilcoxon's signed ranks over the draws, which asks whether more draws are better than worse,
by ranks; whether the mean is, the interval of the mean says (Student's t).

The paper: a gain at n = 10 and 20 only, none above (150 replications, no figures printed)."""

RISK = """### Scaled excess risk and squared error

The paper's §5 says that the advantage shows in n (E ℓ(θ) − E ℓ(θ*)) and n ‖θ − θ*‖² (eq. 10, 11). Both are exact here:
sums over all {inputs:,} inputs, θ and θ* those of least norm among the weights with the same p(y|x). Some steps of the
HMM are so improbable that θ* is far away (‖θ*‖ = {norm}): n ‖θ − θ*‖² is little but that, so there is also the distance
to where the prior alone leads, the least n E ℓ(θ) + l2/2 ‖θ‖². `unigrams` is a CRF without pairs of labels, to which no
HMM belongs: the paper expects more of weights where the model is misspecified."""

LARGER = """### Many sequences

What the theory promises is a limit (eq. 3–7): less variance if the model is misspecified, the same if it is not. The
same with {sizes} sequences, {draws} draws."""

OTHERS = """### Other HMMs

The same at l2 = {l2} for other seeds, exact errors in place of those of test sequences: what one HMM shows may be its
own."""


def sections(scale: str) -> Iterator[Section]:
    """A trial for each size, prior and some draws."""
    of = SCALES[scale]
    strength = of.strengths[0]
    main = [(1, EXACT, l2) for l2 in of.strengths] + [(1, UNIGRAMS, strength)]
    others = [(hmm, EXACT, strength) for hmm in range(2, 2 + of.others)]
    known = {hmm: Trial(f"{WHERE}:known", {"hmm": hmm}, cost=10.0) for hmm in range(1, 2 + of.others)}
    trials = [
        Trial(
            f"{WHERE}:simulated",
            {
                "hmm": hmm,
                "template": template,
                "size": size,
                "l2": l2,
                "draws": [first, min(first + TOGETHER, of.draws + 1) - 1],
                "test": of.test,
            },
            needs=[known[hmm]],
            cost=TOGETHER * SECONDS,
        )
        for hmm, template, l2 in main + others
        for size in of.sizes
        for first in range(1, of.draws + 1, TOGETHER)
    ]
    sizes, draws = of.large
    for template in (EXACT, UNIGRAMS):
        for size in sizes:
            said: Row = {
                "hmm": 1,
                "template": template,
                "size": size,
                "l2": strength,
                "draws": [1, draws],
                "test": of.test,
            }
            seconds = draws * size / LARGE
            trials.append(Trial(f"{WHERE}:simulated", said, needs=[known[1]], cost=seconds))
    yield Section([*known.values(), *trials], lambda rows: _report(of, rows[: len(known)], rows[len(known) :]))


def _report(of: _Scale, known: Sequence[Row], rows: Sequence[Row]) -> Iterator[Block]:
    first = known[0]
    sizes, best = ", ".join(map(str, of.sizes)), first["best"][EXACT]
    yield PROTOCOL.format(
        length=LENGTH, best=first["error"], least=first["least error"], sizes=sizes, draws=of.draws, test=of.test
    )
    yield "```yaml\n" + written(of_row(first)).decode() + "```"
    flat = [_of_system(row, system) for row in rows for system in SYSTEMS]
    ours = [row for row in flat if row["hmm"] == 1]
    exact = [row for row in ours if row["template"] == EXACT]
    for l2 in sorted(of.strengths):
        yield _gains(of, exact, l2)
    for l2 in sorted(of.strengths):
        yield _boxes(of, exact, l2)
    yield RISK.format(inputs=len(first["symbols"]) ** LENGTH, norm=f"{hypot(*best):.0f}")
    yield _excess(of, exact)
    for template in (EXACT, UNIGRAMS):
        yield _risks(of, [row for row in ours if row["template"] == template], template, of.sizes)
    yield LARGER.format(draws=of.large[1], sizes=" and ".join(f"{size:,}" for size in of.large[0]))
    for template in (EXACT, UNIGRAMS):
        yield _risks(of, [row for row in ours if row["template"] == template], template, of.large[0])
    if of.others:
        yield OTHERS.format(l2=of.strengths[0])
        yield _other_hmms(of, flat)


def _of_system(row: Row, system: str) -> Row:
    """The figures of one system in a row."""
    return row | {"system": system} | {name: row[name][SYSTEMS.index(system)] for name in FIGURES}


def _gains(of: _Scale, rows: Sequence[Row], l2: float) -> Table:
    table: list[list[Cell]] = []
    for size in of.sizes:
        wanted = {"size": size, "l2": l2}
        each = {one: by_draw(rows, "error", system=one, **wanted) for one in SYSTEMS}
        effective = by_draw(rows, "effective", system=STANDARD, **wanted)
        table.append([f"{size}", fmean(effective.values()), spread([*each[STANDARD].values()]), *_less(each)])
    head = _head("n", "effective n", "error of standard, %")
    return Table(f"Error on test sequences, l2 = {l2:g}", head, table)


def _boxes(of: _Scale, rows: Sequence[Row], l2: float) -> Boxes:
    series = []
    for system in SYSTEMS[1:]:
        each = [
            [by_draw(rows, "error", system=one, size=size, l2=l2) for one in (STANDARD, system)] for size in of.sizes
        ]
        series.append(Series(system, [[ours[draw] - theirs[draw] for draw in ours] for ours, theirs in each]))
    ticks = [str(size) for size in of.sizes]
    title = f"Generated sequences: error of the standard CRF less that of the weighted one, l2 = {l2:g}"
    return Boxes(f"figure1-l2-{l2:g}", title, "sequences to learn from", "% of labels", ticks, series)


def _excess(of: _Scale, rows: Sequence[Row]) -> Table:
    table: list[list[Cell]] = []
    for l2 in sorted(of.strengths):
        for size in of.sizes:
            each = {one: by_draw(rows, "excess", system=one, size=size, l2=l2) for one in SYSTEMS}
            table.append([f"l2 = {l2:g}, n = {size}", spread([*each[STANDARD].values()]), *_less(each)])
    return Table("Scaled excess risk, by prior", _head("prior", STANDARD), table)


def _less(each: Mapping[str, Mapping[int, float]]) -> Iterator[Cell]:
    """By how much each weighted system is below the standard one, where that lies on average, and p."""
    for system in SYSTEMS[1:]:
        found = comparison(each[STANDARD], each[system])
        yield found.gain if found else None
        yield between(found.gain) if found else None
        yield found.verdict if found else None


def _head(*first: str) -> list[str]:
    return [*first, *(text for system in SYSTEMS[1:] for text in (f"less with {system}", "95 % of its mean", "p"))]


def _risks(of: _Scale, rows: Sequence[Row], template: str, sizes: Sequence[int]) -> Table:
    table: list[list[Cell]] = []
    for size in sizes:
        for figure, (called, unit) in RISKS.items():
            wanted = {"size": size, "l2": of.strengths[0]}
            each = {
                one: {draw: value / unit for draw, value in by_draw(rows, figure, system=one, **wanted).items()}
                for one in SYSTEMS
            }
            table.append([f"{size:,}: {called}", spread([*each[STANDARD].values()]), *_less(each)])
    return Table(f"{template}, l2 = {of.strengths[0]:g}", _head("n", STANDARD), table)


def _other_hmms(of: _Scale, rows: Sequence[Row]) -> Table:
    table: list[list[Cell]] = []
    for hmm in range(1, 2 + of.others):
        for size in of.sizes:
            wanted = {"hmm": hmm, "size": size, "l2": of.strengths[0], "template": EXACT}
            each = {one: by_draw(rows, "exact error", system=one, **wanted) for one in SYSTEMS}
            table.append([f"seed {hmm}, n = {size}", spread([*each[STANDARD].values()]), *_less(each)])
    return Table("Exact errors, by HMM", _head("HMM", "error of standard, %"), table)
