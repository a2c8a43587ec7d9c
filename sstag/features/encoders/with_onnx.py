"""Encoders as ONNX, by onnxruntime: one thread for each product, so that their number changes no bit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sstag.features.encoders.configuration import places_said, refuse_layers
from sstag.features.encoders.contract import Changed, Files, middle
from sstag.features.encoders.fast_tokenizer import FastTokenizer, read_tokenizer
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import ConfigError, DataError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

LAYER = re.compile(r".*hidden_states\D*([0-9]{1,4})")  # as exports with all hidden states name their outputs
FILLED = {"attention_mask": 1, "token_type_ids": 0}  # inputs besides the pieces
INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
ERRORS_ONLY = 3  # of onnxruntime's levels of what to print


@dataclass(frozen=True)
class OnnxBackend:
    """A session of onnxruntime, and the outputs to take the mean of."""

    session: "InferenceSession"
    words: FastTokenizer
    inputs: dict[str, str]  # their types
    outputs: tuple[str, ...]
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
        return _mean(self.session, self.inputs, self.outputs, pieces)


def backend(files: Files, layers: Sequence[int] | None, changed: Changed) -> OnnxBackend:
    """The encoder in an ONNX file."""
    if changed:
        raise ConfigError("its blocks were trained, and what is in an ONNX file cannot be changed", files.weights)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    try:
        session = onnxruntime.InferenceSession(
            files.weights,
            options,
            providers=["CPUExecutionProvider"],
            enable_fallback=0,  # of which it would tell standard output
        )
        inputs = {one.name: one.type for one in session.get_inputs()}
        there = [(one.name, one.type, len(one.shape or ())) for one in session.get_outputs()]  # decodes their names
    except Exception as error:  # its errors have no class in common
        raise DataError(f"onnxruntime cannot read it: {str(error).splitlines()[0]}", files.weights) from error
    known = ("input_ids", *FILLED)
    if "input_ids" not in inputs or not set(inputs) <= set(known) or not set(inputs.values()) <= set(INTEGERS):
        raise DataError(f"takes {', '.join(inputs)}: an encoder of text takes {', '.join(known)}", files.weights)
    outputs = _outputs(
        [name for name, kind, axes in there if kind == "tensor(float)" and axes == 3], layers, files.weights
    )
    words = read_tokenizer(files)
    try:
        tried = _mean(session, inputs, outputs, np.array([[*words.ends[0], words.unknown, *words.ends[1]]]))
    except Exception as error:
        raise DataError(f"onnxruntime cannot run it: {str(error).splitlines()[0]}", files.weights) from error
    return OnnxBackend(session, words, inputs, outputs, places_said(files), tried.shape[-1])


def _mean(session: "InferenceSession", inputs: dict[str, str], outputs: Sequence[str], pieces: Longs) -> Singles:
    """The mean of some outputs."""
    given = {
        name: np.full(pieces.shape, FILLED[name], INTEGERS[kind]) if name in FILLED else pieces.astype(INTEGERS[kind])
        for name, kind in inputs.items()
    }
    first, *others = session.run(list(outputs), given)
    total: Singles = np.array(first, np.float32)
    for one in others:
        total += one
    total /= np.float32(len(outputs))
    return total


def _outputs(vectors: Sequence[str], layers: Sequence[int] | None, path: str) -> tuple[str, ...]:
    """The outputs that are the layers to read, of those with vectors: the last one, if the file has no others."""
    if not vectors:
        raise DataError("has no output with a vector for each piece", path)
    numbered = {int(found[1]): name for name in vectors if (found := LAYER.fullmatch(name))}
    if not numbered:
        if layers is not None:
            raise ConfigError("layers: it has its last layer alone (an export with hidden states has them all)", path)
        return ("last_hidden_state",) if "last_hidden_state" in vectors else (vectors[0],)
    read = tuple(sorted(set(middle(max(numbered)) if layers is None else layers)))
    refuse_layers(read, max(numbered), path)
    if not set(read) <= set(numbered):
        raise ConfigError(f"layers: it has {', '.join(map(str, sorted(numbered)))}", path)
    return tuple(numbered[number] for number in read)
