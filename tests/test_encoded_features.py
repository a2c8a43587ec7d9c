"""`encoded(NAME)` in templates: its numbers, models that ask for their encoder again, and what is refused."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from sstag.corpus.corpus import corpus_of
from sstag.features.dense import blocks, tables
from sstag.features.encoders.token_vectors import opened
from sstag.features.reading import load_template, template
from sstag.features.term_values import View
from sstag.foundation.errors import ConfigError, DataError, ModelError, NotReadAgain
from sstag.foundation.grouping import ABSENT
from sstag.interfaces import python as sstag
from sstag.model.model_file import load, save
from tests.commands import sstag as run
from tests.encoder_models import WIDTH, model

TRAIN = [[("a", "X"), ("bad", "Y")], [("cafe", "X"), ("b", "Y"), ("h", "X")], [("bad", "X"), ("a", "Y")]]
TEMPLATE = """columns: [word, label]
encoders:
  mini: {model: mini, layers: [1, 2]}
features:
  - lower(word[0])
  - encoded(mini[-1..1])
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an encoder, a template and a text, and a cache of its own."""
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SSTAG_ENCODERS", raising=False)
    model(tmp_path / "mini")
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    text = "".join("".join(f"{word} {label}\n" for word, label in sentence) + "\n" for sentence in TRAIN)
    (tmp_path / "train.txt").write_text(text)
    return tmp_path


def trained(here: Path):
    return sstag.train(here / "t.yaml", here / "train.txt")


def test_each_token_has_the_numbers_of_its_neighbours(here):
    how = load_template(str(here / "t.yaml"))
    text = corpus_of([["a", "bad"], ["cafe"]], ("word",))
    view = View(text, how)
    made = blocks(view, how.dense, tables(view, how.dense))
    numbers = how.encoders["mini"].numbers(text)
    assert numbers.shape == (3, WIDTH)
    assert [block.rows.tolist() for block in made] == [[ABSENT, 0, ABSENT], [0, 1, 2], [1, ABSENT, ABSENT]]
    for block in made:
        np.testing.assert_array_equal(block.numbers, numbers)


def test_a_model_finds_its_encoder_again(here, monkeypatch):
    made = trained(here)
    sentences = [["a", "cafe", "bad"], ["h"]]
    want = sstag.tag(made, sentences)
    save(made, str(here / "m"))
    assert sstag.tag(load(str(here / "m")), sentences) == want
    first = (here / "m").read_bytes()
    save(trained(here), str(here / "m"))
    assert (here / "m").read_bytes() == first  # also when the vectors come from the cache
    shutil.rmtree(here / "cache")
    save(trained(here), str(here / "m"))
    assert (here / "m").read_bytes() == first

    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    shutil.move(here / "mini", elsewhere / "mini")
    assert sstag.tag(load(str(here / "m")), [["a", "bad"]])  # its vectors were kept
    with pytest.raises(ModelError, match=r"needs the encoder mini, .* \(SHA-256 [0-9a-f]{12}…\), .*SSTAG_ENCODERS"):
        sstag.tag(load(str(here / "m")), [["b", "b"]])
    monkeypatch.setenv("SSTAG_ENCODERS", str(elsewhere))
    assert sstag.tag(load(str(here / "m")), sentences) == want
    model(here / "mini", seed=2)
    (here / "cache").rename(here / "kept")
    assert sstag.tag(load(str(here / "m")), sentences) == want  # one that is nearer, and another, does no harm
    model(elsewhere / "mini", seed=2)
    with pytest.raises(ModelError, match="mini is another one"):
        sstag.tag(load(str(here / "m")), [["b", "b"]])


def test_an_encoder_is_found_by_the_last_part_of_its_path(here, monkeypatch):
    """Where a template lies in another folder than the model, which says so at once if it will not find its files."""
    for folder in ("enc", "templates", "models"):
        (here / folder).mkdir()
    (here / "mini").rename(here / "enc" / "mini")
    (here / "templates" / "t.yaml").write_text(TEMPLATE.replace("model: mini", "model: ../enc/mini"))
    train = ("train", "--template", "templates/t.yaml", "--train", "train.txt", "--model")
    assert "m needs ../enc/mini to tag, and does not find it" in run(*train, "m", cwd=here).stderr
    assert "does not find" not in run(*train, "models/m", cwd=here).stderr  # ../enc/mini is right from there
    (digest,) = re.findall(r"encoder +mini +\((\w{12})…", run("inspect", "m", cwd=here).stdout)
    assert digest in run("cache", cwd=here).stdout
    shutil.rmtree(here / "cache")
    with pytest.raises(ModelError, match=r"needs the encoder \.\./enc/mini"):
        sstag.tag(load(str(here / "m")), [["b", "b"]])
    monkeypatch.setenv("SSTAG_ENCODERS", str(here / "enc"))
    want = sstag.tag(load(str(here / "m")), [["b", "b"]])
    monkeypatch.delenv("SSTAG_ENCODERS")
    shutil.rmtree(here / "cache")
    (here / "enc" / "mini").rename(here / "mini")
    assert sstag.tag(load(str(here / "m")), [["b", "b"]]) == want


def test_vectors_that_are_mapped_from_a_file_are_the_same(here, monkeypatch):
    plain = trained(here)
    monkeypatch.setattr("sstag.features.encoders.encoding.IN_MEMORY", 0)
    text = corpus_of([["a", "bad"], ["cafe"]], ("word",))
    assert isinstance(load_template(str(here / "t.yaml")).encoders["mini"].numbers(text), np.memmap)
    assert trained(here).theta.tobytes() == plain.theta.tobytes()
    assert not [*(here / "cache" / "encoded").glob("*/tmp*")]  # the file has no name


def test_a_model_takes_files_of_vectors(here):
    run("encode", "train.txt", "--encoder", "mini", "--layers", "1,2", "-o", "train.vectors", cwd=here)
    direct = trained(here)
    (here / "t.yaml").write_text(TEMPLATE.replace("{model: mini, layers: [1, 2]}", "{vectors: train.vectors}"))
    taken = trained(here)
    np.testing.assert_array_equal(taken.theta, direct.theta)
    save(taken, str(here / "m"))
    again = load(str(here / "m"))
    text = [[word for word, _ in sentence] for sentence in TRAIN]
    assert sstag.tag(again, text) == sstag.tag(direct, text)
    with pytest.raises(DataError, match="the vectors of this sentence are not in"):
        sstag.tag(again, [["b", "b"]])
    run("encode", "train.txt", "--encoder", "mini", "--layers", "1", "-o", "train.vectors", cwd=here)
    with pytest.raises(ModelError, match=r"needs the vectors of tokens in train\.vectors .* is another one"):
        sstag.tag(load(str(here / "m")), text)


def test_commands_tag_and_evaluate(here):
    (here / "pool.txt").write_text("g ?\nbad ?\n\n")
    for arguments in (
        ["train", "--template", "t.yaml", "--train", "train.txt", "--model", "m"],
        ["eval", "train.txt", "--model", "m"],
        ["tag", "--model", "m", "train.txt", "-o", "tagged.txt"],
        ["select", "--pool", "pool.txt", "--model", "m", "--strategy", "margin", "--count", "1", "-o", "s"],
        ["features", "-t", "t.yaml", "train.txt"],
    ):
        ran = run(*arguments, cwd=here)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("encoded(mini[-1..1])", "encoded(mimi[0])"), "t.yaml:6: there is no encoder 'mimi'; did you mean 'mini'?"),
        (("  - encoded(mini[-1..1])\n", ""), "t.yaml:2: no feature looks at the encoder 'mini': encoded(mini[0])"),
        (("layers: [1, 2]", "column: label"), "t.yaml:3: encoders: mini: there is no column 'label'"),
        (("layers: [1, 2]", "column: form"), "t.yaml:3: encoders: mini: there is no column 'form'"),
        (("model: mini", "model: other"), "other: there is no such encoder in"),
        (
            ("encoders:\n  mini: {model: mini, layers: [1, 2]}\n", ""),
            "there is no encoder 'mini': the template names none",
        ),
    ],
)
def test_templates_that_cannot_be(here, change, message):
    (here / "t.yaml").write_text(TEMPLATE.replace(*change))
    with pytest.raises((ConfigError, DataError)) as raised:
        load_template(str(here / "t.yaml"))
    assert message in str(raised.value).replace(f"{here}/", "")


def test_the_column_of_the_words_is_read(here):
    text = TEMPLATE.replace("[word, label]", "[lemma, word, label]").replace("lower(word[0])", "first()")
    assert template(text, str(here / "t.yaml")).columns_read == ("word",)
    own = text.replace("layers: [1, 2]", "column: lemma")
    assert template(own, str(here / "t.yaml")).columns_read == ("lemma",)


def test_a_model_that_says_nothing_of_its_encoder_is_not_written(here):
    made = trained(here)
    without = type(made)(
        **{**vars(made), "template": made.template.__class__(**{**vars(made.template), "encoders": {}})}
    )
    with pytest.raises(NotReadAgain, match="the encoder 'mini' is missing"):
        save(without, str(here / "m"))
    assert not (here / "m").exists()


def test_encoders_that_are_named_are_opened_beside_the_template(here, monkeypatch):
    monkeypatch.chdir("/")
    assert load_template(str(here / "t.yaml")).encoders["mini"].dimensions == WIDTH
    settings = load_template(str(here / "t.yaml")).encoders["mini"].encoder.settings
    assert opened(settings, str(here)).digest == load_template(str(here / "t.yaml")).encoders["mini"].digest
