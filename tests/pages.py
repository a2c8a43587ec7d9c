"""Pages whose examples are run by tests, in one file of tests or another."""

from pathlib import Path

from docs.tools.examples import Session, agree, examples


def check_examples(path: Path, folder: Path) -> None:
    """Runs the examples of a document in a folder, and compares what they print with what it shows."""
    session = Session(folder)
    for example in examples(path.read_text(encoding="utf-8")):
        printed = session.printed(example)
        assert agree(example.shown, printed), f"{example.code}\n--- shown\n{example.shown}--- printed\n{printed}"
