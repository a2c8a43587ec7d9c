"""The shares that label regularisation is given, beside those that the labelled sentences alone would find.

Where they find nearly as many names as the shares say there are, the shares tell the raw text nothing new, and their
own error is learned: measured on names in several languages, it costs above a ratio of about 0.6, and gains below. The
error of shares that were counted in n sentences is that of sentences, which were drawn, and not of tokens:

    p = Σ_i c_i / Σ_i m_i       error² = S/(S − 1) · Σ_i (c_i − p m_i)² / (Σ_i m_i)²

with c_i the tokens of sentence i that have another label than the most frequent one, and m_i its decided tokens.
"""

from dataclasses import asdict, dataclass

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import row_of_each
from sstag.model.dataset import Dataset

RARE = 0.5  # of the tokens have other labels than the most frequent one, at most
NEARLY = 0.6  # of what is given is found already


@dataclass(frozen=True)
class SharesFound:
    """How many raw tokens have another label than the most frequent one: as is given, and as was found before."""

    label: str  # the most frequent one
    given: float
    found: float
    error: float | None  # the standard error of `given`, if it was counted

    @property
    def ratio(self) -> float:
        return self.found / self.given if self.given > 0 else 0.0

    @property
    def told(self) -> bool:
        """Whether the ratio tells anything: it was measured where most tokens have one label, as outside of names."""
        return self.given <= RARE

    @property
    def nearly(self) -> bool:
        """Whether nearly as much is found as is given."""
        return self.told and self.ratio > NEARLY

    @property
    def about(self) -> dict[str, Json]:
        return {**asdict(self), "ratio": self.ratio}

    @property
    def warning(self) -> str | None:
        """A warning if the shares were counted, and the labelled sentences find nearly as much by themselves."""
        if self.error is None or not self.nearly:
            return None
        given = f"{100 * self.given:.1f} ± {100 * self.error:.1f} %"
        return (
            f"label regularisation gains little here and may cost: the labelled sentences alone find "
            f"{100 * self.found:.1f} % of the raw tokens not '{self.label}', and by their own shares {given} should be "
            f"({self.ratio:.2f} of it; up to about {NEARLY} it pays): known shares help more (--expectations FILE with "
            "a line *, a tab, A:0.7 B:0.3)"
        )


def shares_found(labels: tuple[str, ...], given: Floats, found: Floats, error: float | None) -> SharesFound:
    """Shares as they are given and as they were found, (L,)."""
    label = int(given.argmax())
    return SharesFound(labels[label], float(1 - given[label]), float(1 - found[label]), error)


def sentence_errors(labelled: Dataset, count: int) -> Floats:
    """The standard error of the share of each label among the decided tokens, by sentences."""  # (L,)
    single, labels = labelled.decided
    sentence = row_of_each(labelled.offsets)[single]
    sentences, omega = len(labelled.offsets) - 1, labelled.omega[sentence]
    tokens = np.bincount(sentence, omega, sentences)
    of_label = np.bincount(sentence * count + labels, omega, sentences * count).reshape(sentences, count)
    away = of_label - np.outer(tokens, of_label.sum(axis=0) / tokens.sum())
    errors: Floats = np.sqrt((away**2).sum(axis=0) * sentences / max(sentences - 1, 1)) / tokens.sum()
    return errors


def worth_in_tokens(labelled: Dataset, label: int) -> float:
    """How many tokens, drawn one by one, would tell the share of other labels as surely as these sentences do."""
    _, labels = labelled.decided
    share, error = float((labels != label).mean()), float(sentence_errors(labelled, int(labels.max()) + 1)[label])
    return share * (1 - share) / error**2 if error > 0 else float(len(labels))
