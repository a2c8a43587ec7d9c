"""Tuning: the best values are found, runs share what they can and nothing else, an end in between keeps the best."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result

import sstag
from sstag.corpus.corpus import Corpus, selected
from sstag.features.reading import chosen
from sstag.foundation.documents import Document
from sstag.foundation.errors import ConfigError, Interrupted
from sstag.foundation.parallel import one_by_one, shards
from sstag.interfaces.cli.train import command
from sstag.model.model_file import load
from sstag.training.configuration import Configuration, configuration, settings, tunings
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task, trained
from sstag.training.sentence_weights import SentenceWeights
from sstag.training.tuning.cross_validation import _dealt, judges
from sstag.training.tuning.runs import Trying, Values, latest
from sstag.training.tuning.search import edges, tuned
from tests.datasets import corpus
from tests.training import accuracy, ads_template, made_ads, partly, raw

TRAIN, DEV = made_ads(12, 1), made_ads(6, 2)
L2: list[Values] = [{"l2": value} for value in (30.0, 0.1, 3.0)]


def tasks(points: Sequence[Values], method: str = "crf", labelled: Corpus = TRAIN, **inputs) -> list[Task]:
    choices = [{name: value for name, value in point.items() if name == "minimum_count"} for point in points]
    given = Inputs(ads_template(), labelled, **inputs)
    return [
        Task(
            replace(given, template=chosen(given.template, Document(choice, {}, "test"))),
            method,
            completed(method, {name: value for name, value in point.items() if name not in choice}),
        )
        for point, choice in zip(points, choices, strict=True)
    ]


def to_the_end(task: Task) -> Task:
    return replace(task, inputs=replace(task.inputs, development=None))


@pytest.mark.parametrize("method", ["crf", "partial", "hmm"])
def test_by_development_data_every_run_is_a_training_of_its_own(method: str) -> None:
    points = L2 if method != "hmm" else [{"smoothing": value} for value in (10.0, 0.1)]
    labelled = TRAIN if method == "crf" else partly(12, 1)
    made = tasks(points, method, labelled, development=DEV)
    found = tuned(made, points, 0, Run())
    alone = [trained(to_the_end(task), Run()) for task in made]
    scores = [accuracy(model, DEV) for model in alone]
    assert [one.score for one in found.tried] == scores
    assert [one.values for one in found.tried] == points
    best = int(np.argmax(scores))
    assert found.best == points[best]
    assert found.model.theta.tobytes() == alone[best].theta.tobytes()
    assert found.complete
    assert found.model.about["tuned"]["by"] == "development data"
    assert found.model.about["parameters"] == alone[best].about["parameters"]


def test_by_folds_every_sentence_is_scored_once_by_a_model_that_has_not_seen_it() -> None:
    made = tasks(L2)
    found = tuned(made, L2, 3, Run())
    _, _, fold_of = _dealt(made[0].inputs, 3, 1)
    assert np.bincount(fold_of).tolist() == [4, 4, 4]
    for task, tried in zip(made, found.tried, strict=True):
        right, tokens, shares = 0.0, 0, []
        for fold in range(3):
            held_out = selected(TRAIN, fold_of == fold)
            inputs = replace(task.inputs, labelled=selected(TRAIN, fold_of != fold))
            share = accuracy(trained(replace(task, inputs=inputs), Run()), held_out)
            shares.append(share)
            right, tokens = right + share * held_out.tokens, tokens + held_out.tokens
        assert tried.folds == pytest.approx(shares, abs=0.02)  # warm starts stop at slightly other weights
        assert tried.score == pytest.approx(right / tokens, abs=0.01)
        assert tried.deviation == pytest.approx(np.std(tried.folds, ddof=1))
    best = int(np.argmax([one.score for one in found.tried]))
    assert found.best == L2[best]
    assert found.model.theta.tobytes() == trained(made[best], Run()).theta.tobytes()
    assert found.model.about["tuned"]["by"] == "3-fold cross-validation"


def test_a_warm_start_ends_where_a_cold_one_does_and_sooner() -> None:
    made = [replace(task, parameters=replace(task.parameters, tolerance=1e-5)) for task in tasks(L2)]
    cold = [trained(task, Run()) for task in made]
    seen: dict[str, int] = {}

    def tell(progress: Progress) -> None:
        seen[progress.phase] = progress.iteration

    found = tuned(made, L2, 2, Run(one_by_one, tell))
    assert list(seen) == [f"l2={value}, fold {k}" for k in (1, 2) for value in (30.0, 3.0, 0.1)] + ["all sentences"]
    halves = [
        trained(replace(task, inputs=replace(task.inputs, labelled=selected(TRAIN, fold_of != fold))), Run())
        for _, _, fold_of in [_dealt(made[0].inputs, 2, 1)]
        for fold in (0, 1)
        for task in (made[0], made[2], made[1])
    ]
    iterations = [model.about["iterations"] for model in halves]
    warm = list(seen.values())[:-1]
    assert warm[0] == iterations[0]
    assert sum(warm) < sum(iterations)
    assert found.complete
    assert len({model.theta.tobytes() for model in cold}) == 3


def test_a_start_is_warm_along_l2_alone() -> None:
    points: list[Values] = [{"l2": l2, "minimum_count": c} for l2 in (1.0, 2.0) for c in (1, 2)]
    order: list[str] = []
    starts: dict[str, float] = {}

    def tell(progress: Progress) -> None:
        if progress.phase not in starts:
            order.append(progress.phase)
            starts[progress.phase] = progress.objective

    tuned(tasks(points), points, 2, Run(one_by_one, tell))
    assert order[:4] == [f"l2={l2}, minimum_count={c}, fold 1" for c in (1, 2) for l2 in (2.0, 1.0)]
    cold = starts["l2=2.0, minimum_count=2, fold 1"]
    single = tasks(points[3:])
    found: dict[str, float] = {}
    tuned(single, points[3:], 2, Run(one_by_one, lambda p: found.setdefault(p.phase, p.objective) and None))
    assert found["l2=2.0, minimum_count=2, fold 1"] == cold


def test_folds_have_what_can_be_scored_and_nothing_else() -> None:
    labelled = partly(12, 1, whole=4, hidden=1.0)
    kept, scheme, fold_of = _dealt(Inputs(ads_template(), labelled), 2, 7)
    assert (kept, scheme) == (labelled, "plain")
    assert sorted(fold_of.tolist()) == [-1] * 8 + [0, 0, 1, 1]
    assert (fold_of[:4] >= 0).all()
    assert (fold_of != _dealt(Inputs(ads_template(), labelled), 2, 8)[2]).any()
    with pytest.raises(ConfigError, match=r"^5 folds, but only 4 sentences with a label to score by$"):
        tuned(tasks(L2, "partial", labelled), L2, 5, Run())
    found = tuned(tasks(L2, "partial", labelled), L2, 2, Run())
    assert len(found.tried) == 3


def test_weights_go_with_their_sentences() -> None:
    omega = np.linspace(0.2, 2.0, TRAIN.sentences)
    points: list[Values] = [{"l2": 3.0}, {"l2": 0.1}]
    made = [replace(task, weights=SentenceWeights(omega)) for task in tasks(points)]
    found = tuned(made, points, 2, Run())
    corpus, _, fold_of = _dealt(made[0].inputs, 2, 1)
    shares = []
    for fold in range(2):
        inputs = replace(made[0].inputs, labelled=selected(corpus, fold_of != fold))
        learned = trained(replace(made[0], inputs=inputs, weights=SentenceWeights(omega[fold_of != fold])), Run())
        shares.append(accuracy(learned, selected(corpus, fold_of == fold)))
    assert found.tried[0].folds == pytest.approx(shares)
    best = points.index(dict(found.best))
    assert found.model.theta.tobytes() == trained(made[best], Run()).theta.tobytes()


def test_chunks_are_judged_by_f() -> None:
    words = ["a", "B-X", "b", "I-X", "c", "O"]
    sentence = list(zip(words[::2], words[1::2], strict=True))
    data = corpus([sentence] * 6)
    found = tuned(tasks([{"l2": 1.0}], labelled=data), [{"l2": 1.0}], 3, Run())
    assert found.tried[0].score == 1.0
    assert found.model.scheme == "iob2"


def test_threads_change_nothing() -> None:
    results = []
    for threads in (1, 3):
        with shards(threads) as over:
            results.append(tuned(tasks(L2), L2, 2, Run(over)))
    one, two = results
    assert one.model.theta.tobytes() == two.model.theta.tobytes()
    assert one.model.about == two.model.about
    assert [(a.score, a.folds, a.iterations) for a in one.tried] == [
        (b.score, b.folds, b.iterations) for b in two.tried
    ]


def test_of_equally_good_values_the_first_is_kept() -> None:
    points: list[Values] = [{"max_iterations": value} for value in (40, 30, 35)]
    perfect = corpus([[("a", "X"), ("b", "Y")]] * 4)
    assert tuned(tasks(points, labelled=perfect), points, 2, Run()).best == points[0]
    by_dev = tasks(points, labelled=perfect, development=perfect)
    assert tuned(by_dev, points, 0, Run()).best == points[0]


def test_attributes_are_made_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from sstag.training import inputs

    made: list[int] = []
    compiled = inputs.compiled_text

    def counting(template, *rest):
        made.append(template.minimum_count)
        return compiled(template, *rest)

    monkeypatch.setattr(inputs, "compiled_text", counting)
    points: list[Values] = [{"l2": l2, "minimum_count": c} for l2 in (1.0, 2.0) for c in (1, 2)]
    tuned(tasks(points, development=DEV), points, 0, Run())
    assert made == [1, 2]
    made.clear()
    tuned(tasks(points), points, 2, Run())
    assert made[:-1] == [1, 2, 1, 2]
    made.clear()
    raw_text = raw(4, 3)
    given = tasks(L2, "self-training", development=DEV, unlabelled=raw_text)
    found = tuned(given, L2, 0, Run())
    assert [one.score for one in found.tried] == [accuracy(trained(to_the_end(t), Run()), DEV) for t in given]


@pytest.mark.parametrize("sample", [0, 3])
def test_every_gamma_begins_at_one_supervised_optimum(monkeypatch: pytest.MonkeyPatch, sample: int) -> None:
    from sstag.training.methods import composed

    starts: list[float] = []
    best = composed.best

    def counting(inputs, made, data, params, run):
        starts.append(params.l2)
        return best(inputs, made, data, params, run)

    monkeypatch.setattr(composed, "best", counting)
    points: list[Values] = [{"entropy.gamma": g, "l2": l2} for g in (-0.05, 0.0, 0.1) for l2 in (1.0, 2.0)]
    given = tasks([{**point, "sample": sample} for point in points], "entropy", development=DEV, unlabelled=raw(6, 4))
    found = tuned(given, points, 0, Run())
    assert starts == [1.0, 2.0]
    alone = [trained(to_the_end(task), Run()) for task in given]
    assert [one.score for one in found.tried] == [accuracy(model, DEV) for model in alone]
    assert len({model.about["objective"] for model in alone}) == 6
    best_one = max(range(6), key=lambda i: (found.tried[i].score, -i))
    assert found.model.theta.tobytes() == alone[best_one].theta.tobytes()


def test_what_is_remembered_is_of_the_same_things() -> None:
    once, data = latest(), [1, 2]
    assert once("a", (data, 1.0), lambda: "x") == "x"
    assert once("a", (data, 1.0), lambda: "y") == "x"
    assert once("a", (list(data), 1.0), lambda: "y") == "y"  # equal lists are not the same list
    assert once("a", (data, 2.0), lambda: "z") == "z"
    assert once("b", (data, 2.0), lambda: "b") == "b"
    assert once("a", (data,), lambda: "c") == "c"


def test_one_of_dev_and_folds_judges() -> None:
    for made, folds in ((tasks(L2), 0), (tasks(L2, development=DEV), 2)):
        with pytest.raises(ConfigError, match="tuning is by development data or by folds"):
            tuned(made, L2, folds, Run())


def test_values_at_the_edge_are_pointed_out() -> None:
    points: list[Values] = [{"l2": l2, "pairs": pairs} for l2 in (0.5, 1, 2) for pairs in ("all", "observed")]
    assert [*edges(points, {"l2": 1, "pairs": "all"})] == []
    assert [*edges(points, {"l2": 2, "pairs": "all"})] == ["l2=2 is the largest value tried: larger ones may be better"]
    assert [*edges(points, {"l2": 0.5, "pairs": "all"})] == [
        "l2=0.5 is the smallest value tried: smaller ones may be better"
    ]
    assert [*edges([{"l2": 1}], {"l2": 1})] == []


# Ends in between


def stopping_in(run_number: int) -> tuple[Run, list[Trying]]:
    """A run that is asked to stop in the second iteration of some training."""
    tried: list[Trying] = []
    seen = [(0, 0)]

    def tell(progress: Progress) -> None:
        seen.append((len(tried), progress.iteration))

    def stop() -> bool:
        return max(seen) >= (run_number, 2)

    return Run(one_by_one, tell, stop), tried


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_end_in_between_keeps_the_best_by_development_data(number: int) -> None:
    run, tried = stopping_in(number)
    found = tuned(tasks(L2, development=DEV), L2, 0, run, tried.append)
    assert not found.complete
    assert len(found.tried) == len(tried) == number
    assert accuracy(found.model, DEV) == max(one.score for one in found.tried)
    assert found.tried[-1].iterations == 2


@pytest.mark.parametrize("number", range(2, 8))
def test_an_end_in_between_keeps_the_best_of_the_folds(number: int) -> None:
    run, tried = stopping_in(number)
    found = tuned(tasks(L2), L2, 3 if number < 7 else 2, run, tried.append)
    assert not found.complete
    assert len(tried) == number
    if number == 7:  # the training on all sentences, which is kept as it is
        assert found.model.about["reason"] == "stopped: as requested"
        assert len(found.tried) == 3
        return
    assert sum(len(one.folds) for one in found.tried) == number - 1
    assert found.model.about["data"]["train"]["sentences"] == 8
    assert found.model.about["parameters"]["l2"] == found.best["l2"]
    if number < 5:
        assert found.best in [one.values for one in found.tried if one.folds[0] == max(o.folds[0] for o in found.tried)]


@pytest.mark.parametrize("folds", [0, 2])
def test_an_end_before_the_first_iteration_keeps_nothing(folds: int) -> None:
    made = tasks(L2, development=None if folds else DEV)
    with pytest.raises(Interrupted):
        tuned(made, L2, folds, Run(one_by_one, stop=lambda: True))


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1], 'suffix(word[0], 1)']\n")
    for name, data in (("train.txt", TRAIN), ("dev.txt", DEV)):
        sentences = [zip(*(data.words(c, s) for c in data.columns), strict=True) for s in range(data.sentences)]
        Path(name).write_text("".join("".join(f"{w} {y}\n" for w, y in s) + "\n" for s in sentences))
    return tmp_path


def train(*arguments: str) -> Result:
    base = ["--template", "t.yaml", "--train", "train.txt", "--model", "m"]
    return CliRunner().invoke(command, [*base, *arguments])


def test_a_table_a_curve_and_the_best_model(folder: Path) -> None:
    run = train("--tune", "l2=0.1,1,10", "--folds", "3", "--report", "r.json")
    assert run.exit_code == 0, run.output
    lines = run.stdout.splitlines()
    assert lines[0] == "accuracy by 3-fold cross-validation"
    assert lines[1].split() == ["l2", "accuracy", "±"]
    rows = [line.split() for line in lines[2:5]]
    assert [row[0] for row in rows] == ["0.1", "1", "10"]
    (best,) = [row for row in rows if row[-1] == "best"]
    assert float(best[1]) == max(float(row[1]) for row in rows)
    assert best[3] == "#" * 30
    assert min(len(row[3]) for row in rows) == 1
    assert lines[5].startswith("m: ")
    report = json.loads(Path("r.json").read_text())
    assert report["run"]["tune"] == {"l2": [0.1, 1, 10]}
    assert report["run"]["folds"] == 3
    tuning = report["tuning"]
    assert f"{tuning['best']['l2']:g}" == best[0]
    assert [f"{100 * one['score']:.2f}" for one in tuning["tried"]] == [row[1] for row in rows]
    assert [len(one["folds"]) for one in tuning["tried"]] == [3, 3, 3]
    assert {one["phase"] for one in report["iterations"]} >= {"l2=0.1, fold 2", "all sentences"}
    assert load("m").about["tuned"]["tried"] == report["model"]["tuned"]["tried"]
    train("--set", f"l2={best[0]}")
    assert load("m").about["parameters"] == report["model"]["parameters"]
    assert load("m").about["objective"] == report["model"]["objective"]
    Path("run.yaml").write_text(yaml.safe_dump(report["run"] | {"model": "n"}))
    again = CliRunner().invoke(command, ["--config", "run.yaml", "--threads", "3"])
    assert again.stdout.splitlines()[:5] == lines[:5]


def test_a_grid_with_development_data(folder: Path) -> None:
    run = train("--tune", "l2=0.1,1", "--tune", "minimum_count=1,2", "--dev", "dev.txt")
    lines = run.stdout.splitlines()
    assert lines[:2] == ["accuracy by development data", " l2  minimum_count  accuracy"]
    assert [line.split()[:2] for line in lines[2:6]] == [["0.1", "1"], ["0.1", "2"], ["1", "1"], ["1", "2"]]
    best = next(line.split() for line in lines if line.endswith("best"))
    assert f"l2={best[0]} is the " in run.stderr


def test_templates_are_tried_like_values(folder: Path) -> None:
    """The best one is trained with, as if it had been named; each combination is one of a template and values."""
    Path("poor.yaml").write_text("columns: [word, label]\nfeatures: ['first()']\n")
    words = ["--train", "train.txt", "--model", "m", "--dev", "dev.txt"]
    run = CliRunner().invoke(command, [*words, "--tune", "template=poor.yaml,t.yaml", "--tune", "l2=0.1,1"])
    assert run.exit_code == 0, run.output
    lines = [line.split() for line in run.stdout.splitlines()]
    assert lines[1] == ["template", "l2", "accuracy"]
    assert [line[:2] for line in lines[2:6]] == [[name, l2] for name in ("poor.yaml", "t.yaml") for l2 in ("0.1", "1")]
    (best,) = [line for line in lines if line[-1] == "best"]
    assert best[0] == "t.yaml"
    model = load("m")
    assert model.template.text == Path("t.yaml").read_text()
    (task,) = tasks([{"l2": float(best[1])}], development=DEV)
    named = replace(task, inputs=replace(task.inputs, template=model.template))
    by_hand = tuned([named], [{"l2": float(best[1])}], 0, Run())
    assert by_hand.model.theta.tobytes() == model.theta.tobytes()
    found = sstag.tune(
        "t.yaml", "train.txt", dev="dev.txt", values={"template": ["poor.yaml", "t.yaml"], "l2": [0.1, 1]}
    )
    assert found.model.theta.tobytes() == model.theta.tobytes()


def test_templates_to_try_must_read_the_same_text(folder: Path) -> None:
    Path("other.yaml").write_text("columns: [word, tag, label]\nfeatures: ['tag[0]']\n")
    words = ["--train", "train.txt", "--model", "m", "--tune", "template=t.yaml,other.yaml"]
    run = CliRunner().invoke(command, words)
    assert str(run.exception).startswith("other.yaml: its columns are not those of t.yaml")
    assert "the template is both given and tuned" in train("--tune", "template=t.yaml").stderr
    assert "templates to try are files" in str(
        CliRunner().invoke(command, [*words[:4], "--tune", "template=1"]).exception
    )


def test_without_development_data_five_folds_judge(folder: Path) -> None:
    run = train("--tune", "l2=0.1,1")
    assert run.exit_code == 0, run.output
    assert run.stdout.splitlines()[0] == "accuracy by 5-fold cross-validation"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--tune", "l2=1,2", "--folds", "2", "--dev", "dev.txt"],
            2,
            "--tune is judged by development data (--dev) or",
        ),
        (["--folds", "2"], 2, "--folds is for --tune"),
        (["--tune", "l2=1,2", "--folds", "1"], 2, "1 is not in the range x>=2"),
        (["--tune", "l2=1,2", "--set", "l2=1", "--folds", "2"], 2, "l2 is both set and tuned"),
        (["--tune", "l2", "--folds", "2"], 1, "--tune: 'l2': write NAME=VALUE,VALUE,…"),
        (["--tune", "l2=1", "--tune", "l2=2", "--folds", "2"], 1, "--tune: l2 is given twice"),
        (["--tune", "l2=1,1.0", "--folds", "2"], 1, "--tune: 'l2' has the value 1.0 twice"),
        (["--tune", "l2=", "--folds", "2"], 1, "--tune: 'l2' needs the values to try, [a, b]"),
        (["--tune", "l2=1,x", "--folds", "2"], 1, "--tune: 'l2' must be a number, not 'x'"),
        (["--tune", "l3=1,2", "--folds", "2"], 1, "--tune: crf has no parameter 'l3'"),
        (["--tune", "pairs=all,none", "--folds", "2"], 1, "--tune: 'pairs' is observed or all, not 'none'"),
        (["--tune", "l2=1,2", "--folds", "40"], 1, "40 folds, but only 12 sentences with a label to score by"),
    ],
)
def test_mistakes_are_one_line(folder: Path, arguments: list[str], code: int, message: str) -> None:
    run = train(*arguments)
    assert message in (run.stderr if code == 2 else str(run.exception)), run.exception
    assert (run.exit_code == 2) == (code == 2)
    assert not Path("m").exists()


def test_a_configuration_tunes_what_the_command_line_does_not_set(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("tune:\n  l2: [1, 2]\n  l1: [0]\nfolds: 3\n")
    asked = configuration(str(path))
    assert (dict(asked.tune), asked.folds) == ({"l2": [1, 2], "l1": [0]}, 3)
    assert [point.mapping() for point in asked.points] == [{"l2": 1, "l1": 0}, {"l2": 2, "l1": 0}]
    over = Configuration(tune=tunings(["l2=5"]), folds=4).over(asked)
    assert (dict(over.tune), over.folds) == ({"l2": [5], "l1": [0]}, 4)
    over = Configuration(parameters=settings(["l2=5"])).over(asked)
    assert (dict(over.tune), over.folds) == ({"l1": [0]}, 3)
    over = Configuration(parameters=settings(["l2=5", "l1=0"])).over(asked)
    assert (dict(over.tune), over.folds) == ({}, None)
    path.write_text("tune: {template: [ads, here.yaml]}\n")
    asked = configuration(str(path))
    assert dict(asked.tune) == {"template": ["ads", str(tmp_path / "here.yaml")]}
    assert dict(Configuration(template="ner").over(asked).tune) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tune: [1]", "c.yaml:1: no settings here"),
        ("tune:\n  l2: 1", "c.yaml:2: 'l2' needs the values to try"),
        ("folds: 1", "c.yaml:1: 'folds' must be a whole number from 2 up"),
        ("folds: x", "c.yaml:1: 'folds' must be a whole number from"),
    ],
)
def test_mistakes_in_a_configuration_have_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(text)
    with pytest.raises(ConfigError) as error:
        configuration("c.yaml")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("judged", "words"),
    [([5, 5], "5-fold cross-validation"), ([3, 3], "3 of 5 folds of cross-validation"),
     ([4, 3], "3 or 4 of 5 folds of cross-validation"), ([5, 4], "4 or 5 of 5 folds of cross-validation")],
)  # fmt: skip
def test_an_interrupted_tuning_says_how_many_folds_have_judged(judged: list[int], words: str) -> None:
    assert judges(5, judged) == words
