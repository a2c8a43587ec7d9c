"""CoNLL-U, the format of Universal Dependencies: ten columns, separated by tabs, with `_` for what is not said.

Comments begin with `#`. Ranges of tokens (`1-2`) and empty nodes (`1.1`) have lines of their own, which are kept but
hold no token. A label that has no column of its own stands in the last one, misc, as `name=label`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sstag.corpus.blocks import Block, text_with
from sstag.corpus.column_names import ALIASES
from sstag.corpus.formats.contract import FixedColumns, Input
from sstag.corpus.token_lines import token_line_blocks
from sstag.foundation.arrays import Bools, Ints
from sstag.foundation.errors import DataError

NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NOTHING = "_"  # what stands in a column that says nothing
MISC = "misc"


@dataclass(frozen=True)
class ConllU:
    """The format of CoNLL-U."""

    fixed: ClassVar = FixedColumns("CoNLL-U", "ten columns, separated by tabs", NAMES, "upos")
    marks: ClassVar[Mapping[str, str | None]] = {"either": None, "unknown": NOTHING, "negation": None}
    cell: ClassVar = re.compile(rb"[^\t\r\n]+")
    no_token: ClassVar = re.compile(rb"[0-9]+[-.][0-9]+\t")

    def blocks(self, given: Input) -> Iterator[Block]:
        return token_line_blocks(self, given)

    def scanned(self, body: bytes) -> tuple[Ints, Bools]:
        lines = body.split(b"\n")
        widths, is_break = np.zeros(len(lines), np.int32), np.zeros(len(lines), bool)
        for index, line in enumerate(lines):
            if not line.strip():
                is_break[index] = True
            elif not line.startswith(b"#") and not self.no_token.match(line):
                cells = line.rstrip(b"\r").split(b"\t")
                # An empty cell is a missing one.
                widths[index] = len(cells) if len(cells) != len(NAMES) else sum(map(bool, cells))
        return widths, is_break

    def fields(self, body: bytes, rows: Ints, width: int) -> Sequence[Sequence[bytes]]:
        lines = body.split(b"\n")
        cells = [lines[row].rstrip(b"\r").split(b"\t") for row in rows.tolist()]
        return [list(column) for column in zip(*cells, strict=True)] or [[] for _ in range(width)]

    def labelled_text(self, block: Block, labels: Ints, names: Sequence[bytes], name: str) -> bytes:
        """The bytes with the labels in the column that is called so, or in misc."""
        values = list(map(names.__getitem__, labels.tolist()))
        if name in block.columns:
            return text_with(block, values, name)
        for label in dict.fromkeys(values):
            if b"|" in label:
                raise _no_place(label.decode(), block, values.index(label))
        key = f"{name}=".encode()
        old = block.fields[block.column(MISC)]
        return text_with(block, [_with_item(misc, key, label) for misc, label in zip(old, values, strict=True)], MISC)

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        """Tokens and sentences in CoNLL-U: `word` is the form, `pos` the xpos, and what has no column goes to misc."""
        known = [ALIASES.get(name, name) for name in names]
        places = [NAMES.index(name) if name in NAMES else None for name in known]
        cells = [[value.decode() for value in block.fields[block.column(name)]] for name in names]
        sentences = []
        for begin, end in pairwise(block.offsets.tolist()):
            lines = []
            for token in range(begin, end):
                fields = [str(token - begin + 1)] + [NOTHING] * (len(NAMES) - 1)
                rest = []
                for name, place, values in zip(names, places, cells, strict=True):
                    if place is not None:
                        fields[place] = values[token]
                    elif "|" in values[token]:
                        raise _no_place(values[token], block, token)
                    else:
                        rest.append(f"{name}={values[token]}")
                fields[-1] = "|".join(rest) or fields[-1]
                lines.append("\t".join(fields) + "\n")
            sentences.append("".join(lines) + "\n")
        return "".join(sentences).encode()


def _no_place(value: str, block: Block, token: int) -> DataError:
    """The error for a value that misc cannot hold."""
    return DataError(f"'{value}' cannot stand in misc: it contains |", block.path, int(block.lines[token]))


def _with_item(misc: bytes, key: bytes, value: bytes) -> bytes:
    """The misc of a token, a list of key=value, with one more item; another value of its key goes."""
    items = [] if misc == NOTHING.encode() else [item for item in misc.split(b"|") if not item.startswith(key)]
    return b"|".join([*items, key + value])


CONLLU = ConllU()
