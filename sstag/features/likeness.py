"""What a template means by similar words: like which, by which vectors, and how near (`similar.py` finds them)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

MOST = 5  # prototypes that a word can be similar to

Near: TypeAlias = Mapping[str, tuple[str, ...]]  # the prototypes that a word is similar to, nearest first


@dataclass(frozen=True)
class Likeness:
    """What words are compared with, by which vectors, and from which cosine on they are similar."""

    word: str  # as a list of features writes it: word[0]
    prototypes: str
    vectors: str
    threshold: float

    @property
    def name(self) -> str:
        """What tells it from others."""
        return f"{self.word}, {self.prototypes}, {self.vectors}, {self.threshold!r}"
