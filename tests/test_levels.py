"""Every level of the core finds the same bits, with any number of threads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.chain import _core

RECORDED = Path(__file__).parent / "data" / "model-digests.txt"


def digests(level: str, threads: int = 1) -> str:
    """Models of every method, trained by one level."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.model_digests", str(threads)],
        env=os.environ | {"SSTAG_LEVEL": level}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stderr.strip() == level
    return run.stdout


@pytest.fixture(scope="module")
def best() -> str:
    return digests(_core.levels[0])


@pytest.mark.parametrize("level", _core.levels[1:])
def test_models_of_every_method_have_the_same_bits(best, level):
    assert digests(level) == best


def test_every_python_and_every_machine_makes_the_models_that_are_recorded(best):
    """`python -m tests.model_digests 1 > tests/data/model-digests.txt` records them after a change that moves a bit."""
    assert best == RECORDED.read_text(encoding="utf-8")


def test_threads_change_no_bit(best):
    assert digests(_core.levels[0], threads=3) == best


def test_a_level_that_is_not_there_is_said():
    run = subprocess.run(
        [sys.executable, "-c", "import sstag.chain._core"],
        env=os.environ | {"SSTAG_LEVEL": "abacus"}, capture_output=True, text=True,
    )  # fmt: skip
    assert "SSTAG_LEVEL is abacus, which this processor does not have" in run.stderr
