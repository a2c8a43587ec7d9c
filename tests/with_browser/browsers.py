"""A browser, and a page of the workbench in it as a person uses it: by keys, by the mouse, by looking."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 120  # seconds: until something is seen on a busy machine
WINDOW = "1280,860"
AXE = Path(__file__).parents[2] / "build" / "browser" / "package" / "axe.min.js"
TAB, ENTER, BACK, ESCAPE = Keys.TAB, Keys.ENTER, Keys.BACKSPACE, Keys.ESCAPE
LEFT, RIGHT, UP, DOWN = Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN


def browser() -> webdriver.Chrome:
    """Chromium without a window, with the driver that came with it."""
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    for one in ("--headless=new", "--disable-dev-shm-usage", f"--window-size={WINDOW}", "--hide-scrollbars"):
        options.add_argument(one)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's own sandbox refuses root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


@dataclass
class Page:
    """A page as it is shown, and the acts of a person at it."""

    driver: webdriver.Chrome

    def open(self, url: str, name: str = "ann", shows: str = "#text") -> "Page":
        """Opens an address and says who annotates, if that is asked."""
        self.driver.get(url)
        self.until(lambda: self.all("#name, header"))
        if fields := self.all("#name"):
            fields[0].send_keys(name, ENTER)
        self.one(shows)
        return self

    def go(self, page: str, shows: str) -> None:
        """Goes to one of the pages."""
        self.driver.execute_script("location.hash = arguments[0]", page)
        self.one(shows)

    def until(self, holds: Callable[[], Any]) -> Any:
        """Waits until something holds."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: holds())

    def all(self, css: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css: str) -> WebElement:
        """The first element that fits, as soon as there is one."""
        return self.until(lambda: self.all(css))[0]

    def press(self, *keys: str) -> None:
        """Presses keys one after another."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def held(self, modifier: str, *keys: str) -> None:
        """Presses keys while another one is held."""
        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(*keys).key_up(modifier).perform()

    def shift(self, *keys: str) -> None:
        self.held(Keys.SHIFT, *keys)

    def read(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"return {script}", *arguments)

    def texts(self, css: str) -> list[str]:
        """The texts of all elements that fit, at one moment."""
        return self.read("[...document.querySelectorAll(arguments[0])].map(each => each.textContent)", css)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the text that is shown."""
        return self.texts("#text [data-token]")

    @property
    def selected(self) -> list[str]:
        return self.texts("#text .selected")

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The marks of the text: their words, and what is written behind them, without the model's certainty."""
        script = """[...document.querySelectorAll('#text .mark')].map(mark => [
            [...mark.querySelectorAll('[data-token]')].map(each => each.textContent).join(' '),
            mark.querySelector('.tag')?.firstChild.textContent ?? ''])"""
        return [(words, tag) for words, tag in self.read(script)]

    def shows(self, *marks: tuple[str, str]) -> None:
        """Waits until the text has these marks and no others."""
        try:
            self.until(lambda: self.marks == list(marks))
        except Exception as error:
            raise AssertionError(f"the text has {str(self.marks)[:500]}, not {list(marks)}") from error

    def saved(self) -> None:
        """Waits until the page says that everything is on disk."""
        self.until(lambda: "saved" in self.one("#saved").get_attribute("class").split())

    def leaves(self, action: Callable[[], None]) -> None:
        """Does something after which another text is shown."""
        before = self.tokens
        action()
        self.until(lambda: self.tokens not in ([], before))

    def drag(self, first: int, last: int) -> None:
        """Selects from one token to another by the mouse."""
        places = [self.one(f"[data-token='{at}']") for at in (first, last)]
        ActionChains(self.driver, duration=50).click_and_hold(places[0]).move_to_element(places[1]).release().perform()

    def swipe(self, first: int, last: int) -> None:
        """Moves a finger from one token to another."""
        finger = ActionBuilder(self.driver, mouse=PointerInput("touch", "finger"), duration=50)
        action = finger.pointer_action
        action.move_to(self.one(f"[data-token='{first}']")).pointer_down()
        action.move_to(self.one(f"[data-token='{last}']")).pointer_up()
        finger.perform()

    def click(self, css: str, number: int = 0) -> None:
        self.until(lambda: len(self.all(css)) > number)
        self.all(css)[number].click()

    def chooses(self, css: str, value: str) -> None:
        """Chooses from a list by its value."""
        script = """((css, value) => { const list = document.querySelector(css); list.value = value;
            list.dispatchEvent(new Event('change', {bubbles: true})); })(...arguments)"""
        self.read(script, css, value)

    def delayed(self, path: str) -> Callable[[], None]:
        """Keeps the next answer of the server to such a request back, until what is returned here is called."""
        self.read(
            """(() => { const { fetch } = window;
            window.fetch = async (path, ...rest) => {
                const answer = await fetch(path, ...rest);
                if (!path.startsWith(said) || window.come) return answer;
                await new Promise(resolve => { window.come = resolve; });
                setTimeout(() => { window.came = true; }, 300);
                return answer; }; })""".replace("said", json.dumps(path))
            + "()"
        )

        def comes() -> None:
            self.read("window.come()")
            self.until(lambda: self.read("window.came"))

        return comes

    def prefers(self, scheme: str) -> None:
        """Light or dark, as the system says."""
        said = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", said)

    def zoom(self, factor: int) -> None:
        """The page as the browser zooms it: fewer pixels of the style sheet in the same window, each of them larger."""
        wide, high = (int(side) // factor for side in WINDOW.split(","))
        size = {"width": wide, "height": high, "deviceScaleFactor": factor, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def thumb(self) -> None:
        """A phone: a narrow screen that is touched, without a keyboard."""
        size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def desk(self) -> None:
        """A window as it was, on a machine with a keyboard."""
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})

    def box(self, css: str) -> dict[str, float]:
        """Where the first element that fits is drawn: its top, bottom, left, right, width and height."""
        return self.read("document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", css)

    def answers_with(self, path: str, status: int, error: str) -> None:
        """Has the server answer such requests with a status and an error from now on; an empty path ends that."""
        self.read(
            """((path, status, error) => { window.real ??= window.fetch;
            window.fetch = (asked, ...rest) => path && asked.startsWith(path)
                ? Promise.resolve(new Response(JSON.stringify({error}), {status}))
                : window.real(asked, ...rest); })(...arguments)""",
            path, status, error,
        )  # fmt: skip

    def violations(self) -> list[str]:
        """The rules of axe-core that the page breaks. It must have looked at something."""
        self.driver.execute_script(AXE.read_text())
        self.driver.set_script_timeout(120)
        found = self.driver.execute_async_script(
            "axe.run().then(arguments[0], error => arguments[0]({error: `${error}`}))"
        )
        assert len(found.get("passes", ())) > 10, found.get("error")
        return [json.dumps([one["id"], [node["html"] for node in one["nodes"]]]) for one in found["violations"]]

    def complaints(self, but: Sequence[str] = ()) -> list[str]:
        """The messages of the browser's console since the last time, without messages that have one of these texts."""
        said = [one["message"] for one in self.driver.get_log("browser")]
        return [one for one in said if not any(text in one for text in but)]
