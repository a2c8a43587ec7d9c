"""Whether a file is Parquet, as its first and last bytes tell. `parquet_rows`, which needs arrays, reads the rows."""

import os

from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, display_name, translated_errors
from sstag.foundation.sources import is_file, opened

MAGIC, BEGIN = b"PAR1", b"PAR1\x15"  # at both ends of a file; a column file may begin with a word PAR1


def is_parquet(path: str) -> bool:
    """Whether a file is Parquet."""
    if path == STANDARD or not is_file(path):
        return False
    with translated_errors(display_name(path)), opened(path) as file:
        if file.read(len(BEGIN)) != BEGIN:
            return False
        if not file.seekable():
            raise DataError("Parquet is read from its end, and this server sends no parts of files", display_name(path))
        file.seek(-len(MAGIC), os.SEEK_END)
        return file.read(len(MAGIC)) == MAGIC
