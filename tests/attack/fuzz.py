"""`python -m tests.attack.fuzz TARGET FOLDER SECONDS`: inputs of a target, chosen by the code that they reach.

The corpus is in FOLDER/TARGET; what fails is in FOLDER/failures, an input for each place. `make fuzz` sets up what this
needs: atheris, and a core that tells libFuzzer which code it runs.
"""

import importlib
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from pkgutil import walk_packages

import numpy as np

from tests.attack.fuzz_bytes import Chosen
from tests.attack.material import good_files

WATCHED, LIBRARY = "SSTAG_FUZZ_PATH", "SSTAG_FUZZ_LIBRARY"  # in the environment: modules, and what has libFuzzer
SEEDS = 8  # of arguments that fit
LENGTH = {"fasttext": 1 << 14, "xmi": 1 << 14}  # bytes of an input; of others, 4096
PLACE = re.compile(r'File "(.*?)", line (\d+)')
# The doors of the core, by what comes through them.
WEIGHTS = (
    "count_entries", "list_entries", "fill_rows", "add_from_rows", "scores", "gradient", "dense_scores",
    "dense_gradient", "token_scores", "token_slopes", "likelihood", "visit", "expected_lines", "fused_covariance",
)  # fmt: skip
TEXT = ("scan_lines", "code_fields", "fill_keys", "look_up")
NUMBERS = (
    "exponentials", "logarithms", "dot", "products_of_pairs", "weighed_squares", "coefficients", "combined", "add_pair",
    "move", "move_in_orthant", "penalised_size", "pseudo_gradient", "align", "n_log_n", "best_clusters", "exchange",
    "own_sums", "losses", "merge_nearest",
)  # fmt: skip
PROPER = (ValueError, TypeError, AttributeError, MemoryError)  # errors of the core, if they say what is wrong
JSON = ("jsonl", "doccano", "label-studio", "prodigy")
BETWEEN = b"\0"  # between a document of XMI and its types
MODULES = ("sstag.corpus", "sstag.labels", "sstag.features.words")
Target = Callable[[bytes], None]


@cache
def _fitting(seed: int) -> Mapping[str, bytes]:
    """Arguments that fit, pickled: a call may write into them."""
    from tests.hostile_calls import proper

    return {name: pickle.dumps(given) for name, given in proper(np.random.default_rng(seed)).items()}


def _of_core(names: tuple[str, ...]) -> Target:
    from tests.hostile_calls import functions, spoiled

    every = functions()

    def called(data: bytes) -> None:
        chosen = Chosen(data)
        fitting = _fitting(int(chosen.integers(SEEDS)))
        name = names[int(chosen.integers(len(names)))]
        given = pickle.loads(fitting[name])
        if name in TEXT[:2] and chosen.integers(2):
            given = _text_of(name, chosen)
        arguments = spoiled(given, chosen) if chosen.integers(8) else given  # type: ignore[arg-type]
        try:
            every[name](*arguments)
        except PROPER as error:
            if not str(error):
                raise RuntimeError(f"{name}: an error that says nothing") from error

    return called


def _text_of(name: str, chosen: Chosen) -> tuple[object, ...]:
    """Arguments for a text of any bytes."""
    columns, text = int(chosen.integers(1, 4)), chosen.rest()
    lines = text.count(b"\n") + 1
    if name == "scan_lines":
        return text, np.zeros(lines, np.int64), np.zeros(lines, np.int32)
    places = np.zeros((columns, lines, 2), np.int64)
    return (
        text, np.arange(lines, dtype=np.int32), 7, np.zeros((columns, lines), np.int32), places,
        np.zeros(columns, np.int64),
    )  # fmt: skip


def _lattices() -> tuple[str, ...]:
    from tests.hostile_calls import functions

    return tuple(name for name in functions() if name not in {*WEIGHTS, *TEXT, *NUMBERS})


def _of_files(ending: str, formats: tuple[str, ...]) -> Target:
    """A file of a format, read and used as commands do; its first byte says how."""
    from sstag.corpus.layout import layout_for
    from tests.attack.doors import Doors, _used

    path, doors = _place(ending), Doors(Path())
    types = Path(path).with_name("TypeSystem.xml")

    def read(data: bytes) -> None:
        text, zero, more = data[1:].partition(BETWEEN) if ending == ".xmi" else (data[1:], b"", b"")
        Path(path).write_bytes(text)
        if zero:
            types.write_bytes(more)
        way = data[0] if data else 0
        _used(doors, path, layout_for(path, format=formats[way % len(formats)]), random.Random(way))

    return read


def _vectors() -> Target:
    from sstag.features.words.prototypes import nearest_words
    from sstag.features.words.vector_files import opened

    path = _place(".bin")

    def read(data: bytes) -> None:
        Path(path).write_bytes(data)
        vectors = opened(path)
        vectors.of(["Ann", "Oslo", "none"])
        nearest_words(vectors.every(), "Ann", 3)

    return read


def _place(ending: str) -> str:
    """A path in memory."""
    return os.path.join(tempfile.mkdtemp(prefix="sstag-fuzz-", dir="/dev/shm"), f"input{ending}")


TARGETS: Mapping[str, Callable[[], Target]] = {
    "lattice": lambda: _of_core(_lattices()),
    "weights": lambda: _of_core(WEIGHTS),
    "text": lambda: _of_core(TEXT),
    "numbers": lambda: _of_core(NUMBERS),
    "json": lambda: _of_files(".jsonl", JSON),
    "webanno": lambda: _of_files(".tsv", ("webanno",)),
    "xmi": lambda: _of_files(".xmi", ("xmi",)),
    "fasttext": _vectors,
}


def _import_all(package: str) -> None:
    """Imports the modules of a package now, since code is watched if it is imported at the beginning."""
    for one in walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(one.name)


def watched(target: Target, failures: Path) -> Target:
    """A target whose errors are written down, one input for each place, and do not end the program."""
    from sstag.foundation.errors import SstagError

    failures.mkdir(parents=True, exist_ok=True)

    def run(data: bytes) -> None:
        try:
            target(data)
        except SstagError:
            pass
        except Exception as error:
            text = traceback.format_exc()
            place = sha256(f"{type(error).__name__} {PLACE.findall(text)[-1]}".encode()).hexdigest()[:12]
            if not (failures / place).exists():
                (failures / f"{place}.txt").write_text(text)
                (failures / place).write_bytes(data)

    return run


def beginnings(name: str, folder: Path) -> None:
    """Writes the inputs that a corpus begins with: good files, or bytes that choose one call after another."""
    folder.mkdir(parents=True, exist_ok=True)
    if name in ("lattice", "weights", "text", "numbers"):
        for number in range(64):
            (folder / f"seed-{number}").write_bytes(random.Random(number).randbytes(96))
    elif name == "fasttext":
        from tests.vector_files import fasttext

        (folder / "seed").write_bytes(fasttext(["Ann", "Oslo"], np.arange(18.0).reshape(6, 3), 4))
    elif name == "xmi":
        good, made = folder.parent / "good", folder.parent / "xmi-documents"
        good_files(good)
        if not made.exists():
            subprocess.run(
                [sys.executable, "-m", "sstag", "convert", good / "train", "--to-format", "xmi", "-o", made], check=True
            )
        types = (made / "TypeSystem.xml").read_bytes()
        for path in made.glob("*.xmi"):
            (folder / f"seed-{path.name}").write_bytes(b"\0" + path.read_bytes() + BETWEEN + types)
    else:
        good_ones = good_files(folder.parent / "good")
        for place, form in enumerate(JSON if name == "json" else (name,)):
            for key in good_ones:
                if key.startswith(f"as-{form}."):
                    (folder / f"seed-{key}").write_bytes(bytes([place]) + good_ones[key])


def main() -> None:
    """Runs a target for so many seconds."""
    name, folder, seconds = sys.argv[1], Path(sys.argv[2]).absolute(), sys.argv[3]
    if WATCHED in os.environ:  # the core that tells which code it runs can be loaded after libFuzzer only
        beginnings(name, folder / name)
        more = {"PYTHONPATH": os.environ[WATCHED], "LD_PRELOAD": os.environ[LIBRARY]}
        rest = {key: value for key, value in os.environ.items() if key != WATCHED}
        os.execve(sys.executable, [sys.executable, "-P", "-m", "tests.attack.fuzz", *sys.argv[1:]], {**rest, **more})
    import atheris

    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=["sstag", "cassis"]):
        for module in MODULES:
            _import_all(module)
        target = TARGETS[name]()
    line = [f"-max_total_time={seconds}", f"-max_len={LENGTH.get(name, 4096)}", "-timeout=20", "-rss_limit_mb=3000"]
    more_options = ["-print_final_stats=1", f"-artifact_prefix={folder}/failures/{name}/"]
    run = watched(target, folder / "failures" / name)
    atheris.Setup([sys.argv[0], *line, *more_options, str(folder / name)], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
