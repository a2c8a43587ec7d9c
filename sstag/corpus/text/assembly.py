"""Documents from blocks: the way back from tokens with labels to texts with spans of characters.

A document begins where a comment names it (`# document = …`, CoNLL-U's `# newdoc`) or at `-DOCSTART-`; in a file
without any of these each sentence is one, called by its `sent_id` or `id`, or in a sheet by its number in the pool. Its
text is that of `# text = "…"`, in which the columns `start` and `end` are places; without them it is made of the words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sstag.corpus.blocks import Block
from sstag.corpus.text.block_parts import BlockParts, Labelling
from sstag.corpus.text.document_comments import BEGINS, COMMENTS, NO_HEAD, Head, value_said
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Span, Spans
from sstag.corpus.text.sentence_heads import SENTENCE_NAME
from sstag.corpus.text.span_labels import BLANK
from sstag.corpus.text.word_places import Pairs, Part, text_of_spaces, text_of_words
from sstag.foundation.errors import DataError


@dataclass
class _Open:
    """A document that may go on."""

    head: Head
    line: int
    spans: list[list[Span]]  # of each annotator
    unsure: list[bool]
    beside: list[int]  # tokens in no span whose label is said
    names: int = 0  # of its sentences
    parts: list[Part] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)


class Assembly:
    """The documents of a file, block after block, with those of its columns that are to be kept."""

    def __init__(self, path: str, annotators: Sequence[str] = ("",), kept: Sequence[str] = ()) -> None:
        self.path, self.annotators, self._kept = path, annotators, kept
        self._open: _Open | None = None
        self._named = False  # whether the file says where documents begin
        self._count = 0
        self._name: str | None = None  # of the next sentence

    def documents(self, block: Block, said: Sequence[Labelling]) -> Iterator[Document]:
        """The documents that end in a block."""
        made = BlockParts(block, said, self._kept)
        between = block.between
        sentences = len(between) - 1
        told = [sentence for sentence in range(sentences) if between[sentence].strip()]
        lines = [0, *(block.spans[1] if sentences else [])]
        for sentence, next_told in pairwise(sorted({0, *told, sentences})):
            yield from self._comments(between[sentence], block.first_line + lines[sentence])
            size = next_told - sentence if self._named else 1  # sentences of one document are taken in at once
            for one in range(sentence, next_told, size):
                if not self._named:
                    yield from self._ended()
                self._count += size
                if self._open is None:
                    self._begin(self._name or str(self._count), int(block.lines[block.offsets[one]]))
                    self._name = None
                assert self._open
                self._open.names += bool(self._name)
                self._name = None
                self._take(self._open, made, one, one + size)
        yield from self._comments(between[-1], block.first_line + lines[-1])

    def last(self) -> Iterator[Document]:
        """The document that the file ends in."""
        yield from self._ended()

    def _comments(self, lines: bytes, number: int) -> Iterator[Document]:
        """The documents that end before some lines without tokens."""
        for at, line in enumerate(lines.split(b"\n"), number):
            if line.startswith(BEGINS):
                yield from self._ended()
                self._named = True
                self._begin(NO_HEAD.after(line).name or str(self._count + 1), at)
            elif line.startswith(COMMENTS) and self._open and not self._open.parts:
                self._open.head = self._open.head.after(line)
            elif SENTENCE_NAME.match(line):
                self._name = value_said(line)

    def _begin(self, name: str, line: int) -> None:
        number = len(self.annotators)
        self._open = _Open(Head(name=name), line, [[] for _ in range(number)], [False] * number, [0] * number)

    def _take(self, now: _Open, made: BlockParts, first: int, stop: int) -> None:
        """Takes in some sentences of a block."""
        if made.places.given:
            base = now.head.begin if now.head.text is not None else 0 if self._named else made.start(first)
        else:
            lead = made.part(first, stop, 0).lead
            base = made.start(first) - (now.parts[-1].size + now.parts[-1].tail if now.parts else lead)
        now.parts.append(made.part(first, stop, base))
        for number in range(len(self.annotators)):
            now.spans[number] += made.spans(number, first, stop, base)
            now.unsure[number] |= made.is_open(number, first, stop)
            now.beside[number] += made.beside(number, first, stop)
        for name, column in made.columns.items():
            now.columns.setdefault(name, []).extend(made.of_sentences(column, first, stop))

    def _ended(self) -> Iterator[Document]:
        now, self._open = self._open, None
        if now is None or (not now.parts and now.head.text is None):
            return
        pairs = Pairs(now.parts)
        firsts = pairs.firsts()
        words = [word for part in now.parts for word in part.words] if len(now.parts) != 1 else now.parts[0].words
        if now.head.text is not None and all(part.places.given for part in now.parts):
            text = now.head.text
            self._check(now, text, words, pairs)
        elif any(part.places.spaces for part in now.parts):
            text = text_of_spaces(now.parts)
        else:
            even = all(part.places.even for part in now.parts)
            found = text_of_words(words, firsts, None if even else pairs.arrays)
            if found is None:
                raise DataError("the places of words overlap (columns start and end)", self.path, pairs.line(0))
            text = found
        said = tuple(
            Spans(tuple(spans), by, OPEN, beside=beside) if unsure else Spans(tuple(spans), by, MANUAL)
            for by, spans, unsure, beside in zip(self.annotators, now.spans, now.unsure, now.beside, strict=True)
        )
        starts = [0, *(pairs[first][0] for first in firsts[1:])]
        yield Document(
            now.head.name, text, said, now.line, pairs, starts, now.columns, more=now.head.more, names=now.names
        )

    def _check(self, now: _Open, text: str, words: Sequence[str], pairs: Pairs) -> None:
        """Words that are not what the text has in their places are an error."""
        found = [text[start:stop] for start, stop in pairs]
        if found == words:
            return
        for token, (mine, theirs) in enumerate(zip(words, found, strict=True)):
            if mine != theirs.replace(" ", BLANK):
                start, stop = pairs[token]
                message = (
                    f"the word is '{mine}', but the text of document '{now.head.name}' has '{theirs}' at {start}–{stop}"
                )
                raise DataError(message, self.path, pairs.line(token))
