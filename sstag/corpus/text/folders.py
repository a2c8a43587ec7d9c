"""Folders with a file or two for each document, read and written as one stream of documents."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from sstag.corpus.text.encodings import decoded, in_utf8
from sstag.corpus.text.faults import Faults
from sstag.corpus.text.json_records import json_records
from sstag.corpus.text.parquet_bytes import BEGIN, is_parquet
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, contents, display_name, pieces, translated_errors
from sstag.foundation.replacing import place_for, sync

ENDINGS = (".ann", ".txt", ".tsv", ".xmi")
LONGEST = 64 * 2**20  # bytes of a file
LONGEST_NAME = 235  # bytes of a name; systems take 255, and an ending and a number may follow
LONGEST_STEM = 200  # characters of a name with its folders
OTHER_NAMES = "names of documents, for which others stand"  # what may be lost
FORMAT_OF = {".ann": "brat", ".tsv": "webanno", ".xmi": "xmi", ".txt": "text"}  # the first of these that there is


def bytes_of(path: str, encoding: str | None = None) -> Iterator[bytes]:
    """The bytes of a file in UTF-8.

    Of a folder these are a line of JSON for each document, with its name and the texts of its files; of Parquet rows.
    """
    if os.path.isdir(path):
        if not folder_format(path):
            raise DataError(f"a folder without a file {', '.join(FORMAT_OF)}", path)
        yield from _records(path, encoding)
        return
    stream = pieces(path)
    first = next(stream, b"")
    if first.startswith(BEGIN) and path == STANDARD:
        raise DataError("this is Parquet, which is read from its end: name a FILE", display_name(path))
    if first.startswith(BEGIN) and is_parquet(path):
        from sstag.corpus.text.parquet_rows import row_lines  # NumPy comes with it, for which no help waits

        yield from row_lines(path)
    else:
        whole = chain([first], stream)
        yield from in_utf8(whole, encoding, display_name(path)) if encoding else whole


def folder_documents(
    path: str, pieces: Iterable[bytes], faults: Faults
) -> Iterator[tuple[str, Mapping[str, object], int]]:
    """The documents in the bytes of a folder: names, texts of files by their endings, and lines."""
    for record in json_records(path, pieces, faults):
        assert isinstance(record.value, Mapping)
        name, files, fault = (record.value.get(key) for key in ("name", "files", "fault"))
        assert isinstance(name, str)
        if isinstance(fault, str):
            faults.found(DataError(fault), os.path.join(path, name).encode())
            continue
        assert isinstance(files, Mapping)
        yield name, files, record.line


def folder_format(path: str) -> str | None:
    """The format of the files in a folder, by the endings of their names."""
    endings = {os.path.splitext(name)[1] for name in _names(path)}
    return next((FORMAT_OF[ending] for ending in FORMAT_OF if ending in endings), None)


def _records(path: str, encoding: str | None) -> Iterator[bytes]:
    """The documents of a folder in the order of their names."""
    stems: dict[str, dict[str, str]] = {}
    for name in _names(path):
        stem, ending = os.path.splitext(name)
        stems.setdefault(stem, {})[ending] = os.path.join(path, name)
    for stem, files in sorted(stems.items()):
        said: dict[str, object] = {"name": stem}
        try:
            said["files"] = {one: text_of(plain_inside(file, path), encoding) for one, file in files.items()}
        except DataError as error:
            said["fault"] = str(error)
        yield json.dumps(said).encode() + b"\n"


def _names(path: str) -> list[str]:
    """The names of the files with text and annotations, from the folder on."""
    found = []
    with translated_errors(path):
        for folder, folders, names in os.walk(path, onerror=_raise):
            inner = os.path.relpath(folder, path)
            found += [os.path.normpath(os.path.join(inner, name)) for name in names if name.endswith(ENDINGS)]
            for name in folders:
                _check_inside(os.path.join(folder, name), path)
    return sorted(name for name in found if not os.path.basename(name).startswith("."))


def _raise(error: OSError) -> None:
    name = display_name(os.fsdecode(error.filename))
    raise DataError(f"{(error.strerror or str(error)).lower()}", name) from error


def plain_inside(path: str, folder: str) -> str:
    """The path of a plain file in a folder; a pipe, a device or a link to somewhere else is an error.

    Nobody has named this file, so that it could be a link to anything that the user may read.
    """
    _check_inside(path, folder)
    if os.path.exists(path) and not os.path.isfile(path):
        raise DataError("is no plain file: take it out of the folder", display_name(path))
    return path


def _check_inside(path: str, folder: str) -> None:
    """Raises an error if a path is a link that leads out of a folder."""
    if not os.path.islink(path):
        return
    base, target = os.path.realpath(folder), os.path.realpath(path)
    if os.path.commonpath((base, target)) != base:
        raise DataError(f"is a link out of {display_name(folder)}: put a copy in its place", display_name(path))


def text_of(path: str, encoding: str | None = None) -> str:
    """The text of a small file."""
    data = contents(path, LONGEST)
    return decoded(b"".join(in_utf8([data], encoding, path)) if encoding else data, path)


def write_folder(target: str, documents: Iterator[Mapping[str, bytes]]) -> None:
    """Writes a new folder of files, given by their names for each document; it appears whole or not at all."""
    whole = os.path.abspath(target)
    if os.path.exists(whole) and (not os.path.isdir(whole) or os.listdir(whole)):
        raise DataError("exists already: a folder of documents has to be new, or empty", target)
    with translated_errors(target), place_for(Path(whole), folder=True) as place:
        for files in documents:
            for name, data in files.items():
                written = place.path / name
                written.parent.mkdir(parents=True, exist_ok=True)
                with open(written, "xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
        for folder, _, _ in os.walk(place.path):
            sync(Path(folder))
        os.chmod(place.path, 0o755)
        place.become(Path(whole))


def file_stem(name: str, taken: set[str], lost: Counter[str]) -> str:
    """A name of a document as that of a file within a folder, different from those that are taken."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    whole = "/".join("".join(c if c.isprintable() and c not in ':*?"<>|' else "_" for c in part) for part in parts)
    *folders, last = whole[:LONGEST_STEM].strip(" /").split("/")
    clean = "/".join([*(_file_name(part, ENDINGS) for part in folders), _file_name(last)])
    stem, number = clean, 2
    while stem in taken:
        stem, number = f"{clean}-{number}", number + 1
    taken.add(stem)
    lost[OTHER_NAMES] += stem != name
    return stem


def _file_name(part: str, endings: tuple[str, ...] = ()) -> str:
    """A part of a name that systems take and that is found again: not hidden, not too long, no folder like a file."""
    shown = f"_{part[1:]}" if part.startswith(".") else part
    cut = shown.encode()[:LONGEST_NAME].decode("utf-8", "ignore").rstrip(" ") or "document"
    return f"{cut}_" if endings and cut.endswith(endings) else cut
