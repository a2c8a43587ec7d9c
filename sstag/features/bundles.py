"""Bundles of attributes that come together, so that a token looks up one bundle and not each attribute.

All attributes of `word[0]`, its affixes and shapes, follow from that word; all attributes of three neighbouring tags
from these three. For such a group of features the distinct values are few beside the tokens, and each stands for a
*bundle* of attributes. A pass sums the weights of every bundle once and then adds a row per token where it would have
added one per feature; the gradient comes back the same way. Attributes that come together
at one token only are in no bundle, because it would save nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.features.template import END, Clustered, Dense, Feature, Joined, Similar, Source, Term, Text
from sstag.features.term_values import View
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.grouping import ABSENT, distinct

Atom = tuple[int, int]  # a column and an offset
SAMPLE = 2**13  # tokens by which groups are chosen
WIDEST = 2**62


@dataclass(frozen=True)
class Bundles:
    """The entries of tokens (attribute a as a, bundle b as A + b, or ABSENT), and the attributes of each bundle."""

    entries: Ints  # (G + F, T) of each group, and of each feature where it is in no bundle
    members: Ints  # (B, F) the attributes of each bundle, ABSENT where there is none


def bundled(features: Sequence[Feature | Dense], view: View, ids: Ints, attributes: int) -> Bundles | None:
    """Groups of features where that saves more look-ups than it costs; None if there are none.

    A dense feature of words is one like the others: its rows are numbered as if they were attributes.
    """
    chosen = _chosen([_atoms(feature) for feature in features], view)
    if not chosen:
        return None
    entries, members, single = [], [], ids.copy()
    first_bundle = attributes
    for rows, atoms in chosen:
        first, counts, numbers = distinct(_keys(view, atoms, view.corpus.tokens))
        order = np.argsort(-counts, kind="stable")  # frequent bundles lie together in memory
        order = order[counts[order] > 1]
        place = np.full(len(first), ABSENT, np.int32)
        place[order] = np.arange(first_bundle, first_bundle + len(order), dtype=np.int32)
        entries.append(place[numbers])
        for row in rows.tolist():
            single[row, entries[-1] != ABSENT] = ABSENT
        own = np.full((len(order), len(features)), ABSENT, np.int32)
        own[:, : len(rows)] = ids[rows][:, first[order]].T
        members.append(own)
        first_bundle += len(order)
    return Bundles(np.concatenate([np.array(entries, np.int32), single]), np.concatenate(members))


def _atoms(feature: Feature | Dense) -> frozenset[Atom] | None:
    """The columns and offsets that decide a feature's attribute; None if other things decide it, too."""
    atoms = set()
    match feature:
        case Dense(source=Joined(texts)):
            terms: Sequence[Term] = texts
        case Dense(source=Source(column)):
            return frozenset({(column, feature.offset)})
        case Dense():
            return None
        case Feature():
            terms = feature.terms
    for term in terms:
        if not isinstance(term, Text | Similar | Clustered) or term.offset is END:
            return None
        atoms.add((term.source.column, term.offset))
    return frozenset(atoms)


def _chosen(atoms: Sequence[frozenset[Atom] | None], view: View) -> list[tuple[Longs, tuple[Atom, ...]]]:
    """Groups of features, and the columns and offsets that decide them, chosen greedily by the look-ups they save.

    A group saves the look-ups of its features at every token. It costs one at every token, and those of its features
    for every bundle.
    """
    sample = min(view.corpus.tokens, SAMPLE)
    distinct = dict.fromkeys(one for one in atoms if one)
    share = {one: len(np.unique(_keys(view, sorted(one), sample))) / max(sample, 1) for one in distinct}
    free = {number: one for number, one in enumerate(atoms) if one}
    groups: list[tuple[Longs, tuple[Atom, ...]]] = []
    while True:
        best, gain = None, 0.0
        for one in distinct:
            count = sum(other <= one for other in free.values())
            if (saved := count * (1 - share[one]) - 1) > gain:
                best, gain = one, saved
        if best is None:
            return groups
        rows = [number for number, one in free.items() if one <= best]
        for number in rows:
            del free[number]
        groups.append((np.array(rows), tuple(sorted(best))))


def _keys(view: View, atoms: Sequence[Atom], count: int) -> Longs:
    """A number for the values that each of the first tokens has at these columns and offsets."""
    keys = np.zeros(count, np.int64)
    space = 1
    for column, offset in atoms:
        codes, radix = view.nearby(column, offset)
        if space * radix >= WIDEST:
            _, keys = np.unique(keys, return_inverse=True)
            space = len(keys)
        keys = keys * radix + codes[:count]
        space *= radix
    return keys
