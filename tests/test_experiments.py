"""The experiment runner: what is kept, in which processes it ran, what is said of it, and how it ends."""

import ast
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.experiments import EXPERIMENTS, SCALES, ExperimentEntry
from sstag.experiments.corpora import Corpora, corpora, shipped_template
from sstag.experiments.crews import in_processes
from sstag.experiments.log import Kept, Log
from sstag.experiments.page import Line, Page, Plot, Table, as_json, as_markdown, as_text
from sstag.experiments.plan import Job
from sstag.experiments.provenance import _bare, _imported, code_of
from sstag.experiments.publication import chosen, experiment, folder_of, found, published
from sstag.experiments.runner import Progress, Repeats, _startable, results
from sstag.experiments.spread import Spread, by_draw, comparison, spread
from sstag.experiments.trials import Experiment, Trial, key_of
from sstag.features.reading import load_template
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.foundation.registry import Where
from sstag.foundation.replacing import alone
from sstag.interfaces.cli import trials
from sstag.interfaces.cli.experiment import command
from tests.systems import posix

ROOT = Path(__file__).parent.parent
WHERE = "tests.experiment_trials"
MADE = re.compile(rb"\n[0-9,]+ of [0-9,]+ runs took [^\n]*")  # seconds, in a page
OTHER_CODE = re.compile(r" [0-9,]+ of [0-9,]+ runs were found by other code of this experiment\.")
STARTABLE = [name for name in EXPERIMENTS if name != "annotation-minutes" or find_spec("uvicorn")]  # needs a server
DOZEN = 12  # runs that are enough to be killed, interrupted and ended among
MEASURES = ("learning-curves", "mann2007", "raw-text", "representations", "second-look")  # seconds


def doubled(number: int, *needs: Trial, data: tuple[str, ...] = (), cost: float = 1.0) -> Trial:
    return Trial(f"{WHERE}:doubled", {"number": number}, data, needs, cost)


def run(folder: Path, trials: list[Trial], processes: int = 1, version: int = 1, told: list[Progress] | None = None):
    """The rows of trials, kept in a folder; and the numbers of those that ran for it, sorted."""
    before = ran(folder)
    tell = (told if told is not None else []).append
    rows = results(
        trials, Corpora([str(folder)]), version, Log(str(folder / "runs.jsonl")), in_processes(processes), tell
    )
    return rows, sorted((ran(folder) - before).elements())


def ran(folder: Path) -> Counter[int]:
    path = folder / "ran"
    return Counter(map(int, path.read_text(encoding="utf-8").split())) if path.exists() else Counter()


# ---------------------------------------------------------------------- what is run, and what is kept


def test_rows_come_in_the_order_of_the_trials_whatever_the_processes(tmp_path: Path) -> None:
    found = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        folder.mkdir()
        first, second = doubled(1, cost=0.1), doubled(2, cost=9.0)
        trials = [doubled(number, first, second, cost=number) for number in range(3, 6)]
        told: list[Progress] = []
        rows, ran_now = run(folder, [*trials, second], processes, told=told)
        assert rows == [*([{"number": n, "double": 2 * n, "needed": 6}] for n in (3, 4, 5)), [
            {"number": 2, "double": 4, "needed": 0}
        ]]  # fmt: skip
        assert ran_now == [1, 2, 3, 4, 5]
        assert [told[0].done, told[0].total, told[0].kept] == [0, 5, 0]
        assert told[0].seconds_left == pytest.approx(21.1 / processes)
        found.append((folder / "runs.jsonl").read_bytes())
    assert found[0] == found[1]


def test_what_is_kept_is_not_run_again(tmp_path: Path) -> None:
    rows, _ = run(tmp_path, [doubled(1), doubled(2)])
    told: list[Progress] = []
    again, ran_now = run(tmp_path, [doubled(2, cost=5.0), doubled(3, doubled(1))], told=told)
    assert again == [rows[1], [{"number": 3, "double": 6, "needed": 2}]]
    assert ran_now == [3]
    assert (told[0].done, told[0].kept, told[0].total) == (2, 2, 3)
    lines = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["settings"]["number"] for line in lines] == [2, 1, 3]  # in the order of the trials
    before = (tmp_path / "runs.jsonl").read_bytes().splitlines()
    _, ran_now = run(tmp_path, [doubled(3, doubled(1))], version=2)
    assert ran_now == [1, 3]
    after = (tmp_path / "runs.jsonl").read_bytes().splitlines()
    assert (len(after), after[2:]) == (5, before)  # the runs of the earlier version, and of other trials, stay


def test_what_another_code_found_is_found_again(tmp_path: Path) -> None:
    run(tmp_path, [doubled(1), doubled(2)])
    path = tmp_path / "runs.jsonl"
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert first["code"] == code_of(doubled(1).function)
    first["code"], second["code"] = "other", ""
    path.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    _, ran_now = run(tmp_path, [doubled(1), doubled(2)])
    assert ran_now == [1]
    again = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one.get("code") for one in again] == [code_of(doubled(1).function), None]


def test_the_code_of_a_trial_is_that_of_its_experiment_without_what_only_reads_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for place, text in enumerate(
        ('"""A."""\ndef f(): return 1\n', "def f():  # one\n    return 1\n", "def f(): return 2\n")
    ):
        (tmp_path / f"made_{place}.py").write_text(text, encoding="utf-8")
        found.append(code_of(f"made_{place}:f"))
    parts = [ast.dump(_bare(ast.parse((tmp_path / f"made_{place}.py").read_text()))) for place in range(3)]
    assert parts[0] == parts[1] != parts[2]
    assert len(set(found)) == 3  # of three modules
    assert code_of("sstag.experiments.mann2008.systems:run") == code_of("sstag.experiments.mann2008.systems:tuned")
    module = "sstag.experiments.mann2008"
    assert [*_imported(ast.parse(f"from {module} import texts"))] == [f"{module}.texts"]
    assert [*_imported(ast.parse(f"from {module} import texts, TITLE"))] == [f"{module}.texts", module]


def test_what_takes_longest_and_what_that_waits_for_comes_first(tmp_path: Path) -> None:
    need = doubled(1, cost=1.0)
    run(tmp_path, [doubled(2, cost=5.0), doubled(3, cost=6.0), need, doubled(4, need, cost=5.5), doubled(5, cost=7.0)])
    assert (tmp_path / "ran").read_text(encoding="utf-8").split() == ["5", "1", "3", "4", "2"]


def test_a_key_depends_on_all_that_a_trial_depends_on_and_on_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x")
    digest = Corpora([str(tmp_path)]).digest
    one = Trial("f", {"a": 1, "b": [2]}, ("a.txt",), (doubled(1),))
    same = replace(one, settings={"b": (2,), "a": 1}, cost=7.0)
    others = [
        replace(one, function="g"),
        replace(one, settings={"a": 1, "b": [3]}),
        replace(one, data=()),
        replace(one, needs=()),
        replace(one, needs=(doubled(2),)),
    ]
    key = key_of(one, digest, 1)
    assert key_of(same, digest, 1) == key
    assert len({key, key_of(one, digest, 2), *(key_of(other, digest, 1) for other in others)}) == 7
    (tmp_path / "a.txt").write_bytes(b"y")
    assert key_of(one, digest, 1) != key


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("mistake", SstagError, "failing how=mistake: corpus.txt:7: is no corpus"),
        ("bug", RuntimeError, "ZeroDivisionError: a bug"),
        ("killed", SstagError, "failing how=killed: its process ended with code -9"),
        ("nan", RuntimeError, "Out of range float values"),
    ],
)
def test_a_trial_that_fails_is_named_and_what_is_done_is_kept(
    tmp_path: Path, how: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(tmp_path, [doubled(1, cost=9.0), Trial(f"{WHERE}:failing", {"how": how})])
    assert [kept.rows[0]["double"] for kept in Log(str(tmp_path / "runs.jsonl")).found().values()] == [2]
    _, ran_now = run(tmp_path, [doubled(1)])
    assert ran_now == []


def test_a_line_that_was_not_finished_does_not_count(tmp_path: Path) -> None:
    log = Log(str(tmp_path / "log"))
    assert log.found() == {}
    log.add("a", doubled(1), Kept([{"x": 1}], "c"), 1.0)
    whole = Path(log.path).read_bytes()
    log.add("b", doubled(2), Kept([{"x": "ä"}], ""), 2.0)
    both = Path(log.path).read_bytes()
    for end in range(len(whole), len(both)):
        Path(log.path).write_bytes(both[:end])
        assert log.found() == {"a": Kept([{"x": 1}], "c")}
    log.add("b", doubled(2), Kept([{"x": "ä"}], ""), 2.5)
    assert Path(log.path).read_bytes() == both
    assert log.found() == {"a": Kept([{"x": 1}], "c"), "b": Kept([{"x": "ä"}], "")}
    assert {key: seconds for key, (_, _, seconds) in log.made().items()} == {"a": 1.0, "b": 2.5}


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"3", b'{"key": "a"}', b'{"key": 1, "rows": []}', b"\xff"])
def test_a_line_that_is_no_run_is_an_error_with_its_place(tmp_path: Path, line: bytes) -> None:
    log = Log(str(tmp_path / "log"))
    log.add("a", doubled(1), Kept([], ""), 0.0)
    with Path(log.path).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(DataError, match=r"log:2: is no finished run \(delete the line\)"):
        log.found()


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.integers(0, 5), max_size=4, unique=True), max_size=4))
def test_a_log_never_loses_a_run_whatever_is_asked_for_in_turn(grids: list[list[int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, known = Log(str(Path(folder, "runs.jsonl"))), dict[str, Kept]()
        for grid in grids:
            entries = [(f"key {number}", doubled(number), Kept([{"double": number}], "")) for number in grid]
            for entry in entries:
                if entry[0] not in known:
                    log.add(*entry, 0.0)
            log.put_in_order(entries)
            known |= {key: kept for key, _, kept in entries}
            assert log.found() == known
            assert [*log.found()][: len(entries)] == [key for key, _, _ in entries]


def test_two_processes_do_not_write_one_log(tmp_path: Path) -> None:
    with alone(tmp_path / "runs.jsonl") as ours:
        assert ours
        with pytest.raises(DataError, match="another process is running this experiment into the same folder"):
            run(tmp_path, [doubled(1)])
    assert run(tmp_path, [doubled(1)])[1] == [1]


# ---------------------------------------------------------------------- what is recorded, and cannot run or is stale


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command on the experiment `small` of `experiment_trials`, in a folder with its corpora."""
    monkeypatch.setitem(EXPERIMENTS, "small", ExperimentEntry(Where(f"{WHERE}:small"), "a small one"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSTAG_DATA", "")
    (tmp_path / "data").mkdir()
    for name in ("whole.txt", "part.txt"):
        (tmp_path / "data" / name).write_text("x O\n", encoding="utf-8")
    return lambda *more: CliRunner().invoke(command, ["small", "--processes", "1", *more])


def recorded_in(folder: str = "results/small") -> dict[str, bytes]:
    names = ("runs.jsonl", "README.md", "page.json")
    return {name: Path(folder, name).read_bytes() for name in names}


PARTS = {"a file": lambda: Path("data/part.txt").unlink(), "a package": lambda: sys.modules.pop("part_of_small")}


@pytest.fixture
def part_of_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that seems to be installed."""
    monkeypatch.setitem(sys.modules, "part_of_small", ModuleType("part_of_small"))
    sys.modules["part_of_small"].__spec__ = ModuleSpec("part_of_small", None)


@pytest.mark.usefixtures("part_of_small")
@pytest.mark.parametrize("part", PARTS)
def test_runs_that_cannot_be_made_here_stay_on_the_page_which_says_so(small: Callable[..., Result], part: str) -> None:
    assert small().exit_code == 0
    before = recorded_in()
    assert before["runs.jsonl"].count(b"\n") == 3
    PARTS[part]()
    done = small()
    assert (done.exit_code, done.output.count("left out")) == (0, 0), done.output
    after = recorded_in()
    assert after["runs.jsonl"] == before["runs.jsonl"]
    assert after["page.json"] == before["page.json"]
    lost = b"part.txt" if part == "a file" else b"part_of_small"
    said = b"1 of 3 runs need %s, absent where this page was written: they are kept" % lost
    assert said in after["README.md"]
    path, number = Path("results/small/runs.jsonl"), 2 if part == "a file" else 3
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    stale = [entry | {"code": "other"} if entry["settings"]["number"] == number else entry for entry in entries]
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in stale), encoding="utf-8")
    done = small()  # what would be stale elsewhere stays, and nobody is asked
    assert done.exit_code == 0, done.exception
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == stale
    page = Path("results/small/README.md").read_bytes()
    assert said in page
    assert b"1 of 3 runs were found by other code of this experiment." in page


@pytest.mark.usefixtures("part_of_small")
@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_is_left_out_of_never_takes_the_place_of_the_whole(small: Callable[..., Result], part: str) -> None:
    PARTS[part]()
    done = small()
    assert done.exit_code == 0, done.output
    lost = "part.txt: not in data" if part == "a file" else "part_of_small: not installed (pip install part_of_small)"
    assert f"{lost}; the runs that need it are left out" in done.stderr
    assert recorded_in("results/small-incomplete")["runs.jsonl"].count(b"\n") == 2
    assert not Path("results/small").exists()


@pytest.mark.usefixtures("part_of_small")
def test_the_page_is_written_from_what_is_recorded_without_corpora(small: Callable[..., Result]) -> None:
    small()
    before = recorded_in()
    for path in (*Path("data").glob("*.txt"), Path("results/small/README.md"), Path("results/small/made.jsonl")):
        path.unlink()
    Path("results/small/notes.md").write_text("Said by a person.\n", encoding="utf-8")
    done = small("--report-only")
    assert done.exit_code == 0, done.output
    assert not Path("data/ran").exists() or Path("data/ran").read_text(encoding="utf-8").count("\n") == 3
    after = recorded_in()
    assert after["runs.jsonl"] == before["runs.jsonl"]
    assert json.loads(after["page.json"])["blocks"] == json.loads(before["page.json"])["blocks"]
    assert b"Said by a person." in after["README.md"]
    lines = before["runs.jsonl"].splitlines(keepends=True)
    Path("results/small/runs.jsonl").write_bytes(b"".join(lines[1:]))
    done = small("--report-only")
    assert str(done.exception).endswith("1 of 3 runs are not recorded: without --report-only they run")


STALE = {
    "other code": lambda entry: {**entry, "code": "other"},
    "another version": lambda entry: {**entry, "key": f"other {entry['key']}"},
}


@pytest.mark.usefixtures("part_of_small")
@pytest.mark.parametrize("change", STALE)
def test_stale_runs_run_again_only_if_somebody_says_so(
    small: Callable[..., Result], change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small()
    path, ran_in = Path("results/small/runs.jsonl"), Path("data/ran")
    first, *others = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    stale = "".join(f"{json.dumps(entry)}\n" for entry in (STALE[change](first), *others))
    path.write_text(stale, encoding="utf-8")
    ran_in.unlink()
    said = "1 of 3 runs were found by other code of the experiment, by another version of it or from other files"
    done = small()
    assert (done.exit_code, ran_in.exists()) == (1, False)
    takes = "0 seconds" if change == "other code" else "1 second"  # recorded, or expected
    assert f"{said}; to run them again takes about {takes} of one processor. --again runs" in str(done.exception)
    assert path.read_text(encoding="utf-8") == stale
    if change == "other code":
        assert small("--report-only").exit_code == 0
        assert b"1 of 3 runs were found by other code of this experiment." in recorded_in()["README.md"]
    asked: list[str] = []
    monkeypatch.setattr(trials, "_at_terminal", lambda: True)
    monkeypatch.setattr(trials.click, "confirm", lambda text, **_: asked.append(text))  # no
    assert (small().exit_code, ran_in.exists()) == (1, False)
    assert asked == [f"{said}; to run them again takes about {takes} of one processor. Run them again?"]
    done = small("--again")
    assert (done.exit_code, ran_in.read_text(encoding="utf-8")) == (0, "1\n"), done.output
    assert path.read_bytes().count(b"\n") == (3 if change == "other code" else 4)
    assert small().exit_code == 0
    assert "only one of them" in small("--again", "--report-only").output


@pytest.mark.usefixtures("part_of_small")
def test_on_a_small_scale_stale_runs_run_again_without_a_question(small: Callable[..., Result]) -> None:
    assert small("--scale", "smoke").exit_code == 0
    path = Path("results/small-smoke/runs.jsonl")
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace('"code": "', '"code": "other'), encoding="utf-8")
    assert small("--scale", "smoke", "--report-only").exit_code == 0
    assert small("--scale", "smoke").exit_code == 0
    assert path.read_text(encoding="utf-8") == before


def test_a_page_that_is_no_page_is_named(small: Callable[..., Result]) -> None:
    Path("results/small").mkdir(parents=True)
    for text in (b"", b"[]", b"{", b'{"data": []}', b"\xff", b"[" * 10_000):
        Path("results/small/page.json").write_bytes(text)
        done = small("--report-only")
        assert isinstance(done.exception, DataError)
        assert "results/small/page.json: is no page of an experiment" in str(done.exception)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "mann2008"])  # it counts words of its corpora
def test_the_pages_in_results_are_what_their_logs_say(name: str, tmp_path: Path) -> None:
    log = Log(str(ROOT / "results" / name / "runs.jsonl"))
    made, known, folder = chosen(name, "full", Corpora([str(tmp_path)]), str(ROOT / "results"), "runs.jsonl", True)
    assert folder == str(ROOT / "results" / name)
    nobody, nothing = in_processes(1), lambda progress: None
    page = found(name, "full", made, known, log, nobody, nothing, Repeats(report_only=True))
    path = Path(folder, "page.json")
    version = json.loads(path.read_text(encoding="utf-8"))["sstag"]
    page = replace(page, about={**page.about, "sstag": version})
    assert as_json(page) == path.read_text(encoding="utf-8")
    notes = Path(folder, "notes.md").read_text(encoding="utf-8")
    expected = Path(folder, "README.md").read_text(encoding="utf-8")
    assert OTHER_CODE.sub("", as_markdown(page, True, notes)) == OTHER_CODE.sub("", expected)


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"key": "a"}', b'{"key": "a", "seconds": "3"}', b"\xff", b"[" * 9_000])
def test_a_line_that_tells_no_seconds_is_an_error_with_its_place(tmp_path: Path, line: bytes) -> None:
    log = Log(str(tmp_path / "log"))
    log.add("a", doubled(1), Kept([], ""), 0.0)
    with Path(log.beside).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(DataError, match=r"made.jsonl:2: .*\(delete the line\)"):
        log.made()


# ---------------------------------------------------------------------- figures over draws


def test_figures_are_averaged_within_a_draw_before_they_are_compared() -> None:
    rows = [
        {"draw": draw, "fold": fold, "system": system, "f1": base + draw + fold}
        for draw, fold, (system, base) in product((2, 1), (0, 1), (("a", 10.0), ("b", 9.0)))
    ] + [{"draw": 3, "fold": 0, "system": "b", "f1": None}, {"draw": 4, "fold": 0, "system": "b", "f1": 1.0}]
    a, b = (by_draw(rows, "f1", system=system) for system in "ab")
    assert a == {1: 11.5, 2: 12.5}
    assert b == {1: 10.5, 2: 11.5, 4: 1.0}
    assert spread([*a.values()]) == Spread(12.0, 0.5**0.5, 2)
    assert spread([]) is None
    assert spread([3.0]) == Spread(3.0, 0.0, 1)
    found = comparison(a, b)
    assert found is not None
    assert (found.gain, found.wins, found.verdict) == (Spread(1.0, 0.0, 2), 2, "too few draws")
    assert comparison(a, {7: 1.0}) is None


@given(st.integers(0, 12))
def test_p_is_told_only_where_it_could_be_small(draws: int) -> None:
    found = comparison(dict.fromkeys(range(draws), 2.0), dict.fromkeys(range(draws), 1.0))
    assert (found is None) == (draws == 0)
    if found:
        assert found.verdict == ("too few draws" if draws < 6 else "<0.001" if draws > 10 else f"{2 / 2**draws:.3f}")


# ---------------------------------------------------------------------- pages and plots

CURVE = Plot("curve", "A curve", "n", "F", [
    Line("ours", [1, 2], [Spread(1.0, 0.5, 3), Spread(2.0, 0.1, 3)]),
    Line("most", [1, 2], [Spread(3.0, 0.0, 1)] * 2, marked=False),
])  # fmt: skip
PAGE = Page(
    "Title",
    ["## Part\n\nText.", Table("Table", ("a|b", "F"), [("x", Spread(1.234, 0.5, 3)), ("y", None), ("z", 1234)]), CURVE],
    {"command": "sstag experiment name", "sstag": "0", "version": 1},
    {"a.txt": "0123456789abcdef"},
)


def test_a_page_as_text_markdown_and_json() -> None:
    assert as_text(PAGE) == (
        "Title\n\nPart\n\nText.\n\nTable\n\na|b            F\nx    1.23 ± 0.50\ny              –\nz          1,234\n"
    )
    page = as_markdown(PAGE, True, "## Notes\n\nOurs.\n")
    assert page.startswith(
        "# Title\n\n## Part\n\nText.\n\n**Table**\n\n| a\\|b | F |\n| :-- | --: |\n| x | 1.23 ± 0.50 |\n"
        "| y | – |\n| z | 1,234 |\n\n![A curve](curve.png)\n\n## Notes\n\nOurs.\n\n## To repeat\n\n"
    )
    assert "`sstag experiment name`" in page
    assert page.endswith("- `a.txt`: SHA-256 0123456789ab…\n")
    assert "curve.png" not in as_markdown(PAGE, False, "")
    table, plot = json.loads(as_json(PAGE))["blocks"]
    assert table["rows"][0] == ["x", {"mean": 1.234, "deviation": 0.5, "count": 3}]
    assert plot["lines"][1] == {"name": "most", "x": [1, 2], "y": [{"mean": 3.0, "deviation": 0.0, "count": 1}] * 2,
                                "marked": False}  # fmt: skip


def test_a_page_is_published_with_its_notes_and_plots_the_same_every_time(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Said by a person.", encoding="utf-8")
    seen = []
    for _ in range(2):
        assert published(PAGE, str(tmp_path), True) == ["README.md", "page.json", "curve.png", "curve.svg"]
        seen.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert seen[0] == seen[1]
    assert b"Said by a person." in seen[0]["README.md"]
    assert seen[0]["curve.png"].startswith(b"\x89PNG")
    for text in (b"A curve", b"ours", b"most"):
        assert b"<svg" in seen[0]["curve.svg"]
        assert text in seen[0]["curve.svg"]
    for path in tmp_path.glob("curve.*"):
        path.unlink()
    assert published(PAGE, str(tmp_path), False) == ["README.md", "page.json"]
    assert not list(tmp_path.glob("curve.*"))


# ---------------------------------------------------------------------- corpora


def test_corpora_are_looked_for_in_data_and_in_the_folder_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("x B\n", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/b.txt").write_text("y B\n", encoding="utf-8")
    assert corpora({}).absent(["a.txt", "b.txt"]) == ["b.txt"]
    here = corpora({"SSTAG_DATA": str(tmp_path / "other")})
    assert here.absent(["a.txt", "b.txt", "c.txt"]) == ["c.txt"]
    assert here.read("b.txt", ("word", "tag")).words("word", 0) == ["y"]
    assert corpora({"SSTAG_DATA": ""}).folders == ["data"]
    with pytest.raises(DataError, match=r"c.txt: not in data or .*other \(data/README.md says where it comes from\)"):
        here.digest("c.txt")


def test_shipped_templates_are_those_of_configs() -> None:
    for path in {*(ROOT / "configs").glob("*/*.yaml")} - {*(ROOT / "configs/rules").iterdir()}:
        name = f"{path.parent.name}/{path.stem}"
        assert shipped_template(name) == load_template(str(path))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_names_the_files_it_wants_and_needs_none_on_a_small_scale(name: str, tmp_path: Path) -> None:
    nothing = Corpora([str(tmp_path)])
    full, smoke = (experiment(name, scale, nothing) for scale in SCALES)
    assert full.absent
    for made in (full, smoke):
        assert all(not trial.data for section in made.sections for trial in section.trials)
    assert not smoke.absent
    for file in full.absent:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    real = experiment(name, "full", nothing)
    assert not real.absent
    used = {file for section in real.sections for trial in section.trials for file in trial.data}
    assert used == set(full.absent)
    known = [line.split("\t")[0] for line in (ROOT / "data/corpora.tsv").read_text(encoding="utf-8").splitlines()]
    assert used <= set(known)
    trials = [trial for section in real.sections for trial in section.trials]
    said = {(one.function, repr(one.settings), repr(one.needs)) for one in trials}
    assert len({key_of(one, nothing.digest, 1) for one in trials}) == len(said)


def test_results_on_other_data_never_take_the_place_of_those_on_the_corpora() -> None:
    assert folder_of("x", "full", Experiment("X", []), "out") == "out/x"
    assert folder_of("x", "full", Experiment("X", [], ["a.txt"]), "out") == "out/x-generated"
    assert folder_of("x", "full", Experiment("X", [], left_out=["b"]), "out") == "out/x-incomplete"
    assert folder_of("x", "smoke", Experiment("X", []), "out") == "out/x-smoke"


def test_an_unknown_experiment_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="did you mean 'tsuboi2008'"):
        experiment("tsuboi", "smoke", Corpora([]))


def test_what_measures_runs_alone(tmp_path: Path) -> None:
    trials = [
        Trial(f"{WHERE}:timed", {"number": number}, cost=9.0 - number, alone=number in (2, 3, 6)) for number in range(8)
    ]
    rows = [row for (row,) in run(tmp_path, trials, processes=3)[0]]

    def overlap(one: dict, other: dict) -> bool:
        return bool(one["began"] < other["ended"] and other["began"] < one["ended"])

    alone = [rows[number] for number in (2, 3, 6)]
    assert not [1 for one in alone for other in rows if other is not one and overlap(one, other)]


def test_what_runs_alone_waits_and_is_not_overtaken() -> None:
    many = [Job(str(number), doubled(number), []) for number in range(4)]
    alone = Job("alone", replace(doubled(5), alone=True), [])
    assert _startable(many, []) == _startable(many, many) == many
    assert _startable([*many[:2], alone, *many[2:]], []) == many[:2]
    assert _startable([alone, *many], many[:1]) == []
    assert _startable([alone, *many], []) == [alone]
    assert _startable(many, [alone]) == []


# ---------------------------------------------------------------------- the command


def started(name: str, folder: Path) -> "subprocess.Popen[str]":
    line = [sys.executable, "-m", "sstag", "experiment", name, "--scale", "smoke", "--out", "out"]
    return subprocess.Popen(
        line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for_runs(process: "subprocess.Popen[str]", log: Path, count: int) -> None:
    """Until so many runs are done."""
    for _ in range(6000):
        if log.exists() and log.read_bytes().count(b"\n") >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("too slow")


@pytest.fixture(scope="module", params=STARTABLE)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """An experiment on a small scale without an interruption, and its folder."""
    name: str = request.param
    folder = tmp_path_factory.mktemp(name)
    process = started(name, folder)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.endswith(", runs.jsonl\n")
    return name, folder / f"out/{name}-smoke"


def begin_with_most(folder: Path, own: Path) -> int:
    """Puts the runs of a folder into another one, but for a dozen of all parts, and tells how many these are."""
    lines = (folder / "runs.jsonl").read_bytes().splitlines(keepends=True)
    left_out = lines[:: max(1, len(lines) // DOZEN)][:DOZEN]
    keys = {json.loads(line)["key"] for line in left_out}
    for name in ("runs.jsonl", "made.jsonl"):
        every = (folder / name).read_bytes().splitlines(keepends=True)
        (own / name).write_bytes(b"".join(line for line in every if json.loads(line)["key"] not in keys))
    return len(lines) - len(left_out)


@posix
def test_killed_and_interrupted_runs_go_on_and_find_the_same(whole: tuple[str, Path], tmp_path: Path) -> None:
    name, folder = whole
    log = tmp_path / f"out/{name}-smoke/runs.jsonl"
    log.parent.mkdir(parents=True)
    known = begin_with_most(folder, log.parent)
    process = started(name, tmp_path)
    wait_for_runs(process, log, known + 2)
    process.kill()
    process.communicate(timeout=60)  # ends when nobody has its streams any more: its processes end with it
    done = log.read_bytes().count(b"\n")
    process = started(name, tmp_path)
    wait_for_runs(process, log, done + 2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "runs.jsonl keeps what is done, and the same command goes on from there" in err
    done = log.read_bytes().count(b"\n")
    process = started(name, tmp_path)
    process.communicate()
    assert process.returncode == 0
    files, again = (
        {path.name: MADE.sub(b"", path.read_bytes()) for path in one.iterdir() if path.name != "made.jsonl"}
        for one in (folder, log.parent)
    )
    assert (log.parent / "made.jsonl").read_bytes().count(b"\n") >= again["runs.jsonl"].count(b"\n")
    assert again.keys() == files.keys()
    assert again == files or name in MEASURES
    assert again["runs.jsonl"].count(b"\n") == files["runs.jsonl"].count(b"\n") > done


def test_without_matplotlib_plots_are_skipped_and_it_is_said(
    whole: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSTAG_DATA", "")
    monkeypatch.setattr(trials, "can_draw", lambda: False)
    name, before = whole
    folder = tmp_path / f"out/{name}-smoke"
    folder.mkdir(parents=True)
    (folder / "runs.jsonl").write_bytes((before / "runs.jsonl").read_bytes())
    done = CliRunner().invoke(command, [name, "--scale", "smoke", "--out", "out", "--processes", "1"])
    assert done.exit_code == 0, done.output
    assert "plots are skipped, since matplotlib is not installed: pip install 'matplotlib" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "page.json", "runs.jsonl"]


def test_help_and_mistakes_of_the_command() -> None:
    done = CliRunner().invoke(command, ["tsuboi"])
    assert done.exit_code == 2
    assert "there is no experiment 'tsuboi'; did you mean 'tsuboi2008'?" in done.output
    assert "tsuboi2008" in CliRunner().invoke(command, ["--help"]).output
    code = (
        "import sys; from sstag.interfaces.cli.experiment import command\n"
        "try: command(['--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'scipy', 'matplotlib', 'multiprocessing') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_what_is_absent_is_said_before_anything_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise SystemExit(143)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSTAG_DATA", str(tmp_path))
    monkeypatch.setattr("sstag.experiments.publication.found", stopped)
    done = CliRunner().invoke(command, ["tsuboi2008"])
    assert done.exit_code == 143
    assert f"jws/wiki.train.txt.gz: not in data or {tmp_path}; what needs it runs on generated text\n" in done.stderr
    assert "interrupted; results/tsuboi2008-generated/runs.jsonl keeps what is done" in done.stderr
