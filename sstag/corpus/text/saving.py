"""Documents as a file, or as a folder for formats that have a file for each document."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator

from sstag.corpus.formats.contract import DocumentFormat
from sstag.corpus.text.documents import Document
from sstag.corpus.text.losses import counted_losses, say_lost, without_blank_spans
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD, output


def is_folder(made: DocumentFormat, target: str) -> bool:
    """Whether documents are written to a folder of this name, with files for each of them."""
    if made.folder is None or target == STANDARD:
        return False
    return made.only_folders or target.endswith("/") or os.path.isdir(target)


def _told_of(documents: Iterable[Document], made: DocumentFormat, lost: Counter[str]) -> Iterator[Document]:
    for document in documents:
        lost["names of sentences"] += document.names
        if not made.keeps_more:
            lost["other keys of records"] += len(document.more)
        yield document


def save_documents(
    documents: Iterable[Document], made: DocumentFormat, target: str, lost: Counter[str] | None = None
) -> None:
    """Writes documents, and says what the format could not say of them, beside what is `lost` already."""
    lost = Counter() if lost is None else lost
    documents = counted_losses(without_blank_spans(_told_of(documents, made, lost), lost), made.holds, lost)
    if made.folder and is_folder(made, target):
        made.folder(documents, target.rstrip("/"), lost)
    elif made.only_folders:
        raise ConfigError("this format is a folder with files for each document: --output names it")
    else:
        with output(target) as out:
            for piece in made.written(documents, lost):
                out.write(piece)
    say_lost(lost)
