"""The reports on climbs by the gradient of the entropy as J06 §3 prints it."""

from collections.abc import Iterator, Mapping
from statistics import fmean

from sstag.experiments.jiao2006.printed import LONGEST
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import between, by_draw, comparison, spread
from sstag.experiments.trials import Row

TOLD = """## The gradient as printed (§3)

The paper's recursions take f² = f for the sum of a feature over a sentence, and leave out the products of two different
features of one token. At the supervised optimum what they give is nearly the opposite of the gradient of the entropy:
the cosine is {cosine:.2f}. A step is a share of the length of the weights; `exact` is the same along the true gradient.
A search along a line for a higher value of (2) would take no step along the printed one, since the value falls. The
paper's Table 2, as shares of its γ = 0: 100 to 143 % found and 100 to 121 % right, the most of both at γ = 5 and 10."""


def report(rows: list[Row]) -> Iterator[Block]:
    """The mentions that steps along either gradient find on E, as shares of those found without."""
    yield TOLD.format(cosine=fmean(row["cosine"] for row in rows))
    here = [row for row in rows if row["on"] == "rest"]
    table: list[list[Cell]] = []
    for raw, which in dict.fromkeys((row["raw"], row["gradient"]) for row in here):
        some = [row for row in here if (row["raw"], row["gradient"]) == (raw, which)]
        zero = {name: by_draw(some, name, step=0.0) for name in ("found", "right", "f1")}
        for step in sorted({row["step"] for row in some}):
            ours = [row for row in some if row["step"] == step]
            gain = comparison(by_draw(ours, "f1"), zero["f1"]) if step else None
            line: list[Cell] = [f"{raw}, {which}, {step:g}"]
            line += [spread([row[name] for row in ours]) for name in ("precision", "recall", "f1")]
            line += [gain.gain, gain.verdict] if gain else [None, None]
            for name in ("found", "right"):
                line.append(spread([100 * n / zero[name][d] for d, n in by_draw(ours, name).items() if zero[name][d]]))
            table.append(line)
    head = ("raw text, gradient, step", "P", "R", "F", "gain in F", "p", "found, % of no step", "right, %")
    yield Table("A step from the supervised CRF, on E", head, table)


CLIMBED = """### Many steps

The likelihood, the prior and γ times the printed gradient, climbed from the supervised optimum by gradients alone;
steps are no longer than {longest:.0%} of the weights. `left` is how long the gradient still is beside the first one.
(2) is the value that the paper says is climbed: in {fallen} of these {climbs} climbs it has fallen at the end."""


def report_of_climbs(rows: list[Row], papers: Mapping[str, Mapping[float, tuple[int, int]]]) -> Iterator[Block]:
    """The mentions on E after so many steps, beside the paper's Table 2."""
    here = [row for row in rows if row["on"] == "rest"]
    last = max(row["steps taken"] for row in here)
    ends = [row for row in here if row["steps taken"] == last]
    yield CLIMBED.format(longest=LONGEST, climbs=len(ends), fallen=sum(row["rise of (2)"] < 0 for row in ends))
    table: list[list[Cell]] = []
    for raw in dict.fromkeys(row["raw"] for row in here):
        zero = {name: by_draw(here, name, raw=raw, gamma=0.0) for name in ("found", "right", "f1")}
        for gamma, steps in dict.fromkeys((row["gamma"], row["steps taken"]) for row in here if row["raw"] == raw):
            ours = [row for row in here if (row["raw"], row["gamma"], row["steps taken"]) == (raw, gamma, steps)]
            gain = comparison(by_draw(ours, "f1"), zero["f1"]) if gamma else None
            line: list[Cell] = [f"{raw}, γ = {gamma:g}" + (f", {steps} steps" if gamma else "")]
            line += [spread([row[name] for row in ours]) for name in ("precision", "recall", "f1")]
            line += [gain.gain.mean, between(gain.gain), gain.verdict] if gain else [None, None, None]
            for name in ("found", "right"):
                line.append(spread([100 * n / zero[name][d] for d, n in by_draw(ours, name).items() if zero[name][d]]))
            theirs = papers[raw].get(gamma) if steps in (0, last) else None
            line += [100 * one / of for one, of in zip(theirs, papers[raw][0], strict=True)] if theirs else [None, None]
            table.append([*line, spread([row["gradient left"] for row in ours]) if gamma else None])
    head = ["raw text, γ", "P", "R", "F", "gain in F", "95 % of its mean", "p"]
    head += ["found, % of γ = 0", "right, %", "paper's found, %", "right, %", "left"]
    yield Table("A climb by the printed gradient, on E", head, table)
