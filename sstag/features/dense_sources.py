"""Where dense features get their numbers: a vector for each word, or a vector for each token of a text."""

from collections.abc import Sequence
from typing import Protocol

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Bytes, Halves, Longs, Singles


class Vectors(Protocol):
    """Vectors of words, such as a file of them, or those that a model keeps."""

    @property
    def dimensions(self) -> int: ...

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""

    @property
    def composes(self) -> bool:
        """Whether words that it does not list have vectors, too: those of their parts."""

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those words that have a vector, ascending, and their vectors, (W, D)."""

    def listed(self) -> tuple[list[str], Singles]:
        """All words that have a vector, and their vectors, (W, D)."""


class Encoder(Protocol):
    """Vectors of tokens in their sentences, such as those of a language model, or of a file with a row a token."""

    @property
    def column(self) -> str | None:
        """The column of the words that it reads."""

    @property
    def dimensions(self) -> int: ...

    @property
    def digest(self) -> str:
        """The SHA-256 of everything that the vectors depend on besides the text."""

    @property
    def base(self) -> str:
        """That SHA-256 before some weights were trained."""

    @property
    def trained(self) -> Bytes | None:
        """The weights that were trained, as a model keeps them."""

    def numbers(self, corpus: Corpus) -> Halves:
        """A row for each token of a text, (T, D), which may stay in a file."""
