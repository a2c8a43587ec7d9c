"""Documents as a file, or as a folder for formats that have a file for each document."""

import logging
from collections import Counter
from collections.abc import Iterable

from sstag.corpus.formats.contract import DocumentFormat
from sstag.corpus.text.documents import Document
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD, output

log = logging.getLogger(__name__)


def save_documents(documents: Iterable[Document], made: DocumentFormat, target: str) -> None:
    """Writes documents, and says what the format could not say of them."""
    lost: Counter[str] = Counter()
    if made.folder:
        if target == STANDARD:
            raise ConfigError("this format is a folder with files for each document: --output names it")
        made.folder(documents, target, lost)
    else:
        with output(target) as out:
            for piece in made.written(documents, lost):
                out.write(piece)
    for what, number in lost.items():
        if number:
            log.warning("not written: %s %s", f"{number:,}", what)
