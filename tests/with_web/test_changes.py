"""Projects that change while they run: labels added, renamed and removed, and how many annotators see each text."""

import os
import pty
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from bench.workbench import working
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces.annotate.answers import Answer, Ground, answer_in
from sstag.interfaces.annotate.changing import change_labels, change_overlap, label_uses
from sstag.interfaces.annotate.exporting import answers_of, export
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.knowledge import knowledge, settled
from sstag.interfaces.annotate.label_changes import LabelChange, late_answer
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.annotate.questions import Questions
from sstag.interfaces.annotate.saying import Span
from sstag.interfaces.annotate.suggester import Suggester
from tests.with_web.benches import Annotator, begin, pool_text, spans_of, until, until_learned
from tests.with_web.test_exports import Asked, project


class Work:
    """A project at which somebody annotates and changes labels."""

    def __init__(self, folder, sentences: int = 4) -> None:
        where = project(folder, "pool.txt", Asked(), pool_text(sentences), ())
        self.where, self.project, self.count = where, opened(where), 0

    def text(self, number: int) -> str:
        return self.project.pool.hash(number)

    def say(self, kind: str, number: int | None = None, by: str = "ann", **body: object) -> None:
        self.count += 1
        made = self.project
        ground = Ground(made.settings.labels, "iob2", lambda hash: len(made.text(hash).tokens), str)
        about = {} if number is None else {"text": self.text(number)}
        answer = answer_in({"key": f"k{self.count}", "kind": kind, **about, **body}, ground)
        made.store.keep(made.store.begin(by), [answer])

    def change(self, **change: object) -> None:
        self.count += 1
        change_labels(self.project, self.project.store.begin("eve"), f"c{self.count}", LabelChange(**change))

    @property
    def known(self):
        with self.project.store.reading() as file:
            return knowledge(file)

    def whole(self, number: int):
        return self.known.texts[self.text(number)].whole()[0]

    def events(self) -> list[tuple]:
        with self.project.store.reading() as file:
            return [tuple(row) for row in file.execute("select * from event order by id")]


@pytest.fixture
def work(tmp_path):
    made = Work(tmp_path)
    yield made
    made.project.close()


def span(first: int, stop: int, *labels: str) -> dict:
    return {"first": first, "stop": stop, "labels": [*labels]}


def everything(work: Work) -> None:
    """An answer of each kind about PER and ORG."""
    spans = [span(0, 1, "PER"), span(2, 3, "PER", "ORG"), span(4, 5, "ORG")]
    work.say("sentence", 0, spans=spans, forbidden=[span(1, 2, "ORG")], open=[{"first": 6, "stop": 7}])
    work.say("span", 1, **span(0, 1, "ORG"), answer="yes")
    work.say("span", 1, **span(2, 3, "ORG"), answer="no")
    work.say("decision", 2, spans=[span(0, 2, "ORG")])
    work.say("feature", feature="word[0]=met", labels=["ORG"])
    work.say("feature", feature="word[0]=Rome", shares={"ORG": 0.5, "PER": 0.25, "O": 0.25})
    store = work.project.store
    said = {"name": "firms.txt", "label": "ORG", "terms": ["Lee"], "word": "word"}
    store.keep(store.begin("ann"), [Answer("g1", "gazetteer", "gazetteer:firms.txt", said)])


def test_answers_follow_a_label_that_is_renamed(work):
    everything(work)
    before = work.events()
    work.change(renamed={"ORG": "COMPANY"})
    assert work.project.settings.labels == ("PER", "COMPANY")
    assert work.events()[: len(before)] == before, "nothing that was said is rewritten"
    said = work.whole(0)
    assert said.spans == (Span(0, 1, ("PER",)), Span(2, 3, ("PER", "COMPANY")), Span(4, 5, ("COMPANY",)))
    assert said.forbidden == (Span(1, 2, ("COMPANY",)),)
    verdicts = {(one.span, one.answer) for one in settled(work.known.texts[work.text(1)])}
    assert verdicts == {(Span(0, 1, ("COMPANY",)), "yes"), (Span(2, 3, ("COMPANY",)), "no")}
    assert work.whole(2).spans == (Span(0, 2, ("COMPANY",)),)
    lines = work.known.lines
    assert lines["word[0]=met"].said == {"labels": ["COMPANY"]}
    assert lines["word[0]=Rome"].said == {"shares": {"COMPANY": 0.5, "PER": 0.25, "O": 0.25}}
    assert lines["word[0]=Lee"].said == {"labels": ["COMPANY"]}
    work.say("span", 1, **span(0, 1, "COMPANY"), answer="no")  # about what was said under the other name
    verdicts = {(one.span, one.answer) for one in settled(work.known.texts[work.text(1)])}
    assert (Span(0, 1, ("COMPANY",)), "no") in verdicts
    work.project.close()
    target = work.where + ".txt"
    export(answers_of(work.where), "columns", target)
    with open(target) as text:
        written = text.read()
    assert "COMPANY" in written
    assert "ORG" not in written


@pytest.mark.parametrize("becomes", ["open", "outside"])
def test_tokens_of_a_removed_label_become_what_was_said(work, becomes):
    everything(work)
    before = work.events()
    with pytest.raises(Conflict, match="'ORG' is in answers about 2 texts, 2 single spans, 3 words: say what"):
        work.change(removed={"ORG": ""})
    assert work.events() == before
    work.change(removed={"ORG": becomes})
    assert work.project.settings.labels == ("PER",)
    assert work.events()[: len(before)] == before
    said = work.whole(0)
    assert said.spans == (Span(0, 1, ("PER",)),)
    is_open = [(4, 5)] if becomes == "open" else []
    assert [(one.first, one.stop) for one in said.open] == [(1, 2), (2, 3), *is_open, (6, 7)]
    assert said.forbidden == ()
    assert [(one.first, one.stop) for one in work.whole(2).open] == ([(0, 2)] if becomes == "open" else [])
    assert settled(work.known.texts[work.text(1)]) == []
    assert {name: line.said for name, line in work.known.lines.items()} == {
        "word[0]=Rome": {"shares": {"PER": 0.5, "O": 0.5}}
    }
    work.change(added=["ORG"])
    assert work.whole(0).spans == (Span(0, 1, ("PER",)),), "a label of the same name is a new one"
    work.say("sentence", 0, spans=[span(4, 5, "ORG")])
    assert work.whole(0).spans == (Span(4, 5, ("ORG",)),)


def test_a_later_yes_of_a_removed_label_leaves_no_span_or_an_open_one(work):
    work.say("sentence", 0, spans=[span(0, 1, "PER")])
    work.say("span", 0, **span(0, 2, "ORG"), answer="yes")
    work.say("sentence", 1, spans=[span(0, 1, "PER")])
    work.change(removed={"ORG": "outside"})
    assert work.whole(0).spans == work.whole(0).open == ()
    work.change(added=["LOC"])
    work.say("span", 1, **span(0, 2, "LOC"), answer="yes")
    work.change(removed={"LOC": "open"})
    assert work.whole(1).open == (Span(0, 2),)


def test_a_label_that_nobody_gave_is_removed_without_a_question(work):
    work.say("sentence", 0, spans=[span(0, 1, "PER")])
    assert label_uses(work.known, ["PER", "ORG"])["ORG"].json == {"texts": 0, "spans": 0, "features": 0}
    work.change(removed={"ORG": ""})
    assert work.project.settings.labels == ("PER",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "no label is to be"),
        ({"added": ["PER"]}, "there is a label 'PER' already"),
        ({"added": ["LOC", "LOC"]}, "none of them twice"),
        ({"added": ["A|B"]}, "cannot be a label"),
        ({"added": ["O"]}, "leave it out"),
        ({"added": [""]}, "cannot be a label"),
        ({"renamed": {"LOC": "X"}}, "there is no label 'LOC'"),
        ({"renamed": {"PER": "ORG"}}, "there is a label 'ORG' already"),
        ({"renamed": {"PER": "P Q"}}, "cannot be a label"),
        ({"renamed": {"PER": "X", "ORG": "X"}}, "none of them twice"),
        ({"removed": {"LOC": "open"}}, "there is no label 'LOC'"),
        ({"removed": {"PER": "open", "ORG": "open"}}, "labels are 1 to"),
        ({"removed": {"PER": "open"}, "renamed": {"PER": "X"}}, "renamed and removed at once"),
    ],
)
def test_changes_that_make_no_sense_change_nothing(work, change, message):
    before = work.events()
    with pytest.raises(ConfigError, match=message.replace("|", r"\|")):
        work.change(**change)
    assert work.events() == before
    assert work.project.store.settings()["labels"] == ["PER", "ORG"]


def test_a_name_that_another_label_had_is_refused_and_its_own_one_is_not(work):
    work.change(renamed={"ORG": "COMPANY"})
    with pytest.raises(ConfigError, match="'ORG' was the name of 'COMPANY'"):
        work.change(added=["ORG"])
    with pytest.raises(ConfigError, match="'ORG' was the name of 'COMPANY'"):
        work.change(renamed={"PER": "ORG"})
    work.change(renamed={"COMPANY": "ORG"})
    assert work.project.settings.labels == ("PER", "ORG")


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_followed_through_any_changes(tmp_path, seed):
    """Each label is an object here, whose name changes and which may be gone; answers hold on to the object."""
    rng, work = random.Random(seed), Work(tmp_path, 30)
    now = {name: {"name": name} for name in ("PER", "ORG")}
    answers, pages = [], []  # what was said of each text; and what a page knew, and of which labels
    for number in range(30):
        kind = rng.choice(["add", "rename", "remove", "say", "say"])
        name = rng.choice([*now]) if now else None
        new = f"L{rng.randrange(6)}"
        try:
            if kind == "say" and name:
                work.say("sentence", number, spans=[span(0, 1, name)])
                answers.append((number, now[name]))
                pages.append((name, now[name]))
            elif kind == "add":
                work.change(added=[new])
                now[new] = {"name": new}
            elif kind == "rename" and name:
                work.change(renamed={name: new})
                now[name]["name"] = new
                now = {one["name"]: one for one in now.values()}
            elif kind == "remove" and len(now) > 1:
                becomes = rng.choice(["open", "outside"])
                work.change(removed={name: becomes})
                now.pop(name).update(name=None, becomes=becomes)
        except ConfigError:
            continue
    assert {*work.project.settings.labels} == {*now}
    for number, label in answers:
        said = work.whole(number)
        if label["name"]:
            assert said.spans == (Span(0, 1, (label["name"],)),)
        else:
            assert said.spans == ()
            assert bool(said.open) == (label["becomes"] == "open")
    late = work.project.store.labels.late(work.project.settings.labels)
    for name, label in pages:
        if label["name"]:
            assert late(name).name == label["name"]
    work.project.close()


def test_a_late_page_means_the_label_that_it_knew(work):
    work.change(renamed={"ORG": "COMPANY"})
    work.change(removed={"PER": "open"}, added=["LOC"])
    late = work.project.store.labels.late(work.project.settings.labels)
    body = {"kind": "sentence", "spans": [span(0, 1, "PER"), span(1, 2, "ORG"), span(2, 3, "LOC")]}
    said = late_answer(body, late)
    assert said["spans"] == [span(1, 2, "COMPANY"), span(2, 3, "LOC")]
    assert said["open"] == [{"first": 0, "stop": 1}]
    verdict = {"kind": "span", **span(0, 1, "PER"), "answer": "yes"}
    assert late_answer(verdict, late) == verdict, "it is refused when it is checked"
    nothing = {"kind": "sentence", "spans": [], "open": [], "forbidden": []}
    assert late_answer({"kind": "sentence"}, late) == nothing
    bad = (
        {"spans": 3},
        {"spans": [{}]},
        {"spans": [{"labels": ["PER"]}]},
        {"kind": "span"},
        {"kind": "feature", "shares": 3},
    )
    for strange in (None, 3, [], {}, {"kind": []}, *({"kind": "sentence", **one} for one in bad)):
        late_answer(strange, late)  # no error, whatever a client sends: the check of answers refuses it


def asked_of(questions, store, name: str) -> set[str]:
    """The texts that somebody is asked about by now, as long as there is something to ask."""
    session, found = store.begin(name), set()
    while True:
        questions.make(session)
        waiting = store.waiting(session.annotator, 20)
        if not waiting:
            return found
        for one in waiting:
            found.add(one.text.hash)
            said = {"spans": [], "open": [], "forbidden": []}
            key = f"{name}{len(found)}-{one.id}"
            store.keep(session, [Answer(key, "sentence", f"text:{one.text.hash}", said, one.text.hash, one.id)])


@pytest.mark.parametrize("restarted", [False, True])
def test_another_overlap_is_for_texts_from_now_on(tmp_path, restarted):
    work = Work(tmp_path, 30)
    made, store = work.project, work.project.store
    questions = Questions(made, Suggester())
    ann = store.begin("ann")
    questions.make(ann)
    first = {one.text.hash for one in store.waiting(ann.annotator, 20)}
    assert len(first) == 10
    change_overlap(made, 2)
    questions.change_overlap(1)
    if restarted:
        questions.stop()
        made.close()
        work.project = made = opened(work.where)
        store, questions = made.store, Questions(made, Suggester())
    assert made.settings.overlap == 2
    assert questions.left(store.begin("bob"), 0) == 20
    of_ann, of_bob = asked_of(questions, store, "ann"), asked_of(questions, store, "bob")
    assert len(of_ann) == 30
    assert of_bob == of_ann - first
    assert questions.left(store.begin("bob"), 0) == questions.left(store.begin("eve"), 0) == 0
    with pytest.raises(ConfigError, match="1 to 1,000"):
        change_overlap(made, 0)
    questions.stop()
    made.close()


@pytest.mark.parametrize("overlaps", [3, [3], [[1]], [["x", 2]], [[0.0, 0]], [[0.0, 1.5]], [[0.0, 10**6]]])
def test_overlaps_that_somebody_else_wrote_are_an_error(work, overlaps):
    work.project.store.set({"overlaps": overlaps})
    with pytest.raises(DataError, match="overlaps"):
        Questions(work.project, Suggester())


def test_labels_do_not_change_without_end(work):
    for number in range(200):
        work.change(renamed={work.project.settings.labels[1]: f"L{number}"})
    before = work.events()
    with pytest.raises(ConfigError, match="have changed 200 times"):
        work.change(added=["X"])
    assert work.events() == before


def test_options_whose_files_may_name_labels_stand_against_other_names(work):
    work.project.settings = replace(work.project.settings, train=("--rules", "rules.yaml"))
    with pytest.raises(ConfigError, match="--rules"):
        work.change(renamed={"ORG": "COMPANY"})
    work.change(added=["LOC"])


def test_several_annotators_go_on_while_labels_change(tmp_path):
    with working(tmp_path, *begin(tmp_path, 150)) as (_, base, token):
        ann, bob = Annotator(base, token), Annotator(base, token, "bob")
        for who in (ann, bob):
            for question in who.next()[:8]:
                who.answer(question)
        until_learned(ann)
        (shown, *_) = bob.get("next", shown=0)["questions"]
        assert {"LOC", "PER"} >= {label for one in shown["suggested"] for label in one["labels"]} != set()
        assert ann.get("labels")["labels"][1] == {"name": "LOC", "texts": 16, "spans": 0, "features": 0}
        assert ann.post("labels", rename={"LOC": "PLACE"}, add=["DATE"]) == {"labels": ["PER", "PLACE", "DATE"]}
        state = bob.get("state")
        assert ([one["name"] for one in state["labels"]], state["former"]) == (
            ["PER", "PLACE", "DATE"],
            {"LOC": "PLACE"},
        )
        for question in bob.get("next", shown=0)["questions"]:
            labels = {label for one in question["suggested"] for label in one["labels"]}
            assert "LOC" not in labels | {name for one in question["doubts"].values() for name in one}
        said = {"kind": "sentence", "text": shown["text"], "question": shown["question"]}
        bob.say({**said, "spans": spans_of(shown["tokens"]), "seconds": 2.0})  # in the names that the page knew
        answered = bob.get("text", text=shown["text"])
        assert {label for one in answered["answered"]["spans"] for label in one["labels"]} == {"PER", "PLACE"}
        assert answered["answers"] == [{"annotator": "bob", **answered["answered"]}]
        assert "PLACE" in str(bob.get("spans", label="PLACE")) or not bob.get("spans", label="PLACE")["spans"]
        undone = bob.post("undo", key="u1")["undone"]
        assert "LOC" not in str(undone["said"])
        assert undone["kind"] == "sentence", "a change of labels is no answer that is taken back"
        until_learned(ann)
        assert "LOC" not in str(ann.get("text", text=shown["text"]))
        status, refused = ann.asked("labels", {"session": ann.session, "remove": {"PLACE": None}})
        assert status == 409
        assert "'PLACE' is in answers about 16 texts" in refused["error"]
        ann.post("labels", remove={"PLACE": "outside"})
        assert "PLACE" not in str(bob.get("next", shown=0))
        assert "PLACE" not in str(ann.get("history"))
        until_learned(ann)
        model = ann.get("state")["model"]["id"]
        (question, *_) = bob.get("next", shown=0)["questions"]
        assert question["model"] == model
        assert "PLACE" not in str(question)
        progress = ann.get("progress")
        assert progress["accepted"] is not None
    with working(tmp_path, "--project", "work") as (_, base, token):
        ann = Annotator(base, token)
        assert [one["name"] for one in ann.get("state")["labels"]] == ["PER", "DATE"]
        assert ann.get("state")["annotators"][0]["texts"] == 8


@pytest.mark.parametrize("scheme", ["iob2", "plain"])
def test_lists_and_words_are_learned_from_under_the_labels_of_now(tmp_path, scheme):
    with working(tmp_path, *begin(tmp_path, 60), "--scheme", scheme) as (_, base, token):
        ann = Annotator(base, token)
        for question in ann.next():
            ann.answer(question)
        ann.say({"kind": "feature", "feature": "word[0]=met", "labels": ["PER"]})
        ann.say({"kind": "feature", "feature": "word[0]=Rome", "shares": {"LOC": 0.9, "PER": 0.1}})
        ann.post("gazetteers", name="places.txt", label="LOC", terms=["Paris", "London"])
        until_learned(ann)
        ann.post("labels", rename={"LOC": "PLACE"}, add=["DATE"])
        until(lambda: ann.get("state")["model"]["id"] > 1 and not ann.get("state")["training"]["busy"])
        until_learned(ann)
        lines = {one["feature"]: one["said"] for one in ann.get("list")["lines"]}
        assert lines["word[0]=Rome"] == {"shares": {"PLACE": 0.9, "PER": 0.1}}
        assert lines["word[0]=Paris"] == {"labels": ["PLACE"]}
        assert "LOC" not in str([ann.get(path) for path in ("list", "features", "progress", "disagreements")])
        assert "PLACE" in str(ann.get("list"))
        shown = ann.get("spans", term="Rome")["spans"]
        assert {label for one in shown for label in one["labels"]} <= {"PER", "PLACE", "DATE"}
        ann.post("labels", remove={"PLACE": "open"})
        until_learned(ann)
        lines = {one["feature"]: one["said"] for one in ann.get("list")["lines"]}
        assert lines == {"word[0]=met": {"labels": ["PER"]}, "word[0]=Rome": {"shares": {"PER": 1.0}}}
        (question, *_) = ann.get("next", shown=0)["questions"]
        assert question["model"] == ann.get("state")["model"]["id"]


def test_development_data_are_compared_under_the_names_of_now(tmp_path):
    arguments = begin(tmp_path, 60)
    tags = {"Ann": "B-PER", "Bob": "B-PER", "Lee": "B-PER", "Carla": "B-PER", "Rome": "B-LOC", "Paris": "B-LOC"}
    words = (tmp_path / "pool.txt").read_text().splitlines()
    (tmp_path / "dev.txt").write_text("".join(f"{word}\t{tags.get(word, 'O')}\n" if word else "\n" for word in words))
    with working(tmp_path, *arguments, "--dev", "dev.txt") as (_, base, token):
        ann = Annotator(base, token)
        for question in [*ann.next(), *ann.next()]:
            ann.answer(question)
        until_learned(ann)
        before = ann.get("state")["model"]
        ann.post("labels", rename={"LOC": "PLACE"})
        until(lambda: ann.get("state")["model"]["id"] > before["id"])
        after = ann.get("state")["model"]
        assert after["f1"] == pytest.approx(before["f1"], abs=0.1)
        assert after["f1"] > 0.7, "without the names of now, no place would be right"


def test_questions_that_nobody_has_opened_get_the_suggestions_of_the_newest_model(tmp_path):
    with working(tmp_path, *begin(tmp_path, 100)) as (_, base, token):
        ann = Annotator(base, token)
        first = ann.next()
        for question in first[:6]:
            ann.answer(question)
        old = until(lambda: (now := ann.next(14))[13:] and now)
        for question in first[6:]:
            ann.answer(question)
        until_learned(ann)
        waiting, old = ann.next(), old[4:]
        assert waiting == old, "a batch was made before the model"
        assert ann.next() == waiting, "a program that does not say what it shows has what it was given"
        opened_one, *others = ann.get("next", shown=old[0]["question"])["questions"]
        assert opened_one == old[0]
        assert {one["model"] for one in others} == {ann.get("state")["model"]["id"]}
        assert [one["question"] for one in others] == [one["question"] for one in waiting[1:]]
        assert all(one["certainty"] for one in others)
        ann.answer(others[0])
        assert ann.get("progress")["accepted"][0]["texts"] == 1, "compared with what was shown last"


def annotate(folder, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """The command, which ends by itself: it imports, changes labels, or refuses."""
    command = [sys.executable, "-m", "sstag", "annotate", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **more)


def begin_ended(folder, *more: str) -> tuple[str, ...]:
    """Begins a project, and ends; the arguments that did it."""
    arguments = (*begin(folder, 20), *more)
    with working(folder, *arguments):
        pass
    return arguments


def test_the_same_command_again_goes_on(tmp_path):
    arguments = (*begin(tmp_path, 20), "--overlap", "2", "--strategy", "entropy", "--scheme", "bioes")
    with working(tmp_path, *arguments) as (_, base, token):
        ann = Annotator(base, token)
        question = ann.next()[0]
        ann.answer(question)
    with working(tmp_path, *arguments) as (_, base, token):
        assert Annotator(base, token).get("text", text=question["text"])["answered"]
    done = annotate(tmp_path, "--project", "work", "--add-labels", "DATE")
    assert (done.returncode, done.stderr) == (0, "work: the labels are PER,LOC,DATE\n")
    with working(tmp_path, *arguments) as (_, base, token):
        assert [one["name"] for one in Annotator(base, token).get("state")["labels"]] == ["PER", "LOC", "DATE"]
    (tmp_path / "pool.txt").rename(tmp_path / "moved.txt")
    for pool in ("pool.txt", "moved.txt"):  # its texts are in the project; and the other file is the same
        with working(tmp_path, pool, *arguments[1:]) as (_, base, token):
            assert Annotator(base, token).get("state")["pool"]["texts"] == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--labels", "PER,LOC,DATE"), "the project has PER,LOC, and the command says PER,LOC,DATE: --add-labels DATE"),
        (("--labels", "LOC"), "the project has PER,LOC, and the command says LOC: --add-labels, --rename-label"),
        (("--overlap", "3"), "--overlap: the project has 1, and the command says 3: --overlap with --project alone"),
        (("--scheme", "bioes"), "--scheme: the project has iob2, and the command says bioes: a new project"),
        (("--strategy", "entropy"), "--strategy: the project has entropy-rate, and the command says entropy:"),
        (("--template", "chunking"), "--template: the project has ner, and the command says chunking: a new project"),
        (("--from-format", "columns"), "POOL: the project has a pool read without options"),
    ],
)
def test_a_choice_that_differs_is_refused_by_its_name(tmp_path, arguments, message):
    before = begin_ended(tmp_path)
    if arguments[0] in before:
        place = before.index(arguments[0])
        before = (*before[:place], *before[place + 2 :])
    done = annotate(tmp_path, *before, *arguments, "--no-browser")
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_another_pool_is_refused_and_the_way_to_add_it_is_true(tmp_path):
    arguments = begin_ended(tmp_path)
    (tmp_path / "pool.txt").write_text(pool_text(25))
    done = annotate(tmp_path, *arguments)
    assert done.returncode == 2
    assert (
        "POOL: pool.txt is not what it was when the project was begun: --import pool.txt --import-as pool"
        in done.stderr
    )
    (tmp_path / "more.txt").write_text("Zoe\nleft\n\n")
    done = annotate(tmp_path, "more.txt", *arguments[1:])
    assert "--import more.txt --import-as pool adds its texts" in done.stderr
    done = annotate(tmp_path, "--project", "work", "--import", "more.txt", "--import-as", "pool")
    assert (done.returncode, done.stderr) == (0, "more.txt: 1 sentence, 1 of them new\n")


def test_overlap_with_the_project_alone_changes_it(tmp_path):
    arguments = begin_ended(tmp_path)
    with working(tmp_path, "--project", "work", "--overlap", "2") as (_, base, token):
        assert Annotator(base, token).get("state")["overlap"] == 2
    for same in (arguments, (*arguments, "--overlap", "2"), (*arguments, "--overlap", "1")):
        with working(tmp_path, *same) as (_, base, token):
            assert Annotator(base, token).get("state")["overlap"] == 2, "the command that began it changes nothing"


def test_labels_are_changed_by_the_command(tmp_path):
    with working(tmp_path, *begin(tmp_path, 20)) as (_, base, token):
        ann = Annotator(base, token)
        for question in ann.next()[:3]:
            ann.answer(question)
        done = annotate(tmp_path, "--project", "work", "--add-labels", "DATE")
        assert done.returncode == 1
        assert "change labels and overlap on its page" in done.stderr
    change = ("--project", "work", "--rename-label", "LOC=PLACE", "--remove-label", "PER")
    done = annotate(tmp_path, *change, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert "'PER' is in answers about 3 texts: say what their tokens become: --remove-as open or outside" in done.stderr
    terminal, asked = pty.openpty()
    os.write(terminal, b"open\n")
    done = annotate(tmp_path, *change, stdin=asked)
    os.close(terminal)
    os.close(asked)
    assert done.returncode == 0, done.stderr
    assert "'PER' is in answers about 3 texts." in done.stderr
    assert done.stderr.endswith("work: the labels are PLACE\n")
    change = ("--add-labels", "DATE", "--remove-label", "PLACE", "--remove-as", "outside")
    done = annotate(tmp_path, "--project", "work", *change)
    assert done.stderr == "work: the labels are DATE\n"
    answers = answers_of(str(tmp_path / "work"))
    assert all(not said.spans and len(said.open) == 2 for one in answers.texts for said in one.whole())
    with working(tmp_path, "--project", "work") as (_, base, token):
        assert [one["name"] for one in Annotator(base, token).get("state")["annotators"]] == ["ann"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--remove-as", "open"), "--remove-as is for --remove-label"),
        (("--rename-label", "A"), "write OLD=NEW"),
        (("--rename-label", "A=B", "--rename-label", "A=C"), "a label stands twice"),
        (("--add-labels", "A", "--import", "x"), "two commands"),
        (("--add-labels", "A"), "there is no project in work whose labels could change"),
    ],
)
def test_options_of_changes_that_make_no_sense_are_told_so(tmp_path, arguments, message):
    done = annotate(tmp_path, "--project", "work", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
