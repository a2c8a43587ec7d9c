"""The pictures of the workbench in the documents: `make pictures` works through the tutorial and looks at every page.

The texts are generated advertisements. A program that knows their fields annotates beside the browser, ten seconds for
each sentence, so that the pages show what they show after half an hour of work; what that brought is printed.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.with_browser.benches import on, until
from tests.with_browser.browsers import DOWN, TAB, Page, browser
from tests.with_web.benches import Annotator

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
FIELDS = ("size", "rent", "neighborhood", "contact", "available")
FIRST, ALL = 60, 180  # sentences: before the first pictures, and in half an hour
SECONDS = 10.0  # for a sentence
SHOWN = 3  # spans that are suggested, at least, where suggestions are shown
PER_FILE = 50  # texts, each a line


TAGGER = (
    "export rooms -o answers.txt",
    "check answers.txt --most 0",
    "train --template ads --method partial --train answers.txt --model rooms.model",
    "eval --model rooms.model dev.txt",
    "tag --model rooms.model new.txt --format inline",
)


def shell(folder: Path, *command: str) -> str:
    """The output of a command."""
    return subprocess.check_output([sys.executable, "-m", "sstag", *command], cwd=folder, text=True)


@dataclass(frozen=True)
class Gold:
    """All tokens of a column file, one after another, with their tags."""

    tokens: str  # each before a zero byte, and the first behind one
    tags: list[str]

    def spans(self, tokens: list[str]) -> list[dict[str, object]]:
        """The spans of tokens that stand somewhere in the file."""
        begin = self.tokens.index("".join(f"\0{token}" for token in [*tokens, ""]))
        first = self.tokens.count("\0", 0, begin)
        spans: list[dict[str, object]] = []
        for at, tag in enumerate(self.tags[first : first + len(tokens)]):
            role, _, kind = tag.partition("-")
            if role == "I" and spans and spans[-1]["stop"] == at:
                spans[-1]["stop"] = at + 1
            elif role != "O":
                spans.append({"first": at, "stop": at + 1, "labels": [kind]})
        return spans


def gold_of(columns: str) -> Gold:
    rows = [line.split("\t") for line in columns.split("\n") if line and not line.startswith("# ")]
    return Gold("".join(f"\0{row[0]}" for row in rows) + "\0", [row[-1] for row in rows])


def ads(folder: Path) -> Gold:
    """Makes the folder texts and dev.txt in the folder, and returns the right answers about the texts."""
    shell(folder, "sample", "ads", "ads", "--train", "400", "--dev", "100")
    for part, target in (("train", "pool.txt"), ("dev", "dev.txt")):
        lines = []
        for ad in (folder / "ads" / f"{part}.txt").read_text().strip().split("\n\n"):
            words = [line.split() for line in ad.split("\n")]
            text, spans = "", []
            for field, run in groupby(words, key=lambda word: word[1]):
                said = " ".join(word for word, _ in run)
                begin = len(text) + bool(text)
                text = f"{text} {said}".lstrip()
                if field in FIELDS:
                    spans.append([begin, begin + len(said), field])
            lines.append(json.dumps({"text": text, "label": spans}))
        (folder / "ads.jsonl").write_text("\n".join(lines) + "\n")
        shell(folder, "convert", "ads.jsonl", "--from-format", "doccano", "--to-format", "columns",
              "--cut", "expand", "-o", target)  # fmt: skip
        if part == "train":
            texts = [json.loads(line)["text"] for line in lines]
            (folder / "texts").mkdir()
            for begin in range(0, len(texts), PER_FILE):
                part = "\n".join(texts[begin : begin + PER_FILE])
                (folder / "texts" / f"{begin:03}.txt").write_text(f"{part}\n")
    return gold_of((folder / "pool.txt").read_text())


def answer(person: Annotator, right: Gold, count: int) -> None:
    """Answers so many questions rightly, with a training whenever twenty answers are new."""
    for number in range(count):
        question = person.next(1)[0]
        said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": SECONDS}
        person.say({**said, "spans": right.spans(question["tokens"]), "open": [], "forbidden": []})
        if number % 20 == 19:
            learned(person)


def learned(person: Annotator) -> None:
    """Waits until a model knows all answers."""
    person.post("train")
    until(lambda: not trained(person)["busy"])
    assert trained(person)["failure"] is None, trained(person)["failure"]


def trained(person: Annotator) -> dict:
    return person.get("state")["training"]


def take(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.until(lambda: not page.texts(".toast")[0])
    page.driver.save_screenshot(str(PICTURES / f"annotate-{name}.png"))


def work_through(folder: Path, page: Page) -> None:
    right = ads(folder)
    (folder / "new.txt").write_text("Sunny 2 bedroom near Bramshaw , $ 1,450 a month . Call 346 555-0106\n")
    arguments = (
        "texts",
        "--documents",
        "line",
        "--project",
        "rooms",
        "--labels",
        ",".join(FIELDS),
    )
    with on(folder, *arguments, "--template", "ads", "--dev", "dev.txt") as (url, base, token):
        ann = Annotator(base, token)
        page.open(url, "ann")
        take(page, "first")
        answer(ann, right, FIRST)
        answered = FIRST
        while len(ann.next(1)[0]["suggested"]) < SHOWN:
            answer(ann, right, 1)
            answered += 1
        page.driver.refresh()
        page.one("#text .mark")
        page.press(TAB, TAB)
        take(page, "sentences")
        page.prefers("dark")
        take(page, "dark")
        page.prefers("light")
        page.thumb()
        take(page, "thumb")
        page.desk()
        page.press("k")
        page.one("dialog")
        take(page, "keys")
        page.press("\ue00c")
        page.go("spans", ".line")
        page.press("y", "y", "n")
        page.saved()
        take(page, "spans")
        page.go("words", ".feature")
        for name, said in (("word[0]=$", ["rent"]), ("word[0]=call", ["contact"]), ("word[0]=bedroom", ["size"])):
            ann.say({"kind": "feature", "feature": name, "labels": said, "seconds": 3.0})
        learned(ann)
        page.driver.refresh()
        page.until(lambda: page.all(".changes"))
        page.one(".feature")
        page.press(*[DOWN] * 5)
        take(page, "words")
        page.read("document.querySelector('.list').scrollIntoView()")
        take(page, "list")
        answer(ann, right, ALL - answered)
        page.go("progress", ".charts")
        page.driver.refresh()
        page.one(".charts")
        take(page, "progress")
        print(json.dumps(ann.get("progress")))
    for command in TAGGER:
        print(f"$ sstag {command}", shell(folder, *command.split()), sep="\n")


def main() -> None:
    driver = browser()
    try:
        with TemporaryDirectory() as folder:
            page = Page(driver)
            page.prefers("light")
            work_through(Path(folder), page)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
