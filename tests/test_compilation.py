"""Exact kernels find the bits of the functions they are made of; numba is loaded once on a machine."""

import os
import pkgutil
import struct
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.chain import kernels
from sstag.chain.compiler.kernel import COMPILING, Kernel
from sstag.chain.forward_backward import NO_MASK, transposed
from sstag.chain.kernels import beam, linear, paths, subspace, vectors
from sstag.model import model_file
from sstag.model.compiled import Pairs
from sstag.model.sparse_weights import PairMap
from tests.batches import Batch, batches
from tests.datasets import random_incidence
from tests.models import tiny

TEMPLATE = "columns: [word, label]\nfeatures: ['word[-1..1]', 'suffix(word[0], 1..2)']\n"


def filled(kernel: Kernel, *arguments, outputs: int) -> list[np.ndarray]:
    """The arrays that a compiled kernel writes into, after a check that plain Python writes the same ones."""
    given, empty = arguments[:-outputs], arguments[-outputs:]
    compiled, written = ([array.copy() for array in empty] for _ in range(2))
    with np.errstate(all="ignore"):
        assert kernel(*given, *compiled) == kernel.function(*given, *written)
    assert [array.tobytes() for array in compiled] == [array.tobytes() for array in written]
    return compiled


@settings(max_examples=200)
@given(batches(max_labels=9), st.booleans())
def test_best_paths_are_the_same_to_the_bit(batch: Batch, without_path: bool) -> None:
    pot, mask = batch.potentials, NO_MASK if batch.allowed is None else batch.allowed
    if without_path:
        pot.unary[-1] = -np.inf
    places = (pot.edge_index, pot.offsets)
    best = np.zeros_like(pot.unary)
    (best,) = filled(paths.best_suffixes, pot.unary, mask, transposed(pot.edge), *places, best, outputs=1)
    y, scores = np.zeros(len(best), np.int32), np.zeros(len(pot.offsets) - 1)
    filled(paths.viterbi, pot.edge, *places, best, y, scores, outputs=2)


@settings(max_examples=200)
@given(st.integers(1, 12), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_scores_are_the_same_to_the_bit(labels: int, weighed: bool, ties: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = [np.flatnonzero(rng.random(labels) < rng.random()) for _ in range(8)]
    pairs = Pairs(np.cumsum([0, *map(len, some)]), np.concatenate(some).astype(np.int32))
    theta = rng.normal(size=len(pairs.labels)) * 10.0 ** rng.integers(-320, 300, len(pairs.labels))
    if ties:
        theta = rng.choice([-0.0, 0.0, -1.0, 1.0, 1e308], len(theta))  # the last one with itself is ∞
    at = random_incidence(rng, 5, len(some), 9, weighed)
    values = np.zeros(0) if at.values is None else at.values
    how = PairMap(pairs, labels)
    lists = (pairs.indptr, how.row_of, at.indptr, at.indices)
    row_first, pair_first = filled(linear.count_entries, *lists, *np.zeros((2, 6), np.int64), outputs=2)
    made = how.entries(at)
    assert (made.row_first.tolist(), made.pair_first.tolist()) == (row_first.tolist(), pair_first.tolist())
    empty = (made.rows, made.row_values, made.pairs, made.labels, made.pair_values)
    lists = (pairs.indptr, pairs.labels, how.row_of, at.indptr, at.indices, values)
    filled(linear.list_entries, *lists, *map(np.zeros_like, empty), outputs=5)
    scores = rng.normal(size=(5, labels))
    filled(linear.add_scores, theta, how.rows(theta), *made, scores, outputs=1)


@settings(max_examples=100)
@given(batches(max_labels=5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_best_labellings_under_rules_are_the_same_to_the_bit(batch: Batch, k: int, seed: int) -> None:
    rng, pot = np.random.default_rng(seed), batch.potentials
    tokens, labels = pot.unary.shape
    mask = NO_MASK if batch.allowed is None else batch.allowed
    places = (pot.edge_index, pot.offsets)
    nodes, steps, again, missing = (rng.uniform(size=shape) for shape in (pot.unary.shape, tokens, labels, 2))
    (ahead,) = filled(
        beam.best_completions, pot.unary, mask, pot.edge, *places, nodes, steps, np.zeros_like(nodes), outputs=1
    )
    bits = 1 << rng.integers(0, 3, labels)
    beams = (np.zeros((2, k)), np.zeros((2, k)), np.zeros((2, k), np.int64), np.zeros((2, k), np.int64))
    back = (np.zeros((tokens, k), np.int32), np.zeros((tokens, k), np.int32), np.zeros((k, tokens), np.int32))
    sentences = len(pot.offsets) - 1
    rules = (nodes, steps, bits, again, np.array([1, 6]), missing)
    found = (np.zeros((k, sentences)), np.zeros(sentences, np.int64))
    filled(beam.beam, pot.unary, pot.edge, *places, *rules, ahead, *beams, *back, *found, outputs=9)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_vectors_of_words_are_the_same_to_the_bit(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, size + 1, 9)
    columns = np.concatenate([np.sort(rng.permutation(size)[:one]) for one in sizes]).astype(np.int32)
    counts = rng.uniform(size=len(columns))
    first = np.cumsum([0, *sizes])
    (gram,) = filled(subspace.add_squares, first, columns, counts, np.zeros((size, size)), outputs=1)
    rows = rng.normal(size=(size, size))
    filled(subspace.add_matrix_product, rows, gram, np.zeros_like(gram), outputs=1)
    rows[-1] = rows[0]  # of which nothing is left
    filled(subspace.orthonormalise, rows, outputs=1)
    filled(subspace.diagonalise, gram, np.eye(size), outputs=2)


def test_every_exact_kernel_is_among_these() -> None:
    modules = [import_module(f"{kernels.__name__}.{found.name}") for found in pkgutil.iter_modules(kernels.__path__)]
    every = {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}
    tested = {paths.best_suffixes, paths.viterbi, linear.count_entries, linear.list_entries, linear.add_scores}
    tested |= {beam.best_completions, beam.beam, subspace.add_squares, subspace.add_matrix_product}
    tested |= {subspace.orthonormalise, subspace.diagonalise}
    assert {one for one in every if one.exact} == tested
    assert len(every) > 25


def test_only_arrays_of_the_right_kind_are_taken() -> None:
    right = np.arange(3.0)
    assert vectors.dot(right, right) == 5.0
    read_only = right.copy()
    read_only.flags.writeable = False
    unaligned = np.zeros(25, np.uint8)[1:].view(np.float64)
    swapped = right.astype(right.dtype.newbyteorder())
    for wrong in (right[::2], read_only, unaligned, swapped, right.astype(np.float32), right.astype(int), right[None]):
        with pytest.raises(TypeError, match=r"dot.* C-contiguous writable arrays, float64 with 1"):
            vectors.dot(wrong, right)
        with pytest.raises(TypeError):
            vectors.dot(right, wrong)
    for arguments in ((right,), (right, right, right)):
        with pytest.raises(ValueError, match="argument"):
            vectors.dot(*arguments)
    with pytest.raises(struct.error):
        vectors.move(right, right, "1", right)


def test_numbers_go_in_and_come_out() -> None:
    a, row = np.array([1.0, 2.0]), np.zeros((2, 2))
    s_y, s_s, y_y = vectors.pair(a, 3 * a, a, -a, np.int64(1), 0, 2, row, y := row.copy())
    assert (s_y, s_s, y_y) == (20.0, 20.0, 20.0)
    assert (row.tolist(), y.tolist()) == ([[0, 0], [2, 4]], [[0, 0], [2, 4]])
    assert vectors.move(a, a, 0.5, y[0]) is None
    assert y[0].tolist() == [1.5, 3.0]
    empty = np.zeros(0)
    assert vectors.dot(empty, empty) == 0.0
    for only_zeros, expected in ((True, -8.0), (False, 0.0)):
        assert vectors.align(np.array([4.0]), np.array([-2.0]), np.ones(1), np.zeros(0, bool), only_zeros) == expected


# Processes of their own


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("short")
    model_file.save(tiny(), str(made / "iob2.model"))
    (made / "in.txt").write_text("a B-X\nb I-X\n\nc O\n", encoding="utf-8")
    (made / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    return made


def python(program: str, folder: Path, *arguments: str, stdin: str = "", **more: str) -> tuple[str, str]:
    """The outputs of a program, on stdout and on stderr."""
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=os.environ | more,
        input=stdin,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout, run.stderr


COMMAND = """
import sys
from sstag.interfaces.cli import main
try: main()
finally: print({'numba', 'llvmlite', 'scipy'} & set(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["tag", "--help"],
        ["train", "--help"],
        ["features", "--template", "t.yaml", "in.txt"],
        ["check", "in.txt"],
        ["convert", "--to-scheme", "bioes", "in.txt"],
        ["eval", "in.txt", "in.txt"],
        ["inspect", "iob2.model"],
        ["sample", "ads", "ads", "--train", "1"],
    ],
)
def test_what_needs_no_kernel_loads_nothing_for_them(folder: Path, arguments: list[str]) -> None:
    out, errors = python(COMMAND, folder, *arguments)
    assert len(out) > 10
    assert errors.splitlines()[-1] == "set()"


def test_importing_sstag_or_its_api_loads_neither_numba_nor_scipy(folder: Path) -> None:
    program = "import sys, sstag; sstag.tag; print({'numba', 'llvmlite', 'scipy'} & set(sys.modules))"
    assert python(program, folder) == ("set()\n", "")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where only the tests below keep what they compile."""
    return {"NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}


@pytest.mark.parametrize(
    "arguments",
    [
        ["tag", "--model", "iob2.model"],
        ["tag", "--model", "iob2.model", "--format", "jsonl", "--threads", "2"],
        ["tag", "--model", "iob2.model", "--confidence", "--nbest", "2", "--threads", "2"],
        ["eval", "--model", "iob2.model", "in.txt"],
        ["train", "--train", "in.txt", "--template", "t.yaml", "--model", "made", "--threads", "2"],
        ["train", "--train", "in.txt", "--template", "t.yaml", "--model", "made", "--set", "l1=0.1"],
    ],
)
def test_numba_is_loaded_once_on_a_machine(folder: Path, cache: dict[str, str], arguments: list[str]) -> None:
    runs = [python(COMMAND, folder, *arguments, stdin="a\nb\n\nc\n" * 100, **cache) for _ in range(2)]
    (first, _), (again, errors) = runs
    assert again == first
    assert COMPILING not in errors
    assert errors.splitlines()[-1] == "{'llvmlite'}"


def test_compiling_is_said_once(folder: Path, tmp_path: Path) -> None:
    tag = ["tag", "--model", "iob2.model"]
    first, errors = python(COMMAND, folder, *tag, stdin="a\nb\n\nc\n", NUMBA_CACHE_DIR=str(tmp_path))
    assert errors.startswith(f"{COMPILING}\n{{")
    assert "numba" in errors
    again, errors = python(COMMAND, folder, *tag, stdin="a\nb\n\nc\n", NUMBA_CACHE_DIR=str(tmp_path))
    assert again == first
    assert errors == "{'llvmlite'}\n"
