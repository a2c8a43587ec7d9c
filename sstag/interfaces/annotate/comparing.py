"""Suggestions compared with the answers that followed: by model, by certainty, and on a fair sample of the texts.

Texts that a strategy chose are harder than others, so a figure on all answers says how hard the questions were, too.
Texts that were drawn at random are a sample of the pool: the first ones, then one of five questions (`questions.py`).
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.saying import Said
from sstag.selection.strategies import CHANCE

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SAMPLED, FEWEST = 20, 10  # texts of the sample, the last ones, that a figure is about: at most, and at least
DIGITS = 4

Triple: TypeAlias = tuple[int, int, str]  # first token, the token after the last, label


@dataclass(frozen=True)
class Answered:
    """An answer that counts, with what was suggested when it was given."""

    event: int
    annotator: str
    kind: str
    seconds: float
    tokens: int
    labels: int  # spans that it says
    model: int | None
    said: Said | None  # of a whole text
    suggested: Sequence[tuple[int, int, str, float]] | None
    strategy: str | None = None  # that chose the text; None if nobody was asked


@dataclass
class SpanScore:
    """Spans that were suggested and spans that were answered, counted."""

    texts: int = 0
    suggested: int = 0
    answered: int = 0
    right: int = 0

    def add(self, suggested: set[Triple], answer: set[Triple]) -> None:
        """Counts a text."""
        self.texts += 1
        self.suggested += len(suggested)
        self.answered += len(answer)
        self.right += len(suggested & answer)

    @property
    def f1(self) -> float | None:
        both = self.suggested + self.answered
        return round(2 * self.right / both, DIGITS) if both else None


def compared(answers: Iterable[Answered]) -> Iterator[tuple[Answered, set[Triple], set[Triple]]]:
    """The answers to suggestions, the spans suggested, and those of the answer."""
    for answer in answers:
        if answer.said is not None and answer.suggested is not None:
            spans = {(span.first, span.stop, span.labels[0]) for span in answer.said.spans if len(span.labels) == 1}
            yield answer, {(first, stop, label) for first, stop, label, _ in answer.suggested}, spans


def accepted(answers: Sequence[Answered]) -> list[dict[str, Json]]:
    """F of the suggestions of each model, for all texts that it suggested for."""
    scores: defaultdict[int, SpanScore] = defaultdict(SpanScore)
    for answer, suggested, spans in compared(answers):
        scores[answer.model or 0].add(suggested, spans)
    return [
        {"model": model, "texts": score.texts, "spans": score.suggested, "f1": score.f1}
        for model, score in sorted(scores.items())
    ]


def calibration(answers: Sequence[Answered]) -> list[Json]:
    """How often suggestions were right, by their certainty."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in BINS[1:]]
    for answer, _, spans in compared(answers):
        for first, stop, label, probability in answer.suggested or ():
            place = next(place for place, top in enumerate(BINS[1:]) if probability <= top or top == BINS[-1])
            bins[place].append((probability, (first, stop, label) in spans))
    return [
        {
            "from": low,
            "to": high,
            "count": len(inside),
            "mean": round(sum(probability for probability, _ in inside) / len(inside), DIGITS),
            "right": round(sum(right for _, right in inside) / len(inside), DIGITS),
        }
        for low, high, inside in zip(BINS[:-1], BINS[1:], bins, strict=True)
        if inside
    ]


def of_sample(answers: Sequence[Answered]) -> list[dict[str, Json]]:
    """F of the suggestions for the last texts that were drawn at random, for each model that suggested for one."""
    last: deque[tuple[set[Triple], set[Triple]]] = deque(maxlen=SAMPLED)
    figures: dict[int, dict[str, Json]] = {}
    for answer, suggested, spans in compared(answers):
        if answer.strategy == CHANCE and answer.model is not None:
            last.append((suggested, spans))
            score = SpanScore()
            for pair in last:
                score.add(*pair)
            if len(last) >= FEWEST:
                figures[answer.model] = {"model": answer.model, "texts": score.texts, "f1": score.f1}
    return [figure for _, figure in sorted(figures.items())]
