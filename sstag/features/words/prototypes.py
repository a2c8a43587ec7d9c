"""Words that are similar to prototypes (Haghighi & Klein 2006; Mann & McCallum 2008, §5.1).

A word is similar to a prototype if the cosine of their vectors is at least a threshold; so each prototype that has a
vector is similar to itself. Of more than `MOST` prototypes the nearest count, equally near ones in the order of their
list. A word without a vector is similar to none.
"""

from hashlib import sha256

import numpy as np

from sstag.features.template import MOST_SIMILAR, Likeness, Near
from sstag.features.words.vector_files import opened
from sstag.features.words.vector_files.own import WordVectors
from sstag.foundation.archive import Archive, texts_out, within
from sstag.foundation.arrays import Array, Floats
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.tab_lists import read_rows

DIGITS = 9  # decimals to which cosines are rounded
SOME = 2**22  # cosines computed at a time


def read_near(of: Likeness, prototypes: str, vectors: str) -> Near:
    """The words that are similar to a prototype, by the files at two paths."""
    known, listed = opened(vectors).every(), read_prototypes(prototypes, of.word)
    if of.word.startswith("lower("):
        for words, path, instead in ((known.words, vectors, " (sstag vectors --lower)"), (listed, prototypes, "")):
            if capital := next((word for word in words if word != word.lower()), None):
                raise DataError(f"'{capital}' has capitals, and {of.word} has none{instead}", path)
    found = near(known, listed, of.threshold)
    if not found:
        raise DataError(f"none of {len(listed)} prototypes has a vector in {vectors}", prototypes)
    return found


def read_prototypes(path: str, word: str) -> tuple[str, ...]:
    """The words of a list: one a line, or in a list of features and labels those of the lines `word[0]=…`."""
    rows, beginning, lower = read_rows(path), f"{word}=", f"lower({word})"
    found: dict[str, None] = {}
    for number, (text, *rest) in rows.cells.items():
        if text.startswith(beginning) and text != beginning:
            found[text.removeprefix(beginning)] = None
        elif not rest:
            if text.split() != [text]:
                raise DataError("a prototype is one word", rows.path, number)
            found[text] = None
    if not found:
        other = any(text.startswith(f"{lower}=") for text, *_ in rows.cells.values())
        hint = f"; of its lines {lower}=… these are similar({lower}, …)" if other else ""
        raise DataError(f"no prototype in it: of a list of features these are the lines {beginning}…{hint}", rows.path)
    return tuple(found)


def near(known: WordVectors, prototypes: tuple[str, ...], threshold: float) -> Near:
    """The prototypes of each word that is similar to one, nearest first."""
    place = {word: number for number, word in enumerate(known.words)}
    having = [word for word in prototypes if word in place]
    units = _units(known)
    theirs = units[[place[word] for word in having]]
    least, found = round(threshold, DIGITS), dict[str, tuple[str, ...]]()
    step = max(SOME // max(len(having), 1), 1)
    for begin in range(0, len(units) if having else 0, step):
        cosines = _cosines(units[begin : begin + step], theirs)
        for row in np.flatnonzero((cosines >= least).any(axis=1)).tolist():
            order = np.argsort(-cosines[row], kind="stable")[:MOST_SIMILAR].tolist()
            found[known.words[begin + row]] = tuple(having[one] for one in order if cosines[row, one] >= least)
    return found


def nearest_words(known: WordVectors, word: str, count: int) -> list[tuple[str, float]]:
    """The words nearest to one of them, and their cosines."""
    if word not in known.words:
        hint = f"; '{word.lower()}' has one" if word.lower() in known.words else ": it is too rare, or never occurs"
        raise ConfigError(f"'{word}' has no vector{hint}")
    units = _units(known)
    cosines = _cosines(units, units[[known.words.index(word)]])[:, 0]
    order = np.argsort(-cosines, kind="stable").tolist()
    return [(known.words[one], float(cosines[one])) for one in order if known.words[one] != word][:count]


def _units(known: WordVectors) -> Floats:
    """The vectors divided by their lengths; a vector of zeros stays so."""
    sizes = np.sqrt((known.vectors**2).sum(axis=1))
    return known.vectors / np.where(sizes == 0, 1.0, sizes)[:, None]


def _cosines(units: Floats, others: Floats) -> Floats:
    """The cosines of unit vectors, summed dimension by dimension: equal vectors have equal cosines in any place."""
    cosines = np.zeros((len(units), len(others)))
    for own, other in zip(units.T, others.T, strict=True):
        cosines += own[:, None] * other
    return np.round(cosines, DIGITS)


def digest(of: Near) -> str:
    """The SHA-256 of the words and the prototypes that they are similar to."""
    return sha256(repr(list(of.items())).encode()).hexdigest()


def near_out(name: str, near: Near) -> dict[str, Array]:
    """The arrays that hold words and the prototypes that they are similar to."""
    every = list(dict.fromkeys(one for prototypes in near.values() for one in prototypes))
    number = {one: place for place, one in enumerate(every)}
    return {
        **texts_out(f"{name}_words", list(near)),
        **texts_out(f"{name}_prototypes", every),
        f"{name}_counts": np.array([len(prototypes) for prototypes in near.values()], np.int32),
        f"{name}_places": np.array([number[one] for prototypes in near.values() for one in prototypes], np.int32),
    }


def near_in(archive: Archive, name: str) -> Near:
    """The words and the prototypes that they are similar to, from the arrays in an archive."""
    words, every = archive.texts(f"{name}_words"), archive.texts(f"{name}_prototypes")
    counts, places = archive.array(f"{name}_counts", "<i4"), archive.array(f"{name}_places", "<i4")
    if (
        not len(words) == len(set(words)) == len(counts)
        or not within(counts, 1, MOST_SIMILAR + 1)
        or counts.sum(dtype=np.int64) != len(places)
        or not within(places, 0, len(every))
    ):
        raise archive.damaged(f"its '{name}' does not fit together")
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    found = [every[place] for place in places.tolist()]
    return {
        word: tuple(found[end - count : end]) for word, end, count in zip(words, ends, counts.tolist(), strict=True)
    }
