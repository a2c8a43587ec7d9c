"""The last blocks of an encoder of transformers, whose weights can change: torch finds the slopes."""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sstag.features.encoders.contract import Changed
from sstag.foundation.arrays import Singles
from sstag.foundation.errors import ConfigError, counted

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

BLOCK = re.compile(r"(?:^|\.)(?:layers?|h)\.(\d+)\.")  # before the weights of a block, by its number


@dataclass(frozen=True)
class TorchBlocks:
    """The last blocks of an encoder; what comes below them is computed whenever it is asked for."""

    model: "PreTrainedModel"
    read: tuple[int, ...]
    parameters: "dict[str, torch.nn.Parameter]"  # of the blocks, by their names in files

    @property
    def arrays(self) -> list[Singles]:
        return [*self.named.values()]

    @property
    def named(self) -> Changed:
        """Views: what is changed there is changed in the model."""
        return {name: parameter.detach().numpy() for name, parameter in self.parameters.items()}

    def below(self, windows: Sequence[Sequence[int]]) -> Singles:
        return np.array([[piece] for window in windows for piece in window], np.float32)  # exact below 2²⁴

    def up(self, below: Singles, windows: Sequence[Sequence[int]]) -> tuple[Singles, object]:
        import torch

        found = []
        with torch.enable_grad():
            for window in windows:
                ids = torch.tensor([[*window]])
                states = self.model(
                    input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
                ).hidden_states
                found.append(torch.stack([states[number][0] for number in self.read]).mean(dim=0))
            together = torch.cat(found)
        return together.detach().numpy(), together

    def down(self, way: object, d: Singles) -> list[Singles]:
        import torch

        assert isinstance(way, torch.Tensor)
        own = [*self.parameters.values()]
        slopes = torch.autograd.grad(way, own, torch.from_numpy(np.ascontiguousarray(d)), materialize_grads=True)
        return [slope.numpy() for slope in slopes]


def torch_blocks(model: "PreTrainedModel", read: tuple[int, ...], count: int) -> TorchBlocks:
    """The last blocks that are read, with weights of their own."""
    own = deepcopy(model)
    blocks = {name: int(found[1]) + 1 for name, _ in own.named_parameters() if (found := BLOCK.search(name))}
    there = {number for number in blocks.values() if number <= max(read)}
    if count > len(there):
        raise ConfigError(f"train: {counted(len(there), 'block')} can be trained, not {count}")
    last = {name for name, number in blocks.items() if max(read) - count < number <= max(read)}
    for name, parameter in own.named_parameters():
        parameter.requires_grad_(name in last)
    return TorchBlocks(own, read, {name: one for name, one in own.named_parameters() if name in last})
