"""Files of safetensors: the length of a description, the description in JSON, and the numbers of all tensors."""

import json
import mmap
from math import prod

import numpy as np

from sstag.foundation.arrays import Array
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors

KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "|i1", "I32": "<i4", "I64": "<i8", "BF16": "<u2"}
LONGEST = 8 * 2**20  # bytes of a description


def tensors(path: str) -> dict[str, Array]:
    """The tensors of a file by name, which stay in the file until they are looked at; other types are left out."""
    with translated_errors(path), open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= LONGEST:
            raise DataError("its description cannot be so long", path)
        text = file.read(length)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError("its description cannot be read", path) from error
    result = {}
    for name, one in said.items() if isinstance(said, dict) else ():
        if name == "__metadata__" or not isinstance(one, dict) or one.get("dtype") not in KINDS:
            continue
        shape, bounds = _counts(one.get("shape")), _counts(one.get("data_offsets"))
        if shape is None or bounds is None or len(bounds) != 2:
            raise DataError(f"its description of '{name}' cannot be", path)
        kind, begin = np.dtype(KINDS[one["dtype"]]), 8 + length + bounds[0]
        if bounds[1] - bounds[0] != prod(shape) * kind.itemsize or begin + prod(shape) * kind.itemsize > len(data):
            raise DataError(f"'{name}' is larger than the file, or of another size than it says", path)
        result[name] = _widened(np.frombuffer(data, kind, prod(shape), begin).reshape(shape), one["dtype"])
    return result


def _widened(tensor: Array, kind: str) -> Array:
    """The tensor itself; one in bfloat16, which NumPy does not know, as float32."""
    return (tensor.astype("<u4") << 16).view(np.float32) if kind == "BF16" else tensor


def _counts(said: object) -> list[int] | None:
    return said if isinstance(said, list) and all(type(one) is int and 0 <= one < 2**48 for one in said) else None
