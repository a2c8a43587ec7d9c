"""Encoders: networks that give each word of a sentence a vector, read from a folder; their last blocks can be trained.

`BACKENDS` is plain data, so that listing the programs that can run an encoder imports none of them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    from sstag.features.encoders.contract import MakesBackend


@dataclass(frozen=True)
class BackendEntry:
    """A program that runs encoders: where it is, a line of help, and the names of the packages that it needs."""

    where: "Where[MakesBackend]"
    help: str
    packages: tuple[str, ...] = ()


BACKENDS = {
    "onnx": BackendEntry(
        Where("sstag.features.encoders.with_onnx:backend"),
        "any encoder as ONNX, with its tokenizer.json",
        ("onnxruntime", "tokenizers"),
    ),
    "numpy": BackendEntry(
        Where("sstag.features.encoders.with_numpy:backend"),
        "BERT, MiniLM and MPNet from safetensors, with nothing besides NumPy",
    ),
    "transformers": BackendEntry(
        Where("sstag.features.encoders.with_transformers:backend"),
        "any encoder that transformers knows, from safetensors",
        ("torch", "transformers", "tokenizers"),
    ),
}
