"""Contexts: the parts of a text that a model of two stages reads once, each as a whole, before it tags them.

A context is a file, a document as formats mark them, or a number of sentences as they come. Where one begins depends on
the text alone, so that the size of blocks, threads and the pace of a stream change nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sstag.foundation.errors import ConfigError

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block
    from sstag.foundation.arrays import Longs

FILE, DOCUMENT, NONE = KINDS = ("file", "document", "none")
SENTENCES = "sentences"
MOST_SENTENCES = 10_000
MOST_TOKENS = 2**18  # of a document, or of a number of sentences: all of them are in memory, and what is longer is cut
WAYS = "file, document, a number of sentences, or none"


@dataclass(frozen=True)
class Context:
    """The text that is read before a sentence is tagged: its file, its document, the sentences beside it, or none."""

    kind: str
    sentences: int = 0

    def __str__(self) -> str:
        return str(self.sentences) if self.kind == SENTENCES else self.kind

    @property
    def is_held(self) -> bool:
        """Whether a text is held in memory context by context; a file is read twice instead."""
        return self.kind in (DOCUMENT, SENTENCES)


OF_FILE, OF_DOCUMENT, NO_CONTEXT = map(Context, KINDS)


def context_called(said: object) -> Context:
    """The context of a name, or of a number of sentences."""
    if isinstance(said, str) and said in KINDS:
        return Context(said)
    text = said.strip() if isinstance(said, str) else str(said)
    if not isinstance(said, bool) and text.isascii() and text.isdigit() and len(text) < len(str(2**63)):
        if 1 <= int(text) <= MOST_SENTENCES:
            return Context(SENTENCES, int(text))
        raise ConfigError(f"a context has from 1 to {MOST_SENTENCES:,} sentences, not {text}")
    raise ConfigError(f"{said!r:.50} is no context: {WAYS}")


@dataclass(frozen=True)
class Read:
    """The contexts that are read of a text in memory: which, and the sentences with which documents begin."""

    context: Context
    starts: Sequence[int] = ()


NOT_READ, READ_WHOLE = Read(NO_CONTEXT), Read(OF_FILE)


@dataclass
class DocumentStarts:
    """The sentences of a file with which documents begin, noted while its blocks are read."""

    starts: list[int] = field(default_factory=list)

    def noted(self, blocks: "Iterable[Block]") -> "Iterator[Block]":
        """The blocks of the file."""
        before, begins = 0, False
        for block in blocks:
            *flags, begins = _begins(block, begins)
            self.starts += [before + sentence for sentence, is_first in enumerate(flags) if is_first]
            before += len(flags)
            yield block


def context_runs(offsets: "Longs", read: Read) -> Iterator[slice]:
    """The contexts of a text in memory as runs of its sentences."""
    cuts, documents, begin = _Cuts(read.context), {*read.starts}, 0
    lengths = (offsets[1:] - offsets[:-1]).tolist()
    for sentence, tokens in enumerate(lengths):
        if cuts.begins(tokens, sentence in documents):
            yield slice(begin, sentence)
            begin = sentence
    if begin < len(lengths):
        yield slice(begin, len(lengths))


def contexts(blocks: "Iterable[Block]", context: Context) -> "Iterator[list[Block]]":
    """The contexts of a file, each as parts of blocks; a number of sentences as soon as they are complete."""
    cuts, held, begins = _Cuts(context), list["Block"](), False
    for block in blocks:
        *flags, begins = _begins(block, begins)
        first = line = 0  # where what is not held yet begins
        for sentence, (tokens, is_first) in enumerate(zip(block.lengths, flags, strict=True)):
            if cuts.begins(tokens, is_first) and (held or first < sentence):
                if first < sentence:
                    end = block.spans[1][sentence - 1]
                    held.append(block.part(slice(first, sentence), slice(line, end)))
                    first, line = sentence, end
                yield held
                held = []
        held.append(block.part(slice(first, len(flags)), slice(line, len(block.line_starts) - 1)) if first else block)
        if cuts.is_full:
            yield held
            held = []
    if held:
        yield held


def begins_document(block: "Block") -> bool:
    """Whether some line of a block says that a document begins."""
    return any(_begins(block, False))


def undivided(path: str) -> str:
    """The warning about a file of which every document was to be read, and that says of none where it begins."""
    return f"{path}: no line says where a document begins (-DOCSTART-, # newdoc, # document = …): all of it is one"


@dataclass
class _Cuts:
    """Says of one sentence after another whether a context begins with it."""

    context: Context
    sentences: int = 0
    tokens: int = 0

    def begins(self, tokens: int, is_first: bool) -> bool:
        """Whether the next sentence, which has so many tokens, begins a context; `is_first` if it does a document."""
        divides = (is_first and self.context.kind == DOCUMENT) or self.tokens + tokens > MOST_TOKENS
        result = self.sentences > 0 and (divides or self.is_full)
        if result:
            self.sentences = self.tokens = 0
        self.sentences, self.tokens = self.sentences + 1, self.tokens + tokens
        return result

    @property
    def is_full(self) -> bool:
        """Whether the context has the number of sentences that contexts have."""
        return 0 < self.sentences == self.context.sentences


def _begins(block: "Block", begins: bool) -> list[bool]:
    """Whether a document begins before each sentence of a block, and after its last one.

    `begins` says whether one has begun between the last sentence before the block and the block.
    """
    from sstag.corpus.text.document_comments import BEGINS

    flags = [False] * len(block.offsets)
    if any(mark in block.text for mark in BEGINS):
        for place, lines in enumerate(block.between):
            flags[place] = any(mark in lines for mark in BEGINS) and any(
                line.startswith(BEGINS) for line in lines.split(b"\n")
            )
    flags[0] |= begins
    return flags
