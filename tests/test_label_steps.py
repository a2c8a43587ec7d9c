"""Steps of a label column: counted block by block they are those of the whole, and they tell what is ill-formed."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.ranges import offsets_of
from sstag.labels.column import annotation, impossible, impossible_steps
from sstag.labels.marks import Marks
from sstag.labels.schemes import steps as module
from sstag.labels.schemes.steps import EDGE, StepCounter, steps_of

VALUES = ["O", "B-X", "I-X", "B-Y|I-X", "?", "I-Y", "!I-X"]
texts = st.lists(st.lists(st.integers(0, len(VALUES) - 1), min_size=1, max_size=5), min_size=1, max_size=8)


@pytest.mark.parametrize("most", [module.MOST, 0])
@given(some=texts)
def test_steps_are_pairs_of_neighbours(most: int, some: list[list[int]]) -> None:
    wanted: Counter[tuple[int, int, bool]] = Counter()
    first: dict[tuple[int, int, bool], int] = {}
    token = 0
    for sentence in some:
        for place, code in enumerate(sentence):
            step = (sentence[place - 1] if place else EDGE, code, place + 1 == len(sentence))
            wanted[step] += 1
            first.setdefault(step, token)
            token += 1
    codes = np.array([code for sentence in some for code in sentence], np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST", most)
        found = steps_of(codes, offsets_of(np.array([*map(len, some)])))
    keys = list(zip(found.before.tolist(), found.here.tolist(), found.last.tolist(), strict=True))
    assert dict(zip(keys, found.count.tolist(), strict=True)) == wanted
    assert dict(zip(keys, found.first.tolist(), strict=True)) == first
    assert found.of is not None
    assert [keys[step][1] for step in found.of.tolist()] == codes.tolist()


@given(some=texts, cut=st.integers(0, 8))
def test_blocks_tell_what_the_whole_tells(some: list[list[int]], cut: int) -> None:
    counter, line = StepCounter(), 0
    for part in (some[:cut], some[cut:]):
        codes = np.array([code for sentence in part for code in sentence], np.int32)
        counter.add(codes, offsets_of(np.array([*map(len, part)], np.int64)), line + np.arange(len(codes)))
        line += len(codes)
    codes = np.array([code for sentence in some for code in sentence], np.int32)
    offsets = offsets_of(np.array([*map(len, some)]))
    read = annotation(VALUES, codes, offsets, Marks(), "iob2")
    wrong = impossible(read, codes, offsets)
    steps = counter.steps()
    faults = impossible_steps(read, steps)
    assert int(steps.count[faults].sum()) == len(wrong)
    assert not len(wrong) or int(steps.first[faults].min()) == wrong[0]
    # a decided label that may not stand beside a decided neighbour is among them
    legal, single = read.tags.legal, [*read.single.tolist()]
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        for token in range(begin + 1, end):
            before, here = single[codes[token - 1]], single[codes[token]]
            assert token in wrong or before < 0 or here < 0 or legal[before, here]
