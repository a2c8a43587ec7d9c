"""Densities counted in text, and their files, which are archives. The density of an HMM is read from its model."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from sstag.corpus.column_names import OF_TEXTS
from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import joined, read_blocks
from sstag.foundation.archive import Archive, texts_out, within, write_archive
from sstag.foundation.arrays import Array, Floats
from sstag.foundation.description import Description
from sstag.foundation.errors import ConfigError, DataError, ModelError, nearest
from sstag.foundation.json_values import Json
from sstag.model.model import HMM
from sstag.model.model_file import FORMAT as MODEL
from sstag.model.model_file import load as load_model
from sstag.selection.density import DENSITIES, HIGHEST, MOST_COLUMNS, ORDER, SMOOTHING, Density, empirical, ngrams
from sstag.selection.density.empirical import Empirical
from sstag.selection.density.hidden import Hidden
from sstag.selection.density.ngrams import RADIX, Counts, Level, NGrams

FORMAT = "sstag density"
VERSION = 1
TABLE_HEAD = b"# sentence\ttokens\tlog q\tper token\n"


def density_of_text(
    corpora: Iterable[Corpus],
    columns: Sequence[str] | None = None,
    label: str | None = None,
    kind: str = "ngram",
    order: int = ORDER,
    smoothing: float = SMOOTHING,
) -> NGrams | Empirical:
    """The density of a text that comes in pieces; it is about all columns but the label, if none are named."""
    if kind not in DENSITIES:
        raise ConfigError(f"there is no density '{kind}'{nearest(kind, DENSITIES)}")
    if not 0 <= smoothing < math.inf:
        raise ConfigError(f"smoothing must be a number from 0 up, not {smoothing}")
    pieces = iter(corpora)
    first = next(pieces)
    corpora = chain([first], pieces)
    columns = columns_counted(first.columns, columns, label)
    if kind == "empirical":
        return empirical.shares_of_text(corpora, columns)
    return ngrams.ngrams_of_text(corpora, columns, order, smoothing)


def columns_counted(there: Sequence[str], said: Sequence[str] | None, label: str | None) -> Sequence[str]:
    """The columns that a density of a text with some columns is about: those that are said, or all but the label.

    Places in a text, which stand once each, are not counted unless they are said.
    """
    columns = [name for name in there if name not in (label, *OF_TEXTS)] if said is None else said
    if not columns:
        raise ConfigError("there is no column to count: the only one is the label")
    if len(set(columns)) < len(columns):
        raise ConfigError(f"a column stands twice: {', '.join(columns)}")
    if len(columns) > MOST_COLUMNS:
        raise ConfigError(f"{len(columns)} columns (at most {MOST_COLUMNS}): say which (--of A,B)")
    return columns


def merged(first: Density, second: Density) -> NGrams | Empirical:
    """The density of a text in two halves, from those of the halves."""
    if isinstance(first, Empirical) and isinstance(second, Empirical):
        return empirical.merged(first, second)
    assert isinstance(first, NGrams)
    assert isinstance(second, NGrams)
    return ngrams.merged(first, second)


def streamed(path: str, layout: Layout) -> Iterator[Corpus]:
    """The sentences of a file, block by block."""
    found = False
    for block in read_blocks(path, layout):
        if len(block.rows):
            found = True
            yield joined([block], path)
    if not found:
        raise DataError("no sentence in it", path)


def table(first: int, corpus: Corpus, log_q: Floats) -> bytes:
    """Lines with the number of a sentence, from `first` + 1, its tokens, log q, and log q per token."""
    lengths = np.diff(corpus.offsets)
    rows = zip(range(first + 1, first + 1 + len(lengths)), lengths.tolist(), log_q, log_q / lengths, strict=True)
    return "".join(f"{number}\t{tokens}\t{whole:.6f}\t{each:.6f}\n" for number, tokens, whole, each in rows).encode()


def save(density: NGrams | Empirical, path: str) -> None:
    """Writes a density, whole or not at all; the same counts give the same bytes."""
    document: dict[str, Json] = {"format": FORMAT, "version": VERSION, "columns": list(density.columns)}
    if isinstance(density, Empirical):
        arrays: dict[str, Array] = {"sentences": density.sentences, "times": density.times}
        write_archive(path, document | {"kind": "empirical"}, arrays, load)
        return
    document |= {"kind": "ngram", "smoothing": density.smoothing}
    arrays = {}
    for column, counts in enumerate(density.counts):
        arrays |= texts_out(f"values_{column}", counts.values) | {
            f"sizes_{column}": np.array([len(level.keys) for level in counts.levels]),
            f"keys_{column}": np.concatenate([level.keys for level in counts.levels]),
            f"counts_{column}": np.concatenate([level.counts for level in counts.levels]),
        }
    write_archive(path, document, arrays, load)


def load(path: str) -> Density:
    """The density in a file, or that of the HMM in it."""
    archive = Archive(path, "a density or an HMM")
    if archive.document.get("format") == MODEL:
        model = load_model(path)
        if model.kind != HMM:
            raise ModelError(f"a model of {model.kind} has no q(x): it takes an HMM", path)
        return Hidden(model)
    archive.expect(FORMAT, VERSION)
    take = Description(archive)
    columns = tuple(take.texts("columns"))
    if not columns or len(set(columns)) < len(columns):
        raise archive.damaged("its columns cannot be")
    return _empirical(archive, columns) if take.one_of("kind", tuple(DENSITIES)) == "empirical" else _ngrams(take)


def _empirical(archive: Archive, columns: tuple[str, ...]) -> Empirical:
    sentences, times = archive.array("sentences", "<i8"), archive.array("times", "<i8")
    if not (len(sentences) == len(times) > 0 and times.min() > 0 and (sentences[1:] > sentences[:-1]).all()):
        raise archive.damaged("its counts do not fit together")
    return Empirical(columns, sentences, times)


def _ngrams(take: Description) -> NGrams:
    smoothing = take.of("smoothing", float)
    if not 0 <= smoothing < math.inf:
        raise take.archive.damaged("its smoothing cannot be")
    columns = tuple(take.texts("columns"))
    return NGrams(columns, smoothing, tuple(_counts(take.archive, column) for column in range(len(columns))))


def _counts(archive: Archive, column: int) -> Counts:
    values = tuple(archive.texts(f"values_{column}"))
    sizes = archive.array(f"sizes_{column}", "<i8")
    keys, times = archive.array(f"keys_{column}", "<i8"), archive.array(f"counts_{column}", "<i8")
    if (
        not 1 <= len(sizes) <= HIGHEST
        or not within(sizes, 0, len(keys) + 1)
        or not sizes.sum() == len(keys) == len(times)
        or not within(times, 1, 2**53)
        or not within(keys % RADIX, 0, len(values))
        or not len(set(values)) == len(values) == sizes[0]
    ):
        raise archive.damaged("its n-grams do not fit together")
    levels: list[Level] = []
    for begin, end in pairwise(np.cumsum([0, *sizes]).tolist()):
        level = Level(keys[begin:end], times[begin:end], len(levels[-1].keys) if levels else 1)
        if not within(level.keys // RADIX, 0, level.histories) or (np.diff(level.keys) <= 0).any():
            raise archive.damaged("its n-grams are not in order")
        levels.append(level)
    return Counts(values, tuple(levels))
