"""Parts of documents that are made from the code, and the Markdown files that hold them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.tools import decision_list, file_list, parameter_tables, python_api, registries

ROOT = Path(__file__).parent.parent.parent
PARTS: Mapping[str, Callable[[], str]] = {
    "backends": registries.backends,
    "command list": registries.command_list,
    "commands": registries.command_help,
    "decisions": decision_list.text,
    "files": file_list.text,
    "formats": registries.formats,
    "packages": file_list.packages,
    "parameters": parameter_tables.text,
    "python": python_api.text,
    "scheme example": registries.scheme_example,
    "schemes": registries.schemes,
}
PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def renewed(text: str) -> str:
    """The text of a document with each of its generated parts made anew."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]().strip()}\n\n{found[3]}", text)


def documents() -> list[Path]:
    """The Markdown files that hold generated parts."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return [path for path in files if PART.search(path.read_text(encoding="utf-8"))]


def stale() -> list[Path]:
    """The documents with a generated part that does not say what the code says now."""
    return [path for path in documents() if renewed(text := path.read_text(encoding="utf-8")) != text]


def written() -> list[Path]:
    """The documents that were stale, which are up to date now."""
    changed = stale()
    for path in changed:
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
    return changed
