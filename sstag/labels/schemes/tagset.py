"""Labels read under a scheme: roles and types, legal neighbours, and the chunks that a sequence of tags stands for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.labels.schemes.rules import CONLLEVAL, READ, ROLES, SCHEMES, UNDECIDED, is_divided, is_legal


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
        """Whether a chunk that has the first label ends before a token that has the second."""  # (L + 2, L + 2)
        return self._over_roles(is_divided)

    @cached_property
    def joined(self) -> Bools:
        """Whether one chunk has both labels, the first just before the second."""  # (L, L)
        inner = slice(0, len(self.labels))
        both = self.inside[inner, None] & self.inside[None, inner]
        joined: Bools = both & ~self.divided[inner, inner]
        return joined

    @cached_property
    def legal(self) -> Bools:
        """Whether two labels may be neighbours; row L: at a start, column L: at an end."""  # (L + 2, L + 2)
        pairs = self._over_roles(is_legal)
        pairs[UNDECIDED] = pairs[:, UNDECIDED] = True
        return pairs

    def _over_roles(self, rule: Callable[[str, str, bool, str], bool]) -> Bools:
        result: Bools = self.by_role(rule)[self.role[:, None], self.role[None, :], self.same_type.astype(np.int8)]
        return result

    def by_role(self, rule: Callable[[str, str, bool, str], bool]) -> Bools:
        """The answer of a rule for each pair of roles, of different types and of the same."""  # (roles, roles, 2)
        return np.array([[[rule(a, b, same, self.scheme) for same in (False, True)] for b in ROLES] for a in ROLES])


def tagset(labels: Sequence[str], scheme: str) -> Tagset:
    """Reads labels under a scheme; a label it cannot have is an error."""
    check_scheme(scheme)
    for label in labels:
        if not fits(label, scheme):
            raise DataError(f"'{label}' is no {scheme.upper()} tag (prefixes: {', '.join(READ[scheme].roles)}; and O)")
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
    if scheme not in READ:
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
    return label == "O" or (role in set(READ[scheme].roles) and (bool(kind) or role == label))


def _split(label: str, scheme: str) -> tuple[str, str]:
    """`B-NP` → (B, NP); `O` → (O, ``); untyped `B` → (B, ``); plain `title` → (I, title)."""
    if label == "O":
        return "O", ""
    if scheme == "plain":
        return "I", label
    role, _, kind = label.partition("-")
    return role, kind


def labels_of_types(types: Sequence[str], scheme: str) -> list[str]:
    """Every label that a scheme has for some types; the empty type is that of chunks without one."""
    if scheme == "plain":
        return list(types)
    return [f"{role}-{kind}" if kind else role for kind in types for role in READ[scheme].roles]


def possible_labels(tags: Tagset) -> list[str]:
    """The labels, and every other one that their scheme has for their types."""
    every = [
        label_text(tags.scheme, role, tags, kind) for kind in range(len(tags.types)) for role in READ[tags.scheme].roles
    ]
    return sorted({*tags.labels, *every})


def neighbours(tags: Tagset, codes: Ints, offsets: Longs) -> tuple[Longs, Longs]:
    """The codes before and after each token, L at the edges of sentences."""
    before, after = np.full((2, len(codes)), len(tags.labels), np.int64)
    before[1:], after[:-1] = codes[:-1], codes[1:]
    before[offsets[:-1]] = len(tags.labels)
    after[offsets[1:] - 1] = len(tags.labels)
    return before, after


def ill_formed(tags: Tagset, codes: Ints, offsets: Longs) -> Longs:
    """The tokens that may not follow what stands before them, or may not end their sentence."""
    before, after = neighbours(tags, codes, offsets)
    return np.flatnonzero(is_ill_formed(tags, before, codes, after == len(tags.labels)))


def is_ill_formed(tags: Tagset, before: Longs, codes: Ints | Longs, last: Bools) -> Bools:
    """Whether labels may not follow those before them, or may not be the last."""
    illegal = ~tags.legal
    wrong: Bools = illegal[before, codes] | (last & illegal[codes, len(tags.labels)])
    return wrong


def chunk_bounds(tags: Tagset, codes: Ints, offsets: Longs) -> tuple[Bools, Bools]:
    """Which tokens are the first and which the last of a chunk."""
    before, after = neighbours(tags, codes, offsets)
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
    starts, ends = chunk_bounds(tags, codes, offsets)
    first = np.flatnonzero(starts)
    return Chunks(first, np.flatnonzero(ends) + 1, tags.type[codes[first]])


def label_text(scheme: str, role: str, tags: Tagset, type_index: int) -> str:
    """The label of a role and a type in a scheme."""
    if role == "O":
        return "O"
    kind = tags.types[type_index]
    if scheme == "plain":
        if kind in ("", "O"):
            raise DataError("chunks without a type, or of type O, cannot be written as plain labels")
        return kind
    return f"{role}-{kind}" if kind else role
