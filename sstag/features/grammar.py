"""A parser of the lines of templates: `lower(word[-1..1]) | pos[0]` stands for three features.

feature := (term ('|' term)* ['else' name] | dense) ['prior' number]
term    := column '[' range ']' | function '(' term-or-column {',' argument} ')' | 'first()' | 'last()'
dense   := 'vector(' term ',' file [',' scale] ')' | 'encoded(' name '[' range ']' [',' scale] ')'
         | 'predicted(' term ('|' term)* [',' scale] ')'
range   := integer ['..' integer] | 'end'
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from sstag.features.line_tokens import LineTokens
from sstag.features.template import (
    END,
    MOST_SIMILAR,
    Argument,
    Clustered,
    Dense,
    Edge,
    Feature,
    Joined,
    Likeness,
    Listed,
    Number,
    Similar,
    Source,
    Term,
    Text,
)
from sstag.features.word_functions import WORD_FUNCTIONS
from sstag.foundation.errors import ConfigError, nearest

FARTHEST = 100  # tokens away that a term may look
MOST = 2000  # features that a line may stand for
POSITIVE = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}", re.ASCII)
COSINE = re.compile(r"0?\.\d{1,9}|1(?:\.0{1,9})?", re.ASCII)
EDGE_FUNCTIONS = {"first": False, "last": True}
USAGES = {name: function.usage for name, function in WORD_FUNCTIONS.items()} | {
    "lexicon": "lexicon(word[0], list.txt)",
    "similar": "similar(word[0], prototypes.txt, raw.vectors, 0.35)",
    "vector": "vector(word[0], file.vectors)",
    "encoded": "encoded(name[0])",
    "predicted": "predicted(lower(word[0]))",
    "cluster": "cluster(word[0], raw.clusters, 4, 6, 10, 20)",
    "value": "value(...)",
    "first": "first()",
    "last": "last()",
}
NAMES = tuple(USAGES)


@dataclass(frozen=True)
class _Written:
    """A parsed term with its text."""

    term: Term | Dense
    text: str


def features(text: str, columns: Sequence[str], label: str | None) -> list[Feature]:
    """The features that a line of a template stands for; to look at the label column is an error."""
    found = features_or_dense(text, columns, label)
    if any(one.prior != 1.0 for one in found):
        raise ConfigError(f"{text}: only a feature of a template has a prior")
    if dense := next((one for one in found if isinstance(one, Dense)), None):
        raise ConfigError(f"{dense.name} is numbers: only the features of a template can have it")
    return [one for one in found if isinstance(one, Feature)]


def features_or_dense(text: str, columns: Sequence[str], label: str | None) -> list[Feature | Dense]:
    """The features that a line stands for, which in a template may be dense."""
    return _Parser(text, columns, label).feature()


class _Parser:
    """Recursive descent over the tokens of one feature."""

    def __init__(self, text: str, columns: Sequence[str], label: str | None) -> None:
        self.line, self.columns, self.label = LineTokens(text), columns, label

    def feature(self) -> list[Feature | Dense]:
        choices = [self.terms()]
        while self.line.take("|"):
            choices.append(self.terms())
        default = None
        if self.line.take("else"):
            default = self.line.word("a name for the default attribute")
        prior = self.number_above_0("prior", "prior 2") if self.line.take("prior") else 1.0
        self.line.end()
        dense = [replace(one.term, prior=prior) for choice in choices for one in choice if isinstance(one.term, Dense)]
        if dense and (len(choices) > 1 or default):
            raise self.line.error(f"{dense[0].name} stands alone in its line: it is numbers, not one value")
        if dense:
            return [*dense]
        self.bounded(prod(map(len, choices)))
        return [replace(_feature(chosen, default), prior=prior) for chosen in product(*choices)]

    def terms(self) -> list[_Written]:
        """A term, for each offset and length in its ranges."""
        name = self.line.word("a column or a function")
        if self.line.take("("):
            return self.call(name)
        if name in NAMES and name not in self.columns:
            raise self.line.error(f"'{name}' is a function: write {USAGES[name]}")
        column = self.column(name)
        self.line.want("[", f"after the column: {name}[0]")
        where = self.line.word("an offset")
        self.line.want("]", "after the offset")
        if where == "end":
            return [_Written(Text(Source(column), END), f"{name}[end]")]
        offsets = self.line.range(where, -FARTHEST, FARTHEST)
        return [_Written(Text(Source(column), offset), f"{name}[{offset}]") for offset in offsets]

    def call(self, name: str) -> list[_Written]:
        if name not in NAMES:
            raise self.line.error(f"there is no function '{name}'{nearest(name, NAMES)}")
        if name in EDGE_FUNCTIONS:
            self.line.want(")", f"{name}() takes nothing")
            return [_Written(Edge(EDGE_FUNCTIONS[name]), f"{name}()")]
        if name == "value":
            return self.number()
        if name == "similar":
            return self.similar()
        if name == "vector":
            return self.vector()
        if name == "encoded":
            return self.encoded()
        if name == "predicted":
            return self.predicted()
        if name == "cluster":
            return self.cluster()
        inner = self.terms()
        argument: list[tuple[Argument, str]] = [(None, "")]
        takes = str if name == "lexicon" else WORD_FUNCTIONS[name].takes
        if takes is not None:
            self.line.want(",", f"write {USAGES[name]}")
            argument = self.numbers() if takes is int else [self.line.string()]
        self.line.want(")", f"after the arguments of {name}")
        self.bounded(len(argument) * len(inner))
        for value, _ in argument if name in WORD_FUNCTIONS else ():
            self.tried(name, value)
        result = []
        for (value, written), term in product(argument, inner):
            source, offset = self.place(name, term)
            if name == "lexicon":
                made: Term = Listed(source, offset, str(value))
            else:
                made = Text(Source(source.column, (*source.functions, (name, value))), offset)
            result.append(_Written(made, f"{name}({term.text}{', ' if written else ''}{written})"))
        return result

    def place(self, name: str, of: _Written) -> tuple[Source, int | None]:
        """The source and the offset that a function of this term looks at."""
        if not isinstance(of.term, Text) or not _shows_value(of.term):
            raise self.line.error(f"{name}(...) takes a column or a function of one, not {of.text}")
        return of.term.source, of.term.offset

    def similar(self) -> list[_Written]:
        """A term for each rank among the prototypes that a word is similar to; all have the same text."""
        inner = self.terms()
        files = []
        for _ in range(2):
            self.line.want(",", f"write {USAGES['similar']}")
            files.append(self.line.string())
        self.line.want(",", f"write {USAGES['similar']}")
        threshold = self.line.word("a cosine")
        if not COSINE.fullmatch(threshold) or not float(threshold):
            raise self.line.error(f"the cosine '{threshold}' is no number above 0 and up to 1, such as 0.35")
        self.line.want(")", "after the arguments of similar")
        self.bounded(len(inner) * MOST_SIMILAR)
        result = []
        for term in inner:
            source, offset = self.place("similar", term)
            (prototypes, first), (vectors, second) = files
            of = Likeness(self.source_text(source), str(prototypes), str(vectors), float(threshold))
            text = f"similar({term.text}, {first}, {second}, {threshold})"
            result += [_Written(Similar(source, offset, of, rank), text) for rank in range(MOST_SIMILAR)]
        return result

    def vector(self) -> list[_Written]:
        """A term for each offset: `vector(word[-1..1], FILE)` or `vector(word[-1..1], FILE, 0.3)`."""
        inner = self.terms()
        self.line.want(",", f"write {USAGES['vector']}")
        table, written = self.line.string()
        scale = self.scale("vector")
        names = {f"vector({text}, {written})": place for text, place in self.near("vector", inner)}
        return [_Written(Dense(name, str(table), *place, scale), name) for name, place in names.items()]

    def encoded(self) -> list[_Written]:
        """A term for each offset: `encoded(NAME[-1..1])` or `encoded(NAME[-1..1], 0.3)`."""
        encoder = self.line.word("the name of an encoder")
        self.line.want("[", f"after the encoder: {encoder}[0]")
        offsets = self.line.range(self.line.word("an offset"), -FARTHEST, FARTHEST)
        self.line.want("]", "after the offset")
        scale = self.scale("encoded")
        names = {offset: f"encoded({encoder}[{offset}])" for offset in offsets}
        return [_Written(Dense(name, encoder, None, offset, scale), name) for offset, name in names.items()]

    def predicted(self) -> list[_Written]:
        """A term for each offset: `predicted(lower(word[-1..1]))`, `predicted(word[-1] | word[0], 0.3)`."""
        choices = [[*self.near("predicted", self.terms())]]
        while self.line.take("|"):
            choices.append([*self.near("predicted", self.terms())])
        scale = self.scale("predicted")
        self.bounded(prod(map(len, choices)))
        found: dict[str, Dense] = {}
        for chosen in product(*choices):
            name = f"predicted({' | '.join(text for text, _ in chosen)})"
            (source, offset), *others = (place for _, place in chosen)
            if others:  # the labels of tokens that have these values around them: a table of its own for these offsets
                of = Joined(tuple(Text(*place) for _, place in chosen))
                found[name] = Dense(name, name, of, 0, scale, predicted=True)
            else:
                table = f"predicted({self.source_text(source)})"
                found[name] = Dense(name, table, source, offset, scale, predicted=True)
        return [_Written(dense, name) for name, dense in found.items()]

    def near(self, function: str, inner: list[_Written]) -> Iterator[tuple[str, tuple[Source, int]]]:
        """The text, the source and the offset of each term whose numbers a function gives."""
        for term in inner:
            source, offset = self.place(function, term)
            if offset is END:
                raise self.line.error(f"{function}(...) looks at an offset, not at {term.text}")
            yield term.text, (source, offset)

    def scale(self, function: str) -> float | None:
        """The scale before the closing bracket, if one is written."""
        scale = self.number_above_0("scale", "0.3") if self.line.take(",") else None
        self.line.want(")", f"after the arguments of {function}")
        return scale

    def cluster(self) -> list[_Written]:
        """A term for each length of a path, or one for the whole path if none is given."""
        inner = self.terms()
        self.line.want(",", f"write {USAGES['cluster']}")
        file, written = self.line.string()
        lengths: list[tuple[int | None, str]] = []
        while self.line.take(","):
            lengths += [(int(text), f", {text}") for _, text in self.numbers()]
        self.line.want(")", "after the arguments of cluster")
        if len(set(lengths)) < len(lengths):
            raise self.line.error("a length stands here twice")
        lengths = lengths or [(None, "")]
        self.bounded(len(inner) * len(lengths))
        result = []
        for (length, text), term in product(lengths, inner):
            source, offset = self.place("cluster", term)
            made = Clustered(source, offset, str(file), length)
            result.append(_Written(made, f"cluster({term.text}, {written}{text})"))
        return result

    def number_above_0(self, what: str, example: str) -> float:
        written = self.line.word(f"a {what}")
        if not POSITIVE.fullmatch(written) or not float(written):
            raise self.line.error(f"the {what} '{written}' is no number above 0: {example}")
        return float(written)

    def source_text(self, source: Source) -> str:
        """The text of a term that reads this source at the token itself."""
        text = f"{self.columns[source.column]}[0]"
        for name, argument in source.functions:
            text = f"{name}({text}{'' if argument is None else f', {argument}'})"
        return text

    def number(self) -> list[_Written]:
        """The terms of `value(length)` or `value(length[-1])`."""
        if self.line.follows(")"):
            name = self.line.word("a column")
            result = [_Written(Number(self.column(name), 0), f"value({name})")]
        else:
            result = []
            for term in self.terms():
                if not isinstance(term.term, Text) or term.term.source.functions:
                    raise self.line.error(f"value(...) takes a column, not {term.text}")
                result.append(_Written(Number(term.term.source.column, term.term.offset), f"value({term.text})"))
        self.line.want(")", "after the column")
        return result

    def numbers(self) -> list[tuple[Argument, str]]:
        return [(number, str(number)) for number in self.line.range(self.line.word("a number"), 1, FARTHEST)]

    def column(self, name: str) -> int:
        if name not in self.columns:
            raise self.line.error(f"there is no column '{name}'{nearest(name, self.columns)}")
        if name == self.label:
            raise self.line.error(f"'{name}' is the label: a feature cannot look at it")
        return self.columns.index(name)

    def tried(self, name: str, argument: Argument) -> None:
        """Makes the function once, so that an argument that it cannot have is an error of this line."""
        try:
            WORD_FUNCTIONS[name].made(argument)
        except ConfigError as error:
            raise self.line.error(error.message) from error

    def bounded(self, size: int) -> None:
        """Raises an error if ranges multiply to more than MOST features, which is surely a mistake."""
        if size > MOST:
            raise self.line.error(f"stands for {size} features (at most {MOST})")


def _feature(chosen: tuple[_Written, ...], default: str | None) -> Feature:
    """The feature of some terms: `a | b` with values x and y is the attribute `a | b=x|y`.

    A term that is only true or absent has no value in the text.
    """
    name = " | ".join(one.text for one in chosen)
    literals = [name]
    mark = "="
    for one in chosen:
        if _shows_value(one.term):
            literals[-1] += mark
            mark = "|"
        literals.append("")
    terms = tuple(one.term for one in chosen if not isinstance(one.term, Dense))
    return Feature(tuple(literals), terms, default and f"{name} else {default}")


def _shows_value(term: Term | Dense) -> bool:
    match term:
        case Text(Source(_, (*_, ("matches", _)))) | Edge() | Number() | Dense():
            return False
    return True
