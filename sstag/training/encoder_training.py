"""The last blocks of an encoder, trained together with the tagger that sees their vectors, from its optimum.

    maximise J(θ, φ)          θ: weights of the tagger, φ: weights of the blocks

J is what the method maximises, whatever its objectives are. In turn, φ takes steps along ∂J/∂φ for some sentences at a
time (Adam, Kingma and Ba 2015; the steps grow over the first tenth of the way and shrink after it), and after each pass
over the text θ climbs on. Then φ is rounded as a model keeps it, and the method finds its θ for the vectors that these
blocks give: as exactly as for any vectors. What depends on the machine is φ alone.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.features.encoders.contract import Blocks, Learns
from sstag.features.encoders.learning import LearningVectors
from sstag.features.encoders.token_vectors import EncoderVectors, column_of
from sstag.features.encoders.trained_weights import TrainedWeights, trained_weights
from sstag.foundation.arrays import Halves, Singles
from sstag.foundation.errors import ConfigError, Interrupted
from sstag.model.weight_map import weight_map
from sstag.training.climb import Climb, climbed
from sstag.training.inputs import Progress, Run
from sstag.training.vector_slopes import Chunk, VectorSlopes, with_tables

GROWING = 0.1  # of the way
FIRST, SECOND, LEAST = 0.9, 0.999, 1e-8  # of Adam
RAW = 2  # tokens of raw text for each labelled one, at most, that a pass looks at
SOME = 8  # sentences encoded together


@dataclass(frozen=True)
class Learning:
    """How blocks are trained."""

    rate: float = 1e-4
    passes: int = 10
    iterations: int = 10  # of the tagger after each pass
    tokens: int = 200  # of a step, about


class Adam:
    """Steps of single numbers, whose lengths depend on how steady their slopes are."""

    def __init__(self, arrays: Sequence[Singles]) -> None:
        self.arrays, self.taken = arrays, 0
        self._means = [np.zeros_like(array) for array in arrays]
        self._squares = [np.zeros_like(array) for array in arrays]

    def climb(self, slopes: Sequence[Singles], rate: float) -> None:
        """One step up."""
        self.taken += 1
        own = np.float32(rate * (1 - SECOND**self.taken) ** 0.5 / (1 - FIRST**self.taken))
        for array, slope, mean, square in zip(self.arrays, slopes, self._means, self._squares, strict=True):
            mean += (slope - mean) * np.float32(1 - FIRST)
            square += (slope * slope - square) * np.float32(1 - SECOND)
            step = np.sqrt(square)
            step += np.float32(LEAST)
            np.divide(mean, step, out=step)
            step *= own
            array += step


@dataclass(frozen=True, eq=False)
class _Texts:
    """The texts whose vectors change, and these vectors, text by text."""

    vectors: Sequence[LearningVectors]
    tables: Sequence[Halves]

    def encode(self, number: int, sentences: Sequence[int]) -> None:
        """Puts the vectors of some sentences of a text into its table."""
        own = self.vectors[number]
        for begin in range(0, len(sentences), SOME):
            some = sentences[begin : begin + SOME]
            self.tables[number][own.rows(some)] = own.way(some).vectors

    def slopes(self, chunk: Chunk, objectives: VectorSlopes) -> tuple[float, list[Singles]]:
        """The part of some sentences in the objectives, and its slopes in the weights of the blocks."""
        ways = {}
        for number, rows in chunk.rows.items():
            own = self.vectors[number]
            ends = own.corpus.offsets[1:]
            sentences = np.unique(np.searchsorted(ends, rows, side="right")).tolist()
            way, every = own.way(sentences), own.rows(sentences)
            self.tables[number][every] = way.vectors
            ways[number] = way, every
        value, found = objectives.at(chunk)
        sums: list[Singles] = []
        for number, (rows, d) in found.items():
            way, every = ways[number]
            whole = np.zeros((len(every), d.shape[1]), np.float32)
            whole[np.searchsorted(every, rows)] = d
            slopes = self.vectors[number].slopes(way, whole)
            sums = [a + b for a, b in zip(sums, slopes, strict=True)] if sums else [*slopes]
        return value, sums


def blocks_of(encoder: EncoderVectors, name: str, count: int) -> Blocks:
    """The last blocks of an encoder, to be trained; an error if they cannot be."""
    backend = encoder.encoder.loaded
    if not isinstance(backend, Learns):
        raise ConfigError(f"train: the back end of {name} trains nothing: backend: numpy or transformers")
    return backend.blocks(count)


def trained_blocks(climb: Climb, name: str, blocks: Blocks, how: Learning, run: Run) -> TrainedWeights | None:
    """The weights of the last blocks of an encoder after some passes; None if it was stopped before they ended."""
    encoder, made = climb.inputs.template.encoders[name], climb.compiled
    assert isinstance(encoder, EncoderVectors)
    settings, backend = encoder.encoder.settings, encoder.encoder.loaded
    place = next(i for i, one in enumerate(made.template.dense) if one.source is None and one.table == name)
    texts = ((climb.inputs.labelled, made.labelled), (climb.inputs.unlabelled, made.unlabelled))
    here = [(corpus, data.dense[place].numbers) for corpus, data in texts if corpus and data]
    changing: dict[int, Halves] = {id(numbers): np.array(numbers, np.float16) for _, numbers in here}
    together = _Texts(
        [LearningVectors(corpus, column_of(settings, corpus), backend, settings.reading, blocks) for corpus, _ in here],
        [changing[id(numbers)] for _, numbers in here],
    )
    parts = [with_tables(part, changing) for part in climb.parts]
    objectives = VectorSlopes(weight_map(made), parts, together.tables)
    raw = int(made.labelled is not None and made.unlabelled is not None)  # the number of the raw text, if there are two
    chunks = objectives.chunks(how.tokens)
    labelled = [chunk for chunk in chunks if not (raw and raw in chunk.rows)]
    others = [chunk for chunk in chunks if raw and raw in chunk.rows]
    some = min(len(others), RAW * len(labelled))
    weight = {id(chunk): len(others) / some for chunk in others}  # of raw text: some stand for all
    adam, rng, theta = Adam(blocks.arrays), np.random.default_rng(climb.inputs.seed), climb.theta
    to_optimum = replace(climb.params, max_iterations=how.iterations)
    quiet = Run(run.over, stop=run.stop)
    began, steps = time.monotonic(), how.passes * (len(labelled) + some)
    for number in range(how.passes):
        if number:
            together.encode(0, range(together.vectors[0].corpus.sentences))
            try:
                theta = climbed(replace(climb.inputs, development=None), made, parts, to_optimum, quiet, theta).theta
            except Interrupted:
                return None
        objectives.take(theta, run.over)
        total = 0.0
        order = [*labelled, *(others[i] for i in rng.permutation(len(others))[:some].tolist())]
        for chunk in (order[i] for i in rng.permutation(len(order)).tolist()):
            if run.stop():
                return None
            share = adam.taken / steps
            value, slopes = together.slopes(chunk, objectives)
            slopes = [np.float32(weight.get(id(chunk), 1.0)) * slope for slope in slopes]
            adam.climb(slopes, how.rate * min((share + 1 / steps) / GROWING, (1 - share) / (1 - GROWING)))
            total += value
            phase = f"{name}, pass {number + 1} of {how.passes}"
            run.tell(Progress(adam.taken, total, None, time.monotonic() - began, None, phase))
    return trained_weights(blocks.named)
