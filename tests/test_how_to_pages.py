"""Every example of the how-to pages prints what they show, to the last digit: a file for one of several processes."""

from pathlib import Path

import pytest

from docs.tools.examples import ROOT
from tests.pages import check_examples

PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_example_prints_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    check_examples(path, tmp_path)
