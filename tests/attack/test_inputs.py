"""A share of the inputs that `make attack` makes, and those that once had a fault."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sstag.foundation.errors import DataError
from sstag.foundation.npy import matrix
from tests.attack.inputs.models import packed, parts
from tests.attack.material import TEXTS
from tests.attack.runs import ROOT, Server

SHARE = 800


def test_a_share_of_all_inputs(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "tests.attack.many", str(SHARE), str(tmp_path)]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}\n{(tmp_path / 'failures.jsonl').read_text()}"


def refused(server: Server, folder: Path, line: str, message: str) -> None:
    came = server.run(*line.split(), folder=str(folder))
    assert (came.code, came.fault, message in came.err + came.out.decode()) == (1, "", True), came


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(15, 3)", b"(15, 99999999999999999999)"),
        (b"(15, 3)", b"((15, 3"),
        (b"(15, 3)", b"(" * 50),
        (b"'<f4'", b"'|O'"),
    ],
)
def test_the_head_of_a_matrix_is_not_evaluated(server: Server, folder: Path, old: bytes, new: bytes) -> None:
    np.save(folder / "head.npy", np.ones((15, 3), np.float32))
    data = (folder / "head.npy").read_bytes()
    assert old in data
    (folder / "head.npy").write_bytes(data.replace(old, new))
    refused(server, folder, "encode train --rows head.npy --name other -o out/o", "is no matrix of float16")


def test_a_matrix_whose_sizes_overflow_is_not_whole(server: Server, folder: Path) -> None:
    np.save(folder / "large.npy", np.ones((15, 3), np.float32))
    data = (folder / "large.npy").read_bytes().replace(b"(15, 3)", b"(999999999999, 999999)")
    (folder / "large.npy").write_bytes(data)
    refused(server, folder, "encode train --rows large.npy --name other -o out/o", "larger or smaller than it says")


def test_half_a_character_in_a_model(server: Server, folder: Path) -> None:
    entries = parts((folder / "model").read_bytes())
    assert b'"seed": 1' in entries["model.json"]
    for old, new in ((b'"B-LOC"', b'"\\ud800"'), (b'"about": {', b'"about": {"a\\udfff": 1,')):
        document = entries["model.json"].replace(old, new)
        (folder / "half").write_bytes(packed(entries | {"model.json": document}))
        refused(server, folder, "inspect half", "damaged: its description cannot be read")


@pytest.mark.parametrize(
    ("place", "message"), [("9" * 20, "no token"), ("9" * 5000, "no token"), ("9" * 12, "too far behind")]
)
def test_a_text_that_begins_far_away(server: Server, folder: Path, place: str, message: str) -> None:
    layer = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.X|value\n\n\n#Text=a\n"
    (folder / "far.tsv").write_text(f"{layer}1-1\t{place}-{place}\ta\t_\n")
    refused(server, folder, "check far.tsv --from-format webanno", message)


def test_matrices_are_read_before_a_folder_is_made(server: Server, folder: Path) -> None:
    (folder / "bad").write_text("labels: [")
    refused(server, folder, "sample hmm out/made --matrices bad --train 2", "bad:")
    assert not (folder / "out" / "made").exists()


@pytest.mark.parametrize(("file", "other"), [("train", "empty"), ("empty", "two")])
def test_a_text_without_a_token_beside_one(server: Server, folder: Path, file: str, other: str) -> None:
    (folder / "empty").write_text("\n")
    refused(server, folder, f"convert {file} --join other={other} -o out/o", "empty: no sentence in it")


def test_a_template_that_looks_at_more_columns_than_there_are(server: Server, folder: Path) -> None:
    (folder / "beyond").write_text("U00:%x[0,3]\nB01:%x[0,0]\n")
    message = "the template looks at column 3, counted from 0; here are word, and the label"
    for more in ("", " --unlabeled raw"):
        refused(server, folder, f"expectations --template beyond --train train{more} -o out/o", message)


def test_a_long_label_is_told_in_short(server: Server, folder: Path) -> None:
    (folder / "long").write_text(f"rules:\n  - contains: {'x' * 70_000}\n    penalty: 2\n")
    came = server.run("tag", "raw", "--model", "model", "--rules", "long", folder=str(folder))
    assert len(came.err) < 5000
    assert "long:2" in came.err


def test_good_files_are_good(server: Server, folder: Path) -> None:
    """So that the refusals above are for what was changed."""
    assert {"train", "raw", "model"} <= {*TEXTS, "model"}
    assert server.run("inspect", "model", folder=str(folder)).code == 0


DIGITS = "9" * 5000  # more than Python reads as a number
NUMBERED = {
    "brat": (".ann", f"T1\tPER {DIGITS} 3\tAnn\n", "no span"),
    "conll2012": (".x", f"#begin document (a); part {DIGITS}\na 0 0 Ann - - - - - - * -\n\n#end document\n", "outside"),
    "columns": (".x", f"Ann {DIGITS} 3 O\n\n", "is no place of a token"),
    "label-studio": (
        ".x",
        '[{"data": {"text": "Ann"}, "annotations": [{"result": [{"type": "labels", "from_name": "l", "to_name": "t",'
        f' "value": {{"start": "{DIGITS}", "end": 3, "labels": ["PER"]}}}}]}}]}}]',
        "start",
    ),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_a_number_of_thousands_of_digits(server: Server, folder: Path, name: str) -> None:
    ending, text, message = NUMBERED[name]
    (folder / f"digits{ending}").write_text(text)
    (folder / "digits.txt").write_text("Ann")
    more = " --columns word,start,end,label" if name == "columns" else ""
    refused(server, folder, f"convert digits{ending} --from-format {name} --to-format doccano{more}", message)


@pytest.mark.parametrize("text", ["a#²", f"a#{DIGITS}", "a#7"])
def test_a_name_that_ends_in_digits(server: Server, folder: Path, text: str) -> None:
    (folder / "named.jsonl").write_text(json.dumps({"id": text, "text": "Ann", "label": []}) + "\n")
    words = ("--from-format", "doccano", "--to-format", "conll2012")
    came = server.run("convert", "named.jsonl", *words, folder=str(folder))
    assert (came.code, came.fault) == (0, ""), came
    assert came.out.startswith(b"#begin document (a); part 007" if text == "a#7" else b"#begin document (a#")


def test_an_empty_matrix(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(DataError, match="is no matrix"):
        matrix(str(tmp_path / "empty"))


def test_which_of_thousands_of_spans_contradicts_the_others(server: Server, folder: Path) -> None:
    (folder / "many").write_text("1\t1\t2\tPER\n" * 8000 + "1\t2\t3\tPER\n" + "1\t1\t2\tPER\n" * 8000)
    refused(server, folder, "convert raw --spans many --to-scheme iob2 -o out/o", "many:8001: contradicts the lines")
