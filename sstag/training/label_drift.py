"""Whether raw text goes over to one label while a tagger is trained: the optimum that says nothing (J06 §5; M07 §7).

All labels the same has entropy 0, a tagger that learns from its own labels repeats its commonest ones, and lists say
more of some labels than of others. It shows in the share of the most frequent label among those found in the raw text,
beside its share at the start and in the labelled sentences.
"""

from dataclasses import dataclass, replace

import numpy as np

from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import Shelf
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.large_data import Encoded
from sstag.model.model import asked, model
from sstag.model.weight_map import WeightMap, weight_map

HALF = 0.5  # of the tokens with another label are gone: a drift


@dataclass(frozen=True)
class Drift:
    """The most frequent label found in raw text, and its shares there, at the start, and in labelled sentences."""

    label: str
    share: float
    start: float | None  # None if there were no weights
    labelled: float | None  # None without a decided label

    def warning(self, advice: str, asked: float | None = None) -> str | None:
        """A warning with some advice, if the share is far from all of those that it can be compared with: the label's
        share at the start, in labelled sentences, and the one that is asked for, if one is.
        """
        known = [share for share in (self.start, self.labelled, asked) if share is not None]
        if not known or any(1 - self.share >= HALF * (1 - share) for share in known):
            return None
        shares = [
            f"{100 * share:.1f} % {where}"
            for share, where in ((self.start, "at the start"), (self.labelled, "in the labelled text"))
            if share is not None
        ]
        return (
            f"the raw text drifts to one label: {100 * self.share:.1f} % of its tokens are '{self.label}' now "
            f"({', '.join(shares)}): {advice}"
        )


def drift(labels: tuple[str, ...], end: Floats, start: Floats | None, labelled: Floats | None) -> Drift:
    """How the shares of labels found in raw text have changed, beside those of labelled sentences, if any are known."""
    label = int(end.argmax())
    before, theirs = (None if one is None else float(one[label]) for one in (start, labelled))
    return Drift(labels[label], float(end[label]), before, theirs)


def labelled_shares_of(made: Compiled) -> Floats | None:
    """The shares of the labels among the decided tokens of the labelled sentences."""  # (L,)
    decided = made.labelled.decided[1] if made.labelled else np.zeros(0, np.int64)
    return shares(decided, len(made.labels)) if len(decided) else None


def found_shares(made: Compiled, data: Dataset | Shelf[Encoded], theta: Floats, over: Over) -> Floats:
    """The shares of the labels that a tagger with these weights finds in raw text."""  # (L,)
    if isinstance(data, Dataset):
        tagger = replace(model(made, np.zeros(0)), theta=theta)
        return shares(tagger.tagged(data, over), len(made.labels))
    times: Longs = data.summed(_times_found, weight_map(made), theta)
    found: Floats = times / max(int(times.sum()), 1)
    return found


def _times_found(encoded: Encoded, over: Over, of: WeightMap, theta: Floats) -> Longs:
    """How often each label is found in a volume."""  # (L,)
    found = asked(of, theta, encoded.data, over, lambda batch, lattice: lattice.viterbi()[0])
    return np.bincount(np.concatenate(found), minlength=of.labels)


def shares(labels: Ints | Longs, count: int) -> Floats:
    """The share of each label among some."""  # (L,)
    found: Floats = np.bincount(labels, minlength=count) / max(len(labels), 1)
    return found
