"""The seconds that a person needs for an action: reading, and the operators of the keystroke-level model.

Card, Moran and Newell, The keystroke-level model for user performance time with interactive systems, Communications
of the ACM 23(7), 1980: M, to make up one's mind, 1.35 s; P, to point at something with the mouse, 1.10 s; K, a key or
a button of the mouse, 0.28 s for an average typist who is no secretary. Brysbaert, How many words do we read per
minute?, Journal of Memory and Language 109, 2019: 238 words of non-fiction a minute.
"""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Times:
    """The seconds of each operator."""

    word: float = 60 / 238
    decision: float = 1.35
    pointing: float = 1.10
    key: float = 0.28


USUAL = Times()


@dataclass(frozen=True)
class Effort:
    """How often somebody did each."""

    words: int = 0  # read
    decisions: int = 0
    pointings: int = 0
    keys: int = 0  # or buttons of the mouse

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def seconds(self, times: Times = USUAL) -> float:
        """How long it takes."""
        pairs = (
            (self.words, times.word),
            (self.decisions, times.decision),
            (self.pointings, times.pointing),
            (self.keys, times.key),
        )
        return sum(count * seconds for count, seconds in pairs)


def reading(words: int) -> Effort:
    """The effort of reading, and of saying by one key what one thinks of it."""
    return Effort(words=words, decisions=1, keys=1)


def marking(tokens: int) -> Effort:
    """The effort of marking a span with the mouse: a click, or a drag from one end to the other; then a digit."""
    return Effort(decisions=1, pointings=1, keys=2) if tokens == 1 else Effort(decisions=1, pointings=2, keys=3)


REMOVING = Effort(decisions=1, pointings=1, keys=2)  # of a span: a click on it, then a key
