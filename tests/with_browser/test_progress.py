"""The page of progress: probable errors, disagreements, and files."""

import pytest

from tests.with_browser.benches import answers, begin, on, taught, until
from tests.with_browser.browsers import BACK, ENTER
from tests.with_web.benches import Annotator, pool_text, spans_of

TEXTS = [text.split("\n") for text in pool_text(20).strip().split("\n\n")]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with taught(tmp_path_factory.mktemp("progress")) as running:
        yield running


def test_what_was_done_is_counted(page, bench):
    page.open(bench[0], "counting")
    page.leaves(lambda: page.press(ENTER))
    page.saved()
    page.shift("p")
    page.one(".charts")
    rows = page.texts(".progress table:not(.chart table) tbody th")
    assert {"teacher", "counting"} <= set(rows)
    assert page.texts(".figures dt")[:3] == ["answers", "tokens seen", "minutes"]


def test_the_curve_has_a_fair_sample_beside_the_texts_that_the_strategy_asks_for(page, tmp_path):
    with taught(tmp_path) as (url, base, token):
        teacher = Annotator(base, token, name="teacher")
        for _ in range(2):
            for _ in range(15):
                teacher.answer(teacher.get("next", count=1, shown=0)["questions"][0])
            teacher.post("train")
            until(lambda: not teacher.get("state")["training"]["busy"])
        figures = teacher.get("progress")
        assert sum(one["texts"] for one in figures["accepted"]) > figures["sample"][-1]["texts"] >= 10
        page.open(url)
        page.go("progress", ".charts")
        page.until(lambda: len(page.all(".charts section:first-child .line circle")) >= 2)
        assert page.texts(".charts section:first-child .key") == ["texts drawn at random", "all texts that were asked"]
        assert "asks for texts that the model finds hard" in page.one(".charts section:first-child").text


def test_few_texts_have_no_probable_errors(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, _, _):
        page.open(url)
        page.leaves(lambda: page.press(ENTER))
        page.saved()
        page.go("progress", ".suspects")
        page.until(lambda: "needs 19 more answered sentences" in page.one(".suspects").text)
        assert not page.one(".suspects button").is_enabled()


def test_a_probable_error_is_looked_at_again(page, bench):
    teacher = Annotator(*bench[1:], name="slip")
    question = teacher.next(1)[0]
    wrong = [{**span, "labels": ["LOC"]} for span in spans_of(question["tokens"])]
    said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": 1}
    teacher.say({**said, "spans": wrong, "open": [], "forbidden": []})
    page.open(bench[0], "slip")
    page.go("progress", ".suspects button")
    page.one(".suspects button").send_keys(ENTER)
    page.until(lambda: page.all(".suspects a"))
    page.one(f".suspects a[href='#sentences/{question['text']}']").send_keys(ENTER)
    page.until(lambda: page.tokens == question["tokens"])
    page.until(lambda: {tag for _, tag in page.marks} == {"LOC"})
    page.press("1", ENTER)
    page.one(".charts")
    page.saved()
    last = answers(page, *bench[1:])[-1]
    assert (last["text"], last["said"]["spans"][0]["labels"]) == (question["text"], ["PER"])


def test_disagreements_are_decided_or_kept(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS), "--overlap", "2") as (url, base, token):
        ann, bob = (Annotator(base, token, name=name) for name in ("ann", "bob"))
        for person, label in ((ann, "PER"), (bob, "LOC")):
            for question in person.next(3):
                span = {"first": 0, "stop": 1, "labels": [label]}
                said = {"kind": "sentence", "text": question["text"], "question": question["question"], "seconds": 1}
                person.say({**said, "spans": [span], "open": [], "forbidden": []})
        page.open(url, "judge")
        page.go("progress", ".disagreements article")
        assert len(page.all(".disagreements article")) == 3
        page.one(".disagreements .buttons button").send_keys(ENTER)  # A|B
        page.until(lambda: len(page.all(".disagreements article")) == 2)
        page.click(".disagreements .answer button", 1)  # the second one is right
        page.until(lambda: len(page.all(".disagreements article")) == 1)
        page.click(".disagreements .buttons a")
        page.one("#text")
        assert page.texts(".others h3") == ["ann", "bob"], "the answers stay in sight"
        assert page.texts(".others .differs .tag") == ["PER", "LOC"]
        page.shows()  # they agree on no mark
        page.press("1")
        page.shows((page.tokens[0], "PER"))
        page.shift("o")  # no span in this text
        page.one(".charts")
        page.until(lambda: not page.all(".disagreements article"))
        judged = [each["said"]["spans"] for each in answers(page, base, token)]
        assert [[span["labels"] for span in spans] for spans in judged] == [[["PER", "LOC"]], [["LOC"]], []]


def test_files_come_and_go(page, bench, tmp_path):
    page.open(bench[0], "files")
    page.go("progress", ".files")
    page.until(lambda: page.texts(".files option"))
    (tmp_path / "more.txt").write_text("Zoe\nmet\nZachary\n")
    page.read("document.querySelector('.files .ask:nth-of-type(2) label:nth-of-type(2) select').focus()")
    page.press("m")  # more text
    page.one(".files input").send_keys(str(tmp_path / "more.txt"))
    page.until(lambda: "1 text, 1 of them new" in page.one(".files [role=status]").text)
    folder = str(tmp_path / "down")
    page.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
    page.click(".files a")
    until(lambda: [one for one in (tmp_path / "down").glob("*") if not one.name.endswith(".crdownload")])


def test_suggestions_of_other_tools_are_shown_without_a_probability(page, tmp_path):
    with on(tmp_path, *begin(tmp_path, TEXTS)) as (url, base, token):
        rows = "\n".join(f"{text[0]} B-PER\n" + "".join(f"{word} O\n" for word in text[1:]) for text in TEXTS)
        tool = Annotator(base, token, name="tool")
        tool.post("import", name="other.txt", format="columns", **{"as": "suggestions"}, content=rows)
        page.open(url)
        tokens = page.tokens
        page.shows((tokens[0], "PER"))
        assert not page.all(".tag small")
        page.press("2", BACK)
        page.shows((tokens[0], "PER"))
        page.press(ENTER)
        page.saved()
        assert answers(page, base, token)[0]["said"]["spans"] == [{"first": 0, "stop": 1, "labels": ["PER"]}]


def test_the_last_answers_are_corrected(page, bench):
    page.open(bench[0], "second thoughts")
    words = page.tokens
    page.leaves(lambda: page.press("1", ENTER))
    page.saved()
    page.go("spans", ".line")
    page.press("y")
    page.saved()
    page.click("nav a", 3)
    page.until(lambda: len(page.all(".recent tbody tr")) == 2)
    page.until(lambda: page.texts(".recent tbody tr:nth-child(1) button") == ["no"])
    page.one(".recent button").send_keys(ENTER)
    page.until(lambda: page.texts(".recent tbody tr:nth-child(1) button") == ["yes"])
    assert len(page.all(".recent tbody tr")) == 2
    page.click(".recent a")
    page.until(lambda: page.tokens == words)
    page.press("2", ENTER)
    page.one(".recent")
    page.until(lambda: f"{words[0]} LOC" in page.texts(".recent tbody tr:nth-child(1)")[0])
    page.saved()
    last = answers(page, *bench[1:])[-1]["said"]["spans"][0]
    assert (last["first"], last["labels"]) == (0, ["LOC"])
