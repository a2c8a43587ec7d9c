"""A small corpus from which features are proposed, and the command that proposes them."""

from pathlib import Path

from click.testing import CliRunner

from sstag.features.reading import template
from sstag.interfaces.cli.expectations import command
from tests.datasets import corpus

HOW = template("columns: [word, label]\nfeatures: ['word[-1]', 'lower(word[0])', 'suffix(word[0], 2)']\n", "made.yaml")
TRAIN = [
    [("a", "X"), ("b", "Y"), ("a", "X"), ("c", "Y"), ("c", "X")],
    [("d", "Y"), ("b", "Y"), ("a", "Y"), ("e", "X"), ("f", "?"), ("f", "X|Y")],
]
RAW = corpus([[("a",), ("b",)], [("c",)]], ("word",))


def write_files(folder: Path) -> None:
    """Writes a template, labelled sentences and raw text for the command."""
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1], lower(word[0])]\n", encoding="utf-8")
    lines = "\n".join("".join(f"{word} {label}\n" for word, label in sentence) for sentence in TRAIN)
    (folder / "train.txt").write_text(lines, encoding="utf-8")
    (folder / "raw.txt").write_text("a\nb\nA\n\nb\nc\ng\na\n", encoding="utf-8")


def run(*arguments, answers=""):
    return CliRunner().invoke(command, ["-t", "t.yaml", *arguments], input=answers, catch_exceptions=False)
