"""A report as text for a terminal of 80 columns."""

from collections.abc import Iterator

from sstag.evaluation.figure_tables import NONE
from sstag.evaluation.report import Report
from sstag.evaluation.report.calibration_tables import calibration_tables
from sstag.evaluation.report.curve_tables import curve_tables
from sstag.evaluation.report.regions import Region, Span, wrong_sentences
from sstag.evaluation.report.tables import facts, tables
from sstag.foundation.display import aligned, display_width, wrapped
from sstag.foundation.tables import Table

WIDTH = 80


def text(report: Report, confusions: int, errors: int, width: int | None = None) -> str:
    """Facts, tables, wrong sentences, and the signature; tables of calibration fit a width, if one is given."""
    heads = list(facts(report))
    parts = ["\n".join(aligned(heads, left=(0, 1)))]

    def fits(table: Table) -> bool:
        return width is None or all(display_width(line) <= width for line in _lines(table))

    shown = [*tables(report, confusions), *calibration_tables(report.calibrations or {}, fits)]
    shown += curve_tables(report.curve)
    parts += ["\n".join(_lines(table)) for table in shown]
    return "\n\n".join([*parts, *sentences(report, errors), report.signed]) + "\n"


def _lines(table: Table) -> Iterator[str]:
    return aligned([table.head, *table.rows], table.left)


def sentences(report: Report, most: int) -> Iterator[str]:
    """The first wrong sentences, what is wrong in [brackets]; below it what it should be and what was found."""
    one, gold = report.system.evaluation, report.gold
    between = "" if one.unit == "words" else " "
    for sentence, regions in wrong_sentences(one, most):
        words = gold.words(gold.columns[gold.word_column], sentence)
        marked = list(words)
        rows = []
        for region in regions:
            marked[region.first] = "[" + marked[region.first]
            marked[region.stop - 1] += "]"
            gold_text, found_text = (_spans(side, region, words, between) for side in (region.gold, region.found))
            rows.append((between.join(words[region.first : region.stop]), f"gold {gold_text}", f"found {found_text}"))
        lines = [f"{gold.path}:{gold.lines[gold.offsets[sentence]]}  sentence {sentence + 1:,}"]
        lines += [f"  {line}" for line in wrapped(marked, between, WIDTH - 2)]
        lines += [f"    {line}" for line in aligned(rows, left=(0, 1, 2))]
        neighbours = report.neighbours
        if neighbours and (near := neighbours.nearest.get(sentence)):
            lines.append(f"  near {neighbours.place(near)} ({near.cosine:.2f})")
            lines += [f"    {line}" for line in wrapped(neighbours.marked(near), " ", WIDTH - 4)]
        yield "\n".join(lines)


def _spans(side: list[Span], region: Region, words: list[str], between: str) -> str:
    """The gold or the found spans of a region: their types, and their words if they are only part of it."""
    texts = []
    for first, stop, kind in side:
        part = between.join(words[first:stop])
        if region.tokens or (kind and (first, stop) == (region.first, region.stop)):
            texts.append(kind)
        else:
            texts.append(f"{kind} “{part}”".lstrip() if between else part)
    return (", " if between else " ").join(texts) or NONE
