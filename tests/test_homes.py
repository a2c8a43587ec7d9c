"""Which worker of a cluster has which volumes."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sstag.interfaces.cluster.homes import FINE, Homes

SLOTS = st.dictionaries(st.sampled_from([f"w{number}" for number in range(9)]), st.integers(1, 4), min_size=1)


@given(st.integers(1, 300), SLOTS)
def test_every_volume_has_a_worker_and_parts_are_whole_subtrees_in_order(count, slots):
    homes = Homes(count)
    homes.settle(slots)
    parts = [*homes.parts(slots)]
    assert [number for _, part in parts for number in part] == list(range(count))
    assert all(len(part).bit_count() == 1 and part.start % len(part) == 0 for _, part in parts)
    assert [worker for worker, part in parts for _ in part] == [*homes]
    share, times = count / sum(slots.values()), Counter(homes)
    assert all(abs(times[worker] - share * threads) <= share / FINE + 2 for worker, threads in slots.items())


@given(st.integers(1, 300), SLOTS, SLOTS)
def test_those_who_stay_keep_what_they_have_unless_somebody_comes(count, before, after):
    homes = Homes(count)
    homes.settle(before)
    old = [*homes]
    homes.settle(after)
    new = [*homes]
    assert set(new) <= after.keys()
    if after.keys() & set(old) and after.keys() <= set(old):
        assert all(one == other for one, other in zip(old, new, strict=True) if one in after)


def test_who_comes_has_a_share_and_who_goes_leaves_neighbours_together():
    homes = Homes(64)
    homes.settle({"a": 1, "b": 1})
    homes.settle({"a": 1, "b": 1, "c": 1})
    assert Counter(homes) == {"a": 22, "b": 22, "c": 20}
    homes.settle({"a": 1, "c": 1})
    assert Counter(homes) == {"a": 32, "c": 32}
    assert sum(one != other for one, other in pairwise(homes)) <= 5
