"""Labelled features: attributes of a text whose label a person knows (Mann & McCallum 2008), as a list.

A line is a feature, a tab, and its label: `word[0]=rent<TAB>rent`. The feature is written as in a template,
`=` and a value after it; it need not be one of the template's. Several labels are a set, `B-LOC|I-LOC`, or stand in a
line each: the tokens may have any of them. Lines that begin with # are comments.

`labelled` labels the tokens that have such a feature and leaves all others open; with the marginalised likelihood that
is the expected gradient of Salakhutdinov et al. (2003), as M08 §5.1 compares it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from sstag.corpus.corpus import Corpus, with_column
from sstag.features.grammar import features
from sstag.features.reading import beside
from sstag.features.template import Feature, Similar, Template, Text
from sstag.features.term_values import View
from sstag.features.vocabulary import built
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import ConfigError, DataError, ModelError, counted, few, nearest
from sstag.foundation.tab_lists import BLANKS, Rows, read_rows, words_of
from sstag.labels.marks import Marks

Attribute: TypeAlias = tuple[Feature, str]  # a feature, and the text of one of its attributes


@dataclass(frozen=True)
class FeatureLine:
    """A line of a list: an attribute, and the cells after it."""

    line: int
    feature: Feature
    attribute: str  # its text
    rest: tuple[str, ...]  # the other cells


@dataclass(frozen=True)
class FeatureList:
    """Labelled features, and the template that makes their attributes."""

    path: str
    digest: str
    lines: tuple[FeatureLine, ...]
    template: Template


def read_features(path: str, template: Template) -> FeatureList:
    """The labelled features in a file, for the columns of a template; one in several lines has the labels of all."""
    rows = read_rows(path)
    for number, cells in rows.cells.items():
        if len(cells) != 2 or not all(cells):
            raise DataError("a line is a feature, a tab, and its label", rows.path, number)
    return feature_list(path, rows, template, partial(attribute_of, template=template), repeated=True)


def labels_of_lines(listed: FeatureList, marks: Marks) -> list[tuple[str, ...]]:
    """The labels of each feature of a list, of which any may be meant; `A|B` is read by the marks of label columns."""
    found = []
    for line in listed.lines:
        labels: dict[str, None] = {}
        for text in line.rest:
            parts = text.split(marks.either) if marks.either else [text]
            if not all(parts):
                raise DataError(f"'{text}' is no label, and no set of labels", listed.path, line.line)
            labels.update(dict.fromkeys(parts))
        found.append(tuple(labels))
    return found


def feature_list(
    path: str, rows: Rows, template: Template, read: Callable[[str], Attribute], repeated: bool = False
) -> FeatureList:
    """The list in some rows, whose first cells are features; one that is given twice is an error, unless it may be.

    If it may be, it is one line, the first, which has the other cells of all of them.
    """
    lines: dict[str, FeatureLine] = {}
    own = Template(template.columns, template.label, ())
    for number, cells in rows.cells.items():
        try:
            feature, attribute = read(cells[0])
            own = beside(path).added([feature], own)
        except ConfigError as error:
            raise DataError(error.message, rows.path, number) from error
        except (DataError, ModelError) as error:
            raise DataError(f"{cells[0]}: {error}", rows.path, number) from error
        if attribute in lines and repeated:
            before = lines[attribute]
            lines[attribute] = replace(before, rest=(*before.rest, *cells[1:]))
            continue
        if attribute in lines:
            raise DataError(f"'{attribute}' stands in line {lines[attribute].line} already", rows.path, number)
        lines[attribute] = FeatureLine(number, feature, attribute, tuple(cells[1:]))
    distinct = tuple(dict.fromkeys(line.feature for line in lines.values()))
    return FeatureList(rows.path, rows.digest, tuple(lines.values()), replace(own, features=distinct))


def attribute_of(text: str, template: Template) -> Attribute:
    """The feature and the attribute in `word[0]=rent`; a feature without values, such as `first()`, is both."""
    problems = []
    for end in (len(text), *(place for place, char in enumerate(text) if char == "=")):
        try:
            made = features(text[:end], template.columns or (), template.label)
        except ConfigError as error:
            problems.append(error)
            continue
        feature, value = made[0], text[end + 1 :].strip(BLANKS)
        if any(isinstance(term, Similar) for term in feature.terms):
            raise ConfigError(f"{text[:end]}: a token may be similar to several: label the prototype itself")
        if len(made) > 1:
            raise ConfigError(f"{text[:end]}: stands for {len(made)} features; write a line for each")
        if feature.default:
            raise ConfigError(f"{text[:end]}: 'else' has no meaning here")
        has_values = "".join(feature.literals) != feature.name
        if has_values and not value:
            raise ConfigError(f"{text}: which value? write {feature.name}=…")
        if has_values or end == len(text):
            return feature, f"{feature.name}={value}" if has_values else feature.name
    for feature in template.features:  # CRF++ gives them names
        first, last = feature.literals[0], feature.literals[-1]
        if feature.terms and first and text.startswith(first) and text.endswith(last):
            return feature, text
    if text.isalnum() and template.columns:
        raise ConfigError(f"{text}: a feature is written as in a template, such as {template.columns[0]}[0]={text}")
    raise problems[0]


def tokens_with(listed: FeatureList, corpus: Corpus) -> list[Longs]:
    """The tokens of a corpus that have each of the features."""
    lines: dict[Feature, list[str]] = {}
    for line in listed.lines:
        lines.setdefault(line.feature, []).append(line.attribute)
    found: dict[str, Longs] = {}
    for feature, attributes in lines.items():  # one by one, because thousands would not fit into memory together
        vocabulary, ((row,),) = built((feature,), [View(corpus, listed.template)])
        number = {text: index for index, text in enumerate(vocabulary.texts())}
        order = np.argsort(row, kind="stable")
        for attribute in attributes:
            wanted = number.get(attribute)
            bounds = [0, 0] if wanted is None else np.searchsorted(row, [wanted, wanted + 1], sorter=order)
            found[attribute] = np.sort(order[bounds[0] : bounds[1]])
    return [found[line.attribute] for line in listed.lines]


def that_never_occur(lines: Iterable[FeatureLine], path: str, text: str) -> list[str]:
    """Warnings of these features; of many the first ones, and a count of the others."""
    messages = [
        f"{path}:{line.line}: '{line.attribute}' never occurs in {text}{hint_of_capitals(line)}" for line in lines
    ]
    return few(messages, path, f"features that never occur in {text}")


def hint_of_capitals(line: FeatureLine) -> str:
    """A hint for a feature that cannot occur because it has capitals after lower(…); else nothing."""
    shown = [
        term
        for term, before in zip(line.feature.terms, line.feature.literals, strict=False)
        if before[-1:] in ("=", "|")
    ]
    values = line.attribute.removeprefix(line.feature.name)[1:].split("|")
    impossible = len(values) == len(shown) and any(
        isinstance(term, Text) and ("lower", None) in term.source.functions and value != value.lower()
        for term, value in zip(shown, values, strict=True)
    )
    return ": lower(…) has no capitals" if impossible else ""


def without_example(named: Iterable[tuple[int | None, Sequence[str]]], path: str, known: Sequence[str]) -> list[str]:
    """Warnings of labels that no labelled sentence has, at the first of the lines that name each."""
    lines: dict[str, list[int | None]] = {}
    for line, labels in named:
        for label in labels:
            if label not in known:
                lines.setdefault(label, []).append(line)
    messages = []
    for label, (first, *others) in lines.items():
        more = f", named in {counted(len(others), 'more line')}" if others else ""
        kinds = {one.partition("-")[2] for one in known} - {""}
        hint = "" if label.partition("-")[2] in kinds else nearest(label, known)  # I-LOC beside B-LOC is no mistake
        messages.append(f"{path}:{first}: no labelled sentence has the label '{label}'{more}{hint}")
    return messages


@dataclass(frozen=True)
class Labelled:
    """Raw text with the labels of its features, and warnings of these."""

    corpus: Corpus
    warnings: tuple[str, ...]


def labelled(
    listed: FeatureList, labels: Sequence[tuple[str, ...]], raw: Corpus, marks: Marks, known: Sequence[str]
) -> Labelled:
    """Raw text in which a token may have the labels of its listed features; tokens without any are open.

    Features that never occur are warned of, and labels that are not known, if any are.
    """
    open_mark, either = marks.completed().unknown, marks.completed().either
    assert open_mark is not None
    assert either is not None
    number = {open_mark: 0}
    codes, missing = np.zeros(raw.tokens, np.int32), []
    for line, own, tokens in zip(listed.lines, labels, tokens_with(listed, raw), strict=True):
        if not len(tokens):
            missing.append(line)
        for label in own:
            if words_of(label) != [label] or marks.within(label):
                raise DataError(f"'{label}' is not one label", listed.path, line.line)
        texts, before = list(number), codes[tokens]
        for code in np.unique(before).tolist():
            together = {*own, *(texts[code].split(either) if code else ())}
            codes[tokens[before == code]] = number.setdefault(either.join(sorted(together)), len(number))
    warnings = that_never_occur(missing, listed.path, raw.path)
    if known:
        named = zip((line.line for line in listed.lines), labels, strict=True)
        warnings += without_example(named, listed.path, known)
    return Labelled(with_column(raw, listed.template.label, list(number), codes), tuple(warnings))
