"""The vectors of all tokens of a text: what was kept is read, the rest is encoded, length by length.

Windows that are computed together have the same number of pieces, so nothing is padded, and what a sentence gets does
not depend on which others are there. Vectors are rounded to half precision before anything sees them.
"""

import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.encoders.contract import Backend
from sstag.features.encoders.encoder import Encoder, PromisedEncoder
from sstag.features.encoders.settings import Reading
from sstag.features.encoders.store import Shelf
from sstag.features.encoders.vector_log import key_of
from sstag.features.encoders.windows import windows
from sstag.foundation.arrays import Halves, Ints, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import Over, shards

TOGETHER = 512  # pieces that are computed together
AT_ONCE = 4  # such batches; what they gave is kept before the next ones are computed
IN_MEMORY = 2**28  # bytes of vectors; more are mapped from a file that has no name

Report = Callable[[int, int], None]  # tokens that are done, and all
LOG = logging.getLogger("sstag")


@dataclass(frozen=True)
class PieceWindow:
    """A window of a sentence: its pieces, and where its vectors go."""

    pieces: list[int]  # those at the ends included
    bounds: list[int]  # where the pieces of each word that it owns begin, and where the last of them end


def encoded(
    corpus: Corpus,
    column: str,
    encoder: Encoder | PromisedEncoder,
    shelf: Shelf | None,
    threads: int = 1,
    report: Report | None = None,
) -> Halves:
    """The vector of each token, in half precision; those of equal sentences are computed once."""  # (T, width)
    index = corpus.column(column)
    words, offsets = corpus.values[index], corpus.offsets
    if encoder.settings.reading.case == "lower":
        words = [text.lower() for text in words]
    codes = np.split(corpus.codes[index], offsets[1:-1])
    width = (shelf and shelf.width) or encoder.loaded.width
    result = room(corpus.tokens, width, shelf.place if shelf else None)
    number: dict[bytes, int] = {}  # the first sentence of each content
    first = [number.setdefault(key_of([words[code] for code in own.tolist()]), at) for at, own in enumerate(codes)]
    missing = []
    done = 0
    for key, sentence in number.items():
        rows = slice(int(offsets[sentence]), int(offsets[sentence + 1]))
        kept = shelf.get(key, len(codes[sentence])) if shelf else None
        if kept is None:
            missing.append(sentence)
        else:
            result[rows] = kept
            done += len(kept)
    keys = {sentence: key for key, sentence in number.items()}
    made: dict[int, list[int]] = {}

    def pieces(code: int) -> list[int]:
        if code not in made:
            made[code] = encoder.loaded.pieces(words[code])
        return made[code]

    try:
        for sentence, vectors in _computed(missing, codes, pieces, encoder, threads):
            begin = int(offsets[sentence])
            if not np.isfinite(vectors).all():
                raise DataError("a vector of this sentence does not fit into half precision", *corpus.place(begin))
            result[begin : begin + len(vectors)] = vectors
            if shelf:
                shelf.put(keys[sentence], vectors)
            done += len(vectors)
            if report:
                report(done, corpus.tokens)
    finally:
        if shelf:
            shelf.flush()
            if shelf.full:
                LOG.warning("the cache is full: some vectors are not kept (sstag cache shows what is there)")
    for sentence, earlier in enumerate(first):
        if earlier != sentence:
            result[offsets[sentence] : offsets[sentence + 1]] = result[offsets[earlier] : offsets[earlier + 1]]
    return result


def room(tokens: int, width: int, folder: Path | None) -> Halves:
    """An array for vectors: in memory, or mapped from a file that vanishes with it."""
    size = tokens * width * 2
    if size <= IN_MEMORY:
        return np.empty((tokens, width), np.float16)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(size)
        return np.memmap(file, np.float16, "r+", shape=(tokens, width))


def _computed(
    missing: Sequence[int],
    codes: Sequence[Ints],
    pieces: Callable[[int], list[int]],
    encoder: Encoder | PromisedEncoder,
    threads: int,
) -> Iterator[tuple[int, Halves]]:
    """The vectors of some sentences of words by their codes, the shortest sentences first."""
    if not missing:
        return  # an encoder whose vectors were all kept need not be here
    backend, how = encoder.loaded, encoder.settings.reading
    sizes = [sum(len(pieces(code)) for code in codes[sentence].tolist()) for sentence in missing]
    order = sorted(range(len(missing)), key=sizes.__getitem__)
    begin = 0
    with shards(1 if backend.has_threads else threads) as over:
        while begin < len(order):
            end, size = begin, 0
            while end < len(order) and (end == begin or size + sizes[order[end]] <= AT_ONCE * TOGETHER):
                size += sizes[order[end]]
                end += 1
            some = [missing[place] for place in order[begin:end]]
            parts = [in_windows([pieces(code) for code in codes[sentence].tolist()], backend, how) for sentence in some]
            found = _vectors([part for own in parts for part in own], backend, how.pieces, over)
            for sentence, own in zip(some, parts, strict=True):
                yield sentence, np.concatenate([next(found) for _ in own])
            begin = end


def in_windows(words: list[list[int]], backend: Backend, how: Reading) -> list[PieceWindow]:
    """The windows of a sentence; of a word that fills more than a window, its first pieces."""
    before, after = backend.ends
    most = backend.longest - len(before) - len(after)
    room = min(how.window or most, most)
    cut = [word[:room] for word in words]
    parts = []
    for one in windows([len(word) for word in cut], room, how.stride or max(room // 2, 1)):
        ends = [len(before), *accumulate((len(word) for word in cut[one.words]), initial=len(before))][1:]
        inside = slice(one.owned.start - one.words.start, one.owned.stop - one.words.start + 1)
        parts.append(
            PieceWindow([*before, *(piece for word in cut[one.words] for piece in word), *after], ends[inside])
        )
    return [part for part in parts if len(part.bounds) > 1]


def _vectors(parts: list[PieceWindow], backend: Backend, which: str, over: Over) -> Iterator[Halves]:
    """The vectors of the words of each window, in the order of the windows."""
    by_length = sorted(range(len(parts)), key=lambda place: len(parts[place].pieces))
    batches: list[list[int]] = []
    for length, places in groupby(by_length, key=lambda place: len(parts[place].pieces)):
        alike, most = list(places), max(TOGETHER // length, 1)
        batches += [alike[begin : begin + most] for begin in range(0, len(alike), most)]

    def states(batch: list[int]) -> Singles:
        return backend.states(np.array([parts[place].pieces for place in batch], np.int64))

    found: dict[int, Halves] = {}
    for batch, computed in zip(batches, over(states, batches), strict=True):
        for place, rows in zip(batch, computed, strict=True):
            found[place] = of_words(rows, parts[place].bounds, which)
    yield from (found[place] for place in range(len(parts)))


def of_words(rows: Singles, bounds: list[int], which: str) -> Halves:
    """The vector of each word, of its first piece, its last, or the mean of all."""
    begins, ends = np.array(bounds[:-1]), np.array(bounds[1:])
    if which == "mean":
        sums = np.add.reduceat(rows[: bounds[-1]], begins, axis=0)
        chosen = sums / (ends - begins).astype(np.float32)[:, None]
    else:
        chosen = rows[begins if which == "first" else ends - 1]
    with np.errstate(over="ignore"):  # what is too large is refused where its sentence is known
        halves: Halves = chosen.astype(np.float16)
    return halves
