"""Where compiled kernels go, seen from processes of their own."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

import sstag
from sstag.chain.compiler import cache

SOURCE = Path(sstag.__file__).parent
needs_owners = pytest.mark.skipif(sys.platform == "win32", reason="folders there have no owner to look at")

ASK = """
import sys
import numpy as np
from sstag.chain.compiler.cache import cache_folder
from sstag.chain.kernels import vectors
assert vectors.dot(np.ones(3), np.ones(3)) == 3
print(cache_folder(), int('numba' not in sys.modules))
"""

ROOTS = """
import sys
import numpy as np
from sstag.chain.compiler.cache import cache_folder
from sstag.chain.kernels import subspace
rows = np.array([[3.0, 4.0], [1.0, 0.0]])
subspace.orthonormalise(rows)
assert np.allclose(rows, [[0.6, 0.8], [0.8, -0.6]])
subspace.diagonalise(np.eye(2), rows)
print(cache_folder(), int('numba' not in sys.modules))
"""

LATTICE = """
import sys
import numpy as np
from sstag.chain.compiler.cache import cache_folder
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
pot = Potentials(np.zeros((3, 2)), np.zeros((1, 2, 2)), np.zeros(3), np.array([0, 3]))
assert abs(Lattice(pot).log_z[0] - 3 * np.log(2)) < 1e-12
print(cache_folder(), int('numba' not in sys.modules))
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
    folder, kept = out.split()
    return Path(folder), int(kept), err


@pytest.mark.parametrize("program", [ASK, ROOTS])
def test_beside_the_package_then_from_there(package, tmp_path, program):
    folder, kept, err = answer(start(package, tmp_path, program))
    assert folder.parent == package / "chain" / "__pycache__"
    assert (kept, err) == (0, "")
    assert answer(start(package, tmp_path, program)) == (folder, 1, "")


def test_a_package_that_cannot_be_written_uses_the_users_cache(package, tmp_path):
    (package / "chain" / "__pycache__").touch()
    folder, kept, err = answer(start(package, tmp_path))
    assert folder.parent == tmp_path / ".cache" / "sstag"
    assert (kept, err) == (0, "")
    assert answer(start(package, tmp_path))[1] == 1
    elsewhere, _, _ = answer(start(package, tmp_path, XDG_CACHE_HOME=str(tmp_path / "xdg")))
    assert elsewhere.parent == tmp_path / "xdg" / "sstag"


@pytest.fixture
def homeless(package, tmp_path):
    """A process for which neither the package nor the home can be written, but temporary files can."""
    (package / "chain" / "__pycache__").touch()
    (tmp_path / "home").touch()
    return lambda: start(package, tmp_path / "home", TMPDIR=str(tmp_path))


@needs_owners
def test_nothing_but_temporary_files_is_kept_for_this_user(homeless, tmp_path):
    folder, kept, err = answer(homeless())
    assert folder.parent == tmp_path / f"sstag-{os.geteuid()}"
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert (kept, err) == (0, "")
    assert answer(homeless()) == (folder, 1, "")


@needs_owners
def test_a_planted_folder_is_not_used_and_said(homeless, tmp_path):
    (tmp_path / "planted").mkdir(mode=0o700)
    (tmp_path / f"sstag-{os.geteuid()}").symlink_to(tmp_path / "planted")
    folder, _, err = answer(homeless())
    assert folder.parent == tmp_path
    assert err.startswith(
        "no writable folder for compiled kernels: every run compiles them again (set NUMBA_CACHE_DIR)"
    )
    assert not folder.exists()  # gone with its process
    assert not list((tmp_path / "planted").iterdir())


@needs_owners
def test_only_a_folder_of_ones_own_is_private(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    assert cache.is_private(folder)
    assert cache.is_private(folder)  # as it was left
    for mode in (0o770, 0o707, 0o755, 0o500):
        folder.chmod(mode)
        assert not cache.is_private(folder), oct(mode)
    folder.chmod(0o700)
    (tmp_path / "file").touch(mode=0o700)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "nothing").symlink_to(tmp_path / "none")
    for name in ("file", "link", "nothing", "no/parent"):
        assert not cache.is_private(tmp_path / name), name
    for mode, safe in ((0o777, False), (0o775, False), (0o1777, True)):
        tmp_path.chmod(mode)
        assert cache.is_private(folder) == safe, oct(mode)
    tmp_path.chmod(0o700)
    another = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: another)
    assert not cache.is_private(folder)  # nor is its parent


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_not_used(homeless, tmp_path):
    planted = tmp_path / f"sstag-{os.geteuid()}"
    planted.mkdir(mode=0o700)
    os.chown(planted, 12345, -1)
    assert not cache.is_private(planted)
    folder, _, err = answer(homeless())
    assert folder.parent == tmp_path
    assert "no writable folder" in err


def test_two_processes_may_start_at_once(package, tmp_path):
    chosen = {"NUMBA_CACHE_DIR": str(tmp_path / "chosen")}
    first, second = (start(package, tmp_path, LATTICE, **chosen) for _ in range(2))
    (folder, _, _), (other, _, _) = answer(first), answer(second)
    assert folder == other
    assert folder.parent == tmp_path / "chosen"
    assert answer(start(package, tmp_path, LATTICE, **chosen))[1] == 1


def test_a_damaged_file_is_compiled_again(package, tmp_path):
    folder, _, _ = answer(start(package, tmp_path))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40], bytes(len(whole)), whole[:100] + b"\x00\xff" + whole[102:]):
        path.write_bytes(damaged)
        assert answer(start(package, tmp_path))[1] == 0
        assert answer(start(package, tmp_path))[1] == 1


def test_what_is_kept_comes_back_whole_or_not_at_all(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(cache, "cache_folder", lambda: str(tmp_path / "folder"))
    assert cache.kept("a") is None
    cache.keep("a", b"code")
    assert "folder" in caplog.text
    assert "not kept" in caplog.text
    (tmp_path / "folder").mkdir()
    cache.keep("a", b"code")
    path, other = tmp_path / "folder" / "a.o", tmp_path / "folder" / "b.o"
    assert list(path.parent.iterdir()) == [path]
    assert cache.kept("a") == b"code"
    shutil.copy(path, other)
    assert cache.kept("b") is None
    whole = path.read_bytes()
    for i in range(len(whole)):
        path.write_bytes(whole[:i])
        assert cache.kept("a") is None
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])
        assert cache.kept("a") is None


def test_the_key_follows_source_and_processor(package, monkeypatch):
    before = cache.fingerprint()
    assert cache.fingerprint() == before
    monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "another")
    other_processor = cache.fingerprint()
    monkeypatch.undo()
    monkeypatch.setattr(cache, "CHAIN", package / "chain")
    assert cache.fingerprint() == before
    (package / "chain" / "kernels" / "chain.py").write_text("changed")
    assert len({before, other_processor, cache.fingerprint()}) == 3
