"""Compiled or not, exact kernels find the same bits; and nobody waits for numba who does not need it."""

import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag import kernels, model_file
from sstag.compilation import COMPILING, Kernel
from sstag.dataset import Pairs
from sstag.kernels import linear, paths
from sstag.pair_map import PairMap
from sstag.passes import NO_MASK, transposed
from tests.chunks import Chunk, chunks
from tests.datasets import random_incidence
from tests.models import tiny

TEMPLATE = "columns: [word, label]\nfeatures: ['word[-1..1]', 'suffix(word[0], 1..2)']\n"


def filled(kernel: Kernel, *arguments, outputs: int) -> list[np.ndarray]:
    """What a kernel writes into its last arguments, which must be the same if it runs as it is."""
    given, empty = arguments[:-outputs], arguments[-outputs:]
    compiled, written = ([array.copy() for array in empty] for _ in range(2))
    with np.errstate(all="ignore"):
        assert kernel.compiled(*given, *compiled) == kernel.function(*given, *written)
    assert [array.tobytes() for array in compiled] == [array.tobytes() for array in written]
    return compiled


@settings(max_examples=200)
@given(chunks(max_labels=9), st.booleans())
def test_best_paths_are_the_same_to_the_bit(chunk: Chunk, without_path: bool) -> None:
    pot, mask = chunk.potentials, NO_MASK if chunk.allowed is None else chunk.allowed
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


def test_every_exact_kernel_is_among_these() -> None:
    modules = [import_module(f"{kernels.__name__}.{found.name}") for found in pkgutil.iter_modules(kernels.__path__)]
    every = {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}
    tested = {paths.best_suffixes, paths.viterbi, linear.count_entries, linear.list_entries, linear.add_scores}
    assert {one for one in every if one.exact} == tested
    assert len(every) > 25


# Processes of their own


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("short")
    model_file.save(tiny(), str(made / "iob2.model"))
    (made / "in.txt").write_text("a B-X\nb I-X\n\nc O\n", encoding="utf-8")
    (made / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    return made


def python(program: str, folder: Path, *arguments: str, stdin: str = "", **more: str) -> tuple[str, str]:
    """What a program prints, and what it says on stderr."""
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
from sstag.cli import main
try: main()
finally: print({'numba', 'scipy'} & set(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["tag", "--help"],
        ["train", "--help"],
        ["features", "--template", "t.yaml", "in.txt"],
        ["check", "in.txt"],
        ["convert", "--to", "bioes", "in.txt"],
        ["eval", "in.txt", "in.txt"],
        ["eval", "--model", "iob2.model", "in.txt"],
        ["inspect", "iob2.model"],
        ["sample", "ads", "ads", "--train", "1"],
        ["tag", "--model", "iob2.model"],
        ["tag", "--model", "iob2.model", "--format", "jsonl", "--threads", "2"],
        ["tag", "--model", "iob2.model", "--legal", "--stream"],
    ],
)
def test_a_short_command_does_without_numba(folder: Path, arguments: list[str]) -> None:
    out, errors = python(COMMAND, folder, *arguments, stdin="a\nb\n\nc\n")
    assert len(out) > 10
    assert errors.splitlines()[-1] == "set()"


def test_importing_sstag_or_its_api_loads_neither_numba_nor_scipy(folder: Path) -> None:
    program = "import sys, sstag; sstag.tag; print({'numba', 'scipy'} & set(sys.modules))"
    assert python(program, folder) == ("set()\n", "")


ALONE = """
import sys
from sstag import compilation, load, tag
model, lines = load('iob2.model'), 'a b c|b|c c a b|z a'.split('|') * 5
def ask():
    print(*(label for line in lines for label in tag(model, [line.split()])[0]))
    print('numba' in sys.modules)
compilation.MOST_STEPS = int(sys.argv[1])
ask()
compilation.MOST_STEPS = 0
ask()
"""


def test_what_is_little_adds_up_until_the_compiler_comes_in(folder: Path) -> None:
    """The labels are the same with it, without it, and if it comes between."""
    without, least, more, after = python(ALONE, folder, "1000000")[0].splitlines()
    assert (least, more) == ("False", without)
    assert after == "True"
    labels, between, again, _ = python(ALONE, folder, "1000")[0].splitlines()
    assert (labels, between, again) == (without, "True", without)


def test_much_is_compiled_and_said_once(folder: Path, tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    long = "a\nb\n\nc\n\n" * 20_000
    tag = ["tag", "--model", "iob2.model"]
    first, errors = python(COMMAND, folder, *tag, stdin=long, **cache)
    assert errors.startswith(f"{COMPILING}\n{{")
    assert "numba" in errors
    assert first == python(COMMAND, folder, *tag, stdin="a\nb\n\nc\n\n")[0] * 20_000
    again, errors = python(COMMAND, folder, *tag, "--threads", "1", stdin=long, **cache)
    assert again == first
    assert COMPILING not in errors


def test_a_large_input_after_a_small_one_is_compiled(folder: Path) -> None:
    program = """
import sys
from sstag import load, tag
model = load('iob2.model')
for many in (1, 50_000):
    print(set(map(str, tag(model, [['a', 'b']] * many))), 'numba' in sys.modules)
"""
    small, large = python(program, folder)[0].splitlines()
    assert (small.endswith("False"), large.endswith("True")) == (True, True)
    assert small.split("}")[0] == large.split("}")[0]
