"""Every file has the format that its own name and content tell; prose is told from tokens in columns."""

import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import sstag as library
from sstag.corpus.formats import AUTO, FORMATS, Asked, format_of, guess, input_format
from sstag.corpus.formats.prose_guess import HEAD, is_prose, may_be_prose
from sstag.corpus.text.options import TextOptions
from sstag.foundation import files, streams
from sstag.foundation.errors import ConfigError
from sstag.interfaces.cli import sstag as every_command
from sstag.interfaces.cli.text_options import SENTENCE_FILES
from tests.commands import sstag

FIXTURES = Path(__file__).parent / "data" / "formats"
TOLD = {  # what each fixture is
    "brat": "brat", "conll2012.conll": "conll2012", "doccano-relations.jsonl": "doccano", "doccano.jsonl": "doccano",
    "kaggle.csv": "csv", "label-studio.json": "label-studio", "prodigy.jsonl": "prodigy", "spacy.jsonl": "doccano",
    "tokens.jsonl": "tokens", "webanno.tsv": "webanno",
}  # fmt: skip
PROSE = {
    "a sentence": "Kim met Ann in Rome.\n",
    "no end of line": "Kim met Ann in Rome.",
    "sentences of one length": "Kim met Ann in Rome.\nBob saw Eve in Oslo.\n",
    "sentences of several lengths": "Kim met Ann.\nNobody else was in the house that day!\nWhy?\n",
    "tokens made before": "Kim met Ann in Rome .\nBob left .\n",
    "one such line": "Kim met Ann in Rome .\n",
    "wrapped": textwrap.fill(
        "Nothing else happened in the old town that day, and so they all went home again " * 9, 60
    ),
    "a paragraph": "They met, and left. " * 40,
    "nine words": "nothing else happened in the old town that day",
    "with blank lines": "A title\n\nThen they met in the old town, and\nwent home.\n\nSo it ends here.\n",
    "quoted": "“Go home,” they said.\n‘Why?’ asked Ann\n(who was late).\n",
    "numbers": "In 1985 they sold 3,000 of them.\nBy 1986 there were none.\n",
    "Chinese": "今天天气很好。我们去公园。\n他们没有来。\n",
    "a byte order mark": "\ufeffKim met Ann in Rome.\n",
    "carriage returns": "Kim met Ann in Rome.\r\nThey left.\r\n",
    "Portuguese": "O réu foi condenado.\nO recurso não foi conhecido por unanimidade.\n",
    "cells": "The B-cell and T-cell lines were kept in the dark.\nE-selectin was found.\n",
}
NO_PROSE = {
    "two columns": "Kim B-PER\nmet O\n\nAnn B-PER\n. O\n",
    "tabs": "Kim\tB-PER\nmet\tO\n.\tO\n",
    "words": "Kim\nmet\nAnn\n.\n\nMr.\nX.\nleft\n.\n",
    "three columns": "Corp. NNP B-ORG\n. . O\n",
    "a label is missing": "Kim B-PER\nmet\nAnn B-PER\n. O\n",
    "a label has a blank": "Kim B PER\nmet O\nAnn B-PER\n",
    "label before word": "B-ORG Corp.\nO met\nB-PER Ann\n",
    "part-of-speech tags in small letters": "The at\nFulton np-tl\nCounty nn-tl\nsaid vbd\n. .\n",
    "words with tags": "Kim/NNP met/VBD Ann/NNP ./.\nBob/NNP left/VBD ./.\n",
    "words with tags and underscores": "Kim_NNP met_VBD Ann_NNP ._.\nBob_NNP left_VBD ._.\n",
    "trees": "(S (NP Kim) (VP met (NP Ann)))\n(S (NP Bob) (VP left))\n",
    "-DOCSTART-": "-DOCSTART- -X- O\n\nKim NNP B-PER\n",
    "a sheet": "# global.columns = word label\n# global.label = label\nKim B-PER\n",
    "CSV of texts": "id,text,label\n1,Kim met Ann in Rome.,PER\n2,They left.,O\n",
    "an encyclopaedia's names": "Rome\nNew York\nRio de Janeiro\nOslo\n",
    "one token": "Kim NNP B-NP B-PER\n",
    "XML": "<doc>\n<p>Kim met Ann in Rome.</p>\n</doc>\n",
    "nothing": "",
    "blank lines": "\n\n",
    "Japanese characters": "今\tB\n日\tI\n。\tB\n",
    "Japanese words": "今日\nは\n。\n\n明日\nも\n。\n",
}


@pytest.mark.parametrize("name", TOLD)
def test_a_fixture_tells_its_format(name: str, tmp_path: Path) -> None:
    path = FIXTURES / name
    assert format_of(str(path), Asked()) == TOLD[name]
    assert {*TOLD} == {one.name for one in FIXTURES.iterdir()}
    if path.is_file() and TOLD[name] != "csv":  # which its name tells, as commas stand in any text
        other = tmp_path / "text.txt"
        other.write_bytes(gzip.compress(path.read_bytes()))
        assert format_of(str(other), Asked()) == TOLD[name]


@pytest.mark.parametrize("kind", PROSE)
def test_prose_is_recognised(kind: str, tmp_path: Path) -> None:
    for name, data in (("a.txt", PROSE[kind].encode()), ("a", PROSE[kind].encode())):
        (tmp_path / name).write_bytes(data)
        assert format_of(str(tmp_path / name), Asked()) == "text"
    (tmp_path / "a.gz").write_bytes(gzip.compress(PROSE[kind].encode()))
    assert format_of(str(tmp_path / "a.gz"), Asked()) == "text"
    for ending in ("conll", "tsv", "iob2", "conllu"):  # a name that says it holds columns is believed
        (tmp_path / f"a.{ending}").write_text(PROSE[kind], encoding="utf-8")
        assert format_of(str(tmp_path / f"a.{ending}"), Asked()) != "text"


@pytest.mark.parametrize("kind", NO_PROSE)
def test_other_text_is_not_taken_for_prose(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(NO_PROSE[kind], encoding="utf-8")
    assert format_of(str(tmp_path / "a.txt"), Asked()) == "columns"


def test_prose_in_another_encoding_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Größer wird es nicht.\nSo ist es.\n".encode("utf-16"))
    assert format_of(str(tmp_path / "a.txt"), Asked(options=TextOptions(encoding="utf-16"))) == "text"


WORDS = ["the", "old", "house", "of", "a", "man", "who", "met", "them", "near", "some", "town", "when", "it", "was"]
TAGS = ["DT", "JJ", "NN", "IN", "NNP", "VBD", ".", ",", "B-PER", "I-PER", "O", "B-LOC", "nn", "vbd", "at", "subj"]


def labelled(rng: random.Random, columns: int, sentences: int) -> list[list[list[str]]]:
    return [
        [[rng.choice([*WORDS, "Mr.", "Corp.", "."]), *rng.choices(TAGS, k=columns)] for _ in range(rng.randint(1, 9))]
        for _ in range(sentences)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_made_columns_are_never_prose_whatever_is_wrong_with_a_line(seed: int) -> None:
    rng = random.Random(seed)
    for columns in range(4):
        for sentences in (1, 2, 5, 60):
            made = labelled(rng, columns, sentences)
            if sum(map(len, made)) < 4:
                continue  # of fewer lines nobody can tell which of them is wrong
            text = "\n\n".join("\n".join(" ".join(token) for token in sentence) for sentence in made) + "\n"
            assert not is_prose(text.encode()[:HEAD])
            lines = text.split("\n")
            place = rng.choice([number for number, line in enumerate(lines) if line])
            lines[place] = rng.choice([lines[place] + " more", lines[place].rpartition(" ")[0] or "x y"])
            assert not is_prose("\n".join(lines).encode()[:HEAD])


@pytest.mark.parametrize("seed", range(40))
def test_made_sentences_are_prose_however_they_are_laid_out(seed: int) -> None:
    rng = random.Random(seed)
    for count in (1, 2, 5, 60):
        sentences = [" ".join(rng.choices(WORDS, k=rng.randint(3, 30))).capitalize() + "." for _ in range(count)]
        one = " ".join(sentences)
        for text in ("\n".join(sentences), one, "\n\n".join(sentences), "\n".join(sentences).replace(".", " .")):
            assert is_prose(text.encode()[:HEAD]), text
        if len(one.split()) > 40:
            assert is_prose(textwrap.fill(one, 70).encode()[:HEAD])


def test_a_question_in_a_message_is_asked_of_words_only() -> None:
    assert may_be_prose(b"Rise of machines\nFall of empires\n")
    assert not may_be_prose(b"Kim NNP B-PER\nmet VBD\n")
    assert not may_be_prose(b"Kim\nmet\n")


LABELLED = "Kim B-PER\nmet O\nAnn B-PER\n. O\n\nBob B-PER\nleft O\nParis B-LOC\n. O\n\n"
RAW = "Ann saw Bob in Oslo. They left on Monday!\nKim met Tim.\nNothing else happened in the town that day.\n"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with labelled columns, prose, other formats, and a model."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "answers.txt").write_text(LABELLED * 4, encoding="utf-8")
    (folder / "raw.txt").write_text(RAW, encoding="utf-8")
    (folder / "unclear.txt").write_text("Rise of machines\nFall of empires\n", encoding="utf-8")
    record = {"text": "Kim met Ann.", "label": [[0, 3, "PER"], [8, 11, "PER"]]}
    (folder / "more.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: ['word[-1..1]']\n", encoding="utf-8")
    assert sstag("train", "-t", "t.yaml", "--train", "answers.txt", "-m", "m", cwd=folder).returncode == 0
    return folder


def works(folder: Path, *words: str, stdin: str = "") -> str:
    run = sstag(*words, cwd=folder, stdin=stdin)
    assert run.returncode == 0, run.stderr
    return run.stdout


TRAIN = ["train", "-t", "t.yaml", "-m", "other"]
MIXED = [  # commands that read files of several formats
    [*TRAIN, "--method", "self-training", "--train", "answers.txt", "--unlabeled", "raw.txt"],
    [*TRAIN, "--method", "self-training", "--train", "answers.txt", "--unlabeled", "raw.txt", "--documents", "line"],
    [*TRAIN, "--method", "self-training", "--train", "answers.txt", "--unlabeled", "unclear.txt",
     "--from-format", "unclear.txt=text"],
    [*TRAIN, "--train", "answers.txt", "--train", "more.jsonl", "--dev", "more.jsonl"],
    [*TRAIN, "--method", "self-training", "--train", "answers.txt", "--unlabeled", "raw.txt", "--unlabeled",
     "answers.txt"],
    ["select", "--pool", "raw.txt", "--strategy", "random", "--count", "2"],
    ["select", "--pool", "raw.txt", "--pool", "answers.txt", "--strategy", "entropy", "-m", "m", "--count", "2"],
    ["tag", "-m", "m", "raw.txt"],
    ["explain", "-m", "m", "raw.txt", "--sentence", "2"],
    ["eval", "more.jsonl", "-m", "m"],
    ["eval", "more.jsonl", "more.jsonl"],
    ["agree", "more.jsonl", "more.jsonl"],
    ["merge", "more.jsonl", "more.jsonl"],
    ["merge", "raw.txt", "--raw", "--model", "m", "--model", "other"],
    ["density", "--text", "raw.txt", "--text", "answers.txt", "--save", "d", "raw.txt"],
    ["vectors", "raw.txt", "--least", "1", "--dimensions", "2", "-o", "v"],
    ["clusters", "raw.txt", "--least", "1", "--count", "2", "-o", "c"],
    ["expectations", "-t", "t.yaml", "--train", "answers.txt", "--unlabeled", "raw.txt", "--count", "2"],
    ["features", "-t", "t.yaml", "raw.txt"],
    ["check", "more.jsonl", "answers.txt"],
    ["convert", "raw.txt", "--to-format", "jsonl"],
    ["split", "raw.txt", "--part", "a.part=1", "--part", "b.part=2"],
    ["experiment", "compare", "-t", "t.yaml", "--method", "crf", "--method", "self-training", "--train", "answers.txt",
     "--unlabeled", "raw.txt", "--folds", "2", "--out", "page", "--documents", "line"],
]  # fmt: skip


@pytest.mark.parametrize("words", MIXED, ids=" ".join)
def test_each_file_of_a_command_has_its_own_format(words: list[str], there: Path) -> None:
    works(there, *words)


@pytest.mark.parametrize("words", [["tag", "-m", "m"], ["explain", "-m", "m"], ["shuffle"]], ids=" ".join)
def test_a_stream_is_read_as_its_file(words: list[str], there: Path) -> None:
    for name in ("raw.txt", "answers.txt", "more.jsonl"):
        text = (there / name).read_text(encoding="utf-8")
        assert works(there, *words, name).replace(name, "stdin") == works(there, *words, "-", stdin=text)


def test_a_stream_names_its_columns_as_a_file_does(there: Path) -> None:
    tagged = works(there, "tag", "-m", "m", "raw.txt")
    assert tagged.startswith("# global.columns = word start end predicted\n")
    (there / "tagged.txt").write_text(tagged, encoding="utf-8")
    assert works(there, "explain", "-m", "m", "-", stdin=tagged) == works(there, "explain", "-m", "m", "tagged.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_named_pipe_is_looked_at_too(there: Path) -> None:
    command = f"{sys.executable} -m sstag explain -m m <(cat raw.txt) --sentence 3"
    run = subprocess.run(["bash", "-c", command], cwd=there, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == works(there, "explain", "-m", "m", "raw.txt", "--sentence", "3")


def test_a_sentence_of_a_stream_is_answered_before_the_next_comes(there: Path) -> None:
    command = [sys.executable, "-m", "sstag", "tag", "-m", "m", "--stream"]
    with subprocess.Popen(command, cwd=there, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin
        assert run.stdout
        for word in (b"Kim", b"Ann"):
            run.stdin.write(word + b"\n\n")
            run.stdin.flush()
            assert run.stdout.readline().startswith(word)
            assert run.stdout.readline() == b"\n"
        run.stdin.close()
        assert run.wait() == 0


def test_a_configuration_names_the_format_of_a_file(there: Path) -> None:
    text = """template: t.yaml
train: [answers.txt]
unlabeled: [unclear.txt]
method: self-training
model: configured
reading:
  documents: line
"""
    (there / "run.yaml").write_text(text, encoding="utf-8")
    assert sstag("train", "-c", "run.yaml", cwd=there).returncode == 1
    (there / "run.yaml").write_text(text + "  format: {unclear.txt: text}\n", encoding="utf-8")
    works(there, "train", "-c", "run.yaml")


def test_python_takes_each_path_by_its_own_format(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(there)
    model = library.train("t.yaml", "answers.txt", unlabeled="raw.txt", method="self-training")
    assert library.train("t.yaml", ["answers.txt", "more.jsonl"], dev="more.jsonl").columns_read == ("word",)
    assert library.tag(model, "raw.txt")[1] == library.tag(model, library.read("raw.txt", "t.yaml"))[1]


def test_an_option_that_no_file_has_a_use_for_is_an_error(there: Path) -> None:
    run = sstag(*TRAIN, "--train", "answers.txt", "--train", "more.jsonl", "--documents", "line", cwd=there)
    assert run.stderr == "the format 'columns' has no use for --documents\n"
    wanted = Asked(options=TextOptions(pieces="line")).among(["answers.txt", str(there / "raw.txt")])
    assert input_format("answers.txt", wanted) == input_format("answers.txt")
    with pytest.raises(ConfigError, match="no use for --documents"):
        input_format("answers.txt", wanted.among(["answers.txt"]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["answer.txt=text"], "the command reads no file 'answer.txt'; did you mean 'answers.txt'?"),
        (["answers.txt=txt"], "there is no format 'txt'; did you mean 'text'?"),
        (["text", "columns"], "two formats of all files"),
        (["a=text", "a=columns"], "two formats of a"),
    ],
)
def test_a_format_of_no_file_is_refused(words: list[str], message: str, there: Path) -> None:
    options = [word for one in words for word in ("--from-format", one)]
    run = sstag(*TRAIN, "--train", "answers.txt", *options, cwd=there)
    assert run.returncode == 2
    assert message in run.stderr


def test_a_format_of_all_files_rules_and_one_of_a_file_rules_over_it(there: Path) -> None:
    asked = Asked("columns", of_file=(("raw/*.txt", "text"), ("b", AUTO)))
    assert [format_of(path, asked) for path in ("a", "raw/a.txt", str(there / "raw.txt"))] == [
        "columns", "text", "columns",
    ]  # fmt: skip
    asked = Asked("columns", of_file=((str(there / "raw.txt"), AUTO),))
    assert format_of(str(there / "raw.txt"), asked) == "text"


def sentence_options() -> Iterator[tuple[str, str]]:
    """The parameters of commands with --from-format that name files, and these commands."""
    context = click.Context(every_command)
    for name in every_command.list_commands(context):
        command = every_command.get_command(context, name)
        if command and any("--from-format" in one.opts for one in command.params):
            for one in command.params:
                if re.search(r"FILE|GOLD|PREDICTED|POOL", one.metavar or ""):
                    yield str(one.name), name


def test_every_option_that_names_sentences_is_known_to_have_a_format() -> None:
    others = {  # lists, models, outputs
        "labeled_features", "rejected", "expectations", "rules", "sentence_weights", "checkpoint", "report",
        "config_path", "scheduler_file", "tls_ca_file", "tls_cert", "tls_key", "target", "spans", "joins", "parts",
        "meaning", "sheet", "lists", "functions", "clusters", "vectors", "listed", "like", "terms", "density_path",
        "meaning_path", "source", "save", "loaded", "rows", "shown", "rules_path", "costs_path", "shares",
        "secret_path",
    }  # fmt: skip
    found = dict(sentence_options())
    assert len(found) > 30
    assert {*found} - {*SENTENCE_FILES} <= others


def test_every_format_is_tried() -> None:
    assert {*TOLD.values()} | {"columns", "conllu", "jsonl", "text", "xmi"} == {
        name for name, entry in FORMATS.items() if entry.reads
    }


def test_the_report_of_a_training_repeats_how_files_were_read(there: Path) -> None:
    words = ["--train", "answers.txt", "--unlabeled", "unclear.txt", "--from-format", "unclear.txt=text"]
    more = ["--documents", "line", "--tokenize", "blank", "--skip-bad", "--from-format", "columns"]
    works(there, *TRAIN, "--method", "self-training", *words, *more, "--report", "report.json")
    run = json.loads((there / "report.json").read_text(encoding="utf-8"))["run"]
    assert run["reading"] == {
        "format": {str(there / "unclear.txt"): "text", "/*": "columns"},
        "documents": "line", "tokenize": "blank", "skip-bad": True,
    }  # fmt: skip
    (there / "again.json").write_text(json.dumps(run | {"model": str(there / "again")}), encoding="utf-8")
    works(there, "train", "-c", "again.json")
    assert (there / "again").read_bytes() == (there / "other").read_bytes()


HOSTILE = [
    "x",
    "x. ",
    "a.",
    ".",
    "x/B-",
    "\u3000/",
    "a-",
    "'",
    "(",
    "x\t",
    "word ",
    "。",
    "今。",
    "[",
    '["',
    '{"a":',
    "#",
    "# a =",
    "\n",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_looked_at_takes_no_time_whatever_stands_there(text: str) -> None:
    head = (text * (2**20 // len(text))).encode()
    began = time.process_time()
    is_prose(head), may_be_prose(head), guess.no_columns(head, "a.txt")
    assert time.process_time() - began < 2  # quadratic time in a million bytes would be hours


def test_a_slow_stream_is_looked_at_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            return self.read(1)

    slow = Slow(b'{"a":' + b"1" * 2**18 + b"}\nmore\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(slow))
    asked: list[int] = []

    def enough(data: bytes) -> bool:
        asked.append(len(data))
        return b"\n" in data

    assert streams.looked("-", enough).endswith(b"}\n")
    assert sum(asked) < 4 * 2**18
    assert b"".join(files.pieces("-")) == slow.getvalue()


def test_columns_of_a_format_with_spans_are_chosen_and_said(there: Path) -> None:
    for words in (["--keep", "word,label"], ["--separator", "tab"], ["--join", "other=more.jsonl"]):
        run = sstag("convert", "more.jsonl", *words, cwd=there)
        assert run.returncode == 0
        assert run.stderr.startswith("more.jsonl: written as columns, since doccano has the columns ")
        (there / "kept.txt").write_text(run.stdout, encoding="utf-8")
        assert sstag("check", "kept.txt", cwd=there).returncode == 0


def test_a_folder_above_an_encoder_names_the_one_that_has_its_weights(there: Path) -> None:
    inner = there / "my encoder" / "model"
    inner.mkdir(parents=True)
    (inner / "model.safetensors").touch()
    run = sstag("template", "ner", "--encoder", "my encoder", cwd=there)
    assert run.returncode == 1
    assert run.stderr.endswith(": name 'my encoder/model', which has one\n")
    assert "ner:" not in run.stderr
    with zipfile.ZipFile(there / "encoder.zip", "w") as archive:
        archive.writestr("model/model.safetensors", b"")
    assert "unpack the archive" in sstag("template", "ner", "--encoder", "encoder.zip", cwd=there).stderr
