"""Where compiled kernels go, seen from processes of their own; and that nobody waits for numba who does not need it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sstag import kernel_cache

SOURCE = Path(kernel_cache.__file__).parent

ASK = """
import numpy as np
from sstag.kernel_cache import cache_folder
from sstag.lattice import Lattice
from sstag.potentials import Potentials
pot = Potentials(np.zeros((3, 2)), np.zeros((1, 2, 2)), np.zeros(3), np.array([0, 3]))
assert abs(Lattice(pot).log_z[0] - 3 * np.log(2)) < 1e-12
from sstag.kernels import chain
print(cache_folder(), sum(chain.forward.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package whose `__pycache__` can be spoiled. A file in the place of a folder stops root as well."""
    shutil.copytree(SOURCE, tmp_path / "site" / "sstag", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site" / "sstag"


def start(package, home, program=ASK, **environment):
    keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", program],
        env={**keep, "PYTHONPATH": str(package.parent), "HOME": str(home), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=package.parent,
    )


def answer(process):
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    folder, hits = out.split()
    return Path(folder), int(hits), err


def test_beside_the_package_then_from_there(package, tmp_path):
    folder, hits, err = answer(start(package, tmp_path))
    assert folder.parent == package / "__pycache__"
    assert (hits, err) == (0, "")
    assert answer(start(package, tmp_path)) == (folder, 1, "")


def test_a_package_that_cannot_be_written_uses_the_users_cache(package, tmp_path):
    (package / "__pycache__").touch()
    folder, hits, err = answer(start(package, tmp_path))
    assert folder.parent == tmp_path / ".cache" / "sstag"
    assert (hits, err) == (0, "")
    assert answer(start(package, tmp_path))[1] == 1
    elsewhere, _, _ = answer(start(package, tmp_path, XDG_CACHE_HOME=str(tmp_path / "xdg")))
    assert elsewhere.parent == tmp_path / "xdg" / "sstag"


def test_nothing_writable_gives_a_temporary_folder_and_a_warning(package, tmp_path):
    (package / "__pycache__").touch()
    home = tmp_path / "home"
    home.touch()
    folder, _, err = answer(start(package, home, TMPDIR=str(tmp_path)))
    assert folder.parent == tmp_path
    assert "no writable folder for compiled kernels" in err
    assert not folder.exists()  # gone with its process


def test_two_processes_may_start_at_once(package, tmp_path):
    chosen = {"NUMBA_CACHE_DIR": str(tmp_path / "chosen")}
    first, second = (start(package, tmp_path, **chosen) for _ in range(2))
    (folder, _, _), (other, _, _) = answer(first), answer(second)
    assert folder == other
    assert folder.parent == tmp_path / "chosen"
    assert answer(start(package, tmp_path, **chosen))[1] == 1


def test_the_key_follows_source_and_processor(package, monkeypatch):
    before = kernel_cache.fingerprint()
    assert kernel_cache.fingerprint() == before
    monkeypatch.setattr(kernel_cache.binding, "get_host_cpu_name", lambda: "another")
    other_processor = kernel_cache.fingerprint()
    monkeypatch.undo()
    monkeypatch.setattr(kernel_cache, "PACKAGE", package)
    assert kernel_cache.fingerprint() == before
    (package / "kernels" / "chain.py").write_text("changed")
    assert len({before, other_processor, kernel_cache.fingerprint()}) == 3


def test_importing_sstag_imports_neither_numba_nor_scipy(package, tmp_path):
    program = "import sys, sstag, sstag.errors; print({'numba', 'scipy'} & set(sys.modules))"
    out, err = start(package, tmp_path, program).communicate(timeout=100)
    assert (out.strip(), err) == ("set()", "")
