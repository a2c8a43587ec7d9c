"""What `sstag convert` does: another scheme, other columns, another format, block by block."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sstag.conll import COMMENT, CONLLU, Block, Codes, Layout, read_blocks, text_with
from sstag.errors import ConfigError, DataError, nearest
from sstag.files import display_name
from sstag.labels import LabelSets, Marks, label_sets
from sstag.tags import UNDECIDED, Tagset, guessed_scheme, ill_formed, possible_labels, rewritten, rewritten_sets, tagset

NO_BREAK_SPACE = "\u00a0".encode()  # stands for a blank within a CoNLL-U form: it does not separate columns
ALIASES = {"word": "form", "token": "form", "pos": "xpos"}


@dataclass(frozen=True)
class Relabelling:
    """How the labels of one file are rewritten."""

    column: str
    sets: LabelSets
    numbers: dict[bytes, int]  # each distinct value of the column → its row in `sets`
    tags: Tagset
    scheme: str
    marks: Marks
    merged: list[int]  # chunks that ran together, a number per block

    def labels(self, block: Block) -> list[bytes]:
        """The new labels of a block."""
        if not len(block.rows):
            return []
        old = block.fields[block.columns.index(self.column)]
        values = np.fromiter(map(self.numbers.__getitem__, old), np.int64, len(old))
        single = self.sets.single.astype(np.int32)[values]
        names, codes, merged = rewritten(self.tags, self.scheme, single, block.offsets)
        self.merged.append(merged)
        texts = [name.encode() for name in names]
        new = [texts[code] if code >= 0 else b"" for code in codes.tolist()]
        for token, text in self._undecided(values, single, block.offsets, old):
            new[token] = text
        return new

    def _undecided(
        self, values: np.ndarray, single: np.ndarray, offsets: np.ndarray, old: Sequence[bytes]
    ) -> Iterator[tuple[int, bytes]]:
        """Undecided tokens and their neighbours: an unknown label stays unknown, a set becomes a set."""
        open_ones = np.flatnonzero(single == UNDECIDED)
        if not len(open_ones):
            return
        affected = np.unique(np.clip(np.concatenate([open_ones - 1, open_ones, open_ones + 1]), 0, len(single) - 1))
        sentence = np.searchsorted(offsets, affected, side="right") - 1
        edge = (len(self.sets.labels),)
        unknown = self.sets.unknown
        known: dict[tuple[object, ...], bytes] = {}
        for token, begin, end in zip(affected.tolist(), offsets[sentence], offsets[sentence + 1], strict=True):
            if unknown[values[token]]:
                yield token, old[token]
                continue
            before = self.sets.candidates[values[token - 1]] if token > begin else edge
            after = self.sets.candidates[values[token + 1]] if token + 1 < end else edge
            key = (before, values[token], after)
            if key not in known:
                here = self.sets.candidates[values[token]]
                labels = rewritten_sets(self.tags, self.scheme, before, here, after)
                if len(labels) > 1 and self.marks.either is None:
                    raise ConfigError(f"'{'|'.join(labels)}' cannot be written: the mark `either` is off")
                known[key] = (self.marks.either or "").join(labels).encode()
            yield token, known[key]


def relabelling(
    path: str,
    layout: Layout,
    marks: Marks,
    old: str | None,
    new: str,
    repair: bool,
    data: Iterable[bytes] | None = None,
) -> Relabelling:
    """Reads a file through to find its labels and scheme; ill-formed sequences are an error unless to be repaired."""
    column = layout.label
    if column is None:
        raise ConfigError("there is no label to convert in an unlabelled file")
    numbers = Codes()
    codes, lengths, lines = [], [np.zeros(1, np.int64)], []
    for block in read_blocks(path, layout, data=data):
        if not len(block.rows):
            continue
        if column not in block.columns:
            raise DataError(f"there is no column '{column}'{nearest(column, block.columns)}", block.path)
        codes.append(numbers.of(block.fields[block.columns.index(column)]))
        lengths.append(np.diff(block.offsets))
        lines.append(block.lines)
    if not codes:
        raise DataError("no sentence in it", display_name(path))
    values, offsets = np.concatenate(codes), np.cumsum(np.concatenate(lengths))

    def line_of(code: int) -> tuple[str, int]:
        return display_name(path), int(np.concatenate(lines)[np.flatnonzero(values == code)[0]])

    texts = numbers.texts()
    sets = label_sets(texts, marks, line_of=line_of)
    scheme = old or guessed_scheme(sets.labels, sets.single.astype(np.int32)[values], offsets)
    # An unknown label may be one that its scheme has but this file has not.
    sets = label_sets(texts, marks, possible_labels(tagset(sets.labels, scheme)), line_of)
    tags = tagset(sets.labels, scheme)
    single = sets.single.astype(np.int32)[values]
    wrong = ill_formed(tags, single, offsets)
    if len(wrong) and not repair:
        raise DataError(
            f"{len(wrong)} tokens are ill-formed in {scheme.upper()}, this is the first"
            " (--from names the scheme, --repair cuts chunks as conlleval does)",
            display_name(path),
            int(np.concatenate(lines)[wrong[0]]),
        )
    return Relabelling(column, sets, dict(numbers), tags, new, marks, [])


def columns_text(block: Block, keep: Sequence[str], separator: bytes | None) -> bytes:
    """The block with these columns only; comments and empty lines stay, except those that only CoNLL-U knows."""
    lines = block.text.split(b"\n")
    between = separator or (b"\t" if b"\t" in lines[int(block.rows[0]) if len(block.rows) else 0] else b" ")
    cells = [block.fields[_place(block, name)] for name in keep]
    for row, values in zip(block.rows.tolist(), zip(*cells, strict=True), strict=True):
        end = b"\r" if lines[row].endswith(b"\r") else b""
        lines[row] = between.join(value.replace(b" ", NO_BREAK_SPACE) for value in values) + end
    if block.conllu:
        tokens = set(block.rows.tolist())
        lines = [line for row, line in enumerate(lines) if row in tokens or not line.strip() or COMMENT.match(line)]
    return b"\n".join(lines)


def json_lines(block: Block, keep: Sequence[str]) -> bytes:
    """A JSON object per sentence, a list per column."""
    cells = {name: [value.decode() for value in block.fields[_place(block, name)]] for name in keep}
    bounds = block.offsets.tolist()
    return "".join(
        json.dumps({name: values[begin:end] for name, values in cells.items()}, ensure_ascii=False) + "\n"
        for begin, end in pairwise(bounds)
    ).encode()


def conllu_text(block: Block, keep: Sequence[str]) -> bytes:
    """The block in CoNLL-U: `word` is the form, `pos` the xpos; columns without a place of their own go to misc."""
    places = [CONLLU.index(ALIASES.get(name, name)) if ALIASES.get(name, name) in CONLLU else None for name in keep]
    cells = [[value.decode() for value in block.fields[_place(block, name)]] for name in keep]
    sentences = []
    for begin, end in pairwise(block.offsets.tolist()):
        lines = []
        for token in range(begin, end):
            fields = [str(token - begin + 1)] + ["_"] * (len(CONLLU) - 1)
            rest = []
            for name, place, values in zip(keep, places, cells, strict=True):
                if place is not None:
                    fields[place] = values[token]
                elif "|" in values[token]:
                    raise DataError(
                        f"'{values[token]}' cannot stand in misc: it contains |", block.path, int(block.lines[token])
                    )
                else:
                    rest.append(f"{name}={values[token]}")
            fields[-1] = "|".join(rest) or fields[-1]
            lines.append("\t".join(fields) + "\n")
        sentences.append("".join(lines) + "\n")
    return "".join(sentences).encode()


def with_labels(block: Block, labels: list[bytes], column: str) -> Block:
    """The block with other labels, in its text and in its fields."""
    index = block.columns.index(column)
    fields = [*block.fields[:index], labels, *block.fields[index + 1 :]]
    return replace(block, text=text_with(block, labels, column), fields=fields)


def _place(block: Block, name: str) -> int:
    if name not in block.columns:
        raise DataError(f"there is no column '{name}'{nearest(name, block.columns)}", block.path)
    return block.columns.index(name)
