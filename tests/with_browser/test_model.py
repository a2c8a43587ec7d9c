"""Pages beside a model: its suggestions, spans in context, words and features; by keys alone and by the mouse."""

import pytest

from tests.with_browser.benches import answers, same_annotator, taught
from tests.with_browser.browsers import BACK, DOWN, ENTER, RIGHT, TAB, UP

PLACES = {"Rome", "Paris", "London"}
BY = ".words .ask label:nth-of-type(2) select"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with taught(tmp_path_factory.mktemp("model")) as running:
        yield running


def said(page, bench, count):
    """The last answers, as soon as all are on disk."""
    page.saved()
    found = page.until(lambda: len(given := answers(page, *bench[1:])) >= count and given)
    return [(one["kind"], one["said"]) for one in found[-count:]]


def test_suggestions_are_shown_and_tab_goes_through_them(page, bench):
    page.open(bench[0], "suggestions")
    words, marks = page.tokens, page.marks
    assert {(word, tag) for word, tag in marks} >= {(words[0], "PER")}
    certain = [int(text) for text in page.texts(".tag small")]
    assert len(certain) == len(marks)
    assert all(0 < one <= 100 for one in certain)
    for word, _ in marks:
        page.press(TAB)
        assert page.selected == word.split()
    page.leaves(lambda: page.press(ENTER))
    ((kind, answer),) = said(page, bench, 1)
    assert kind == "sentence"
    assert [(words[one["first"]], one["labels"]) for one in answer["spans"]] == [(word, [tag]) for word, tag in marks]
    page.press(BACK)
    page.until(lambda: page.tokens == words)
    page.until(lambda: page.all(".tag small"))  # they are the model's again


def test_spans_by_keys(page, bench):
    page.open(bench[0], "spans")
    page.shift("c")
    page.one(".line")
    page.press("/")
    page.press(*"Rome", ENTER)
    page.until(lambda: set(page.texts(".line mark")) == {"Rome"})
    page.press("y", "n", "s", "?")
    kinds = [answer["answer"] for _, answer in said(page, bench, 4)]
    assert kinds == ["yes", "no", "skip", "open"]
    page.press(UP, "n")  # what was said last counts
    assert said(page, bench, 1)[0][1]["answer"] == "no"
    page.press(BACK)
    page.until(lambda: len(answers(page, *bench[1:])) == 4)
    page.until(lambda: len(page.all(".line.no")) == 1 and len(page.all(".line")) > 4)  # the lines are there anew
    page.shift("y")
    page.one(".confirm")
    page.press(ENTER)
    page.until(lambda: page.all(".line") and not page.all(".line:not(.yes):not(.no):not(.skip):not(.open)"))
    page.saved()
    found = same_annotator(page, *bench[1:]).get("spans", term="Rome", label="PER", count=50)
    page.until(lambda: found["total"] == len(page.all(".line")))
    assert {one["answer"] for one in found["spans"][4:]} == {"yes"}


def test_spans_by_mouse(page, bench):
    page.open(bench[0], "clicks")
    page.click("nav a", 1)
    page.one(".line")
    page.click(".line:nth-child(3) .choice button", 1)
    ((kind, answer),) = said(page, bench, 1)
    assert (kind, answer["answer"]) == ("span", "no")
    page.until(lambda: page.all(".line:nth-child(3).no"))
    page.until(lambda: page.all(".line:nth-child(4).here"))


def test_words_by_keys(page, bench):
    page.open(bench[0], "words")
    page.shift("w")
    page.one(".feature")
    names = page.read("[...document.querySelectorAll('.features button')].map(each => each.title)")
    said_as = page.texts(".features bdi")
    page.press("o")
    page.press("x")
    page.shift("1")
    page.shift("2")
    page.press(ENTER)
    page.press("e")
    page.until(lambda: page.read("document.activeElement.type") == "range")
    page.press(*[RIGHT] * 4, ENTER)
    given = said(page, bench, 4)
    assert [kind for kind, _ in given] == ["feature"] * 4
    assert [one["feature"] for _, one in given] == names[:4]
    assert given[0][1]["labels"] == ["O"]
    assert given[1][1]["nothing"] is True
    assert given[2][1]["shares"] == {"PER": 0.5, "LOC": 0.5}
    assert sum(given[3][1]["shares"].values()) == pytest.approx(1)
    page.until(lambda: set(page.texts(".list tbody th")) >= {said_as[0], said_as[2], said_as[3]})
    page.press(BACK)
    page.until(lambda: said_as[3] not in set(page.texts(".list tbody th")))


@pytest.mark.parametrize("place", [1, 2])
def test_after_a_choice_the_keys_work(page, bench, place):
    page.open(bench[0], f"choices {place}")
    page.go("words", ".feature")
    before = page.texts(".features bdi")
    select = f".words .ask label:nth-of-type({place}) select"
    page.click(select)
    page.click(f"{select} option", 1)
    page.until(lambda: page.texts(".features bdi") not in ([], before))
    names = page.read("[...document.querySelectorAll('.features button')].map(each => each.title)")
    page.press("1")
    page.shift("2")
    page.press(ENTER, "o", DOWN)
    given = said(page, bench, 3)
    assert [one["feature"] for _, one in given] == names[:3]
    assert [one.get("labels") for _, one in given] == [["PER"], None, ["O"]]
    page.press(BACK)
    page.until(lambda: len(answers(page, *bench[1:])) == 2)
    page.shift("p")
    page.one(".charts")


def test_who_goes_through_a_list_by_its_keys_stays_in_it(page, bench):
    page.open(bench[0], "keys of a list")
    page.go("words", ".feature")
    page.read(f"document.querySelector('{BY}').focus()")
    page.press(DOWN, DOWN)
    page.until(lambda: page.read(f"document.querySelector('{BY}').value") == "prototypes")
    assert page.read("document.activeElement.tagName") == "SELECT"
    page.press(ENTER)
    page.until(lambda: page.read("document.activeElement.className") == "features")


def test_words_are_said_in_words(page, bench, tmp_path):
    page.open(bench[0], "linguist")
    page.go("words", ".feature")
    little = [word in ("“.”", "“in”", "“met”") for word in page.texts(".features bdi")]
    assert any(little)
    assert little == sorted(little), "function words and punctuation come last"
    (tmp_path / "orgs.txt").write_text("met Lee in Rome\n")
    page.chooses(".gazetteers select", "PER")
    page.one(".gazetteers input").send_keys(str(tmp_path / "orgs.txt"))
    row = page.until(lambda: [row for row in page.texts(".list tbody tr") if "met Lee in Rome" in row])
    assert len(row) == 1
    assert row[0].startswith("“met Lee in Rome”PERorgs.txt")
    kinds = page.texts(".words .ask label:nth-of-type(1) option")
    assert {"words", "last 3 letters", "matches [A-Z][.]"} <= {*kinds}
    page.chooses(".words .ask label:nth-of-type(1) select", "suffix(word[0], 3)")
    page.until(lambda: any(name.startswith("ends in -") for name in page.texts(".features bdi")))
    page.press(BACK)


def test_a_list_of_words_that_comes_late_is_not_shown(page, bench):
    page.open(bench[0], "impatient")
    page.go("words", ".feature")
    comes = page.delayed("/api/features")
    page.chooses(BY, "prototypes")
    page.until(lambda: page.read("Boolean(window.come)"))
    page.chooses(BY, "entropy")
    page.until(lambda: page.texts(".features bdi"))
    doubted = page.texts(".features bdi")
    comes()
    assert page.texts(".features bdi") == doubted


def test_lines_that_come_late_do_not_replace_newer_ones(page, bench):
    page.open(bench[0], "hurried")
    page.go("words", ".feature")
    first, second = page.texts(".features bdi")[:2]
    comes = page.delayed("/api/list")
    page.press("1")
    page.until(lambda: page.read("Boolean(window.come)"))
    page.press("1")
    page.until(lambda: {first, second} <= set(page.texts(".list tbody th")))
    comes()
    assert {first, second} <= set(page.texts(".list tbody th"))


def test_words_by_mouse_and_lists_of_names_as_files(page, bench, tmp_path):
    page.open(bench[0], "lists")
    page.click("nav a", 2)
    page.click(".features li:nth-child(2) button")
    page.until(lambda: page.all(".features li:nth-child(2).here"))
    page.click(".one .label", 0)
    ((_, answer),) = said(page, bench, 1)
    assert answer["labels"] == ["PER"]
    (tmp_path / "cities.txt").write_text("Rome\nParis\nOslo\n")
    page.chooses(".gazetteers select", "LOC")
    page.one(".gazetteers input").send_keys(str(tmp_path / "cities.txt"))
    page.until(lambda: "2 of 3" in page.one(".gazetteers [role=status]").text)
    assert "are LOC" in page.one(".gazetteers [role=status]").text
    page.until(lambda: {"“Rome”", "“Paris”"} <= set(page.texts(".list tbody th")))
    page.read("""(() => { const files = new DataTransfer();
        files.items.add(new File(["London\\n"], "more.txt"));
        document.querySelector(".gazetteers input").dispatchEvent(
            new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true})); })()""")
    page.until(lambda: "“London”" in set(page.texts(".list tbody th")))


def test_a_line_of_the_list_says_what_it_changed(page, bench):
    page.open(bench[0], "effects")
    program = same_annotator(page, *bench[1:])
    program.say({"kind": "feature", "feature": "word[0]=times", "shares": {"O": 0.5, "LOC": 0.5}, "seconds": 1})
    program.post("train")
    page.go("words", ".list th")
    page.press(DOWN)

    def changed():
        page.driver.refresh()
        page.one(".list th")
        return [row for row in page.texts(".list tbody tr") if "times" in row and "→" in row]

    assert "LOC" in page.until(changed)[0]


def test_what_was_begun_while_an_answer_is_taken_back_stays(page, bench):
    page.open(bench[0], "hasty")
    page.go("spans", ".line")
    page.press("n")
    page.saved()
    page.press(BACK)
    page.shift("y")  # before the server has said anything
    page.one(".confirm")
    page.until(lambda: not answers(page, *bench[1:]))
    page.until(lambda: not page.all(".line.no"))
    assert page.all(".confirm")
    assert f"Yes to {page.texts('.count')[0].split()[0]} spans" in page.one(".confirm").text
    page.click(".confirm button", 1)
    page.until(lambda: not page.all(".confirm"))
    assert not page.all(".line.yes")
