"""Constraints: features of the text, and which share of their occurrences has which label (M08), as a list.

    word[0]=rent<TAB>rent                       nearly always this label (`targets.heuristic`); of several each as often
    word[0]=rent<TAB>rent:0.8 features:0.2      these shares, which add up to 1
    word[0]=rent<TAB>rent<TAB>5                 and five times as much weight as others
    *<TAB>size:0.1 rent:0.2 …                   all tokens

A feature is written as in a template, and need not be one of the template's. A list without any tab is one of MALLET's:
`name label:share label:share …`, where a name is a word, or what else a column says of a token.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from sstag.arrays import Floats, Longs
from sstag.corpus import Corpus
from sstag.dataset import Incidence
from sstag.errors import ConfigError, DataError, nearest
from sstag.labelled_features import Attribute, FeatureLine, FeatureList, attribute_of, feature_list, tokens_with
from sstag.rows import Rows, read_rows
from sstag.targets import heuristic
from sstag.template import Feature, Source, Template, Text
from sstag.view import NUMBER

EVERYWHERE = "*"
OPEN = "?"  # instead of a label: none is known yet
ROUNDED, WRONG = 1e-4, 0.02  # what shares lack of 1, or have too much: a warning, an error
MALLET_LINE = re.compile(r"\S+(?:\s+\S+[:=][0-9.,eE+-]+)+\s*")


@dataclass(frozen=True)
class Target:
    """The labels of a feature, and their shares; None says that they are the usual ones."""

    labels: tuple[str, ...]
    shares: tuple[float, ...] | None
    weight: float = 1.0  # how much it matters beside the others


def read_list(path: str, template: Template, raw: Corpus) -> FeatureList:
    """The features in such a list, and for each the cells after it."""
    rows = read_rows(path, _is_comment)
    if all(len(cells) == 1 for cells in rows.cells.values()):
        return feature_list(path, _of_mallet(rows), template, lambda text: _value(text, template, raw))
    for number, cells in rows.cells.items():
        if len(cells) not in (2, 3) or not all(cells):
            raise DataError(
                "a line is a feature, a tab, LABEL or LABEL:0.8 OTHER:0.2, and perhaps a tab and a weight",
                rows.path,
                number,
            )
    return feature_list(path, rows, template, lambda text: _attribute(text, template))


def _is_comment(line: str) -> bool:
    """`# …`, unless MALLET would read it as what the token # has."""
    return line.startswith("#") and not MALLET_LINE.fullmatch(line)


def _attribute(text: str, template: Template) -> Attribute:
    return (Feature((EVERYWHERE,), ()), EVERYWHERE) if text == EVERYWHERE else attribute_of(text, template)


def _of_mallet(rows: Rows) -> Rows:
    """`name label:share …` in two cells."""
    cells = {}
    for number, (text,) in rows.cells.items():
        if not MALLET_LINE.fullmatch(text):
            raise DataError(
                "neither a feature, a tab, and its label, nor a line of MALLET's: NAME LABEL:0.8 OTHER:0.2",
                rows.path,
                number,
            )
        cells[number] = text.split(maxsplit=1)
    return Rows(rows.path, rows.digest, cells)


def _value(text: str, template: Template, raw: Corpus) -> Attribute:
    """A word, or what another column says: the feature of that column; or a feature as a template writes it."""
    with suppress(ConfigError):
        return attribute_of(text, template)
    columns = template.columns or ()
    places = [place for place, name in enumerate(columns) if name != template.label and name in raw.columns]
    having = [place for place in places if text in raw.values[raw.column(columns[place])]] or places[:1]
    if len(having) > 1:
        written = " or ".join(f"{columns[place]}[0]={text}" for place in having)
        raise ConfigError(f"'{text}' stands in several columns: write {written}, a tab, and the shares")
    name = f"{columns[having[0]]}[0]"
    return Feature((f"{name}=", ""), (Text(Source(having[0]), 0),)), f"{name}={text}"


def target_of(said: str, weight: str = "1") -> Target:
    """What the cells after the feature say."""
    if not NUMBER.fullmatch(weight) or not 0 < float(weight) < np.inf:
        raise ConfigError(f"the weight '{weight}' is no number above 0")
    parts = [_share(text) for text in said.split()]
    labels = tuple(label for label, _ in parts)
    twice = next((label for place, label in enumerate(labels) if label in labels[:place]), None)
    if twice is not None:
        raise ConfigError(f"the label '{twice}' stands here twice")
    if all(share is None for _, share in parts):
        return Target(labels, None, float(weight))
    shares = []
    for label, share in parts:
        if share is None:
            raise ConfigError(f"'{label}' has no share: write {label}:0.1, or give none a share")
        if "," in share:
            raise ConfigError(f"'{share}' is a range: write one share")
        if not NUMBER.fullmatch(share) or not 0 <= float(share) <= 1:
            raise ConfigError(f"the share '{share}' of {label} is not from 0 to 1")
        shares.append(float(share))
    if abs(sum(shares) - 1) > WRONG:
        raise ConfigError(f"the shares add up to {sum(shares):g}, not to 1")
    return Target(labels, tuple(shares), float(weight))


def _share(text: str) -> tuple[str, str | None]:
    """`rent:0.8` or MALLET's other way, `rent=0.8`, as label and share; a label alone has None."""
    for mark in ":=":
        label, found, share = text.rpartition(mark)
        if found and label and re.fullmatch(r"[-+0-9.,eE]+|nan|inf", share):
            return label, share
    return text, None


@dataclass(frozen=True)
class Constraints:
    """A list, and where its features occur in a text."""

    listed: FeatureList
    targets: tuple[Target, ...]  # one for each line
    active: Incidence  # the lines of each token
    counts: Longs  # (M,)
    text: str  # its path

    @property
    def digest(self) -> str:
        return self.listed.digest

    @property
    def labels(self) -> set[str]:
        """All labels that are named."""
        return {label for target in self.targets for label in target.labels}

    @property
    def names(self) -> tuple[str, ...]:
        """What errors call each."""
        return tuple(f"{self.listed.path}:{line.line}: '{line.attribute}'" for line in self.listed.lines)

    @property
    def weights(self) -> Floats:
        """How much each counts beside the others."""  # (M,)
        return np.array([target.weight for target in self.targets])

    @property
    def about(self) -> dict[str, Any]:
        """How many there are, and how often they occur."""
        times, covered = self.counts[self.counts > 0], int((np.diff(self.active.indptr) > 0).sum())
        return {
            "features": len(self.counts),
            "never": int((self.counts == 0).sum()),
            "least": int(times.min(initial=self.counts.max(initial=0))),
            "most": int(self.counts.max(initial=0)),
            "tokens": covered,
            "of": self.active.rows,
        }

    def distributions(self, labels: Sequence[str]) -> Floats:
        """The target of each line over labels, among which are all that are named."""  # (M, L)
        number = {label: place for place, label in enumerate(labels)}
        result = np.zeros((len(self.targets), len(labels)))
        for row, target in zip(result, self.targets, strict=True):
            places = [number[label] for label in target.labels]
            if target.shares is None:
                row[:] = heuristic(places, len(labels))
            else:
                row[places] = np.array(target.shares) / sum(target.shares)
        return result

    def odd(self, known: Sequence[str]) -> list[str]:
        """What has no label yet or never occurs, shares that add up badly, labels that are not among the known ones."""
        warnings = []
        for line, target, count, name in zip(self.listed.lines, self.targets, self.counts, self.names, strict=True):
            where, total = f"{self.listed.path}:{line.line}", sum(target.shares or (1.0,))
            if abs(total - 1) > ROUNDED:
                warnings.append(f"{where}: the shares add up to {total:g}, and are taken in proportion")
            if not count:
                warnings.append(f"{name} never occurs in {self.text}")
            warnings += [
                f"{where}: no labelled sentence has the label '{label}'{nearest(label, known)}"
                for label in target.labels
                if known and label not in known
            ]
        return warnings


def placed(path: str, template: Template, text: Corpus) -> Constraints:
    """The constraints in a file, and where they occur in a text; words in MALLET's lists are looked for there."""
    if not path:
        raise ConfigError("expectation needs a list of features and their labels: constraints")
    listed = read_list(path, template, text)
    targets = tuple(_target(listed, line) for line in listed.lines)
    found = tokens_with(listed, text)
    counts = np.array([len(tokens) for tokens in found], np.int64)
    tokens = np.concatenate([np.zeros(0, np.int64), *found])
    order = np.argsort(tokens, kind="stable")
    indptr = np.zeros(text.tokens + 1, np.int64)
    np.cumsum(np.bincount(tokens, minlength=text.tokens), out=indptr[1:])
    active = Incidence(indptr, np.repeat(np.arange(len(found), dtype=np.int32), counts)[order], None)
    return Constraints(listed, targets, active, counts, text.path)


def placed_everywhere(path: str, template: Template, text: Corpus) -> Constraints | None:
    """The same of a file that has a line for all tokens, and no other; None without a file."""
    if not path:
        return None
    made = placed(path, template, text)
    for line in made.listed.lines:
        if line.attribute != EVERYWHERE:
            raise DataError(
                f"'{line.attribute}': label regularisation is of all tokens, {EVERYWHERE} (see --method expectation)",
                made.listed.path,
                line.line,
            )
    return made


def _target(listed: FeatureList, line: FeatureLine) -> Target:
    if line.rest == (OPEN,):
        raise DataError(f"'{line.attribute}' has no label yet: write one for {OPEN}", listed.path, line.line)
    try:
        return target_of(*line.rest)
    except ConfigError as error:
        raise DataError(error.message, listed.path, line.line) from error
