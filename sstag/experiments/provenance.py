"""The origin of what a trial found: the code of its experiment, a commit, a processor, and how long it took.

The hash of the code decides whether a trial that is kept still holds. It covers the module of the trial's function and
all modules of experiments that this imports, without comments, docstrings and layout, and the templates of the
experiment in `configs`; what only reports is left out. Changes of the library itself are told by the commit.
"""

import ast
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

ROOM = "sstag.experiments"
REPORTING = {f"{ROOM}.{name}" for name in ("claims", "page", "plots", "spread", "trials")}
CONFIGS = Path(__file__).parent / "configs"


@cache
def code_of(function: str) -> str:
    """A hash of the code that a function runs, `module:name`, as far as it belongs to experiments."""
    module = function.partition(":")[0]
    seen: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen and name not in REPORTING:
            tree = ast.parse(_source(name))
            seen[name] = ast.dump(_bare(tree))
            waiting += [one for one in _imported(tree) if one == ROOM or one.startswith(f"{ROOM}.")]
    own = CONFIGS / module.removeprefix(f"{ROOM}.").partition(".")[0]
    files = sorted(path for path in own.rglob("*") if path.is_file()) if own.is_dir() else []
    said = [*sorted(seen.items()), *((path.name, path.read_bytes().hex()) for path in files)]
    return sha256(repr(said).encode()).hexdigest()[:16]


def _source(module: str) -> str:
    spec = find_spec(module)
    assert spec
    assert spec.origin, module
    return Path(spec.origin).read_text(encoding="utf-8")


def _bare(tree: ast.Module) -> ast.Module:
    """The tree without docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, False) is not None:
            node.body = node.body[1:]
    return tree


def _imported(tree: ast.Module) -> Iterator[str]:
    """The modules that a module imports.

    `from package import name` may mean a module: then of the package nothing else counts, since that of an experiment
    has its reports, too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{one.name}" for one in node.names]
            modules = [name for name in names if node.module.startswith(ROOM) and _is_module(name)]
            yield from modules
            if len(modules) < len(names):
                yield node.module


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is no package
        return False


@cache
def commit() -> str:
    """The commit of the source, with a + if it has been changed; nothing where there is no repository."""
    here = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run([*here, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*here, "diff", "--quiet", "HEAD", "--", "."], check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + "+" * bool(changed)


@cache
def processor() -> str:
    """The name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def told(keys: Sequence[str], made: Mapping[str, tuple[str, str, float]]) -> str:
    """A sentence about the commit, the processor and the seconds of some trials."""
    known = [made[key] for key in keys if key in made]
    seconds: dict[tuple[str, str], list[float]] = {}
    for one, where, took in known:
        seconds.setdefault((one, where), []).append(took)
    parts = [
        f"{len(each):,} of {len(keys):,} runs took {sum(each):,.0f} seconds of a processor ({where})"
        + (f" at commit {one}" if one else "")
        for (one, where), each in sorted(seconds.items())
    ]
    if known and (left := len(keys) - len(known)):
        parts.append(f"of {left:,} that was not recorded")
    return f"{'; '.join(parts)}." if parts else ""  # of none that is known nothing is said
