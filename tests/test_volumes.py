"""Raw text in volumes: the vocabulary of a text in memory, and the same model wherever the volumes lie."""

import gzip
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sstag.corpus import volumes
from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import LargeText, in_volumes, read_in_volumes, whole
from sstag.features import runs_of_attributes
from sstag.features.reading import template
from sstag.features.runs_of_attributes import found_in, merged_runs, run_of
from sstag.features.same_text import Found
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.mapped import read_mapped, write_mapped
from sstag.foundation.parallel import one_by_one, shards
from sstag.foundation.shelves import InMemory, OnDisk, pairwise_sum, subtrees, sum_of_subtrees
from sstag.interfaces.cli.train import command
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks
from sstag.model.compiled import Compiled, compiled_text
from sstag.model.model_file import load
from sstag.training.inputs import Inputs, Run
from sstag.training.objectives.contract import OfVolumes
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.step_shares import StepShares
from sstag.training.run import Task, trained
from tests.contracts import lacking
from tests.datasets import corpus
from tests.training import WORDS, ads_template, made_ads, task

SMALL = 100  # tokens of a volume


def on_disk(large: LargeText, folder: Path) -> LargeText:
    return replace(large, volumes=OnDisk(large.volumes, one_by_one, str(folder)))


def compiled_both(how: Template, labelled: Corpus | None, raw: Corpus, folder: Path) -> list[Compiled]:
    """A template applied to texts in memory, and to the same in small volumes in memory and on disk."""
    text = labelled_text(labelled, "label", Marks(), ()) if labelled else None
    known = () if labelled else ("X", "Y")
    large = in_volumes(raw, one_by_one, SMALL)
    assert len(large.volumes) > 3
    return [
        compiled_text(how, text, raw, known),
        compiled_text(how, text, None, known, large),
        compiled_text(how, text, None, known, on_disk(large, folder)),
    ]


@pytest.mark.parametrize(
    "more",
    [
        "",
        "vocabulary: all\nminimum_count: 2\n",
        "vocabulary: all\npairs: all\n",
        "edges: [labels, 'word[0]']\nvocabulary: all\n",
    ],
)
@pytest.mark.parametrize("beside", [True, False])
def test_the_vocabulary_and_the_weights_are_those_of_a_text_in_memory(more, beside, tmp_path, monkeypatch):
    monkeypatch.setattr(runs_of_attributes, "TOGETHER", 40)  # so that lists are merged in many stretches
    expected, *others = compiled_both(ads_template(more), made_ads(4, 1) if beside else None, made_ads(10, 2), tmp_path)
    for made in others:
        for ours, theirs in ((made.unary, expected.unary), (made.edge, expected.edge)):
            assert list(ours.values.items()) == list(theirs.values.items())
            assert ours.size == theirs.size
            for one, other in zip(ours.tables, theirs.tables, strict=True):
                assert_array_equal(one.components, other.components)
                assert_array_equal(one.ids, other.ids)
        for mine, wanted in ((made.pairs, expected.pairs), (made.edge_pairs, expected.edge_pairs)):
            assert_array_equal(mine.indptr, wanted.indptr)
            assert_array_equal(mine.labels, wanted.labels)
        assert made.origins == expected.origins
        assert made.template == expected.template


def test_attributes_that_read_alike_are_one_across_volumes(tmp_path):
    # "a|b" + "c" and "a" + "b|c" have the same text; each stands in a volume of its own.

    how = template("columns: [word, label]\nfeatures: ['word[0] | word[1]']\nvocabulary: all\nminimum_count: 2\n", "t")
    filler = [[(f"w{i}", "X"), (f"v{i}", "X")] for i in range(200)]
    raw = corpus([[("a|b", "X"), ("c", "X")], *filler, [("a", "X"), ("b|c", "X")]])
    expected, *others = compiled_both(how, None, raw, tmp_path)
    assert any("=a|b|c" in text for text in expected.unary.texts())
    for made in others:
        assert made.unary.texts() == expected.unary.texts()


@given(st.integers(0, 2**32 - 1))
def test_merged_runs_are_the_list_of_all(seed):
    rng = np.random.default_rng(seed)
    radices = [[3, 4], [2**31, 2**31, 5], [7], []][seed % 4]  # the second does not fit into one number
    rows = [
        np.sort(rng.integers(0, [min(one, 4) for one in radices], (rng.integers(0, 30), len(radices))))
        for _ in range(5)
    ]
    runs, first = [], 0
    for some in rows:
        distinct, place, counts = np.unique(some, axis=0, return_index=True, return_counts=True)
        suspect = distinct[:, 0] == 0 if radices else np.zeros(len(distinct), bool)
        runs.append([run_of(Found(distinct.astype(np.int32), place + first, counts), radices, suspect)])
        first += len(some)
    every, place, counts = np.unique(np.concatenate(rows), axis=0, return_index=True, return_counts=True)
    old, runs_of_attributes.TOGETHER = runs_of_attributes.TOGETHER, 5
    try:
        (run,) = merged_runs(InMemory(runs[1:], one_by_one), runs[0], 2)
    finally:
        runs_of_attributes.TOGETHER = old
    found = found_in(run, radices)
    kept = (counts >= 2) | (every[:, 0] == 0 if radices else False)
    assert_array_equal(found.components, every[kept])
    assert_array_equal(found.first, place[kept])
    assert_array_equal(found.counts, counts[kept])


@given(st.integers(0, 200), st.integers(0, 200))
def test_subtrees_between_two_numbers_are_whole_and_few(begin, size):
    end = begin + size
    found = list(subtrees(begin, end))
    assert [number for one in found for number in one] == list(range(begin, end))
    assert all(len(one).bit_count() == 1 and one.start % len(one) == 0 for one in found)
    assert len(found) <= 2 * max(size, 1).bit_length()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_subtrees_of_any_parts_add_up_to_the_tree_of_all(sizes):
    bounds = np.cumsum([0, *sizes]).tolist()
    parts = [part for bound in pairwise(bounds) for part in subtrees(*bound)]
    terms = np.random.default_rng(sum(sizes)).normal(size=bounds[-1])
    sums = ((len(part), pairwise_sum(terms[part.start : part.stop])) for part in parts)
    assert sum_of_subtrees(sums, lambda one, other: one + other) == pairwise_sum(terms)


@given(st.integers(1, 40))
def test_sums_are_those_of_a_tree_of_pairs_by_number(count):
    def tree(names: list[str]) -> str:
        while len(names) > 1:
            pairs = [names[i : i + 2] for i in range(0, len(names), 2)]
            names = [f"({'+'.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
        return names[0]

    class Name(str):
        def __add__(self, other: str) -> "Name":
            return Name(f"({self!s}+{other!s})".replace("'", ""))

    names = [str(number) for number in range(count)]
    assert str(pairwise_sum(map(Name, names))) == tree(names)


def test_mapped_files_hold_what_was_written(tmp_path):
    thing = {"a": np.arange(10), "b": [np.zeros((0, 3)), np.arange(6.0).reshape(2, 3).T], "c": "text"}
    size = write_mapped(str(tmp_path / "thing"), thing)
    assert size == os.path.getsize(tmp_path / "thing")
    found = read_mapped(str(tmp_path / "thing"))
    assert found["c"] == "text"
    for mine, wanted in ((found["a"], thing["a"]), *zip(found["b"], thing["b"], strict=True)):
        assert_array_equal(mine, wanted)
    found["a"][0] = 7  # which changes no file
    assert read_mapped(str(tmp_path / "thing"))["a"][0] == 0


def test_the_folder_of_a_shelf_goes_with_it(tmp_path):
    shelf = OnDisk(range(3), one_by_one, str(tmp_path))
    assert [*shelf] == [0, 1, 2]
    assert len(os.listdir(tmp_path)) == 1
    del shelf
    assert os.listdir(tmp_path) == []


def written(path: Path, text: Corpus, labels: bool) -> str:
    lines = []
    for sentence in range(text.sentences):
        pairs = zip(text.words("word", sentence), text.words("label", sentence), strict=True)
        lines.append("".join(f"{word} {label}\n" if labels else f"{word}\n" for word, label in pairs) + "\n")
    data = "".join(lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


@pytest.mark.parametrize("labels", [(True,), (False, False), (True, False)])
def test_files_that_are_read_in_volumes_are_the_files(labels, tmp_path):
    paths = [written(tmp_path / f"{i}.txt.gz", made_ads(8, i), has) for i, has in enumerate(labels)]

    layout = ads_template().raw_layout
    every = read_files(paths, layout, "label")
    for most in (50, 10**6):
        large = read_in_volumes(paths, layout, "label", lambda some: InMemory(some, one_by_one), most)
        expected = in_volumes(every, one_by_one, most)
        assert (large.tokens, large.sentences) == (every.tokens, every.sentences)
        assert len(large.volumes) == len(expected.volumes)
        for name in ("path", "columns", "values", "digest", "files"):
            assert getattr(large.head, name) == getattr(every, name)
        for one, other in zip(large.volumes, expected.volumes, strict=True):
            assert one.first == other.first
            mine, wanted = whole(one, large.head), whole(other, expected.head)
            for array, same in zip(mine.codes, wanted.codes, strict=True):
                assert_array_equal(array, same)
            assert_array_equal(mine.offsets, wanted.offsets)
            assert_array_equal(mine.lines, wanted.lines)
            assert mine.place(3) == wanted.place(3)


CASES = {
    "entropy": {"gamma": 0.1},
    "expectation": {"expectations": WORDS, "stay": 0.5},
    "label-regularization": {},
    "composed": {
        "objectives": [
            {"likelihood": {}},
            {"entropy": {"gamma": 0.1, "per": "token"}},
            {"label-regularization": {}},
            {"expectation": {"expectations": WORDS}},
        ],
        "steps": 2,
    },
}


def asked(method: str, labelled: bool = True) -> Task:
    return task(
        Inputs(ads_template(), made_ads(6, 1) if labelled else None, made_ads(12, 2)),
        method,
        {"max_iterations": 6, **CASES[method]},
    )


@pytest.mark.parametrize("method", CASES)
def test_it_changes_no_bit_where_volumes_lie(method, tmp_path, monkeypatch):
    of = asked(method)
    together = trained(of, Run())
    monkeypatch.setattr(volumes, "VOLUME", SMALL)
    in_memory = trained(of, Run())
    raw = of.inputs.unlabelled
    assert raw
    large = on_disk(in_volumes(raw, one_by_one, SMALL), tmp_path)
    disk = trained(replace(of, inputs=replace(of.inputs, unlabelled=None, large=large)), Run())
    with shards(3) as over:
        threads = trained(of, Run(over))
    assert in_memory.theta.tobytes() == disk.theta.tobytes() == threads.theta.tobytes()
    assert in_memory.about == disk.about == threads.about
    # Beside one sum over the whole text, sums of volumes differ by rounding.
    assert abs(together.theta - in_memory.theta).max() < 1e-9
    assert {*together.about} == {*in_memory.about}
    for name in ("expectation", "parameters", "counts", "iterations", "data"):
        assert together.about.get(name) == in_memory.about.get(name)


def test_development_data_and_l1_go_with_volumes(tmp_path, monkeypatch):
    of = asked("entropy")
    of = replace(of, inputs=replace(of.inputs, development=made_ads(4, 3)), parameters=replace(of.parameters, l1=0.1))
    together = trained(of, Run())
    monkeypatch.setattr(volumes, "VOLUME", SMALL)
    apart = trained(of, Run())
    assert abs(together.theta - apart.theta).max() < 1e-9
    assert apart.about["development score"] == together.about["development score"]


def test_expectations_need_no_labelled_sentence(monkeypatch):
    of = asked("expectation", labelled=False)
    together = trained(of, Run())
    monkeypatch.setattr(volumes, "VOLUME", SMALL)
    apart = trained(of, Run())
    assert abs(together.theta - apart.theta).max() < 1e-9


@pytest.mark.parametrize("kind", [Entropy, Expectation, StepShares])
def test_objectives_of_volumes_say_what_one_volume_has(kind):
    assert [*lacking(kind, OfVolumes)] == []


def run(folder: Path, *more: str) -> tuple[int, str]:
    said = ["--template", str(folder / "t.yaml"), "--train", str(folder / "train.txt"), "--model", str(folder / "m")]
    found = CliRunner().invoke(command, [*said, *more])
    return found.exit_code, found.output + str(found.exception or "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1], 'suffix(word[0], 1..3)']\n")
    written(tmp_path / "train.txt", made_ads(6, 1), True)
    written(tmp_path / "raw.txt", made_ads(12, 2), False)
    (tmp_path / "disk").mkdir()
    return tmp_path


def test_the_command_keeps_raw_text_on_disk(folder, monkeypatch):
    raw = ["--unlabeled", str(folder / "raw.txt"), "--method", "entropy", "--set", "max_iterations=5"]
    disk = ["--on-disk", str(folder / "disk")]
    reports = []
    for size in (SMALL, 2**20):
        monkeypatch.setattr(volumes, "VOLUME", size)
        models = []
        for more in ([], disk):
            report = folder / "report"
            code, output = run(folder, *raw, *more, "--report", str(report))
            assert code == 0, output
            assert ("volumes on disk" in output) == (bool(more) and size == SMALL)
            models.append((folder / "m").read_bytes())
            reports.append(load(str(folder / "m")).about)
        assert models[0] == models[1]
        assert os.listdir(folder / "disk") == []
    assert reports[0]["data"] == reports[2]["data"]


def test_a_text_that_would_not_fit_goes_to_disk(folder, monkeypatch):
    from sstag.training import in_volumes as module

    monkeypatch.setattr(volumes, "VOLUME", SMALL)
    monkeypatch.setattr(module, "_available", lambda: 1000)
    raw = ["--unlabeled", str(folder / "raw.txt"), "--set", "max_iterations=2"]
    code, output = run(folder, *raw, "--method", "entropy")
    assert code == 0, output
    assert "volumes on disk" in output
    code, output = run(folder, *raw, "--method", "self-training")  # which can only look at memory
    assert code == 0, output
    assert "on disk" not in output


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--method", "self-training"], "self-training looks at raw text that is whole in memory"),
        (["--method", "entropy", "--set", "sample=3"], "a sample looks at raw text that is whole in memory"),
        (["--method", "distill", "--set", "teacher=x"], "distill looks at raw text"),
    ],
)
def test_what_needs_a_text_in_memory_is_said(more, message, folder):
    raw = ["--unlabeled", str(folder / "raw.txt"), "--on-disk", str(folder / "disk")]
    code, output = run(folder, *raw, *more)
    assert code == 1
    assert message in output


def test_folders_that_are_not_there_are_said(folder):
    code, output = run(folder, "--on-disk", "nowhere", "--unlabeled", str(folder / "raw.txt"), "--method", "entropy")
    assert code == 2
    assert "there is no such folder" in output
    code, output = run(folder, "--on-disk", str(folder / "disk"))
    assert code == 2
    assert "--on-disk is for raw text" in output


def test_a_refused_method_is_refused_before_anything_is_read(folder):
    large = in_volumes(made_ads(3, 1), one_by_one, SMALL)
    of = task(Inputs(ads_template(), None, large=large), "prototype", {"expectations": WORDS})
    with pytest.raises(ConfigError, match="prototype looks at raw text that is whole in memory"):
        trained(of, Run())


HOLDER = """
import sys, time
from sstag.foundation.parallel import one_by_one
from sstag.foundation.shelves import OnDisk
kept = OnDisk([1, 2], one_by_one, sys.argv[1])
print("ready", flush=True)
time.sleep(60)
"""


def test_what_a_killed_training_left_on_disk_is_removed_by_the_next_one(tmp_path):
    run = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE)
    run.stdout.readline()
    (left,) = os.listdir(tmp_path)
    OnDisk([3], one_by_one, str(tmp_path))
    assert os.listdir(tmp_path) == [left]  # its training is alive
    run.kill()
    run.communicate()
    kept = OnDisk([3], one_by_one, str(tmp_path))
    assert os.listdir(tmp_path) == [os.path.basename(kept.folder)]
