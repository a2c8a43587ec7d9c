"""Encoders by onnxruntime, and words by the package tokenizers, beside NumPy and our own WordPiece."""

import json
import os
import resource
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from sstag.corpus.corpus import corpus_of
from sstag.features.encoders.contract import Files
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.fast_tokenizer import read_tokenizer
from sstag.features.encoders.settings import Reading, Settings
from sstag.features.encoders.wordpiece import read_wordpiece
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.interfaces import python as sstag
from tests.encoder_models import PIECES, tokenizer

REAL = os.environ.get("SSTAG_TEST_ENCODERS")  # a folder with encoders: NAME in safetensors, NAME-onnx with all layers
EMBEDDED = np.random.default_rng(1).normal(size=(len(PIECES), 4)).astype(np.float32)
LAYERS = ("hidden_states.0", "hidden_states.1", "hidden_states.2")


def graph(path: Path, outputs: tuple[str, ...], more: tuple[str, ...] = ("attention_mask",)) -> None:
    """Writes a network of two layers: the mean of a window is added to each piece, and all is doubled."""

    def shaped(name: str, kind: int, *shape: object) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    last = outputs[-1] if outputs[-1] not in LAYERS else LAYERS[2]
    nodes = [
        helper.make_node("Gather", ["embedded", "input_ids"], [LAYERS[0]]),
        helper.make_node("ReduceMean", [LAYERS[0]], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Add", [LAYERS[0], "mean"], [LAYERS[1]]),
        helper.make_node("Add", [LAYERS[1], LAYERS[1]], [last]),
    ]
    made = helper.make_graph(
        nodes,
        "tiny",
        [shaped(name, TensorProto.INT64, "batch", "sequence") for name in ("input_ids", *more)],
        [shaped(name, TensorProto.FLOAT, "batch", "sequence", 4) for name in outputs],
        [numpy_helper.from_array(EMBEDDED, "embedded")],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.parent.mkdir(exist_ok=True)
    onnx.save(model, path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    graph(tmp_path / "model.onnx", LAYERS)
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer()))
    return tmp_path


def states(words: list[int]) -> list[np.ndarray]:
    """The states of a window after each layer."""
    first = EMBEDDED[[2, *words, 3]]
    second = first + first.mean(axis=0)
    return [first, second, 2 * second]


def vectors(folder: Path, sentences: list[list[str]], threads: int = 1, **reading: object) -> np.ndarray:
    made = found(Settings(str(folder), reading=Reading(**reading)), ("",))
    return encoded(corpus_of(sentences, ("word",)), "word", made, None, threads)


@pytest.mark.parametrize(("layers", "means"), [(None, (1,)), ((0,), (0,)), ((0, 2), (0, 2)), ((1, 2), (1, 2))])
def test_layers_are_outputs(folder, layers, means):
    number = {piece: place for place, piece in enumerate(PIECES)}
    every = states([number["bad"], number["a"], number["##ed"]])
    want = np.mean([every[layer] for layer in means], axis=0)
    got = vectors(folder, [["Bad", "aed"]], layers=layers)
    np.testing.assert_allclose(got, [want[1], want[2:4].mean(axis=0)], atol=2e-3)


def test_a_file_with_its_last_layer_alone(folder):
    graph(folder / "model.onnx", ("last_hidden_state",), ("attention_mask", "token_type_ids"))
    np.testing.assert_allclose(vectors(folder, [["bad"]])[0], states([22])[2][1], atol=2e-3)
    with pytest.raises(ConfigError, match="it has its last layer alone"):
        vectors(folder, [["bad"]], layers=(1,))


def test_layers_that_there_are_not(folder):
    with pytest.raises(ConfigError, match=r"0 \(before the first\) to 2, not \[3\]"):
        vectors(folder, [["bad"]], layers=(3,))


def test_threads_and_neighbours_change_no_bit(folder):
    sentences = [["a"] * size for size in range(1, 40)] + [["bad", "b"]]
    whole = vectors(folder, sentences)
    assert vectors(folder, sentences, threads=3).tobytes() == whole.tobytes()
    assert vectors(folder, sentences[-1:]).tobytes() == whole[-2:].tobytes()


def test_files_that_cannot_be_run(folder):
    graph(folder / "model.onnx", LAYERS, ("pixels",))
    with pytest.raises(DataError, match="takes input_ids, pixels: an encoder of text takes"):
        vectors(folder, [["bad"]])
    (folder / "model.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="onnxruntime cannot read it"):
        vectors(folder, [["bad"]])
    graph(folder / "model.onnx", LAYERS)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match="the package tokenizers cannot read it"):
        vectors(folder, [["bad"]])
    (folder / "tokenizer.json").unlink()
    with pytest.raises(DataError, match=r"no tokenizer.json beside it"):
        vectors(folder, [["bad"]])


def test_a_tagger_learns_from_it(folder, monkeypatch):
    monkeypatch.setenv("SSTAG_CACHE", str(folder / "cache"))
    (folder / "train.txt").write_text("a X\nbad Y\n\nbad Y\nb X\n\nbad Y\n\na X\n\n" * 5)
    (folder / "t.yaml").write_text(
        "columns: [word, label]\nencoders: {tiny: {model: model.onnx}}\nfeatures: ['encoded(tiny[0])']\n"
    )
    made = sstag.train(folder / "t.yaml", folder / "train.txt")
    assert sstag.tag(made, [["bad", "b"]]) == [["Y", "X"]]


# ------------------------------------------------------------------ the pieces of words


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory):
    """The package's tokenizer and our own, of one file."""
    path = tmp_path_factory.mktemp("words") / "tokenizer.json"
    path.write_text(json.dumps(tokenizer()))
    files = Files("", (str(path),))
    return read_tokenizer(files), read_wordpiece(files)


# The tables of the package are those of an older Unicode, in which some later letters are none.
COMMON = st.characters(max_codepoint=0x5FF, exclude_categories=["Cn", "Cs"])
LETTERS = st.sampled_from([*"abcdefghABCÄäéß,.-$`北İΣς", "\u0301", "\u200b", "\u00a0", "\ufffd", "\t", "[", "]", "ed"])


@settings(max_examples=500, deadline=None)
@given(word=st.one_of(st.lists(LETTERS, min_size=1, max_size=12).map("".join), st.text(COMMON, min_size=1, max_size=6)))
@example(word="[SEP]")
@example(word="a" * 101)
@example(word="İstanbul")
def test_our_pieces_are_those_of_the_package(both, word):
    package, own = both
    assert package.pieces(word) == own.pieces(word)


def test_what_stands_around_a_sentence(both):
    package, _ = both
    assert package.ends == ([2], [3])


# ------------------------------------------------------------------ real encoders


@pytest.mark.skipif(not REAL, reason="SSTAG_TEST_ENCODERS names no folder")
def test_real_encoders_agree():
    sentences = [
        ["EU", "rejects", "German", "call", "to", "boycott", "British", "lamb", "."],
        ["Zürich-West", "12,500"] * 60,
    ]
    pairs = [path for path in Path(REAL or "").iterdir() if (path.parent / f"{path.name}-onnx").is_dir()]
    assert pairs
    for path in pairs:
        own = vectors(path, sentences, window=64).astype(np.float32)
        other = vectors(path.parent / f"{path.name}-onnx", sentences, window=64).astype(np.float32)
        np.testing.assert_allclose(own, other, atol=4e-3)


def outcome_of_child(function: Callable[[], object]) -> str:
    """The end of a function in a process of its own, with 8 GB of addresses and 20 seconds."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = 0
        try:
            function()
        except (SstagError, MemoryError):
            pass
        except BaseException:
            code = 1
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "whole or refused", 1: "traceback"}.get(code, f"signal {-code}")


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes changed, taken out, put in, or moved."""
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        at, width = int(rng.integers(len(changed))), int(rng.integers(1, 9))
        piece = rng.integers(0, 256, width, np.uint8).tobytes()
        match int(rng.integers(5)):
            case 0:
                changed[at : at + width] = piece
            case 1:
                del changed[at : at + width]
            case 2:
                changed[at:at] = piece
            case 3:
                changed[at] ^= 1 << int(rng.integers(8))
            case _:
                other = int(rng.integers(len(changed)))
                changed[at : at + width] = changed[other : other + width]
    return bytes(changed)


@pytest.mark.parametrize("part", range(4))
def test_a_network_that_is_nearly_one_is_read_or_refused(folder, part):
    """onnxruntime is loaded before the first child, and the children are many: 4 times SSTAG_MUTATIONS."""
    whole = (folder / "model.onnx").read_bytes()
    vectors(folder, [["bad"]])
    ends = Counter(
        outcome_of_child(lambda: vectors(folder, [["bad", "aed"], ["a"]]))
        for number in range(int(os.environ.get("SSTAG_MUTATIONS", "100")))
        if (folder / "model.onnx").write_bytes(mutated(whole, np.random.default_rng([part, number])))
    )
    print(dict(ends))
    assert set(ends) == {"whole or refused"}
