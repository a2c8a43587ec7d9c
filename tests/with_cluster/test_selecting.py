"""Sentences that workers score are chosen as on one machine, byte by byte, by any strategy and any number of them."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from distributed import Client, LocalCluster

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.interfaces.cli.select import command
from sstag.interfaces.cluster import jobs, selecting
from sstag.model.model_file import save
from sstag.selection.strategies import QUOTA, STRATEGIES
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained as run_trained
from tests.test_volumes import written
from tests.training import TWO_LOOKS, ads_template, made_ads, raw, task, trained


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "PART", 1500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("selecting")
    save(trained(Inputs(ads_template(), made_ads(20, 1))), str(made / "m"))
    written(made / "raw.txt", made_ads(60, 2), False)
    written(made / "packed.txt.gz", made_ads(10, 3), False)
    written(made / "asked.txt", made_ads(5, 2), True)
    (made / "raw.txt").write_bytes(b"\n\n" * 2000 + (made / "raw.txt").read_bytes())  # parts without a sentence
    text = (made / "raw.txt").read_bytes().lstrip()
    (made / "documents.txt").write_bytes(b"# document = a\n" + text + b"# document = b\n" + text)
    words = sorted({line for line in text.decode().split("\n") if line})
    numbers = [(n * 7 % 11 - 5, n * 5 % 13 - 6, n % 3) for n in range(len(words))]
    (made / "v.txt").write_text("".join(f"{w} {a} {b} {c}\n" for w, (a, b, c) in zip(words, numbers, strict=True)))
    (made / "terms").write_text("\n".join(words[:40]))
    return made


def selected(*said: object) -> Result:
    run = CliRunner().invoke(command, [str(word) for word in said])
    if isinstance(run.exception, SstagError):
        raise run.exception
    return run


def both(folder: Path, target: Path, address: str, *said: object) -> bytes:
    """The bytes that one machine writes, after workers wrote the same."""
    found = []
    for name, more in (("one", ()), ("many", ("--scheduler", address))):
        run = selected(*said, "-o", target / name, *more)
        assert run.exit_code == 0, run.output
        found.append(((target / name).read_bytes(), run.stderr))
    assert found[0] == found[1]
    return found[0][0]


WAYS = {
    "tokens": ("--strategy", "entropy", "--tokens", "90", "--exclude", "asked.txt"),
    "prefilled": ("--strategy", "margin", "--count", "9", "--prefill", "--diverse", "0.4"),
    "sure": ("--strategy", "sesal", "--count", "4", "--confidence", "0.6"),
    "spans": ("--strategy", "span-entropy", "--spans", "--count", "12", "--exclude", "asked.txt"),
    "terms": ("--strategy", "token-entropy", "--spans", "--count", "12", "--terms", "terms", "--diverse", "0.5"),
    "length": ("--strategy", "quota", "--by", "length", "--tokens", "200", "--diverse", "0.3"),
    "far": ("--strategy", "random", "--count", "8", "--meaning", "v.txt", "--spread", "k-means++"),
    "unlike": ("--strategy", "entropy", "--count", "8", "--meaning", "v.txt", "--diverse", "0.6", "--alike", "meaning"),
    "core": (
        "--strategy", "fusal", "--count", "6", "--meaning", "v.txt", "--spread", "core-set", "--exclude", "asked.txt",
    ),
}  # fmt: skip


@pytest.mark.parametrize("context", ["file", "none"])
def test_a_pool_is_counted_by_workers(local, folder, tmp_path, context):
    inputs = Inputs(template(TWO_LOOKS, "two.yaml"), made_ads(20, 1), raw(60, 2))
    save(run_trained(task(inputs), Run()), str(tmp_path / "m"))
    pools = [word for name in ("raw.txt", "packed.txt.gz") for word in ("--pool", folder / name)]
    said = ("-m", tmp_path / "m", *pools, "--strategy", "entropy", "--count", "9", "--prefill", "--context", context)
    chosen = both(folder, tmp_path, local.scheduler_address, *said)
    assert (chosen == both(folder, tmp_path, local.scheduler_address, *said[:-1], "file")) == (context == "file")


def files(folder: Path, said: tuple[str, ...]) -> list[str]:
    return [str(folder / one) if (folder / one).exists() else one for one in said]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_workers_writes_the_same_bytes(count, folder, tmp_path):
    with LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address=None, processes=False, protocol="tcp"
    ) as some:
        for way in ("tokens", "terms", "core"):
            said = "--pool", folder / "raw.txt", "-m", folder / "m", "--format", "jsonl"
            made = both(folder, tmp_path, some.scheduler_address, *said, *files(folder, WAYS[way]))
            assert b'"line"' in made
    assert sorted(os.listdir(tmp_path)) == ["many", "one"]


@pytest.mark.parametrize("strategy", [*STRATEGIES, "no model"])
def test_every_strategy_is_the_same(local, folder, tmp_path, strategy):
    model = () if strategy == "no model" else ("-m", folder / "m")
    strategy = QUOTA if strategy == "no model" else strategy
    pools = "--pool", folder / "raw.txt", "--pool", folder / "packed.txt.g[a-z]"
    said = *pools, *model, "--strategy", strategy, "--count", "7", "--exclude", folder / "asked.txt"
    assert b"# file = " in both(folder, tmp_path, local.scheduler_address, *said)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["raw.txt", "documents.txt"])
def test_whatever_is_asked_is_the_same(local, folder, tmp_path, way, name):
    said = "--pool", folder / name, "-m", folder / "m", *files(folder, WAYS[way])
    made = both(folder, tmp_path, local.scheduler_address, *said)
    assert (b"# document = " in made) == (name == "documents.txt")


def test_a_lost_worker_is_replaced(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "PAUSE", 0.05)
    said = "--pool", folder / "raw.txt", "-m", folder / "m", *files(folder, WAYS["tokens"])
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as some, Client(some) as client:
        victim = next(iter(client.run(os.getpid).values()))
        began = time.monotonic()

        def kill() -> None:
            while not any(".npz" in name or name.isdigit() for _, _, names in os.walk(tmp_path) for name in names):
                assert time.monotonic() < began + 60
                time.sleep(0.005)
            os.kill(victim, signal.SIGKILL)

        selected(*said, "-o", tmp_path / "one")
        thread = threading.Thread(target=kill)
        thread.start()
        run = selected(*said, "-o", tmp_path / "many", "--scheduler", some.scheduler_address)
        thread.join()
        assert run.exit_code == 0, run.output
        assert victim not in client.run(os.getpid).values()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        (b"a DT\nb NN\n\n" * 500, ("--strategy", "random"), r"is column 2 \(DT, NN\) the label\?"),
        (b"\n" * 5000, ("--strategy", "random"), "no sentence in it"),
        (b"a b\n\n" * 500 + b"a b c\n\n", ("--strategy", "random", "--label", "label"), "raw:1001: 3 columns|3 fields"),
    ],
)
def test_faults_are_those_of_one_machine(local, tmp_path, text, said, message):
    (tmp_path / "raw").write_bytes(text)
    told = []
    for more in ((), ("--scheduler", local.scheduler_address)):
        with pytest.raises(DataError, match=message) as error:
            selected("--pool", tmp_path / "raw", *said, "--count", "3", "-o", tmp_path / "out", *more)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert os.listdir(tmp_path) == ["raw"]


def test_whatever_a_cluster_cannot_do_is_said(local, folder, tmp_path):
    said = "--pool", folder / "raw.txt", "--count", "3", "--scheduler", local.scheduler_address
    run = selected(*said, "--strategy", "random")
    assert run.exit_code == 2
    assert "with a cluster say --pool FILE and --output" in run.output
    with pytest.raises(ConfigError, match="entropy asks a model, and there is none"):
        selected(*said, "--strategy", "entropy", "-o", tmp_path / "out")
