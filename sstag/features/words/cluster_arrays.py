"""Clusters of words as arrays of a model."""

from hashlib import sha256

import numpy as np

from sstag.features.clusters import Clusters
from sstag.foundation.archive import Archive, texts_out, within
from sstag.foundation.arrays import Array


def clusters_out(name: str, of: Clusters) -> dict[str, Array]:
    """The arrays that hold words and their paths."""
    number: dict[str, int] = {}
    places = [number.setdefault(path, len(number)) for path in of.paths.values()]
    return {
        **texts_out(f"{name}_words", list(of.paths)),
        **texts_out(f"{name}_paths", list(number)),
        f"{name}_places": np.array(places, np.int32),
    }


def clusters_in(archive: Archive, name: str) -> Clusters:
    """The words and their paths, from the arrays in an archive."""
    words, paths = archive.texts(f"{name}_words"), archive.texts(f"{name}_paths")
    places = archive.array(f"{name}_places", "<i4")
    if (
        not len(words) == len(set(words)) == len(places)
        or not within(places, 0, len(paths))
        or any(path.strip("01") for path in paths)
    ):
        raise archive.damaged(f"its '{name}' does not fit together")
    return Clusters({word: paths[place] for word, place in zip(words, places.tolist(), strict=True)})


def digest(of: Clusters) -> str:
    """The SHA-256 of the words and their paths."""
    return sha256(repr(list(of.paths.items())).encode()).hexdigest()
