"""The lines and tables of a report, as text that a terminal and Markdown share."""

from collections.abc import Iterator

from sstag.evaluation.figure_tables import TITLES, figure_table, kind_table, percent
from sstag.evaluation.report import Report, System
from sstag.foundation.errors import counted
from sstag.foundation.tables import Table
from sstag.labels.schemes.rules import scheme_name


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """Names and values that say what was scored, by which gold labels, and under which scheme."""
    one, totals = report.system.evaluation, report.system.evaluation.totals
    unknown, outside = int((~one.scored).sum()), one.not_scorable
    yield (
        "gold",
        f"{report.gold.path}   {counted(report.gold.sentences, 'sentence')}, {counted(report.gold.tokens, 'token')}",
    )
    yield "predicted", report.system.name
    if report.other:
        yield "other", report.other.name
    if report.context:
        yield "context", _context(report)
    yield "scheme", f"{scheme_name(one.tags.scheme)}{' (guessed; --scheme names another)' if report.guessed else ''}"
    if unknown:
        yield (
            "not scored",
            f"{counted(unknown, 'token')} whose label is unknown"
            + (
                f"; {counted(outside[0], one.unit[:-1])} in gold and {outside[1]:,} found that touch one"
                if any(outside)
                else ""
            ),
        )
    if one.ambiguous:
        yield "ambiguous", f"{counted(one.ambiguous, 'token')}: right if the prediction is among the labels"
    if one.chunks and not totals["gold"] + totals["found"]:
        yield "chunks", "none in gold, and none found"
    for name, system in (("", report.system), ("other: ", report.other)):
        if system and system.word_precisions is not None:
            yield "APA", name + _apa(system, report.ambiguous_words)


def _context(report: Report) -> str:
    """The text that was read before it was tagged, and the main figure where it was not read."""
    if report.not_counted is None:
        return f"{report.context}: the tested text was not counted"
    figure = report.main_figure
    without = percent(report.not_counted.figures[figure])
    return f"{report.context}: the tested text was counted; {TITLES[figure]} is {without} if it is not"


def _apa(system: System, known: int) -> str:
    shares = system.word_precisions
    assert shares is not None
    if not len(shares):
        return f"none of the {counted(known, 'ambiguous word')} occurs"
    return f"{percent(shares.mean())} %, the average over {len(shares):,} of {counted(known, 'ambiguous word')}"


def tables(report: Report, confusions: int) -> Iterator[Table]:
    """The tables of the figures, of the comparison, of types or labels, and of confusions."""
    one = report.system.evaluation
    yield _figures(report)
    if report.other:
        yield _comparison(report)
    if one.by_kind.keys() - {""}:
        yield kind_table(one.by_kind, one.kind)
    if confusions and one.wrong.any():
        lines = report.gold.lines
        rows = [(gold, found, f"{n:,}", str(lines[token])) for gold, found, n, token in one.confusions(confusions)]
        yield Table(("gold", "found", "tokens", "first at line"), rows, (0, 1))


def _figures(report: Report) -> Table:
    one, bounds = report.system.evaluation, report.system.intervals
    intervals = None if bounds is None else {name: report.interval(bounds, name) for name in report.names}
    return figure_table(one.figures, one.totals, one.unit, intervals)


def _comparison(report: Report) -> Table:
    assert report.other is not None
    rows = []
    for name in report.names:
        both = [percent(system.evaluation.figures[name]) for system in (report.system, report.other)]
        row = [TITLES[name], *both, _signed(report.difference(name))]
        if report.differences is not None and report.p is not None:
            low, high = report.interval(report.differences, name)
            row += [f"{_signed(low)} to {_signed(high)}", _p(report.p_of(name))]
        rows.append(tuple(row))
    more = ("95 % interval", "p") if report.differences is not None else ()
    return Table(("", "predicted", "other", "difference", *more), rows, (0,))


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _signed(share: float) -> str:
    return f"{100 * share:+z.2f}"
