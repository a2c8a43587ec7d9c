"""BERT and MPNet in NumPy beside transformers, which also makes the networks; and what is not to be run."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from sstag.corpus.corpus import corpus_of
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.settings import Reading, Settings
from sstag.features.encoders.trained_weights import trained_weights
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces import python as sstag
from sstag.model.model_file import load, save
from tests.encoder_models import PIECES, tokenizer

REAL = os.environ.get("SSTAG_TEST_ENCODERS")  # a folder with encoders in safetensors
SIZES = {
    "vocab_size": len(PIECES), "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3,
    "intermediate_size": 40, "max_position_embeddings": 300,
}  # fmt: skip


@pytest.fixture(params=["bert", "mpnet"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    torch.manual_seed(3)
    made = {
        "bert": lambda: BertModel(BertConfig(**SIZES, initializer_range=0.4)),
        "mpnet": lambda: MPNetModel(MPNetConfig(**SIZES, initializer_range=0.4)),
    }[request.param]()
    made.save_pretrained(tmp_path, safe_serialization=True)
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer(request.param)))
    return tmp_path


def loaded(folder: Path, backend: str, **reading: object):
    return found(Settings(str(folder), backend=backend, reading=Reading(**reading)), ("",)).loaded


@pytest.mark.parametrize("layers", [(0,), (1, 2), (3,)])
def test_states_agree(folder, layers):
    own, other = (loaded(folder, backend, layers=layers) for backend in ("numpy", "transformers"))
    assert (own.width, [*map(list, own.ends)]) == (other.width, [*map(list, other.ends)])
    rng = np.random.default_rng(1)
    for length in (1, 2, 17, 150, min(own.longest, other.longest)):
        pieces = rng.integers(6, len(PIECES), (2, length))
        np.testing.assert_allclose(own.states(pieces), other.states(pieces), atol=1e-4)


def test_vectors_agree(folder):
    text = corpus_of([["Bad", "cafe", ",", "aed"], ["h"] * 400], ("word",))
    how = Reading(window=200)
    encoders = [found(Settings(str(folder), backend=name, reading=how), ("",)) for name in ("numpy", "transformers")]
    own, other = (encoded(text, "word", one, None, threads=2).astype(np.float32) for one in encoders)
    np.testing.assert_allclose(own, other, atol=4e-3)


def test_slopes_and_trained_weights_agree(folder):
    """Blocks that torch trains and those that NumPy trains have the same slopes, and each runs weights of the other."""
    rng = np.random.default_rng(1)
    windows = [rng.integers(6, len(PIECES), length).tolist() for length in (3, 17, 40)]
    d = rng.normal(size=(60, 24)).astype(np.float32)
    slopes, states = [], []
    own, other = (loaded(folder, name, layers=(1, 3)).blocks(2) for name in ("numpy", "transformers"))
    for blocks in (own, other):
        vectors, way = blocks.up(blocks.below(windows), windows)
        states.append(vectors)
        before = {name: array.copy() for name, array in blocks.named.items()}
        for array, slope in zip(blocks.arrays, blocks.down(way, d), strict=True):
            array += np.float32(1e-3) * slope
        slopes.append({name: array - before[name] for name, array in blocks.named.items()})
    np.testing.assert_allclose(*states, atol=1e-4)
    assert slopes[0].keys() == slopes[1].keys()
    for name, slope in slopes[0].items():
        np.testing.assert_allclose(slope, slopes[1][name], atol=2e-6 + 1e-3 * np.abs(slope).max())
    changed = {name: array.astype(np.float16).astype(np.float32) for name, array in other.named.items()}
    one = found(Settings(str(folder), backend="numpy", reading=Reading(layers=(1, 3))), ("",))
    both = [replace(one, backend=name, trained=trained_weights(changed)).loaded for name in ("numpy", "transformers")]
    pieces = np.array([windows[1]])
    np.testing.assert_allclose(*(backend.states(pieces) for backend in both), atol=1e-4)
    assert np.abs(both[0].states(pieces) - one.loaded.states(pieces)).max() > 1e-3


def test_torch_trains_and_numpy_tags(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))
    text = [[("a", "X"), ("bad", "Y"), ("cafe", "X")], [("h", "Y"), ("b", "X")], [("bad", "Y"), ("a", "X")]] * 3
    made = {}
    for name in ("numpy", "transformers"):
        (tmp_path / "t.yaml").write_text(
            "columns: [word, label]\nencoders:\n"
            f"  mini: {{model: {folder}, backend: {name}, layers: [1, 3], train: 2}}\n"
            "features:\n  - encoded(mini[0])\n"
        )
        made[name] = sstag.train(str(tmp_path / "t.yaml"), text)
    about = made["transformers"].about["encoder training"]
    assert about["program"].startswith("torch ")
    assert about["blocks"] == 2
    objectives = [one.about["objective"] for one in made.values()]
    assert objectives[0] == pytest.approx(objectives[1], rel=0.05)
    save(made["transformers"], str(tmp_path / "m"))
    words = [[word for word, _ in one] for one in text]
    assert sstag.tag(load(str(tmp_path / "m")), words) == sstag.tag(made["transformers"], words)


def test_layers_that_there_are_not(folder):
    with pytest.raises(ConfigError, match=r"0 \(before the first\) to 3"):
        loaded(folder, "transformers", layers=(4,))


def test_code_of_a_model_is_not_run(folder):
    said = json.loads((folder / "config.json").read_text())
    said |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(said))
    (folder / "own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    with pytest.raises(DataError, match="transformers cannot read it"):
        loaded(folder, "transformers")
    assert not (folder / "ran").exists()


@pytest.mark.skipif(not REAL, reason="SSTAG_TEST_ENCODERS names no folder")
def test_real_encoders_agree():
    paths = [path for path in Path(REAL or "").iterdir() if (path / "model.safetensors").is_file()]
    assert paths
    rng = np.random.default_rng(1)
    for path in paths:
        own, other = (loaded(path, backend) for backend in ("numpy", "transformers"))
        for word in ("Zürich-West", "12,500", "naïve", "北京", "[SEP]"):
            assert own.pieces(word) == other.pieces(word)
        pieces = rng.integers(1000, 20000, (1, 200))
        np.testing.assert_allclose(own.states(pieces), other.states(pieces), atol=1e-4)
