"""Documents as a file, or as a folder for formats that have a file for each document."""

import logging
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from sstag.corpus.formats.contract import DocumentFormat
from sstag.corpus.text.documents import ANNOTATORS, PROBABILITIES, RELATIONS, Document
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD, output

PLURAL = re.compile(r"(ies|s)\b")

log = logging.getLogger(__name__)


def is_folder(made: DocumentFormat, target: str) -> bool:
    """Whether documents are written to a folder of this name, with files for each of them."""
    if made.folder is None or target == STANDARD:
        return False
    return made.only_folders or target.endswith("/") or os.path.isdir(target)


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


def _told_of(documents: Iterable[Document], made: DocumentFormat, lost: Counter[str]) -> Iterator[Document]:
    for document in documents:
        lost["names of sentences"] += document.names
        if not made.keeps_more:
            lost["other keys of records"] += len(document.more)
        yield document


def counted_probabilities(documents: Iterable[Document], lost: Counter[str]) -> Iterator[Document]:
    """Documents whose spans have probabilities that are counted: for a format that has no place for these."""
    for document in documents:
        for said in document.said:
            lost[PROBABILITIES] += sum(span.probability is not None for span in said.spans)
        yield document


def save_documents(
    documents: Iterable[Document], made: DocumentFormat, target: str, lost: Counter[str] | None = None
) -> None:
    """Writes documents, and says what the format could not say of them, beside what is `lost` already."""
    lost = Counter() if lost is None else lost
    documents = counted_losses(_told_of(documents, made, lost), made.holds, lost)
    if made.folder and is_folder(made, target):
        made.folder(documents, target.rstrip("/"), lost)
    elif made.only_folders:
        raise ConfigError("this format is a folder with files for each document: --output names it")
    else:
        with output(target) as out:
            for piece in made.written(documents, lost):
                out.write(piece)
    say_lost(lost)


def say_lost(lost: Counter[str]) -> None:
    """Says in one line what a format could not say, and how often."""
    parts = [f"{number:,} {what if number > 1 else _one_of(what)}" for what, number in lost.items() if number]
    if parts:
        log.warning("not written: %s", ", ".join(parts))


def _one_of(what: str) -> str:
    """The name of several things as that of one: `relation`, `span with several labels`."""
    return PLURAL.sub(lambda found: "y" if found[0] == "ies" else "", what, count=1)
