"""One browser for all tests; each test has a tab of its own, in which nothing is remembered."""

from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.with_browser.browsers import Page, browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    driver = browser()
    yield driver
    driver.quit()


@pytest.fixture
def page(chromium) -> Iterator[Page]:
    before = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    page = Page(chromium)
    page.complaints()  # those of the test before
    yield page
    origin = page.read("location.origin")
    if origin.startswith("http"):
        chromium.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    chromium.close()
    chromium.switch_to.window(before)
