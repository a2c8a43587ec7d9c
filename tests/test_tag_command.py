"""`sstag tag` as a user meets it: files, pipes, mistakes, and a sentence out before the next one is in."""

import gzip
import json
import os
import pickle
import subprocess
import sys
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.corpus.reading import read
from sstag.features.reading import template
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.files import contents
from sstag.interfaces.cli.tag import command as tag_command
from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.crf import train
from sstag.training.methods.parameters import Training
from tests.datasets import corpus
from tests.models import tiny

# Runs the command with a pickled model in place of a model file.
LAUNCHER = """
import pickle, sys, types
from pathlib import Path
sys.modules["sstag.model.model_file"] = types.SimpleNamespace(load=lambda path: pickle.loads(Path(path).read_bytes()))
from sstag.interfaces.cli import main
main()
"""
TEXT = "a O\nb Y\n\nc Z\n"
TAGGED = "a O B-X\nb Y I-X\n\nc Z O\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tag")
    (made / "iob2.model").write_bytes(pickle.dumps(tiny()))
    (made / "plain.model").write_bytes(pickle.dumps(tiny("plain")))
    (made / "in.txt").write_text(TEXT, encoding="utf-8")
    (made / "in.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    return made


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", LAUNCHER, "tag", "--model", "iob2.model", *arguments]


Tag = Callable[..., tuple[str, str, int]]


@pytest.fixture
def tag(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Tag:
    """Runs the command in this process: output, message, exit code."""

    def load(path: str) -> Model:
        found: Model = pickle.loads(contents(path, 2**20))
        return found

    monkeypatch.setitem(sys.modules, "sstag.model.model_file", types.SimpleNamespace(load=load))
    monkeypatch.chdir(folder)

    def run(*arguments: str, stdin: str = "", model: str = "iob2.model") -> tuple[str, str, int]:
        result = CliRunner().invoke(tag_command, ["--model", model, *arguments], input=stdin.encode())
        if isinstance(result.exception, SstagError):
            return result.stdout, f"{result.stderr}{result.exception}\n", 1
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.stdout, result.stderr, result.exit_code

    return run


def test_files_pipes_and_gzip(tag: Tag, folder: Path) -> None:
    assert tag("in.txt.gz") == (TAGGED, "", 0)
    assert tag("--stream", "--threads", "2", stdin=TEXT) == (TAGGED, "", 0)
    assert tag("-", "-o", "out.txt.gz", stdin=TEXT) == ("", "", 0)
    assert gzip.decompress((folder / "out.txt.gz").read_bytes()) == TAGGED.encode()
    assert tag(stdin="") == ("", "", 0)


def test_all_that_can_be_asked_at_once(tag: Tag) -> None:
    asked = ("--confidence", "--nbest", "2", "--legal", "in.txt")
    text, errors, code = tag(*asked)
    assert (errors, code) == ("", 0)
    assert text.startswith("# confidence = 0.")
    assert text.count("\n# nbest = 2 0.") == 2
    lines, _, _ = tag(*asked, "--marginals", "--format", "jsonl")
    first = json.loads(lines.split("\n")[0])
    assert set(first) == {
        "word", "label", "predicted", "confidence", "entropy", "entropy_per_token", "token_confidence", "token_entropy",
        "chunks", "marginals", "nbest",
    }  # fmt: skip
    assert text.startswith(
        f"# confidence = {first['confidence']:.4f}\n# entropy = {first['entropy']:.4f}\n"
        f"# entropy_per_token = {first['entropy_per_token']:.4f}\n"
        f"# chunk = 1 2 X {first['chunks'][0]['confidence']:.4f}\n"
        f"# nbest = 1 {first['confidence']:.4f}\na O B-X\n"
    )


@pytest.mark.parametrize(
    ("arguments", "model", "code", "message"),
    [
        (["in.txt", "--marginals"], "iob2.model", 2, "Error: --marginals needs --format jsonl"),
        (
            ["in.txt", "--stream", "-o", "x.txt"],
            "iob2.model",
            2,
            "--stream cannot write to 'x.txt': a file appears when",
        ),
        (["in.txt", "--nbest", "0"], "iob2.model", 2, "0 is not in the range 1<=x<=1000"),
        (["in.txt", "--legal"], "plain.model", 1, "the labels of this model have no scheme"),
        (["none.txt"], "iob2.model", 1, "none.txt: no such file or directory\n"),
        (["bad.txt"], "iob2.model", 1, "bad.txt:2: 3 columns where the lines before have 2\n"),
        (["in.txt"], "none.model", 1, "none.model: no such file or directory\n"),
        (
            ["in.txt", "--from-format", "conllu"],
            "iob2.model",
            1,
            "in.txt:1: 1 column, but CoNLL-U has ten columns, separated by",
        ),
    ],
)
def test_mistakes_are_told(tag: Tag, folder: Path, arguments: list[str], model: str, code: int, message: str) -> None:
    (folder / "bad.txt").write_text("a O\nb Y Z\n", encoding="utf-8")
    out, errors, returned = tag(*arguments, model=model)
    assert (out, returned) == ("", code)
    assert message in errors
    assert code == 2 or errors.count("\n") == 1
    assert not (folder / "x.txt").exists()


def test_a_failure_leaves_no_output_file(tag: Tag, folder: Path) -> None:
    (folder / "half.txt").write_text("a O\n\nb\n", encoding="utf-8")
    (folder / "kept.txt").write_text("old", encoding="utf-8")
    assert tag("half.txt", "-o", "kept.txt")[2] == 1
    assert (folder / "kept.txt").read_text() == "old"


def test_a_stream_answers_before_the_next_sentence_arrives(
    folder: Path, alarm: Callable[[int], AbstractContextManager[None]]
) -> None:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with alarm(30), subprocess.Popen(command("--stream"), cwd=folder, env=buffered, **pipes) as run:
        assert run.stdin
        assert run.stdout
        for text, expected in (("a\nb\n\n", "a B-X\nb I-X\n\n"), ("\n", "\n"), ("# t = 1\nc\n\n", "# t = 1\nc O\n\n")):
            run.stdin.write(text.encode())
            run.stdin.flush()
            assert run.stdout.read(len(expected)).decode() == expected
        run.stdin.write(b"a\nb")
        run.stdin.close()
        assert run.stdout.read() == b"a B-X\nb I-X"
    assert run.returncode == 0


@pytest.mark.parametrize(("broken", "line"), [(b"a O\n", 4), (b"d\xff\n", 4), (b"d\nb Y\n\na\0\n", 5), (b"d\rd\n", 4)])
def test_a_stream_writes_the_sentences_before_a_broken_line(folder: Path, broken: bytes, line: int) -> None:
    run = subprocess.run(command("--stream"), input=b"a\nb\n\n" + broken, cwd=folder, capture_output=True)
    assert run.stdout == b"a B-X\nb I-X\n\n"
    assert run.stderr.startswith(f"<stdin>:{line}: ".encode())
    assert run.returncode == 1
    run = subprocess.run(command(), input=b"a\nb\n\n" + broken, cwd=folder, capture_output=True)
    assert (run.stdout, run.returncode) == (b"", 1)


def test_words_in_place_of_labels_are_one_warning(tag: Tag, folder: Path) -> None:
    (folder / "words.txt").write_text("\na ?\na b\nc !\n\n" * 3, encoding="utf-8")
    warning = "words.txt:3: 'b' in the last column is no label of this model: one token a line?\n"
    text, errors, code = tag("words.txt", "--stream")
    assert (errors, code, text.count("\n")) == (warning, 0, 15)
    for labels in (("?", "?"), ("O", "b"), ("O|b", "b"), ("!O", "b")):
        (folder / "words.txt").write_text("a {}\nb {}\n".format(*labels), encoding="utf-8")
        assert tag("words.txt")[1] == ""


def test_columns_that_no_feature_looks_at_may_be_missing(tag: Tag, folder: Path) -> None:
    made = template("columns: [upos, word, case, tag]\nfeatures: ['word[0]', 'case[0]']\n", "made.yaml")
    rows = [[("N", "a", "l", "B-X"), ("V", "b", "u", "O")]] * 3
    data = corpus(rows, ("upos", "word", "case", "tag"))
    model = train(Inputs(made, data), Training(), np.random.default_rng(1), Run(lambda f, items, /: [*map(f, items)]))
    (folder / "few.model").write_bytes(pickle.dumps(model))
    for text in ("a l\nb u\n", "N a l\nV b u\n", "N a l O\nV b u O\n"):
        (folder / "few.txt").write_text(text, encoding="utf-8")
        first, second = text.splitlines()
        assert tag("few.txt", model="few.model") == (f"{first} B-X\n{second} O\n", "", 0)
    (folder / "few.txt").write_text("a\n", encoding="utf-8")
    message = "few.txt:1: 1 column, but 4 are named (upos, word, case, tag): all are needed, but for a label that is"
    assert tag("few.txt", model="few.model")[1].startswith(message)
    with pytest.raises(DataError, match="2 columns, but 4 are named"):
        read("in.txt", model.template.layout("in.txt"))


def test_a_mistake_is_one_line(folder: Path) -> None:
    (folder / "bad.txt").write_text("a O\nb Y Z\n", encoding="utf-8")
    run = subprocess.run(command("bad.txt"), cwd=folder, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("", "bad.txt:2: 3 columns where the lines before have 2\n")
    assert run.returncode == 1


def test_a_reader_that_leaves_ends_a_stream_quietly(folder: Path) -> None:
    pipe = " ".join(f"'{part}'" for part in command("--stream"))
    line = f"(printf 'a\\n\\n'; sleep 0.2; yes 'b' | head -n 200000 | sed G) | {pipe} | head -n 1"
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    line = ["bash", "-c", f"{line}; echo ${{PIPESTATUS[1]}}"]
    run = subprocess.run(line, cwd=folder, env=buffered, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("a O\n141\n", "")
