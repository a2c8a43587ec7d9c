"""The site: every document of the repository in one tree, made into pages by mkdocs.

Links between documents are relative to the repository, so the tree that mkdocs sees is laid out as the repository is.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from sstag.foundation.child_python import child_environment, module_command

ROOT = Path(__file__).parent.parent.parent
STAGED = ROOT / "build" / "documents"
FOLDERS = ("bench", "build_backend", "configs", "docs", "results", "sstag", "tests")
ENDINGS = {".cpp", ".css", ".grammar", ".h", ".json", ".md", ".png", ".py", ".pyi", ".svg", ".toml", ".tsv", ".yaml"}
BESIDE = ("LICENSE", "Makefile", "data/README.md", "data/check.py", "data/corpora.tsv")


def build() -> None:
    """Writes the site to build/site; a broken link is an error."""
    shutil.rmtree(STAGED, ignore_errors=True)
    for path in sources():
        target = STAGED / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    quiet = {**child_environment(), "NO_MKDOCS_2_WARNING": "1"}  # the theme's advertisement for its successor
    ended = subprocess.call(module_command("mkdocs", "build", "--strict"), cwd=ROOT, env=quiet)
    if ended:
        sys.exit(ended)
    print("the site is in build/site: open build/site/index.html")


def sources() -> list[Path]:
    """The documents, and the files that documents point to; of data/ only what belongs to the project."""
    files = [ROOT / name for name in BESIDE]
    files += [path for path in ROOT.iterdir() if path.suffix in ENDINGS]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    return [path for path in files if path.is_file()]
