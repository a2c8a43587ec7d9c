"""BERT and MPNet in NumPy beside transformers, which also makes the networks; and what is not to be run."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from sstag.corpus.corpus import corpus_of
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.settings import Reading, Settings
from sstag.foundation.errors import ConfigError, DataError
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
