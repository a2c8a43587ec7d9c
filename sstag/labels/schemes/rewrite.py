"""Chunks written in another scheme, for decided labels and for sets of labels."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.labels.schemes.rules import ROLES, UNDECIDED, is_divided, is_legal, written_role
from sstag.labels.schemes.tagset import Tagset, chunk_bounds, label_text, neighbours


def rewritten(tags: Tagset, scheme: str, codes: Ints, offsets: Longs) -> tuple[list[str], Ints, int]:
    """The labels of a scheme for the chunks of some tags, the label of each token, and how many chunks ran together.

    UNDECIDED tokens stay undecided. Written in their own scheme, ill-formed sequences are repaired.
    """
    before, after = neighbours(tags, codes, offsets)
    starts, ends = chunk_bounds(tags, codes, offsets)
    same = tags.same_type & tags.inside[:, None] & tags.inside[None, :]
    after_same, before_same = starts & same[before, codes], ends & same[codes, after]
    lost = int(after_same.sum()) if scheme in ("io", "plain") else 0

    context = starts + 2 * ends + 4 * after_same + 8 * before_same
    table = [written_role(scheme, bool(c & 1), bool(c & 2), bool(c & 4), bool(c & 8)) for c in range(16)]
    role = np.where(tags.inside[codes], np.array([ROLES.index(role) for role in table])[context], 0)
    both = np.where(codes == UNDECIDED, UNDECIDED, role * (len(tags.types) + 1) + tags.type[codes] + 1)
    distinct = np.unique(both[both != UNDECIDED])
    new = np.where(both == UNDECIDED, UNDECIDED, np.searchsorted(distinct, both))
    labels = [
        label_text(scheme, ROLES[key // (len(tags.types) + 1)], tags, key % (len(tags.types) + 1) - 1)
        for key in distinct
    ]
    return labels, new.astype(np.int32), lost


def rewritten_sets(
    tags: Tagset, scheme: str, before: Sequence[int], here: Sequence[int], after: Sequence[int]
) -> list[str]:
    """The labels that a token can get in a scheme if it and its neighbours have any of these, or L, the edge."""
    labels = np.array(here, np.int64)
    result: list[tuple[int, str]] = []
    for legal in (is_legal, _anything):  # if no choice is well-formed, all count
        lefts = _joints(tags, before, labels, legal, backward=False)
        rights = _joints(tags, after, labels, legal, backward=True)
        for (starts, like), (ends, alike) in product(lefts, rights):
            role = written_role(scheme, starts, ends, starts and like, ends and alike)
            for index in np.flatnonzero(lefts[starts, like] & rights[ends, alike]).tolist():
                label = int(labels[index])
                text = label_text(scheme, role if tags.inside[label] else "O", tags, int(tags.type[label]))
                result.append((index, text))
        if result:
            break
    return list(dict.fromkeys(text for _, text in sorted(result)))


def _anything(left: str, right: str, same_type: bool, scheme: str) -> bool:
    return True


def _joints(
    tags: Tagset, beside: Sequence[int], labels: Longs, legal: Callable[[str, str, bool, str], bool], backward: bool
) -> dict[tuple[bool, bool], Bools]:
    """For each label, whether some label in `beside` may be its neighbour, by (chunk border, same type).

    A neighbour of another type matters by its role only, so that many labels cost no more than few.
    """
    present = np.zeros((len(ROLES), len(tags.types) + 1), bool)  # the last column is for what has no type
    present[tags.role[list(beside)], tags.type[list(beside)]] = True
    in_types = present.sum(axis=1)
    divided, allowed = tags.by_role(is_divided), tags.by_role(legal)
    result = {(cut, same): np.zeros(len(labels), bool) for cut in (False, True) for same in (False, True)}
    for role in range(len(ROLES)):
        with_same = present[role, tags.type[labels]]
        for same, there in ((True, with_same), (False, in_types[role] > with_same)):
            pair = (tags.role[labels], role) if backward else (role, tags.role[labels])
            cut, may = divided[(*pair, int(same))], allowed[(*pair, int(same))] & there
            result[True, same] |= may & cut
            result[False, same] |= may & ~cut
    return result
