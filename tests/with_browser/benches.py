"""Projects for the tests in a browser: pools of texts as a test needs them, and programs that know what a page did."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bench.workbench import working
from tests.with_browser.browsers import Page
from tests.with_web.benches import Annotator, pool_text

PATIENCE = 150  # seconds, for a training on a busy machine


def begin(folder: Path, texts: Sequence[Sequence[str]], labels: str = "PER,LOC") -> tuple[str, ...]:
    """The arguments that begin a project on texts of these tokens."""
    (folder / "pool.txt").write_text("\n".join("".join(f"{token}\n" for token in text) for text in texts))
    return ("pool.txt", "--project", "work", "--labels", labels, "--template", "ner")


@contextmanager
def on(folder: Path, *arguments: str, port: int = 0) -> Iterator[tuple[str, str, str]]:
    """A running workbench: the address to open, its base and its token."""
    with working(folder, *arguments, port=port) as (_, base, token):
        yield f"{base}/login?token={token}", base, token


def same_annotator(page: Page, base: str, token: str) -> Annotator:
    """A program that speaks for the person at the page."""
    kept = (
        "JSON.parse(sessionStorage.getItem(Object.keys(sessionStorage).find(key => key.startsWith('sstag-session'))))"
    )
    return Annotator(base, token, session=page.read(f"{kept}.session"))


def answers(page: Page, base: str, token: str) -> list[dict]:
    """The answers of the person at the page, the first answer first."""
    return same_annotator(page, base, token).get("history", count=100)["answers"][::-1]


@contextmanager
def taught(folder: Path, sentences: int = 200, answered: int = 20) -> Iterator[tuple[str, str, str]]:
    """A running workbench whose model has learned from answers of a program."""
    with on(
        folder, *begin(folder, [text.split("\n") for text in pool_text(sentences).strip().split("\n\n")])
    ) as running:
        teacher = Annotator(*running[1:], name="teacher")
        for _ in range(answered):
            teacher.answer(teacher.next(1)[0])
        until(lambda: teacher.get("state")["model"] and not teacher.get("state")["training"]["busy"])
        yield running


def until(holds: Callable[[], Any]) -> None:
    """Waits until something holds."""
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end, "it does not happen"
        sleep(0.05)
