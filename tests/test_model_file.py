"""Models as files: what comes back, what is refused, and what a failure leaves behind."""

import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sstag.features.clusters import Clusters
from sstag.features.reading import beside, template
from sstag.foundation import archive, files
from sstag.foundation.errors import DataError, ModelError, NotReadAgain, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.inspect import command as inspect_command
from sstag.model import model_file
from sstag.model.model import HMM, Model
from sstag.model.model_file import load, save
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained
from tests.datasets import corpus
from tests.model_files import rewritten
from tests.models import tiny
from tests.systems import posix
from tests.training import task

Saved = Callable[[bytes], str]
FUZZ = settings(max_examples=400)
SENTENCES = [
    [("Ann", "1", "B-PER"), ("Lee", "0.5", "I-PER"), ("met", "2", "O")],
    [("New", "1", "B-LOC"), ("York", "-1", "I-LOC"), ("a|b", "0", "O"), ("ç", "3", "O")],
]
TEMPLATES = {
    "plain": "columns: [word, weight, ner]\nfeatures: [word[0]]\n",
    "everything": (
        "columns: [word, weight, ner]\nfeatures: [word[-1..1], word[-1] | word[0], shape(word[0]) else odd,"
        " lexicon(word[0], names.txt), first(), last(), value(weight), word[0] | value(weight),"
        " 'similar(word[-1..0], some.txt, raw.vectors, 0.35)', 'cluster(word[0], raw.clusters, 1)']\n"
        "edges: [labels, begin, end, word[0], first()]\nedge_pairs: observed\nminimum_count: 1\nvocabulary: all\n"
    ),
    "no edges": "columns: [word, weight, ner]\nfeatures: [lower(word[0])]\nedges: []\npairs: all\n",
    "crfpp": "U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB01:%x[0,0]\nB\n",
}


SOURCES = replace(
    beside(""),
    lexicon=lambda name: (("New", "York"), ("Paris",)),
    near=lambda of: {"Ann": ("Lee", "Ann"), "Lee": ("Ann",), "a|b": ("Lee",)},
    clusters=lambda name: Clusters({"Ann": "0", "New": "10", "ç": "11", "York": "10"}),
)


def made(text: str, sentences=SENTENCES) -> Model:
    columns = ("word", "weight", "label" if text.startswith("U") else "ner")
    how = template(text, "made", SOURCES)
    inputs = Inputs(how, corpus(sentences, columns))
    return trained(task(inputs, given={"l2": 0.1, "max_iterations": 20}), Run())


@pytest.fixture(scope="module", params=list(TEMPLATES))
def model(request) -> Model:
    return made(TEMPLATES[request.param])


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    """The bytes of a model with everything in it."""
    path = tmp_path_factory.mktemp("whole") / "m"
    save(made(TEMPLATES["everything"]), str(path))
    return path.read_bytes()


def bytes_of(model: Model, path: Path) -> bytes:
    save(model, str(path))
    return path.read_bytes()


def test_a_model_is_read_without_yaml(tmp_path: Path) -> None:
    """To import YAML takes longer than to label a sentence."""
    path = str(tmp_path / "tiny.model")
    save(tiny(), path)
    code = f"import sys; from sstag.model.model_file import load; load({path!r}); print('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    assert load(path).template.said == {
        "columns": ["word", "label"],
        "label": "label",
        "features": ["word[-1..1]"],
        "edges": ["labels", "begin", "end", "word[0]"],
    }


def test_what_a_template_says_is_checked_as_its_text_is(tmp_path: Path) -> None:
    path = tmp_path / "tiny.model"
    save(tiny(), str(path))
    whole = path.read_bytes()
    for said, why in [
        ({"columns": ["word", "label"], "features": ["wrod[0]"]}, "there is no column 'wrod'"),
        ({"columns": ["word", "label"], "features": [3]}, "quote this line"),
        (["word"], "no settings here"),
    ]:

        def change(entries: dict[str, bytes], said: object = said) -> None:
            entries["model.json"] = json.dumps(json.loads(entries["model.json"]) | {"template_says": said}).encode()

        path.write_bytes(rewritten(whole, change))
        with pytest.raises(ModelError, match=why):
            load(str(path))


def test_a_model_comes_back(model: Model, tmp_path: Path) -> None:
    data = bytes_of(model, tmp_path / "m")
    back = load(str(tmp_path / "m"))
    assert (back.labels, back.template, back.about) == (model.labels, model.template, model.about)
    assert back.theta.tobytes() == model.theta.tobytes()
    assert back.unary.texts() == model.unary.texts()
    assert back.edge.texts() == model.edge.texts()
    unseen = [[("Paris", "1"), ("x", "2"), ("New", "0"), ("York", "1")], [("a|b", "0.5")]]
    test = corpus([*([row[:2] for row in one] for one in SENTENCES), *unseen], ("word", "weight"))
    before, after = (one.dataset(test) for one in (model, back))
    for name in ("unary", "edge"):
        for part in ("indptr", "indices", "values"):
            np.testing.assert_array_equal(getattr(getattr(before, name), part), getattr(getattr(after, name), part))
    assert (model.tagged(before, one_by_one) == back.tagged(after, one_by_one)).all()
    assert bytes_of(back, tmp_path / "again") == data


def test_the_same_training_gives_the_same_bytes(model: Model, tmp_path: Path) -> None:
    again = made(model.template.text)
    assert bytes_of(model, tmp_path / "a") == bytes_of(again, tmp_path / "b")
    assert bytes_of(replace(model, theta=model.theta + 1), tmp_path / "c") != (tmp_path / "a").read_bytes()


def test_a_model_is_a_zip_that_other_tools_read(model: Model, tmp_path: Path) -> None:
    data = bytes_of(model, tmp_path / "m")
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        np.testing.assert_array_equal(np.load(io.BytesIO(file.read("theta.npy")), allow_pickle=False), model.theta)
        document = json.loads(file.read("model.json"))
        assert {one.date_time for one in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert document["template"] == model.template.text
    assert str(tmp_path) not in data.decode("latin-1")


def test_the_lists_of_the_template_travel_with_the_model(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("# towns\nNew York\nParis\n", encoding="utf-8")
    text = "columns: [word, ner]\nfeatures: [word[0], 'lexicon(word[0], names.txt)']\nedges: []\n"
    how = template(text, str(tmp_path / "t.yaml"))
    sentences = [[("New", "B"), ("York", "I")], [("Paris", "B"), ("y", "O")], [("x", "O")] * 3, [("y", "O")] * 2]
    inputs = Inputs(how, corpus(sentences, ("word", "ner")))
    save(trained(task(inputs, given={"l2": 0.01}), Run()), str(tmp_path / "m"))
    (tmp_path / "names.txt").unlink()
    model = load(str(tmp_path / "m"))
    found = model.tagged(model.dataset(corpus([[("x",), ("Paris",)]], ("word",))), one_by_one)
    assert [model.labels[code] for code in found] == ["O", "B"]


# What is refused


def refused(data: bytes, saved: Saved) -> str:
    """The message; loading must say no, or give a model that works."""
    path = saved(data)
    try:
        model = load(path)
    except SstagError as error:
        return str(error)
    test = corpus([[("Ann", "1"), ("x", "2")]], ("word", "weight"))
    with suppress(SstagError):
        model.tagged(model.dataset(test), one_by_one)
    assert CliRunner().invoke(inspect_command, [path]).exit_code == 0
    assert CliRunner().invoke(inspect_command, [path, "--format", "json"]).exit_code == 0
    return ""


def test_a_file_that_is_no_model(
    saved: Saved, tmp_path: Path, whole: bytes, alarm: Callable[[int], AbstractContextManager[None]]
) -> None:
    assert refused(b"", saved).endswith("not an sstag model")
    assert refused(b"EU B-NP\n", saved).endswith("not an sstag model")
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("a", "b")
    assert "damaged" in refused(zipped.getvalue(), saved)
    assert "damaged" in refused(whole[:-1], saved)
    assert "damaged" in refused(whole[:1000], saved)
    with pytest.raises(DataError, match="no such file"):
        load(str(tmp_path / "none"))
    with pytest.raises(SstagError):
        load(str(tmp_path))


@posix
def test_pipes_and_devices_are_no_models(tmp_path: Path, alarm: Callable[[int], AbstractContextManager[None]]) -> None:
    os.mkfifo(tmp_path / "pipe")  # which nobody writes to
    with alarm(10), pytest.raises(ModelError, match="a folder, pipe or device"):
        load(str(tmp_path / "pipe"))
    with pytest.raises(ModelError, match="a folder, pipe or device"):
        load("/dev/zero")


@FUZZ
@given(st.data())
def test_changed_bytes_are_noticed(saved: Saved, whole: bytes, data: st.DataObject) -> None:
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1) | st.integers(len(whole) - 2500, len(whole) - 1))
        changed[place] = data.draw(st.integers(0, 255))
    message = refused(bytes(changed), saved)
    assert not message or "damaged" in message or "not an sstag model" in message or "invalid" in message


def test_rewriting_nothing_is_accepted(whole: bytes, saved: Saved) -> None:
    assert refused(rewritten(whole, lambda entries: None), saved) == ""


NAMES = [
    *(
        f"{kind}_{part}"
        for kind in ("unary", "edge")
        for part in ("text", "text_lengths", "components", "ids", "label_counts", "labels")
    ),
    "steps", "theta", "lexicon_0",
    *(f"similar_0_{part}" for part in ("words", "words_lengths", "prototypes", "counts", "places")),
]  # fmt: skip


@FUZZ
@given(st.sampled_from(NAMES), st.data())
def test_arrays_with_other_numbers_are_refused_or_work(
    saved: Saved, whole: bytes, name: str, data: st.DataObject
) -> None:
    def change(entries: dict[str, bytes]) -> None:
        array = np.load(io.BytesIO(entries[f"{name}.npy"])).copy()
        kind = data.draw(st.sampled_from(["cell", "shorter", "longer", "empty"]))
        flat = array.ravel()
        if kind == "cell" and len(flat):
            big = [0, 1, 2, 255] if array.dtype == np.uint8 else [-1, 0, 1, 2**31 - 1, -(2**31), 7]
            value = np.nan if array.dtype == np.float64 else data.draw(st.sampled_from(big))
            flat[data.draw(st.integers(0, len(flat) - 1))] = value
        elif kind == "shorter":
            array = flat[:-1]
        elif kind == "longer":
            array = np.append(flat, flat[:1])
        elif kind == "empty":
            array = flat[:0]
        out = io.BytesIO()
        np.save(out, array)
        entries[f"{name}.npy"] = out.getvalue()

    refused(rewritten(whole, change), saved)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@FUZZ
@given(st.data())
def test_descriptions_with_other_values_are_refused_or_work(saved: Saved, whole: bytes, data: st.DataObject) -> None:
    def change(entries: dict[str, bytes]) -> None:
        document = json.loads(entries["model.json"])
        inner = data.draw(st.sampled_from([(), ("about",), ("vocabularies", "unary"), ("about", "data")]))
        place = document
        for key in inner:
            place = place[key]
        keys = st.sampled_from([*place, "x"])
        place[data.draw(keys)] = data.draw(JSON)
        entries["model.json"] = json.dumps(document).encode()

    refused(rewritten(whole, change), saved)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", "another size"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999, 99999999999999), }", "another size"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "another size"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "no array"),
        ("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }", "no array"),
        ("__import__('os').system('touch harm')", "no array"),
        ("(" * 9000, "no array"),
        ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "no array"),
    ],
)
def test_header_bombs(whole: bytes, saved: Saved, header: str, message: str) -> None:
    text = header.encode() + b" \n"

    def change(entries: dict[str, bytes]) -> None:
        entries["theta.npy"] = archive.NPY + struct.pack("<H", len(text)) + text + bytes(8)

    assert message in refused(rewritten(whole, change), saved)


def test_zip_bombs(whole: bytes, saved: Saved) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("theta.npy", bytes(50_000_000))
        file.comment = b"sha256:" + b"0" * 64
    assert "larger than the file" in refused(packed.getvalue(), saved)

    def many(entries: dict[str, bytes]) -> None:
        entries.update({f"x{i}": b"" for i in range(5000)})

    assert "too many parts" in refused(rewritten(whole, many), saved)
    assert "damaged" in refused(rewritten(whole, lambda entries: entries.update({"model.json": b"[" * 100_000})), saved)
    long = {"model.json": b"1" * (archive.LARGEST_DOCUMENT + 1)}
    assert "too long" in refused(rewritten(whole, lambda entries: entries.update(long)), saved)


def test_parts_that_share_their_bytes(saved: Saved) -> None:
    """Two entries at the same place: the file is small, what it claims is not."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("theta.npy", bytes(10_000))
        for _ in range(20):
            file.filelist.append(file.filelist[0])
        file.comment = b"sha256:" + b"0" * 64
    assert "damaged" in refused(out.getvalue(), saved)


@FUZZ
@given(data=st.binary(max_size=300))
@example(data=b"PK\x03\x04" + b"PK\x05\x06" + bytes(18) + b"sha256:" + b"0" * 64)
def test_arbitrary_bytes_are_no_model(saved: Saved, data: bytes) -> None:
    assert refused(b"PK\x03\x04" + data, saved) != ""


def test_a_model_of_another_version_says_so(whole: bytes, saved: Saved) -> None:
    def newer(entries: dict[str, bytes]) -> None:
        entries["model.json"] = entries["model.json"].replace(b'"version": 1', b'"version": 2')

    assert refused(rewritten(whole, newer), saved).endswith("format 2: this sstag reads format 1")


# Writing


def test_where_no_model_can_be_written(tmp_path: Path) -> None:
    model = made(TEMPLATES["plain"])
    for path in ("-", "m.gz", "/dev/null", str(tmp_path)):
        with pytest.raises(ModelError, match="choose another name"):
            save(model, path)
    with pytest.raises(DataError, match="no such folder"):
        save(model, str(tmp_path / "none" / "m"))


def test_a_failure_leaves_the_old_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m"
    old = bytes_of(made(TEMPLATES["plain"]), path)
    new = made(TEMPLATES["everything"])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(DataError, match="no space left"):
        save(new, str(path))
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize("key", ["scheme", "kind"])
@pytest.mark.parametrize("value", ["iob9", 3, None])
def test_a_scheme_or_kind_that_cannot_be_is_damage(tmp_path, monkeypatch, key, value):
    path = str(tmp_path / "m")
    wrong = replace(tiny("iob2"), **{key: value})
    with pytest.raises(NotReadAgain, match=r"m: "):
        save(wrong, path)
    assert not os.listdir(tmp_path)
    monkeypatch.setattr(model_file, "load", str)  # a file that somebody else has written
    save(wrong, path)
    with pytest.raises(ModelError, match=r"m: "):
        load(path)


def test_a_model_keeps_its_scheme_and_kind(tmp_path):
    path = str(tmp_path / "m")
    save(replace(tiny("iob2"), kind=HMM), path)
    assert (load(path).scheme, load(path).kind) == ("iob2", HMM)
