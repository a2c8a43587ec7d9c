"""Every page in light and dark and at 200 %: nothing that axe-core finds wrong, nothing that must be moved sideways."""

import pytest

from tests.with_browser.benches import begin, on, taught

SHOWS = {"sentences": "#text", "spans": ".line", "words": ".feature", "progress": ".charts"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with taught(tmp_path_factory.mktemp("looks")) as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWS)
def test_everybody_can_use_it(page, bench, name, scheme):
    page.prefers(scheme)
    page.open(bench[0], "looks")
    page.go(name, SHOWS[name])
    if name == "sentences":  # every kind of mark
        page.press("?", *"\ue014\ue014", "1", "-", "\ue014", "2")
    if name == "words":
        page.press("e")
    assert page.violations() == []
    assert not page.complaints()


@pytest.mark.parametrize("name", SHOWS)
def test_at_200_percent_it_fits(page, bench, name):
    page.open(bench[0], "zoomed")
    page.zoom(2)
    page.go(name, SHOWS[name])
    assert page.read("document.documentElement.scrollWidth <= innerWidth")
    if name == "sentences":
        page.one("button.main").click()  # it can be reached
    assert page.violations() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWS)
def test_it_is_used_by_a_thumb(page, bench, name, scheme):
    page.prefers(scheme)
    page.thumb()
    page.open(bench[0], "thumb")
    page.go(name, SHOWS[name])
    if name == "words":
        page.click("[role=group][aria-label=answers] button", 2)  # the sliders
        page.one(".editor")
    assert page.read("document.documentElement.scrollWidth") == 400
    assert page.read("document.getElementById('main').scrollWidth") == 400
    for box in page.read("[...document.querySelectorAll('.scroll')].map(each => [each.scrollWidth, each.clientWidth])"):
        assert box[0] <= box[1], "no table has to be moved sideways"
    assert not page.one("footer").is_displayed(), "there are no keys"
    assert page.box("header")["height"] < 60, "the pages are in one line"
    small = """[...document.querySelectorAll('main button, main select, nav a')].filter(each => each.offsetParent
        && !each.closest('.features') && each.getBoundingClientRect().height < 40).map(each => each.outerHTML)"""
    assert page.read(small) == []
    assert page.violations() == []
    assert page.complaints() == []


def test_labels_stay_in_sight_of_a_thumb_and_cut_nothing(page, bench):
    page.thumb()
    page.open(bench[0], "thumbs")
    text, labels, last = page.box("#text"), page.box(".palette"), page.box(".sentences .buttons")
    assert text["bottom"] <= labels["top"]
    assert labels["top"] > 400
    assert last["bottom"] <= 800
    words = page.tokens
    page.click("[data-token='2']")
    page.click(".label", 1)
    page.until(lambda: (words[2], "LOC") in page.marks)
    page.swipe(3, 5)
    page.until(lambda: page.selected == words[3:6])
    page.click(".label", 0)
    page.until(lambda: (" ".join(words[3:6]), "PER") in page.marks)
    page.click(".more")
    page.until(lambda: page.one(".status").is_displayed())


def test_dialog_and_welcome(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, [["Ann", "met", "Bob"]])) as (url, _, _):
        page.driver.get(url)
        page.one("#name")
        assert page.violations() == []
        page.open(url)
        page.press("k")
        page.one("dialog")
        assert page.violations() == []
        page.press("\ue00c")
        page.press("\ue007")
        page.one(".notice h2")
        assert page.violations() == []
