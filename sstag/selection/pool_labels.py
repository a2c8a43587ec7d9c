"""Whether the column of a pool that a sheet would leave open holds labels: `?` takes the place of what stands there.

A column file without names has its label last, and so would raw text with parts of speech: their loss is an error.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sstag.corpus.corpus import Corpus
from sstag.foundation.display import first_of
from sstag.foundation.errors import DataError

SHOWN = 3  # values of the column in a message


@dataclass(frozen=True)
class Held:
    """Values of the label column of a pool besides the mark of open labels."""

    place: int  # of the column
    first: tuple[str, ...] = ()  # in alphabetical order, one more than are shown
    labels: bool = False  # whether one of them is a model's label

    def with_more(self, other: "Held") -> "Held":
        """The values of two parts of the pool."""
        first = sorted({*self.first, *other.first})[: SHOWN + 1]
        return Held(self.place, tuple(first), self.labels or other.labels)


def held(corpus: Corpus, label: str, mark: str, labels: Iterable[str] | None) -> Held | None:
    """The values of the column of the label, if a pool has one."""
    if label not in corpus.columns:
        return None
    place = corpus.columns.index(label)
    values = {*corpus.values[place]} - {mark}
    return Held(place, tuple(sorted(values)[: SHOWN + 1]), not values.isdisjoint(labels or ()))


def refuse_to_lose(found: Held | None, label: str, columns: Sequence[str], model: bool, path: str) -> None:
    """Raises an error if the label column of a pool that names none holds what nobody called labels.

    It holds labels if all of it is open, or if it has one of a model's labels; without a model nothing tells.
    """
    if not found or not found.first or found.labels:
        return
    what = f"column {found.place + 1} ({first_of(found.first, SHOWN)})"
    if not model:
        mend = "--label label says so, and it is left open; --no-label keeps it and adds a label column"
        raise DataError(f"is {what} the label? {mend}; --columns names all columns", path)
    kept = ",".join(name for name in columns if name != label)
    raise DataError(
        f"{what} is where the model has its label, but holds none of its: `sstag convert --keep {kept}` drops it",
        path,
    )
