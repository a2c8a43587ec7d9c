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
