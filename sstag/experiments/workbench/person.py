"""Somebody who knows the right answers and gives them at a desk, with the effort that each of them takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sstag.experiments.workbench.desk import Desk, Said
from sstag.experiments.workbench.effort import REMOVING, Effort, marking, reading
from sstag.experiments.workbench.gold import Gold, Span

AROUND = 5  # words that are read on either side of a span, or of a word
CONTEXTS = 2  # of a word that are read
MOSTLY = 0.8  # a word is said to have a label that it has at least so often


@dataclass
class Person:
    """A simulated annotator."""

    desk: Desk
    gold: Gold
    effort: Effort = field(default_factory=Effort)
    sentences: int = 0
    tokens: int = 0  # of these
    answers: int = 0

    def sentence(self, question: Said, helped: bool) -> None:
        """Answers a question about a sentence; without help, nothing that is suggested saves any work."""
        tokens: Sequence[str] = question["tokens"]
        right = self.gold.spans[tuple(tokens)]
        shown = [(one["first"], one["stop"], one["labels"][0]) for one in question["suggested"] or [] if helped]
        effort = reading(len(tokens))
        for span in right:
            if span not in shown:
                effort += marking(span[1] - span[0])
        for one in shown:
            if not any(_overlap(one, span) for span in right):
                effort += REMOVING
        self.sentences += 1
        self.tokens += len(tokens)
        spans = [{"first": first, "stop": stop, "labels": [label]} for first, stop, label in right]
        about = {"text": question["text"], "question": question["question"]}
        self._say(effort, {"kind": "sentence", **about, "spans": spans, "open": [], "forbidden": []})

    def span(self, place: Said) -> None:
        """Says yes or no to a span in its context."""
        text = self.desk.get("text", text=place["text"])
        span = (place["first"], place["stop"], place["labels"][0])
        right = span in self.gold.spans[tuple(text["tokens"])]
        about = {name: place[name] for name in ("text", "first", "stop", "labels", "probability")}
        effort = reading(len(place["tokens"]) + _around(place))
        self._say(effort, {"kind": "span", **about, "answer": "yes" if right else "no"})

    def word(self, feature: Said, word: str) -> None:
        """Says which label a word mostly has, or that it tells nothing."""
        counts = self.gold.words[word]
        label, times = counts.most_common(1)[0]
        said: Said = {"labels": [label]} if times >= MOSTLY * counts.total() else {"nothing": True}
        effort = reading(1 + sum(1 + _around(one) for one in feature["contexts"][:CONTEXTS]))
        self._say(effort, {"kind": "feature", "feature": feature["feature"], **said})

    def _say(self, effort: Effort, answer: Said) -> None:
        self.effort += effort
        self.answers += 1
        self.desk.say({**answer, "seconds": round(effort.seconds(), 2)})


def _around(context: Said) -> int:
    """The words that are read beside some others."""
    return sum(len(context[side][:AROUND]) for side in ("before", "behind"))


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
