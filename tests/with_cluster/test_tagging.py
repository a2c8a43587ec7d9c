"""Files that workers tag have the bytes of one machine, whatever the number of workers and of parts."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from distributed import LocalCluster

from sstag.features import predictions
from sstag.features.reading import template
from sstag.foundation.errors import DataError, SstagError
from sstag.interfaces.cli.tag import command
from sstag.interfaces.cluster import tagging
from sstag.model.model_file import save
from sstag.model.tagged_file import TaggedFiles
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained as run_trained
from tests.test_volumes import written
from tests.training import TWO_LOOKS, ads_template, made_ads, raw, task, trained


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "PART", 1000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tagging")
    save(trained(Inputs(ads_template(), made_ads(20, 1))), str(made / "m"))
    inputs = Inputs(template(TWO_LOOKS, "two.yaml"), made_ads(20, 1), raw(60, 2))
    save(run_trained(task(inputs), Run()), str(made / "two"))
    written(made / "raw.txt", made_ads(60, 2), False)
    written(made / "packed.txt.gz", made_ads(10, 3), False)
    text = (made / "raw.txt").read_bytes()
    (made / "sheet.txt").write_bytes(b"\xef\xbb\xbf# columns = word\n\n" + text.replace(b"\n", b"\r\n"))
    (made / "documents.txt").write_bytes(b"# document = a\n" + text + b"# document = b\n" + text)
    (made / "bad.txt").write_bytes(text + b"a b c\n\n" + text)
    return made


@pytest.fixture(params=[1, 2, 3, 7])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    with LocalCluster(
        n_workers=request.param, threads_per_worker=1, dashboard_address=None, processes=False, protocol="tcp"
    ) as some:
        yield some.scheduler_address


def tagged(folder: Path, *said: str) -> Result:
    run = CliRunner().invoke(command, [*(() if "-m" in said else ("-m", str(folder / "m"))), *said])
    if isinstance(run.exception, SstagError):
        raise run.exception
    return run


WAYS = {
    "columns": (),
    "sure": ("--confidence", "--nbest", "2"),
    "json": ("--format", "jsonl", "--marginals"),
    "spans": ("--format", "doccano"),
}


def test_any_number_of_workers_writes_the_same_bytes(address, folder, tmp_path):
    for name in ("raw.txt", "sheet.txt"):
        tagged(folder, str(folder / name), "-o", str(tmp_path / "one"))
        assert not tagged(folder, str(folder / name), "-o", str(tmp_path / "many"), "--scheduler", address).exit_code
        assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
        assert (folder / name).stat().st_size > 7 * tagging.PART
    assert sorted(os.listdir(tmp_path)) == ["many", "one"]


def test_workers_count_what_is_tagged_with_a_context(local, folder, tmp_path, monkeypatch):
    """The client counts nothing itself, and as few values are kept as on one machine."""
    one, many = tmp_path / "one", tmp_path / "many"
    names = ["documents.txt", "packed.txt.gz", "raw.txt", "sheet.txt"]
    asked = ["-m", str(folder / "two"), *(str(folder / name) for name in names)]
    contexts = ("file", "none", "document", "7")
    for context in contexts:
        run = tagged(folder, *asked, "--context", context, "-o", f"{one / context}/")
        assert run.exit_code == 0, run.output
    of_file = [(one / "file" / name).read_bytes() for name in names]
    assert all(
        [(one / context / name).read_bytes() for name in names] != of_file for context in contexts if context != "file"
    )

    def refused(*_: object) -> None:
        raise AssertionError("the client reads a text for the first look")

    monkeypatch.setattr(TaggedFiles, "having_read", refused)
    monkeypatch.setattr(tagging, "counts_of_blocks", refused)
    for context in contexts:
        address = local.scheduler_address
        run = tagged(folder, *asked, "--context", context, "-o", f"{many / context}/", "--scheduler", address)
        assert run.exit_code == 0, run.output
        for name in names:
            assert (many / context / name).read_bytes() == (one / context / name).read_bytes()
        assert sorted(os.listdir(many / context)) == names


@pytest.mark.parametrize("most", [5, 40, 10**6])
def test_the_same_values_are_counted_by_any_number_of_workers(address, folder, tmp_path, monkeypatch, most):
    monkeypatch.setattr(predictions, "MOST_VALUES", most)
    asked = ["-m", str(folder / "two"), str(folder / "raw.txt"), "-o"]
    tagged(folder, *asked, str(tmp_path / "one"))
    assert not tagged(folder, *asked, str(tmp_path / "many"), "--scheduler", address).exit_code
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["many", "one"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["raw.txt", "sheet.txt", "documents.txt", "packed.txt.gz"])
def test_whatever_is_asked_is_the_same(local, folder, tmp_path, way, name):
    for target, more in (("one", ()), ("two", ("--scheduler", local.scheduler_address))):
        run = tagged(folder, str(folder / name), "-o", str(tmp_path / target), *WAYS[way], *more)
        assert run.exit_code == 0, run.output
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    if way == "json":
        ids = {json.loads(line).get("id") for line in (tmp_path / "two").read_text().splitlines()}
        assert ids == ({"a", "b"} if name == "documents.txt" else {None})


def test_files_of_a_pattern_become_files_of_a_folder(local, folder, tmp_path):
    pattern = str(folder / "[prs]*.txt*")
    for target, more in (("one", ()), ("two", ("--scheduler", local.scheduler_address))):
        run = tagged(folder, pattern, "-o", str(tmp_path / target), *more)
        assert run.exit_code == 0, run.output
        assert sorted(os.listdir(tmp_path / target)) == ["packed.txt.gz", "raw.txt", "sheet.txt"]
    for name in os.listdir(tmp_path / "one"):
        one = (tmp_path / "one" / name).read_bytes()
        assert (tmp_path / "two" / name).read_bytes() == one
        alone = tmp_path / f"alone-{name}"
        tagged(folder, str(folder / name), "-o", str(alone))
        assert alone.read_bytes() == one
    assert gzip.decompress((tmp_path / "two" / "packed.txt.gz").read_bytes())


def test_the_first_fault_is_told_with_its_line(local, folder, tmp_path):
    told = []
    for more in ((), ("--scheduler", local.scheduler_address)):
        with pytest.raises(DataError) as error:
            tagged(folder, str(folder / "bad.txt"), "-o", str(tmp_path / "out"), *more)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert os.listdir(tmp_path) == []


def test_words_in_place_of_labels_are_one_warning(local, folder, tmp_path):
    source = tmp_path / "two.txt"
    source.write_text("so it\nis here\n\n" * 200)
    said = [tagged(folder, str(source), "-o", str(tmp_path / f"{n}"), *more).stderr for n, more in enumerate(
        ((), ("--scheduler", local.scheduler_address)))]  # fmt: skip
    assert said[0] == said[1]
    assert said[0].count("is no label of this model") == 1


def test_workers_without_the_folder_say_so(folder, tmp_path):
    from sstag.corpus.file_parts import FilePart
    from sstag.corpus.formats import Asked

    job = tagging._Job(FilePart(str(folder / "raw.txt")), str(tmp_path / "none" / "out"))
    with pytest.raises(DataError, match="no such folder: the output goes to one that all machines share"):
        tagging._tagged(job, (None, Asked()), lambda tokens: None)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (("--stream",), "--stream is for one machine"),
        (("--match-shares", "list"), "--match-shares is for one machine"),
        ((), "with a cluster say FILE and --output"),
    ],
)
def test_whatever_a_cluster_cannot_do_is_said(folder, said, message):
    run = tagged(folder, str(folder / "raw.txt"), "--workers", "2", *said)
    assert run.exit_code == 2
    assert message in run.output


INTERRUPTED = """
from sstag.interfaces.cluster import tagging
from sstag.interfaces.cli import main
tagging.PART = 20_000
main()
"""


def test_ctrl_c_ends_all_and_leaves_nothing(folder, tmp_path):
    (tmp_path / "in").write_bytes((folder / "raw.txt").read_bytes() * 500)
    out = tmp_path / "out"
    out.mkdir()
    said = "tag", "-m", str(folder / "m"), str(tmp_path / "in"), "-o", str(out / "tagged"), "--workers", "2"
    run = subprocess.Popen([sys.executable, "-c", INTERRUPTED, *said], stderr=subprocess.PIPE, start_new_session=True)
    while not any(names for _, folders, names in os.walk(out) if not folders):
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    _, said_at_the_end = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said_at_the_end.decode().split() == ["interrupted"]
    assert os.listdir(out) == []
