"""sstag from Python."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sstag
from sstag.foundation.errors import ConfigError, DataError

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("api")
    shutil.copytree(ROOT / "configs", made / "configs")
    sizes = ["--train", "100", "--dev", "50", "--test", "0", "--unlabeled", "0"]
    subprocess.run([sys.executable, "-m", "sstag", "sample", "ads", "ads", *sizes], cwd=made, check=True)
    return made


def test_a_corpus_and_its_tokens_get_the_same_labels(folder: Path) -> None:
    how = sstag.load_template(str(folder / "configs/templates/ads.yaml"))
    corpus = sstag.read(str(folder / "ads/train.txt"), how)
    told = []
    model = sstag.train(how, corpus, threads=2, tell=told.append, max_iterations=5)
    assert [one.iteration for one in told] == [1, 2, 3, 4, 5]
    words = [corpus.words("word", sentence) for sentence in range(corpus.sentences)]
    labels = sstag.tag(model, corpus)
    assert labels == sstag.tag(model, words, threads=2)
    assert [len(sentence) for sentence in labels] == [len(sentence) for sentence in words]
    assert sstag.tag(model, []) == []
    assert [len(labels) for labels in sstag.tag(model, [[], ["a", "b"], []])] == [0, 2, 0]
    with pytest.raises(DataError, match="is no token"):
        sstag.tag(model, [["a", ""]])
    with pytest.raises(ConfigError, match="no parameter 'l3'"):
        sstag.train(how, corpus, l3=1.0)


def test_evaluation_of_lists() -> None:
    found = sstag.evaluate([["B-X", "I-X", "O"], ["B-Y"]], [["B-X", "I-X", "O"], ["O"]])
    assert found.figures["precision"] == 1.0
    assert found.figures["recall"] == 0.5


def test_names_in_a_fresh_process(folder: Path) -> None:
    code = (
        "import sstag, sys; assert 'numpy' not in sys.modules; assert 'train' in dir(sstag)\n"
        "for _ in range(2): how = sstag.load_template('configs/templates/ads.yaml')\n"
        "for name in sstag.__all__: assert callable(getattr(sstag, name)), name"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def test_lists_and_paths(folder: Path) -> None:
    how = folder / "configs/templates/ads.yaml"
    rows = [[("No", "restrictions"), ("pets", "restrictions")], [("rent", "rent"), ("$", "rent")]] * 2
    model = sstag.train(how, rows, dev=rows, minimum_count=2, l2=0.1)
    assert model.template.minimum_count == 2
    sstag.save(model, folder / "rows.model")
    assert sstag.tag(folder / "rows.model", (words for words in [["No", "pets"]])) == [["restrictions", "restrictions"]]
    again = sstag.train(how, rows, init=str(folder / "rows.model"), max_iterations=0, minimum_count=2)
    assert again.theta.tobytes() == model.theta.tobytes()
    assert len(sstag.tag(model, folder / "ads/dev.txt")) == 50


@pytest.mark.parametrize(
    "wrong",
    [
        lambda how: sstag.train(how, [["No", "pets"]]),
        lambda how: sstag.train(how, [[("No",)]]),
        lambda how: sstag.train(how, "nothing.txt"),
        lambda how: sstag.train(how, [[("a", "X")]], l3=1),
        lambda how: sstag.train(how, [[("a", "X")]], edge_pairs="some"),
        lambda how: sstag.train(how, [[("a", "X")]], seed=-1),
        lambda how: sstag.train(how, [[("a", "X")]], method="crff"),
        lambda how: sstag.train(how, [[("a", "X")]], ambiguous="ask"),
        lambda how: sstag.train(how, []),
        lambda how: sstag.train(how, [[]]),
        lambda how: sstag.evaluate([["A"]], [["A"]], scheme="iobb"),
        lambda how: sstag.evaluate([["A"]], [["A", "B"]]),
        lambda how: sstag.train(3, [[("a", "X")]]),
        lambda how: sstag.tag([], [["a"]]),
        lambda how: sstag.load("nothing.model"),
    ],
)
def test_mistakes_are_said(folder: Path, wrong: Callable[[Path], object]) -> None:
    with pytest.raises(sstag.SstagError):
        wrong(folder / "configs/templates/ads.yaml")


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = sstag.trian
    assert set(sstag.__all__) <= set(dir(sstag))


def test_raw_text_and_labelled_features_from_python(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("columns: [word, pos, field]\nfeatures: [word[0], pos[0]]\n", encoding="utf-8")
    (tmp_path / "f.tsv").write_text("word[0]=a\tX\nword[0]=b\tY\nword[0]=c\tX\n", encoding="utf-8")
    (tmp_path / "raw.txt").write_text("a p\nb q\n\nb p\na p\n", encoding="utf-8")
    lists = [[("a", "p"), ("b", "q")], [("b", "p"), ("a", "p")]]
    said: list[str] = []
    models = [
        sstag.train(
            tmp_path / "t.yaml", None, unlabeled=raw, labeled_features=tmp_path / "f.tsv", method="partial",
            warn=said.append,
        )
        for raw in (tmp_path / "raw.txt", lists)
    ]  # fmt: skip
    assert models[0].theta.tobytes() == models[1].theta.tobytes()
    assert sstag.tag(models[0], [[("a", "p"), ("b", "p")]]) == [["X", "Y"]]
    assert [text.partition(": ")[2].partition(" in ")[0] for text in said] == ["'word[0]=c' never occurs"] * 2
    labelled = [[("a", "p", "X"), ("b", "q", "Y")]]
    model = sstag.train(tmp_path / "t.yaml", labelled, unlabeled=lists, method="self-training", rounds=2)
    assert model.about["rounds"][1]["labels changed"] == 4
    assert sstag.train(tmp_path / "t.yaml", labelled, method="hmm").about["emits"] == ["word[0]", "pos[0]"]
    with pytest.raises(ConfigError, match="partial needs labelled sentences"):
        sstag.train(tmp_path / "t.yaml", None, method="partial")
