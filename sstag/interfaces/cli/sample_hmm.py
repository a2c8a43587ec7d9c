"""The matrices that `sstag sample hmm` is asked for, and the sequences that they make."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from sstag.experiments.samples import hmm
from sstag.foundation.files import output
from sstag.model.model_file import save

if TYPE_CHECKING:
    import numpy as np

SIZES = ("labels", "symbols", "concentration")


@dataclass(frozen=True, eq=False)
class Source:
    """An HMM and the length of its sequences."""

    matrices: hmm.Matrices
    length: int

    @property
    def sentences(self) -> "Callable[[int, np.random.Generator], Iterator[list[tuple[str, str]]]]":
        return partial(hmm.sentences, self.matrices, self.length)

    def write(self, matrices: str, model: str) -> str:
        """Writes the matrices and the model; what is to be said of them."""
        with output(matrices) as file:
            file.write(hmm.written(self.matrices))
        save(hmm.model(self.matrices), model)
        found = hmm.errors(self.matrices, self.length)
        said = "too many sequences to add up their error"
        if found:
            said = f"Bayes error {100 * found.least:.2f} % of tokens, of best paths {100 * found.of_best_paths:.2f} %"
        return f"{model}: {len(self.matrices.labels)} labels, {len(self.matrices.symbols)} symbols; {said}"


def source(given: Mapping[str, Any], rng: "np.random.Generator") -> Source:
    """The HMM that the options ask for."""
    length = hmm.LENGTH if given["length"] is None else given["length"]
    sizes = {name: given[name] for name in SIZES if given[name] is not None}
    if given["matrices"]:
        if sizes or given["error"]:
            raise click.UsageError("--matrices says it all: sizes, concentration and error are for random ones")
        return Source(hmm.read(given["matrices"]), length)
    draw = partial(hmm.drawn, rng, **sizes)
    if not given["error"]:
        return Source(draw(), length)
    least, most = sorted(given["error"])
    return Source(hmm.drawn_with_error(draw, length, least / 100, most / 100), length)
