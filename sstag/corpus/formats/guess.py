"""The format of a file by its first bytes, where they leave no doubt; and what is said of files that are no columns."""

import os
import re
import shlex
from codecs import BOM_UTF8
from collections.abc import Mapping

from sstag.corpus.column_names import WORDS
from sstag.corpus.formats.prose_guess import HEAD, is_prose
from sstag.corpus.text.folders import bytes_of, folder_format
from sstag.corpus.text.parquet_bytes import is_parquet
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, inflated_start
from sstag.foundation.json_values import Json
from sstag.foundation.sources import is_file
from sstag.foundation.streams import is_stream, looked

RECORD = 2**20  # bytes that are looked at, if a record is as long
JSON = re.compile(rb'\s*(\[\s*\{\s*"|\{\s*"[^"\n]*"\s*:)')
PAIR = re.compile(rb'\s*\[\s*"([^"\\]|\\.)*"\s*,\s*\{\s*"')  # spaCy's text and an object with its spans
WEBANNO, CONLL2012, XMI = b"#FORMAT=WebAnno TSV 3", b"#begin document (", b"<xmi:XMI"
OF_PRODIGY = {"answer", "_input_hash", "_task_hash", "_view_id", "_annotator_id", "_session_id"}  # keys of its records
LINES = 20  # of a file that is no column file
SENTENCE = re.compile(rb"[^\W\d_][.!?,;:]['\")\]]*(\s|$)")


def guessed_format(path: str, encoding: str | None = None) -> str | None:
    """The name of the format that a file surely has, if its first bytes tell one; prose is left to `is_prose`."""
    if os.path.isdir(path):
        return folder_format(path)
    start = head_of(path, encoding)
    if start and not JSON.match(start):
        return _of_start(start)
    return (_of_record(start) if start else None) or _of_rows(path)


def _of_start(start: bytes) -> str | None:
    """The format that a file surely has which begins with these bytes, and is no list of records of JSON."""
    if start.startswith(WEBANNO):
        return "webanno"
    if start.startswith(CONLL2012):
        return "conll2012"
    if start.lstrip().startswith(b"<") and XMI in start[:4096]:
        return "xmi"
    return "doccano" if PAIR.match(start) else "csv" if _names_words(start) else None


def head_of(path: str, encoding: str | None = None) -> bytes:
    """The first bytes of a file in UTF-8, without a mark: of JSON the first record, of others a few lines."""
    head = bytearray()
    if is_stream(path):
        raw = looked(path, lambda data: _is_enough(inflated_start(data, RECORD)))
        start = inflated_start(raw, RECORD)
        head += start.decode(encoding, errors="ignore").encode() if encoding else start
    elif not os.path.isdir(path) and is_file(path):
        try:
            for piece in bytes_of(path, encoding):
                head += piece
                if _is_enough(head):
                    break
        except DataError:
            return b""  # whoever reads the file says what is wrong with it
    return bytes(head).removeprefix(BOM_UTF8)


def _is_enough(head: bytes | bytearray) -> bool:
    """Whether the format is told by these first bytes, whatever comes after them."""
    if JSON.match(head.removeprefix(BOM_UTF8)):
        return b"\n" in head or len(head) > RECORD
    return len(head) >= HEAD


def _of_rows(path: str) -> str | None:
    """The format of rows of Parquet, which are read as JSON: where there is none, or one that tells nothing."""
    if not is_parquet(path):
        return None
    from sstag.corpus.text.parquet_rows import has_words  # NumPy comes with it, for which no help waits

    return "tokens" if has_words(path) else "doccano"


def _of_record(head: bytes) -> str | None:
    """The format that the first record of a file of JSON belongs to."""
    import json

    text = head.decode(errors="ignore")
    try:
        record, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return None
    lists = [key for key, value in record.items() if isinstance(value, list)]
    if isinstance(record.get("data"), dict):
        return "label-studio"
    if _has(record, "tokens", str):
        return "tokens"
    if isinstance(record.get("text"), str) and not {"start", "end"} <= {*lists}:
        spoken = OF_PRODIGY & record.keys() or _has(record, "tokens", dict)
        return "prodigy" if spoken else "doccano"
    return "jsonl" if lists and _has(record, lists[0], str) else None


def _has(record: Mapping[str, Json], key: str, kind: type) -> bool:
    """Whether a record has a list of values of a kind."""
    value = record.get(key)
    return isinstance(value, list) and bool(value) and isinstance(value[0], kind)


def _names_words(head: bytes) -> bool:
    """Whether these are rows of CSV under a row of names, one of which is what files call their words."""
    names = re.split(r"[,;]", head.split(b"\n", 1)[0].decode(errors="replace").strip())
    return _is_csv(head) and any(map(WORDS.fullmatch, names))


def no_columns(head: bytes, path: str) -> str | None:
    """The message for the first bytes of a file that was given as columns, and surely is something else."""
    head = head.removeprefix(BOM_UTF8)
    if JSON.match(head) or PAIR.match(head):
        name = "doccano" if PAIR.match(head) else _of_record(head)
        return f"this is JSON, not columns{f': {reads_it(path, name)}' if name else ''}"
    if head.startswith((WEBANNO, CONLL2012)):
        name = "webanno" if head.startswith(WEBANNO) else "conll2012"
        return f"this is no column file: {reads_it(path, name)}"
    return f"this is CSV, not columns: {reads_it(path, 'csv')}" if _is_csv(head) else None


def is_misread(head: bytes) -> bool:
    """Whether a file of columns that begins with these bytes would be taken for something else, or refused."""
    return bool(no_columns(head, "") or _of_start(head) or is_prose(head))


def reads_it(path: str, name: str) -> str:
    """The advice to name the format of a file, which is the one of this file alone."""
    return f"--from-format {name if path == STANDARD else shlex.quote(f'{path}={name}')} reads it"


def _is_csv(head: bytes) -> bool:
    """Whether each of the first lines has as many commas, and no blank."""
    lines = [line for line in head.split(b"\n")[:LINES] if line.strip()]
    for comma in (b",", b";"):
        counts = {line.count(comma) for line in lines}
        words = all(len(line.split()) == 1 and line.strip() != comma for line in lines)
        if len(lines) > 1 and len(counts) == 1 and counts != {0} and words:
            return True
    return False
