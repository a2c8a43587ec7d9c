"""The wheel in a new environment of each Python of this machine, and the tour of the README run there.

python -m tests.installed WHEEL          makes an environment for each Python from 3.11 on that is found
python -m tests.installed --list         says which ones are found

Nothing of the repository is seen by what is installed: neither the tour nor the program runs in it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.tools.examples import ROOT, Session, agree, examples

VERSIONS = range(11, 16)
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
MANUAL = "share/man/man1/sstag.1"
MOST = 8 * 10**6  # bytes of the package's own files, without the byte code that pip makes of them


def pythons() -> dict[str, str]:
    """A Python of each version that is installed, on the path or by pyenv: its version and its program."""
    found = {}
    for minor in VERSIONS:
        name = f"python3.{minor}"
        for program in (shutil.which(name), *sorted(map(str, PYENV.glob(f"3.{minor}.*/bin/{name}")), reverse=True)):
            if (
                program
                and subprocess.run([program, "-c", "import venv"], capture_output=True, check=False).returncode == 0
            ):
                found[f"3.{minor}"] = program
                break
    return found


def faults(python: str, wheel: Path, folder: Path) -> list[str]:
    """Faults of the wheel in a new environment of a Python."""
    environment, tour = folder / "environment", folder / "tour"
    subprocess.run([python, "-m", "venv", environment], check=True)
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    install = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--only-binary", "sstag,numpy,scipy", wheel], check=True, env=bare, cwd=folder)
    found = [] if (environment / MANUAL).exists() else [f"no {MANUAL}"]
    (package,) = environment.glob("lib/python*/site-packages/sstag")
    size = sum(path.stat().st_size for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    if size > MOST:
        found.append(f"its own files take {size:,} bytes")
    found += _without_advice(environment, folder)
    tour.mkdir()
    session = Session(tour, str(environment / "bin/sstag"))
    for example in examples((ROOT / "README.md").read_text(encoding="utf-8")):
        if not example.python and not agree(example.shown, printed := session.printed(example)):
            found.append(f"$ {example.code}\n{printed}")
    return found


def _without_advice(environment: Path, folder: Path) -> list[str]:
    """A fault if a command that needs an extra names no command that installs it, or one that does not help."""
    run = [environment / "bin/sstag", "serve", "--model", "none"]
    bare = {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
    said = []
    for _ in range(2):
        asked = subprocess.run(run, capture_output=True, text=True, env=bare, cwd=folder, check=False)
        said.append(asked.stderr)
        advice = asked.stderr.partition(": pip install ")[2].strip()
        if advice:
            subprocess.run(f"pip install --quiet {advice}", shell=True, env=bare, cwd=folder, check=False)
    helped = "pip install" in said[0] and "none: no such file or directory" in said[1]
    return [] if helped else [f"advice that does not help: {said}"]


def main() -> None:
    if sys.argv[1:] == ["--list"]:
        print(*pythons().values(), sep="\n")
        return
    wheel, wrong = Path(sys.argv[1]).resolve(), 0
    for version, python in pythons().items():
        with tempfile.TemporaryDirectory() as folder:
            found = faults(python, wheel, Path(folder))
        print(f"Python {version}: {'installed; the tour is as shown' if not found else 'FAILED'}", flush=True)
        print(*found, sep="\n", end="\n" if found else "")
        wrong += bool(found)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
