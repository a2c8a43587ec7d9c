"""The contract of a method, which is a function that the registry names."""

from typing import Any, Protocol

import numpy as np

from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run


class Method(Protocol):
    """Learns a model from inputs; `params` are of the class that the registry has for the method."""

    def __call__(self, inputs: Inputs, params: Any, rng: np.random.Generator, run: Run, /) -> Model: ...
