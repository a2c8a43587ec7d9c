"""Whether raw text goes over to one label while a tagger is trained: the optimum that says nothing (J06 §5; M07 §7).

All labels the same has entropy 0, so entropy regularisation may lead there. It shows in the share of the most frequent
label among those found in the raw text, beside its share at the start and in the labelled sentences.
"""

from dataclasses import dataclass, replace

import numpy as np

from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.parallel import Over
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import model

HALF = 0.5  # of the tokens with another label are gone: a drift


@dataclass(frozen=True)
class Drift:
    """The most frequent label found in raw text, and its shares there, at the start, and in labelled sentences."""

    label: str
    share: float
    start: float | None  # None if there were no weights
    labelled: float | None  # None without a decided label

    @property
    def warning(self) -> str | None:
        """A warning, if the share is far from both of those that it can be compared with."""
        known = [share for share in (self.start, self.labelled) if share is not None]
        if not known or any(1 - self.share >= HALF * (1 - share) for share in known):
            return None
        shares = [
            f"{100 * share:.1f} % {where}"
            for share, where in ((self.start, "at the start"), (self.labelled, "in the labelled text"))
            if share is not None
        ]
        return (
            f"the raw text drifts to one label: {100 * self.share:.1f} % of its tokens are '{self.label}' now "
            f"({', '.join(shares)}): gamma is too large (lower it, or keep the shares by label regularisation)"
        )


def drift(made: Compiled, data: Dataset, start: Floats, end: Floats, over: Over) -> Drift:
    """How the labels found in raw text have changed."""
    tagger, count = model(made, end), len(made.labels)
    shares = [_shares(replace(tagger, theta=theta).tagged(data, over), count) for theta in (start, end)]
    label = int(shares[1].argmax())
    decided = made.labelled.decided[1] if made.labelled else np.zeros(0, np.int64)
    return Drift(
        made.labels[label],
        float(shares[1][label]),
        float(shares[0][label]) if start.any() else None,
        float(_shares(decided, count)[label]) if len(decided) else None,
    )


def _shares(labels: Ints | Longs, count: int) -> Floats:  # (L,)
    shares: Floats = np.bincount(labels, minlength=count) / max(len(labels), 1)
    return shares
