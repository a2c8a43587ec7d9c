"""Parquet as Hugging Face's datasets and pyarrow write it: words with labels, texts, limits, damage."""

import json
import random
from contextlib import suppress
from pathlib import Path

import pyarrow
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read
from sstag.corpus.text import parquet_rows
from sstag.foundation.errors import DataError, SstagError
from sstag.interfaces import cli
from tests.parquet_files import NAMES, of_texts, of_words

WORDS = [["EU", "wins"], ["Ann", "Lee", "met", "Bob"], [], ["a"]] * 5
TAGS = [[3, 0], [1, 2, 0, 1], [], [-100]] * 5


def sstag(*arguments: object) -> str:
    run = CliRunner().invoke(cli.sstag, [*map(str, arguments)])
    assert run.exit_code == 0, run.output
    return run.stdout


def labelled(path: str) -> list[list[tuple[str, ...]]]:
    """The tokens of each sentence with their labels."""
    corpus = read(path, layout_for(path))
    columns = [corpus.words(name, sentence) for sentence in range(corpus.sentences) for name in corpus.columns]
    return [[*zip(*one, strict=True)] for one in zip(*[iter(columns)] * len(corpus.columns), strict=True)]


def test_words_and_named_numbers_are_sentences_and_labels(tmp_path):
    expected = [
        [(word, "?" if tag < 0 else NAMES[tag]) for word, tag in zip(words, tags, strict=True)]
        for words, tags in zip(WORDS, TAGS, strict=True)
        if words
    ]
    assert labelled(of_words(tmp_path / "a.parquet", WORDS, TAGS)) == expected


def test_what_datasets_writes_is_read(tmp_path):
    from datasets import ClassLabel, Dataset, Features, Sequence, Value

    kinds = {"id": Value("string"), "tokens": Sequence(Value("string")), "ner_tags": Sequence(ClassLabel(names=NAMES))}
    rows = {"id": [str(n) for n in range(20)], "tokens": WORDS, "ner_tags": [[max(t, 0) for t in one] for one in TAGS]}
    Dataset.from_dict(rows, Features(kinds)).to_parquet(str(tmp_path / "a.parquet"))
    assert labelled(str(tmp_path / "a.parquet"))[0] == [("EU", "B-ORG"), ("wins", "O")]
    Dataset.from_dict({"text": ["Ann met Bob. It rained."]}).to_parquet(str(tmp_path / "t.parquet"))
    found = sstag("convert", tmp_path / "t.parquet", "--to-format", "jsonl")
    assert [json.loads(line)["word"] for line in found.splitlines()] == [
        ["Ann", "met", "Bob", "."],
        ["It", "rained", "."],
    ]


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1), max_size=4), max_size=9
    ),
    st.integers(1, 4),
    st.booleans(),
)
def test_any_words_are_those_of_json_lines(tmp_path_factory, sentences, rows, large):
    folder = tmp_path_factory.mktemp("any")
    kind = pyarrow.large_list(pyarrow.large_string()) if large else pyarrow.list_(pyarrow.string())
    table = pyarrow.table({"tokens": pyarrow.array(sentences, kind)})
    parquet.write_table(table, folder / "a.parquet", row_group_size=rows)
    lines = b"".join(parquet_rows.row_lines(str(folder / "a.parquet")))
    assert [json.loads(line)["tokens"] for line in lines.split(b"\n") if line] == sentences
    parts = [
        b"".join(parquet_rows.row_lines(str(folder / "a.parquet"), [n])) for n in range(-(-len(sentences) // rows))
    ]
    assert b"".join(parts) == lines


def test_every_command_that_reads_text_reads_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    of_words(Path("few.parquet"), WORDS, TAGS)
    of_words(Path("raw.parquet"), WORDS)
    of_texts(Path("texts.parquet"), ["Ann met Bob.", None, "EU wins."])
    Path("t.yaml").write_text("columns: [word, label]\nfeatures: ['word[0]']\n")
    sstag(
        "train",
        "-t",
        "t.yaml",
        "--train",
        "few.parquet",
        "--unlabeled",
        "raw.parquet",
        "--method",
        "entropy",
        "-m",
        "m",
    )
    assert "Ann\tB-PER" in sstag("tag", "-m", "m", "raw.parquet")
    assert "EU\t0\t2\tB-ORG" in sstag("tag", "-m", "m", "texts.parquet", "--text").replace("?\t", "")
    assert sstag("density", "raw.parquet").count("\n") == 16
    assert "Ann\t?" in sstag("select", "--pool", "raw.parquet", "--strategy", "quota", "--count", "9")
    sstag("clusters", "raw.parquet", "texts.parquet", "--least", "1", "--count", "2", "-o", "c")
    assert "100.00" in sstag("eval", "-m", "m", "few.parquet")


def test_rows_that_are_no_sentences_are_told(tmp_path):
    path = of_words(tmp_path / "a.parquet", WORDS, [[9] * len(one) for one in WORDS])
    with pytest.raises(DataError, match=r"'ner_tags' has 9, but the file names 4 labels"):
        read(path, layout_for(path))
    parquet.write_table(pyarrow.table({"n": [1]}), tmp_path / "n.parquet")
    with pytest.raises(DataError, match=r"no column with lists of words, and none called text, .*: it has n \(int64\)"):
        layout_for(str(tmp_path / "n.parquet"))
    run = CliRunner().invoke(cli.sstag, ["convert", "-"], input=Path(path).read_bytes())
    assert "this is Parquet, which is read from its end: name a FILE" in str(run.exception) + run.output


def test_a_column_file_may_begin_with_a_gene(tmp_path):
    (tmp_path / "genes").write_bytes(b"PAR1\x15 O\nbinds O\n\nPAR1 O\n")
    assert len(labelled(str(tmp_path / "genes"))) == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"tokens": [["a"] * 20_000_000]}, "20,000,000 values in .* more than 250 times as many"),
        ({"text": ["x" * 300_000] * 200}, "its text is more than 250 times as large as the file"),
        ({"tokens": [["x" * 70_000_000]]}, ":1: a row of more than 64 MiB|250 times"),
    ],
)
def test_what_inflates_too_far_is_an_error(tmp_path, rows, message):
    parquet.write_table(pyarrow.table(rows), tmp_path / "bomb.parquet", compression="zstd")
    with pytest.raises(DataError, match=message):
        read(str(tmp_path / "bomb.parquet"), layout_for(str(tmp_path / "bomb.parquet")))


def test_the_advice_of_errors_works(tmp_path, monkeypatch):
    rows, texts = pyarrow.table({"tokens": WORDS * 100}), {"text": ["x" * 300_000] * 200}
    monkeypatch.setattr(parquet_rows, "MOST_VALUES", 1000)
    parquet.write_table(rows, tmp_path / "groups.parquet")
    with pytest.raises(DataError, match="write it in smaller row groups"):
        labelled(str(tmp_path / "groups.parquet"))
    parquet.write_table(rows, tmp_path / "groups.parquet", row_group_size=100)
    assert len(labelled(str(tmp_path / "groups.parquet"))) == sum(map(bool, WORDS)) * 100
    parquet.write_table(pyarrow.table(texts), tmp_path / "dense.parquet", compression="zstd")
    with pytest.raises(DataError, match="save it as JSON lines"):
        labelled(str(tmp_path / "dense.parquet"))
    with (tmp_path / "dense.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"text": text}) + "\n" for text in texts["text"])
    assert len(labelled(str(tmp_path / "dense.jsonl"))) == len(texts["text"])
    data = Path(of_words(tmp_path / "a.parquet", WORDS, TAGS)).read_bytes()
    run = CliRunner().invoke(cli.sstag, ["convert", "-"], input=data)
    assert "read from its end: name a FILE" in str(run.exception) + run.output
    assert sstag("convert", tmp_path / "a.parquet", "--to-format", "columns").startswith("EU\tB-ORG\n")


def test_damaged_files_are_errors(tmp_path):
    whole = Path(of_words(tmp_path / "a.parquet", WORDS, TAGS)).read_bytes()
    chance, read_well = random.Random(1), 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 1, 5])):
            data[chance.randrange(4, len(data) - 4)] = chance.randrange(256)
        (tmp_path / "bad.parquet").write_bytes(data)
        with suppress(SstagError):
            read(str(tmp_path / "bad.parquet"), layout_for(str(tmp_path / "bad.parquet")))
            read_well += 1
    assert read_well < 250
