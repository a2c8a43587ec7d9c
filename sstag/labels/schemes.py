"""Tag schemes: chunks written as one tag per token, in IOB1, IOB2, IOE1, IOE2, BIOES, BMES, IO, or plain labels.

Everything follows from two small rules. `_divided` says, as `conlleval` does, whether a chunk ends between two
neighbouring tags; `_written` says how a scheme writes a token from where its chunk starts and ends. A sequence is
well-formed if writing its chunks again gives it back. Both rules look at neighbours only, so legality is a property
of pairs, and a whole corpus is looked at through tables over pairs of labels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError, nearest

SCHEMES = {
    "iob1": "B only where a chunk follows another of its type, else I (CoNLL-2003)",
    "iob2": "B at the first token of every chunk (CoNLL-2000, most corpora)",
    "ioe1": "E only where a chunk of its type follows, else I",
    "ioe2": "E at the last token of every chunk",
    "bioes": "B first, I inside, E last, S single",
    "bmes": "B first, M inside, E last, S single (word segmentation)",
    "io": "I everywhere: neighbours of one type are one chunk",
    "plain": "labels without a scheme: a run of one label is one chunk, O is outside",
}
CONLLEVAL = "conlleval"  # no scheme to write: whatever mixture of B, I and E `conlleval` can cut
ROLES = "OBIMES"
_ROLES_OF = {
    "iob1": "BI",
    "iob2": "BI",
    "ioe1": "IE",
    "ioe2": "IE",
    "bioes": "BIES",
    "bmes": "BMES",
    "io": "I",
    "plain": "I",
    CONLLEVAL: "BIEM",  # M stands for every other prefix: the script divides such tags by their type alone
}
UNDECIDED = -1  # the code of a token whose tag is not known: outside every chunk, legal beside everything


def _divided(left: str, right: str, same_type: bool, scheme: str) -> bool:
    """Whether a chunk ends between two neighbours, given their roles and whether their types agree."""
    if left == "O" or right == "O" or not same_type:
        return True
    if scheme in ("bioes", "bmes"):
        return left in "ES" or right in "BS"
    return (left in "BI" and right == "B") or (left == "E" and right in "EI")


def _written(scheme: str, starts: bool, ends: bool, after_same: bool, before_same: bool) -> str:
    """The role of a token in a chunk: is it the first, the last, and does the chunk touch one of its type there?"""
    match scheme:
        case "iob1":
            return "B" if starts and after_same else "I"
        case "iob2":
            return "B" if starts else "I"
        case "ioe1":
            return "E" if ends and before_same else "I"
        case "ioe2":
            return "E" if ends else "I"
        case "bioes" | "bmes":
            return "S" if starts and ends else "B" if starts else "E" if ends else "I" if scheme == "bioes" else "M"
    return "I"


def _legal(left: str, right: str, same_type: bool, scheme: str) -> bool:
    """Whether some well-formed sequence has these neighbours; the edge of a sentence is an O."""
    cut = _divided(left, right, same_type, scheme)
    touch = cut and same_type and "O" not in (left, right)
    free = [(False, False), (True, False), (True, True)]  # a token's other side
    return (left == "O" or any(_written(scheme, s, cut, a, touch) == left for s, a in free)) and (
        right == "O" or any(_written(scheme, cut, e, touch, b) == right for e, b in free)
    )


@dataclass(frozen=True)
class Tagset:
    """Labels read under a scheme. Two more than the L labels have a code: the edge of a sentence, L, and UNDECIDED."""

    labels: tuple[str, ...]
    scheme: str
    types: tuple[str, ...]  # the distinct types of chunks
    role: Longs  # (L + 2,) index into ROLES
    type: Longs  # (L + 2,) index into types

    @cached_property
    def inside(self) -> Bools:  # (L + 2,)
        return self.role > 0

    @cached_property
    def same_type(self) -> Bools:  # (L + 2, L + 2)
        return np.equal.outer(self.type, self.type)

    @cached_property
    def divided(self) -> Bools:
        """Whether a chunk of the first ends before the second, or would."""  # (L + 2, L + 2)
        return self._over_roles(_divided)

    @cached_property
    def joined(self) -> Bools:
        """Whether a chunk goes on from the first to the second."""  # (L, L)
        inner = slice(0, len(self.labels))
        both = self.inside[inner, None] & self.inside[None, inner]
        joined: Bools = both & ~self.divided[inner, inner]
        return joined

    @cached_property
    def legal(self) -> Bools:
        """Whether two may be neighbours; row L: may begin a sentence, column L: may end one."""  # (L + 2, L + 2)
        pairs = self._over_roles(_legal)
        pairs[UNDECIDED] = pairs[:, UNDECIDED] = True
        return pairs

    def _over_roles(self, rule: Callable[[str, str, bool, str], bool]) -> Bools:
        result: Bools = self.by_role(rule)[self.role[:, None], self.role[None, :], self.same_type.astype(np.int8)]
        return result

    def by_role(self, rule: Callable[[str, str, bool, str], bool]) -> Bools:
        """What a rule says of two roles, of different types and of the same."""  # (roles, roles, 2)
        return np.array([[[rule(a, b, same, self.scheme) for same in (False, True)] for b in ROLES] for a in ROLES])


def tagset(labels: Sequence[str], scheme: str) -> Tagset:
    """Reads labels under a scheme; a label it cannot have is an error."""
    check_scheme(scheme)
    for label in labels:
        if not fits(label, scheme):
            raise DataError(f"'{label}' is no {scheme.upper()} tag (prefixes: {', '.join(_ROLES_OF[scheme])}; and O)")
    parts = [_split(label, scheme) for label in labels]
    types = sorted({kind for role, kind in parts if role != "O"})
    return Tagset(
        labels=tuple(labels),
        scheme=scheme,
        types=tuple(types),
        role=np.array([ROLES.index(role) for role, _ in parts] + [0, 0]),
        type=np.array([types.index(kind) if role != "O" else -1 for role, kind in parts] + [-1, -1]),
    )


def check_scheme(scheme: str) -> None:
    """An unknown scheme is an error."""
    if scheme not in _ROLES_OF:
        raise ConfigError(f"unknown scheme '{scheme}'{nearest(scheme, SCHEMES)}")


def tolerant_tagset(labels: Sequence[str], scheme: str) -> Tagset:
    """Reads labels under a scheme; a label it cannot have is outside every chunk."""
    return tagset([label if fits(label, scheme) else _stranger(label, scheme) for label in labels], scheme)


def _stranger(label: str, scheme: str) -> str:
    role, _, kind = label.partition("-")
    return f"M-{kind}" if scheme == CONLLEVAL and kind and role != "O" else "O"


def fits(label: str, scheme: str) -> bool:
    """Whether a scheme has such a label."""
    role, kind = _split(label, scheme)
    return label == "O" or (role in set(_ROLES_OF[scheme]) and (bool(kind) or role == label))


def _split(label: str, scheme: str) -> tuple[str, str]:
    """`B-NP` → (B, NP); `O` → (O, ``); untyped `B` → (B, ``); plain `title` → (I, title)."""
    if label == "O":
        return "O", ""
    if scheme == "plain":
        return "I", label
    role, _, kind = label.partition("-")
    return role, kind


def labels_of_types(types: Sequence[str], scheme: str) -> list[str]:
    """Every label that a scheme has for some types, of which an empty one is that of chunks without a type."""
    if scheme == "plain":
        return list(types)
    return [f"{role}-{kind}" if kind else role for kind in types for role in _ROLES_OF[scheme]]


def possible_labels(tags: Tagset) -> list[str]:
    """The labels, and every other one that their scheme has for their types."""
    every = [
        _label(tags.scheme, role, tags, kind) for kind in range(len(tags.types)) for role in _ROLES_OF[tags.scheme]
    ]
    return sorted({*tags.labels, *every})


GUESSED = ("iob2", "iob1", "ioe2", "ioe1", "bioes", "bmes")  # besides io; of equally good ones the first


def guessed_scheme(labels: Sequence[str], codes: Ints, offsets: Longs) -> str:
    """The scheme with the fewest tokens that are ill-formed or that it has no tag for; the stricter one on a tie.

    Labels that are no tags for the most part, by kind or by number, are plain.
    """
    tags = _tags_among(labels)
    decided = codes[codes >= 0]
    are_tags = np.isin(decided, [index for index, label in enumerate(labels) if label in tags])
    if set(tags) <= {"O"} or 2 * len(tags) <= len(labels) or 2 * are_tags.sum() <= len(decided):
        return "plain"
    if all(fits(label, "io") for label in tags):
        return "io"

    def wrong(scheme: str) -> int:
        fitting = np.array([*(fits(label, scheme) for label in labels), True])
        read = tolerant_tagset(labels, scheme)
        return int((~fitting[codes]).sum()) + len(ill_formed(read, np.where(fitting[codes], codes, UNDECIDED), offsets))

    return min(GUESSED, key=wrong)


def scheme_of_labels(labels: Sequence[str]) -> str:
    """The scheme that has a tag for most of some labels, the first of equals; where no text says how they follow."""
    tags = _tags_among(labels)
    if set(tags) <= {"O"} or 2 * len(tags) <= len(labels):
        return "plain"
    if all(fits(label, "io") for label in tags):
        return "io"
    return max(GUESSED, key=lambda scheme: sum(fits(label, scheme) for label in tags))


def _tags_among(labels: Sequence[str]) -> list[str]:
    return [label for label in labels if any(fits(label, scheme) for scheme in ("iob2", "bioes", "bmes"))]


def _neighbours(tags: Tagset, codes: Ints, offsets: Longs) -> tuple[Longs, Longs]:
    """The codes before and after each token, L at the edges of sentences."""
    before, after = np.full((2, len(codes)), len(tags.labels), np.int64)
    before[1:], after[:-1] = codes[:-1], codes[1:]
    before[offsets[:-1]] = len(tags.labels)
    after[offsets[1:] - 1] = len(tags.labels)
    return before, after


def ill_formed(tags: Tagset, codes: Ints, offsets: Longs) -> Longs:
    """The tokens that may not follow what stands before them, or may not end their sentence."""
    before, after = _neighbours(tags, codes, offsets)
    legal, edge = tags.legal, len(tags.labels)
    return np.flatnonzero(~legal[before, codes] | ((after == edge) & ~legal[codes, edge]))


def _bounds(tags: Tagset, codes: Ints, offsets: Longs) -> tuple[Bools, Bools]:
    """Which tokens are the first and which the last of a chunk."""
    before, after = _neighbours(tags, codes, offsets)
    inside, divided = tags.inside[codes], tags.divided
    return inside & divided[before, codes], inside & divided[codes, after]


@dataclass(frozen=True)
class Chunks:
    """The chunks of a corpus in order: chunk i is tokens first[i]:stop[i], of type types[type[i]]."""

    first: Longs
    stop: Longs
    type: Longs


def chunks(tags: Tagset, codes: Ints, offsets: Longs) -> Chunks:
    """The chunks that tags stand for, ill-formed ones cut as `conlleval` does."""
    starts, ends = _bounds(tags, codes, offsets)
    first = np.flatnonzero(starts)
    return Chunks(first, np.flatnonzero(ends) + 1, tags.type[codes[first]])


def rewritten(tags: Tagset, scheme: str, codes: Ints, offsets: Longs) -> tuple[list[str], Ints, int]:
    """The same chunks in a scheme: labels, a code per token (UNDECIDED stays), and how many chunks it ran together.

    Into its own scheme this is the repair of ill-formed sequences.
    """
    before, after = _neighbours(tags, codes, offsets)
    starts, ends = _bounds(tags, codes, offsets)
    same = tags.same_type & tags.inside[:, None] & tags.inside[None, :]
    after_same, before_same = starts & same[before, codes], ends & same[codes, after]
    lost = int(after_same.sum()) if scheme in ("io", "plain") else 0

    context = starts + 2 * ends + 4 * after_same + 8 * before_same
    table = [_written(scheme, bool(c & 1), bool(c & 2), bool(c & 4), bool(c & 8)) for c in range(16)]
    role = np.where(tags.inside[codes], np.array([ROLES.index(role) for role in table])[context], 0)
    both = np.where(codes == UNDECIDED, UNDECIDED, role * (len(tags.types) + 1) + tags.type[codes] + 1)
    distinct = np.unique(both[both != UNDECIDED])
    new = np.where(both == UNDECIDED, UNDECIDED, np.searchsorted(distinct, both))
    labels = [
        _label(scheme, ROLES[key // (len(tags.types) + 1)], tags, key % (len(tags.types) + 1) - 1) for key in distinct
    ]
    return labels, new.astype(np.int32), lost


def _label(scheme: str, role: str, tags: Tagset, type_index: int) -> str:
    if role == "O":
        return "O"
    kind = tags.types[type_index]
    if scheme == "plain":
        if kind in ("", "O"):
            raise DataError("chunks without a type, or of type O, cannot be written as plain labels")
        return kind
    return f"{role}-{kind}" if kind else role


def rewritten_sets(
    tags: Tagset, scheme: str, before: Sequence[int], here: Sequence[int], after: Sequence[int]
) -> list[str]:
    """What a token may become in a scheme when it and its neighbours may be any of these labels (or L, the edge)."""
    labels = np.array(here, np.int64)
    result: list[tuple[int, str]] = []
    for legal in (_legal, _anything):  # if no choice is well-formed, all count
        lefts = _joints(tags, before, labels, legal, backward=False)
        rights = _joints(tags, after, labels, legal, backward=True)
        for (starts, like), (ends, alike) in product(lefts, rights):
            role = _written(scheme, starts, ends, starts and like, ends and alike)
            for index in np.flatnonzero(lefts[starts, like] & rights[ends, alike]).tolist():
                label = int(labels[index])
                text = _label(scheme, role if tags.inside[label] else "O", tags, int(tags.type[label]))
                result.append((index, text))
        if result:
            break
    return list(dict.fromkeys(text for _, text in sorted(result)))


def _anything(left: str, right: str, same_type: bool, scheme: str) -> bool:
    return True


def _joints(
    tags: Tagset, beside: Sequence[int], labels: Longs, legal: Callable[[str, str, bool, str], bool], backward: bool
) -> dict[tuple[bool, bool], Bools]:
    """For each label, which (divided, same type) it may have with a neighbour out of `beside`.

    A neighbour of another type matters by its role only, so that many labels cost no more than few.
    """
    present = np.zeros((len(ROLES), len(tags.types) + 1), bool)  # the last column is for what has no type
    present[tags.role[list(beside)], tags.type[list(beside)]] = True
    in_types = present.sum(axis=1)
    divided, allowed = tags.by_role(_divided), tags.by_role(legal)
    result = {(cut, same): np.zeros(len(labels), bool) for cut in (False, True) for same in (False, True)}
    for role in range(len(ROLES)):
        with_same = present[role, tags.type[labels]]
        for same, there in ((True, with_same), (False, in_types[role] > with_same)):
            pair = (tags.role[labels], role) if backward else (role, tags.role[labels])
            cut, may = divided[(*pair, int(same))], allowed[(*pair, int(same))] & there
            result[True, same] |= may & cut
            result[False, same] |= may & ~cut
    return result
