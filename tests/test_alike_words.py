"""`sstag expectations --like`: the words whose vectors are nearest to those of a list, by definition and as written."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces.cli.expectations import command
from sstag.knowledge import alike_words as module
from sstag.knowledge.alike_words import alike_words
from sstag.knowledge.expectation_list import read_list
from sstag.knowledge.expectations import placed
from sstag.knowledge.proposals import every_proposal
from sstag.labels.marks import Marks
from tests.compare import assert_close
from tests.datasets import unlabelled

HOW = template("columns: [word, label]\nfeatures: [word[-1], word[0]]\n", "made.yaml")
LETTERS = "abcdefgh"


class Made:
    """A vector for each letter but the last."""

    dimensions, digest = 3, "made"

    def __init__(self, seed: int) -> None:
        self.rows = np.random.default_rng(seed).normal(size=(len(LETTERS), 3)).astype(np.float32)
        self.rows[6] = 0.0

    def of(self, words):
        places = [place for place, word in enumerate(words) if word in LETTERS[:-1]]
        numbers = [LETTERS.index(words[place]) for place in places]
        return np.array(places, np.int64), self.rows[numbers].reshape(-1, 3)

    def listed(self):
        return list(LETTERS), self.rows


@given(
    seed=st.integers(0, 50),
    text=st.lists(st.sampled_from(LETTERS), min_size=1, max_size=30),
    named=st.lists(st.sampled_from(LETTERS[:6]), min_size=1, max_size=4, unique=True),
    count=st.integers(1, 6),
    least=st.integers(1, 3),
    together=st.sampled_from([1, 2, 64]),
)
def test_the_nearest_come_first_with_what_they_are_nearest_to(
    tmp_path_factory, seed, text, named, count, least, together
):
    path = tmp_path_factory.mktemp("list") / "l.tsv"
    path.write_text("".join(f"word[0]={one}\t{one.upper()}\n" for one in named), encoding="utf-8")
    vectors, raw = Made(seed), unlabelled([text])
    listed = read_list(str(path), HOW, raw)
    of = every_proposal(listed.template, None, raw, Marks())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "TOGETHER", together)
        found = alike_words(of, listed, vectors, count, least)

    def cosine(one: str, other: str) -> float:
        a, b = (vectors.rows[LETTERS.index(letter)].astype(float) for letter in (one, other))
        return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))

    near = {
        one: max((cosine(one, other), other) for other in named)
        for one in set(text) - set(named) - {"g", "h"}  # g is 0, h has no vector
        if text.count(one) >= least
    }
    near = {one: best for one, best in near.items() if best[0] > 0}
    expected = sorted(near, key=lambda one: -near[one][0])[:count]
    assert [one.removeprefix("word[0]=") for one in of.texts(list(found))] == expected
    for one, alike in zip(expected, found.values(), strict=True):
        assert_close(np.array(alike.cosine), np.array(near[one][0]), tolerance=1e-6)
        assert alike.line.rest == (near[one][1].upper(),)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..0]]\n", encoding="utf-8")
    (tmp_path / "d.yaml").write_text(
        "columns: [word, label]\nfeatures: [word[0], 'vector(word[0], v.txt)']\n", encoding="utf-8"
    )
    (tmp_path / "raw.txt").write_text("in\nRome\nin\nOslo\n\nby\nBob\nin\nOslo\n\nBob\nand\nrain\n", encoding="utf-8")
    (tmp_path / "v.txt").write_text("Rome 1 0\nOslo 0.8 0.6\nBob -1 1\nin -1 -1\nJohn -0.8 0.6\n", encoding="utf-8")
    (tmp_path / "l.tsv").write_text("word[0]=Rome\tLOC:0.9 O:0.1\t2\nword[0]=John\tPER\n", encoding="utf-8")
    return tmp_path


def run(template: str, *arguments: str):
    return CliRunner().invoke(command, ["-t", template, *arguments], catch_exceptions=False)


@pytest.mark.parametrize("how", [["t.yaml", "--vectors", "v.txt"], ["d.yaml"]])
def test_it_writes_a_list_with_what_the_nearest_word_has(files, how):
    made = run(*how, "--unlabeled", "raw.txt", "--like", "l.tsv", "-o", "o.tsv")
    assert made.exit_code == 0, made.output
    assert (files / "o.tsv").read_text(encoding="utf-8") == (
        "# 2 occurrences\n# like word[0]=John (0.99)\nword[0]=Bob\tPER\n"
        "# 2 occurrences\n# like word[0]=Rome (0.80)\nword[0]=Oslo\tLOC:0.9 O:0.1\t2\n"
        "# 3 occurrences\n# like word[0]=John (0.14)\nword[0]=in\tPER\n"
    )
    assert made.stderr == "3 features of 30 (no others fit, of those that occur 2 times), 7 occurrences in raw.txt\n"
    assert placed("o.tsv", HOW, unlabelled([["Bob", "in", "Oslo"]])).labels == {"PER", "LOC", "O"}


def test_they_can_be_left_open_and_asked_about(files):
    made = run("d.yaml", "--unlabeled", "raw.txt", "--like", "l.tsv", "--targets", "open", "--count", "1")
    assert made.stdout == "# 2 occurrences\n# like word[0]=John (0.99)\nword[0]=Bob\t?\n"
    asked = CliRunner().invoke(
        command,
        [
            "-t",
            "d.yaml",
            "--unlabeled",
            "raw.txt",
            "--like",
            "l.tsv",
            "--count",
            "1",
            "--ask",
            "--labels",
            "PER,O",
            "-o",
            "o",
        ],
        input="PER\n",
        catch_exceptions=False,
    )
    assert asked.exit_code == 0, asked.output
    assert (files / "o").read_text(encoding="utf-8").endswith("word[0]=Bob\tPER\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--like", "l.tsv", "--list", "l.tsv"], "not together with --list"),
        (["--like", "l.tsv", "--by", "coverage"], "not together with --by"),
        (["--like", "l.tsv", "-f", "word[0]"], "not together with --feature"),
        (["--vectors", "v.txt"], "--vectors is for --like"),
    ],
)
def test_what_does_not_fit_is_told(files, arguments, message):
    made = CliRunner().invoke(command, ["-t", "t.yaml", "--unlabeled", "raw.txt", *arguments])
    assert (made.exit_code, message in made.output) == (2, True), made.output


def test_what_cannot_be_compared_is_told(files):
    with pytest.raises(ConfigError, match=r"the template has no vector\(…\)"):
        run("t.yaml", "--unlabeled", "raw.txt", "--like", "l.tsv")
    (files / "s.tsv").write_text("shape(word[0])=Aa\tPER\nfirst()\tO\n*\tO:0.8 PER:0.2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"s.tsv: none of its features is a word that has a vector"):
        run("d.yaml", "--unlabeled", "raw.txt", "--like", "s.tsv")
