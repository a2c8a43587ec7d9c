"""What the columns of a file are called, and which one holds the label."""

from collections.abc import Sequence
from dataclasses import dataclass

from sstag.foundation.errors import ConfigError, DataError, counted, nearest

MOST_COLUMNS = 1000
CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
ALIASES = {"word": "form", "token": "form", "pos": "xpos"}  # what column files call them


@dataclass(frozen=True)
class Layout:
    """What the columns of a file are called, and which one holds the label.

    Without names the last of several columns is called `label` and the first `word`. A file that has all the named
    columns but the label, and the label is the last, is unlabelled. One that has as many as are enough has these, if
    that is another number. CoNLL-U has its own names.
    """

    names: tuple[str, ...] | None = None
    label: str | None = "label"
    conllu: bool = False
    enough: tuple[str, ...] = ()

    def columns(self, width: int, path: str, line: int) -> tuple[str, ...]:
        """The names for a file of `width` columns."""
        if width > MOST_COLUMNS:
            raise DataError(f"{width} columns (at most {MOST_COLUMNS})", path, line)
        names = self.names or (CONLLU if self.conllu else _default_names(width, self.label))
        if not self.names and self.label not in (None, "label", *names):
            raise DataError(f"there is no column '{self.label}' (--columns names them)", path, line)
        if len(names) == width or (len(names) == width + 1 and names[-1] == self.label):
            return names[:width]
        if self.conllu:
            raise DataError(f"{columns_in_words(width)}, but CoNLL-U has ten, separated by tabs", path, line)
        if len(self.enough) == width:
            return self.enough
        mend = (
            "name all (in the template's columns, or --columns), or drop some (sstag convert --keep)"
            if width > len(names)
            else "all are needed, but for a label that is the last"
        )
        message = f"{columns_in_words(width)}, but {len(names)} are named ({', '.join(names)}): {mend}"
        raise DataError(message, path, line)


def _default_names(width: int, label: str | None) -> tuple[str, ...]:
    names = ("word", *(f"column{i}" for i in range(2, width + 1)))
    return names if width == 1 or label != "label" else (*names[:-1], label)


def is_conllu(path: str) -> bool:
    """Whether a path is called as CoNLL-U files are."""
    return path.removesuffix(".gz").endswith(".conllu")


def conllu_layout(names: Sequence[str], label: str) -> Layout:
    """CoNLL-U for what knows its columns by other names: `word` is the form, `pos` the xpos.

    A label that CoNLL-U has no column for is not in the file.
    """
    called = {ALIASES.get(name, name): name for name in names}
    for name in names:
        if ALIASES.get(name, name) not in CONLLU and name != label:
            raise ConfigError(f"CoNLL-U has no column '{name}'{nearest(name, (*CONLLU, *ALIASES))}")
        if called[ALIASES.get(name, name)] != name:
            raise ConfigError(f"'{name}' and '{called[ALIASES.get(name, name)]}' are one column in CoNLL-U")
    columns = tuple(called.get(name, name) for name in CONLLU)
    return Layout(columns, label if label in columns else None, conllu=True)


def place_of(name: str, columns: Sequence[str], path: str) -> int:
    """Where a column stands, by its name or another one for the same; an unknown name is an error."""
    if name not in columns and ALIASES.get(name) in columns:
        name = ALIASES[name]
    if name not in columns:
        raise DataError(f"there is no column '{name}'{nearest(name, columns)}", path)
    return columns.index(name)


def columns_in_words(width: int) -> str:
    return counted(width, "column")


def layout_for(
    path: str,
    names: Sequence[str] | None = None,
    label: str | None = None,
    unlabelled: bool = False,
    conllu: bool | None = None,
) -> Layout:
    """The layout a path is read with: CoNLL-U if it is called so, the last column the label if none is named."""
    if conllu is None:
        conllu = is_conllu(path)
    known = tuple(names) if names else CONLLU if conllu else None
    if conllu and names and len(names) != len(CONLLU):
        raise ConfigError(f"CoNLL-U has {len(CONLLU)} columns, not the {len(names)} that are named")
    if known and len(set(known)) < len(known):
        raise ConfigError(f"a column name stands twice: {', '.join(known)}")
    if label is None:
        label = "upos" if conllu else known[-1] if known else "label"
    elif known and label not in known:
        raise ConfigError(f"there is no column '{label}'{nearest(label, known)}")
    return Layout(tuple(names) if names else None, None if unlabelled else label, conllu)
