"""Templates rewritten for the columns of a file, line by line, so that their comments stay."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sstag.corpus.column_names import ALIASES
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout, layout_for
from sstag.features.reading import template
from sstag.features.shipped import shipped_path
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.files import display_name

# A quoted text, which names no column, or the name of a column before its range.
COLUMN = re.compile(r"""'[^']*'|(\w+)(?=\[)""")
ITEM = re.compile(r" *- ")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Adapted:
    """A template for a file: its text, the columns that the file lacks, and the columns that no feature reads."""

    text: str
    lacking: tuple[str, ...]
    dropped: int  # lines that looked at lacking columns
    unread: tuple[str, ...]
    label: str | None = None  # the file's own, if it has a column for it by another name

    def notices(self, name: str, file: str, hint: str = "") -> list[str]:
        """Lines that say what of the template of a name is left out for a file, and what of the file."""
        lines = counted(self.dropped, "line")
        learned = f"; the label is {self.label}" if self.label else ""
        left = f"{file}: without {', '.join(self.lacking)}: {lines} of {name} left out{learned}"
        found = [left] if self.lacking else []
        return found + ([f"{file}: no feature looks at {', '.join(self.unread)}{hint}"] if self.unread else [])


def fitted_to_file(of: Template, path: str, asked: Asked | str | None = None, labelled: bool | None = None) -> Template:
    """The template as it is, or one that comes with sstag as `sstag template NAME --for FILE` writes it for a file.

    A file that the template can read as it is needs nothing; whatever is left out for another one is told. Whether the
    file has labels may be unknown.
    """
    if of.shipped is None or of.columns is None:
        return of
    try:
        known = _columns(path, of.layout(path, asked))
        if known and (of.label in known or not labelled):
            return of
    except (ConfigError, DataError):
        pass  # of its columns, or whoever reads the file says what is wrong with it
    try:
        layout = layout_for(path, unlabelled=labelled is False, format=asked)
        columns = _columns(path, layout)
    except (ConfigError, DataError):
        return of
    return _fitted(of, columns, layout, display_name(path)) if columns else of


def _columns(path: str, layout: Layout) -> tuple[str, ...] | None:
    """The columns of a file, which is looked into only if its format does not tell them."""
    from sstag.corpus.reading import first_columns  # it needs numpy, and the help of commands does not

    fixed = layout.format.fixed
    return layout.names or fixed.names if fixed else first_columns(path, layout)


def fitted_to_columns(of: Template, width: int, labels: bool, beside: bool) -> Template:
    """The template for tokens in memory of so many columns, of which the last is the label unless it stands beside.

    A template that does not come with sstag stays as it is, and so does one that has as many columns.
    """
    columns = ["word", *(f"column{number}" for number in range(2, width + beside - labels + 1))] + ["label"] * labels
    if of.shipped is None or len(columns) == len(of.columns or ()) - (not labels):
        return of
    return _fitted(of, columns, Layout(label="label" if labels else None), "sentences")


def fitted_to_corpus(of: Template, columns: Sequence[str]) -> Template:
    """The template for a corpus with these columns."""
    if of.shipped is None or set(of.columns or ()) - {of.label} <= {*columns}:
        return of
    return _fitted(of, columns, Layout(tuple(columns), of.label), "sentences")


def with_other_names(of: Template, columns: Sequence[str], path: str) -> Template:
    """The template of a path with other names for its columns, in their order."""
    if of.columns is None or of.said is None:
        return of
    label = columns[of.columns.index(of.label)]
    lines, _ = _rewritten(of.text, dict(zip(of.columns, columns, strict=True)), columns, label)
    made = template(lines, path)
    return made if len(made.features) == len(of.features) and len(made.dense) == len(of.dense) else of


def _fitted(of: Template, columns: Sequence[str], layout: Layout, file: str) -> Template:
    """A template that comes with sstag for such columns."""
    name = str(of.shipped)
    made = adapted(of.text, name, columns, layout)
    for line in made.notices(name, file):
        log.warning(line)
    return template(made.text, shipped_path(name))


def adapted(text: str, path: str, columns: Sequence[str], layout: Layout) -> Adapted:
    """The template for a file with these columns; columns without names get the template's.

    If a file without names has as many columns as the template, they are the same. Otherwise the first column holds the
    words, the label is the label, and other columns are the same if their names are.
    """
    of = template(text, path)
    assert of.columns is not None
    label = layout.label if layout.label in columns else None
    fixed = layout.format.fixed  # such a format has columns that no template looks at
    named = fixed is not None or layout.names is not None
    if not named and len(columns) == len(of.columns):
        return Adapted(text, (), 0, ())
    name = _names(of.columns, of.label, columns, label)
    if not named:  # the template's names stand for the made-up ones
        columns = [next((old for old, new in name.items() if new == column), column) for column in columns]
        name = {old: old for old in name}
    own = name.setdefault(of.label, of.label)
    used = set(name.values())
    every = [column for column in columns if column in used] if fixed else [*columns]
    lines, dropped = _rewritten(text, name, [*every, *([own] if own not in every else [])], own)
    made = template(lines, path)
    unread = set(every) - {*made.columns_read, own}
    lacking = tuple(column for column in of.columns if column not in name)
    other = own if fixed and not fixed.only_label and own != of.label else None
    return Adapted(lines, lacking, dropped, tuple(column for column in every if column in unread), other)


def _names(old: Sequence[str], old_label: str, columns: Sequence[str], label: str | None) -> dict[str, str]:
    """The file's name of each column of a template that the file has."""
    rest = [column for column in columns if column != label]
    called = {ALIASES.get(column, column): column for column in rest}
    name = {column: called[ALIASES.get(column, column)] for column in old if ALIASES.get(column, column) in called}
    words = called.get("form", rest[0]) if rest else None
    first = next(column for column in old if column != old_label)
    if words is not None and words not in name.values():
        name.setdefault(first, words)
    name.pop(old_label, None)
    return name | ({old_label: label} if label else {})


def _rewritten(text: str, name: Mapping[str, str], columns: Sequence[str], label: str) -> tuple[str, int]:
    """The text of a template with other columns, and the number of lines left out for looking at others."""
    lines, dropped = [], 0

    def renamed(found: re.Match[str]) -> str:
        return name[found[1]] if found[1] else found[0]

    def stays(item: str) -> bool:
        return all(column in name for column in COLUMN.findall(item) if column)

    for line in text.split("\n"):
        if line.startswith("columns:"):
            line = f"columns: [{', '.join(columns)}]"
        elif line.startswith("label:"):
            line = f"label: {label}"
        elif line.startswith("edges:"):
            line, lost = _edges(line, stays)
            line, dropped = COLUMN.sub(renamed, line), dropped + lost
        elif ITEM.match(line):
            if not stays(line):
                dropped += 1
                continue
            line = COLUMN.sub(renamed, line)
        lines.append(line)
    if not any(map(ITEM.match, lines)):
        raise ConfigError("no feature is left: the file has none of the columns that this template looks at")
    return "\n".join(lines), dropped


def _edges(line: str, stays: Callable[[str], bool]) -> tuple[str, int]:
    """A line such as `edges: [labels, word[0]]` with the items that stay, and the number of those that do not."""
    key, _, rest = line.partition("[")
    items = [item.strip() for item in re.split(r",(?![^\[]*\])", rest.rstrip().removesuffix("]"))]
    kept = [item for item in items if stays(item)]
    return f"{key}[{', '.join(kept)}]", len(items) - len(kept)
