"""The words and kinds of tokens of the first set, as they are listed.

Words of a corpus that may not be passed on are for the terminal, and a file of their own.
"""

from collections.abc import Iterator

from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.mann2008.grid import Sizes
from sstag.experiments.mann2008.labelled_words import KIND, words
from sstag.experiments.mann2008.texts import ADS, texts
from sstag.experiments.page import Block, Cell, Excerpt, Table


def listed(sizes: Sizes, corpora: Corpora) -> Iterator[Block]:
    """The list with kinds of tokens, of each label."""
    of = words(shipped_template("mann2008/fields"), texts(corpora, sizes.corpus, sizes.made), 1, True, kinds=True)
    every = of.counts(None, 0).sum(axis=1).tolist()
    found = [(text, " ".join(of.majority(place)), every[place]) for place, text in enumerate(of.texts)]
    shown = found if sizes.corpus == ADS else [one for one in found if one[0].startswith(KIND)]
    table: list[list[Cell]] = [[*one] for one in sorted(shown, key=lambda one: one[1])]
    more = "" if len(shown) == len(found) else f", beside {len(found) - len(shown)} words"
    title = f"{sizes.corpus}: what is listed of {len(of.labels)} labels, with kinds of tokens{more}"
    yield Table(title, ("feature", "usual label", "occurrences"), table)
    if more:
        name = f"listed-{sizes.corpus.replace(' ', '-')}"
        lines = [f"{text}\t{label}\t{count}" for text, label, count in found]
        yield Excerpt(name, f"{sizes.corpus}: all that is listed", lines)
