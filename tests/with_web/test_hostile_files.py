"""Endless files and bombs in the place of those that servers read as they start: a message each, in 3 GB and 30 s."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.attack.hostile import Hostile, bombs, endless
from tests.attack.material import filled, prepare
from tests.attack.runs import Server

# Each with the file that is hostile in brackets; none of them starts to serve if that is refused.
RECIPES = (
    "annotate [raw] --project {>work} --labels PER,LOC --template {template} --import {train}",
    "annotate {raw} --project {>work} --labels PER,LOC --template [template] --import {train}",
    "annotate --project {project} --import [train]",
    "annotate --project {project} --import [train] --import-as suggestions",
    "annotate --project {project} --import [train] --import-as pool",
    "serve --model [model] --port 0",
    "serve --model {model} --secret [weights] --port 0",
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with closing(Server()) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Path:
    made = tmp_path_factory.mktemp("material")
    prepare(made, server)
    (made / "hostile").mkdir()
    line = "annotate {raw} --project {project} --labels PER,LOC --template {template} --import {train}"
    came = server.run(*filled(line.split(), made), folder=str(made))
    assert came.code == 0, came.err
    return made


def hostile(folder: Path) -> dict[str, Hostile]:
    made = {**endless(), **bombs(folder / "hostile")}
    (folder / "hostile" / "zeros").write_bytes(bytes(1000))
    (folder / "hostile" / "half").write_bytes(b"caf\xe9 O\n\xed\xa0\x80 O\n\n")
    return {**made, **{name: Hostile(str(folder / "hostile" / name)) for name in ("zeros", "half")}}


@pytest.mark.parametrize("line", RECIPES)
def test_what_a_server_reads_as_it_starts(server: Server, folder: Path, line: str) -> None:
    words = line.split()
    place = next(number for number, word in enumerate(words) if word.startswith("["))
    for name, one in hostile(folder).items():
        shutil.rmtree(folder / "out" / "work", ignore_errors=True)
        given = filled([word.strip("[]") if word.startswith("[") else word for word in words], folder)
        given[place] = one.path
        small = {"sstag.foundation.files.LARGEST_STREAM": 2**22}
        came = server.run(*given, folder=str(folder), endless=one.endless, patches=small)
        assert not came.fault, f"{line}: {name}: {came.fault}\n{came.err[-2000:]}"
        assert came.code in (1, 2), f"{line}: {name}: {came.code}\n{came.err[-2000:]}"
