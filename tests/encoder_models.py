"""Encoders with random weights, written as files, and a plain reference of what they compute."""

import json
import math
import struct
from pathlib import Path

import numpy as np

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "<s>", "</s>")
PIECES = (*SPECIAL, *"abcdefgh", *(f"##{one}" for one in "abcdefgh"), "bad", "##ed", "cafe", ",", ".", "北")
WIDTH, HEADS, WIDE, LAYERS, PLACES, BUCKETS = 12, 3, 20, 4, 40, 8


def safetensors(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes arrays as a safetensors file."""
    kinds = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "uint16": "BF16"}
    head, body = {}, b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        place = [len(body), len(body) + len(data)]
        head[name] = {"dtype": kinds[array.dtype.name], "shape": list(array.shape), "data_offsets": place}
        body += data
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def weights(kind: str, seed: int = 1) -> dict[str, np.ndarray]:
    """Random arrays by the names that BERT or MPNet give them."""
    rng = np.random.default_rng(seed)

    def random(*shape: int, around: float = 0.0) -> np.ndarray:
        return (around + rng.normal(0, 0.4, shape)).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": random(len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": random(PLACES, WIDTH),
        "embeddings.LayerNorm.weight": random(WIDTH, around=1.0),
        "embeddings.LayerNorm.bias": random(WIDTH),
    }
    if kind == "mpnet":
        found["encoder.relative_attention_bias.weight"] = random(BUCKETS, HEADS)
        names = {"q": "attention.attn.q", "k": "attention.attn.k", "v": "attention.attn.v", "o": "attention.attn.o"}
        norm = "attention.LayerNorm"
    else:
        found["embeddings.token_type_embeddings.weight"] = random(2, WIDTH)
        own = "attention.self"
        names = {"q": f"{own}.query", "k": f"{own}.key", "v": f"{own}.value", "o": "attention.output.dense"}
        norm = "attention.output.LayerNorm"
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        for name in names.values():
            found |= {f"{at}.{name}.weight": random(WIDTH, WIDTH), f"{at}.{name}.bias": random(WIDTH)}
        found |= {f"{at}.intermediate.dense.weight": random(WIDE, WIDTH), f"{at}.intermediate.dense.bias": random(WIDE)}
        found |= {f"{at}.output.dense.weight": random(WIDTH, WIDE), f"{at}.output.dense.bias": random(WIDTH)}
        for one in (norm, "output.LayerNorm"):
            found |= {f"{at}.{one}.weight": random(WIDTH, around=1.0), f"{at}.{one}.bias": random(WIDTH)}
    return found


def config(kind: str) -> dict[str, object]:
    own = {"relative_attention_num_buckets": BUCKETS} if kind == "mpnet" else {"type_vocab_size": 2}
    return own | {
        "model_type": kind, "hidden_act": "gelu", "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "hidden_size": WIDTH, "intermediate_size": WIDE, "vocab_size": len(PIECES), "max_position_embeddings": PLACES,
        "layer_norm_eps": 1e-5, "pad_token_id": 0, "bos_token_id": 4, "eos_token_id": 5,
    }  # fmt: skip


def model(folder: Path, kind: str = "bert", seed: int = 1) -> Path:
    """A folder with a small encoder."""
    folder.mkdir(exist_ok=True)
    safetensors(folder / "model.safetensors", weights(kind, seed))
    (folder / "config.json").write_text(json.dumps(config(kind)))
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    return folder


def tokenizer(kind: str = "bert") -> dict[str, object]:
    """The `tokenizer.json` of these pieces."""
    first, last = ("<s>", "</s>") if kind == "mpnet" else ("[CLS]", "[SEP]")
    number = {piece: index for index, piece in enumerate(PIECES)}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": [last, number[last]], "cls": [first, number[first]]},
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": number,
        },
    }  # fmt: skip


def reference(kind: str, pieces: list[int], arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The states of one window after each layer, before the first too, in loops and double precision."""
    w = {name: array.astype(np.float64) for name, array in arrays.items()}
    first = 2 if kind == "mpnet" else 0

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return (x - x.mean()) / math.sqrt(x.var() + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def affine(x: np.ndarray, name: str) -> np.ndarray:
        return w[f"{name}.weight"] @ x + w[f"{name}.bias"]

    def gelu(x: np.ndarray) -> np.ndarray:
        return np.array([one * 0.5 * (1 + math.erf(one / math.sqrt(2))) for one in x])

    states = []
    for place, piece in enumerate(pieces):
        x = w["embeddings.word_embeddings.weight"][piece] + w["embeddings.position_embeddings.weight"][first + place]
        if kind == "bert":
            x = x + w["embeddings.token_type_embeddings.weight"][0]
        states.append(norm(x, "embeddings.LayerNorm"))
    found = [np.array(states)]
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        own = f"{at}.attention.attn." if kind == "mpnet" else f"{at}.attention.self."
        names = ("q", "k", "v") if kind == "mpnet" else ("query", "key", "value")
        out = f"{at}.attention.attn.o" if kind == "mpnet" else f"{at}.attention.output.dense"
        after = f"{at}.attention.LayerNorm" if kind == "mpnet" else f"{at}.attention.output.LayerNorm"
        q, k, v = ([affine(x, own + name).reshape(HEADS, -1) for x in states] for name in names)
        following = []
        for i, x in enumerate(states):
            mixed = np.zeros((HEADS, WIDTH // HEADS))
            for head in range(HEADS):
                scores = [q[i][head] @ k[j][head] / math.sqrt(WIDTH // HEADS) for j in range(len(states))]
                if kind == "mpnet":
                    bias = w["encoder.relative_attention_bias.weight"]
                    scores = [score + bias[bucket(i, j), head] for j, score in enumerate(scores)]
                p = np.exp(np.array(scores) - max(scores))
                mixed[head] = sum(p[j] / p.sum() * v[j][head] for j in range(len(states)))
            x = norm(x + affine(mixed.ravel(), out), after)
            wide = gelu(affine(x, f"{at}.intermediate.dense"))
            following.append(norm(x + affine(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm"))
        states = following
        found.append(np.array(states))
    return found


def bucket(i: int, j: int) -> int:
    """The bucket of a distance: half of them for each direction, half of those for near ones, the others by powers."""
    half = BUCKETS // 2
    near, away = half // 2, abs(i - j)
    if away >= near:
        away = min(near + int(math.log(away / near) / math.log(128 / near) * (half - near)), half - 1)
    return away + (half if i < j else 0)
