"""Losses: whatever one format says and another one has no place for is counted, and said in one line at the end."""

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from sstag.corpus.blocks import Block
from sstag.corpus.text.document_comments import BEGINS, COMMENTS, may_have_comments
from sstag.corpus.text.documents import ANNOTATORS, PROBABILITIES, RELATIONS, Document, Spans
from sstag.corpus.text.sentence_heads import SENTENCE_NAME
from sstag.corpus.text.tokenizer import is_unseen

PLURAL = re.compile(r"(ies|s)\b")
CARRIED = (*BEGINS, *COMMENTS, b"# global.", b"# text = ")  # comments that other formats say otherwise, or need not say

log = logging.getLogger(__name__)


def counted_losses(documents: Iterable[Document], holds: Collection[str], lost: Counter[str]) -> Iterator[Document]:
    """Documents, of which is counted what a format has no place for that holds these things besides spans."""
    for document in documents:
        lost.update(document.unread)
        for said in document.said:
            if said.by and ANNOTATORS not in holds:
                lost[ANNOTATORS] += 1
            if said.relations and RELATIONS not in holds:
                lost[RELATIONS] += len(said.relations)
            for remark in said.remarks:
                lost[remark.kind] += remark.kind not in holds
        yield document


def without_blank_spans(documents: Iterable[Document], lost: Counter[str]) -> Iterator[Document]:
    """Documents without their spans of nothing but blanks, which are counted: a reader would find no token in them."""
    for document in documents:
        text, kept, dropped = document.text, list[Spans](), 0
        for said in document.said:
            seen = tuple(one for one in said.spans if not all(map(is_unseen, text[one.start : one.stop])))
            kept.append(replace(said, spans=seen))
            dropped += len(said.spans) - len(seen)
        lost["spans of nothing but blanks"] += dropped
        yield replace(document, said=tuple(kept)) if dropped else document


def counted_probabilities(documents: Iterable[Document], lost: Counter[str]) -> Iterator[Document]:
    """Documents whose spans have probabilities that are counted: for a format that has no place for these."""
    for document in documents:
        for said in document.said:
            lost[PROBABILITIES] += sum(span.probability is not None for span in said.spans)
        yield document


def counted_comments(blocks: Iterable[Block], lost: Counter[str]) -> Iterator[Block]:
    """Blocks that are written in another format, of which is counted what stands in lines without a token."""
    for block in blocks:
        if may_have_comments(block):
            for lines in block.between:
                lost["comments"] += sum(is_lost_comment(line) for line in lines.split(b"\n"))
        if no_token := block.format.no_token:
            lines_of_sentences = block.body.split(b"\n")
            lost["lines of ranges and empty nodes"] += sum(bool(no_token.match(line)) for line in lines_of_sentences)
        yield block


def is_lost_comment(line: bytes) -> bool:
    """Whether a line is a comment that no other format has."""
    return line.startswith(b"#") and not (line.startswith(CARRIED) or SENTENCE_NAME.match(line))


def say_lost(lost: Counter[str]) -> None:
    """Says in one line what a format could not say, and how often."""
    parts = [f"{number:,} {what if number > 1 else one_of(what)}" for what, number in lost.items() if number]
    if parts:
        log.warning("not written: %s", ", ".join(parts))


def one_of(what: str) -> str:
    """The name of several things as that of one: `relation`, `span with several labels`."""
    return PLURAL.sub(lambda found: "y" if found[0] == "ies" else "", what, count=1)
