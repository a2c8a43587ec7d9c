"""Encoders by transformers and torch, from safetensors alone; code that comes with a model is never run.

Each product has one thread, as everything in this process that torch computes from then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import dirname
from typing import TYPE_CHECKING

import numpy as np

from sstag.features.encoders.configuration import places_said, refuse_layers
from sstag.features.encoders.contract import Blocks, Changed, Files, middle
from sstag.features.encoders.fast_tokenizer import FastTokenizer, read_tokenizer
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import DataError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class TorchBackend:
    """A model of transformers, and the layers to take the mean of."""

    model: "PreTrainedModel"
    words: FastTokenizer
    read: tuple[int, ...]
    longest: int
    width: int

    @property
    def ends(self) -> tuple[Sequence[int], Sequence[int]]:
        return self.words.ends

    @property
    def has_threads(self) -> bool:
        return False

    def pieces(self, word: str) -> list[int]:
        return self.words.pieces(word)

    def states(self, pieces: Longs) -> Singles:
        import torch

        with torch.inference_mode():
            ids = torch.from_numpy(pieces)
            states = self.model(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            ).hidden_states
            total: Singles = sum(states[number] for number in self.read).numpy() / np.float32(len(self.read))
        return total

    def blocks(self, count: int) -> Blocks:
        """The last blocks that are read, with weights of their own."""
        from sstag.features.encoders.torch_blocks import torch_blocks

        return torch_blocks(self.model, self.read, count)


def backend(files: Files, layers: Sequence[int] | None, changed: Changed) -> TorchBackend:
    """The encoder in a folder with a `model.safetensors` or parts of one."""
    import torch
    from transformers import AutoModel

    torch.set_num_threads(1)
    try:
        model = AutoModel.from_pretrained(
            dirname(files.weights),
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
        )
    except Exception as error:  # whatever a folder may lack, in classes of many packages
        raise DataError(f"transformers cannot read it: {str(error).splitlines()[0]}", files.weights) from error
    model.eval()
    own = model.state_dict()
    for name, array in changed.items():
        if name not in own or tuple(own[name].shape) != array.shape:
            raise DataError(f"there is no '{name}' of the shape {array.shape} in it, which was trained", files.weights)
        own[name].copy_(torch.from_numpy(array))
    there = int(model.config.num_hidden_layers)
    read = tuple(sorted(set(middle(there) if layers is None else layers)))
    refuse_layers(read, there, files.weights)
    return TorchBackend(model, read_tokenizer(files), read, places_said(files), int(model.config.hidden_size))
