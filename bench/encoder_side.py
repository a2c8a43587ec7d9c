"""An encoder at work: its batches alone, and a text from words to vectors; each side of a process of its own."""

import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read
from sstag.features.encoders.encoder import Encoder, found
from sstag.features.encoders.encoding import TOGETHER, encoded
from sstag.features.encoders.settings import Settings
from sstag.features.encoders.store import Store

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LAYERS, HEADS, WIDTH, WIDE, PLACES = 6, 12, 384, 1536, 512


def written(folder: str, text: str) -> dict[str, Any]:
    """Writes an encoder with the sizes of MiniLM-L6 and random weights, whose pieces are letters and frequent words."""
    rng, path = np.random.default_rng(1), Path(folder)
    path.mkdir()
    corpus = read(text, layout_for(text))
    words = [word.lower() for word in corpus.values[0]]
    letters = sorted({letter for word in words for letter in word})
    pieces = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    pieces += [word for word in dict.fromkeys(words) if len(word) > 1][: 20_000 - len(pieces)]
    (path / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    said = {
        "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "hidden_size": WIDTH, "intermediate_size": WIDE, "vocab_size": len(pieces), "type_vocab_size": 2,
        "max_position_embeddings": PLACES, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (path / "config.json").write_text(json.dumps(said))
    shapes = {
        "embeddings.word_embeddings.weight": (len(pieces), WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_norm("embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _affine(f"{at}.attention.{name}", WIDTH, WIDTH)
        shapes |= _affine(f"{at}.intermediate.dense", WIDTH, WIDE) | _affine(f"{at}.output.dense", WIDE, WIDTH)
        shapes |= _norm(f"{at}.attention.output.LayerNorm") | _norm(f"{at}.output.LayerNorm")
    head, end = {}, 0
    for name, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": (end, end + size)}
        end += size
    text_of = json.dumps(head).encode()
    with open(path / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text_of)) + text_of)
        for shape in shapes.values():
            file.write(rng.normal(0, 0.05, shape).astype(np.float32).tobytes())
    return {"bytes": end}


def _affine(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (columns, rows), f"{name}.bias": (columns,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def _begun(encoder: str, text: str, sentences: int) -> tuple[Encoder, Corpus]:
    corpus = read(text, layout_for(text))
    made = found(Settings(encoder), ("",))
    made.loaded.states(np.array([[*made.loaded.ends[0], *made.loaded.ends[1]]]))  # whatever is done once
    return made, selected(corpus, np.arange(corpus.sentences) < sentences)


def bare(encoder: str, text: str, sentences: int) -> dict[str, Any]:
    """Tokens a second of the back end alone, on windows of the sentences that are cut and sorted before."""
    made, corpus = _begun(encoder, text, sentences)
    backend, windows = made.loaded, {}
    before, after = backend.ends
    seen = set()
    for sentence in range(corpus.sentences):
        words = tuple(corpus.words(corpus.columns[0], sentence))
        if words not in seen:
            seen.add(words)
            pieces = [*before, *(piece for word in words for piece in backend.pieces(word)), *after]
            windows.setdefault(min(len(pieces), backend.longest), []).append(pieces[: backend.longest])
    batches = []
    for length, alike in windows.items():
        most = max(TOGETHER // length, 1)
        batches += [np.array(alike[begin : begin + most]) for begin in range(0, len(alike), most)]
    began = time.perf_counter()
    for batch in batches:
        backend.states(batch)
    return {"speed": corpus.tokens / (time.perf_counter() - began)}


def encoded_text(encoder: str, text: str, sentences: int, cache: str = "") -> dict[str, Any]:
    """Tokens a second from words to vectors, which are kept; with a cache that is there, the second time."""
    made, corpus = _begun(encoder, text, sentences)
    shelf = Store(Path(cache), 2**40).shelf(made.digest) if cache else None
    if shelf:
        encoded(corpus, corpus.columns[0], made, shelf)
    began = time.perf_counter()
    encoded(corpus, corpus.columns[0], made, shelf)
    return {"speed": corpus.tokens / (time.perf_counter() - began)}
