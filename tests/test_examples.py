"""Every example of the README and the tutorials prints what they show, to the last digit.

What may differ between processors is listed in `docs.tools.examples.VARIABLE`; documents show nothing else that does.
Each document runs in a folder of its own, so nothing is left in the clone. `test_how_to_pages.py` has the other pages.
"""

from pathlib import Path

import pytest

from docs.tools.examples import ROOT, Session, agree, examples
from tests.pages import check_examples

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs/tutorials").glob("*.md"))]


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("F 93.70 of 1,234 in 60 iterations\n", True),
        ("F 93.70 of 1,234 in 71 iterations\n", True),
        ("F 93.71 of 1,234 in 60 iterations\n", False),
        ("F 93.70 of 1,235 in 60 iterations\n", False),
        ("F  93.70 of 1,234 in 60 iterations\n", False),
        ("F 93.70 of 1,234 in 60 iterations\nmore\n", False),
        ("", False),
    ],
)
def test_examples_are_compared_to_the_last_digit(printed: str, same: bool) -> None:
    assert agree("F 93.70 of 1,234 in 60 iterations\n", printed) == same


def test_a_line_of_dots_stands_for_any_lines() -> None:
    assert agree("a\n…\nd\n", "a\nb\nc\nd\n")
    assert agree("a\n…\nd\n", "a\nd\n")
    assert not agree("a\n…\nd\n", "a\nb\nc\n")
    assert not agree("…\nd\n", "b d\n")


def test_examples_are_found_in_order() -> None:
    text = (
        "A\n\n```console\n$ cat > x <<'END'\n$ y\nEND\n$ cat x\n$ y\n```\n\n```python\nprint(1)\n```\n\n```\n1\n```\n"
    )
    found = list(examples(text))
    assert [(one.code, one.shown) for one in found] == [
        ("cat > x <<'END'\n$ y\nEND", ""), ("cat x", ""), ("y", ""), ("print(1)\n", "1\n"),
    ]  # fmt: skip
    assert all(text[one.begin : one.end] == one.shown for one in found)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_example_prints_what_the_document_shows(path: Path, tmp_path: Path) -> None:
    check_examples(path, tmp_path)


def test_the_template_of_the_reference_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs/reference/templates.md").read_text(encoding="utf-8")
    template = text.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "places.txt").write_text("New York\n", encoding="utf-8")
    (tmp_path / "all.yaml").write_text(template, encoding="utf-8")
    (tmp_path / "names.txt").write_text("New NNP B-NP B-LOC\nYork NNP I-NP I-LOC\n", encoding="utf-8")
    (example,) = examples("```console\n$ sstag features --template all.yaml names.txt\n```")
    printed = Session(tmp_path).printed(example)
    assert "    lexicon(word[0], places.txt)=B\n" in printed
    assert "    -> word[0]=York\n" in printed
