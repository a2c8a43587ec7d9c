"""BERT, MiniLM and MPNet in NumPy (Devlin et al. 2019; Wang et al. 2020; Song et al. 2020), as far as a layer is read.

    x⁰ = norm(E_piece + E_place [+ E_type])        xⁿ⁺¹: `layers.py`

A window's numbers do not depend on those it is computed with: all have one length, so that nothing is padded, and every
window is multiplied by itself, because BLAS adds up the last rows of a matrix in another order than those before.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from sstag.features.encoders.configuration import Configuration, read_configuration, refuse_layers
from sstag.features.encoders.contract import Blocks, Changed, Files, middle
from sstag.features.encoders.layers import Affine, Layer, Norm
from sstag.features.encoders.wordpiece import WordPiece, read_wordpiece
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.safetensors import Safetensors

PLACES = {"bert": 0, "mpnet": 2}  # the row of the first place: MPNet counts from after its padding
ENDS = {"bert": ("[CLS]", "[SEP]"), "mpnet": ("<s>", "</s>")}
PARTS = {  # of a block, as files name them
    "bert": (
        *(f"attention.self.{part}" for part in ("query", "key", "value")),
        "attention.output.dense", "attention.output.LayerNorm",
    ),
    "mpnet": (*(f"attention.attn.{part}" for part in "qkvo"), "attention.LayerNorm"),
}  # fmt: skip
OTHERS = ("intermediate.dense", "output.dense", "output.LayerNorm")
FARTHEST = 128  # pieces away from which MPNet tells distances apart no more
PREFIXES = ("", "bert.", "mpnet.", "model.")  # of the names in files of a model with a task


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
        bias = self.bias(length)
        total = x.copy() if 0 in self.read else np.zeros_like(x)
        for number, layer in enumerate(self.layers, start=1):
            x = layer(x, bias)
            if number in self.read:
                total += x
        total /= np.float32(len(self.read))
        return total

    def bias(self, length: int) -> Singles | None:
        """The numbers that are added to the attention of each head, by the distance of pieces."""  # (H, P, P)
        if self.distances is None:
            return None
        found: Singles = self.distances[buckets(length, len(self.distances))].transpose(2, 0, 1)
        return found

    def blocks(self, count: int) -> Blocks:
        """The last blocks that are run, with weights of their own."""
        from sstag.features.encoders.numpy_blocks import NumpyBlocks

        if count > len(self.layers):
            raise ConfigError(f"train: {counted(len(self.layers), 'block')} can be trained, not {count}")
        return NumpyBlocks(self, deepcopy(self.layers[-count:]))


def buckets(length: int, count: int) -> Longs:
    """The bucket of the distance from each place to each: near ones have their own, far ones share."""  # (P, P)
    away = np.arange(length)[:, None] - np.arange(length)
    half = count // 2
    near = half // 2
    far = near + np.log(np.maximum(np.abs(away), 1) / near) / np.log(FARTHEST / near) * (half - near)
    found = np.where(np.abs(away) < near, np.abs(away), np.minimum(far.astype(np.int64), half - 1))
    result: Longs = found + half * (away < 0)
    return result


def backend(files: Files, layers: Sequence[int] | None, changed: Changed) -> NumpyBackend:
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
    weights = _Weights(files.weights, how, changed)
    words, first = read_wordpiece(files), PLACES[how.kind]
    places = weights.array("embeddings.position_embeddings.weight", how.places, how.width)[first:]
    if how.types:
        places = places + weights.array("embeddings.token_type_embeddings.weight", how.types, how.width)[0]
    embedded = weights.array("embeddings.word_embeddings.weight", how.pieces, how.width)
    if max(words.number.values(), default=-1) >= how.pieces:
        raise DataError(f"has pieces beyond the {how.pieces:,} that the weights know", words.path)
    layers_run = tuple(weights.layer(number) for number in range(max(read)))
    if weights.changed:
        raise DataError(f"'{min(weights.changed)}' was trained, and there is no such array in it", files.weights)
    return NumpyBackend(
        how,
        words,
        ([words.special(ENDS[how.kind][0])], [words.special(ENDS[how.kind][1])]),
        embedded,
        places,
        weights.norm("embeddings.LayerNorm"),
        layers_run,
        weights.array("encoder.relative_attention_bias.weight", how.buckets, how.heads)
        if how.kind == "mpnet"
        else None,
        read,
    )


class _Weights:
    """The arrays of a file by the names that BERT and MPNet give them, with whatever stands before these names."""

    def __init__(self, path: str, how: Configuration, changed: Changed) -> None:
        self.file, self.how, self.changed = Safetensors(path), how, dict(changed)
        there = [prefix for prefix in PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in self.file.tensors]
        self.prefix = there[0] if there else ""

    def array(self, name: str, *shape: int) -> Singles:
        own = self.file.singles(self.prefix + name, shape)
        changed = self.changed.pop(name, own)
        if changed.shape != shape:
            raise DataError(f"'{name}' was trained with the shape {changed.shape}, and has {shape}", self.file.path)
        return changed

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
        *parts, out, norm = PARTS[self.how.kind]
        three = [self.affine(f"{at}.{part}", width, width) for part in parts]
        return Layer(
            self.how.heads,
            Affine(np.concatenate([one.weights for one in three], axis=1), np.concatenate([one.bias for one in three])),
            self.affine(f"{at}.{out}", width, width),
            self.norm(f"{at}.{norm}"),
            self.affine(f"{at}.{OTHERS[0]}", width, wide),
            self.affine(f"{at}.{OTHERS[1]}", wide, width),
            self.norm(f"{at}.{OTHERS[2]}"),
        )
