"""Labels, words, annotators and addresses that are called like what every object of JavaScript has, or like markup."""

import pytest

from tests.with_browser.benches import answers, begin, on, until
from tests.with_browser.browsers import DOWN, ENTER, ESCAPE, RIGHT
from tests.with_web.benches import Annotator

MARKUP = "<img/src=x/onerror=window.hurt=1>"
NAMES = [MARKUP, "__proto__", "constructor", "toString", "hasOwnProperty"]
TEXTS = [[*NAMES[number % 5 :], *NAMES[: number % 5], "met", str(number)] for number in range(60)]


def say(person, count, change=0):
    """Answers questions: each name is a span of the label of its name, or of one that stands so many further on."""
    for question in person.next(20)[:count]:
        spans = [
            {"first": at, "stop": at + 1, "labels": [NAMES[(NAMES.index(word) + change) % 5]]}
            for at, word in enumerate(question["tokens"])
            if word in NAMES
        ]
        said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": 1}
        person.say({**said, "spans": spans, "open": [], "forbidden": []})


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    with on(folder, *begin(folder, TEXTS, ",".join(NAMES)), "--overlap", "2") as running:
        teacher, other = (Annotator(*running[1:], name=name) for name in ("toString", "__proto__"))
        for place, name in enumerate(NAMES):  # before there is a model: the first one has no share of before
            teacher.say({"kind": "feature", "feature": f"word[0]={name}", "labels": [NAMES[place - 1]], "seconds": 1})
        teacher.post("gazetteers", name="valueOf", label="__proto__", terms=["met", "toString met"])
        for _ in range(3):
            say(teacher, 10)
        say(other, 3, change=1)
        until(lambda: teacher.get("state")["model"] and not teacher.get("state")["training"]["busy"])
        teacher.post("train")
        until(lambda: not teacher.get("state")["training"]["busy"])
        teacher.post("suspects")
        until(lambda: not teacher.get("suspects")["busy"])
        yield running


@pytest.mark.parametrize("who", ["constructor", "__proto__"])
def test_every_page_works_whatever_labels_and_words_are_called(page, bench, who):
    page.open(bench[0], who)
    page.until(lambda: page.all("#text .mark"))
    page.press("2", RIGHT, "3", RIGHT, "-", "4")
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    page.go("spans", ".spans")
    page.press("/")
    page.press(*"__proto__", ENTER)
    page.one(".line")
    page.press("y", "n")
    page.saved()
    page.go("words", ".words")
    page.until(lambda: len(page.all(".changes")) >= len(NAMES) + 1)
    assert {f"“{name}”" for name in (*NAMES, "toString met")} <= {*page.texts(".list tbody th")}
    page.press("/")
    page.one(".ask input").send_keys("o")
    page.until(lambda: "“toString”" in page.texts(".features bdi"))
    page.one(".ask input").send_keys(ENTER)
    for place, name in enumerate(page.texts(".features bdi")[:3]):
        page.until(lambda name=name: page.texts(".feature h2 bdi") == [name])
        page.press("e")
        shares = [float(share.removesuffix(" %")) for share in page.texts(".editor output")]
        assert sum(shares) == pytest.approx(100, abs=3), "labels without a share have none"
        page.press(ENTER, *[DOWN] * (place == 3))
    page.saved()
    page.go("progress", ".charts")
    page.until(lambda: page.all(".recent tbody tr") and page.all(".disagreements article"))
    page.click(".disagreements .buttons a")
    page.one(".others .answer")
    for address in ("constructor", "__proto__", "toString"):
        page.go(address, "#text, .notice")
    page.press("k")
    page.one("dialog")
    page.press(ESCAPE)
    page.until(lambda: not page.all("dialog"))
    page.click("#labels")
    page.until(
        lambda: page.read("[...document.querySelectorAll('dialog input.name')].map(each => each.value)") == NAMES
    )
    assert page.complaints() == []
    assert page.read("window.hurt") is None
    assert not page.all("main img, header img, dialog img")
    labels = {
        label
        for one in answers(page, *bench[1:])
        for span in (one["said"] or {}).get("spans", ())
        for label in span["labels"]
    }
    assert {"__proto__", "constructor"} <= labels
