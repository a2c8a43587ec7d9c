"""Blocks of sentences that are records of JSON with a list for each column."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sstag.corpus.blocks import Block
from sstag.corpus.formats.contract import Input
from sstag.corpus.made_blocks import Made, made_blocks
from sstag.corpus.text.faults import Faults, faults_of
from sstag.corpus.text.json_keys import a_list, an_object, kind
from sstag.corpus.text.json_records import Record, json_records
from sstag.corpus.text.named_rows import called, cell, words_of
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentence_records import ID, RecordComments
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json

LABELS = re.compile(r"(tag|label)s?$", re.IGNORECASE)  # how keys end whose list has a value for each word
UNSCORED = -100  # the number of a token whose tag does not count


def list_blocks(given: Input, options: TextOptions, words: str | None) -> Iterator[Block]:
    """The blocks of a file; `words` is the key of the words, by default a list that is called so, or the first one."""
    name = given.name
    with faults_of(given.path, given.report, options.skip_bad) as faults:
        records = json_records(given.path, given.pieces, faults)
        keys: list[str] = []
        columns: tuple[str, ...] = ()
        first: list[Record] = []
        for record in records:
            try:
                keys = _keys(record.value, words)
                columns = called(given.layout, keys, keys[0], name, record.line)
            except DataError as error:
                faults.found(DataError(error.message, name, record.line), record.raw)
            else:
                first.append(record)
                if _has_words(record, keys):
                    break

        comments = RecordComments(keys, options.keys.get("id", ID))
        label = columns.index(given.layout.label) if given.layout.label in columns else -1

        def sentences() -> Iterator[Made]:
            for some in (first, records):
                for record in some:
                    yield from _sentence(record, keys, label, options, comments, name, faults)

        yield from made_blocks(name, columns, sentences(), given.stream)


def _keys(value: Json, words: str | None) -> list[str]:
    """The keys of a record whose values are columns, that of the words first."""
    record = an_object(value, "the record")
    lists = [key for key, one in record.items() if isinstance(one, list) and _is_column(one)]
    lists = [key for key in lists if record[key]] or lists  # those of a record without a word
    key = words or (words_of(lists) if lists else None)
    if key is None or key not in record:
        raise DataError(f"no key '{key or 'tokens'}' with a list of words (--key tokens=NAME names it)")
    size = len(a_list(record[key], f"'{key}'"))
    others = [one for one in lists if one != key]
    for one in others:
        if LABELS.search(one) and len(a_list(record[one], one)) != size:
            raise _other_size(record, one, key)
    return [key, *(one for one in others if len(a_list(record[one], one)) == size)]


def _other_size(record: Mapping[str, Json], key: str, words: str) -> DataError:
    """The error for a list that should have a value for each word."""
    sizes = [len(a_list(record[one], one)) for one in (key, words)]
    return DataError(f"'{key}' has {sizes[0]} values, but '{words}' has {sizes[1]}")


def _has_words(record: Record, keys: Sequence[str]) -> bool:
    """Whether a record has a word, so that its lists are sure to be the columns: any others may be empty, too."""
    return isinstance(record.value, dict) and bool(record.value[keys[0]])


def _is_column(values: Sequence[Json]) -> bool:
    return all(isinstance(value, str | int) and not isinstance(value, bool) for value in values)


def _sentence(
    record: Record,
    keys: Sequence[str],
    label: int,
    options: TextOptions,
    comments: RecordComments,
    name: str,
    faults: Faults,
) -> Iterator[Made]:
    try:
        value = an_object(record.value, "the record")
        lists = [_list(value, key) for key in keys]
        for key, one in zip(keys, lists, strict=True):
            if len(one) != len(lists[0]):
                raise _other_size(value, key, keys[0])
        cells = [
            [_text(item, f"'{key}'[{n}]", options.tag_names if column == label else None) for n, item in enumerate(one)]
            for column, (key, one) in enumerate(zip(keys, lists, strict=True))
        ]
        made = Made(record.line, cells if cells[0] else (), comments.of(value, record))
    except DataError as error:
        faults.found(DataError(error.message, name, record.line), record.raw)
    else:
        yield made


def _list(record: Mapping[str, Json], key: str) -> Sequence[Json]:
    if key not in record:
        raise DataError(f"no key '{key}', which the records before have")
    return a_list(record[key], f"'{key}'")


def _text(value: Json, key: str, tag_names: Sequence[str] | None) -> str:
    """A value as a text; a number in the label column by its name."""
    if isinstance(value, str):
        if value.split() == [value] and "\0" not in value:
            return value
        made = cell(value)
        if made.encode().split() != [made.encode()] or "\0" in made:
            raise DataError(f"{key} is {kind(value)}: empty, or with control characters, which no column can hold")
        return made
    if isinstance(value, bool) or not isinstance(value, int):
        raise DataError(f"{key} is {kind(value)}, not a text or a whole number")
    if tag_names is None:
        return str(value)
    if value == UNSCORED:
        return "?"
    if not tag_names:
        raise DataError(f"{key} is {kind(value)}: --tag-names A,B,… says what numbers stand for")
    if not 0 <= value < len(tag_names):
        raise DataError(f"{key} is {kind(value)}, but --tag-names has {len(tag_names)} names")
    return tag_names[value]
