"""Whether the column of a pool that a sheet would leave open holds labels: `?` takes the place of what stands there.

A column file without names has its label last, and so would raw text with parts of speech: their loss is an error.
"""

from collections.abc import Iterable

from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import DataError


def refuse_to_lose(corpus: Corpus, label: str, mark: str, labels: Iterable[str] | None) -> None:
    """Raises an error if the label column of a pool that names none holds what nobody called labels.

    It holds labels if all of it is open, or if it has one of a model's labels; without a model nothing tells.
    """
    if label not in corpus.columns:
        return
    place = corpus.columns.index(label)
    held = sorted({*corpus.values[place]} - {mark})
    if not held or (labels is not None and not {*held}.isdisjoint(labels)):
        return
    what = f"column {place + 1} ({', '.join(held[:3])}{', …' if len(held) > 3 else ''})"
    if labels is None:
        mend = "--label label says so, and it is left open; --no-label keeps it and adds a label column"
        raise DataError(f"is {what} the label? {mend}; --columns names all columns", corpus.path)
    kept = ",".join(name for name in corpus.columns if name != label)
    raise DataError(
        f"{what} is where the model has its label, but holds none of its: `sstag convert --keep {kept}` drops it",
        corpus.path,
    )
