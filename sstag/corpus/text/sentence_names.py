"""Names of the sentences of a file: what comments say of each, which a sheet takes out of its document."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sstag.corpus.blocks import Block
from sstag.corpus.parts import NONE
from sstag.corpus.text.document_parts import Stand, with_stands

OWN_NAME = re.compile(rb"# (?:sent_id|id) = .")


class SentenceNames:
    """The names and comments of sentences, by their number from 0; most files have none."""

    def __init__(self) -> None:
        self._stands: dict[int, Stand] = {}
        self._own: dict[int, str] = {}  # comments that name a sentence
        self._sizes: Counter[int] = Counter()  # the sentences of each document

    def noted(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks of the file, whose comments are noted."""
        count = 0
        for block, stands in with_stands(blocks):
            for sentence, (stand, lines) in enumerate(zip(stands, block.between, strict=False), count):
                if stand.head.number != NONE:
                    self._stands[sentence] = stand
                    self._sizes[stand.head.number] += 1
                if b"#" in lines and (own := [line for line in lines.split(b"\n") if OWN_NAME.match(line)]):
                    self._own[sentence] = own[-1].decode().strip()
            count += len(stands)
            yield block

    def comments(self, sentence: int) -> list[str]:
        """The comments of a sentence that stands alone."""
        if sentence in self._own:
            return [self._own[sentence]]
        if (stand := self._stands.get(sentence)) is None or not stand.head.name:
            return []
        return (stand.head if self._sizes[stand.head.number] == 1 else stand.own_head).comments
