"""Contract of the file formats: a format reads what it writes, and its faults have a place."""

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from sstag.corpus import formats
from sstag.corpus.blocks import Block
from sstag.corpus.formats import (
    FORMATS,
    input_format,
    input_names,
    output_format,
    output_names,
)
from sstag.corpus.formats.columns import COLUMNS, Columns
from sstag.corpus.formats.conllu import CONLLU
from sstag.corpus.formats.jsonl import JSON_LINES
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read, read_blocks
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.convert import command
from sstag.labels.marks import Marks, marks_in
from sstag.labels.relabelling import with_labels
from sstag.training.inputs import Inputs
from tests.recipes import pieces
from tests.training import TEMPLATE, ads_template, trained

Saved = Callable[[bytes], str]
LINES = [name for name in input_names() if hasattr(input_format("", name), "scanned")]
BOTH = sorted(set(input_names()) & {name for name in output_names() if not FORMATS[name].documents})
UNLABELLED = ["text"]
TEXT = b"a X\nb Y\nc X\n\nd Y\n\n"


def block_of(saved: Saved, text: bytes = TEXT) -> Block:
    (block,) = read_blocks(saved(text))
    return block


@pytest.mark.parametrize("name", FORMATS)
def test_an_entry_agrees_with_its_format(name: str) -> None:
    entry = FORMATS[name]
    assert entry.reads or entry.writes
    assert entry.help
    if entry.reads:
        made = input_format("", name)
        assert marks_in(made) != Marks() or not made.marks
        fixed = made.fixed
        assert fixed is None or len(set(fixed.names)) == len(fixed.names)
        assert fixed is None or fixed.label in fixed.names or name in UNLABELLED


@pytest.mark.parametrize("name", BOTH)
def test_what_a_format_writes_it_reads(saved: Saved, name: str) -> None:
    block = block_of(saved)
    format = input_format("", name)
    label = format.fixed.label if format.fixed else "label"
    block = with_labels(block, block.fields[1], label) if label not in block.columns else block
    path = saved(output_format(name).text(block, ("word", label)))
    again = read(path, layout_for(path, format=name))
    first = joined([block], path)
    assert [again.words(again.columns[again.word_column], s) for s in range(2)] == [["a", "b", "c"], ["d"]]
    assert [again.words(label, s) for s in range(2)] == [first.words(label, s) for s in range(2)]


@pytest.mark.parametrize("name", [name for name in input_names() if name != "xmi"])  # which tests/formats has
def test_a_fault_in_a_format_is_an_error_with_a_line(saved: Saved, name: str) -> None:
    path = saved(b"\xff\n")
    with pytest.raises(DataError) as error:
        read(path, layout_for(path, format=name))
    assert (error.value.path, error.value.line) == (path, 1)


@pytest.mark.parametrize("name", BOTH)
def test_a_model_is_trained_on_a_format_and_tags_it(saved: Saved, name: str) -> None:
    block = block_of(saved)
    of = ads_template()
    named = input_format("", name).fixed
    if named and "label" not in named.names:
        of = template(TEMPLATE.replace("label", named.label), "made.yaml")
        block = with_labels(block, block.fields[1], named.label)
    path = saved(output_format(name).text(block, of.columns))
    corpus = read(path, of.layout(path, name))
    model = trained(Inputs(of, corpus))
    found = model.tagged(model.dataset(corpus), one_by_one)
    assert [model.labels[label] for label in found.tolist()] == ["X", "Y", "X", "Y"]


@pytest.mark.parametrize("name", LINES)
def test_a_token_line_gets_a_label_and_keeps_its_words(saved: Saved, name: str) -> None:
    format = input_format("", name)
    text = TEXT if format.fixed is None else b"".join(
        b"%d\t%s%s\n" % (t, word, b"\t_" * (len(format.fixed.names) - 2)) for t, word in enumerate([b"a", b"b"], 1)
    )  # fmt: skip
    (block,) = read_blocks(saved(text), Layout(format=format))
    for label in ("upos", "of.its.own"):
        text = block.format.labelled_text(block, np.zeros(len(block.rows), np.int32), [b"NEW"], label)
        lines = text.split(b"\n")
        (again,) = read_blocks(saved(text), Layout(format=format))
        word = 0 if format.fixed is None else 1
        assert [*again.fields[word]] == [*block.fields[word]]
        assert all(b"NEW" in lines[row] for row in block.rows.tolist())


def test_files_are_read_in_the_format_of_their_name() -> None:
    for name, entry in FORMATS.items():
        if entry.ending:
            for path in (f"a{entry.ending}", f"folder.txt/a{entry.ending}.gz"):
                assert (input_format(path) == input_format("", name)) if entry.reads else input_format(path) == COLUMNS
    assert input_format("-") == input_format("conllu") == COLUMNS
    assert input_format("a.conllu", "columns") == COLUMNS


def test_an_unknown_format_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="no format 'colums' can be read; did you mean 'columns'"):
        input_format("a", "colums")
    with pytest.raises(ConfigError, match="no format 'json' can be written; did you mean 'jsonl'"):
        output_format("json")
    with pytest.raises(ConfigError, match="no format 'html' can be read"):
        input_format("a", "html")


def test_columns_are_written_with_the_separator_that_is_asked_for(saved: Saved) -> None:
    block = block_of(saved, b"# id = 1\na X \r\n-DOCSTART- O\nb\tY\n")
    assert Columns(b"\t").text(block, ("label", "word")) == b"# id = 1\nX\ta\r\n-DOCSTART- O\nY\tb\n"
    assert COLUMNS.text(block, ("word",)) == b"# id = 1\na\r\n-DOCSTART- O\nb\n"


def test_of_another_format_columns_have_tokens_and_blank_lines_only(saved: Saved) -> None:
    lines = ["# text = a b c", "1-2\tab" + "\t_" * 8, "1\ta b" + "\t_" * 8, "2\tc" + "\t_" * 8, "", ""]
    (block,) = read_blocks(saved("\n".join(lines).encode()), Layout(format=CONLLU))
    assert COLUMNS.text(block, ("form", "upos")) == "a\u00a0b\t_\nc\t_\n\n".encode()


def test_a_sentence_is_an_object_of_lists(saved: Saved) -> None:
    assert JSON_LINES.text(block_of(saved), ("label",)) == b'{"label": ["X", "Y", "X"]}\n{"label": ["Y"]}\n'


def test_the_recipe_for_a_format_works_word_by_word(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    code, entry = pieces("Add a file format")
    module = ModuleType("sstag.corpus.formats.slashed")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, vars(module))
    added = eval("{" + entry + "}", vars(formats))
    monkeypatch.setitem(FORMATS, "slashed", added["slashed"])
    test_an_entry_agrees_with_its_format("slashed")
    test_what_a_format_writes_it_reads(saved, "slashed")
    test_a_fault_in_a_format_is_an_error_with_a_line(saved, "slashed")
    test_a_model_is_trained_on_a_format_and_tags_it(saved, "slashed")
    layout = layout_for("", format="slashed")
    corpus = read(saved(b"a/b/X c/Y\r\n\nd/Z"), layout)
    assert [corpus.words("word", 0), corpus.words("label", 1)] == [["a/b", "c"], ["Z"]]
    assert corpus.lines.tolist() == [1, 1, 3]


SLASHED_FAULTS = [
    (b"\xff/X", "not UTF-8"),
    (b"d/X e", "'e' is no word/label"),
    (b"d/X -DOCSTART-/X", "'-DOCSTART- X' cannot be a token"),
]


@pytest.mark.parametrize(("line", "message"), SLASHED_FAULTS)
def test_a_sentence_a_line_has_its_faults_where_they_are_in_the_file(saved: Saved, line: bytes, message: str) -> None:
    code, _ = pieces("Add a file format")
    module = ModuleType("sstag.corpus.formats.slashed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module.__name__, module)
        exec(code, vars(module))
    layout = Layout(format=module.SLASHED)
    text = b"a/X b/Y c/Z\n" + line + b"\nf/X\n"
    with pytest.raises(DataError, match=message) as error:
        read(saved(text), layout)
    assert (error.value.path, error.value.line) == (saved(text), 2)
    cut = [text[begin : begin + 5] for begin in range(0, len(text), 5)]
    streamed = read_blocks("-", layout, data=cut, stream=True)
    assert [*next(streamed).fields[0]] == [b"a", b"b", b"c"]
    with pytest.raises(DataError, match=message) as error:
        list(streamed)
    assert error.value.line == 2
    told = list[DataError]()
    if message != "not UTF-8":
        again = list(read_blocks("-", layout, told.append, data=cut, stream=True))
        assert [(one.path, one.line) for one in told] == [("<stdin>", 2)]
        assert [token for block in again for token in block.fields[0]] == [b"a", b"b", b"c", b"f"]
        assert [line for block in again for line in block.lines.tolist()] == [1, 1, 1, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"sentence\n1\n", "no column of words"), (b'"a"b,c\n', "no CSV"), (b"\na,b\n", "no column of words")],
)
def test_a_first_row_that_names_no_columns_is_an_error(saved: Saved, text: bytes, message: str) -> None:
    path = saved(text)
    with pytest.raises(DataError, match=message) as error:
        read(path, layout_for(path, format="csv"))
    assert (error.value.path, error.value.line) == (path, 1)


def test_the_command_knows_every_format() -> None:
    choices = {option: list(one.type.choices) for one in command.params for option in one.opts if "format" in option}
    assert choices == {"--from-format": ["auto", *input_names()], "--to-format": output_names()}
    run = subprocess.run([sys.executable, "-m", "sstag", "convert", "--help"], capture_output=True, check=True)
    shown = " ".join(run.stdout.decode().split())
    assert all(f"{name} {entry.help}" in shown for name, entry in FORMATS.items())
