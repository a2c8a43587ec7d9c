"""The messages of the package that give advice, as they stand in the code: found by their form."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import sstag
from sstag.corpus.formats import FORMATS

PACKAGE = Path(sstag.__file__).parent
VERBS = (
    "add|ask|attach|begin|change|choose|compare|cut|download|draw|drop|end|give|install|label|leave|let|lower|make|move|"
    "name|open|pass|press|put|quote|raise|read|remove|run|save|say|search|see|send|set|split|take|train|try|unpack|use|"
    "wait|write"
)
ADVICE = re.compile(
    rf"""(?<![\w-])--[a-z{{]            # an option
    |`sstag\ [a-z]|\(sstag\ [a-z]|pip\ install|chmod
    |did\ you\ mean|\bneeds?\b|\binstead\b|\bwanted\b|once\ more|=\)
    |(?:^|[:;,?(]\ ?|\bor\ |\bto\ go\ on,\ )(?:{VERBS})\b(?!\ of)""",
    re.VERBOSE,
)
HELP = {  # modules whose texts are lines of help, SQL, or what a file begins with
    "corpus/formats/html_page.py", "features/proposals.py", "features/shipped.py", "interfaces/annotate/rows.py",
    "interfaces/annotate/tables.py", "interfaces/cli/help_sections.py", "interfaces/cli/method_lists.py",
    "selection/strategies/__init__.py", "training/methods/__init__.py", "training/methods/parameters.py",
    "training/objectives/__init__.py",
}  # fmt: skip
HOLE = re.compile(r"\{\}|%[so](?![a-z])")  # of a text, or of what is logged
FEATURE = re.compile(r"[a-z]+\(\S.*\)$")  # of a template, and nothing else
QUERY = re.compile(r"(?:select|update|insert|delete|create) ")
SAYING = {"warn", "say", "echo", "warning", "info", "UsageError", "BadParameter"}


def literals(tree: ast.AST) -> Iterator[str]:
    """The texts in a module with holes for what is put in, but for docstrings, decorators and keywords of help."""
    left = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            left |= {id(part) for one in node.decorator_list for part in ast.walk(one)}
        if isinstance(node, ast.keyword) and node.arg in ("help", "show_default", "metavar", "summary"):
            left |= {id(part) for part in ast.walk(node.value)}
        if isinstance(node, ast.JoinedStr):
            left |= {id(part) for part in ast.walk(node)} - {id(node)}
    for node in ast.walk(tree):
        if id(node) in left:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def said(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that raise errors or say something."""
    for node in ast.walk(tree):
        name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or name in SAYING:
            yield node


def advice() -> dict[str, set[str]]:
    """The texts that give advice, and the modules in which each stands."""
    helpful = {entry.help for entry in FORMATS.values()}
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE).as_posix()
        if module in HELP:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = said(tree) if module.startswith("experiments/") else [tree]  # elsewhere pages are written there
        for text in (text for part in parts for text in literals(part)):
            if QUERY.match(text.strip()) or FEATURE.match(text):
                continue
            if ADVICE.search(text) and " " in text and text not in helpful:
                found.setdefault(text, set()).add(module)
    return found


def pattern_of(text: str) -> re.Pattern[str]:
    """A pattern of a message, whatever is put into its holes."""
    return re.compile(".*?".join(map(re.escape, HOLE.split(text))), re.DOTALL)
