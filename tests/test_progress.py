"""The line that a long run of tests shows once a minute (`tests/conftest.py`)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = "import pytest\n\n@pytest.mark.parametrize('n', range(8))\ndef test_it(n: int) -> None:\n    assert n != 3\n"


@pytest.mark.parametrize("more", [(), ("-n", "2", "--dist", "loadfile")])
def test_a_long_run_says_how_many_tests_are_done_and_how_long_others_take(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    here = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(here.replace("MINUTE = 60.0", "MINUTE = 1e-9"), encoding="utf-8")
    (tmp_path / "test_some.py").write_text(TESTS, encoding="utf-8")
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more]
    run = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [one for one in run.stdout.splitlines() if " tests" in one]
    assert all(re.fullmatch(r"\d+ min: \d of 8 tests(, 1 failed)?, about \d+ min left", one) for one in lines), lines
    assert re.search(r"min: 8 of 8 tests, 1 failed, about 0 min left", lines[-1])
    assert "1 failed, 7 passed" in run.stdout
