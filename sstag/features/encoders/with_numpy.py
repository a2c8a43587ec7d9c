"""BERT, MiniLM and MPNet in NumPy (Devlin et al. 2019; Wang et al. 2020; Song et al. 2020), as far as a layer is read.

    x⁰ = norm(E_piece + E_place [+ E_type])        a = softmax(q kᵀ / √d [+ bias of the distance]) v, head by head
    x' = norm(x + a W_o + b_o)                     xⁿ⁺¹ = norm(x' + gelu(x' W_1 + b_1) W_2 + b_2)

A window's numbers do not depend on those it is computed with: all have one length, so that nothing is padded, and every
window is multiplied by itself, because BLAS adds up the last rows of a matrix in another order than those before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from sstag.features.encoders.configuration import Configuration, read_configuration, refuse_layers
from sstag.features.encoders.contract import Files, middle
from sstag.features.encoders.wordpiece import WordPiece, read_wordpiece
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.safetensors import Safetensors

PLACES = {"bert": 0, "mpnet": 2}  # the row of the first place: MPNet counts from after its padding
ENDS = {"bert": ("[CLS]", "[SEP]"), "mpnet": ("<s>", "</s>")}
FARTHEST = 128  # pieces away from which MPNet tells distances apart no more
PREFIXES = ("", "bert.", "mpnet.", "model.")  # of the names in files of a model with a task


@dataclass(frozen=True)
class Affine:
    """x ↦ x W + b."""

    weights: Singles  # (in, out)
    bias: Singles

    def __call__(self, x: Singles) -> Singles:
        result: Singles = x @ self.weights
        result += self.bias
        return result


@dataclass(frozen=True)
class Norm:
    """x ↦ (x − mean) / deviation · w + b, row by row."""

    weights: Singles
    bias: Singles
    epsilon: np.float32

    def __call__(self, x: Singles) -> Singles:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.einsum("bpd,bpd->bp", x, x)[:, :, None] / np.float32(x.shape[-1]) + self.epsilon)
        x *= self.weights
        x += self.bias
        return x


@dataclass(frozen=True)
class Layer:
    """Attention of pieces to each other, and a network of two layers for each piece."""

    heads: int
    attention: Affine  # q, k and v side by side
    out: Affine
    first: Norm
    wider: Affine
    back: Affine
    second: Norm

    def __call__(self, x: Singles, bias: Singles | None) -> Singles:
        """The next states. (B, P, D) → (B, P, D)"""
        windows, length, width = x.shape
        each = width // self.heads
        q, k, v = self.attention(x).reshape(windows, length, 3, self.heads, each).transpose(2, 0, 3, 1, 4)
        scores = q @ k.transpose(0, 1, 3, 2)
        scores *= np.float32(each**-0.5)
        if bias is not None:
            scores += bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        x = self.first(x + self.out((scores @ v).transpose(0, 2, 1, 3).reshape(x.shape)))
        return self.second(x + self.back(gelu(self.wider(x))))


def gelu(x: Singles) -> Singles:
    """x Φ(x)."""
    half = erf(x * np.float32(0.5**0.5))
    half += np.float32(1)
    half *= x
    half *= np.float32(0.5)
    return np.asarray(half, np.float32)


@dataclass(frozen=True)
class NumpyBackend:
    """An encoder whose weights are arrays."""

    configuration: Configuration
    words: WordPiece
    ends: tuple[Sequence[int], Sequence[int]]
    embedded: Singles  # (V, D) of pieces
    places: Singles  # (longest, D), with those of the first type
    norm: Norm
    layers: tuple[Layer, ...]
    distances: Singles | None  # (buckets, heads)
    read: tuple[int, ...]  # the layers whose mean is taken; 0 is before the first

    @property
    def width(self) -> int:
        return self.configuration.width

    @property
    def longest(self) -> int:
        return len(self.places)

    @property
    def has_threads(self) -> bool:
        """Those of BLAS, as many as its own settings say, such as OPENBLAS_NUM_THREADS."""
        return True

    def pieces(self, word: str) -> list[int]:
        return self.words.pieces(word)

    def states(self, pieces: Longs) -> Singles:
        length = pieces.shape[1]
        x = self.norm(self.embedded[pieces] + self.places[:length])
        bias = (
            None if self.distances is None else self.distances[buckets(length, len(self.distances))].transpose(2, 0, 1)
        )
        total = x.copy() if 0 in self.read else np.zeros_like(x)
        for number, layer in enumerate(self.layers, start=1):
            x = layer(x, bias)
            if number in self.read:
                total += x
        total /= np.float32(len(self.read))
        return total


def buckets(length: int, count: int) -> Longs:
    """The bucket of the distance from each place to each: near ones have their own, far ones share."""  # (P, P)
    away = np.arange(length)[:, None] - np.arange(length)
    half = count // 2
    near = half // 2
    far = near + np.log(np.maximum(np.abs(away), 1) / near) / np.log(FARTHEST / near) * (half - near)
    found = np.where(np.abs(away) < near, np.abs(away), np.minimum(far.astype(np.int64), half - 1))
    result: Longs = found + half * (away < 0)
    return result


def backend(files: Files, layers: Sequence[int] | None) -> NumpyBackend:
    """The encoder in a `model.safetensors`, with as many layers as are read."""
    how = read_configuration(files)
    if how.kind not in PLACES or how.activation != "gelu":
        raise DataError(
            f"the back end numpy runs {' and '.join(PLACES)} with gelu, not {how.kind} with {how.activation}: "
            "take backend: onnx or transformers",
            files.named("config.json"),
        )
    read = tuple(sorted(set(middle(how.layers) if layers is None else layers)))
    refuse_layers(read, how.layers, files.weights)
    weights = _Weights(files.weights, how)
    words, first = read_wordpiece(files), PLACES[how.kind]
    places = weights.array("embeddings.position_embeddings.weight", how.places, how.width)[first:]
    if how.types:
        places = places + weights.array("embeddings.token_type_embeddings.weight", how.types, how.width)[0]
    embedded = weights.array("embeddings.word_embeddings.weight", how.pieces, how.width)
    if max(words.number.values(), default=-1) >= how.pieces:
        raise DataError(f"has pieces beyond the {how.pieces:,} that the weights know", words.path)
    return NumpyBackend(
        how,
        words,
        ([words.special(ENDS[how.kind][0])], [words.special(ENDS[how.kind][1])]),
        embedded,
        places,
        weights.norm("embeddings.LayerNorm"),
        tuple(weights.layer(number) for number in range(max(read))),
        weights.array("encoder.relative_attention_bias.weight", how.buckets, how.heads)
        if how.kind == "mpnet"
        else None,
        read,
    )


class _Weights:
    """The arrays of a file by the names that BERT and MPNet give them, with whatever stands before these names."""

    def __init__(self, path: str, how: Configuration) -> None:
        self.file, self.how = Safetensors(path), how
        there = [prefix for prefix in PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in self.file.tensors]
        self.prefix = there[0] if there else ""

    def array(self, name: str, *shape: int) -> Singles:
        return self.file.singles(self.prefix + name, shape)

    def affine(self, name: str, rows: int, columns: int) -> Affine:
        weights = self.array(f"{name}.weight", columns, rows)
        return Affine(np.ascontiguousarray(weights.T), self.array(f"{name}.bias", columns))

    def norm(self, name: str) -> Norm:
        width = self.how.width
        return Norm(
            self.array(f"{name}.weight", width), self.array(f"{name}.bias", width), np.float32(self.how.epsilon)
        )

    def layer(self, number: int) -> Layer:
        at, width, wide = f"encoder.layer.{number}", self.how.width, self.how.wide
        if self.how.kind == "mpnet":
            parts, out, norm = [f"attention.attn.{one}" for one in "qkv"], "attention.attn.o", "attention.LayerNorm"
        else:
            parts = [f"attention.self.{one}" for one in ("query", "key", "value")]
            out, norm = "attention.output.dense", "attention.output.LayerNorm"
        three = [self.affine(f"{at}.{part}", width, width) for part in parts]
        return Layer(
            self.how.heads,
            Affine(np.concatenate([one.weights for one in three], axis=1), np.concatenate([one.bias for one in three])),
            self.affine(f"{at}.{out}", width, width),
            self.norm(f"{at}.{norm}"),
            self.affine(f"{at}.intermediate.dense", width, wide),
            self.affine(f"{at}.output.dense", wide, width),
            self.norm(f"{at}.output.LayerNorm"),
        )
