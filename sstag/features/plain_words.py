"""Features and attributes in plain words, for people who do not write templates.

    word[0]=Rome                             “Rome”
    suffix(word[0], 3)=ing                   ends in -ing
    short_shape(word[1])=Xx                  the next word looks like Xx
    matches(word[0], '^[A-Z][.]$')           matches [A-Z][.]
    word[-1] | word[0]=New|York              “New York”, at “York”

An attribute that these words cannot say, such as one of a lexicon, stays as the template writes it.
"""

from collections.abc import Sequence
from itertools import pairwise

from sstag.features.template import END, Argument, Edge, Feature, Source, Term, Text

QUOTE = "“"
PLACES = {-1: "the word before", 1: "the next word"}


def attribute_in_words(feature: Feature, attribute: str, columns: Sequence[str], word: str) -> str:
    """The words for a token that has an attribute of a feature."""
    values = _values(feature, attribute)
    if values is None:
        return attribute
    if (term := _phrase(feature, values, columns, word)) is not None:
        return term
    parts = [_term_in_words(*pair, columns, word) for pair in zip(feature.terms, values, strict=True)]
    return ", ".join(part for part in parts if part) if all(parts) else attribute


def feature_in_words(feature: Feature, columns: Sequence[str], word: str) -> str:
    """The words for all attributes of a feature of one token; its text in a template where it has no such words."""
    if len(feature.terms) != 1 or not isinstance(feature.terms[0], Text) or len(feature.terms[0].source.functions) > 1:
        return feature.name
    source = feature.terms[0].source
    if not source.functions:
        return "words" if columns[source.column] == word else columns[source.column]
    kinds = {
        "lower": "words in small letters",
        "shape": "shapes, such as Xxxx-dd",
        "short_shape": "short shapes, such as Xx",
        "kind": "kinds: number, year, price, …",
    }
    name, argument = source.functions[0]
    match name:
        case "prefix" | "suffix":
            letters = "letter" if argument == 1 else f"{argument} letters"
            return f"{'first' if name == 'prefix' else 'last'} {letters}"
        case "matches":
            return _pattern_in_words(str(argument))
    return kinds.get(name, feature.name)


def _values(feature: Feature, attribute: str) -> list[str] | None:
    """The value of each term in the text of an attribute, empty for a term without one; None if that is not sure."""
    shows = [bool(literal) for literal in feature.literals[:-1]]
    shows[:1] = [feature.literals[0] != feature.name]
    if not attribute.startswith(feature.name) or feature.literals[-1] not in ("", feature.name):
        return None  # templates of CRF++ write attributes otherwise
    rest = attribute[len(feature.name) :].removeprefix("=")
    values = rest.split("|") if sum(shows) > 1 else [rest]
    if len(values) != max(sum(shows), 1):
        return None  # a value has the mark between values in it
    left = iter(values)
    return [next(left) if shown else "" for shown in shows]


def _phrase(feature: Feature, values: Sequence[str], columns: Sequence[str], word: str) -> str | None:
    """The words of an attribute that are neighbours in the text, as one phrase; None if they are anything else."""
    offsets = []
    for term in feature.terms:
        if not isinstance(term, Text) or term.source.functions or columns[term.source.column] != word:
            return None
        if term.offset is END:
            return None
        offsets.append(term.offset)
    if len(offsets) < 2 or 0 not in offsets or any(after - before != 1 for before, after in pairwise(offsets)):
        return None
    return f"“{' '.join(values)}”, at “{values[offsets.index(0)]}”"


def _term_in_words(term: Term, value: str, columns: Sequence[str], word: str) -> str | None:
    match term:
        case Edge(last):
            return f"the {'last' if last else 'first'} word of the sentence"
        case Text(source, offset):
            words = _source_in_words(source, value, columns[source.column], word)
            if offset == 0 or words is None:
                return words
            place = "the last word of the sentence" if offset is END else PLACES.get(offset) or _far(offset)
            return f"{place} is {words}" if words.startswith(QUOTE) else f"{place} {words}"
    return None


def _far(offset: int) -> str:
    return f"the word {abs(offset)} places {'before' if offset < 0 else 'behind'}"


def _source_in_words(source: Source, value: str, column: str, word: str) -> str | None:
    if not source.functions:
        return f"{QUOTE}{value}”" if column == word else f"has {column} {value}"
    if len(source.functions) > 1 or column != word:
        return None
    name, argument = source.functions[0]
    return _function_in_words(name, argument, value)


def _function_in_words(name: str, argument: Argument, value: str) -> str | None:
    match name:
        case "lower":
            return f"{QUOTE}{value}” in any case"
        case "prefix":
            return f"begins with {value}-"
        case "suffix":
            return f"ends in -{value}"
        case "shape" | "short_shape":
            return f"looks like {value}"
        case "kind":
            return f"is of the kind {value}"
        case "matches":
            return _pattern_in_words(str(argument))
    return None


def _pattern_in_words(pattern: str) -> str:
    """The words for a pattern: anchors are written out."""
    if "|" in pattern or pattern.endswith("\\$"):
        return f"matches {pattern}"
    inner = pattern.removeprefix("^").removesuffix("$")
    match pattern.startswith("^"), pattern.endswith("$"):
        case True, True:
            return f"matches {inner}"
        case True, False:
            return f"begins with {inner}"
        case False, True:
            return f"ends with {inner}"
    return f"contains {inner}"
