"""The list of decisions: the title of every page in docs/explanation/decisions, with a link."""

from pathlib import Path

FOLDER = Path(__file__).parent.parent / "explanation" / "decisions"


def text() -> str:
    """A line with number and title for each page."""
    return "\n".join(f"- [{title(path)}]({path.name})" for path in sorted(FOLDER.glob("[0-9]*.md")))


def title(path: Path) -> str:
    """The first line of a page without its mark."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
