"""Texts of every kind: right to left, without blanks, full of markup, very long; and two hundred labels."""

import pytest

from tests.with_browser.benches import answers, begin, on
from tests.with_browser.browsers import BACK, ENTER, LEFT, RIGHT
from tests.with_web.benches import Annotator

ARABIC = ["التقت", "ليلى", "حداد", "بممثلي", "شركة", "الأفق", "في", "القاهرة"]
CHINESE = list("王小明昨天在北京会见了代表。")
MARKUP = [
    "<script>window.hurt=1</script>",
    "<img/src=x/onerror=window.hurt=1>",
    "&amp;",
    '"onload="hurt',
    "{{7*7}}",
    "'",
    "</p>",
]
LONG = [f"word{number}" if number % 25 else "." for number in range(1, 10_001)]
KINDS = [f"kind-{number:03}" for number in range(200)]
HOSTILE = "<b>PER</b>"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    texts = [ARABIC, CHINESE, MARKUP, LONG]
    arguments = begin(folder, texts, ",".join([HOSTILE, *KINDS[1:]]))
    with on(folder, *arguments, "--overlap", "9") as running:
        yield running


def look_for(page, bench, name, tokens):
    """Opens the page for somebody new and goes on to the text."""
    page.open(bench[0], name)
    while page.tokens != tokens:
        page.leaves(lambda: page.press("s"))


def test_right_to_left(page, bench):
    look_for(page, bench, "rtl", ARABIC)
    left, right = (page.one(f"#t{at}").rect["x"] for at in (1, 0))
    assert left < right
    page.press(LEFT)  # on, as the text goes
    assert page.selected == [ARABIC[1]]
    page.shift(LEFT)
    page.press("2")
    page.shows((" ".join(ARABIC[1:3]), KINDS[1]))
    page.press(RIGHT)
    assert page.selected == [ARABIC[1]]


def test_no_blanks_in_chinese(page, bench):
    look_for(page, bench, "cjk", CHINESE)
    assert "".join(page.one("#text").text.split()) == "".join(CHINESE) == page.one("#text").text
    page.drag(0, 2)
    page.press("1")
    page.shows(("王 小 明", HOSTILE))


def test_texts_have_their_own_spacing_on_every_page(page, tmp_path):
    (tmp_path / "news.txt").write_text("McDonald's paid £13.8m (the bail-out of Acme).\nAnn left.\n")
    arguments = ("news.txt", "--from-format", "text", "--documents", "line", "--project", "work", "--labels", "ORG,PER")
    with on(tmp_path, *arguments, "--template", "ner", "--overlap", "2") as (url, base, token):
        bob = Annotator(base, token, name="bob")
        for question in bob.next(5):
            said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": 1}
            bob.say({**said, "spans": [{"first": 0, "stop": 1, "labels": ["PER"]}], "open": [], "forbidden": []})
        page.open(url)
        while "McDonald" not in page.one("#text").text:
            page.leaves(lambda: page.press(ENTER))
        line = "McDonald's paid £13.8m (the bail-out of Acme)."
        assert page.one("#text").text == line
        page.press("1", ENTER)
        page.saved()
        page.go("spans", ".spans")
        page.press("/")
        page.press(*"bail", ENTER)
        page.one(".line")
        assert page.texts(".kwic")[0].replace("\n", "") == "McDonald's paid £13.8m (thebail-out of Acme)."
        assert page.all(".behind.close")
        page.press("y")
        page.saved()
        page.go("words", ".words")
        page.press("/")
        page.one(".ask input").send_keys("bail")
        page.until(lambda: page.texts(".feature h2 bdi") == ["“bail”"])
        assert page.texts(".contexts .behind")[0].startswith("-out of Acme).")
        page.go("progress", ".recent tbody tr")
        page.one(".disagreements article")
        assert any("£13.8m (the bail-out of" in text for text in page.texts(".recent .excerpt"))
        marked = [text.replace("ORG", "").replace("PER", "") for text in page.texts(".answer p")]
        assert line in marked


def test_markup_is_text(page, bench):
    look_for(page, bench, "<i>me</i>", MARKUP)
    page.press("1")
    page.shows((MARKUP[0], HOSTILE))
    page.click("[data-token='1']")
    assert page.one(".detail .place").text == MARKUP[1]
    for other in ("spans", "words", "progress", "sentences"):
        page.read("location.hash = arguments[0]", other)
        page.one("main > *")
    assert page.read("window.hurt") is None
    assert not page.all("#text img, #text b, header i, .label b")
    assert "<i>me</i>" in page.one("header").text
    page.press("k")
    page.one("dialog")


def test_ten_thousand_tokens_and_two_hundred_labels(page, bench):
    look_for(page, bench, "long", LONG)
    assert len(page.all(".label")) == 200
    drawn = "document.querySelectorAll('#text p').length"
    assert page.read(drawn) > 30  # paragraphs, each drawn anew by itself
    changed = """(() => { const seen = new Set(); new MutationObserver(all => all.forEach(each =>
        seen.add((each.target.closest ? each.target : each.target.parentElement).closest('p')))).observe(
        document.getElementById('text'), {subtree: true, childList: true, attributes: true, characterData: true});
        window.seen = seen; })()"""
    page.read(changed)
    page.press("3", RIGHT, RIGHT, "4")
    page.shows((LONG[0], KINDS[2]), (LONG[2], KINDS[3]))
    assert page.read("[...window.seen].filter(Boolean).length") == 1
    page.press(".", ".", "1")
    page.shows((LONG[0], KINDS[2]), (LONG[2], KINDS[20]))
    page.press("/")
    page.one(".finder input")
    page.press(*"199", ENTER)
    page.shows((LONG[0], KINDS[2]), (LONG[2], KINDS[199]))
    page.held("\ue009", "a")
    page.press("?")
    page.until(lambda: page.read("document.querySelectorAll('#text .mark.open .t').length") == len(LONG))
    page.press(BACK)
    page.press(ENTER)
    page.saved()
    said = answers(page, *bench[1:])[-1]["said"]
    assert [(one["first"], one["labels"]) for one in said["spans"]] == [(0, [KINDS[2]]), (2, [KINDS[199]])]
    page.press(BACK)  # four steps, and the answer: all of it comes back
    page.shows((LONG[0], KINDS[2]), (LONG[2], KINDS[199]))
    page.press(BACK)
    page.shows((LONG[0], KINDS[2]), (LONG[2], KINDS[20]))
