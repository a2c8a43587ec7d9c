"""`sstag train`: configurations, mistakes, reports, and being interrupted at any moment."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import sstag
from sstag.corpus.corpus import corpus_of
from sstag.corpus.layout import layout_for
from sstag.foundation.errors import ModelError, SstagError
from sstag.interfaces.cli.check import command as check_command
from sstag.interfaces.cli.convert import command as convert_command
from sstag.interfaces.cli.inspect import command as inspect_command
from sstag.interfaces.cli.interruption import interruptible
from sstag.interfaces.cli.train import command
from sstag.labels.checking import checked, mistaken_labels
from sstag.labels.marks import Marks
from sstag.model.model_file import load
from sstag.training.configuration import configuration
from tests.commands import trained_in
from tests.systems import posix

ROOT = Path(__file__).parent.parent
TEMPLATE = "columns: [word, field]\nfeatures: [word[-1..1], 'suffix(word[0], 1..3)']\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "train.txt").write_text("a X\nb Y\n\nb Y\na X\nc X\n\n", encoding="utf-8")
    (tmp_path / "dev.txt").write_text("a X\nb Y\n", encoding="utf-8")
    return tmp_path


def train(folder: Path, *more: str, model: str | None = "m", base: bool = True) -> Result:
    arguments = ["--template", str(folder / "t.yaml"), "--train", str(folder / "train.txt")] if base else []
    arguments += ["--model", str(folder / model)] if model else []
    return CliRunner().invoke(command, [*arguments, *more])


def test_training_writes_a_model_and_says_so(folder: Path) -> None:
    run = train(folder, "--dev", str(folder / "dev.txt"), "--threads", "1")
    assert run.exit_code == 0, run.output
    assert run.output.startswith(f"{folder / 'm'}: 2 labels, 13 attributes, 24 weights\n")
    assert "dev accuracy 100.00 at iteration " in run.output
    model = load(str(folder / "m"))
    assert model.about["method"] == "crf"
    assert model.about["sstag"] == sstag.__version__
    assert model.about["data"]["train"]["tokens"] == 5


def test_threads_and_time_change_no_byte(folder: Path) -> None:
    train(folder, "--threads", "1", "--set", "l2=0.1")
    train(folder, "--threads", "3", model="n")
    assert (folder / "m").read_bytes() == (folder / "n").read_bytes()
    train(folder, "--seed", "2", model="n")
    assert load(str(folder / "m")).theta.tobytes() == load(str(folder / "n")).theta.tobytes()
    train(folder, "--set", "l2=3", model="n")
    assert (folder / "m").read_bytes() != (folder / "n").read_bytes()


def test_a_configuration_alone_repeats_a_run(folder: Path) -> None:
    train(folder, "--set", "l2=0.5", "--set", "minimum_count=2", "--seed", "7")
    (folder / "sub").mkdir()
    (folder / "sub" / "run.yaml").write_text(
        "template: ../t.yaml\ntrain: ../train.txt\nmodel: ../n\nseed: 7\nparameters:\n  l2: 0.5\n  minimum_count: 2\n",
        encoding="utf-8",
    )
    run = train(folder, "--config", str(folder / "sub" / "run.yaml"), model=None, base=False)
    assert run.exit_code == 0, run.output
    assert load(str(folder / "m")).about == load(str(folder / "n")).about
    assert (folder / "m").read_bytes() == (folder / "n").read_bytes()
    assert load(str(folder / "n")).template.minimum_count == 2
    # The command line wins.
    train(folder, "--config", str(folder / "sub" / "run.yaml"), "--set", "l2=4", "--seed", "8", model="o", base=False)
    about = load(str(folder / "o")).about
    assert (about["seed"], about["parameters"]["l2"]) == (8, 4)


def test_the_report_has_every_iteration_and_repeats_the_run(folder: Path) -> None:
    run = train(
        folder, "--dev", str(folder / "dev.txt"), "--report", str(folder / "r.json"), "--no-marks", "-s", "l2=2"
    )
    assert run.exit_code == 0, run.output
    report = json.loads((folder / "r.json").read_bytes())
    assert [one["iteration"] for one in report["iterations"]] == list(range(1, len(report["iterations"]) + 1))
    assert set(report["iterations"][0]) == {"iteration", "objective", "gradient_norm", "seconds", "score", "phase"}
    assert report["weights"] == load(str(folder / "m")).weight_map.size
    (folder / "again.yaml").write_text(json.dumps(report["run"] | {"model": str(folder / "n")}), encoding="utf-8")
    assert train(folder, "--config", str(folder / "again.yaml"), model=None, base=False).exit_code == 0
    assert (folder / "m").read_bytes() == (folder / "n").read_bytes()


def test_an_earlier_model_is_the_start(folder: Path) -> None:
    train(folder)
    first = load(str(folder / "m"))
    run = train(folder, "--init", str(folder / "m"), "--set", "max_iterations=0", model="n")
    assert run.exit_code == 0, run.output
    assert load(str(folder / "n")).theta.tobytes() == first.theta.tobytes()
    (folder / "train.txt").write_text("a X\nb Y\n", encoding="utf-8")
    run = train(folder, "--init", str(folder / "m"), model="n")
    about = load(str(folder / "n")).about
    assert 0 < about["carried over"] < (first.theta != 0).sum()
    assert f"started from {about['carried over']} weights of the earlier model" in run.output


def test_a_parameter_is_no_option(folder: Path) -> None:
    assert "l2 is a parameter: write --set l2=…" in train(folder, "--l2", "0.5").output
    assert "write --set minimum_count=…" in train(folder, "--minimum-count", "2").output
    assert "No such option" in train(folder, "--nothing").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "l22=1"], "--set: crf has no parameter 'l22'; did you mean 'l2'?"),
        (["--set", "minimum_cuont=1"], "did you mean 'minimum_count'?"),
        (["--set", "l2=strong"], "--set: 'l2' must be a number, not 'strong'"),
        (["--set", "max_iterations=1.5"], "--set: 'max_iterations' must be a whole number, not 1.5"),
        (["--set", "l2=-1"], "--set: 'l2' must be a number from 0 up, not -1"),
        (["--set", "l2"], "--set: 'l2': write NAME=VALUE"),
        (["--set", "minimum_count=0"], "--set: 'minimum_count' must be a whole number from 1 up"),
        (["--set", "edge_pairs=some"], "--set: 'edge_pairs' is observed or all, not 'some'"),
        (["--train", "none.txt"], "none.txt: no such file"),
        (["--init", "train.txt"], "train.txt: not an sstag model"),
        (["--model", "none/m"], "none: there is no such folder"),
        (["--report", "none/r"], "none: there is no such folder"),
        (["--config", "bad.yaml"], "bad.yaml:2: unknown key 'modle'; did you mean 'model'?"),
        (["--config", "worse.yaml"], "worse.yaml:3: crf has no parameter 'l22'; did you mean 'l2'?"),
        (["--config", "marks.yaml"], "marks.yaml:2: there is no mark 'eiter'; did you mean 'either'?"),
    ],
)
def test_mistakes_are_one_line(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "bad.yaml").write_text("seed: 1\nmodle: m\n", encoding="utf-8")
    (folder / "worse.yaml").write_text("parameters:\n  l2: 1\n  l22: 1\n", encoding="utf-8")
    (folder / "marks.yaml").write_text("marks:\n  eiter: x\n", encoding="utf-8")
    run = trained_in(folder, arguments)
    assert (run.returncode, run.stdout) == (1, "")
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (folder / "m").exists()


def test_an_option_is_given_once(folder: Path) -> None:
    assert "--template is given twice" in train(folder, "-t", "x").output
    assert "--seed is given twice" in train(folder, "--seed", "1", "--seed", "1").output
    assert train(folder, "--set", "l2=1", "--set", "l1=1").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "train.txt"], "train.txt: is an input, and would be overwritten"),
        (["--model", "t.yaml"], "t.yaml: is an input"),
        (["--model", "link"], "link: is an input"),
        (["--model", "other.txt"], "other.txt: exists and is no model"),
        (["--report", "train.txt"], "train.txt: is an input"),
        (["--report", "old"], "old: is an input"),
        (["--report", "m"], "m: is the name of two outputs"),
        (["--report", "."], ".: is a folder"),
        (["--dev", "-", "--train", "-"], "standard input (-) can be read only once"),
    ],
)
def test_nothing_the_user_has_is_overwritten(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "other.txt").write_text("precious", encoding="utf-8")
    (folder / "link").symlink_to(folder / "train.txt")
    train(folder, model="old")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    run = trained_in(folder, arguments, **{"--init": "old"})
    assert run.returncode in (1, 2)
    assert message in run.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_tag_eval_and_convert_overwrite_nothing_they_read(folder: Path) -> None:
    train(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for arguments in (
        ["tag", "-m", "m", "train.txt", "-o", "m"],
        ["tag", "-m", "m", "train.txt", "-o", "train.txt"],
        ["eval", "--model", "m", "train.txt", "-o", "train.txt"],
        ["eval", "--model", "m", "train.txt", "-o", "m"],
        ["convert", "--to-scheme", "bioes", "train.txt", "-o", "./train.txt"],
        ["convert", "--spans", "dev.txt", "--to-scheme", "bioes", "train.txt", "-o", "dev.txt"],
    ):
        run = subprocess.run([sys.executable, "-m", "sstag", *arguments], cwd=folder, capture_output=True, text=True)
        assert run.returncode == 1
        assert "is an input, and would be overwritten" in run.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_went_in_is_said(folder: Path) -> None:
    (folder / "names.txt").write_text("a\n", encoding="utf-8")
    (folder / "t.yaml").write_text("columns: [word, field]\nfeatures:\n  - word[0]\n  - lexicon(word[0], names.txt)\n")
    (folder / "train.txt").write_text("a X\nb Y\n\nb X|Y\na X\n\n", encoding="utf-8")
    run = train(folder, "--ambiguous", "discard")
    assert "learned from 1 of 2 sentences" in run.output
    first = load(str(folder / "m")).about
    assert (first["ambiguous"], first["data"]["train"]["tokens"], first["data"]["decided"]["tokens"]) == (
        "discard",
        4,
        2,
    )
    assert "init" not in first
    (folder / "names.txt").write_text("b\n", encoding="utf-8")
    assert train(folder, "--ambiguous", "first", "--init", str(folder / "m"), model="n").exit_code == 0
    second = load(str(folder / "n")).about
    assert second["lexica"] != first["lexica"]
    assert len(second["init"]) == 64
    shown = CliRunner().invoke(inspect_command, [str(folder / "n")]).output
    assert "crf, ambiguous first" in shown
    assert "weights of an earlier model" in shown


def test_a_label_with_a_mark_in_it_is_said(folder: Path) -> None:
    (folder / "train.txt").write_text("a X\nb !Z\n", encoding="utf-8")
    assert "the label '!Z' contains a mark, and was read as it is" in train(folder).output


def test_ill_formed_tags_are_said_as_check_says_them(folder: Path) -> None:
    (folder / "train.txt").write_text("a B-X\nb I-Y\n\nb O\na I-X\n\nc B-X\na B-Y\n\n", encoding="utf-8")
    checked = CliRunner().invoke(check_command, [str(folder / "train.txt")]).output
    first = "train.txt:2: I-Y between B-X and the end is ill-formed in IOB2"
    assert first.partition(": ")[2] in checked
    assert checked.count("ill-formed") == 2
    advice = "labels are learned from as they stand (`sstag check` lists all, `sstag convert --repair` mends ill-formed"
    run = train(folder)
    assert run.exit_code == 0
    assert f"{first}, the first of 2 such labels: {advice}" in run.stderr
    mended = CliRunner().invoke(convert_command, [str(folder / "train.txt"), "--repair"])
    (folder / "train.txt").write_bytes(mended.stdout_bytes)  # the advice helps
    assert "ill-formed" not in train(folder).output
    warned: list[str] = []
    how = {"columns": ["word", "field"], "features": ["word[0]"]}
    sstag.train(how, [["a", "b"], ["c"]], [["B-X", "I-X"], ["I-Y"]], warn=warned.append)
    assert warned == [f"sentence:2: I-Y between the beginning and the end is ill-formed in IOB2: {advice} ones)"]
    sstag.train(how, [["a", "b"], ["b", "a"], ["c"]], [["B-X", "O"], ["B-X", "I-X"], ["Z"]], warn=warned.append)
    assert warned[1:] == [f"sentence:3: 'Z' is no IOB2 tag: {advice} ones)"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["O", "B-X", "I-X", "I-Y", "X", "B-X|I-X", "?"]), min_size=1), min_size=1))
def test_as_many_labels_are_said_to_be_wrong_as_check_finds(labels: list[list[str]]) -> None:
    corpus = corpus_of([[("w", label) for label in one] for one in labels], ("word", "label"))
    said = "\n".join(mistaken_labels(corpus, "label", Marks()))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "train.txt")
        path.write_text("".join("".join(f"w {label}\n" for label in one) + "\n" for one in labels), encoding="utf-8")
        report = checked(str(path), layout_for(str(path), ("word", "label"), "label"), Marks())
    errors = [finding.message for finding in report.findings if finding.error]
    wrong = [message for message in errors if "ill-formed" in message]
    assert ("is ill-formed" in said) == bool(wrong)
    assert not wrong or wrong[0] in said
    if len(wrong) > 1:
        assert f"{wrong[0]}, the first of {len(wrong):,} such labels" in said
    assert ("' is no " in said) == any("' is no " in message for message in errors)


def test_the_version_is_read_before_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    def learned(*_: object) -> None:
        raise AssertionError("a training that would be lost")

    monkeypatch.setattr(metadata, "version", missing)
    monkeypatch.setattr("sstag.training.run.registered", lambda where: learned)
    with pytest.raises(metadata.PackageNotFoundError):
        sstag.train({"columns": ["word", "field"], "features": ["word[0]"]}, [["a", "b"]], [["X", "Y"]])


def test_what_is_missing_is_said(folder: Path) -> None:
    assert "which model? say --model" in train(folder, model=None).output
    assert "which train? say --train" in train(folder, base=False).output


def test_labels_that_are_not_decided(folder: Path) -> None:
    (folder / "train.txt").write_text("a X\nb X|Y\nc Y\n", encoding="utf-8")
    run = train(folder)
    assert run.exit_code == 1
    assert f"{folder / 'train.txt'}:2: 'X|Y' is not one label (1 such token" in str(run.exception)
    assert train(folder, "--no-marks").exit_code == 0
    assert load(str(folder / "m")).labels == ("X", "X|Y", "Y")


@settings(max_examples=150)
@given(text=st.text(max_size=200) | st.lists(st.sampled_from([
    "template: t", "train: -", "parameters: {l2: 1}", "parameters: [", "marks: {either: 1}", "seed: -1", "seed: x",
    "method: crf", "method: 3", "model: {}", "parameters: 3", "dev: null",
])).map("\n".join))  # fmt: skip
def test_any_text_is_a_configuration_or_an_error(saved, text: str) -> None:
    path = saved(text.encode("utf-8", "surrogatepass"))
    try:
        made = configuration(path)
    except SstagError:
        return
    assert made.seed is None or made.seed >= 0


# Interruptions


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ads")
    sizes = ["--train", "3000", "--test", "0", "--unlabeled", "0"]
    subprocess.run([sys.executable, "-m", "sstag", "sample", "ads", str(made), *sizes], check=True, capture_output=True)
    return made


def started(ads: Path, model: Path, *more: str, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    path = ads / "train.txt" if ads.is_dir() else ads
    line = ["-t", str(ROOT / "configs/templates/ads.yaml"), "--train", str(path), "-m", str(model)]
    line = [sys.executable, "-m", "sstag", "train", *line, "--set", "tolerance=0", "--set", "l1=0.01", *more]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=stderr, text=True, encoding="utf-8")


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_killed_at_random_moments_no_model_is_harmed(ads: Path, tmp_path: Path, name: str) -> None:
    model, kind = tmp_path / "m", signal.Signals[name]
    began = time.monotonic()
    first = started(ads, model, "--set", "max_iterations=3")
    first.communicate()
    short = time.monotonic() - began
    old = model.read_bytes()
    chance = random.Random(int(kind))
    kept = 0
    for part in range(5):  # a moment in each fifth of the time in which it starts, reads and trains
        run = started(ads, model)
        time.sleep(0.1 + (part + chance.random()) / 5 * max(1.5, 2 * short))
        run.send_signal(kind)
        _, said = run.communicate(timeout=60)
        assert model.read_bytes() == old  # no training here ends by itself in that time
        interrupted = tmp_path / "m.interrupted"
        if run.returncode != -kind:  # else the interpreter was ended: by SIGKILL, or while it started
            assert run.returncode == 128 + kind
            assert "Traceback" not in said
            assert not [name for name in os.listdir(tmp_path) if name.startswith(".m")]  # temporary files
        if interrupted.exists():
            assert load(str(interrupted)).about["reason"] == "stopped: as requested"
            assert f"--init {interrupted}" in said
            interrupted.unlink()
            kept += 1
    assert kept >= (0 if name == "SIGKILL" else 1)


@posix
def test_killed_while_writing_no_model_is_broken(tmp_path: Path) -> None:
    """A model of 40 MB written over another, again and again, and killed in the midst of it."""
    model = tmp_path / "m"
    script = f"""
import numpy as np
from sstag.foundation.archive import write_archive
print("ready", flush=True)
while True:
    for value in (1.0, 2.0):
        write_archive({str(model)!r}, {{"value": value}}, {{"theta": np.full(5_000_000, value)}}, lambda path: None)
"""
    from sstag.foundation.archive import Archive

    chance = random.Random(1)
    for kind in [signal.SIGINT, signal.SIGTERM, signal.SIGKILL] * 4:
        run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert run.stdout is not None
        run.stdout.readline()
        while not model.exists():
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.5))
        run.send_signal(kind)
        run.communicate(timeout=60)
        found = Archive(str(model), "a model")
        assert (found.array("theta", "<f8") == found.document["value"]).all()


@posix
def test_interrupted_training_goes_on_as_it_says(ads: Path, tmp_path: Path) -> None:
    said, wait = "", 1.5
    while not (tmp_path / "m").exists():  # the first iteration may be late on a busy machine
        run = started(ads, tmp_path / "m", "--report", str(tmp_path / "r.json"))
        time.sleep(wait)
        run.send_signal(signal.SIGTERM)
        _, said = run.communicate(timeout=60)
        assert run.returncode == 128 + signal.SIGTERM
        wait += 1
    with_more = said.strip().splitlines()[-1].split()[1:]
    assert with_more[-2:] == ["--init", str(tmp_path / "m")]
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert report["model"]["reason"] == "stopped: as requested"
    with_more[with_more.index("-m") + 1] = str(tmp_path / "n")
    line = [sys.executable, "-m", "sstag", *with_more, "--set", "max_iterations=2"]
    subprocess.run(line, check=True, capture_output=True)
    before, after = (load(str(tmp_path / name)).about["objective"] for name in "mn")
    assert after > before


@posix
def test_an_interruption_before_the_first_iteration_keeps_nothing(ads: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    run = started(fifo, tmp_path / "m")
    with open(fifo, "wb"):  # opens when the training begins to read
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    assert (run.returncode, said.strip()) == (130, "interrupted")
    assert not (tmp_path / "m").exists()


@posix
def test_a_signal_is_not_lost_where_exceptions_are(capsys: pytest.CaptureFixture[str]) -> None:
    """An exception that a signal raises within a callback, such as those of a compiler, is lost."""

    class Thing:
        pass

    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    try:
        with interruptible() as interruption:
            thing = Thing()
            watched = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
            del thing
            assert watched() is None
            assert interruption.number == signal.SIGTERM
            assert interruption.asked()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err == ""


@posix
def test_the_progress_line(ads: Path, tmp_path: Path) -> None:
    import pty

    terminal, its_end = pty.openpty()
    run = started(ads, tmp_path / "m", "--dev", str(ads / "dev.txt"), "--set", "patience=0", stderr=its_end)
    os.close(its_end)
    shown = b""
    while b"iteration" not in shown:
        shown += os.read(terminal, 1000)
    run.send_signal(signal.SIGINT)
    while run.poll() is None:
        with suppress(OSError):
            shown += os.read(terminal, 1000)
    os.close(terminal)
    line = r"\riteration \d+   objective -[\d,.]+   gradient [\d,.e+-]+   [\d.]+ s   dev \d\d\.\d\d\x1b\[K"
    assert re.search(line, shown.decode())
    out, _ = run.communicate()
    assert (run.returncode, "stopped: as requested" in out) == (128 + signal.SIGINT, True), shown


@posix
def test_a_signal_in_the_midst_of_a_line_is_kept() -> None:
    """While nobody reads the line, and its writing waits."""
    script = """
import sys
from sstag.interfaces.cli.interruption import interruptible
with interruptible() as interruption:
    interruption.asked()
    sys.stderr.write("x" * 1_000_000)
    print(interruption.asked())
"""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    line = [sys.executable, "-c", script]
    run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, env=usual)
    assert run.stderr is not None
    first = run.stderr.read(1)
    run.send_signal(signal.SIGINT)
    out, said = run.communicate(timeout=60)
    assert (out, run.returncode) == (b"True\n", 0), said[-2000:]
    assert (first + said).replace(b"x", b"") == b"\nending with the best weights so far (once more to give up)\n"
    assert (first + said).count(b"x") == 1_000_000


def test_loading_an_interrupted_write_is_an_error(tmp_path: Path, folder: Path) -> None:
    train(folder)
    whole = (folder / "m").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "half").write_bytes(whole[:length])
        with pytest.raises(ModelError):
            load(str(tmp_path / "half"))
