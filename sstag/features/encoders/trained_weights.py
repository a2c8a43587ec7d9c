"""The weights of an encoder that a training has changed, as a model keeps them: safetensors in half precision."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from sstag.features.encoders.contract import Changed
from sstag.foundation.arrays import Array, Bytes
from sstag.foundation.errors import DataError
from sstag.foundation.safetensors import Safetensors

MOST_BYTES = 2**30
NAME = re.compile(r"[\w.]{1,200}", re.ASCII)


@dataclass(frozen=True, eq=False)
class TrainedWeights:
    """Weights in place of those in the files of an encoder; `path` is where they come from, for messages."""

    content: Bytes
    path: str = ""

    @cached_property
    def digest(self) -> str:
        return sha256(self.content.data).hexdigest()

    @cached_property
    def changed(self) -> Changed:
        """The weights by their names; a content that cannot be is an error."""
        file = Safetensors(self.path, self.content)
        if self.content.nbytes > MOST_BYTES or not file.tensors:
            raise DataError("damaged: its trained weights are none, or too many", self.path)
        found = {}
        for name, tensor in file.tensors.items():
            if not NAME.fullmatch(name) or tensor.kind != "F16":
                raise DataError("damaged: its trained weights have other names or types than sstag writes", self.path)
            array = file.array(name)
            if not np.isfinite(array).all():
                raise DataError(f"damaged: '{name}' has a number that is not finite", self.path)
            found[name] = array.astype(np.float32)
        return found


def trained_weights(named: Changed) -> TrainedWeights:
    """Weights in half precision; one that is too large for it is an error."""
    with np.errstate(over="ignore"):
        halves = {name: np.ascontiguousarray(array, np.float16) for name, array in sorted(named.items())}
    if wrong := next((name for name, array in halves.items() if not np.isfinite(array).all()), None):
        raise DataError(f"the training of '{wrong}' went astray: a weight is not finite (a lower rate may help)")
    head, place = {}, 0
    for name, array in halves.items():
        head[name] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [place, place + array.nbytes]}
        place += array.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    parts: list[Array] = [np.frombuffer(len(text).to_bytes(8, "little") + text, np.uint8)]
    parts += [array.reshape(-1).view(np.uint8) for array in halves.values()]
    return TrainedWeights(np.concatenate(parts))
