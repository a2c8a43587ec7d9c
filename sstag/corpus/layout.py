"""Layouts: the format of a file, the names of its columns, and the one that holds the label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from sstag.corpus.column_names import ALIASES, columns_in_words
from sstag.corpus.formats import USUAL, Asked, as_asked, input_format
from sstag.corpus.formats.contract import FixedColumns, InputFormat, ItemFormat
from sstag.corpus.sheets import named_columns, named_label
from sstag.corpus.text.folders import bytes_of
from sstag.foundation.errors import ConfigError, DataError, nearest

MOST_COLUMNS = 1000


def _usual() -> InputFormat:
    return input_format("", USUAL)


@dataclass(frozen=True)
class Layout:
    """The format of a file, the names of its columns, and the one that holds the label.

    Without names the last of several columns is called `label` and the first `word`, unless the format has names of
    its own. A file that has all the named columns but the label, and the label is the last, is unlabelled. A file that
    has as many columns as `enough` has these, if that is another number. Of a sheet, which names its columns itself,
    `beside` are those that nobody asked for, and that a corpus is read without.
    Files are in UTF-8, or else in `encoding`.
    """

    names: tuple[str, ...] | None = None
    label: str | None = "label"
    format: InputFormat = field(default_factory=_usual)
    enough: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    encoding: str | None = None

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of a file, in UTF-8 whatever its encoding is."""
        return bytes_of(path, self.encoding)

    def columns(self, width: int, path: str, line: int) -> tuple[str, ...]:
        """The names for a file of `width` columns."""
        if width > MOST_COLUMNS:
            raise DataError(f"{width} columns (at most {MOST_COLUMNS})", path, line)
        fixed = self.format.fixed
        names = self.names or (fixed.names if fixed else _default_names(width, self.label))
        if not self.names and self.label not in (None, "label", *names):
            raise DataError(f"there is no column '{self.label}' (--columns names them)", path, line)
        if len(names) == width or (not fixed and len(names) == width + 1 and names[-1] == self.label):
            return names[:width]
        if fixed:
            raise DataError(f"{columns_in_words(width)}, but {fixed.title} has {fixed.shape}", path, line)
        if len(self.enough) == width:
            return self.enough
        are = "is" if len(names) == 1 else "are"
        message = f"{columns_in_words(width)}, but {len(names)} {are} named ({', '.join(names)}): "
        many = "name all of them where these are named, or drop some (sstag convert --keep)"
        few = "all are needed, but for a label that is the last"
        raise DataError(message + (many if width > len(names) else few), path, line)


def _default_names(width: int, label: str | None) -> tuple[str, ...]:
    names = ("word", *(f"column{i}" for i in range(2, width + 1)))
    return names if width == 1 or label != "label" else (*names[:-1], label)


def layout_for(
    path: str,
    names: Sequence[str] | None = None,
    label: str | None = None,
    unlabelled: bool = False,
    format: Asked | str | None = None,
) -> Layout:
    """The layout a path is read with: without a format the one its name tells, without a label the last column.

    A sheet names both itself.
    """
    read_in, encoding = input_format(path, format), as_asked(format).options.encoding
    fixed = read_in.fixed
    if not fixed and not names and (sheet := named_columns(path, encoding)):
        unlabelled |= label is None and sheet.label not in sheet.names
        names, label = sheet.names, label or (None if unlabelled else sheet.label)
    if fixed and fixed.items and (named := named_label(path, encoding)) and label in (None, named) and not unlabelled:
        read_in, label = cast(ItemFormat, read_in).labelled(), named
    known = tuple(names) if names else fixed.names if fixed else None
    if fixed and names and len(names) != len(fixed.names):
        raise ConfigError(f"{fixed.title} has {len(fixed.names)} columns, not the {len(names)} that are named")
    if known and len(set(known)) < len(known):
        raise ConfigError(f"a column name stands twice: {', '.join(known)}")
    if label is None:
        label = fixed.label if fixed else known[-1] if known else "label"
    elif known and label not in known and fixed and fixed.items:
        names = known  # which lack a label that stands within one of them
    elif known and label not in known:
        raise ConfigError(f"there is no column '{label}'{nearest(label, known)}")
    return Layout(tuple(names) if names else None, None if unlabelled else label, read_in, encoding=encoding)


def layout_naming(path: str, names: Sequence[str], label: str, format: Asked | str | None = None) -> Layout:
    """The layout a path is read with by somebody who calls the columns so, as a template does.

    A format with columns of its own keeps them, those that are named under these names: in CoNLL-U `word` is the form
    and `pos` the xpos. A label that it has no column for is not in the file.
    """
    read_in, encoding = input_format(path, format), as_asked(format).options.encoding
    if read_in.fixed is None:
        called = _of_sheet(path, encoding, names, label) or (tuple(names), ())
        return replace(layout_for(path, called[0], label, format=format), beside=called[1])
    columns = _renamed(read_in.fixed, names, label)
    if label not in columns and read_in.fixed.items and named_label(path, encoding) == label:
        return Layout(columns, label, cast(ItemFormat, read_in).labelled(), encoding=encoding)
    return Layout(columns, label if label in columns else None, read_in, encoding=encoding)


def _of_sheet(
    path: str, encoding: str | None, names: Sequence[str], label: str
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The columns of a sheet under these names, and those it has besides; None if it lacks one, or is no sheet."""
    sheet = named_columns(path, encoding)
    if sheet is None:
        return None
    found = tuple(label if name == sheet.label and label not in sheet.names else name for name in sheet.names)
    return (found, tuple(name for name in found if name not in names)) if set(names) <= set(found) else None


def _renamed(fixed: FixedColumns, names: Sequence[str], label: str) -> tuple[str, ...]:
    """The columns of a format, those that have one of these names called by it."""
    own = {name: name if name in fixed.names else ALIASES.get(name, name) for name in names}
    if fixed.only_label and label not in fixed.names:
        own[label] = fixed.label
    called = {column: name for name, column in own.items()}
    known = fixed.names if fixed.only_label else (*fixed.names, *ALIASES)
    for name, column in own.items():
        if column not in fixed.names and name != label:
            raise ConfigError(f"{fixed.title} has no column '{name}'{nearest(name, known)}")
        if called[column] != name:
            raise ConfigError(f"'{name}' and '{called[column]}' are one column in {fixed.title}")
    return tuple(called.get(name, name) for name in fixed.names)
