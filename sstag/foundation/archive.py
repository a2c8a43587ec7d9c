"""Arrays and one JSON document in a file: an uncompressed zip of .npy files, read without trusting a byte of it.

The same content gives the same bytes: entries have a fixed date, and the comment of the zip is the SHA-256 of all names
and contents. Reading allocates nothing that is larger than the file: entries are stored as they are, and the shape that
an array claims must be what its bytes hold. Nothing is unpickled or evaluated.
"""

import json
import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from hashlib import sha256
from io import BufferedReader, BytesIO
from itertools import pairwise
from math import prod

import numpy as np

from sstag.foundation.arrays import Array
from sstag.foundation.errors import ModelError
from sstag.foundation.files import STANDARD, check_folder, output, translated_errors
from sstag.foundation.json_values import Json, json_value
from sstag.foundation.replacing import Place

DOCUMENT = "model.json"
LARGEST = 4 * 2**30 - 2**26  # bytes of all arrays: a plain zip ends at 4 GiB
LARGEST_DOCUMENT = 8 * 2**20
MOST_ENTRIES = 1000
BEGIN = b"PK\x03\x04"  # how every zip begins that has an entry
DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold
UNIX = 3  # written into every file, on any system
END_OF_DIRECTORY = struct.Struct("<4s4H2LH")  # signature, 2 disks, 2 counts, size, offset, length of the comment
LOCAL_HEADER = struct.Struct("<4s5H3L2H")  # ends with the lengths of a name and its extras
CHECKSUM = re.compile(rb"sha256:[0-9a-f]{64}")
CHECKSUM_LENGTH = 71
NOTHING = np.empty(0, np.uint8)
TYPES = ("<f8", "<f4", "<i4", "<i8", "|u1")
NPY = b"\x93NUMPY\x01\x00"
NPY_HEADER = re.compile(
    rb"\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, 'shape': \(((?:[0-9]{1,15}, ?)*[0-9]{0,15})\), \} *\n"
)


def check_target(path: str) -> None:
    """Raises an error if a path cannot become a model, so that it is known before the training and not after it."""
    if path.endswith(".gz") or (os.path.exists(path) and not os.path.isfile(path)) or path == STANDARD:
        raise ModelError("a model is a file of its own, not compressed and not a pipe: choose another name", path)
    check_folder(path)
    with translated_errors(path), open(path, "rb") if os.path.exists(path) else BytesIO() as file:
        if file.read(len(BEGIN)) not in (BEGIN, b""):
            raise ModelError("exists and is no model: choose another name", path)


def write_archive(
    path: str,
    document: Mapping[str, Json],
    arrays: Mapping[str, Array],
    read_back: Callable[[str], object],
    place: Place | None = None,
) -> None:
    """Writes a document and arrays to a file, whole or not at all, and only if `read_back` can read them again."""
    check_target(path)
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1).encode()
    except ValueError as error:  # of a model that was read, with a number that none of ours has
        raise ModelError("is not written: its description has a number that is not finite", path) from error
    if len(text) > LARGEST_DOCUMENT or sum(array.nbytes for array in arrays.values()) > LARGEST:
        raise ModelError(
            f"more than {LARGEST // 2**30} GiB are too large for a model (--set minimum_count=2 makes it less)", path
        )
    checksum = sha256()
    with output(path, read_back, place) as file, zipfile.ZipFile(file, "w", allowZip64=False) as archive:

        def add(name: str, *parts: bytes | memoryview) -> None:
            checksum.update(f"{name}\n{sum(map(len, parts))}\n".encode())
            entry_info = zipfile.ZipInfo(name, DATE)
            entry_info.create_system = UNIX
            with archive.open(entry_info, "w") as entry:
                for part in parts:
                    checksum.update(part)
                    entry.write(part)

        add(DOCUMENT, text)
        for name, array in arrays.items():
            if array.dtype.str not in TYPES:
                raise ValueError(f"an array of type {array.dtype.str}")
            header = BytesIO()
            np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
            add(f"{name}.npy", header.getvalue(), np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        archive.comment = f"sha256:{checksum.hexdigest()}".encode()


class Archive:
    """A file that `write_archive` should have written. Anything else is a `ModelError`; `what` says what is wanted."""

    def __init__(self, path: str, what: str) -> None:
        self.path, self.what = path, what
        self._entries = _entries(path, what)
        try:
            document = json_value(self._entries.pop(DOCUMENT, NOTHING).tobytes())
        except ValueError as error:
            raise self.damaged("its description cannot be read") from error
        if not isinstance(document, dict):
            raise self.damaged("its description is none")
        self.document: dict[str, Json] = document

    def inner(self, key: str, prefix: str) -> "Archive":
        """The part under a key of the document, with the arrays whose names begin so, as an archive of its own."""
        document = self.document.get(key)
        if not isinstance(document, dict):
            raise self.damaged("a part of it is none")
        part = copy(self)
        part.document = document
        part._entries = {
            name.removeprefix(prefix): one for name, one in self._entries.items() if name.startswith(prefix)
        }
        return part

    def damaged(self, how: str) -> ModelError:
        return ModelError(f"damaged: {how}", self.path)

    def expect(self, name: str, version: int) -> None:
        """Raises an error if the document is of another format or version."""
        if self.document.get("format") != name:
            raise ModelError(f"not {self.what}", self.path)
        if self.document.get("version") != version:
            raise ModelError(f"format {self.document.get('version')!r}: this sstag reads format {version}", self.path)

    def array(self, name: str, kind: str, dimensions: int = 1) -> Array:
        """The array of this name, which must have this type and number of dimensions; it can be read once."""
        data = self._entries.pop(f"{name}.npy", NOTHING)
        begin = len(NPY) + 2
        body = begin + int.from_bytes(data[len(NPY) : begin].tobytes(), "little")
        found = NPY_HEADER.fullmatch(data[begin:body].tobytes())
        if data[: len(NPY)].tobytes() != NPY or found is None:
            raise self.damaged(f"'{name}' is no array")
        shape = tuple(int(size) for size in found[2].split(b",") if size.strip())
        size = prod(shape) * np.dtype(kind).itemsize
        if found[1].decode() != kind or len(shape) != dimensions or size != len(data) - body:
            raise self.damaged(f"'{name}' has another size or type than it should")
        return np.require(data[body:].view(kind).reshape(shape), requirements="A")  # copied only if it is not aligned

    def texts(self, name: str) -> list[str]:
        """The texts that `texts_out` made into arrays."""
        data, lengths = self.array(name, "|u1").tobytes(), self.array(f"{name}_lengths", "<i4")
        if lengths.min(initial=0) < 0 or lengths.sum(dtype=np.int64) != len(data):
            raise self.damaged(f"its texts '{name}' do not fit together")
        bounds = np.append(0, np.cumsum(lengths, dtype=np.int64)).tolist()
        try:
            if data.isascii():  # the pieces of a text are made in half the time
                whole = data.decode()
                return [whole[begin:end] for begin, end in pairwise(bounds)]
            return [data[begin:end].decode() for begin, end in pairwise(bounds)]
        except UnicodeDecodeError as error:
            raise self.damaged("a word of it is not UTF-8") from error


def bytes_array(data: bytes) -> Array:
    return np.frombuffer(data, np.uint8)


def texts_out(name: str, texts: Sequence[str]) -> dict[str, Array]:
    """The arrays that hold some texts, for `Archive.texts` to read."""
    data = [text.encode() for text in texts]
    return {name: bytes_array(b"".join(data)), f"{name}_lengths": np.array([len(one) for one in data], np.int32)}


def within(numbers: Array, least: int, limit: int) -> bool:
    """Whether all numbers are from `least` up and below `limit`."""
    return not len(numbers) or bool(numbers.min() >= least and numbers.max() < limit)


def _entries(path: str, what: str) -> dict[str, Array]:
    """The content of each part of an archive by its name; a file that is not whole is an error."""
    with translated_errors(path):
        status = os.stat(path)  # before opening, because opening a pipe would wait for a writer
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"not {what}, but a folder, pipe or device", path)
    with translated_errors(path), open(path, "rb") as file:
        if file.read(len(BEGIN)) != BEGIN:
            raise ModelError(f"not {what}", path)
        file.seek(max(0, status.st_size - END_OF_DIRECTORY.size - CHECKSUM_LENGTH))
        end = file.read()
        expected = end[END_OF_DIRECTORY.size :]
        if not end.startswith(b"PK\x05\x06") or CHECKSUM.fullmatch(expected) is None:
            raise ModelError("damaged: its end is missing", path)
        count, size = END_OF_DIRECTORY.unpack(end[: END_OF_DIRECTORY.size])[4:6]
        if count > MOST_ENTRIES or size > MOST_ENTRIES * 100:
            raise ModelError("damaged: too many parts", path)
        try:
            entries, checksum = _read(file, status.st_size)
        except (zipfile.BadZipFile, struct.error, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
            raise ModelError(f"damaged: {error}", path) from error
    if checksum != expected:
        raise ModelError("damaged: its checksum is another one", path)
    return entries


def _content(file: BufferedReader, part: zipfile.ZipInfo) -> Array:
    """The bytes of a part. The checksum of the whole archive vouches for them, so that of the part is not computed."""
    file.seek(part.header_offset)
    header = file.read(LOCAL_HEADER.size)
    *_, name, extra = LOCAL_HEADER.unpack(header)
    file.seek(name + extra, os.SEEK_CUR)
    content = np.empty(part.file_size, np.uint8)
    if not header.startswith(BEGIN) or file.readinto(content.data) < part.file_size:
        raise ValueError(f"its part {part.filename} is not where it should be")
    return content


def _read(file: BufferedReader, size: int) -> tuple[dict[str, Array], bytes]:
    """The content of each part by its name, and the checksum of all."""
    checksum, entries = sha256(), {}
    with zipfile.ZipFile(file) as archive:
        listed = archive.infolist()
        if sum(one.file_size for one in listed) > size or any(one.file_size != one.compress_size for one in listed):
            raise ValueError("its parts are larger than the file")
        if sum(one.file_size for one in listed if one.filename == DOCUMENT) > LARGEST_DOCUMENT:
            raise ValueError("its description is too long")
        for one in listed:
            if one.compress_type != zipfile.ZIP_STORED or one.filename in entries:
                raise ValueError("its parts are not as sstag writes them")
            content = entries[one.filename] = _content(file, one)
            checksum.update(f"{one.filename}\n{len(content)}\n".encode())
            checksum.update(content.data)
    return entries, f"sha256:{checksum.hexdigest()}".encode()
