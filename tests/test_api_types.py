"""A user's script passes mypy in its strict mode, and mypy finds the mistakes in another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOOD = """
import sstag

def sure(model: sstag.Model, words: list[list[str]]) -> list[float]:
    return [one.confidence for one in sstag.tag(model, words, confidence=True)]

def tell(progress: sstag.Progress) -> None:
    print(progress.objective)

def either(asked: bool) -> list[list[str]] | list[sstag.Tagged]:
    return sstag.tag("m", X, confidence=asked)

X = [["a", "b"], ["c"]]
y = [["X", "Y"], ["X"]]
model = sstag.train("ner", X, y, dev=X, dev_labels=y, l2=0.5, objectives=[{"entropy": {"gamma": 0.1}}], tell=tell)
model = sstag.train({"columns": ["word", "label"], "features": ["word[0]"]}, [[("a", "p")]], y)
tuned: sstag.Tuned = sstag.tune("ner", "train.txt", values={"l2": [0.1, 1.0], "pairs": ("all", "observed")}, folds=5)
values: list[float] = [0.1, 1.0]
ner = sstag.load_template("ner")
tuned = sstag.tune(ner, ["a.txt", "b.txt"], values={"l2": values}, dev=sstag.read("c.txt", ner))
labels: list[list[str]] = sstag.tag(tuned.model, X)
one: sstag.Tagged = sstag.tag("m", X, marginals=True)[0]
best: list[tuple[list[str], float]] = sstag.tag("m", (sentence for sentence in X), nbest=3)[0].best
spans: list[sstag.FoundSpan] = sstag.tag("m", text="Kim met Ann.", confidence=True)
several: list[list[sstag.FoundSpan]] = sstag.tag("m", text=["Kim met Ann."])
share: float = one.marginals[0]["X"]
f1: float = sstag.evaluate(y, labels).figures["f1"]
scores: list[float] = [tried.score for tried in tuned.tried]
sstag.save(model, "m")
version: str = sstag.__version__
"""
BAD = """
import sstag

sstag.trian("ner", "x")
sstag.tag("m", [["a"]]).confidence
sstag.tag("m", [["a"]], nbest="3")
sstag.tune("ner", "x", folds=3)
sstag.load_template(3)
"""


@pytest.mark.parametrize(("script", "mistakes"), [(GOOD, 0), (BAD, 5)])
def test_what_mypy_says_of_a_script(script: str, mistakes: int, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={tmp_path}/cache"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "script.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout.count(": error: ") == mistakes, run.stdout + run.stderr
