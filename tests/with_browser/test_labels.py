"""The labels of a project as people change them on the page, and what is shown to others meanwhile."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.with_browser.benches import answers, begin, on
from tests.with_browser.browsers import ENTER, ESCAPE, RIGHT, TAB
from tests.with_web.benches import Annotator

TEXTS = [["Ann", "met", "Bob", "in", "Rome", str(number)] for number in range(12)]


@pytest.fixture
def bench(tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as running:
        yield running


def names(page) -> list[str]:
    return page.texts(".palette .label span")


def opens(page) -> None:
    page.click("#labels")
    page.one("dialog.labels tbody tr")


def types(page, css: str, text: str) -> None:
    """Writes a text instead of the one that a field has."""
    field = page.one(css)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)


def test_labels_are_changed_by_keys_and_what_is_shown_follows(page, bench):
    page.open(bench[0])
    words = page.tokens
    page.press("1", RIGHT, RIGHT, RIGHT, RIGHT, "2")
    page.shows((words[0], "PER"), (words[4], "LOC"))
    opens(page)
    assert page.read("document.activeElement.closest('dialog') !== null"), "keys are for the dialog"
    types(page, "dialog input[aria-label='name of LOC']", "PLACE")
    types(page, "#new-labels", "DATE, TIME")
    assert page.violations() == []
    page.one("#new-labels").send_keys(ENTER)
    page.until(lambda: not page.all("dialog"))
    page.until(lambda: names(page) == ["PER", "PLACE", "DATE", "TIME"])
    page.shows((words[0], "PER"), (words[4], "PLACE"))  # what was half done follows
    page.driver.refresh()
    page.shows((words[0], "PER"), (words[4], "PLACE"))
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    (answer,) = answers(page, *bench[1:])
    said = [label for span in answer["said"]["spans"] for label in span["labels"]]
    assert said == ["PER", "PLACE"]


def test_a_label_in_answers_says_so_and_a_mistake_is_told(page, bench):
    ann = Annotator(*bench[1:], name="bob")
    question = ann.next(1)[0]
    span = {"first": 0, "stop": 1, "labels": ["PER"]}
    ann.say({"kind": "sentence", "text": question["text"], "question": question["question"], "spans": [span]})
    page.open(bench[0])
    opens(page)
    assert page.texts("dialog td.note") == ["1 text", "no answers"]
    types(page, "dialog input[aria-label='name of LOC']", "PER")
    page.click("dialog .main")
    page.until(lambda: "there is a label 'PER' already" in page.texts("dialog [role=alert]")[0])
    types(page, "dialog input[aria-label='name of LOC']", "LOC")
    page.chooses("dialog select[aria-label='what becomes of PER']", "outside")
    types(page, "#overlap", "2")
    page.click("dialog .main")
    page.until(lambda: names(page) == ["LOC"])
    assert ann.get("state")["overlap"] == 2
    assert ann.get("history")["answers"][0]["said"]["spans"] == []
    opens(page)
    page.press(ESCAPE)
    page.until(lambda: not page.all("dialog"))
    assert names(page) == ["LOC"]


def test_another_page_learns_of_new_names_by_itself(page, bench):
    page.open(bench[0])
    words = page.tokens
    page.press("2")
    ann = Annotator(*bench[1:], name="bob")
    ann.post("labels", rename={"LOC": "constructor"}, add=["__proto__"])
    page.until(lambda: names(page) == ["PER", "constructor", "__proto__"])
    page.shows((words[0], "constructor"))
    page.press(TAB, "3")
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    assert page.complaints() == []


@pytest.mark.parametrize("wide", [1280, 400])
def test_the_dialog_has_room(page, bench, wide):
    size = {"width": wide, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.open(bench[0])
    if wide < 500:
        page.click("header .more")
    opens(page)
    script = """[...document.querySelectorAll('dialog, dialog input, dialog select, dialog button')].map(
        each => each.getBoundingClientRect()).map(({left, right}) => [left, right])"""
    assert all(0 <= left < right <= wide for left, right in page.read(script))
    assert page.violations() == []
