"""Spacing of tokens in CoNLL-U: what stands between them in their text, as items of misc, and back.

    SpaceAfter=No               nothing before the next token of the sentence
    SpacesAfter=\\s\\s\\n         other characters than one blank; at the end of a sentence, than a line end
    SpacesBefore=\\s            what the text begins with
    SpacesInToken=10\u00a0000    the token as the text has it, if it has a no-break space

As UDPipe has it, `\\s`, `\\t`, `\\r`, `\\n`, `\\p` and `\\\\` are a blank, a tab, line ends, `|` and a backslash;
`\\xHH` is another control character. A text that ends with its last token says nothing there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import word_place
from sstag.corpus.text.document_comments import Head
from sstag.corpus.text.span_labels import BLANK
from sstag.corpus.text.tokenizer import is_unseen
from sstag.foundation.whole_numbers import whole_number

NO_SPACE = "SpaceAfter=No"
AFTER, BEFORE, INSIDE = "SpacesAfter=", "SpacesBefore=", "SpacesInToken="
ITEMS = [item.partition("=")[0] for item in (NO_SPACE, AFTER, BEFORE, INSIDE)]
WITHIN, LINE_END = " ", "\n"  # what stands after a token of a sentence, and after its last one, unless it is said
PLACES = ("start", "end")  # columns with the places of tokens in their text
LETTERS = {" ": "s", "\t": "t", "\r": "r", "\n": "n", "|": "p", "\\": "\\"}
SPECIAL = re.compile(r"[ |\\\0-\x1f\x7f]")
ESCAPED = re.compile(r"\\(x[0-9a-f]{2}|.)", re.DOTALL)
MEANT = {letter: character for character, letter in LETTERS.items()}


@dataclass(frozen=True)
class Spacing:
    """For each token of a block what follows it in its text, and other items of misc about its characters."""

    after: list[str | None]  # None: what goes without saying
    others: dict[int, list[str]]  # items of tokens that have such
    touching: frozenset[int]  # tokens that nothing separates from the next one of their sentence

    def items(self, token: int) -> list[str]:
        """The items of misc of a token."""
        found = [NO_SPACE] if token in self.touching else []
        said = self.after[token]
        return [*found, *self.others.get(token, ()), *([] if said is None else [AFTER + escaped(said)])]

    def line(self, block: Block, begin: int, end: int) -> str:
        """The text of a sentence in one line, with a blank between two tokens that something separates."""
        words = block.fields[word_place(block.columns)][begin:end]
        gaps = ("" if token in self.touching else " " for token in range(begin, end))
        return "".join(word.decode() + gap for word, gap in zip(words, gaps, strict=True)).strip()


def spacing_of(block: Block) -> Spacing | None:
    """The spacing of the tokens of a block whose columns say where they stand; None if they do not."""
    if not {*PLACES} <= {*block.columns} or not len(block.rows):
        return None
    starts, stops = (list(map(whole_number, block.fields[block.column(name)])) for name in PLACES)
    words = [word.decode() for word in block.fields[word_place(block.columns)]]
    bounds = [*pairwise(block.offsets.tolist())]
    heads = block.heads.sentences if block.heads else ()
    touching = {
        token
        for begin, end in bounds
        for token in range(begin, end - 1)
        if stops[token] is not None and stops[token] == starts[token + 1]
    }
    made = Spacing([None] * len(words), {}, frozenset(touching))
    for sentence, (begin, end) in enumerate(bounds[: len(heads)]):
        head = heads[sentence].document
        follows = sentence + 1 < len(bounds) and not heads[sentence + 1].opens
        places = _places(head, words[begin:end], starts[begin : end + follows], stops[begin:end])
        if places is None or head.text is None:
            continue
        first, *nexts = [start for start, _ in places]
        if heads[sentence].opens and first:
            made.others.setdefault(begin, []).append(BEFORE + escaped(head.text[:first]))
        for token, (start, stop) in enumerate(places[: end - begin], begin):
            if (own := head.text[start:stop]) != words[token].replace(BLANK, " "):
                made.others.setdefault(token, []).append(INSIDE + escaped(own))
            last = token + 1 == end
            known = nexts[token - begin] if token - begin < len(nexts) else None
            until = known if known is not None else _end_of_gap(head.text, stop, sentence + 1 < len(bounds))
            gap = head.text[stop:until]
            usual = "" if until == len(head.text) and known is None else LINE_END if last else WITHIN
            if gap != usual and token not in touching:
                made.after[token] = gap
    return made


def _places(
    head: Head, words: Sequence[str], starts: Sequence[int | None], stops: Sequence[int | None]
) -> list[tuple[int, int]] | None:
    """The places of words in the text of their document, one after another; None if they do not stand there.

    There may be one more start, of the word that follows: its place has no end.
    """
    if head.text is None:
        return None
    found, at = list[tuple[int, int]](), 0
    for number, (start, stop) in enumerate(zip_longest(starts, stops)):
        if start is None or (stop is None and number < len(words)):
            return None
        first = start - head.begin
        last = first if stop is None else stop - head.begin
        is_there = number == len(words) or head.text[first:last].replace(" ", BLANK) == words[number]
        if not at <= first <= last <= len(head.text) or not is_there:
            return None
        found.append((first, last))
        at = last
    return found


def _end_of_gap(text: str, at: int, is_last: bool) -> int:
    """Where the characters end that stand after the last known word of a document, or of a block."""
    if is_last:
        return len(text)
    while at < len(text) and is_unseen(text[at]):
        at += 1
    return at


def spaces_in(misc: Sequence[str]) -> "Spaces | None":
    """The spacing that items of misc say of tokens; None if no token has such an item."""
    said = {token: value for token, value in enumerate(misc) if "Space" in value}
    if not said:
        return None
    after, before, inside, touching = dict[int, str](), dict[int, str](), dict[int, str](), set[int]()
    for token, value in said.items():
        for item in value.split("|"):
            key, _, text = item.partition("=")
            if item == NO_SPACE:
                touching.add(token)
            elif (kept := {AFTER: after, BEFORE: before, INSIDE: inside}.get(f"{key}=")) is not None:
                kept[token] = unescaped(text)
    return Spaces(after, before, inside, frozenset(touching)) if after or before or inside or touching else None


@dataclass(frozen=True)
class Spaces:
    """For tokens that say so: the characters after them, before them and in them; and those that touch the next one."""

    after: Mapping[int, str]
    before: Mapping[int, str]
    inside: Mapping[int, str]
    touching: frozenset[int]


def escaped(text: str) -> str:
    """Some characters as an item of misc holds them."""
    return SPECIAL.sub(lambda found: "\\" + LETTERS.get(found[0], f"x{ord(found[0]):02x}"), text)


def unescaped(text: str) -> str:
    """The characters that an item of misc holds."""
    return ESCAPED.sub(lambda found: MEANT.get(found[1]) or _control(found[1]), text)


def _control(code: str) -> str:
    return chr(int(code[1:], 16)) if len(code) > 1 else code
