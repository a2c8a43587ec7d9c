"""Every system call that opens, writes, syncs, renames or removes fails once: the old file is whole, or the new one.

The k-th call within the folder of a command's outputs fails, for every k (`faults.c`).
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attack.kills import contents, is_whole
from tests.attack.material import filled
from tests.attack.runs import FAULTS, ROOT, Ran, Server, fault_library

COMMANDS = (
    "train --template {template} --train {train} --model {>m} --report {>r} --set max_iterations=2 --threads 1",
    "convert {train} --to-scheme bioes --output {>o}",
    "convert {train} --to-format brat --output {>folder2}/",
    "tag {raw} --model {model} --output {>o} --threads 1",
    "split {train} --part {>p}=2 --part {>q}=rest --force",
    "expectations --template {template} --train {train} --output {>o}",
    "density --text {train} --save {>d}",
    "vectors {train} --dimensions 2 --least 1 --output {>v}",
    "clusters {train} --count 2 --least 1 --output {>c}",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = fault_library(tmp_path_factory.mktemp("library"))
    if made is None:
        pytest.skip("no compiler here, or no Linux")
    return made


@pytest.fixture(scope="module")
def server(library: Path) -> Iterator[Server]:
    made = Server(library)
    yield made
    made.close()


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_whichever_call_fails_the_old_or_the_new_is_whole(server: Server, folder: Path, line: str) -> None:
    words = line.split()
    out, count = folder / "out", folder / "count"
    model = (folder / "model").read_bytes()
    names = [word[word.index("{>") + 2 : word.index("}")] for word in words if "{>" in word]
    old = {name: model if name in ("m", "d", "v") else b"old\n" for name in names if name != "folder2"}

    def run(at: int, number: int) -> Ran:
        shutil.rmtree(out)
        out.mkdir()
        for name, data in old.items():
            (out / name).write_bytes(data)
        fault = {"at": at, "number": number, "folder": f"{out}/"}
        return server.run(*filled(words, folder), folder=str(folder), fault=fault, counts=str(count))

    assert run(0, 0).code == 0, run(0, 0).err
    new = contents(out)
    calls = int(count.read_text())
    assert calls >= 5
    for at in range(1, calls + 1):
        what, number = list(FAULTS.items())[at % len(FAULTS)]
        came = run(at, number)
        where = f"{line}: call {at} of {calls}, {what}: {came.err}"
        assert not came.fault, where
        assert came.code in (0, 1), where
        there = contents(out)
        left = [name for name in there if name not in {**old, **new}]
        assert len(left) <= (1 if "sstag-part" in "".join(left) else 0), (where, left)
        for name, data in old.items():
            assert there.get(name) == data or is_whole(name, there[name], new[name]), where
        if came.code == 0:
            assert all(is_whole(name, there[name], new[name]) for name in new), where
        else:
            assert came.err.strip(), where
            assert "kept in" in came.err or len(came.err.strip().splitlines()) <= 3, where


def test_a_project_has_every_answer_that_was_acknowledged_whichever_call_fails(
    library: Path, memory_path: Path
) -> None:
    line = [sys.executable, "-m", "tests.attack.project_faults", str(memory_path / "projects")]
    came = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert came.stdout, came.stderr
    report = json.loads(came.stdout)
    assert report["failures"] == []
    assert report["calls"] > 100
    assert report["refused"] > 50  # the failing calls are those of answers, too
