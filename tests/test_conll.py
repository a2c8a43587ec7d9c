"""Column files: every byte comes back, a reader of a few lines agrees, and faults are one-line errors with a line."""

import gzip
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sstag.corpus import token_lines
from sstag.corpus.blocks import Block, text_with
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats.columns import COLUMNS
from sstag.corpus.formats.conllu import CONLLU, NAMES
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read, read_blocks
from sstag.foundation.errors import ConfigError, DataError, SstagError
from tests.column_files import BOM, Sentence, column_files, ends, reference, small_blocks, tokens

Saved = Callable[[bytes], str]

TREEBANK = Layout(label="upos", format=CONLLU)


def said(corpus: Corpus) -> list[Sentence]:
    """The sentences of a corpus in the form that the reader of a few lines gives them."""
    return [
        [
            (
                int(corpus.lines[t]),
                [values[codes[t]] for values, codes in zip(corpus.values, corpus.codes, strict=True)],
            )
            for t in range(begin, end)
        ]
        for begin, end in zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True)
    ]


@given(column_files(), st.integers(1, 60), st.integers(1, 30))
@example(b"# NN\n= SYM\n", 1, 1)
@example(b"\xef\xbb\xbf", 1, 1)
@example(b"\n\n\xef\xbb\xbfa b\n", 1, 2)
def test_reading_agrees_with_the_reference(saved: Saved, data: bytes, block: int, piece: int) -> None:
    path = saved(data)
    whole = joined(read_blocks(path), path)
    assert said(whole) == reference(data)
    with small_blocks(block, piece):
        again = joined(read_blocks(path), path)
    assert said(again) == said(whole)
    assert again.values == whole.values


@given(column_files(min_sentences=1))
def test_values_stand_in_the_order_of_their_first_use(saved: Saved, data: bytes) -> None:
    assume(reference(data))
    corpus = read(saved(data))
    for values, codes in zip(corpus.values, corpus.codes, strict=True):
        assert len(set(values)) == len(values)
        _, first = np.unique(codes, return_index=True)
        assert np.all(np.diff(first) > 0)
        assert len(first) == len(values)


@given(column_files(), st.integers(1, 60), st.integers(1, 30))
def test_every_byte_comes_back(saved: Saved, data: bytes, block: int, piece: int) -> None:
    path = saved(data)
    with small_blocks(block, piece):
        blocks = list(read_blocks(path))
    assert b"".join(one.text for one in blocks) == data
    for one in blocks:
        for name, values in zip(one.columns, one.fields, strict=True):
            assert text_with(one, values, name) == one.text


@given(column_files(min_sentences=1), st.data())
def test_a_replaced_column_changes_nothing_else(saved: Saved, data: bytes, draw: st.DataObject) -> None:
    path = saved(data)
    before = joined(read_blocks(path), path)
    assume(before.tokens)
    index = draw.draw(st.integers(0, len(before.columns) - 1))
    if index == 0:  # a new first word must not make another kind of line
        new = [b"NEW%d" % t for t in range(before.tokens)]
    else:
        new = [value.encode() for value in draw.draw(st.lists(tokens, min_size=before.tokens, max_size=before.tokens))]
    changed = _rewritten(list(read_blocks(path)), new, before.columns[index])
    wanted = [fields for sentence in reference(data) for _, fields in sentence]
    for fields, value in zip(wanted, new, strict=True):
        fields[index] = value.decode()
    now = _lines(changed)
    assume([line for sentence in reference(changed) for line, _ in sentence] == before.lines.tolist())
    assert [fields for sentence in reference(changed) for _, fields in sentence] == wanted
    rest = set(range(len(now))) - {line - 1 for line in before.lines.tolist()}
    assert [now[i] for i in rest] == [_lines(data)[i] for i in rest]
    assert re.findall(rb"[ \t\r\n\v\f]+", changed) == re.findall(rb"[ \t\r\n\v\f]+", data)


@given(column_files(min_sentences=1), st.data())
def test_an_added_column_is_the_last_and_changes_nothing_else(saved: Saved, data: bytes, draw: st.DataObject) -> None:
    path = saved(data)
    before = joined(read_blocks(path), path)
    assume(before.tokens)
    new = [value.encode() for value in draw.draw(st.lists(tokens, min_size=before.tokens, max_size=before.tokens))]
    changed = _rewritten(list(read_blocks(path)), new, None)
    assume([line for sentence in reference(changed) for line, _ in sentence] == before.lines.tolist())
    wanted = [fields for sentence in reference(data) for _, fields in sentence]
    assert [fields for sentence in reference(changed) for _, fields in sentence] == [
        [*fields, value.decode()] for fields, value in zip(wanted, new, strict=True)
    ]
    tokens_at = {line - 1 for line in before.lines.tolist()}
    for index, (old, now) in enumerate(zip(_lines(data), _lines(changed), strict=True)):
        assert now == old if index not in tokens_at else now.startswith(old.rstrip())
        assert now.endswith(b"\r") == old.endswith(b"\r")


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def _rewritten(blocks: list[Block], values: list[bytes], column: str | None) -> bytes:
    bounds = np.cumsum([0, *(len(block.rows) for block in blocks)]).tolist()
    parts = zip(blocks, bounds[:-1], bounds[1:], strict=True)
    return b"".join(text_with(block, values[begin:end], column) for block, begin, end in parts)


@pytest.mark.parametrize(
    ("data", "column", "changed"),
    [
        (b"\xef\xbb\xbfa b\r\nc d\r\n", None, b"\xef\xbb\xbfa b X\r\nc d Y\r\n"),
        (b"\xef\xbb\xbfa b\r\nc d\r\n", "word", b"\xef\xbb\xbfX b\r\nY d\r\n"),
        (b"a\tb  \n\n\nc\td", None, b"a\tb\tX\n\n\nc\td\tY"),
        (b" a  b \r\n-DOCSTART- O\nc\t d", "label", b" a  X \r\n-DOCSTART- O\nc\t Y"),
        (b"# id = b\na b\nb b\n", "label", b"# id = b\na X\nb Y\n"),
    ],
)
def test_changes_written_out(saved: Saved, data: bytes, column: str | None, changed: bytes) -> None:
    (block,) = read_blocks(saved(data))
    assert text_with(block, [b"X", b"Y"], column) == changed


@pytest.mark.parametrize(
    ("data", "sentences"),
    [
        (b"a B\nb I\n\nc B\n", [["a", "b"], ["c"]]),
        (b"-DOCSTART- O\na B\n-DOCSTART- -X- -X- O\nb B", [["a"], ["b"]]),
        (b"-DOCSTART-1 O\n", [["-DOCSTART-1"]]),
        (b"a O\n# = O\n", None),
        (b"# sent_id = 1\n# text = a b\na O\n", [["a"]]),
        (b"# NN\n= SYM\n", [["#", "="]]),
        (b"#\nkey\n=\n", [["#", "key", "="]]),
        (b"# #\n- :\n", [["#", "-"]]),
        (b"a\xc2\xa0b O\n\xe3\x80\x80 O\n\xc2\x85 O\n", [["a\u00a0b", "\u3000", "\u0085"]]),
    ],
)
def test_lines_of_every_kind(saved: Saved, data: bytes, sentences: list[list[str]] | None) -> None:
    path = saved(data)
    if sentences is None:
        with pytest.raises(DataError):
            read(path)
        return
    corpus = read(path)
    assert [corpus.words("word", s) for s in range(corpus.sentences)] == sentences


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"a b\n\na b\nc\n", 4, "1 column where the lines before have 2"),
        (b"a b\nc d e\n", 2, "3 columns where the lines before have 2"),
        (b"a b\r\n\r\n\xff b\r\n", 3, "not UTF-8 (byte 0xff)"),
        (b"a b\n\xed\xa0\x80 c\n", 2, "not UTF-8"),
        (b"a b\nc \xe2\x82\nd e\n", 2, "not UTF-8"),
        (b"a b\nc\0 d\n", 2, "a NUL byte"),
        ("a b\n".encode("utf-16"), 1, "if it is utf-16, --encoding utf-16 reads it"),
        ("a b\n".encode("utf-16-le"), 1, "a NUL byte"),
        (b"a b\rc d\r", 1, "a carriage return inside a line"),
        (b"a b\nc d\r\r\n", 2, "a carriage return inside a line"),
        (b"", None, "no sentence in it"),
        (b"\xef\xbb\xbf", None, "no sentence in it"),
        (b"\n \r\n# text = a\n-DOCSTART- O\n", None, "no sentence in it"),
    ],
)
@pytest.mark.parametrize("block", [1, 2**20])
def test_faults_are_errors_of_one_line(saved: Saved, data: bytes, line: int | None, message: str, block: int) -> None:
    path = saved(data)
    with small_blocks(block, 2 if block == 1 else 2**16), pytest.raises(DataError) as error:
        read(path)
    assert (error.value.path, error.value.line) == (path, line)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@given(column_files(min_sentences=1, width=3), st.data())
def test_faults_reported_leave_out_just_their_sentences(saved: Saved, data: bytes, draw: st.DataObject) -> None:
    sentences = reference(data)
    assume(sentences)
    lines = _lines(data)
    others = [line for sentence in sentences for line, _ in sentence][1:]
    bad = draw.draw(st.sets(st.sampled_from(others), max_size=3)) if others else set()
    for line in bad:
        lines[line - 1] = b"two fields"
    path = saved(b"\n".join(lines))
    faults: list[DataError] = []
    with small_blocks(draw.draw(st.integers(1, 60)), 5):
        corpus = joined(read_blocks(path, report=faults.append), path)
    assert said(corpus) == [sentence for sentence in sentences if not bad & {line for line, _ in sentence}]
    told = 1 if others and lines[sentences[0][0][0] - 1].split()[0] == b"#" else len(bad)  # it may be a comment
    lines_of_faults = [fault.line for fault in faults if "is this prose" not in fault.message]
    assert lines_of_faults == sorted(bad)[:told]
    assert {fault.path for fault in faults} <= {path}


def test_sentences_left_out_are_written_as_they_are(saved: Saved) -> None:
    (block,) = read_blocks(saved(b"a b\n\nc\nd e\n\nf g\n"), report=lambda _: None)
    assert text_with(block, [b"X", b"Y"], "label") == b"a X\n\nc\nd e\n\nf Y\n"


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a b\n" * 100, 1), (b"x" * 400, 1), (b"\n\n" + b"a b\n" * 100, 3), (b"a b\n\n" + b"x" * 400, 3)],
)
def test_what_has_no_blank_lines_ends_at_a_bound(
    saved: Saved, monkeypatch: pytest.MonkeyPatch, data: bytes, line: int
) -> None:
    monkeypatch.setattr(token_lines, "LONGEST", 200)
    path = saved(data)
    with small_blocks(16, 8), pytest.raises(DataError, match="no blank line") as error:
        read(path)
    assert (error.value.path, error.value.line) == (path, line)


def test_the_bound_holds_at_the_end_of_a_file(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_lines, "LONGEST", 200)
    with small_blocks(16, 2**16):
        assert said(read(saved(b"a b\n" * 50))) == reference(b"a b\n" * 50)
        for before, line in ((b"", 1), (b"a b\n\n", 3)):
            with pytest.raises(DataError, match=f"file:{line}: no blank line"):
                read(saved(before + b"a b\n" * 51))


def test_an_endless_line_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read1(self, size: int = -1) -> bytes:
            self.given += size
            assert self.given < 4000
            return b"x" * size

    monkeypatch.setattr(token_lines, "LONGEST", 1000)
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": Endless()})())
    with small_blocks(16, 8), pytest.raises(DataError, match="<stdin>:1: no blank line"):
        read("-")


def test_sentences_of_any_length_up_to_the_bound_are_read(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_lines, "LONGEST", 200)
    data = b"a b\n" * 50 + b"\n" + b"c d\n" * 50
    with small_blocks(16, 8):
        assert said(read(saved(data))) == reference(data)


@given(column_files(), st.lists(st.integers(1, 9), min_size=1))
def test_a_stream_lets_sentences_out_as_soon_as_their_blank_line_is_there(data: bytes, sizes: list[int]) -> None:
    arrived = bytearray()

    def arriving() -> Iterator[bytes]:
        while len(arrived) < len(data):
            part = data[len(arrived) :][: sizes[len(arrived) % len(sizes)]]
            arrived.extend(part)
            yield part
            complete = [end for end in _ends_of_blank_lines(data) if end <= len(arrived)]
            assert len(given) == max(complete, default=0)

    given = bytearray()
    for block in read_blocks("-", data=arriving(), stream=True):
        given.extend(block.text)
    assert given == data


def _ends_of_blank_lines(data: bytes) -> list[int]:
    ends = np.cumsum([len(line) + 1 for line in data.split(b"\n")]).tolist()
    return [end for line, end in zip(data.split(b"\n")[:-1], ends, strict=False) if not line.strip()]


@pytest.mark.parametrize("data", [b"x" * 2**23, b"a b\n" * 2**21], ids=["one line", "many lines"])
def test_the_search_for_a_blank_line_is_linear(data: bytes, alarm: Callable[[int], AbstractContextManager]) -> None:
    parts = (data[at : at + 16] for at in range(0, len(data), 16))
    with alarm(15):
        assert list(token_lines._whole_sentences(parts, "-", stream=True)) == [data]


def test_gzip_and_standard_input(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a b\n\nc d\n"
    packed = gzip.compress(data[:5]) + gzip.compress(data[5:]) + bytes(7)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    piped = read("-")
    assert said(piped) == said(read(saved(packed))) == reference(data)
    assert piped.path == "<stdin>"


@given(st.binary(max_size=60), st.booleans(), st.integers(1, 30))
@example(b"1-2\ta\n", True, 1)
@example(b"\t\n", True, 1)
@example(b"1" + 9 * b"\t \v", True, 1)
@example(b"#", False, 1)
def test_arbitrary_bytes_are_read_or_are_an_error(saved: Saved, data: bytes, conllu: bool, block: int) -> None:
    path = saved(data)
    with small_blocks(block, 7), suppress(SstagError):
        assert b"".join(one.text for one in read_blocks(path, Layout(format=CONLLU if conllu else COLUMNS))) == data


@given(column_files(min_sentences=1), st.data())
def test_damaged_files_are_read_or_are_an_error(saved: Saved, data: bytes, draw: st.DataObject) -> None:
    damaged = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(damaged)))
        damaged[at : at + draw.draw(st.integers(0, 3))] = draw.draw(
            st.sampled_from([b"", b"\r", b"\n", b"\n\n", b" ", b"\0", b"\xff", b"\x80", b"\t", b"# a =", b"-DOCSTART-"])
        )
    path = saved(bytes(damaged))
    with suppress(SstagError):
        corpus = joined(read_blocks(path), path)
        assert said(corpus) == reference(bytes(damaged))


# CoNLL-U
cells = st.one_of(
    st.sampled_from(["_", "a b", "#", "1-2", "-DOCSTART-", "é", "\u00a0"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\t\r\n"), min_size=1, max_size=4),
)
numbers = st.builds(str, st.integers(1, 40))
ranges = st.builds("{}{}{}".format, numbers, st.sampled_from("-."), numbers)


@st.composite
def treebanks(draw: st.DrawFn) -> tuple[bytes, list[Sentence]]:
    """CoNLL-U files and what they say."""
    lines: list[str] = []
    sentences: list[Sentence] = []
    for _ in range(draw(st.integers(0, 4))):
        sentences.append([])
        lines += draw(st.lists(st.sampled_from(["# text = a b", "#", "# newpar", "#1\t2"]), max_size=2))
        for number in range(1, draw(st.integers(2, 4))):
            if draw(st.booleans()):
                lines.append("\t".join([draw(ranges), *(draw(cells) for _ in range(9))]))
            row = [str(number), *(draw(cells) for _ in range(9))]
            lines.append("\t".join(row))
            sentences[-1].append((len(lines), row))
        lines += [""] * draw(st.integers(1, 2))
    text = draw(st.sampled_from(["", BOM])) + "".join(line + draw(ends) for line in lines)
    return text.encode(), sentences


@given(treebanks(), st.integers(1, 200))
def test_conllu_is_read_and_comes_back(saved: Saved, treebank: tuple[bytes, list[Sentence]], block: int) -> None:
    data, sentences = treebank
    path = saved(data)
    with small_blocks(block, 30):
        blocks = list(read_blocks(path, TREEBANK))
    assert said(joined(blocks, path)) == sentences
    for one in blocks:
        for name, values in zip(one.columns, one.fields, strict=True):
            assert text_with(one, values, name) == one.text
    assert b"".join(one.text for one in blocks) == data


def conllu_line(number: str, form: str, upos: str, end: str = "\n") -> str:
    return "\t".join([number, form, "_", upos, *"______"]) + end


def test_conllu_written_out(saved: Saved) -> None:
    text = (
        "# text = ça va\n"
        + conllu_line("1-2", "çava", "_")
        + conllu_line("1", "10 000", "NUM", "\r\n")
        + conllu_line("1.1", "nul", "_")
        + conllu_line("2", "#", "_")
    )
    (block,) = read_blocks(saved(text.encode()), TREEBANK)
    assert block.columns == NAMES
    assert block.fields[1] == [b"10 000", b"#"]
    assert block.fields[3] == [b"NUM", b"_"]
    assert block.lines.tolist() == [3, 5]
    changed = text.replace("NUM", "X").replace("2\t#\t_\t_", "2\t#\t_\tY")
    assert text_with(block, [b"X", b"Y"], "upos") == changed.encode()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 a _ _ _ _ _ _ _ _", "1 column, but CoNLL-U has ten"),
        (b"1\ta", "2 columns, but CoNLL-U has ten"),
        (b"a-b", "1 column, but CoNLL-U has ten"),
        (b"1\t" + b"a\t" * 8, "9 columns, but CoNLL-U has ten"),
        (b"1\t\t" + b"\t".join([b"a"] * 9), "11 columns, but CoNLL-U has ten"),
    ],
)
def test_conllu_that_is_none_is_an_error(saved: Saved, line: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        read(saved(b"# text = a\n" + line + b"\n"), TREEBANK)
    assert error.value.line == 2


# Columns


@pytest.mark.parametrize(
    ("row", "names", "label", "columns"),
    [
        (b"a", None, "label", ("word",)),
        (b"a b", None, "label", ("word", "label")),
        (b"a b c d", None, "label", ("word", "column2", "column3", "label")),
        (b"a b c d", None, "column3", ("word", "column2", "column3", "column4")),
        (b"a b", None, None, ("word", "column2")),
        (b"a b", ["form", "tag"], "tag", ("form", "tag")),
        (b"a", ["form", "tag"], "tag", ("form",)),
        (b"a b", ["tag", "form"], "tag", ("tag", "form")),
    ],
)
def test_columns_are_named(
    saved: Saved, row: bytes, names: list[str] | None, label: str | None, columns: tuple[str, ...]
) -> None:
    path = saved(row)
    assert read(path, layout_for(path, names, label, unlabelled=label is None)).columns == columns


@pytest.mark.parametrize(
    ("row", "names", "label"),
    [(b"a", ["tag", "form"], "tag"), (b"a b c", ["form", "tag"], "tag"), (b"a", ["x", "y"], None)],
)
def test_other_numbers_of_columns_than_named_are_an_error(
    saved: Saved, row: bytes, names: list[str], label: str | None
) -> None:
    path = saved(b"\n" + row)
    with pytest.raises(DataError, match=f"named \\({', '.join(names)}\\)") as error:
        read(path, layout_for(path, names, label, unlabelled=label is None))
    assert error.value.line == 2
    more = len(row.split()) > len(names)
    assert str(error.value).endswith("or drop some (sstag convert --keep)" if more else "for a label that is the last")


def test_a_label_that_no_column_is_called_is_an_error(saved: Saved) -> None:
    path = saved(b"a b c")
    with pytest.raises(DataError, match="there is no column 'tag'"):
        read(path, layout_for(path, None, "tag"))


def test_a_line_of_thousands_of_columns_is_an_error(saved: Saved) -> None:
    with pytest.raises(DataError, match="100000 columns"):
        read(saved(b"a " * 100_000))


def test_columns_that_cannot_be_are_an_error() -> None:
    with pytest.raises(ConfigError, match="CoNLL-U has 10 columns, not the 2"):
        layout_for("x.conllu", ["word", "label"])
    with pytest.raises(ConfigError, match="no column 'labl'; did you mean 'label'"):
        layout_for("x", ["word", "label"], "labl")
    with pytest.raises(ConfigError, match="twice"):
        layout_for("x", ["word", "word", "label"], "label")
    with pytest.raises(ConfigError, match="no column 'ner'"):
        layout_for("x", None, "ner", format="doccano")


def test_an_unknown_column_is_an_error_with_the_nearest_name(saved: Saved) -> None:
    path = saved(b"a b")
    with pytest.raises(DataError, match="no column 'wrod'; did you mean 'word'") as error:
        read(path).column("wrod")
    assert error.value.path == path


@pytest.mark.parametrize(
    ("path", "conllu"), [("a.conllu", True), ("a.conllu.gz", True), ("a.conll", False), ("conllu", False)]
)
def test_conllu_is_known_by_its_name(path: str, conllu: bool) -> None:
    assert layout_for(path).format == (CONLLU if conllu else COLUMNS)
    assert layout_for(path, format="columns").format == COLUMNS
    assert layout_for(path, format="conllu").format == CONLLU


def test_missing_files_and_folders_are_errors(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    for path, message in (
        (folder, "a folder without a file .ann, .tsv, .xmi, .txt"),
        (folder / "none", "no such file or directory"),
    ):
        with pytest.raises(DataError) as error:
            read(str(path))
        assert str(error.value) == f"{path}: {message}"
