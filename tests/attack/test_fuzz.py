"""Inputs that `make fuzz` has found to reach code that others do not, once more without its tools."""

import base64
import json
from pathlib import Path

import pytest

from sstag.foundation.errors import SstagError
from tests.attack.fuzz import TARGETS

FILE = Path(__file__).parents[1] / "data" / "fuzz.jsonl"
INPUTS = [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def test_each_target_has_inputs():
    assert {one["target"] for one in INPUTS} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_inputs_that_were_found_are_errors_or_answers(name):
    if name == "xmi":
        pytest.importorskip("cassis")
    target = TARGETS[name]()
    ended = {"answer": 0, "error": 0}
    for one in INPUTS:
        if one["target"] == name:
            try:
                target(base64.b64decode(one["data"]))
                ended["answer"] += 1
            except SstagError:
                ended["error"] += 1
    assert sum(ended.values()) == 25
