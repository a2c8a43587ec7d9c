"""One sentence of a file, by its number: what several commands look into."""

from collections.abc import Sequence
from dataclasses import replace

from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import joined, read_blocks
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name


def sentence_of_file(path: str, layout: Layout, number: int, enough: Sequence[str] = ()) -> Corpus:
    """A sentence of a file as a corpus; nothing after it is read. A file with the columns `enough` will do."""
    seen = 0
    for block in read_blocks(path, replace(layout, enough=tuple(enough))):
        count = len(block.offsets) - 1
        if seen + count < number:
            seen += count
            continue
        index = number - seen - 1
        first, stop = (lines[index] for lines in block.spans)
        return joined([block.part(slice(index, index + 1), slice(first, stop))], path)
    raise DataError(f"there is no sentence {number}: the file has {seen}", display_name(path))
