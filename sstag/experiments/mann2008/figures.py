"""Figures 2 and 3 of M08: what a looked-at token is worth in a word and in a sentence, and how sure shares are."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import exp, log
from statistics import fmean

from sstag.experiments.mann2008.grid import Sizes
from sstag.experiments.mann2008.labelled_words import ALL, HEURISTIC
from sstag.experiments.mann2008.system_list import GE, SIMILAR, STRONG, SUPERVISED, UNDER_RULES
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.spread import Spread, by_draw, spread
from sstag.experiments.trials import Row
from sstag.foundation.json_values import Json

WORTH = """A token that somebody labels stands in a sentence, all of whose tokens are labelled, or is an occurrence of a
listed word; with the usual labels of a set of words, each word counts as a token, also where words that are similar to
them are nothing but features of the supervised CRF (sentences and similar words). Beside it stands how many tokens of
sentences alone bring the supervised CRF as far (read off its curve, straight in the logarithm of tokens), and how many
times as many that is."""


def described(sizes: Sizes, rows: Sequence[Row]) -> Table:
    """The words of each set."""
    table: list[list[Cell]] = []
    for row in sorted(rows, key=lambda row: not row["punctuation"]):
        name = f"set {row['sets']}" + ("" if row["punctuation"] else ", no punctuation")
        table.append(
            [name, *(row[key] for key in ("words", "missing", "occurrences", "not in raw", "entropy", "summed"))]
        )
    head = ("words", "number", "too few by", "occurrences", "not in raw text", "mean entropy of targets", "summed")
    return Table(
        f"{sizes.corpus}: the words (the paper's first 33: summed entropy 8.8, the next 33: 22.95)", head, table
    )


def figure2(sizes: Sizes, rows: Sequence[Row], measure: str, listed: int) -> Iterator[Block]:
    """Plots for each size of the raw text, and a table of what a token is worth; so many words are listed in a set."""
    yield WORTH
    curve = [_point(rows, measure, system=SUPERVISED, instances=n) for n in sizes.curve]
    up = "accuracy" if measure == "accuracy" else "F of the fields"
    similar = [_point(rows, measure, system=SIMILAR, instances=n) for n in sizes.curve]
    beside = [(point[0] + listed, point[1]) if point else None for point in similar]
    table: list[list[Cell]] = []

    def add(name: str, point: tuple[float, Spread]) -> None:
        worth = _tokens_for(curve, point[1].mean)
        found = [None, None] if worth is None else [round(worth), worth / point[0]]
        table.append([name, round(point[0]), point[1], *found])

    for n, point in zip(sizes.curve, beside, strict=True):
        if point:
            add(f"{_sentences(n)} and similar words", point)
    for raw in sizes.raw:
        lines = [_line("sentences", curve), _line("sentences and similar words", beside)]
        here: dict[str, Json] = {"raw": raw, "punctuation": True}
        for system, sets in product((GE, STRONG), sizes.sets):
            points = []
            name = f"{sets_of(sets)} of words" + system.removeprefix(GE)
            for samples in (*sizes.samples, ALL):
                point = _point(rows, measure, system=system, instances=0, sets=sets, targets=samples, **here)
                if point:
                    points.append(point)
                    add(f"{name}, {samples} of each, {raw:,} raw", point)
            lines.append(_line(name, points))
        points = []
        for n in sizes.curve:
            point = _point(rows, measure, system=GE, instances=n, sets=1, targets=HEURISTIC, **here)
            if point:
                points.append((point[0] + listed, point[1]))
                add(f"{_sentences(n)} and a set of words, {raw:,} raw", points[-1])
        lines.append(_line("sentences and a set of words", points))
        points = []
        for n in sizes.curve:
            point = _point(rows, measure, system=UNDER_RULES, instances=n, raw=raw)
            if point:
                points.append(point)
                add(f"{_sentences(n)} under rules (CRR07), {raw:,} raw", point)
        lines.append(_line("sentences under rules (CRR07)", points))
        name = sizes.corpus.replace(" ", "-")
        title = f"{sizes.corpus}: sentences, or occurrences of words, with {raw:,} raw sentences (Figure 2)"
        yield Plot(f"figure2-{name}-{raw}", title, "labelled tokens", up, lines, logarithmic_across=True)
    head = ("what is labelled", "tokens", up, "tokens of sentences alone", "times as many")
    yield Table(f"{sizes.corpus}: what labelled tokens are worth", head, table)
    supervised: list[list[Cell]] = [[f"{n:,}", round(p[0]), p[1]] for n, p in zip(sizes.curve, curve, strict=True) if p]
    yield Table(f"{sizes.corpus}: the supervised CRF", ("sentences", "tokens", up), supervised)


def _sentences(count: int) -> str:
    return f"{count:,} sentence{'s' if count > 1 else ''}"


def sets_of(count: int) -> str:
    """In words."""
    return f"{count} set{'s' if count > 1 else ''}"


def figure3(sizes: Sizes, rows: Sequence[Row]) -> Plot:
    """One word's shares of labels, as few and many occurrences tell."""
    row = next(row for row in rows if row["sets"] == 1 and row["punctuation"])
    lines = []
    for samples, (shares, errors) in row["shown"].items():
        count = int(samples) if samples != ALL else 0
        spreads = [Spread(share, error, count) for share, error in zip(shares, errors, strict=True)]
        name = "all occurrences" if samples == ALL else f"{samples} occurrence{'s' if count > 1 else ''}"
        lines.append(Line(name, list(range(len(shares))), spreads))
    title = f"{sizes.corpus}: the labels of the most ambiguous word of the first set, ± standard errors (Figure 3)"
    return Plot(
        f"figure3-{sizes.corpus.replace(' ', '-')}", title, "label", "share", lines, row["labels"], joined=False
    )


def _point(rows: Sequence[Row], measure: str, **wanted: object) -> tuple[float, Spread] | None:
    """Labelled tokens, the mean over the draws, and a figure."""
    found = spread([*by_draw(rows, measure, **wanted).values()])
    return (fmean(by_draw(rows, "tokens", **wanted).values()), found) if found else None


def _line(name: str, points: Sequence[tuple[float, Spread] | None]) -> Line:
    there = [point for point in points if point]
    return Line(name, [tokens for tokens, _ in there], [figure for _, figure in there])


def _tokens_for(curve: Sequence[tuple[float, Spread] | None], figure: float) -> float | None:
    """Where a curve first comes to a figure; None if that is beyond its ends."""
    points = [(log(point[0]), point[1].mean) for point in curve if point]
    for (before, low), (after, high) in pairwise(points):
        if low <= figure <= high and high > low:
            return exp(before + (after - before) * (figure - low) / (high - low))
    return None
