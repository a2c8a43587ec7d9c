"""CoNLL-U, the format of Universal Dependencies: ten columns, separated by tabs, with `_` for what is not said.

Comments begin with `#`. Ranges of tokens (`1-2`) and empty nodes (`1.1`) have lines of their own, which are kept but
hold no token. A label that has no column of its own stands in the last one, misc, as `name=label`, and is read from
there if it is asked for, or if a comment at the head of the file names it (`# global.label = label`), as sstag writes
it; then `|`, `?` and `!` are marks in it. Items of misc stand between `|`, so that this sign is written `\\p` within a
label, and `\\` is written `\\\\`, as UDPipe does: `label=B-PER\\pB-LOC` is the set of labels `B-PER|B-LOC`.

Of a text with places, misc says what stands between two tokens, as UDPipe does: `SpaceAfter=No`, or else
`SpacesAfter=\\s\\n` if it is not one blank (`text/spacing.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sstag.corpus.blocks import Block, text_with
from sstag.corpus.column_names import ALIASES, word_place
from sstag.corpus.formats.contract import FixedColumns, Input
from sstag.corpus.sheets import names_of_head
from sstag.corpus.text.document_comments import name_text
from sstag.corpus.text.sentence_heads import SENT_ID
from sstag.corpus.text.spacing import ITEMS, spacing_of
from sstag.corpus.token_lines import token_line_blocks
from sstag.foundation.arrays import Bools, Ints
from sstag.foundation.errors import DataError, nearest

NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NOTHING = "_"  # what stands in a column that says nothing
ID, FORM, MISC = "id", "form", "misc"
UNSAID = "?"  # the label of a token for which misc says none, in a file that names its label
LABEL_IS, TEXT = "# global.label = ", "# text = "
ESCAPED = re.compile(rb"\\[\\p]")  # in a value of misc
BAR = rb"\p"


@dataclass(frozen=True)
class ConllU:
    """The format of CoNLL-U."""

    named: bool = field(default=False, compare=False)  # whether the file names its label

    fixed: ClassVar = FixedColumns("CoNLL-U", "ten columns, separated by tabs", NAMES, "upos", items=True)
    cell: ClassVar = re.compile(rb"[^\t\r\n]+")
    no_token: ClassVar = re.compile(rb"[0-9]+[-.][0-9]+\t")

    @property
    def marks(self) -> Mapping[str, str | None]:
        return {} if self.named else {"either": None, "unknown": NOTHING, "negation": None}

    def labelled(self) -> "ConllU":
        return replace(self, named=True)

    def blocks(self, given: Input) -> Iterator[Block]:
        label, names = given.layout.label, given.layout.names
        if label is None or names is None or label in names:
            return token_line_blocks(self, given)
        head = given.head and replace(given.head, columns=given.head.columns[: len(NAMES)])
        return _with_items(token_line_blocks(self, replace(given, head=head)), label, UNSAID if self.named else NOTHING)

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
        if name in block.columns[: len(NAMES)]:
            return text_with(block, list(map(names.__getitem__, labels.tolist())), name)
        key, items = f"{keys_of([name])[0]}=".encode(), [_escaped(label) for label in names]
        values = map(items.__getitem__, labels.tolist())
        old = block.fields[block.column(MISC)]
        return text_with(block, [_with_item(misc, key, label) for misc, label in zip(old, values, strict=True)], MISC)

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        """Tokens and sentences in CoNLL-U: `word` is the form, `pos` the xpos, and what has no column goes to misc."""
        known = _columns_of(block, names)
        places = [NAMES.index(name) if name in NAMES else None for name in known]
        cells = [
            [(_escaped(value) if place is None else value).decode() for value in block.fields[block.column(name)]]
            for name, place in zip(names, places, strict=True)
        ]
        keys = dict(zip(names, keys_of(names), strict=True))
        in_misc = {keys[name] for name, place in zip(names, places, strict=True) if place is None}
        spacing = spacing_of(block) if MISC not in names else None
        sentences = [_head(block, names, known)]
        for sentence, (begin, end) in enumerate(pairwise(block.offsets.tolist())):
            lines = _comments(block, sentence)
            if spacing:
                lines.append(TEXT + spacing.line(block, begin, end))
            for token in range(begin, end):
                fields = [str(token - begin + 1)] + [NOTHING] * (len(NAMES) - 1)
                rest = spacing.items(token) if spacing else []
                for name, place, values in zip(names, places, cells, strict=True):
                    if place is not None:
                        fields[place] = values[token]
                    else:
                        rest.append(f"{keys[name]}={values[token]}")
                said = fields[-1].split("|") if fields[-1] != NOTHING else []
                others = [item for item in said if item.partition("=")[0] not in in_misc]
                fields[-1] = "|".join([*others, *rest]) or NOTHING
                lines.append("\t".join(fields))
            sentences.append("\n".join([*lines, "", ""]))
        return "".join(sentences).encode()


def _columns_of(block: Block, names: Sequence[str]) -> list[str]:
    """The columns of CoNLL-U that columns of these names become: words are the form, whatever they are called."""
    known = [ALIASES.get(name, name) for name in names]
    if not known:
        return known
    words = block.columns[word_place(block.columns)]
    if words in names or FORM not in known:
        known[names.index(words) if words in names else 0] = FORM
    words_at = known.index(FORM) if words not in names else names.index(words)
    known = ["" if one in known[:n] or (one == FORM and n != words_at) else one for n, one in enumerate(known)]
    if ID in known and not all(value.isdigit() for value in block.fields[block.column(names[known.index(ID)])]):
        known[known.index(ID)] = ""  # no numbers of words
    return known


def keys_of(names: Sequence[str]) -> list[str]:
    """The keys of items of misc for columns of these names."""
    return [_escaped(name.encode()).decode() + "_" * (name in ITEMS) for name in names_of_head(names)]


def _head(block: Block, names: Sequence[str], known: Sequence[str]) -> str:
    """The comment that names the label, at the head of a file whose labels have the usual marks."""
    label = block.heads.label if block.heads and block.first_line == 1 else None
    if label is None or label not in names or block.format.marks:
        return ""
    own = known[names.index(label)]
    return f"{LABEL_IS}{own if own in NAMES else names_of_head([label])[0]}\n"


def _comments(block: Block, sentence: int) -> list[str]:
    """The comments of a sentence: where a document begins, and its own name."""
    said = block.heads.sentences[sentence] if block.heads and block.heads.sentences else None
    if said is None:
        return []
    found = [f"# newdoc id = {name_text(said.document.name)}" if said.document.name else "# newdoc"]
    found = found if said.begins else []
    return [*found, SENT_ID + name_text(said.name)] if said.name else found


def _escaped(value: bytes) -> bytes:
    """A value as an item of misc holds it."""
    return value.replace(b"\\", b"\\\\").replace(b"|", BAR)


def _with_items(blocks: Iterator[Block], name: str, unsaid: str) -> Iterator[Block]:
    """Blocks with a further column: what misc says under a name, and something else where it says nothing."""
    key, nothing, found = f"{keys_of([name])[0]}=".encode(), unsaid.encode(), False
    for block in blocks:
        if not len(block.rows):
            yield replace(block, columns=(*block.columns, name), fields=[*block.fields, []]) if block.columns else block
            continue
        values = []
        for misc in block.fields[len(NAMES) - 1]:
            items = [item for item in misc.split(b"|") if item.startswith(key)]
            found |= bool(items)
            value = items[-1].removeprefix(key) if items else b""
            values.append(ESCAPED.sub(lambda found: b"|" if found[0] == BAR else b"\\", value) or nothing)
        if not found:
            message = f"misc does not say {name}=, and there is no column '{name}'{nearest(name, NAMES)}"
            raise DataError(message, block.path, int(block.lines[0]))
        yield replace(block, columns=(*block.columns, name), fields=[*block.fields, values])


def _with_item(misc: bytes, key: bytes, value: bytes) -> bytes:
    """The misc of a token, a list of key=value, with one more item; another value of its key goes."""
    items = [] if misc == NOTHING.encode() else [item for item in misc.split(b"|") if not item.startswith(key)]
    return b"|".join([*items, key + value])


CONLLU = ConllU()
