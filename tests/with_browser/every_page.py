"""A picture of every page, wide and narrow, light and dark: `python -m tests.with_browser.every_page FOLDER`.

The project is that of `pictures.py` without development data, with two annotators, words, and a list of names. The
program ends with an error if a page complains on the browser's console, or has to be moved sideways.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.with_browser.benches import on, until
from tests.with_browser.browsers import ENTER, ESCAPE, TAB, Page, browser
from tests.with_browser.pictures import FIELDS, Gold, ads, answer, learned
from tests.with_web.benches import Annotator

SHOWS = {"sentences": "#text", "spans": ".line", "words": ".feature", "progress": ".recent tbody tr"}
ANSWERED, SECOND = 60, 8  # texts that one annotator has answered, and the other


def fill(ann: Annotator, bob: Annotator, right: Gold) -> None:
    """Everything that a page can show."""
    answer(ann, right, ANSWERED)
    for question in bob.next(20)[:SECOND]:
        said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": 8.0}
        bob.say({**said, "spans": right.spans(question["tokens"])[1:], "open": [], "forbidden": []})
    for word, label in (("$", "rent"), ("call", "contact")):
        ann.say({"kind": "feature", "feature": f"word[0]={word}", "labels": [label], "seconds": 3.0})
    ann.post("gazetteers", name="names.txt", label="neighborhood", terms=["close to", "Bramshaw"])
    learned(ann)
    ann.post("suspects")
    until(lambda: not ann.get("suspects")["busy"])


def shown(page: Page, differing: str, wide: bool) -> Iterator[str]:
    """Brings up one view after another, and gives its name."""
    for name, css in SHOWS.items():
        page.go(name, css)
        page.driver.refresh()
        page.one(css)
        if name == "sentences" and wide:
            page.press(TAB)
        yield name
        main = "document.getElementById('main')"
        high = page.read(f"{main}.clientHeight")
        for part in range(1, -(-page.read(f"{main}.scrollHeight") // high) if name != "spans" else 1):
            page.read(f"{main}.scrollTo(0, {part * high})")
            yield f"{name}-{part + 1}"
    page.go(f"sentences/{differing}/decision", ".others .answer")
    yield "decision"
    page.go("sentences", "#text")
    page.press("k")
    page.one("dialog")
    yield "keys"
    page.press(ESCAPE)
    page.read("document.getElementById('labels').click()")
    page.one("dialog input.name")
    yield "labels"
    page.press(ESCAPE)
    page.read("document.querySelector('.status button').click()")
    page.one("#name")
    yield "welcome"
    page.press(ENTER)
    page.one("#text")


def take_all(folder: Path, target: Path, page: Page) -> list[str]:
    """Takes the pictures, and returns what is wrong with the views."""
    right, faults = ads(folder), []
    arguments = ("texts", "--documents", "line", "--project", "rooms", "--labels", ",".join(FIELDS), "--overlap", "2")
    with on(folder, *arguments, "--template", "ads") as (url, base, token):
        ann, bob = Annotator(base, token), Annotator(base, token, name="bob")
        fill(ann, bob, right)
        differing = ann.get("disagreements")["disagreements"][0]["text"]
        page.open(url, "ann")
        for size, change in (("1280", page.desk), ("400", page.thumb)):
            change()
            for scheme in ("light", "dark"):
                page.prefers(scheme)
                for name in shown(page, differing, size == "1280"):
                    page.until(lambda: not page.texts(".toast") or not page.texts(".toast")[0])
                    page.driver.save_screenshot(str(target / f"{name}-{size}-{scheme}.png"))
                    if page.read("document.documentElement.scrollWidth > innerWidth"):
                        faults.append(f"{name} {size} {scheme}: it has to be moved sideways")
                    faults += [f"{name} {size} {scheme}: {said}" for said in page.complaints()]
    return faults


def main() -> None:
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    driver = browser()
    try:
        with TemporaryDirectory() as folder:
            sys.exit("\n".join(take_all(Path(folder), target, Page(driver))) or 0)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
