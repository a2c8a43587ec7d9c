"""Rows of a project that somebody may have sent: each is what sstag writes, or an error that names it.

All rows are looked at when a project is opened. What reads them later can rely on types, on spans that are inside of
their texts, and on labels that a column can hold.
"""

import logging
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from sstag.corpus.text.json_keys import Object, a_list, a_probability, a_text, a_whole, an_object
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.files import display_name
from sstag.foundation.json_values import Json, check_plain_json, json_value
from sstag.interfaces.annotate.answers import KEY, LONGEST_FEATURE, VERDICTS
from sstag.interfaces.annotate.connecting import recover
from sstag.interfaces.annotate.label_changes import LABELS, OUTSIDE, change_in
from sstag.interfaces.annotate.pool import number_of
from sstag.interfaces.annotate.settings import is_label_name

Row: TypeAlias = Mapping[str, object]
log = logging.getLogger(__name__)
MODEL = re.compile(r"[0-9]{6}\.model")
MOMENT = 2.0  # seconds, after which a line says what takes so long
BREAKS = {*"\t\r\n\0"}  # characters that a line of a file cannot hold
ROUNDED = 1e-3  # how far a rounded probability may be beyond 0 or 1
LONGEST_NAME, LONGEST_ORIGIN = 200, 10_000  # characters
ANSWERS = ("yes", "no", "open", "skip", OUTSIDE)
assert {*VERDICTS} <= {*ANSWERS}
TABLES = {  # in the order in which they refer to one another: what is asked of each, and what its rows are called
    "setting": ("select name as id, name, value from setting", "setting"),
    "annotator": ("select * from annotator", "annotator"),
    "session": ("select * from session", "session"),
    "text": ("select * from text", "text"),
    "model": ("select * from model", "model"),
    "suggestion": (
        "select s.text as id, s.source, s.spans, t.columns from suggestion s join text t on t.id = s.text",
        "suggestion for text",
    ),
    "question": ("select q.*, t.columns from question q join text t on t.id = q.text", "question"),
    "event": ("select e.*, t.columns, t.hash from event e left join text t on t.id = e.text", "answer"),
}


def check_rows(file: sqlite3.Connection, path: str) -> None:
    """Raises an error that names the first row that sstag would not have written."""
    tokens, begin, is_told = Tokens(), time.monotonic(), False
    for table in TABLES:
        for row, error in checked_rows(file, table, tokens):
            if not is_told and time.monotonic() - begin > MOMENT:
                log.warning("%s: is looked through, since somebody may have sent it", display_name(path))
                is_told = True
            if error:
                what = f"is damaged ({TABLES[table][1]} {str(row['id'])[:40]}: {error})"
                raise DataError(f"{what}: {recover(path)}", path)


def checked_rows(file: sqlite3.Connection, table: str, tokens: "Tokens") -> Iterator[tuple[sqlite3.Row, str | None]]:
    """The rows of a table, each with what is wrong with it."""
    for row in file.execute(TABLES[table][0]):
        yield row, fault_of(table, dict(row), tokens)


def fault_of(table: str, row: Row, tokens: "Tokens") -> str | None:
    """The fault of a row, None if it is one that sstag writes."""
    try:
        CHECKS[table](row, tokens)
    except (SstagError, ValueError) as error:
        return str(error)
    return None


class Tokens:
    """The numbers of words of texts, each of which is looked into once."""

    def __init__(self) -> None:
        self._of: dict[object, int] = {}

    def of(self, number: object, columns: object) -> int:
        """The number of words of a text."""
        if number not in self._of:
            self._of[number] = words_in(columns)
        return self._of[number]


def words_in(columns: object) -> int:
    """The number of words of a text, all of whose columns are as a column file can have them."""
    body = _object(columns)
    given = an_object(body.get("columns"), "columns")
    word = a_text(body.get("word"), "word")
    lengths = {len(_cells(cells, name)) for name, cells in given.items()}
    if word not in given or len(lengths) != 1 or not lengths.copy().pop():
        raise DataError("it has no words, or columns that are not alike")
    tokens = lengths.pop()
    _below(body.get("joined"), tokens, "joined")
    origin = an_object(body.get("origin", {}), "origin")
    names = [a_text(name, "a name") for name in a_list(origin.get("names", []), "names")]
    if any(len(name) > LONGEST_ORIGIN for name in names):
        raise DataError(f"a name has more than {LONGEST_ORIGIN:,} characters")
    if origin.get("text") is not None:
        a_text(origin["text"], "text")
    for place in (origin.get("begin", 0), *a_list(origin.get("starts") or [], "'starts'")):  # exports look if it fits
        if not isinstance(place, int):
            raise DataError("a place in a text is no whole number")
    return tokens


def _cells(given: Json, name: str) -> list[str]:
    cells = [a_text(cell, f"column {name:.40}") for cell in a_list(given, f"column {name:.40}")]
    if (
        not name
        or set(name) & BREAKS
        or any(cell.encode().split() != [cell.encode()] or "\0" in cell for cell in cells)
    ):
        raise DataError(f"column {name:.40} has an empty cell, or one with a blank")
    return cells


def _below(given: Json, most: int, key: str) -> list[int]:
    numbers = [] if given is None else [a_whole(one, f"'{key}'") for one in a_list(given, f"'{key}'")]
    if any(number >= most for number in numbers):
        raise DataError(f"'{key}' is beyond its text")
    return numbers


def _value(stored: object) -> Json:
    if not isinstance(stored, str):
        raise DataError("it is no text")
    value = json_value(stored)
    check_plain_json(value)
    return value


def _object(stored: object) -> Object:
    return an_object(_value(stored), "what it says")


def _finite(*numbers: object) -> None:
    for number in numbers:
        if not isinstance(number, int | float) or not math.isfinite(number) or number < 0:
            raise DataError("a time is no number from 0 up")


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise DataError(f"a name has 1 to {longest:,} characters")
    return value


def _share(value: Json, key: str) -> float | None:
    number = a_probability(value, key)
    if number is not None and not -ROUNDED <= number <= 1 + ROUNDED:
        raise DataError(f"{key} is {number:g}, not a number from 0 to 1")
    return number


def _setting(row: Row, tokens: Tokens) -> None:
    _value(row["value"])


def _annotator(row: Row, tokens: Tokens) -> None:
    _text(row["name"], LONGEST_NAME)
    for key in _object(row["keys"]).values():
        a_text(key, "a key")


def _session(row: Row, tokens: Tokens) -> None:
    _text(row["origin"], LONGEST_ORIGIN)
    _finite(row["began"])


def _text_row(row: Row, tokens: Tokens) -> None:
    if number_of(str(row["hash"])) is None:
        raise DataError(f"'{row['hash']!s:.40}' is no hash of a text")
    tokens.of(row["id"], row["columns"])


def _model(row: Row, tokens: Tokens) -> None:
    if not MODEL.fullmatch(str(row["file"])):
        raise DataError(f"'{row['file']!s:.60}' is no name of a model here")
    _finite(row["made"], row["event"])
    said = _object(row["said"])
    for key in ("answers", "lost"):
        a_whole(said.get(key), f"'{key}'")
    for name, figure in an_object(said.get("figures") or {}, "'figures'").items():
        _share(figure, f"'{name:.40}'")


def _suggestion(row: Row, tokens: Tokens) -> None:
    _text(row["source"], LONGEST_ORIGIN)
    _spans(_value(row["spans"]), tokens.of(row["id"], row["columns"]))


def _question(row: Row, tokens: Tokens) -> None:
    _text(row["strategy"], LONGEST_NAME)
    _finite(row["asked"])
    _shown(_object(row["shown"]), tokens.of(row["text"], row["columns"]))


def _shown(shown: Object, tokens: int) -> None:
    """Looks at what was shown with a text: spans, how sure each word is, and the doubts."""
    if (suggested := shown.get("suggested")) is not None:
        _spans(suggested, tokens)
    certainty = a_list(shown.get("certainty") or [], "'certainty'")
    if len(certainty) not in (0, tokens):
        raise DataError("'certainty' has not a number for each word")
    for number in certainty:
        _share(number, "'certainty'")
    for token, shares in an_object(shown.get("doubts") or {}, "'doubts'").items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < tokens):
            raise DataError("'doubts' are beyond the text")
        for share in an_object(shares, "'doubts'").values():
            _share(share, "'doubts'")


def _spans(given: Json, tokens: int, apart: bool = False, named: bool = True) -> list[tuple[int, int]]:
    """The places of spans in a text, which if they are to be apart are in order, too."""
    places = [_span(an_object(one, "a span"), tokens, named) for one in a_list(given, "spans")]
    if apart and any(first[1] > second[0] for first, second in pairwise(places)):
        raise DataError("two spans have one word")
    return places


def _span(span: Object, tokens: int, named: bool = True) -> tuple[int, int]:
    first, stop = (a_whole(span.get(end), f"'{end}'") for end in ("first", "stop"))
    if not first < stop <= tokens:
        raise DataError(f"there is no span from {first} to {stop} in {tokens} words")
    labels = [a_text(one, "a label") for one in a_list(span.get("labels", []), "'labels'")]
    if bool(labels) != named or not all(label == OUTSIDE_LABEL or is_label_name(label) for label in labels):
        raise DataError("a span has no label, or one that a column cannot hold")
    _share(span.get("probability"), "'probability'")
    return first, stop


def _event(row: Row, tokens: Tokens) -> None:
    kind, said = row["kind"], _value(row["said"])
    if not KEY.fullmatch(str(row["key"])) or not isinstance(row["thing"], str):
        raise DataError("its key, or what it is about, is none")
    _finite(row["at"], row["seconds"])
    shown = _object(row["shown"])
    if kind not in SAID:
        raise DataError(f"there is no answer of the kind '{kind!s:.40}'")
    if kind in OF_TEXTS:
        if row["text"] is None or row["hash"] is None:
            raise DataError("it is about no text")
        _shown(shown, tokens.of(row["text"], row["columns"]))
    SAID[kind](said, tokens.of(row["text"], row["columns"]) if kind in OF_TEXTS else 0)


def _whole_text(said: Json, tokens: int) -> None:
    body = an_object(said, "what it says")
    every = [
        place
        for key, named in (("spans", True), ("open", False), ("forbidden", True))
        for place in _spans(body.get(key), tokens, apart=True, named=named)
    ]
    every.sort()
    if any(first[1] > second[0] for first, second in pairwise(every)):
        raise DataError("two spans have one word")


def _verdict(said: Json, tokens: int) -> None:
    body = an_object(said, "what it says")
    _span(body, tokens)
    if body.get("answer") not in ANSWERS:
        raise DataError("it answers neither yes nor no")


def _feature(said: Json, tokens: int) -> None:
    body = an_object(said, "what it says")
    feature = a_text(body.get("feature"), "'feature'")
    if not feature or len(feature) > LONGEST_FEATURE or set(feature) & BREAKS:
        raise DataError(f"'feature' is a text of at most {LONGEST_FEATURE:,} characters on one line")
    if len([name for name in ("labels", "shares", "nothing") if body.get(name) is not None]) != 1:
        raise DataError("a feature has 'labels', 'shares' or 'nothing', and one of these alone")
    for label in a_list(body.get("labels") or [], "'labels'"):
        _label(label)
    for label, share in an_object(body.get("shares") or {}, "'shares'").items():
        _label(label)
        if _share(share, "a share") is None:
            raise DataError("a share is a number from 0 to 1")


def _gazetteer(said: Json, tokens: int) -> None:
    body = an_object(said, "what it says")
    _text(body.get("name"), LONGEST_NAME)
    _label(body.get("label"))
    word = a_text(body.get("word"), "'word'")
    terms = [a_text(term, "a term") for term in a_list(body.get("terms"), "'terms'")]
    if word.split() != [word] or any(len(term) > LONGEST_FEATURE or set(term) & BREAKS for term in terms):
        raise DataError("a term is on one line")


def _label(label: Json) -> None:
    if not isinstance(label, str) or not (label == OUTSIDE_LABEL or is_label_name(label)):
        raise DataError("a label is one that a column can hold")


def _nothing(said: Json, tokens: int) -> None:
    if said is not None:
        raise DataError("it says something, and should not")


def _change(said: Json, tokens: int) -> None:
    change = change_in(an_object(said, "what it says"))
    for label in (*change.added, *change.renamed, *change.renamed.values(), *change.removed):
        _label(label)


def check_findings(said: Object) -> None:
    """Raises an error if what a training found of the pool is not as a training writes it."""
    check_plain_json(said)
    for key in ("event", "answers", "lost"):
        a_whole(said.get(key), f"'{key}'")
    for hash in a_list(said.get("ranking"), "'ranking'"):
        _hash(hash)
    for doubt in a_list(said.get("doubts"), "'doubts'"):
        span = an_object(doubt, "a doubt")
        _hash(span.get("text"))
        _span(span, a_whole(span.get("stop"), "'stop'"))
        if span.get("probability") is None:
            raise DataError("a doubt has no probability")
    for effect in an_object(said.get("effects"), "'effects'").values():
        about = an_object(effect, "an effect")
        a_whole(about.get("occurrences"), "'occurrences'")
        for key in ("before", "after"):
            for share in an_object(about.get(key) or {}, f"'{key}'").values():
                _share(share, f"'{key}'")


def check_suspects(given: Json) -> list[Object]:
    """The suspects of a search, which are an error if they are not as a search writes them."""
    check_plain_json(given)
    found = [an_object(one, "a suspect") for one in a_list(given, "suspects")]
    for one in found:
        _hash(one.get("text"))
        _span(one, a_whole(one.get("stop"), "'stop'"), named=False)
        for key in ("given", "found"):
            for label in a_list(one.get(key), f"'{key}'"):
                _label(label)
        _share(one.get("probability"), "'probability'")
    return found


def _hash(value: Json) -> None:
    if not isinstance(value, str) or number_of(value) is None:
        raise DataError("that is no hash of a text")


OUTSIDE_LABEL = "O"
OF_TEXTS = ("sentence", "decision", "skip", "span")
SAID: dict[str, Callable[[Json, int], None]] = {
    "sentence": _whole_text,
    "decision": _whole_text,
    "skip": _nothing,
    "span": _verdict,
    "feature": _feature,
    "gazetteer": _gazetteer,
    "undo": _nothing,
    LABELS: _change,
}
CHECKS: dict[str, Callable[[Row, Tokens], None]] = {
    "setting": _setting,
    "annotator": _annotator,
    "session": _session,
    "text": _text_row,
    "model": _model,
    "suggestion": _suggestion,
    "question": _question,
    "event": _event,
}
