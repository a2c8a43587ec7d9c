"""Rules for whole labellings, as a file: properties of labellings, and what it costs to lack them (CRR07 §4).

    rules:
      - once: all                                       # each label in one block: or a list of labels
      - first: [author, editor]                         # a sentence begins with one of these
      - change: "matches(word[-1], '[.,;]')"            # labels change only where this feature is
      - if: [word[0]=pp, word[0]=pages]                 # a token with one of these features
        then: pages                                     # has one of these labels
        penalty: 5
      - contains: title                                 # a sentence has one of these labels
      - order: [author, title, date]                    # no block of one comes after a block of a later one
      - length: title                                   # each block of these labels has so many tokens
        least: 2
        most: 30
      - between: [word[0]=(, word[0]=)]                 # what stands between these two has one of these labels
        then: date

Features are written as in a template, `=` and a value after them, and need not be the template's. A violation costs its
rule's `penalty`, or that of the whole file, or as much as labelled sentences say: −log of how often that happens there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.template import Edge, Template, Text
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.documents import Document, Place, load_text
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import sentences_of
from sstag.foundation.strict_yaml import parsed
from sstag.foundation.tab_lists import repeated
from sstag.knowledge.labelled_features import FeatureLine, FeatureList, attribute_of, tokens_with, without_example

KINDS = {  # the keys of each kind of rule
    "once": ("once",),
    "first": ("first",),
    "change": ("change",),
    "if": ("if", "then"),
    "contains": ("contains",),
    "order": ("order",),
    "length": ("length", "least", "most"),
    "between": ("between", "then"),
}
LABELS = {  # the key of its labels
    "once": "once", "first": "first", "if": "then", "contains": "contains", "order": "order", "length": "length",
    "between": "then",
}  # fmt: skip
FEATURES = ("change", "if", "between")
COUNTS = ("least", "most")
EVERY = "all"
LONGEST = 1000  # tokens that a length can have
MOST = 1000  # rules
DEAREST = 1_000_000  # penalty


@dataclass(frozen=True)
class Rule:
    """One property that labellings should have."""

    kind: str
    labels: tuple[str, ...]  # all, if none is named
    attributes: tuple[str, ...]  # the rule looks at tokens that have one of these
    penalty: float | None  # of a violation; None until it is known
    text: str
    line: int | None
    least: int = 0  # tokens of a block
    most: int = LONGEST


@dataclass(frozen=True)
class Rules:
    """Rules, the text that they were read from, and the features they look at."""

    rules: tuple[Rule, ...]
    listed: FeatureList
    text: str

    @property
    def path(self) -> str:
        return self.listed.path

    @property
    def digest(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def penalties(self) -> list[float | None]:
        return [rule.penalty for rule in self.rules]

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The names of the columns that features look at."""
        return self.listed.template.columns_read

    def error(self, rule: Rule, message: str) -> ConfigError:
        return ConfigError(message, self.path, rule.line)

    def with_penalties(self, penalties: Sequence[float | None]) -> "Rules":
        """The rules with other penalties."""
        rules = (replace(rule, penalty=one) for rule, one in zip(self.rules, penalties, strict=True))
        return replace(self, rules=tuple(rules))

    @property
    def labels(self) -> set[str]:
        """All labels that the rules name."""
        return {label for rule in self.rules for label in rule.labels}

    def odd(self, known: Sequence[str]) -> list[str]:
        """Warnings of labels that are not among the known ones."""
        return without_example(((rule.line, rule.labels) for rule in self.rules), self.path, known)

    def never(self, cues: Bools) -> list[str]:
        """Warnings of rules whose features never occur."""
        return [
            f"{self.path}:{rule.line}: {rule.text}: no token has this feature"
            for rule, places in zip(self.rules, cues.T, strict=True)
            if rule.attributes and not places.any()
        ]

    def cues(self, corpus: Corpus) -> Bools:
        """True where a token has one of the features of a rule; a rule without features has none at any token."""
        found = dict(zip((line.attribute for line in self.listed.lines), tokens_with(self.listed, corpus), strict=True))
        cues = np.zeros((corpus.tokens, len(self.rules)), bool)  # (T, R)
        for column, rule in zip(cues.T, self.rules, strict=True):
            if rule.kind == "between":
                opening, closing = (found[attribute] for attribute in rule.attributes)
                column[:] = _between(opening, closing, corpus.offsets)
                continue
            for attribute in rule.attributes:
                column[found[attribute]] = True
        return cues


def _between(opening: Longs, closing: Longs, offsets: Longs) -> Bools:
    """The tokens after one that opens and before the next one that closes, in one sentence."""  # (T,)
    change = np.zeros(int(offsets[-1]) + 1, np.int64)
    after = np.searchsorted(closing, opening, side="right")
    has = after < len(closing)
    opening, end = opening[has], closing[after[has]]
    same = sentences_of(offsets, opening) == sentences_of(offsets, end)
    np.add.at(change, opening[same] + 1, 1)
    np.add.at(change, end[same], -1)
    inside: Bools = np.cumsum(change)[:-1] > 0
    return inside


def read_rules(path: str, template: Template) -> Rules:
    """The rules in a file, for the columns of a template."""
    if not path:
        raise ConfigError("constraint-driven needs rules for whole labellings (--rules FILE)")
    text = load_text(path)
    try:
        return rules_in(text, path, template)
    except ConfigError as error:
        if "\t" not in text:
            raise
        message = f"{error.message}; a list of features and their labels is for --expectations"
        raise ConfigError(message, error.path, error.line) from error


def rules_in(text: str, path: str, template: Template) -> Rules:
    """The rules in a text."""
    document = parsed(text, path)
    document.mapping(("rules", "penalty"))
    items = document.get("rules")
    if not isinstance(items, list) or not items:
        raise document.error("'rules' must be a list: a line `- once: all`, `- first: [a, b]`, …", "rules")
    if len(items) > MOST:
        raise document.error(f"{len(items):,} rules are too many (at most {MOST:,})", "rules")
    common = _penalty(document)
    lines: dict[str, FeatureLine] = {}
    rules = [_rule(_item(document, place), common, template, lines) for place in range(len(items))]
    features = tuple(dict.fromkeys(line.feature for line in lines.values()))
    own = Template(template.columns, template.label, features)
    return Rules(tuple(rules), FeatureList(path, "", tuple(lines.values()), own), text)


def _item(document: Document, place: int) -> Document:
    """An entry of the list as a document of its own."""
    items, before = document.get("rules"), ("rules", place)
    assert isinstance(items, list)
    lines: Mapping[Place, int] = {at[2:]: line for at, line in document.lines.items() if at[:2] == before}
    return Document(items[place], dict(lines), document.path)


def _rule(item: Document, common: float | None, template: Template, lines: dict[str, FeatureLine]) -> Rule:
    data = item.data if isinstance(item.data, dict) else {}
    kind = next((name for name in data if name in KINDS), None)
    if kind is None:
        first = next(iter(data), item.data if isinstance(item.data, str) else "")
        raise item.error(f"this is no rule{nearest(str(first), KINDS)}")
    item.mapping((*KINDS[kind], "penalty"))
    labels = _texts(item, LABELS[kind]) if kind in LABELS else ()
    attributes = tuple(_attribute(item, kind, one, template, lines) for one in _texts(item, kind) if kind in FEATURES)
    if EVERY in labels:
        if kind != "once" or len(labels) > 1:
            raise item.error(f"'{EVERY}' stands alone, and only in once: name the labels", LABELS[kind])
        labels = ()
    if kind == "order" and len(labels) < 2:
        raise item.error("an order has two labels or more", kind)
    if kind == "between" and len(attributes) != 2:
        raise item.error("between has two features, one that opens and one that closes", kind)
    said = {key: data[key] for key in KINDS[kind] if key in data}
    own, (least, most) = _penalty(item), _lengths(item, kind)
    penalty = common if own is None else own
    return Rule(kind, labels, attributes, penalty, _written(said), item.lines.get(()), least, most)


def _lengths(item: Document, kind: str) -> tuple[int, int]:
    """The least and the most tokens that a rule of lengths says."""
    if kind != "length":
        return 0, LONGEST
    for key in COUNTS:
        value = 1 if item.get(key) is None else item.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST:
            raise item.error(f"'{key}' must be a whole number from 1 to {LONGEST:,}", key)
    said = [item.get(key) for key in COUNTS]
    if said == [None, None]:
        raise item.error("a length needs 'least' or 'most', a number of tokens", kind)
    least, most = item.count("least", 1), item.count("most", LONGEST)
    if least > most:
        raise item.error(f"'least' is {least}, more than 'most', {most}", "least")
    return least, most


def _texts(item: Document, key: str) -> tuple[str, ...]:
    """The texts of a key, which are one text or a list; a text given twice is an error."""
    value = item.get(key)
    texts = [value] if isinstance(value, str) else item.texts(key) if value is not None else []
    if value is None:
        raise item.error(f"'{key}' is missing: a text or a list of texts")
    if not texts:
        raise item.error(f"'{key}' needs a text or a list of texts", key)
    if twice := repeated(texts):
        raise item.error(f"'{twice}' stands here twice", key)
    return tuple(texts)


def _attribute(item: Document, key: str, text: str, template: Template, lines: dict[str, FeatureLine]) -> str:
    """The text of an attribute, which is added to `lines`; an error names its line."""
    try:
        feature, attribute = attribute_of(text, template)
    except ConfigError as error:
        raise item.error(error.message, key) from error
    if not all(isinstance(term, Text | Edge) for term in feature.terms):
        raise item.error(f"{text}: rules look at words, not at lists or numbers", key)
    lines.setdefault(attribute, FeatureLine(item.lines.get((key,), 0), feature, attribute, ()))
    return attribute


def _penalty(document: Document) -> float | None:
    value = document.get("penalty")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= DEAREST:
        raise document.error(f"'penalty' must be a number from 0 to {DEAREST:,}", "penalty")
    return float(value)


def _written(said: Mapping[str, Json]) -> str:
    """The rule as one line of text."""
    return ", ".join(
        f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in said.items()
    )
