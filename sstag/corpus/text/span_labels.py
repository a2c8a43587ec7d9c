"""Label columns that follow from spans, in IOB2, with the marks `?`, `A|B` and `!A` where the spans leave labels open.

An accepted span is said exactly: behind it stands `!I-X` if the next token is open, because an open token could go on
with it. A rejected span is ruled out where a single token can do that:

    not (B-X at the first ∧ I-X at the others ∧ no I-X behind)        if all but one are sure, that one is not so

What single tokens cannot say stands as a run of `!X`, X the type, at the tokens of the span (`labels/rejected_runs.py`
reads it), if these are open and no like run is beside them. What is lost even so is counted.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from sstag.corpus.text.documents import OPEN
from sstag.corpus.text.span_tokens import Run
from sstag.foundation.errors import DataError

EITHER, NOT = "|", "!"
BLANK = "\u00a0"  # stands for a blank within a value: it does not separate columns
OTHER_BLANKS = frozenset("\t\n\v\f\r")  # separate columns and lines
MOST_LABELS = 10_000  # that are remembered
LOST = "rejected in a way that a label column cannot say"


def column_of(runs: Sequence[Run], tokens: int, ends: Sequence[int], rest: str, counts: Counter[str]) -> list[str]:
    """The label of each token; `ends` are the places after the last token of each sentence, in order."""
    column = [rest] * tokens
    closed = set(ends) if rest == OPEN or any(not run.span.accepted for run in runs) else set()
    for run in runs:
        if run.span.accepted:
            begin, inside = _label("B", run.span.labels), _label("I", run.span.labels)
            column[run.first] = begin
            column[run.first + 1 : run.stop] = [inside] * (run.stop - run.first - 1)
            if rest == OPEN and run.stop not in closed and column[run.stop] == OPEN:
                column[run.stop] = NOT + inside
    for run in runs:
        if not run.span.accepted:
            for label in run.span.labels:
                counts[LOST] += not (_ruled_out(column, run, label, run.stop in closed) or _held(column, run, label))
    return column


@lru_cache(MOST_LABELS)
def _label(role: str, labels: tuple[str, ...]) -> str:
    return EITHER.join([label_text(role, label) for label in labels])


def label_text(role: str, label: str) -> str:
    """The tag of a role and a label."""
    if EITHER in label or BLANK in label or OTHER_BLANKS & set(label):
        shown = label if label.isprintable() else ascii(label)[1:-1]
        raise DataError(f"the label '{shown}' cannot stand in a column: {EITHER} divides alternatives, blanks columns")
    return f"{role}-{label.replace(' ', BLANK)}" if label else role


def _ruled_out(column: list[str], run: Run, label: str, at_end: bool) -> bool:
    """Whether the labels, one of them narrowed if need be, leave no chunk that is exactly this run."""
    begin, inside = label_text("B", label), label_text("I", label)
    wanted = [(run.first, begin), *((token, inside) for token in range(run.first + 1, run.stop))]
    chances = [_chance(column[token], text) for token, text in wanted]
    after = None if at_end else _chance(column[run.stop], inside)
    if 0 in chances or after == 2:
        return True
    unsure = [place for place, chance in enumerate(chances) if chance == 1]
    if len(unsure) + (after == 1) != 1:
        return False
    if after == 1:
        column[run.stop] = inside
    else:
        token, text = wanted[unsure[0]]
        column[token] = _without(column[token], text)
    return True


def _held(column: list[str], run: Run, label: str) -> bool:
    """Whether there is room for a run of the type, which then stands there."""
    value = NOT + label.replace(" ", BLANK)
    if not label or value in column[max(run.first - 1, 0) : run.stop + 1] or {*column[run.first : run.stop]} != {OPEN}:
        return False
    column[run.first : run.stop] = [value] * (run.stop - run.first)
    return True


def _chance(value: str, label: str) -> int:
    """0 if a value rules a label out, 2 if it allows nothing else, else 1."""
    if value == OPEN:
        return 1
    if value.startswith(NOT):
        return int(label not in value[1:].split(EITHER))
    allowed = value.split(EITHER)
    return 0 if label not in allowed else 1 + (len(allowed) == 1)


def _without(value: str, label: str) -> str:
    """A value that allows the same labels but one."""
    if value == OPEN:
        return NOT + label
    if value.startswith(NOT):
        return f"{value}{EITHER}{label}"
    return EITHER.join(one for one in value.split(EITHER) if one != label)
