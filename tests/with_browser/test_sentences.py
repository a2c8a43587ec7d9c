"""The page of sentences as people use it: by keys, by the mouse, over restarts, and without a server."""

import pytest

from tests.with_browser.benches import answers, begin, on, same_annotator
from tests.with_browser.browsers import BACK, DOWN, ENTER, ESCAPE, LEFT, RIGHT, TAB, Page
from tests.with_web.benches import pool_text

TEXTS = [text.split("\n") for text in pool_text(60).strip().split("\n\n")]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences")
    with on(folder, *begin(folder, TEXTS, "PER,LOC,ORG")) as running:
        yield running


def test_everything_is_done_by_keys(page, bench):
    page.open(bench[0], "keys")
    words = page.tokens  # Ann met Bob in Rome 7 times .
    page.press("1")
    page.shows((words[0], "PER"))
    page.shift("3")
    page.shows((words[0], "PER | ORG"))
    page.press(RIGHT, RIGHT)
    page.shift(RIGHT)
    assert page.selected == words[2:4]
    page.press("2")
    page.shows((words[0], "PER | ORG"), (" ".join(words[2:4]), "LOC"))
    page.press(RIGHT, "?")
    page.shows((words[0], "PER | ORG"), (" ".join(words[2:4]), "LOC"), (words[4], "?"))
    page.press(RIGHT, "-", "1")  # a token that has no label: which one does it not have?
    page.shows((words[0], "PER | ORG"), (" ".join(words[2:4]), "LOC"), (words[4], "?"), (words[5], "not PER"))
    page.press(LEFT, LEFT, "o")
    page.shows((words[0], "PER | ORG"), (words[4], "?"), (words[5], "not PER"))
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    said = answers(page, *bench[1:])[-1]["said"]
    assert said["spans"] == [{"first": 0, "stop": 1, "labels": ["PER", "ORG"]}]
    assert said["open"] == [{"first": 4, "stop": 5}]
    assert said["forbidden"] == [{"first": 5, "stop": 6, "labels": ["PER"]}]


def test_nothing_here_is_an_answer_too(page, bench):
    page.open(bench[0], "nothing")
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    (answer,) = answers(page, *bench[1:])
    assert answer["said"] == {"spans": [], "open": [], "forbidden": []}


def test_no_span_in_this_text_and_no_span_in_the_selection_are_two_things(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        page.open(url, "scopes")
        words = page.tokens
        assert "no span" in page.one("button.main").text
        page.press("1", RIGHT, RIGHT, "2")
        page.shows((words[0], "PER"), (words[2], "LOC"))
        page.until(lambda: "2 spans" in page.one("button.main").text)
        page.click("[title='the selected tokens are in no span']")
        page.shows((words[0], "PER"))
        page.leaves(lambda: page.click("[title='there is no span in this text; go on']"))
        page.saved()
        assert answers(page, base, token)[-1]["said"] == {"spans": [], "open": [], "forbidden": []}
        page.leaves(lambda: page.press(BACK))
        assert page.tokens == words
        page.shows()
        page.press(BACK)
        page.shows((words[0], "PER"))  # what was shown comes back


def test_a_second_visit_begins_by_enter(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        page.open(url, "vera")
        page.leaves(lambda: page.press(ENTER))
        page.saved()
        page.click("header button")  # somebody else goes on
        page.until(lambda: page.read("document.activeElement.id") == "name")
        assert "as vera" in page.one("button.main").text
        page.press(ENTER)
        page.one("#text")
        assert same_annotator(page, base, token).get("state")["annotator"]["name"] == "vera"
        page.click("header button")
        page.one("#name")
        page.press(*"paul", ENTER)
        page.one("#text")
        assert same_annotator(page, base, token).get("state")["annotator"]["name"] == "paul"


def test_header_and_line_agree_on_when_suggestions_begin(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, _, _):
        page.open(url)
        said = page.one(".origin").text.split("\n")
        assert said[:2] == ["chosen at random", "no model yet: suggestions begin after 10 more answers"]
        for count in range(1, 10):
            page.leaves(lambda: page.press("1", ENTER))
            assert page.texts(".origin a") == [f"{count} answered"]
        page.until(lambda: "suggestions begin after 1 more answer" in page.one(".origin").text)
        page.leaves(lambda: page.press("1", ENTER))
        shown = page.tokens
        page.until(lambda: "model 1" in page.one(".status").text)
        page.until(lambda: "asked before model 1 was there" in page.one(".origin").text)
        page.press("1")
        assert page.tokens == shown
        page.leaves(lambda: page.press(ENTER))
        page.until(lambda: "suggestions of model 1" in page.one(".origin").text)  # of the batch that waited already
        page.until(lambda: page.all(".tag small"))


def test_answers_wait_for_a_disk_that_is_full(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        page.open(url, "full")
        full = "nothing can be kept: no space left on device"
        page.answers_with("/api/answers", 507, full)
        words = page.tokens
        page.press("1")
        page.leaves(lambda: page.press(ENTER))
        page.until(lambda: f"cannot save: {full}" in page.one(".trouble").text)
        page.until(lambda: page.one("#saved").text == "1 unsaved")
        page.answers_with("", 0, "")
        page.saved()
        page.until(lambda: not page.one(".trouble").text)
        last = answers(page, base, token)[-1]
        assert (last["tokens"], last["said"]["spans"][0]["labels"]) == (words, ["PER"])


def test_a_label_is_found_by_its_name_and_given_another_key(page, bench):
    page.open(bench[0], "finder")
    first = page.tokens[0]
    page.press("/", *"org", ENTER)  # as fast as somebody types who knows the name
    page.shows((first, "ORG"))
    page.press("k")
    page.click("dialog [aria-label*='key of: ORG']")
    page.press("w")
    page.until(lambda: "W" in page.one("dialog [aria-label*='key of: ORG']").text)
    page.click("dialog [aria-label*='key of: leave open']")
    page.press("u")
    page.until(lambda: "U" in page.one("dialog [aria-label*='key of: leave open']").text)
    page.press(ESCAPE)
    page.until(lambda: not page.all("dialog"))
    page.saved()
    page.driver.refresh()
    page.one("#text")
    page.press(RIGHT, RIGHT, "w", RIGHT, "u")
    page.shows((first, "ORG"), (page.tokens[2], "ORG"), (page.tokens[3], "?"))


def test_the_mouse_snaps_to_tokens_and_labels_first_or_last(page, bench):
    page.open(bench[0], "mouse")
    words = page.tokens
    page.drag(2, 4)
    assert page.selected == words[2:5]
    page.click(".label", 1)
    page.shows((" ".join(words[2:5]), "LOC"))
    page.click("[title*='choose a label, then select']")
    page.click(".label", 0)
    page.click("[data-token='0']")
    page.shows((words[0], "PER"), (" ".join(words[2:5]), "LOC"))
    page.drag(5, 6)
    page.shows((words[0], "PER"), (" ".join(words[2:5]), "LOC"), (" ".join(words[5:7]), "PER"))
    page.click("[data-token='0']")  # what it has already is taken away again
    page.shows((" ".join(words[2:5]), "LOC"), (" ".join(words[5:7]), "PER"))
    page.click(".tag")
    assert page.selected == words[2:5]
    page.leaves(lambda: page.click("button.main"))
    page.saved()
    assert [one["labels"] for one in answers(page, *bench[1:])[0]["said"]["spans"]] == [["LOC"], ["PER"]]


def test_undo_goes_back_over_answers_and_restarts(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        port = int(base.rpartition(":")[2])
        page.open(url)
        first = page.tokens
        page.press("1", RIGHT, RIGHT)
        page.shift("1")
        page.shows((first[0], "PER"), (first[2], "PER"))
        page.leaves(lambda: page.press(ENTER))
        second = page.tokens
        page.press("2")
        page.leaves(lambda: page.press(ENTER))
        page.press(RIGHT, "2")
        draft = page.tokens[1]
        page.shows((draft, "LOC"))
        page.saved()
        page.until(lambda: page.read("Object.keys(localStorage).some(key => key.startsWith('sstag-draft'))"))
    with on(tmp_path, "--project", "work", port=port) as (url, base, token):
        page.open(url)
        page.shows((draft, "LOC"))  # what was not accepted yet is there as well
        page.press(BACK)
        page.shows()
        page.leaves(lambda: page.press(BACK))
        assert page.tokens == second
        page.shows((second[0], "LOC"))
        page.press(BACK)
        page.shows()
        page.leaves(lambda: page.press(BACK))
        assert page.tokens == first
        page.shows((first[0], "PER"), (first[2], "PER"))
        page.press(BACK)
        page.shows((first[0], "PER"))
        page.press(BACK)
        page.shows()
        page.press(BACK)
        page.until(lambda: "nothing to undo" in page.one(".toast").text)
        page.saved()
        assert answers(page, base, token) == []


def test_what_was_taken_back_stays_when_the_next_question_comes_late(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS[:1])) as (url, _, _):
        page.open(url)
        first = page.tokens
        page.press("1", RIGHT, RIGHT, "2")
        comes = page.delayed("/api/next")
        page.press(ENTER)
        page.until(lambda: page.read("Boolean(window.come)"))
        page.press(BACK)
        page.shows((first[0], "PER"), (first[2], "LOC"))
        comes()
        page.shows((first[0], "PER"), (first[2], "LOC"))
        page.press(BACK)
        page.shows((first[0], "PER"))


def test_answers_wait_for_a_server_that_died(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, _):
        port = int(base.rpartition(":")[2])
        page.open(url)
        page.leaves(lambda: page.press(ENTER))
        page.saved()
    given = []
    for _ in range(3):
        given.append(page.tokens)
        page.press("1")
        page.leaves(lambda: page.press(ENTER))
    page.until(lambda: page.one("#saved").text == "3 unsaved")
    page.until(lambda: "3 answers are not saved" in page.one(".trouble").text)
    page.leaves(lambda: page.press(BACK, BACK))  # a step of the text before, and the answer
    assert page.tokens == given[2]
    page.press("2")
    page.leaves(lambda: page.press(ENTER))
    with on(tmp_path, "--project", "work", port=port) as (_, base, token):
        page.saved()
        page.until(lambda: not page.one(".trouble").text)
        said = answers(page, base, token)
        assert [one["tokens"] for one in said[1:]] == given
        assert [[span["labels"] for span in one["said"]["spans"]] for one in said[1:]] == [
            [["PER"]],
            [["PER"]],
            [["LOC"]],
        ]


def test_unsaved_answers_outlive_the_page(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, _):
        port = int(base.rpartition(":")[2])
        page.open(url)
    page.press("1")
    page.leaves(lambda: page.press(ENTER))
    page.until(lambda: page.one("#saved").text == "1 unsaved")
    page.driver.get("about:blank")
    with on(tmp_path, "--project", "work", port=port) as (url, base, token):
        page.open(url)
        page.saved()
        page.until(lambda: len(answers(page, base, token)) == 1)


def test_two_people_work_at_once(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        page.open(url, "ann")
        driver, one = page.driver, page.driver.current_window_handle
        driver.switch_to.new_window("tab")
        other = Page(driver)
        driver.get(url)
        other.one("#text")
        other.click("header button")  # who it is; another one is to go on
        other.open(url, "bob")
        try:
            for label in ("1", "2"):
                page.press(label)
                page.leaves(lambda: page.press(ENTER))
            page.saved()
            bob = answers(page, base, token)
        finally:
            driver.close()
            driver.switch_to.window(one)
        page.press("1")
        page.leaves(lambda: page.press(ENTER))
        page.saved()
        ann = answers(page, base, token)
        assert (len(bob), len(ann)) == (2, 1)
        assert {each["text"] for each in bob}.isdisjoint(each["text"] for each in ann)

        def told():  # the figures of a state are a moment old
            known = same_annotator(page, base, token).get("state")["annotators"]
            return {each["name"]: each["texts"] for each in known} == {"ann": 1, "bob": 2}

        page.until(told)


def test_tab_leaves_the_text_where_there_is_no_suggestion(page, bench):
    page.open(bench[0], "tab")
    page.until(lambda: page.read("document.activeElement.id") == "text")
    page.press(TAB)
    page.until(lambda: page.read("document.activeElement.tagName") == "BUTTON")
    page.press(DOWN)  # other keys still work
    assert not page.complaints()


def test_without_the_secret_the_page_says_what_to_do(page, bench):
    page.driver.get(bench[1])
    page.until(lambda: "Open the address that sstag annotate printed" in page.one("[role=alert]").text)
    assert not page.all("#text")
