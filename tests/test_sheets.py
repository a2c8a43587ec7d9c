"""Sheets: column files that name their columns in comments, read by every command as they are."""

import gzip
import json

import pytest
from click.testing import CliRunner

from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read, read_files
from sstag.corpus.sheets import named_columns
from sstag.features.reading import template
from sstag.foundation.errors import DataError
from sstag.interfaces.cli import sstag

HEAD = "# global.columns = word pos ner predicted\n# global.label = ner\n"
BODY = "# sentence = 3\nAnn NN B-A O\ncame VB O O\n\nBob NN ? B-A\n"
HOW = template("columns: [word, ner]\nlabel: ner\nfeatures: [word[0]]\n", "made.yaml")


@pytest.fixture
def sheet(tmp_path):
    (tmp_path / "sheet.txt").write_text(HEAD + BODY)
    return str(tmp_path / "sheet.txt")


def run(*arguments):
    done = CliRunner().invoke(sstag, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_head_names_the_columns(sheet):
    corpus = read(sheet, layout_for(sheet))
    assert corpus.columns == ("word", "pos", "ner", "predicted")
    assert corpus.words("predicted", 1) == ["B-A"]


def test_a_template_reads_its_own_columns_beside_a_file_that_has_no_others(sheet, tmp_path):
    (tmp_path / "more.txt").write_text("Kim B-A\n")
    corpus = read_files([sheet, str(tmp_path / "more.txt")], HOW.layout)
    assert corpus.columns == ("word", "ner")
    assert [corpus.words("ner", s) for s in range(3)] == [["B-A", "O"], ["?"], ["B-A"]]


def test_the_label_has_the_name_that_the_template_gives_it(tmp_path):
    path = str(tmp_path / "sheet.txt")
    (tmp_path / "sheet.txt").write_text("# global.columns = word label\n# global.label = label\nAnn B-A\n")
    assert read(path, HOW.layout(path)).words("ner", 0) == ["B-A"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_sheet_may_have_other_line_ends_a_mark_of_order_and_be_gzipped(tmp_path, ending):
    text = "\ufeff" + (HEAD + BODY).replace("\n", ending)
    (tmp_path / "sheet.gz").write_bytes(gzip.compress(text.encode()))
    named = named_columns(str(tmp_path / "sheet.gz"))
    assert (named.names, named.label) == (("word", "pos", "ner", "predicted"), "ner")


@pytest.mark.parametrize(
    "head", ["", "# sentence = 1\n", "Ann B-A\n\n# global.columns = a b\n", "# global.columns =\n"]
)
def test_a_file_without_names_at_its_head_is_no_sheet(tmp_path, head):
    (tmp_path / "plain.txt").write_text(head + "Ann B-A\n")
    assert named_columns(str(tmp_path / "plain.txt")) is None


def test_without_a_named_label_it_is_the_last_column_that_is_no_suggestion(tmp_path):
    (tmp_path / "sheet.txt").write_text("# global.columns = word ner predicted\nAnn A A\n")
    assert named_columns(str(tmp_path / "sheet.txt")).label == "ner"


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("# global.columns = word ner\n# global.label = pos\n", "its comments name columns that cannot be"),
        ("# global.columns = word word\n", "its comments name columns that cannot be"),
        ("# global.columns = word\n", "2 columns, but 1 is named"),
    ],
)
def test_wrong_names_are_an_error(tmp_path, head, message):
    path = str(tmp_path / "sheet.txt")
    (tmp_path / "sheet.txt").write_text(head + "Ann B-A\n")
    with pytest.raises(DataError, match=message):
        read(path, layout_for(path))


def test_commands_read_a_sheet_as_it_is(sheet, tmp_path):
    assert "columns    word, pos, ner, predicted" in run("check", sheet)
    assert "B-A 1" in run("check", sheet)
    assert "columns    word, label" not in run("check", sheet)
    (tmp_path / "t.yaml").write_text("columns: [word, ner]\nlabel: ner\nfeatures: [word[0]]\n")
    model = tmp_path / "m"
    run("train", "--template", tmp_path / "t.yaml", "--train", sheet, "--method", "partial", "--model", model)
    assert "accuracy" in run("eval", sheet, "--model", model, "--resamples", "0")
    assert "accuracy" in run("eval", sheet, "--resamples", "0")  # the suggestions
    tagged = run("tag", "--model", model, sheet)
    assert tagged.startswith("# global.columns = word pos ner predicted predicted2\n# global.label = ner\n")
    assert tagged.splitlines()[3].split() == ["Ann", "NN", "B-A", "O", "B-A"]
    (tmp_path / "tagged.txt").write_text(tagged)
    assert "predicted2" in run("check", tmp_path / "tagged.txt")


def test_what_is_converted_names_the_columns_that_it_has(sheet):
    assert run("convert", "--keep", "word,ner", sheet).startswith("# global.columns = word ner\n# global.label = ner\n")
    assert run("convert", "--to-scheme", "bioes", sheet).startswith(HEAD)


def test_a_prefilled_sheet_has_the_suggestions_as_labels(tmp_path):
    (tmp_path / "train.txt").write_text("Ann A\nsees O\nBob A\n\n" * 3)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    (tmp_path / "raw.txt").write_text("Ann\nsees\n\nBob\nsees\n\n")
    model, sheet = tmp_path / "m", tmp_path / "sheet.txt"
    run("train", "--template", tmp_path / "t.yaml", "--train", tmp_path / "train.txt", "--model", model)
    choose = ["select", "--pool", tmp_path / "raw.txt", "--strategy", "entropy", "--model", model, "-o", sheet]
    run(*choose, "--count", "2", "--prefill")
    rows = [line.split("\t") for line in sheet.read_text().splitlines() if line and line[0] != "#"]
    assert sorted(rows) == sorted([["Ann", "A", "A"], ["sees", "O", "O"], ["Bob", "A", "A"], ["sees", "O", "O"]])
    sheet.unlink()
    spans = [one if one != "entropy" else "token-entropy" for one in choose]
    run(*spans, "--count", "1", "--spans", "--prefill")
    labels = [line.split("\t")[1] for line in sheet.read_text().splitlines() if line and line[0] != "#"]
    assert sorted(label == "?" for label in labels) == [False, True]
    refused = CliRunner().invoke(sstag, list(map(str, [*choose[:5], "--prefill", "--count", "1"])))
    assert "--prefill needs --model" in refused.output


def test_sentences_of_a_sheet_are_documents_called_by_their_numbers_in_the_pool(tmp_path):
    body = "# sentence = 7\n# score = 2\nAnn\t30\t33\t?\tB-PER\n\n# sentence = of Ann\nBob\t5\t8\tB-PER\tO\n"
    (tmp_path / "sheet.txt").write_text(
        f"# global.columns = word start end label predicted\n# global.label = label\n{body}"
    )
    done = CliRunner().invoke(sstag, ["convert", str(tmp_path / "sheet.txt"), "--to-format", "spans"])
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["id"], one["text"], len(one["spans"])) for one in found] == [(7, "Ann", 0), (2, "Bob", 1)]


def test_a_sheet_of_conllu_is_open_where_nobody_has_answered(tmp_path):
    lines = "1\tAnn\t_\tPROPN" + "\t_" * 6 + "\n\n1\tBob\t_\tPROPN" + "\t_" * 6 + "\n\n"
    (tmp_path / "pool.conllu").write_text(lines)
    run("select", "--pool", tmp_path / "pool.conllu", "--strategy", "random", "--count", 1, "-o", tmp_path / "one.txt")
    assert "100.00 %) unknown" in run("check", tmp_path / "one.txt", "--most", 0)
    rest = ("select", "--pool", tmp_path / "pool.conllu", "--strategy", "random", "--count", 1)
    other = run(*rest, "--exclude", tmp_path / "one.txt")
    lines = [line.split("\t") for line in (other + (tmp_path / "one.txt").read_text()).splitlines()]
    assert sorted(cells[1] for cells in lines if len(cells) > 1) == ["Ann", "Bob"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", b"Caf\xe9 O\n"),
        ("a.csv", b"word,label\nCaf\xe9,O\n"),
        ("a.jsonl", b'{"text": "Caf\xe9", "label": []}\n'),
    ],
)
def test_bytes_of_latin_1_are_told_with_what_helps(tmp_path, name, text):
    (tmp_path / name).write_bytes(text)
    with pytest.raises(DataError, match="if it is latin-1, --encoding latin-1 reads it"):
        run("convert", tmp_path / name)
