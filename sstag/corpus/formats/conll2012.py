"""CoNLL-2012 (OntoNotes): a token a line, names as brackets over the rows, documents between `#begin` and `#end`.

    #begin document (nw/wsj_0001); part 000
    nw/wsj_0001 0 0 John NNP (TOP(S(NP*) - - - - (PERSON) -
    #end document

The columns are document, part, number, word, part of speech, parse, lemma, frameset, sense, speaker, name, arguments of
predicates, coreference. Read are word, part of speech and name, and what others say is counted; a text is made of the
words with blanks between them, so a text that has others is counted when it is written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import MANUAL, Document, Span, Spans
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import OTHER_NAMES
from sstag.corpus.text.json_records import whole_lines
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentences import first_tokens
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.corpus.text.span_labels import BLANK
from sstag.corpus.text.span_tokens import token_runs
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.errors import DataError
from sstag.foundation.whole_numbers import whole_number

BEGIN = re.compile(r"#begin document \((.*)\); part ([0-9]{1,9})")
END = "#end document"
WORD, TAG, NAME, LEAST = 3, 4, 10, 12  # columns from 0; how many there are at least
CELL = re.compile(r"((?:\([^()*|]+)*)(\*?)(\)*)")
BLANKS = re.compile(r"[ \t]+")  # a no-break space stands within a word
POS, NO_TAG = "pos", "-"
OTHERS = {5: "parse", 6: "lemma", 7: "frameset", 8: "sense", 9: "speaker", -1: "coreference"}
NOTHING = ("-", "*")
OTHER_BLANKS = "texts with other blanks than one between two words"  # what may be lost


def documents(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    made: _Made | None = None
    skipping = False
    for number, raw in enumerate(whole_lines(source.name, source.pieces), 1):
        try:
            line = decoded(raw, source.name, number).rstrip("\r\n")
            if found := BEGIN.fullmatch(line):
                made, skipping = _Made(found[1] + (f"#{int(found[2])}" if int(found[2]) else ""), number), False
            elif line == END and made:
                yield made.document()
                made = None
            elif not made and line.strip() and not skipping:
                raise DataError("a line outside of a document: '#begin document (name); part 000' begins one")
            elif made:
                made.line(line)
        except DataError as error:
            source.faults.found(DataError(error.message, source.name, number), raw)
            made, skipping = None, True
    if made:
        source.faults.found(DataError(f"the document does not end with {END}", source.name, made.at), b"")


class _Made:
    """A document whose lines are read."""

    def __init__(self, name: str, at: int) -> None:
        self.name, self.at = name, at
        self.parts: list[str] = []
        self.size = 0
        self.places: list[Place] = []
        self.tags: list[str] = []
        self.starts = [0]
        self.spans: list[Span] = []
        self.open: list[tuple[int, str]] = []
        self.fresh = True  # the next token begins a sentence
        self.unread: Counter[str] = Counter()

    def line(self, line: str) -> None:
        """Takes in a line."""
        cells = BLANKS.split(line.strip(" \t")) if line.strip(" \t") else []
        if not cells:
            if self.open:
                raise DataError(f"the name '({self.open[-1][1]}' does not end within its sentence")
            self.fresh = True
            return
        if len(cells) < LEAST:
            raise DataError(f"{len(cells)} columns, but CoNLL-2012 has {LEAST} or more")
        found = CELL.fullmatch(cells[NAME])
        if not found or not (found[1] or found[2]) or cells[NAME] == "":
            raise DataError(f"'{cells[NAME]}' is no name: (TYPE*, *, *) and (TYPE) are")
        if self.places:
            self.parts.append("\n" if self.fresh else " ")
            self.size += 1
        if self.fresh and self.places:
            self.starts.append(self.size)
        self.fresh = False
        word = cells[WORD].replace(BLANK, " ")
        self.places.append((self.size, self.size + len(word)))
        self.parts.append(word)
        self.tags.append(cells[TAG])
        for place, title in OTHERS.items():
            self.unread[f"values of the column {title}"] += cells[place] not in NOTHING
        self.unread["values of the columns of arguments"] += sum(one not in NOTHING for one in cells[NAME + 1 : -1])
        self.open += [(self.size, label.replace(BLANK, " ")) for label in found[1].split("(")[1:]]
        self.size += len(word)
        for _ in found[3]:
            if not self.open:
                raise DataError(f"'{cells[NAME]}' ends a name that did not begin")
            start, label = self.open.pop()
            self.spans.append(Span(start, self.size, (label,)))

    def document(self) -> Document:
        """The document."""
        if self.open:
            raise DataError(f"the name '({self.open[-1][1]}' does not end within its sentence")
        said = Spans(tuple(self.spans), rest=MANUAL)
        text = "".join(self.parts)
        return Document(
            self.name, text, (said,), self.at, self.places, self.starts, {POS: self.tags}, unread=self.unread
        )


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The documents, whose columns that are not known hold a dash."""
    for document in documents:
        whole = tokenized(document, options)
        assert whole.tokens is not None
        assert whole.starts is not None
        text, tokens = document.text, list(whole.tokens)
        tags = document.columns.get(POS) or [NO_TAG] * len(tokens)
        opening, closing = [""] * len(tokens), [0] * len(tokens)
        runs = token_runs(text, tokens, plain_spans(document, lost), options, lost)
        inner = set[int]()
        for run in runs:
            label = run.span.labels[0].replace(" ", BLANK)
            if not label or any(c in "()*|" or (c.isspace() and c != BLANK) for c in label):
                raise DataError(f"document '{document.id}': CoNLL-2012 has no room for the label '{label}'")
            opening[run.first] += f"({label}"
            closing[run.stop - 1] += 1
            inner |= set(range(run.first + 1, run.stop))
        name, _, part = document.id.rpartition("#")
        number = whole_number(part) if name else None
        name, number = (name, number) if number else (document.id, 0)
        if not name.isprintable() or name.split() != [name]:
            name = "_".join(name.split()) or "document"
            lost[OTHER_NAMES] += 1
        lines = [f"#begin document ({name}); part {number:03}"]
        firsts = [first for first in first_tokens(whole.starts, tokens) if first not in inner]
        begins = {*firsts[1:]}
        shown = "".join(
            ("\n" if n in begins else " ") * bool(n) + text[slice(*place)] for n, place in enumerate(tokens)
        )
        lost["texts with other blanks than one between two words"] += shown != text
        for first, end in zip(firsts, [*firsts[1:], len(tokens)][: len(firsts)], strict=True):
            for n in range(first, end):
                word = text[slice(*tokens[n])].replace(" ", BLANK)
                cell = opening[n] + ("" if opening[n] and closing[n] else "*") + ")" * closing[n]
                lines.append(f"{name} {number} {n - first} {word} {tags[n]} * - - - - {cell} -")
            lines.append("")
        yield ("\n".join([*lines, END]) + "\n").encode()


CONLL2012 = SpanFormat("CoNLL-2012", documents, written, extra=(POS,))
