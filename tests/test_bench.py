"""The benchmarks: both sides have the same work, figures are those of the runs, and nothing that was done is lost."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("pycrfsuite")

from bench import __main__ as suite
from bench import clusters, converting, crfsuite_side, entropy, second_look, sstag_side
from bench.corpora import SOURCES, Language, template
from bench.crfsuite_script import appended
from bench.figures import CRFSUITE, ONE, TWO, Bench, Case, Figure, Measured, Target
from bench.generated import spelled, text
from bench.growth import fitted
from bench.processes import ROOT, Command, NotMeasured, alternated, run
from bench.results import load, table
from bench.scale import QUICK
from bench.writing import write_generated
from sstag.corpus.reading import read
from tests.compare import assert_close

TEMPLATE = """
columns: [word, pos, label]
features: [word[-1..1], "pos[0] | pos[1]", "suffix(word[0], 1..2)"]
edges: [labels, begin, end, pos[0]]
minimum_count: 2
"""
TINY = replace(QUICK, name="tiny", aims=True, runs=1, sentences=40, commands=1)


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    folder = tmp_path_factory.mktemp("problem")
    write_generated(str(folder / "train.txt"), {"labels": 6, "words": 40, "columns": 2, "length": 6.0}, 300)
    (folder / "made.yaml").write_text(TEMPLATE, encoding="utf-8")
    return {"path": str(folder / "train.txt"), "template": str(folder / "made.yaml")}


@pytest.fixture
def bench(tmp_path):
    return Bench(TINY, tmp_path, tmp_path, lambda text: None)


@pytest.mark.parametrize(
    "choices", [{"transitions": "observed"}, {"transitions": "all"}, {"transitions": "all", "pairs": "all"}]
)
def test_both_sides_have_the_same_weights(problem, choices):
    theirs = crfsuite_side.passes(problem | choices, l2=1.0, iterations=2)
    ours = sstag_side.passes(problem | choices, threads=1, l2=1.0, iterations=2)
    assert ours["weights"] == theirs["weights"]
    for expectations in (None, 7):
        other = sstag_side.evaluations(problem | choices, threads=1, l2=1.0, count=2, expectations=expectations)
        assert other["weights"] == ours["weights"]
        assert other["seconds"] > 0
    assert min(*ours.values(), *theirs.values()) > 0
    for objective, settings in (("likelihood", {}), ("entropy", {"gamma": 1.0})):
        looks = sstag_side.looks(problem | choices, l2=1.0, iterations=2, objective=objective, **settings)
        assert looks["weights"] == ours["weights"]
        assert looks["seconds"] > 0


def test_raw_text_is_what_another_corpus_has_not_again_and_again(bench):
    path, other, target = (bench.scratch / name for name in ("corpus.txt", "other.txt", "raw.txt"))
    path.write_text("a X\nb Y\n\nc-d X\n\nc X\n\n", encoding="utf-8")
    other.write_text("c X\n- Y\nd X\n\n", encoding="utf-8")
    assert entropy.raw_text(path, target, 4, without=other) == 6
    assert target.read_text(encoding="utf-8") == "a\nb\n\nc\n\n" * 2
    entropy.first_sentences(path, target, 1)
    assert target.read_text(encoding="utf-8") == "a X\nb Y\n"


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_half_of_the_labels_are_open_in_a_share_of_the_sentences(problem, share):
    _, made = sstag_side.prepared(**problem, transitions="observed")
    data = sstag_side.half_open(made.labelled, share)
    choices = data.allowed.sum(axis=1)[data.sets]
    opened = choices == len(made.labels)
    masked = np.logical_or.reduceat(opened, data.offsets[:-1])
    assert masked.mean() == pytest.approx(share, abs=0.1)
    assert opened.mean() == pytest.approx(share / 2, abs=0.05)
    assert (choices[~opened] == 1).all()
    assert (data.allowed[data.sets] >= made.labelled.allowed[made.labelled.sets]).all()


def test_both_sides_climb_the_same_hill(problem):
    known = problem | {"transitions": "observed"}
    theirs = crfsuite_side.climb(known, l2=1.0, test=problem["path"])
    ours = sstag_side.climb(known, threads=1, test=problem["path"], l2=1.0, tolerance=1e-9)
    assert_close(ours["objective"][-1], theirs["objective"][-1], tolerance=1e-5, magnitude=abs(ours["objective"][-1]))
    assert_close(ours["score"][-1], theirs["score"], tolerance=0.02)
    for climb in (ours, theirs):
        assert climb["seconds"] == sorted(climb["seconds"])
        assert len(climb["seconds"]) == len(climb["objective"])


def test_both_optimisers_climb_the_same_hill(problem):
    climbs = [
        sstag_side.climb_by(problem | {"transitions": "observed"}, l2=1.0, iterations=500, scipys=one)
        for one in (True, False)
    ]
    assert_close(climbs[0]["objective"], climbs[1]["objective"], tolerance=1e-4, magnitude=abs(climbs[0]["objective"]))
    for climb in climbs:
        assert climb["evaluations"] < 500
        assert 0 < climb["besides"] < climb["processor"]


def test_the_script_makes_the_attributes_of_the_template(tmp_path):
    (tmp_path / "corpus.txt").write_text(text(Language(5, 30, 2, 5.0), 20, 1), encoding="utf-8")
    trainer = appended(str(tmp_path / "corpus.txt"))
    trainer.set("max_iterations", 1)
    trainer.train(str(tmp_path / "model"))
    every = template("chunking").read_text(encoding="utf-8").replace("minimum_count: auto\n", "")
    (tmp_path / "every.yaml").write_text(every, encoding="utf-8")
    problem = {
        "path": str(tmp_path / "corpus.txt"),
        "template": str(tmp_path / "every.yaml"),
        "transitions": "observed",
    }
    ours = sstag_side.passes(problem, threads=1, l2=1.0, iterations=1)
    assert trainer.logparser.featgen_num_features == ours["weights"]


def test_generated_text_is_what_is_asked_for(tmp_path):
    language = Language(labels=30, words=500, columns=3, length=8.0)
    assert text(language, 50, 1) == text(language, 50, 1) != text(language, 50, 2)
    made = write_generated(str(tmp_path / "text"), vars(language), 2000, size=30_000)
    corpus = read(str(tmp_path / "text"))
    assert corpus.tokens == made["tokens"] >= 2000
    assert (tmp_path / "text").stat().st_size == made["bytes"] >= 30_000
    assert len(corpus.columns) == 4
    assert len(corpus.values[3]) == 30
    assert abs(corpus.tokens / corpus.sentences - 8) < 0.5
    assert len({spelled(number) for number in range(5000)}) == 5000


def test_the_corpus_of_many_labels_has_472():
    source = SOURCES["many labels"]
    lines = text(source.language, source.sentences, source.seed).split("\n")
    assert len({line.split()[-1] for line in lines if line}) == 472


SECONDS = {CRFSUITE: [6.0, 4.0, 5.0], ONE: [2.0, 3.0, 2.5], TWO: [None, 1.0, None]}


def test_figures_compare_the_best_runs():
    one = Figure("x", "s", SECONDS)
    assert [one.best(side) for side in SECONDS] == [4.0, 2.0, 1.0]
    assert [one.worst(side) for side in SECONDS] == [6.0, 3.0, None]
    assert [one.ratio(side) for side in SECONDS] == [None, 2.0, 4.0]
    rates = replace(one, rising=True)
    assert [rates.best(side) for side in SECONDS] == [6.0, 3.0, 1.0]
    assert [rates.ratio(side) for side in SECONDS] == [None, 0.5, 1 / 6]
    assert Figure("x", "s", {ONE: [None]}).best(ONE) is None


@pytest.mark.parametrize(
    ("kind", "met", "missed"), [("times", 2.0, 2.1), ("share", 0.5, 0.4), ("most", 2.0, 1.9), ("least", 2.0, 2.1)]
)
def test_targets_are_met_or_not(kind, met, missed):
    assert Figure("x", "s", SECONDS, [Target(ONE, kind, met)]).met() is True
    assert Figure("x", "s", SECONDS, [Target(ONE, kind, met), Target(ONE, kind, missed)]).met() is False
    assert Figure("x", "s", SECONDS | {ONE: [None]}, [Target(ONE, kind, met)]).met() is False
    assert Figure("x", "s", SECONDS).met() is None


def test_growth_is_an_exponent_whatever_was_there_before():
    x = [10, 20, 40, 80, 160, 320]
    for exponent in (0.5, 1.0, 2.0):
        assert_close(fitted(x, [7.0 + 0.1 * (size - 10) ** exponent for size in x]), (exponent, 0.0), tolerance=1e-7)
    y = [1.0, 9.0, 9.0, 17.0, 30.0, 70.0]
    upper = [([math.log(value - values[0]) for value in values[3:]]) for values in (x, y)]
    truth = stats.linregress(*upper)
    assert_close(fitted(x, y), (truth.slope, truth.stderr))
    assert math.isnan(fitted(x[:4], y[:4])[1])
    assert fitted(x, [1.0, 2.0, 2.0, 2.0, 1.0, 2.0])[0] == 0.0


def python(code: str, **more) -> Command:
    return Command((sys.executable, "-c", code), **more)


def test_runs_take_turns_and_tell_what_they_took():
    turns = []
    sides = {"large": python("b'x' * (300 * 2**20)"), "own": python("print('{\"seconds\": 7}')", speaks=True)}
    runs = alternated(sides, 2, turns.append)
    assert turns == ["large, run 1 of 2", "own, run 1 of 2", "large, run 2 of 2", "own, run 2 of 2"]
    assert all(300 <= one["MiB"] <= 3000 and 0 < one["seconds"] < 60 for one in runs["large"])
    assert [one["seconds"] for one in runs["own"]] == [7, 7]


@pytest.mark.parametrize(
    ("code", "said"),
    [("raise ValueError('too long')", "ValueError: too long"), ("import os; os.kill(os.getpid(), 9)", "ended with -9")],
)
def test_a_run_that_fails_is_not_measured(code, said):
    with pytest.raises(NotMeasured, match=f"^{said}$"):
        run(python(code))


# This module as a measurement: a case that works, one that cannot, one that lacks its peer, one that is interrupted.
def _good(bench):
    bench.tell("now")
    runs = {side: [{"seconds": number} for number in numbers] for side, numbers in SECONDS.items()}
    return Measured({"corpus": "made up"}, runs, [Figure("work", "s", SECONDS, [Target(ONE, "times", 1.5)])])


def _impossible(bench):
    raise NotMeasured("no room")


def _interrupted(bench):
    raise KeyboardInterrupt


CASES = (
    Case("good", _good),
    Case("impossible", _impossible),
    Case("alone", _good, needs=("no_such_peer",)),
    Case("long", _good, quick=False),
    Case("last", _interrupted, quick=False),
)


def test_what_is_done_is_kept(bench, monkeypatch):
    monkeypatch.setattr(suite, "MEASUREMENTS", {"this": __name__, "other": __name__})
    monkeypatch.setattr(suite, "run", lambda side: {})  # nothing has to be compiled
    told = []
    bench = replace(bench, tell=told.append)
    suite.measured(bench, ["other"], quick=True)
    with pytest.raises(KeyboardInterrupt):
        suite.measured(bench, ["this"], quick=False)
    assert "this, good: now" in told

    results = load(bench.results / "tiny.json")
    assert list(results) == ["this", "other"]
    assert list(results["other"]) == ["good", "impossible", "alone"]
    assert list(results["this"]) == ["good", "impossible", "alone", "long"]
    assert results["this"]["impossible"]["not measured"] == "no room"
    assert "no_such_peer is not installed" in results["this"]["alone"]["not measured"]
    good = results["this"]["good"]
    assert good["runs"][ONE] == [{"seconds": 2.0}, {"seconds": 3.0}, {"seconds": 2.5}]
    assert good["figures"][0]["ratio"] == {ONE: 2.0, TWO: 4.0}
    assert good["figures"][0]["met"] is True
    lines = table(results).split("\n")
    assert (
        lines[2]
        == "| work | made up | 4 s (+50 %) | 2 s (+50 %) | 1 s (not in all runs) | 2, 4 | ≥ 1.5 times better | yes |"
    )
    assert lines[3] == "| this | impossible | not measured: no room |  |  |  |  |  |"
    assert (bench.results / "tiny.md").read_text(encoding="utf-8") == table(results)


def test_a_measurement_from_end_to_end(bench):
    """Real processes on a tiny corpus, real or generated."""
    results = suite.measured(bench, ["extraction", "latency"], quick=True)
    assert results == json.loads((bench.results / "tiny.json").read_bytes())
    extraction = results["extraction"]["CoNLL-2000"]
    seconds = {side: [one["seconds"] for one in runs] for side, runs in extraction["runs"].items()}
    assert extraction["figures"][0]["runs"] == seconds
    assert list(map(len, seconds.values())) == [1, 1]
    assert extraction["figures"][0]["ratio"] == {ONE: min(seconds[CRFSUITE]) / min(seconds[ONE])}
    assert extraction["on"]["sentences"] == 40
    assert [len(case["figures"][0]["runs"]) for case in results["latency"].values()] == [1, 1]
    text = (bench.results / "tiny.json").read_text(encoding="utf-8") + table(results)
    assert not any(path in text for path in (str(bench.scratch), str(ROOT)))


def test_two_looks_are_measured_beside_one(bench):
    tagging, sentence, training = (case.measured(bench) for case in second_look.CASES)
    for one in (*tagging.figures, *sentence.figures, *training.figures):
        assert {one.peer} < set(one.runs) <= {one.peer, ONE, TWO}
        assert all(one.best(side) > 0 for side in one.runs)
    sizes = training.figures[-1]
    assert sizes.best(TWO) > sizes.best(sizes.peer)  # a model of two looks has both stages
    assert len((bench.scratch / "raw.txt").read_text(encoding="utf-8").split("\n\n")) > 10


@pytest.mark.parametrize("program", [None, "/bin/true"])
def test_clusters_are_measured_beside_the_program_that_is_named(bench, monkeypatch, program):
    monkeypatch.setattr(clusters, "present", lambda files: [])
    for name, value in (("PART", 3000), ("COUNT", 8)):
        monkeypatch.setattr(clusters, name, value)
    monkeypatch.delenv("SSTAG_WCLUSTER", raising=False)
    if program:
        monkeypatch.setenv("SSTAG_WCLUSTER", program)
    case = next(case for case in clusters.CASES if case.name == "beside wcluster")
    measured = case.measured(bench)
    assert set(measured.runs) == {ONE, TWO, *([clusters.WCLUSTER] if program else [])}
    assert ("wcluster is not measured" in measured.on["corpus"]) == (program is None)
    (made,) = measured.figures
    assert (made.ratio(ONE) is None) == (program is None)
    words = (bench.scratch / "part.txt").read_text().split()
    assert words == (bench.scratch / "lines.txt").read_text().split()
    assert len(words) >= 3000


@pytest.mark.parametrize("named", [False, True])
def test_conversions_are_measured_beside_the_spacy_that_is_named(bench, monkeypatch, tmp_path, named):
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c pass\n")
    program.chmod(0o755)
    monkeypatch.delenv("SSTAG_SPACY", raising=False)
    if named:
        monkeypatch.setenv("SSTAG_SPACY", str(program))
    beside, stream = converting.CASES
    measured = beside.measured(replace(bench, scale=replace(TINY, repeated=2000)))
    assert [figure.what for figure in measured.figures] == ["columns as doccano", "columns as tokens"]
    for figure in measured.figures:
        assert set(figure.runs) == {ONE, *([converting.SPACY] if named else [])}
        assert (figure.ratio(ONE) is not None) == named
    if named:
        large = stream.measured(replace(bench, scale=replace(TINY, streamed=40_000)))
        assert set(large.runs) == {converting.A_TENTH, ONE}
        assert large.figures[1].best(ONE) > 0
