"""CSV: a token a row under a first row of names; sentences by a column of theirs, or by empty rows.

    sentence,word,pos,label            also with semicolons or tabs, also as in Kaggle's file of names:
    1,Ann,NNP,B-PER                    Sentence #,Word,POS,Tag
    1,met,VBD,O                        Sentence: 1,Ann,NNP,B-PER
    2,It,PRP,O                         ,met,VBD,O

A sentence begins with a row whose value in the column `sentence` is not empty and is not that of the row before, and so
does a document in a column `document`. These values are their names. Beside places of words, the first row of a
document has its text, in a column `document_text`.
"""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coded
from sstag.corpus.formats.contract import Input
from sstag.corpus.made_blocks import Made, made_blocks
from sstag.corpus.parts import NONE
from sstag.corpus.sheets import further
from sstag.corpus.text.document_comments import Head, name_text
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.faults import Faults, faults_of
from sstag.corpus.text.json_records import whole_lines
from sstag.corpus.text.named_rows import called, cell, telling_words, words_of
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentence_heads import SENT_ID, BlockHeads, SentenceHead
from sstag.corpus.text.spacing import PLACES
from sstag.foundation.errors import DataError

DOCUMENT = re.compile(r"doc(ument)?([ _.-]?(#|id|no|number))?", re.IGNORECASE)
SENTENCE = re.compile(r"sent(ence)?([ _.-]?(#|id|no|number|idx))?:?", re.IGNORECASE)
DIVIDERS = ",;\t"
SENTENCES, DOCUMENTS, TEXT_OF = "sentence", "document", "document_text"
UNSHOWN = (*DIVIDERS, "\n", "\r", "\0", '"')  # in names of columns
QUOTED, QUOTE, TWO_QUOTES = re.compile(r'[",\r\n]'), re.compile('"'), '""'


@dataclass(frozen=True)
class Csv:
    """The format of CSV."""

    options: TextOptions = field(default_factory=TextOptions)

    fixed: ClassVar[None] = None
    marks: ClassVar[Mapping[str, str | None]] = {}

    def blocks(self, given: Input) -> Iterator[Block]:
        name = given.name
        with faults_of(given.path, given.report, self.options.skip_bad) as faults:
            texts = _texts(name, given.pieces)
            head = next(texts, None)
            if head is None:
                return
            divider = max(DIVIDERS, key=head.count)
            rows = csv.reader(_first_and(head, texts), delimiter=divider, strict=True)
            try:
                header = [one.strip() for one in next(rows)]
            except csv.Error as error:
                raise DataError(f"no CSV: {error}", name, 1) from error
            if not all(header) or len(set(header)) < len(header):
                raise DataError(f"the first row names the columns, not {', '.join(header)}", name, 1)
            at = _place(header, SENTENCE, self.options.keys.get("sentence"), name)
            document = None if at is None else _place(header, DOCUMENT, None, name)
            placed = document is not None and {*PLACES} <= {*header} and TEXT_OF in header
            text = header.index(TEXT_OF) if placed else None
            kept = [n for n in range(len(header)) if n not in (at, document, text)]
            names = [header[n] for n in kept]
            if not names:
                raise DataError("the first row names no column of words", name, 1)
            columns = called(given.layout, names, words_of(names), name, 1)
            made = _sentences(rows, header, (document, at, text), kept, name, faults)
            yield from made_blocks(name, columns, made, given.stream)

    def text(self, block: Block, names: Sequence[str]) -> bytes:
        """The tokens of a block with the names of their sentences, or else numbers, and those of documents."""
        heads = block.heads or BlockHeads(0)
        shown = names_shown(telling_words(names, block.columns))
        # A column that would be taken for that of documents stands behind one of these.
        documents = heads.named or any(map(DOCUMENT.fullmatch, shown))
        texts = documents and carries_texts(block, names)
        own_names = [*([DOCUMENTS] if documents else []), SENTENCES, *([TEXT_OF] if texts else [])]
        lines = []
        if block.first_line == 1:
            lines.append(_row([*own_names, *(further(name, own_names) for name in shown)]))
        cells = [_cells(block.fields[block.column(name)]) for name in names]
        before: list[str] | None = None  # nobody knows what the block before ended with
        for sentence, (begin, end) in enumerate(pairwise(block.offsets.tolist())):
            said = heads.sentences[sentence] if heads.sentences else None
            own = [(said and said.name) or str(heads.before + sentence + 1)]
            own = [_document_name(said), *own] if documents else own
            if own == before or (before is None and heads.before and said):
                lines.append(_row([]))  # ends a sentence, too
            before = own
            text = said.document.text or "" if said and said.begins and not said.document.begin else ""
            head, rest = _row([*own, *([text] if texts else [])])[:-1], _row([*own, *([""] if texts else [])])[:-1]
            rows = zip(*(column[begin:end] for column in cells), strict=True)
            lines += [f"{rest if number else head},{','.join(values)}\n" for number, values in enumerate(rows)]
        return "".join(lines).encode()


def carries_texts(block: Block, names: Sequence[str]) -> bool:
    """Whether the texts of documents stand beside these columns."""
    return bool(block.heads and block.heads.named and block.heads.texts) and {*PLACES} <= {*names}


def names_shown(names: Sequence[str]) -> list[str]:
    """Names of columns that no divider of columns stands in, and that are all different."""
    found: list[str] = []
    for name in names:
        found.append(further("".join("_" if one in UNSHOWN else one for one in name).strip() or "_", found))
    return found


def _document_name(said: SentenceHead | None) -> str:
    """The name of the document that a sentence stands in; one without a name has its number."""
    if said is None or said.document.number == NONE:
        return ""
    return said.document.name or str(said.document.number + 1)


def _cells(values: Sequence[bytes]) -> list[str]:
    """The values of a column as rows have them."""
    if isinstance(values, Coded):
        return values.each([_cell(value.decode()) for value in values.distinct])
    return [_cell(value.decode()) for value in values]


def _row(values: Sequence[str]) -> str:
    """A row of values."""
    return ",".join(map(_cell, values)) + "\n"


def _cell(value: str) -> str:
    """A value, in quotes if it needs them."""
    return f'"{QUOTE.sub(TWO_QUOTES, value)}"' if QUOTED.search(value) else value


def _texts(name: str, pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file, with their ends."""
    for number, line in enumerate(whole_lines(name, pieces), 1):
        yield decoded(line.removeprefix(BOM_UTF8) if number == 1 else line, name, number) + "\n"


def _first_and(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _place(header: Sequence[str], usual: re.Pattern[str], wanted: str | None, name: str) -> int | None:
    """The column of names, which has a usual name unless another is wanted, if there is one."""
    if wanted and wanted not in header:
        raise DataError(f"there is no column '{wanted}' (--key sentence=NAME)", name, 1)
    return next((n for n, one in enumerate(header) if (one == wanted if wanted else usual.fullmatch(one))), None)


def _sentences(
    rows: Iterator[list[str]],
    header: Sequence[str],
    named: tuple[int | None, int | None, int | None],
    kept: Sequence[int],
    name: str,
    faults: Faults,
) -> Iterator[Made]:
    """The sentences of the rows after the first; `named` are the columns of documents, sentences and texts."""
    *named_by, text_at = named
    text = ""  # of the document that the sentence begins
    cells: list[list[str]] = [[] for _ in kept]
    begun, bad = 2, False
    before, document = ["", ""], ""  # `document` is the one of the sentence before
    while True:
        line = rows.line_num + 1  # type: ignore[attr-defined]
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise DataError(f"no CSV: {error}", name, line) from error
        values = [row[at].strip() if row and at is not None and at < len(row) else "" for at in named_by]
        now = [value or old for value, old in zip(values, before, strict=True)]
        next_text = row[text_at] if row and text_at is not None and text_at < len(row) else ""
        ends = row is None or not any(row) or now != before or bool(next_text)
        if ends and cells[0] and not bad:
            yield Made(begun, cells, _comments(before, document, text))
            document = before[0]
        if ends:
            cells, begun, bad, text = [[] for _ in kept], line, False, next_text or ("" if cells[0] else text)
        if row is None:
            return
        before = now
        if not any(row):
            continue
        try:
            if len(row) != len(header):
                raise DataError(f"{len(row)} values, but {len(header)} columns", name, line)
            for column, n in zip(cells, kept, strict=True):
                value = cell(row[n])
                if value.encode().split() != [value.encode()] or "\0" in value:
                    raise DataError(f"'{header[n]}' is empty, or has control characters", name, line)
                column.append(value)
        except DataError as error:
            faults.found(error, ",".join(row).encode())
            bad = True


def _comments(names: Sequence[str], before: str, text: str) -> list[str]:
    """The comments of a sentence with these names of its document and its own, after one of another document."""
    document, own = names
    found = Head(name=document, text=text or None).comments if document != before or text else []
    return [*found, SENT_ID + name_text(own)] if own else found


CSV = Csv()
