"""Templates: lists of features, which say what attributes a token gets from the columns of a text.

A feature is a few terms whose values are put between literal texts: `word[-1] | word[0]` at the second token of "The
cat" is the attribute `word[-1] | word[0]=The|cat`. An attribute *is* its text: features that make the same text make
one attribute. Terms are columns, or functions of columns, at a distance; functions are computed once per distinct word
(`word_functions.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout, layout_for, layout_naming
from sstag.features.clusters import Clusters
from sstag.features.lexicon import Lexicon
from sstag.foundation.json_values import Json

if TYPE_CHECKING:  # they need numpy, and most templates are read without
    from sstag.features.dense_sources import Encoder, Vectors

BY_SHARE = 0  # stands for a minimum count that the labelled text says (`vocabulary.least_count`)
END = None  # stands for the offset of the sentence's last token
MOST_SIMILAR = 5  # prototypes that a word can be similar to

Argument = int | str | None
Near: TypeAlias = Mapping[str, tuple[str, ...]]  # the prototypes that a word is similar to, nearest first


@dataclass(frozen=True)
class Likeness:
    """A comparison of words with prototypes: words are similar if the cosine of their vectors reaches a threshold."""

    word: str  # as a list of features writes it: word[0]
    prototypes: str
    vectors: str
    threshold: float

    @property
    def name(self) -> str:
        """A text that no other comparison has."""
        return f"{self.word}, {self.prototypes}, {self.vectors}, {self.threshold!r}"


@dataclass(frozen=True)
class Source:
    """A column, or functions of it, the innermost first. A source has one value per distinct word."""

    column: int
    functions: tuple[tuple[str, Argument], ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)


@dataclass(frozen=True)
class Text:
    """The value of a source, `offset` tokens away."""

    source: Source
    offset: int | None


@dataclass(frozen=True)
class Joined:
    """The values of several sources, each at its offset, as one value: a pair of words, for example."""

    texts: tuple[Text, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(text.source.column for text in self.texts)


@dataclass(frozen=True)
class Listed:
    """The place of the token at an offset in an entry of a lexicon, if it is in one (`lexicon_places.PLACES`)."""

    source: Source
    offset: int | None
    lexicon: str


@dataclass(frozen=True)
class Similar:
    """A prototype that the word at an offset is similar to: the nearest, or the one after `rank` others."""

    source: Source
    offset: int | None
    of: Likeness
    rank: int


@dataclass(frozen=True)
class Clustered:
    """The first steps of the path to the cluster of the word at an offset, or the whole path if `length` is None."""

    source: Source
    offset: int | None
    clusters: str  # the file
    length: int | None


@dataclass(frozen=True)
class Edge:
    """True at the first, or at the last token of a sentence."""

    last: bool


@dataclass(frozen=True)
class Number:
    """The number in a column: the attribute's value, not part of its text."""

    column: int
    offset: int | None


Worded = Text | Listed | Similar | Clustered | Edge  # terms whose values are in the text of an attribute
Term = Worded | Number  # a number only weighs it


@dataclass(frozen=True)
class Feature:
    """Attributes `literals[0] + value of terms[0] + literals[1] + …`; `default` fires for what training never saw."""

    literals: tuple[str, ...]  # (len(terms) + 1,)
    terms: tuple[Term, ...]
    default: str | None = None
    prior: float = 1.0  # by how much the prior l2 of its weights is multiplied

    @property
    def name(self) -> str:
        """The feature as a template writes it."""
        return self.literals[0].removesuffix("=")

    def with_default(self) -> "Feature":
        """The feature with an attribute for what training never saw, its own if it has one."""
        return replace(self, default=self.default or f"{self.name} else unknown")


@dataclass(frozen=True)
class Dense:
    """The numbers of the vector of the word at an offset, or of the token there; each has a weight for every label."""

    name: str  # as a template writes it, without the scale
    table: str  # the file of vectors, or the name of the encoder
    source: Source | Joined | None  # of words; None where an encoder has a vector for each token
    offset: int
    scale: float | None  # the deviation of each number after they are standardised; None: as the template says
    prior: float = 1.0  # by how much the prior l2 of its weights is multiplied
    predicted: bool = False  # whether the numbers are the labels that a first model predicts

    @property
    def of(self) -> tuple[str, Source | Joined | None]:
        """Where the numbers come from, whatever the offset."""
        return self.table, self.source


@dataclass(frozen=True)
class Edges:
    """The scores of a step from label to label: of the pair, of the two ends of a sentence, and of attributes."""

    labels: bool = True
    begin: bool = True
    end: bool = True
    features: tuple[Feature, ...] = ()


NO_EDGES = Edges(labels=False, begin=False, end=False)


@dataclass(frozen=True)
class Template:
    """A template that has been read. `pairs` and `vocabulary` are left to the method if they are None."""

    columns: tuple[str, ...] | None  # None if columns have numbers, and the last one is the label
    label: str
    features: tuple[Feature, ...]
    edges: Edges = Edges()
    edge_pairs: str = "all"
    minimum_count: int = 1  # attributes that occur less often are left out
    pairs: str | None = None
    vocabulary: str | None = None
    lexica: Mapping[str, Lexicon] = field(default_factory=dict)
    similar: Mapping[Likeness, Near] = field(default_factory=dict)
    dense: tuple[Dense, ...] = ()
    vectors: Mapping[str, "Vectors"] = field(default_factory=dict)  # by the file that features name
    scale: float | None = None  # of dense features that say none; None: as the text says (`dense.usual_scale`)
    vectors_kept: str = "file"  # what a model has of vectors: all, seen, or the name of their file
    encoders: Mapping[str, "Encoder"] = field(default_factory=dict)  # by their names
    clusters: Mapping[str, Clusters] = field(default_factory=dict)
    text: str = field(default="", compare=False)  # the text that the template was read from
    said: Json = field(default=None, compare=False)  # what the text says, if it is YAML
    shipped: str | None = field(default=None, compare=False)  # its name, if it comes with sstag
    # The places of `features` among the features of the text, where some were left out; None if all are there.
    kept: tuple[int, ...] | None = field(default=None, compare=False)

    @property
    def predicted(self) -> dict[str, Source | Joined]:
        """The sources whose labels a first model predicts, by the names of their tables."""
        return {one.table: one.source for one in self.dense if one.predicted and one.source}

    @property
    def first_look(self) -> "Template":
        """The template of the first model: without features that need its predictions."""
        tables = {name: one for name, one in self.vectors.items() if name not in self.predicted}
        return replace(self, dense=tuple(one for one in self.dense if not one.predicted), vectors=tables)

    @property
    def has_priors(self) -> bool:
        """Whether features have a prior of their own."""
        sparse = any(one.prior != 1.0 for one in (*self.features, *self.edges.features))
        return sparse or any(one.prior != 1.0 for one in self.dense)

    def layout(self, path: str, format: Asked | str | None = None) -> Layout:
        """The layout of a file for this template, in a format if one is named."""
        if self.columns:
            return layout_naming(path, self.columns, self.label, format)
        return layout_for(path, format=format)

    def raw_layout(self, path: str, format: Asked | str | None = None) -> Layout:
        """The layout of raw text for this template, which may have labels or not."""
        return self.layout(path, format) if self.columns else layout_for(path, unlabelled=True, format=format)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that the template looks into."""
        pairs = (file for of in self.similar for file in (of.prototypes, of.vectors))
        vectors = (name for name in self.vectors if name not in self.predicted)
        return tuple(dict.fromkeys((*self.lexica, *pairs, *vectors, *self.clusters)))

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The names of the columns that features look at."""
        read = set()
        for feature in (*self.features, *self.edges.features):
            for term in feature.terms:
                match term:
                    case Text() | Listed() | Similar() | Clustered():
                        read.add(term.source.column)
                    case Number():
                        read.add(term.column)
        read.update(*(feature.source.columns for feature in self.dense if feature.source))
        words = {encoder.column for encoder in self.encoders.values()}
        return tuple(name for column, name in enumerate(self.columns or ()) if column in read or name in words)

    def named(self, columns: tuple[str, ...]) -> "Template":
        """The template with names for its columns, those of the first file it is used on if it has none."""
        if self.columns:
            return self
        return replace(self, columns=columns if self.label in columns else (*columns, self.label))
