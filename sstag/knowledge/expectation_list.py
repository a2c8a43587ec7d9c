"""Expectations: features of the text, and which share of their occurrences has which label (M08), as a list.

    word[0]=rent<TAB>rent                       nearly always this label (`targets.heuristic`); of several each as often
    word[0]=rent<TAB>rent:0.8 features:0.2      these shares, which add up to 1
    word[0]=rent<TAB>rent:0.6-0.9               a share within bounds; the rest goes to any label
    word[0]=rent<TAB>rent<TAB>5                 and five times as strong as others
    *<TAB>size:0.1 rent:0.2 …                   all tokens
    word[0]=for<TAB>size>rent:0.6 same:0.1      steps to these tokens (`feature_steps`)

A feature is written as in a template, and need not be one of the template's. A list without any tab is one of MALLET's:
`name label:share label:share …`, where a name is a word, or what else a column says of a token.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sstag.corpus.corpus import Corpus
from sstag.features.template import Feature, Source, Template, Text
from sstag.features.term_values import NUMBER
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.sums import in_order
from sstag.foundation.tab_lists import Rows, read_rows, repeated, words_of
from sstag.knowledge.labelled_features import Attribute, FeatureLine, FeatureList, attribute_of, feature_list
from sstag.knowledge.share_ranges import Range, range_of, refuse_impossible

EVERYWHERE = "*"
OPEN = "?"  # in the place of a label that is not known yet
EQUAL = 1e-9  # the largest difference of shares that count as equal
STRONGEST = 1_000_000
WRONG = 0.02  # the largest difference of a sum of shares from 1
NO_LABEL = re.compile(r"\d*\.\d+|.*\d%")  # texts that are meant to be shares
MALLET_RANGE = re.compile(r"\d*\.\d*,\d*\.\d*", re.ASCII)
MALLET_LINE = re.compile(r"\S+(?:\s+\S+[:=][0-9.,eE+-]+)+\s*", re.ASCII)


@dataclass(frozen=True)
class Target:
    """The labels of a feature, and their shares; without shares, these are the labels that it usually has."""

    labels: tuple[str, ...]
    shares: tuple[float, ...] | None
    strength: float = 1.0  # how much it counts beside the other lines
    ranges: tuple[
        Range, ...
    ] = ()  # of the labels, if some share is known within bounds; then `shares` are their middles

    @property
    def said(self) -> str:
        """The labels and their shares as a list has them."""
        if self.shares is None:
            return " ".join(self.labels)
        texts = [f"{low:g}" if low == high else f"{low:g}-{high:g}" for low, high in self.ranges]
        each = texts or [f"{share:g}" for share in self.shares]
        return " ".join(f"{label}:{text}" for label, text in zip(self.labels, each, strict=True))

    @property
    def likeliest(self) -> tuple[str, ...]:
        """The labels with the largest share."""
        if self.shares is None:
            return self.labels
        least = max(self.shares) - EQUAL
        return tuple(label for label, share in zip(self.labels, self.shares, strict=True) if share >= least)


def read_list(
    path: str, template: Template, raw: Corpus, keep: Callable[[Sequence[str]], bool] = lambda cells: True
) -> FeatureList:
    """The features in a list of expectations, with the cells after each, if these are to be kept."""
    rows = read_rows(path, _is_comment)
    rows = replace(rows, cells={number: cells for number, cells in rows.cells.items() if keep(cells[1:])})
    if all(len(cells) == 1 for cells in rows.cells.values()):
        return feature_list(path, _of_mallet(rows), template, lambda text: _value(text, template, raw))
    for number, cells in rows.cells.items():
        if len(cells) not in (2, 3) or not all(cells):
            raise DataError(
                "a line is a feature, a tab, LABEL or LABEL:0.8 OTHER:0.2, and perhaps a tab and a strength",
                rows.path,
                number,
            )
    try:
        return feature_list(path, rows, template, lambda text: _attribute(text, template))
    except DataError as error:
        if not all(MALLET_LINE.fullmatch(" ".join(cells)) for cells in rows.cells.values()):
            raise
        raise DataError(f"{error.message}; a list of MALLET's has blanks, not tabs", error.path, error.line) from error


def _is_comment(line: str) -> bool:
    """Whether a line is a comment, `# …`, and no line of MALLET's about the token #."""
    return line.startswith("#") and not MALLET_LINE.fullmatch(line)


def _attribute(text: str, template: Template) -> Attribute:
    return (Feature((EVERYWHERE,), ()), EVERYWHERE) if text == EVERYWHERE else attribute_of(text, template)


def _of_mallet(rows: Rows) -> Rows:
    """The rows of a list of MALLET's, `name label:share …`, as two cells each."""
    cells = {}
    for number, (text,) in rows.cells.items():
        if not MALLET_LINE.fullmatch(text):
            raise DataError(
                "no tab between a feature and its label, nor is this a line of MALLET's (NAME LABEL:0.8 OTHER:0.2)"
                + (" (rules are for --rules)" if rows.path.endswith((".yaml", ".yml")) else ""),
                rows.path,
                number,
            )
        name = words_of(text)[0]
        cells[number] = [name, text.removeprefix(name)]
    return Rows(rows.path, rows.digest, cells)


def _value(text: str, template: Template, raw: Corpus) -> Attribute:
    """The attribute that a name of MALLET's means: one that a template could write, or a value in some column."""
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


def strength_of(text: str) -> float:
    """The strength that a cell says."""
    if not NUMBER.fullmatch(text) or not 0 < float(text) <= STRONGEST:
        raise ConfigError(f"the strength '{text}' is no number above 0, and at most {STRONGEST:,}")
    return float(text)


def _reads_as_listed(parts: Sequence[tuple[str, object]]) -> bool:
    """Whether labels without shares stand as people write `A, B`, though a label may end in a comma itself."""
    if len(parts) < 2 or any(share is not None for _, share in parts):
        return False
    return all(label.endswith(",") for label, _ in parts[:-1]) and not parts[-1][0].endswith(",")


def target_of(said: str, strength: str = "1") -> Target:
    """The target that the cells after a feature say."""
    counting = strength_of(strength)
    parts = [_share(text) for text in words_of(said)]
    labels = tuple(label for label, _ in parts)
    if twice := repeated(labels):
        raise ConfigError(f"the label '{twice}' stands here twice")
    if wrong := next((label for label, share in parts if share is None and NO_LABEL.fullmatch(label)), None):
        raise ConfigError(f"'{wrong}' is no label: a share is written LABEL:0.8")
    if _reads_as_listed(parts):
        raise ConfigError(f"'{labels[0]}' is no label: between labels stand blanks alone")
    if all(share is None for _, share in parts):
        return Target(labels, None, counting)
    shares = []
    for label, share in parts:
        if share is None:
            raise ConfigError(f"'{label}' has no share: write {label}:0.1, or give none a share")
        shares.append(_bounds(label, share))
    if any(low < high for low, high in shares):
        refuse_impossible(shares, rest=True)
        middles = tuple((low + high) / 2 for low, high in shares)
        return Target(labels, middles, counting, tuple(shares))
    total = in_order(low for low, _ in shares)
    if abs(total - 1) > WRONG:
        raise ConfigError(f"the shares add up to {total:g}, not to 1")
    return Target(labels, tuple(low for low, _ in shares), counting)


def _bounds(label: str, text: str) -> Range:
    """The bounds of a share: a number, a range `0.6-0.9`, or one of MALLET's, `0.6,0.9`."""
    if MALLET_RANGE.fullmatch(text):
        text = text.replace(",", "-")
    if "," in text:
        raise ConfigError(f"'{text}' has a comma for a point: write 0.8, or a range, 0.6-0.9")
    if "-" in text.replace("e-", "").replace("E-", "")[1:]:
        return range_of(text)
    if not NUMBER.fullmatch(text) or not 0 <= float(text) <= 1:
        raise ConfigError(f"the share '{text}' of {label} is not from 0 to 1")
    return float(text), float(text)


def _share(text: str) -> tuple[str, str | None]:
    """The label and the share in `rent:0.8`, or `rent=0.8` as MALLET also writes it; a label alone has None."""
    for mark in ":=":
        label, found, share = text.rpartition(mark)
        if found and label and re.fullmatch(r"[-+0-9.,eE]+|nan|inf", share):
            return label, share
    return text, None


def is_label(text: str) -> bool:
    """Whether a list reads a text as one label, and as nothing else."""
    return are_labels([text])


def are_labels(texts: Sequence[str]) -> bool:
    """Whether a list reads some texts as these labels, and as nothing else."""
    text = " ".join(texts)
    try:
        text.encode()
        return text != OPEN and target_of(text) == Target(tuple(texts), None)
    except (ConfigError, UnicodeEncodeError):
        return False


def ignored_strengths(path: str, targets: Iterable[Target]) -> list[str]:
    """A warning if a list has strengths, for methods that take it at its word."""
    differ = any(target.strength != 1 for target in targets)
    return [f"{path}: its strengths count nothing here, where every line is taken at its word"] if differ else []


def target_in(listed: FeatureList, line: FeatureLine) -> Target:
    """The target that a line says; an error names the line."""
    if line.rest[0] == OPEN:
        raise DataError(f"'{line.attribute}' has no label yet: write one for {OPEN}", listed.path, line.line)
    try:
        return target_of(*line.rest)
    except ConfigError as error:
        raise DataError(error.message, listed.path, line.line) from error
