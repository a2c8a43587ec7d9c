"""The text of a pool, of one file or of several, and where each of its sentences is from."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.corpus import Corpus, sizes_of_files
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_files
from sstag.corpus.text.sentence_names import SentenceNames
from sstag.foundation.ranges import offsets_of, sentence_of
from sstag.selection.sheet import Origin


def read_pool(
    paths: Sequence[str], layout_of: Callable[[str], Layout], label: str
) -> tuple[Corpus, Callable[[int], Origin]]:
    """The sentences of some files, and where each of them is from; in some of the files the label may be missing."""
    names: list[SentenceNames] = []

    def noted(blocks: Iterator[Block]) -> Iterator[Block]:
        names.append(SentenceNames())
        return names[-1].noted(blocks)

    corpus = read_files(paths, layout_of, label, noted)
    files = sizes_of_files(corpus)
    starts = offsets_of(np.array([sentences for _, sentences, _ in files], np.int64))

    def origin(sentence: int) -> Origin:
        number = sentence_of(starts, sentence)
        place = sentence - int(starts[number])
        return Origin(place + 1, names[number].comments(place), files[number][0] if len(files) > 1 else None)

    return corpus, origin
