"""JSON of files that somebody sent: each value in turn is one of another type, and what reads the file names it.

A key of a dictionary, a comparison or a sum meets a list, a half number or nothing before anybody asked for its type.
"""

import contextlib
import json
import struct
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sstag
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read, read_blocks
from sstag.evaluation.prediction_lines import read_predictions
from sstag.features.clusters import read_clusters
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.settings import Settings
from sstag.features.words.prototypes import nearest_words
from sstag.features.words.vector_files import opened
from sstag.foundation.archive import write_archive
from sstag.foundation.errors import SstagError
from sstag.foundation.parallel import one_by_one
from sstag.foundation.safetensors import tensors
from sstag.selection.density.file import load as load_density
from tests import encoder_models
from tests.attack.inputs.models import packed, parts
from tests.attack.inputs.values import OTHERS
from tests.attack.material import good_files
from tests.datasets import corpus
from tests.vector_files import written

GONE = object()  # the value is not there at all
DEEP: Any = json.loads("[" * 900 + "]" * 900)
FEW = 400  # changes of a file of which more could be made


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return good_files(tmp_path_factory.mktemp("good"))


def changes(value: Any) -> Iterator[Any]:
    """Copies of a value in which one value, wherever it is, is another; or is gone, or is a key of another name."""
    for place in places(value):
        for other in (*OTHERS, DEEP, GONE):
            whole: Any = {"": deepcopy(value)}
            holder = whole
            for key in ("", *place)[:-1]:
                holder = holder[key]
            last = ("", *place)[-1]
            if other is GONE:
                del holder[last]
            else:
                holder[last] = other
            yield whole.get("")


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    yield ()
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from ((key, *rest) for rest in places(value[key]))


def tried(value: Any, write: Callable[[Any], None], use: Callable[[], object], few: int = FEW) -> int:
    """Reads and uses what is written of each change; how many were refused."""
    every = list(changes(value))
    some = every if len(every) <= few else [every[at] for at in np.linspace(0, len(every) - 1, few).astype(int)]
    refused = 0
    for one in some:
        write(one)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of NumPy, as commands do
                use()
        except SstagError:
            refused += 1
    return refused


def test_safetensors(tmp_path):
    path = tmp_path / "x.safetensors"
    body = np.arange(12, dtype=np.float32).tobytes()
    head = {"m": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}, "__metadata__": {"by": "x"}}

    def write(said: Any) -> None:
        text = json.dumps(said).encode("utf-8", "surrogatepass")
        path.write_bytes(struct.pack("<Q", len(text)) + text + body)

    assert tried(head, write, lambda: tensors(str(path)))


def use_vectors(path: str) -> None:
    file = opened(path)
    file.of(["the", "Paris", "none"])
    nearest_words(file.every(), "the", 2)


@pytest.mark.parametrize("kind", ["WordPiece", "Unigram"])
def test_the_tokenizer_of_model2vec(tmp_path, kind):
    folder = Path(written(tmp_path, "model2vec"))
    vocabulary: Any = {"the": 0, "Paris": 1, "x": 2, "1": 3, "été": 4}
    model = {"type": "WordPiece", "vocab": vocabulary, "continuing_subword_prefix": "##"}
    if kind == "Unigram":
        model = {"type": "Unigram", "vocab": [[f"▁{piece}", -1.5 - number] for piece, number in vocabulary.items()]}
    said = {"model": model, "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None}}

    def write(one: Any) -> None:
        (folder / "tokenizer.json").write_text(json.dumps(one))

    assert tried(said, write, lambda: use_vectors(str(folder)))


def test_wink(tmp_path):
    path = Path(written(tmp_path, "wink"))
    said = json.loads(path.read_text())

    def write(one: Any) -> None:
        path.write_text(json.dumps(one, ensure_ascii=False, separators=(",", ":")), errors="surrogatepass")

    assert tried(said, write, lambda: use_vectors(str(path)))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_encoders(tmp_path, name, kind):
    folder = encoder_models.model(tmp_path / "encoder", kind)
    (folder / "tokenizer.json").write_text(json.dumps(encoder_models.tokenizer(kind)))
    said = json.loads((folder / name).read_text())
    if name == "tokenizer.json":
        said["model"]["vocab"] = dict(list(said["model"]["vocab"].items())[:9])
    text = corpus([[("bad",), ("cafe",)], [("a",)]], ("word",))

    def use() -> None:
        encoded(text, "word", found(Settings(model=str(folder)), [""]), None)

    assert tried(said, lambda one: (folder / name).write_text(json.dumps(one)), use)


def test_clusters_of_spacy(tmp_path):
    path = tmp_path / "clusters.json"
    assert tried({"Ann": 5, "met": 3}, lambda one: path.write_text(json.dumps(one)), lambda: read_clusters(str(path)))


def test_densities_and_vectors_of_our_own(tmp_path, good):
    path, raw = tmp_path / "density", tmp_path / "raw"
    raw.write_bytes(good["raw"])
    uses = {
        "density": lambda: load_density(str(path)).log_q(read(str(raw), layout_for(str(raw))), one_by_one),
        "own-vectors": lambda: use_vectors(str(path)),
    }
    for name, use in uses.items():
        entries = parts(good[name])
        (document,) = (one for one in entries if one.endswith(".json"))

        def write(one: Any, entries: dict[str, bytes] = entries, document: str = document) -> None:
            path.write_bytes(packed({**entries, document: json.dumps(one).encode()}))

        assert tried(json.loads(entries[document]), write, use)


def test_models(tmp_path, good):
    path, raw = tmp_path / "model", tmp_path / "raw"
    raw.write_bytes(good["raw"])
    for name in ("model",):
        entries = parts(good[name])
        (document,) = (one for one in entries if one.endswith(".json"))

        def write(one: Any, entries: dict[str, bytes] = entries, document: str = document) -> None:
            path.write_bytes(packed({**entries, document: json.dumps(one).encode()}))

        assert tried(json.loads(entries[document]), write, lambda: sstag.tag(sstag.load(str(path)), str(raw)))


@pytest.mark.parametrize("name", ["jsonl", "doccano", "label-studio", "prodigy"])
def test_formats_of_json(tmp_path, good, name):
    path = tmp_path / "text.json"
    data = good[f"as-{name}.{name}"]
    try:
        said = json.loads(data)
    except ValueError:
        said = json.loads(data.splitlines()[0])
    if name == "prodigy":
        said["spans"][0]["score"] = 0.5
    if name == "label-studio":
        said[0]["annotations"][0]["result"][0]["score"] = 0.5

    def use() -> None:
        layout = layout_for(str(path), format=name)
        assert all(block.columns for block in read_blocks(str(path), layout))

    assert tried(said, lambda one: path.write_text(json.dumps(one)), use, 2500)


def test_predictions(tmp_path, good):
    path = tmp_path / "predictions.jsonl"
    lines = good["predictions.jsonl"].splitlines()
    (tmp_path / "train").write_bytes(good["train"])

    def write(one: Any) -> None:
        path.write_bytes(b"\n".join([json.dumps(one).encode(), *lines[1:]]) + b"\n")

    assert tried(json.loads(lines[0]), write, lambda: read_predictions(str(path)))


@pytest.mark.parametrize("value", OTHERS)
def test_parameters_of_trainings(tmp_path, value):
    """As a project or a program gives them to Python: what cannot be is an error that names the parameter."""
    (tmp_path / "train").write_text("Ann B-PER\nmet O\n\n" * 3)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    for name in ("l2", "max_iterations", "minimum_count"):
        with contextlib.suppress(SstagError):
            sstag.train(str(tmp_path / "t.yaml"), str(tmp_path / "train"), **{"max_iterations": 1, name: value})


def test_a_description_with_a_number_that_is_not_finite_is_not_written(tmp_path):
    for number in (float("inf"), float("nan")):
        with pytest.raises(SstagError, match="its description has a number that is not finite"):
            write_archive(str(tmp_path / "m"), {"about": {"scale": number}}, {}, lambda path: None)
        assert not (tmp_path / "m").exists()
