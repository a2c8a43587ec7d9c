"""The sentences where annotators disagree, as a sheet to decide on: what all say stands, the rest is open.

The columns are those of the text, the label, and one of each source; a comment names them, so that training and
scoring read the decided sheet as it is.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.formats.columns import NO_BREAK_SPACE
from sstag.corpus.sheets import naming_comments
from sstag.corpus.text.sentence_names import SentenceNames
from sstag.foundation.arrays import Bools
from sstag.foundation.ranges import sentences_of
from sstag.knowledge.annotators.votes import Source, Votes


def sheet(
    sources: Sequence[Source], votes: Votes, disagreeing: Bools, mark: str, known: SentenceNames
) -> Iterator[str]:
    """The sheet, sentence by sentence; `mark` is for what is to be decided, `known` has the names in the first file."""
    first, label = sources[0].corpus, sources[0].column
    columns = [name for name in first.columns if name != label]
    names = _names(votes.names, [*columns, label])
    yield naming_comments((*columns, label, *names), label)
    texts = [_texts(source.corpus, source.column) for source in sources]
    rest = [_texts(first, name) for name in columns]
    for sentence in np.unique(sentences_of(votes.offsets, np.flatnonzero(disagreeing))).tolist():
        begin, end = votes.offsets[sentence : sentence + 2].tolist()
        lines = [f"# sentence = {sentence + 1}", *known.comments(sentence)]
        for token in range(begin, end):
            said = dict.fromkeys(text[token] for text, spoke in zip(texts, votes.said, strict=True) if spoke[token])
            decided = next(iter(said)) if len(said) == 1 else mark
            cells = [*(text[token] for text in rest), decided, *(text[token] for text in texts)]
            lines.append("\t".join(cell.replace(" ", NO_BREAK_SPACE) for cell in cells))
        yield "\n".join(lines) + "\n\n"


def _texts(corpus: Corpus, column: str) -> list[str]:
    """The text of each token in a column."""
    place = corpus.column(column)
    return [corpus.values[place][code] for code in corpus.codes[place].tolist()]


def _names(sources: Sequence[str], taken: Sequence[str]) -> list[str]:
    """A name for the column of each source: that of its file without folder and ending, with a number if need be."""
    found: list[str] = []
    for number, path in enumerate(sources, 1):
        name = "_".join(path.replace("\\", "/").rsplit("/", 1)[-1].split(".")[0].split()) or "source"
        found.append(name if name not in (*taken, *found) else f"{name}{number}")
    return found
