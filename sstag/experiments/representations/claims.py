"""Claims of representations: what each kind adds to what costs less, on every corpus that has it."""

from collections.abc import Iterator, Sequence

from sstag.experiments.claims import Claim, claimed
from sstag.experiments.page import Block
from sstag.experiments.representations.eyes import ENCODED, GLOVE_BROWN, MPNET, OWN_BOTH, SPELLINGS, lines_of
from sstag.experiments.representations.fine_tuned import TUNED
from sstag.experiments.representations.tasks import TASKS
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row, Section

SIZE = 100  # labelled sentences
PAIRS = (
    (OWN_BOTH, SPELLINGS),
    (GLOVE_BROWN, SPELLINGS),
    (GLOVE_BROWN, OWN_BOTH),
    (ENCODED, GLOVE_BROWN),
    (MPNET, ENCODED),
    (ENCODED, TUNED),
)


def claims(parts: Sequence[Section]) -> Section:
    """The table of all claims, on the trials of other sections."""
    return Section([trial for part in parts for trial in part.trials], _report)


def _seeing(system: str) -> Row:
    """The settings of the trials that are compared."""
    if system == TUNED:
        return {"encoder": "minilm", "sentences": SIZE}
    return {"on": "test", "minimum": None, "lines": lines_of(system), "sentences": SIZE}


def _report(rows: list[Row]) -> Iterator[Block]:
    yield f"""## What is claimed

Taggers with {SIZE} labelled sentences; p is corrected for all comparisons of this page (Holm). The figures were known
when these comparisons were written down."""
    found = []
    for task in TASKS.values():
        here = [row for row in rows if row["task"] == task.name]
        for pair in PAIRS:
            both = [by_draw(here, "figure", **_seeing(name)) for name in pair]
            if all(both):
                found.append(Claim(f"{task.title}: {' over '.join(pair)}", *both))
    yield claimed(found)
