"""Arrays in a safetensors file, read without trusting it: a length, a head in JSON, and numbers.

Arrays are views of the mapped file, so reading one of many touches no other. Nothing is unpickled or evaluated.
"""

import os
from dataclasses import dataclass
from io import BytesIO
from math import prod

import numpy as np

from sstag.foundation.arrays import Array, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors
from sstag.foundation.json_values import json_value

LONGEST_HEAD = 32 * 2**20
LENGTH = 8  # bytes of the length of the head
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "U8": "|u1", "I8": "|i1"}


@dataclass(frozen=True)
class Tensor:
    """Where an array stands in the file."""

    kind: str  # a key of `TYPES`
    shape: tuple[int, ...]
    begin: int
    end: int


class Safetensors:
    """The arrays in a file, or in its content if that is at hand, by their names."""

    def __init__(self, path: str, content: Array | None = None) -> None:
        self.path = path
        with translated_errors(path), open(path, "rb") if content is None else BytesIO(content.data) as file:
            size = os.fstat(file.fileno()).st_size if content is None else content.nbytes
            length = int.from_bytes(file.read(LENGTH), "little")
            if size < LENGTH or not 2 <= length <= min(LONGEST_HEAD, size - LENGTH):
                raise DataError("no safetensors file: its head does not fit into it", path)
            head = file.read(length)
        try:
            said = json_value(head)
        except ValueError as error:
            raise DataError("no safetensors file: its head is no JSON", path) from error
        first = LENGTH + length
        self.tensors = {
            name: self._tensor(name, entry, size - first)
            for name, entry in (said.items() if isinstance(said, dict) else ())
            if name != "__metadata__"
        }
        if content is None:
            self._bytes: Array = np.memmap(path, np.uint8, "r", first) if size > first else np.zeros(0, np.uint8)
        else:
            self._bytes = content[first:]

    def _tensor(self, name: str, entry: object, size: int) -> Tensor:
        """An entry of the head, whose numbers must fill the bytes that it names."""
        fields = entry if isinstance(entry, dict) else {}
        kind, shape, bounds = (fields.get(key) for key in ("dtype", "shape", "data_offsets"))
        whole = [
            type(part) is list and all(type(one) is int and 0 <= one < 2**50 for one in part)
            for part in (shape, bounds)
        ]
        if not (all(whole) and isinstance(shape, list) and isinstance(bounds, list) and len(bounds) == 2):
            raise DataError(f"damaged: where '{name}' stands is not said", self.path)
        if not isinstance(kind, str):
            raise DataError(f"damaged: the type of '{name}' is not said", self.path)
        if len(shape) > 8 or not 0 <= bounds[0] <= bounds[1] <= size:
            raise DataError(f"damaged: '{name}' does not fit into the file", self.path)
        if kind in TYPES and prod(shape) * np.dtype(TYPES[kind]).itemsize != bounds[1] - bounds[0]:
            raise DataError(f"damaged: '{name}' has another size than its shape", self.path)
        return Tensor(kind, tuple(shape), bounds[0], bounds[1])

    def array(self, name: str) -> Array:
        """The array of this name as it stands in the file; one in bfloat16, which NumPy has not, in float32."""
        if name not in self.tensors:
            raise DataError(f"there is no array '{name}' in it", self.path)
        found = self.tensors[name]
        if found.kind not in TYPES:
            raise DataError(f"'{name}' has numbers of type {found.kind} (known: {', '.join(TYPES)})", self.path)
        numbers = (
            np.frombuffer(self._bytes, np.uint8, found.end - found.begin, found.begin) if prod(found.shape) else b""
        )
        array = np.frombuffer(numbers, TYPES[found.kind]).reshape(found.shape)
        return (array.astype(np.uint32) << 16).view(np.float32) if found.kind == "BF16" else array

    def singles(self, name: str, shape: tuple[int, ...]) -> Singles:
        """The numbers of an array that must have this shape, in single precision."""
        array = self.array(name)
        if array.shape != shape or array.dtype.kind != "f":
            raise DataError(
                f"'{name}' has the shape {array.shape}, and should have numbers of shape {shape}", self.path
            )
        return np.ascontiguousarray(array, np.float32)


def tensors(path: str) -> dict[str, Array]:
    """The arrays of a file by name, which stay in it until they are looked at; those of unknown types are left out."""
    file = Safetensors(path)
    return {name: file.array(name) for name, one in file.tensors.items() if one.kind in TYPES}
