"""Heads of sentences: the document that comments say each stands in, and a name of its own.

A document without a word has no sentence: it is told of at the sentence that follows, or after the last one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sstag.corpus.blocks import Block
from sstag.corpus.parts import NONE
from sstag.corpus.sheets import label_in_text
from sstag.corpus.text.document_comments import (
    BEGINS,
    COMMENTS,
    NO_HEAD,
    Head,
    may_have_comments,
    name_text,
    value_said,
)

SENTENCE_NAME = re.compile(rb"# (?:sent_id|id|sentence(?= = \d+\s*$)) = ")  # the last one is its number in a pool
SENT_ID = "# sent_id = "
OF_TEXT = COMMENTS[2] + b'"'  # begins the comment with the characters of a text


@dataclass(frozen=True)
class SentenceHead:
    """The head of the document that a sentence stands in, and the name that it has itself."""

    document: Head
    name: str
    begins: bool  # whether it is the first of its document
    empty: Sequence[Head]  # documents without a word before it
    opens: bool  # whether it is the first of its text, which a file can have without naming a document

    @property
    def comments(self) -> list[str]:
        """The lines of a column file that say the names."""
        found = replace(self.document, text=None).comments if self.begins and self.document.name else []
        return [*found, SENT_ID + name_text(self.name)] if self.name else found


@dataclass(frozen=True)
class BlockHeads:
    """The heads of the sentences of a block; without `sentences` nothing is said of any of them."""

    before: int  # sentences of the file before this block
    sentences: Sequence[SentenceHead] = ()
    named: bool = False  # whether documents had names in the block that the file begins with
    texts: bool = False  # whether documents had texts there
    label: str | None = None  # the column of the labels, if it is known
    empty: Sequence[Head] = ()  # documents without a word at the end of the file

    def part(self, sentences: slice) -> "BlockHeads":
        """The heads of some of the sentences."""
        return replace(self, before=self.before + sentences.start, sentences=self.sentences[sentences], empty=())


def with_heads(blocks: Iterable[Block], label: str | None = None) -> Iterator[Block]:
    """Blocks that know what is said of their sentences, and one more if documents without a word end the file.

    Without a `label` the column of the labels is the one that the head of the file names.
    """
    reading, before, named, texts = _Reading(), 0, None, False
    last: Block | None = None
    for block in blocks:
        last = block
        heads: list[SentenceHead] = []
        if reading.head.number != NONE or may_have_comments(block):
            *lines_before, after = block.between
            heads = [reading.sentence(lines) for lines in lines_before]
            reading.take(after)
        if named is None:
            named = any(one.document.name for one in heads)
            texts = any(one.document.text is not None for one in heads)
            label = label or label_in_text(block.text)
        yield replace(block, heads=BlockHeads(before, heads, named, texts, label))
        before += len(block.offsets) - 1
    reading.end()
    if last and reading.ended:
        end, lines = len(last.offsets) - 1, len(last.line_starts) - 1
        heads_of_none = BlockHeads(before, (), bool(named), texts, label, reading.ended)
        yield replace(last.part(slice(end, end), slice(lines, lines)), heads=heads_of_none)


@dataclass
class _Reading:
    """The comments of a file, one after another."""

    head: Head = NO_HEAD
    fresh: bool = False  # whether the document has no sentence yet
    unopened: bool = False  # whether the text has no sentence yet
    ended: list[Head] = field(default_factory=list)  # documents without a word since the last sentence

    def take(self, lines: bytes) -> None:
        """Takes in lines without tokens."""
        for line in lines.split(b"\n"):
            if line.startswith(BEGINS):
                self.end()
                self.fresh = True
            self.unopened |= self.fresh or line.startswith(OF_TEXT)
            self.head = self.head.after(line)

    def end(self) -> None:
        """Ends the document, which only counts if it has a text or a sentence."""
        if self.fresh and self.head.text is not None:
            self.ended.append(self.head)
        self.fresh = False

    def sentence(self, lines: bytes) -> SentenceHead:
        """The head of the sentence that follows some lines."""
        self.take(lines)
        named = [line for line in lines.split(b"\n") if SENTENCE_NAME.match(line)] if b"#" in lines else []
        name = value_said(named[-1]) if named else ""
        made = SentenceHead(self.head, name, self.fresh, self.ended, self.unopened)
        self.fresh, self.unopened, self.ended = False, False, []
        return made
