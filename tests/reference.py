"""Attributes made one token at a time from plain strings: what `sstag.features.vocabulary` must agree with.

A sentence is a list of tokens, a token a tuple of cells. Of sstag only the data of a template is used.
"""

import re
from collections.abc import Mapping, Sequence

from sstag.features.template import Edge, Feature, Listed, Number, Source, Template, Term, Text

Token = tuple[str, ...]
Sentence = Sequence[Token]
Entries = Sequence[Sequence[str]]
Lexica = Mapping[str, Entries]
Attribute = tuple[str, float, str | None]  # its text, its value, and what stands for it where it is unknown

LEAVES_MARKS_ALONE = ("lower", "shape", "short_shape")


def attributes(features: Sequence[Feature], sentence: Sentence, at: int, lexica: Lexica) -> list[Attribute]:
    """The attributes of one token."""
    made = [attribute(feature, sentence, at, lexica) for feature in features]
    return [one for one in made if one is not None]


def attribute(feature: Feature, sentence: Sentence, at: int, lexica: Lexica) -> Attribute | None:
    text, value = feature.literals[0], 1.0
    for term, literal in zip(feature.terms, feature.literals[1:], strict=True):
        found = term_value(term, sentence, at, lexica)
        if found is None:
            return None
        if isinstance(found, float):
            value *= found
        else:
            text += found
        text += literal
    return text, value, feature.default


def term_value(term: Term, sentence: Sentence, at: int, lexica: Lexica) -> str | float | None:
    """A text, a number, or None where the term has no value."""
    if isinstance(term, Edge):
        return "" if at == (len(sentence) - 1 if term.last else 0) else None
    place = len(sentence) - 1 if term.offset is None else at + term.offset
    inside = 0 <= place < len(sentence)
    if isinstance(term, Text):
        return text_value(term.source, sentence[place]) if inside else mark(term.source, place, len(sentence))
    if not inside:
        return None
    if isinstance(term, Number):
        return float(sentence[place][term.column])
    return listed(term, sentence, lexica)[place]


def mark(source: Source, place: int, length: int) -> str | None:
    if any(name not in LEAVES_MARKS_ALONE for name, _ in source.functions):
        return None
    return f"_B{place}" if place < 0 else f"_B+{place - length + 1}"


def text_value(source: Source, token: Token) -> str | None:
    value: str | None = token[source.column]
    for name, argument in source.functions:
        value = None if value is None else applied(name, argument, value)
    return value


def applied(name: str, argument: object, word: str) -> str | None:
    if name == "lower":
        return word.lower()
    if name == "shape":
        return "".join(kind(char) for char in word)
    if name == "short_shape":
        kinds = [kind(char) for char in word]
        return "".join(now for before, now in zip([None, *kinds], kinds, strict=False) if now != before)
    if name == "prefix":
        return word[: int(str(argument))] if len(word) >= int(str(argument)) else None
    if name == "suffix":
        return word[len(word) - int(str(argument)) :] if len(word) >= int(str(argument)) else None
    assert name == "matches"
    return "" if re.search(str(argument), word) else None


def kind(char: str) -> str:
    names = ((char.isupper(), "X"), (char.islower(), "x"), (char.isdigit(), "d"), (char.isalpha(), "c"))
    return next((name for holds, name in names if holds), char)


def listed(term: Listed, sentence: Sentence, lexica: Lexica) -> list[str | None]:
    """Where each token stands in an entry: alone, at its beginning, inside, at its end; from left to right."""
    words = [text_value(term.source, token) for token in sentence]
    changed = [[text_value(Source(0, term.source.functions), (word,)) for word in e] for e in lexica[term.lexicon]]
    entries = [entry for entry in changed if None not in entry]
    places: list[str | None] = []
    while len(places) < len(words):
        rest = words[len(places) :]
        longest = max((len(entry) for entry in entries if rest[: len(entry)] == entry), default=0)
        places += [None] if not longest else ["S"] if longest == 1 else ["B", *"I" * (longest - 2), "E"]
    return places


def corpus_attributes(template: Template, corpus: Sequence[Sentence]) -> list[list[Attribute]]:
    """The attributes of every token of a corpus."""
    return [
        attributes(template.features, sentence, at, template.lexica)
        for sentence in corpus
        for at in range(len(sentence))
    ]


def corpus_steps(template: Template, corpus: Sequence[Sentence]) -> list[list[Attribute]]:
    """The attributes of the step to every token of a corpus: none to the first one of a sentence."""
    return [
        attributes(template.edges.features, sentence, at, template.lexica) if at else []
        for sentence in corpus
        for at in range(len(sentence))
    ]


def known_texts(found: Sequence[Attribute], known: set[str]) -> list[str]:
    """The attributes of a token that a frozen vocabulary knows, and defaults for others."""
    texts = [text if text in known else default for text, _, default in found]
    return [text for text in texts if text is not None]


def crfpp(lines: Sequence[str], sentence: Sentence, at: int) -> list[str]:
    """The texts that CRF++ makes at one token of some lines of a template file."""

    def cell(row: int, column: int) -> str:
        if row < 0:
            return ["_B-1", "_B-2", "_B-3", "_B-4"][-row - 1]
        if row >= len(sentence):
            return ["_B+1", "_B+2", "_B+3", "_B+4"][row - len(sentence)]
        return sentence[row][column]

    def expanded(line: str) -> str:
        return re.sub(r"%x\[(-?\d+),(\d+)\]", lambda macro: cell(at + int(macro[1]), int(macro[2])), line)

    return [expanded(line) for line in lines]
