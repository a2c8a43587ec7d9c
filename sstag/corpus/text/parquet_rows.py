"""Rows of Parquet files as lines of JSON, one for each sentence or text, as Hugging Face stores datasets.

    tokens: list<string>, ner_tags: list<int64>    {"id": "7", "tokens": ["EU", "wins"], "ner_tags": ["B-ORG", "O"]}
    text: string                                   {"id": "7", "text": "EU wins."}

A file is told by its first bytes, as gzip is. Its rows are what the formats of JSON read: those with a list of words as
`tokens`, others as texts. Where the file names what whole numbers stand for (`ClassLabel`), the names take their place.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sstag.corpus.column_names import WORDS
from sstag.foundation.arrays import Array, Longs
from sstag.foundation.errors import ConfigError, DataError, installing
from sstag.foundation.files import DENSEST, SMALL, display_name, translated_errors
from sstag.foundation.ranges import offsets_of
from sstag.foundation.sources import opened, size_of

if TYPE_CHECKING:
    from pyarrow import Array as Column
    from pyarrow import DataType, RecordBatch, Schema
    from pyarrow.parquet import ColumnChunkMetaData, ParquetFile, RowGroupMetaData

ENCODED = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
TEXTS = ("text", "content", "sentence", "document", "body")  # what files call their texts
ID, TEXT = "id", "text"
TOGETHER = 2**16  # values that are looked at together, if rows are not larger
MOST_VALUES = 2**28  # of a column in a row group: their numbers alone take 2 GiB
MOST_BYTES = 2**31  # of a column in a row group
LONGEST = 64 * 2**20  # bytes of a row
UNSCORED, UNKNOWN = -100, "?"  # the number of a token whose tag does not count, and how that is read


def has_words(path: str) -> bool:
    """Whether the rows of a file are lists of words, and not texts."""
    with _opened(path) as rows:
        return rows.words is not None


def group_sizes(path: str) -> list[tuple[int, int]]:
    """The bytes and the rows of each row group of a file."""
    with _opened(path) as rows:
        groups = (rows.file.metadata.row_group(number) for number in range(rows.groups))
        return [(sum(one.total_compressed_size for one in _chunks(one)), one.num_rows) for one in groups]


def row_lines(path: str, groups: Iterable[int] | None = None) -> Iterator[bytes]:
    """The rows of a file, or of some of its row groups, as lines of JSON, some of them at a time."""
    with _opened(path) as rows:
        yield from rows.lines(range(rows.groups) if groups is None else groups)


@contextmanager
def _opened(path: str) -> "Iterator[_Rows]":
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ConfigError(f"Parquet is read by pyarrow: {installing('parquet')}", display_name(path)) from error
    name = display_name(path)
    try:
        with translated_errors(name), opened(path) as file:
            with _faults(name, pyarrow.ArrowException):
                plain = ParquetFile(file)
                schema, leaves = plain.schema_arrow, [plain.schema.column(n) for n in range(len(plain.schema))]
                words, others, text = _columns(schema, name)
                coded = [
                    leaf.path
                    for leaf in leaves
                    if leaf.path.split(".")[0] in (words, *others, text) and leaf.physical_type == "BYTE_ARRAY"
                ]  # texts stay numbers with a dictionary, so that a short file cannot make much of them
                file.seek(0)
                again = ParquetFile(file, read_dictionary=coded)
                made = _Rows(again, name, size_of(path), words, others, text, _names(schema))
            with _faults(name, pyarrow.ArrowException):
                yield made
    except RecursionError as error:
        raise DataError("cannot be read as Parquet: nested too deep", name) from error


@contextmanager
def _faults(name: str, kind: type[Exception]) -> Iterator[None]:
    """A context in which whatever pyarrow says of a file that is damaged becomes an error that names the file."""
    try:
        yield
    except DataError:
        raise
    except (kind, OSError, ValueError, MemoryError, OverflowError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"cannot be read as Parquet: {said}", name) from error


def _columns(schema: "Schema", name: str) -> tuple[str | None, list[str], str | None]:
    """The column of lists of words and others of lists, or that of texts."""
    lists = [one.name for one in schema if _is_list(one.type) and _is_text(one.type.value_type)]
    if lists:
        words = next((one for one in lists if WORDS.fullmatch(one)), lists[0])
        return words, [one.name for one in schema if one.name != words and _is_column(one.type)], None
    texts = [one.name for one in schema if _is_text(one.type)]
    text = next((one for one in TEXTS if one in texts), texts[0] if len(texts) == 1 else None)
    if text is None:
        there = ", ".join(f"{one.name} ({one.type})" for one in schema)[:200]
        raise DataError(f"no column with lists of words, and none called {', '.join(TEXTS)}: it has {there}", name)
    return None, [], text


def _is_list(kind: "DataType") -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind))


def _is_text(kind: "DataType") -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_column(kind: "DataType") -> bool:
    from pyarrow import types

    return _is_list(kind) and (_is_text(kind.value_type) or bool(types.is_integer(kind.value_type)))


def _chunks(group: "RowGroupMetaData") -> "Iterator[ColumnChunkMetaData]":
    """The columns of a row group, as the file describes them."""
    return (group.column(place) for place in range(group.num_columns))


@dataclass
class _Rows:
    """A file that is being read."""

    file: "ParquetFile"
    name: str
    size: int
    words: str | None
    others: list[str]  # columns of lists
    text: str | None
    names: Mapping[str, list[str]]  # what the numbers of columns stand for
    made: int = 0  # bytes of lines
    read: list[str] = field(default_factory=list)

    @property
    def groups(self) -> int:
        return int(self.file.metadata.num_row_groups)

    def lines(self, groups: Iterable[int]) -> Iterator[bytes]:
        """The lines of some row groups."""
        self._settle()
        starts = offsets_of(np.array([self.file.metadata.row_group(n).num_rows for n in range(self.groups)], np.int64))
        for group in groups:
            row = int(starts[group])
            for batch in self._batches(group):
                text = b"".join(self._lines_of(batch, row))
                row += batch.num_rows
                self.made += len(text)
                if self.made > max(SMALL, DENSEST * self.size):
                    self._refuse(f"its text is more than {DENSEST} times as large as the file")
                yield text

    def _settle(self) -> None:
        """Leaves out lists that have not a value for each word, by the first rows of the file."""
        self.read = [one for one in (self.words or self.text,) if one]
        if self.words is None or not self.groups:
            return
        first = next(self._batches(0, [self.words, *self.others]), None)
        if first is not None:
            lengths = _lengths(first.column(self.words))
            fit = [one for one in self.others if np.array_equal(_lengths(first.column(one)), lengths)]
            self.others = fit
        self.read += self.others

    def _batches(self, group: int, columns: Sequence[str] | None = None) -> "Iterator[RecordBatch]":
        """The rows of a row group, some at a time, after a look at how large it says it is."""
        has_id = ID in self.file.schema_arrow.names and columns is None
        wanted = [*(columns or self.read), *([ID] if has_id else [])]
        about = self.file.metadata.row_group(group)
        packed = min(self.size, sum(one.total_compressed_size for one in _chunks(about)))
        read = [one for one in _chunks(about) if one.path_in_schema.split(".")[0] in wanted]
        values = max((one.num_values for one in read), default=0)
        large = max((one.total_uncompressed_size for one in read), default=0)
        what = f"row group {group + 1} has {values:,} values in {large:,} bytes of one column"
        if values > MOST_VALUES or large > MOST_BYTES:
            raise DataError(f"{what}: write it in smaller row groups", self.name)
        if max(values, large) > max(SMALL, DENSEST * packed):
            self._refuse(f"{what}, more than {DENSEST} times as many as the file has for it")
        together = max(1, min(1024, TOGETHER * max(about.num_rows, 1) // max(values, 1)))
        yield from self.file.iter_batches(together, row_groups=[group], columns=wanted, use_threads=False)

    def _refuse(self, what: str) -> None:
        raise DataError(f"{what}: if it is what it should be, save it as JSON lines", self.name)

    def _lines_of(self, batch: "RecordBatch", row: int) -> Iterator[bytes]:
        ids = batch.column(ID).to_pylist() if ID in batch.schema.names else None
        keys = [ENCODED(TEXT if one == self.text else one).encode() for one in self.read]
        columns = [self._values(batch, one, row) for one in self.read]
        for number in range(batch.num_rows):
            said = [] if ids is None and self.words else [b'"id": ' + _id(ids[number] if ids else row + number + 1)]
            said += [key + b": " + values[number] for key, values in zip(keys, columns, strict=True)]
            yield b"{" + b", ".join(said) + b"}\n"

    def _values(self, batch: "RecordBatch", name: str, row: int) -> list[bytes]:
        """The value of each row of a column, as JSON."""
        column = batch.column(name)
        if name == self.text:
            texts, codes = _coded(column)
            self._check_sizes(np.array([len(one) for one in texts])[codes], row)
            return [texts[code] if code >= 0 else b'""' for code in codes.tolist()]
        flat, offsets = column.flatten(), offsets_of(_lengths(column))
        if _is_text(column.type.value_type):
            texts, codes = _coded(flat)
        else:
            numbers = flat.to_pylist()
            distinct = {number: code for code, number in enumerate(dict.fromkeys(numbers))}
            texts = [self._named(name, number, row) for number in distinct]
            codes = np.array([distinct[number] for number in numbers], np.int64)
        sizes = np.array([*(len(one) + 2 for one in texts), 6], np.int64)[codes]  # the last is for null
        self._check_sizes(np.add.reduceat(np.append(sizes, 0), offsets[:-1]) * (np.diff(offsets) > 0), row)
        texts = [*texts, b"null"]
        return [
            b"[" + b", ".join(map(texts.__getitem__, codes[begin:end].tolist())) + b"]"
            for begin, end in pairwise(offsets.tolist())
        ]

    def _check_sizes(self, sizes: Array, row: int) -> None:
        if len(sizes) and int(sizes.max()) > LONGEST:
            at = row + int(sizes.argmax()) + 1
            raise DataError(f"a row of more than {LONGEST // 2**20} MiB", self.name, at)

    def _named(self, column: str, number: int | None, row: int) -> bytes:
        """A whole number as JSON: by its name, if the file names what numbers stand for."""
        names = self.names.get(column)
        if names is None or number is None:
            return json.dumps(number).encode()
        if number == UNSCORED:
            return ENCODED(UNKNOWN).encode()
        if not 0 <= number < len(names):
            raise DataError(f"'{column}' has {number}, but the file names {len(names)} labels", self.name, row + 1)
        return ENCODED(names[number]).encode()


def _names(schema: "Schema") -> dict[str, list[str]]:
    """The labels that whole numbers stand for, where a file says so as Hugging Face does."""
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return {name: names for name, one in features.items() if (names := _label_names(one))}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _label_names(feature: object) -> list[str] | None:
    """The names of the labels in lists, as any version of datasets writes their type."""
    inner = feature[0] if isinstance(feature, list) and feature else None
    if isinstance(feature, dict):
        inner = feature.get("feature")
    names = inner.get("names") if isinstance(inner, dict) and inner.get("_type") == "ClassLabel" else None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _lengths(column: "Column") -> Longs:
    """How many values each row has; none where the list is missing."""
    lengths: Longs = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


def _coded(column: "Column") -> tuple[list[bytes], Longs]:
    """The distinct texts of a column as JSON, and the code of each value; −1 is null."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    used, place = np.unique(codes, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    texts = column.dictionary.take(pyarrow.array(used[missing:])).to_pylist()
    return [ENCODED(text).encode() for text in texts], place.reshape(-1) - missing


def _id(value: object) -> bytes:
    return ENCODED(str(value)).encode()
