"""Files that are made from the code: parts of documents, and manual pages and completion scripts as a whole."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.tools import (
    advice_tables,
    decision_list,
    file_list,
    manuals,
    parameter_tables,
    python_api,
    registries,
    second_look,
    what_to_try,
)

ROOT = Path(__file__).parent.parent.parent
PARTS: Mapping[str, Callable[[], str]] = {
    "backends": registries.backends,
    "biases alone": advice_tables.biases_alone,
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
    "second look": second_look.text,
    "under rules": advice_tables.under_rules,
    "ways to read raw text": advice_tables.raw_text_ways,
    "what to try": what_to_try.text,
    "words alone": advice_tables.words_alone,
}
PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def renewed(text: str) -> str:
    """The text of a document with each of its generated parts made anew."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]().strip()}\n\n{found[3]}", text)


def documents() -> list[Path]:
    """The Markdown files that hold generated parts."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return [path for path in files if PART.search(path.read_text(encoding="utf-8"))]


def wanted() -> dict[Path, str]:
    """The texts of the files that are generated as a whole or hold generated parts, as they should be."""
    found = {path: renewed(path.read_text(encoding="utf-8")) for path in documents()}
    return found | {ROOT / place: text for place, text in manuals.files().items()}


def stale() -> list[Path]:
    """The files that do not say what the code says now, and manual pages of commands that are gone."""
    return _differing(wanted())


def _differing(whole: Mapping[Path, str]) -> list[Path]:
    gone = [path for path in (ROOT / manuals.MANUALS).glob("*") if path not in whole]
    return gone + [
        path for path, text in whole.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def written() -> list[Path]:
    """The files that were stale, which are up to date now."""
    whole = wanted()
    changed = _differing(whole)
    for path in changed:
        if path not in whole:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(whole[path], encoding="utf-8")
    return changed
