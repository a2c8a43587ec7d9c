"""A report as Markdown, to paste into a README or an issue."""

import re
from collections.abc import Iterator

from sstag.evaluation.report import Report
from sstag.evaluation.report.calibration_tables import calibration_tables
from sstag.evaluation.report.curve_tables import curve_tables
from sstag.evaluation.report.tables import facts, tables
from sstag.evaluation.report.text import sentences
from sstag.foundation.tables import Table

SPECIAL = re.compile(r"[\\`*_{}\[\]<>|&#~]")
LONGEST_FENCE = re.compile(r"`+")


def markdown(report: Report, confusions: int, errors: int) -> str:
    """Facts, tables, wrong sentences, and the signature."""
    parts = ["\n".join(f"- {name}: {_plain(what)}" for name, what in facts(report))]
    shown = [*tables(report, confusions), *calibration_tables(report.calibrations or {}), *curve_tables(report.curve)]
    parts += ["\n".join(table_lines(table)) for table in shown]
    if wrong := "\n\n".join(sentences(report, errors)):
        parts.append(_code(wrong))
    return "\n\n".join([*parts, _code(report.signed)]) + "\n"


def table_lines(table: Table) -> Iterator[str]:
    """A table as lines of Markdown."""
    rules = [":--" if i in table.left else "--:" for i in range(len(table.head))]
    for row in (map(_plain, table.head), rules, *(map(_plain, row) for row in table.rows)):
        yield f"| {' | '.join(row)} |"


def _plain(text: str) -> str:
    """A text that shows as it is, in one line: the end of a line would end the row of a table."""
    return SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    """A block of code; its fence is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, LONGEST_FENCE.findall(text)), default=0))
    return f"{fence}\n{text}\n{fence}"
