"""The format of a file by its first bytes, where they leave no doubt; and what is said of files that are no columns."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Mapping

from sstag.corpus.text.folders import bytes_of, folder_format
from sstag.corpus.text.parquet_bytes import is_parquet
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD
from sstag.foundation.json_values import Json
from sstag.foundation.sources import is_file

HEAD = 2**20  # bytes that are looked at, if a record is as long
JSON = re.compile(rb'\s*(\[\s*\{\s*"|\{\s*"[^"\n]*"\s*:)')
WEBANNO, CONLL2012, XMI = b"#FORMAT=WebAnno TSV 3", b"#begin document (", b"<xmi:XMI"
OF_PRODIGY = {"answer", "_input_hash", "_task_hash", "_view_id", "_annotator_id", "_session_id"}  # keys of its records
LINES = 20  # of a file that is no column file
SENTENCE = re.compile(rb"[^\W\d_][.!?,;:]['\")\]]*(\s|$)")


def guessed_format(path: str, encoding: str | None = None) -> str | None:
    """The name of the format that a file surely has, if its first bytes tell one; a stream is not looked at."""
    if os.path.isdir(path):
        return folder_format(path)
    if path == STANDARD or not is_file(path):
        return None
    head = bytearray()
    try:
        for piece in bytes_of(path, encoding):
            head += piece
            if not JSON.match(head) or b"\n" in piece or len(head) > HEAD:
                break
    except DataError:
        return None  # whoever reads the file says what is wrong with it
    start = bytes(head).removeprefix(BOM_UTF8)
    if start.startswith(WEBANNO):
        return "webanno"
    if start.startswith(CONLL2012):
        return "conll2012"
    if XMI in start[:4096]:
        return "xmi"
    if start and not JSON.match(start):
        return None
    return (_of_record(start) if start else None) or _of_rows(path)


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
        return "prodigy" if spoken else "doccano" if lists else None
    return "jsonl" if lists and _has(record, lists[0], str) else None


def _has(record: Mapping[str, Json], key: str, kind: type) -> bool:
    """Whether a record has a list of values of a kind."""
    value = record.get(key)
    return isinstance(value, list) and bool(value) and isinstance(value[0], kind)


def no_columns(head: bytes) -> str | None:
    """The message for the first bytes of a file that was given as columns, and surely is something else."""
    head = head.removeprefix(BOM_UTF8)
    if JSON.match(head):
        return "this is JSON, not columns: --from-format doccano (label-studio, prodigy, tokens, jsonl) reads it"
    if head.startswith((WEBANNO, CONLL2012)):
        name = "webanno" if head.startswith(WEBANNO) else "conll2012"
        return f"this is no column file: --from-format {name} reads it"
    lines = [line for line in head.split(b"\n")[:LINES] if line.strip()]
    for comma in (b",", b";"):
        counts = {line.count(comma) for line in lines}
        words = all(len(line.split()) == 1 and line.strip() != comma for line in lines)
        if len(lines) > 1 and len(counts) == 1 and counts != {0} and words:
            return "this is CSV, not columns: --from-format csv reads it"
    return None


def like_prose(head: bytes) -> bool:
    """Whether bytes whose lines have different numbers of fields look like sentences."""
    lines = [line for line in head.split(b"\n")[:LINES] if line.strip()]
    widths = {len(line.split()) for line in lines}
    ended = sum(bool(SENTENCE.search(line)) for line in lines)
    return bool(lines) and (len(widths) > 1 or max(widths) > 8) and 3 * ended >= len(lines)
