"""Lists, densities, vectors, clusters and reports that a command writes with exit code 0 are read by the next one."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.annotators import ran
from tests.hostile_texts import FEATURES, Rows, saved, strict_json, texts


@pytest.mark.parametrize("targets", ["majority", "estimated", "sampled", "open"])
@settings(max_examples=15)
@given(rows=texts(), feature=st.sampled_from(FEATURES), way=st.sampled_from(["prototypes", "entropy", "coverage"]))
def test_lists_of_expectations_are_read_again(targets: str, rows: Rows, feature: str, way: str) -> None:
    """By the commands that take such lists, those with open labels by `expectations --list`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, raw = saved(folder / "train.txt", rows), saved(folder / "raw.txt", rows, labelled=False)
        (folder / "t.yaml").write_text(f"columns: [word, label]\nfeatures: ['{feature}']\n", encoding="utf-8")
        own = ["-t", folder / "t.yaml", "--train", train, "--unlabeled", raw]
        made = folder / "list.tsv"
        choice = ["--by", way, "--targets", targets, "--least", "1", "--show", "1"]
        run = ran("expectations", *own, "-f", feature, *choice, "-o", made)
        if run.returncode:
            assert not made.exists()
            return
        again = ran("expectations", *own, "--list", made, "-o", folder / "again.tsv")
        assert again.returncode == 0, again.stderr
        lines = [line for line in made.read_text("utf-8").split("\n") if "\t" in line and not line.startswith("# ")]
        if not any(line.endswith("\t?") for line in lines):
            train_with = ["--method", "expectation", "--expectations", made, "--set", "max_iterations=2"]
            trained = ran("train", *own, *train_with, "-m", folder / "m.model")
            assert trained.returncode == 0, trained.stderr


@settings(max_examples=15)
@given(rows=texts(), of=st.sampled_from(["word", "word,label"]), kind=st.sampled_from(["ngram", "empirical"]))
def test_densities_and_their_numbers_are_read_again(rows: Rows, of: str, kind: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, kept, numbers = saved(folder / "in.txt", rows), folder / "d.density", folder / "numbers.txt"
        run = ran("density", text, "--kind", kind, "--of", of, "--save", kept, "-o", numbers)
        if run.returncode:
            assert not kept.exists()
            return
        again = ran("density", text, "--load", kept, "-o", folder / "again.txt")
        assert again.returncode == 0, again.stderr
        assert (folder / "again.txt").read_bytes() == numbers.read_bytes()
        chosen = ran("select", "--pool", text, "--strategy", "quota", "--density", kept, "--count", "1")
        assert chosen.returncode == 0, chosen.stderr


@settings(max_examples=10)
@given(rows=texts(), lower=st.booleans(), together=st.booleans())
def test_vectors_and_clusters_are_read_again(rows: Rows, lower: bool, together: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = saved(folder / "in.txt", [[(word, "O") for word, _ in row] for row in rows])
        files = {"vectors": folder / "made.vectors", "clusters": folder / "made.clusters"}
        how = [*(["--lower"] if lower else []), *(["--together"] if together else [])]
        ran("vectors", text, "--least", "1", "--dimensions", "1", *how, "-o", files["vectors"])
        ran("clusters", text, "--least", "1", "--count", "2", "-o", files["clusters"])
        use = {"vectors": "vector(word[0], made.vectors)", "clusters": "cluster(word[0], made.clusters, 4)"}
        for kind, file in files.items():
            if not file.exists():
                continue
            (folder / "t.yaml").write_text(f"columns: [word, label]\nfeatures: ['{use[kind]}']\n", encoding="utf-8")
            shown = ran("features", "-t", folder / "t.yaml", text)
            assert shown.returncode == 0, shown.stderr
            other = (
                ["clusters", "--show", file]
                if kind == "clusters"
                else ["vectors", "--load", file, "--near", rows[0][0][0]]
            )
            assert "no vector" in (again := ran(*other)).stderr or again.returncode == 0, again.stderr
            made = ran("template", "ner", "--for", text, f"--{kind}", file, "-o", folder / "ner.yaml")
            assert made.returncode == 0, made.stderr
            assert ran("features", "-t", folder / "ner.yaml", text).returncode == 0


@settings(max_examples=10)
@given(rows=texts(), features=st.lists(st.sampled_from(FEATURES), min_size=1, max_size=3, unique=True))
def test_models_and_all_that_they_write_are_read_again(rows: Rows, features: list[str]) -> None:
    """Reports of commands are JSON; files with labels and scores are read by the commands that take such files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, model, out = saved(folder / "in.txt", rows), folder / "m.model", folder / "out"
        lines = "".join(f"  - '{feature}'\n" for feature in features)
        (folder / "t.yaml").write_text(f"columns: [word, label]\nfeatures:\n{lines}", encoding="utf-8")
        how = ["-t", folder / "t.yaml", "--train", text, "--set", "max_iterations=2"]
        if ran("train", *how, "-m", model, "--report", folder / "report.json").returncode:
            assert not model.exists()
            return
        strict_json((folder / "report.json").read_text(encoding="utf-8"))
        reports = {
            "inspect": ["inspect", model, "--format", "json"],
            "explain": ["explain", "-m", model, text, "--token", "1", "--format", "json", "-o", out],
            "eval": [
                "eval",
                text,
                "-m",
                model,
                "--format",
                "json",
                "--scheme",
                "plain",
                "--resamples",
                "10",
                "-o",
                out,
            ],
            "check": ["check", text, "--scheme", "plain", "--format", "json"],
        }
        for command, arguments in reports.items():
            run = ran(*arguments)
            if "the model has one label" in run.stderr:
                continue
            assert run.returncode == 0 or command == "check", run.stderr
            strict_json(out.read_text(encoding="utf-8") if out in arguments else run.stdout)
        for form in ("columns", "jsonl"):
            how_many = ["--strategy", "fusal", "--count", "2", "--format", form]
            run = ran("select", "-m", model, "--pool", text, *how_many, "-o", out)
            assert run.returncode == 0, run.stderr
            readers = (["check", out, "--no-label"], ["tag", "-m", model, out], ["convert", out, "--to-format", "csv"])
            for reader in readers:
                again = ran(*reader)
                assert again.returncode == 0, again.stderr
        suspect = ["--suspect", "-t", folder / "t.yaml", "--folds", "2", "--open-below", "0.9"]
        if not ran("check", text, *suspect, "-o", folder / "opened.txt").returncode:
            run = ran("train", "--method", "partial", *how[:2], "--train", folder / "opened.txt", *how[4:], "-m", model)
            assert run.returncode == 0 or "every label is open" in run.stderr, run.stderr
