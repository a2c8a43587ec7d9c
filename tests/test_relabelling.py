"""Labels in another scheme: how much work a file may make."""

from itertools import combinations, islice

import pytest

from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.foundation.errors import DataError
from sstag.labels.marks import Marks
from sstag.labels.relabelling import relabelling

LAYOUT = Layout(("word", "label"))


def test_the_work_of_sets_with_different_neighbours_is_bounded(saved):
    """Each set of labels between others is looked at once, and every look goes through all labels of the file.

    With 500 labels, a thousand different sets are half a million looks, which take a second; ten times as many take
    ten, and there is no end to it. So the next set is refused.
    """
    labels = [f"{mark}-T{kind}" for kind in range(250) for mark in "BI"]
    pairs = list(islice(combinations(labels[::2], 2), 1001))
    decided = "".join(f"a {label}\n" for label in labels) + "\n"
    for count in (1000, 1001):
        path = saved((decided + "".join(f"a {one}|{other}\n\n" for one, other in pairs[:count])).encode())
        made = relabelling(path, LAYOUT, Marks(), "iob2", "bioes", repair=False)
        (block,) = read_blocks(path, LAYOUT)
        if count == 1000:
            assert made.labels(block)[len(labels)] == b"S-T0|S-T1"
        else:
            with pytest.raises(DataError, match="too many labels in too many different sets to convert"):
                made.labels(block)
