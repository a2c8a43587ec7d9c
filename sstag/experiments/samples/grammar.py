"""Text from a weighted grammar with labels: a small notation, its reader and its expander.

    symbol = one | 3x two words      alternatives, all alike (the second here three times as likely)
    symbol > first | second          the earlier the likelier: the k-th alternative weighs k^-1.6 times its own
             | third                 lines that begin with a blank continue the rule
    [a | b]  {a | b}                 half of the time nothing; a group
    a~b                              no blank between them
    <symbol>  <label:symbol>         a symbol; a symbol whose words get this label
    <5-95/5>  <1000-2000/50,>        a number, in steps; with a comma for the thousands

Lines that begin with # are comments. The innermost label counts.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

Token = tuple[str, str]

STEEPNESS = 1.6  # how fast the weights of a ranked rule fall

_PIECES = re.compile(r"<[^>]*>|[\[\]{}|~]|[^\s\[\]{}|~<]+")
_NUMBER = re.compile(r"<(\d+)-(\d+)(?:/(\d+))?(,?)>")
_WEIGHT = re.compile(r"(\d+)x")


@dataclass(frozen=True)
class Number:
    """A whole number from low to high in steps."""

    low: int
    step: int
    steps: int
    form: str


@dataclass(frozen=True)
class Joined:
    """Two items written without a blank between them."""

    items: "tuple[Item, Item]"


@dataclass
class Choice:
    """Alternatives under their cumulative weights; empty until its rule has been read."""

    cumulative: list[float] = field(default_factory=list)
    alternatives: "list[tuple[Item, ...]]" = field(default_factory=list)

    def fill(self, weighted: "list[tuple[float, tuple[Item, ...]]]") -> None:
        self.cumulative.extend(accumulate(weight for weight, _ in weighted))
        self.alternatives.extend(items for _, items in weighted)


@dataclass(frozen=True)
class Labelled:
    """A choice whose words get a label."""

    label: str
    choice: Choice


Item = str | Number | Joined | Choice | Labelled


class Grammar:
    """The rules of one text in the notation above."""

    def __init__(self, text: str) -> None:
        self.symbols: dict[str, Choice] = {}
        rules = re.sub(r"\n[ \t]+", " ", re.sub(r"(?m)^#.*\n", "", text))
        for rule in filter(None, rules.splitlines()):
            name, sign, body = [*rule.split(None, 2), "", ""][:3]
            pieces = _PIECES.findall(body)[::-1]
            weighted = self._alternatives(pieces)
            if sign == ">":
                weighted = [(weight / rank**STEEPNESS, items) for rank, (weight, items) in enumerate(weighted, start=1)]
            if sign not in (">", "=") or pieces or self._symbol(name).alternatives:
                raise ValueError(f"not a rule, or a second one for its symbol: {rule}")
            self._symbol(name).fill(weighted)
        undefined = [name for name, choice in self.symbols.items() if not choice.alternatives]
        if undefined:
            raise ValueError(f"symbols without a rule: {', '.join(undefined)}")

    def _symbol(self, name: str) -> Choice:
        return self.symbols.setdefault(name, Choice())

    def _alternatives(self, pieces: list[str]) -> list[tuple[float, tuple[Item, ...]]]:
        """Everything up to the closing bracket or the end; `pieces` is a stack and loses what was read."""
        weighted: list[tuple[float, tuple[Item, ...]]] = []
        while True:
            weight = float(match[1]) if pieces and (match := _WEIGHT.fullmatch(pieces[-1])) else 1.0
            if weight != 1.0:
                pieces.pop()
            items: list[Item] = []
            while pieces and pieces[-1] not in "|]}":
                items.append(self._item(pieces))
                while pieces and pieces[-1] == "~":
                    pieces.pop()
                    items.append(Joined((items.pop(), self._item(pieces))))
            weighted.append((weight, tuple(items)))
            if not pieces or pieces[-1] != "|":
                return weighted
            pieces.pop()

    def _item(self, pieces: list[str]) -> Item:
        if not pieces:
            raise ValueError("a rule ends too early")
        piece = pieces.pop()
        if piece in "[{":
            weighted = self._alternatives(pieces)
            if not pieces or pieces.pop() != {"[": "]", "{": "}"}[piece]:
                raise ValueError(f"brackets do not match after {piece}")
            if piece == "[":
                weighted.append((sum(weight for weight, _ in weighted), ()))
            group = Choice()
            group.fill(weighted)
            return group
        if number := _NUMBER.fullmatch(piece):
            low, high, step = int(number[1]), int(number[2]), int(number[3] or 1)
            return Number(low, step, (high - low) // step + 1, "," if number[4] else "")
        if piece.startswith("<"):
            label, _, name = piece[1:-1].rpartition(":")
            return Labelled(label, self._symbol(name)) if label else self._symbol(name)
        return piece

    def expand(self, symbol: str, rng: np.random.Generator) -> list[Token]:
        """(word, label) pairs drawn from a symbol; words outside any label have the label ""."""
        words: list[Token] = []
        _expand(self.symbols[symbol], "", rng, words)
        return words


def _expand(item: Item, label: str, rng: np.random.Generator, words: list[Token]) -> None:
    if isinstance(item, str):
        words.append((item, label))
    elif isinstance(item, Choice):
        alternatives = item.alternatives
        k = 0
        if len(alternatives) > 1:
            k = bisect_right(item.cumulative, rng.random() * item.cumulative[-1], hi=len(alternatives) - 1)
        for part in alternatives[k]:
            _expand(part, label, rng, words)
    elif isinstance(item, Labelled):
        _expand(item.choice, item.label, rng, words)
    elif isinstance(item, Number):
        words.append((format(item.low + item.step * int(rng.random() * item.steps), item.form), label))
    else:
        left, right = item.items
        start = len(words)
        _expand(left, label, rng, words)
        end = len(words)
        _expand(right, label, rng, words)
        if start < end < len(words):
            words[end - 1 : end + 1] = [(words[end - 1][0] + words[end][0], label)]
