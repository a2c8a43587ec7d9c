"""Answers folded: the last word of each annotator counts, and what several of them allow together."""

import json
from itertools import product

import pytest

from sstag.corpus.formats import document_names
from sstag.interfaces.annotate.answers import Ground, answer_in
from sstag.interfaces.annotate.exporting import Answers, export
from sstag.interfaces.annotate.knowledge import allowed_tags, knowledge, merged_columns, settled
from sstag.interfaces.annotate.lessons import answered_column
from sstag.interfaces.annotate.records import Text
from sstag.interfaces.annotate.saying import Said, Span, column
from sstag.interfaces.annotate.settings import Settings
from sstag.interfaces.annotate.store import Store

TEXT = Text("0" * 16, {"word": ["Ann", "Lee", "met", "Bob", "."]}, "word")
GROUND = Ground(["PER", "ORG"], "iob2", lambda text: 5, str)
TAGS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]


class Talk:
    """Annotators who say one thing after another."""

    def __init__(self, store: Store) -> None:
        self.store, self.count = store, 0

    def say(self, name: str, kind: str, **more: object) -> None:
        self.count += 1
        body = {"key": f"k{self.count}", "kind": kind, "text": TEXT.hash, **more}
        self.store.keep(self.store.begin(name), [answer_in(body, GROUND)])

    def verdict(self, name: str, first: int, stop: int, label: str, answer: str) -> None:
        self.say(name, "span", first=first, stop=stop, labels=[label], answer=answer)

    @property
    def known(self):
        with self.store.reading() as file:
            return knowledge(file)

    @property
    def text(self):
        return self.known.texts[TEXT.hash]


@pytest.fixture
def talk(tmp_path):
    store = Store(str(tmp_path / "project.db"))
    store.keep_texts([TEXT])
    yield Talk(store)
    store.close()


def spans(*found: tuple[int, int, str]) -> list[dict]:
    return [{"first": first, "stop": stop, "labels": [label]} for first, stop, label in found]


def test_what_is_said_of_a_span_later_changes_the_whole(talk):
    talk.say("ann", "sentence", spans=spans((0, 2, "PER"), (3, 4, "ORG")))
    talk.verdict("ann", 3, 4, "PER", "yes")
    assert talk.text.whole() == [Said((Span(0, 2, ("PER",)), Span(3, 4, ("PER",))))]
    talk.verdict("ann", 0, 2, "PER", "no")
    assert talk.text.whole() == [Said((Span(3, 4, ("PER",)),), rejected=(Span(0, 2, ("PER",)),))]
    talk.verdict("ann", 3, 4, "PER", "open")
    assert talk.text.whole()[0].open == (Span(3, 4),)
    talk.verdict("ann", 1, 3, "ORG", "no")  # nobody said that it is one
    assert talk.text.whole()[0].rejected == (Span(0, 2, ("PER",)),)
    talk.say("ann", "sentence", spans=[])
    assert talk.text.whole() == [Said()]


def test_spans_alone_are_yes_or_no_unless_annotators_differ(talk):
    talk.verdict("ann", 0, 2, "PER", "yes")
    talk.verdict("ann", 3, 4, "ORG", "no")
    talk.verdict("bob", 0, 2, "PER", "no")
    talk.verdict("bob", 3, 4, "ORG", "no")
    found = {(one.span, one.answer) for one in settled(talk.text)}
    assert found == {(Span(3, 4, ("ORG",)), "no")}
    talk.verdict("bob", 0, 2, "PER", "skip")
    talk.verdict("ann", 1, 3, "ORG", "yes")  # the last of two that overlap
    found = {(one.span, one.answer) for one in settled(talk.text)}
    assert found == {(Span(3, 4, ("ORG",)), "no"), (Span(1, 3, ("ORG",)), "yes")}
    assert talk.text.whole() == []


def test_a_decision_counts_instead_of_what_annotators_say(talk):
    talk.say("ann", "sentence", spans=spans((0, 2, "PER")))
    talk.say("bob", "sentence", spans=spans((0, 2, "ORG")))
    assert len(talk.text.whole()) == 2
    talk.say("eve", "decision", spans=spans((0, 1, "PER")))
    assert talk.text.whole() == [Said((Span(0, 1, ("PER",)),))]


def test_features_are_as_the_last_one_says(talk):
    talk.say("ann", "feature", feature="word[0]=Ann", labels=["PER"])
    talk.say("bob", "feature", feature="word[0]=Ann", shares={"PER": 0.9, "O": 0.1})
    talk.say("bob", "feature", feature="word[0]=met", labels=["O"])
    talk.say("ann", "feature", feature="word[0]=met", nothing=True)
    known = talk.known
    assert {name: line.by for name, line in known.lines.items()} == {"word[0]=Ann": "bob"}
    assert known.nothing == {"word[0]=met"}


def test_a_skip_says_nothing(talk):
    talk.say("ann", "skip")
    assert talk.known.is_empty
    talk.verdict("ann", 0, 1, "PER", "skip")
    assert talk.known.is_empty
    talk.verdict("ann", 0, 1, "PER", "no")
    assert not talk.known.is_empty


def test_a_merged_column_allows_what_one_of_them_allows():
    values = ["O", "B-PER", "B-PER|B-ORG", "?", "!B-PER|I-PER", "!O"]
    for one, other in product(values, values):
        (merged,) = merged_columns([[one], [other]], TAGS)
        assert allowed_tags(merged, TAGS) == allowed_tags(one, TAGS) | allowed_tags(other, TAGS)


def test_a_rejected_span_is_a_run_that_says_nothing_of_single_tokens():
    said = Said((Span(3, 4, ("PER",)),), rejected=(Span(0, 2, ("PER",)),))
    assert column(said, 5, "iob2", "O") == ["!PER", "!PER", "O", "B-PER", "O"]
    twice = Said(rejected=(Span(0, 2, ("PER",)), Span(2, 3, ("PER",)), Span(3, 4, ("ORG",))))
    assert column(twice, 5, "iob2", "O") == ["!PER", "!PER", "?", "!ORG", "O"], "runs that touch would be one"
    assert column(Said(rejected=(Span(0, 1, ("PER",)), Span(1, 2, ("PER",)))), 3, "plain", "?") == ["!PER", "!PER", "?"]
    assert column(Said(rejected=(Span(0, 2, ("PER",)),)), 3, "plain", "?") == ["?", "?", "?"]


def test_noes_beside_a_yes_of_two_labels_are_learned_from_where_a_column_has_room(talk):
    talk.say("ann", "span", first=3, stop=4, labels=["PER", "ORG"], answer="yes")
    for first, stop, label in ((0, 2, "PER"), (2, 3, "PER"), (3, 5, "ORG"), (4, 5, "ORG")):
        talk.verdict("ann", first, stop, label, "no")
    labels, left = answered_column(settled(talk.text), 5, "iob2")
    assert labels == ["!PER", "!PER", "?", "B-PER|B-ORG", "!ORG"]
    assert left == 2, "one touches another, one overlaps the yes"


@pytest.mark.parametrize("form", document_names())
def test_texts_in_which_annotators_differ_are_written_in_every_format(talk, form, tmp_path):
    """Where a format has room for one annotation, that is what all of them see."""
    talk.say("ann", "sentence", spans=spans((0, 2, "PER"), (3, 4, "PER")))
    talk.say("bob", "sentence", spans=spans((0, 2, "ORG")))
    settings = Settings(("PER", "ORG"), "iob2", "ner", (), (), "random", 1)
    target = tmp_path / "out"
    export(Answers(settings, talk.known), form, f"{target}/" if form in ("brat", "webanno") else str(target))
    written = target.read_text() if target.is_file() else "".join(path.read_text() for path in target.iterdir())
    assert "Lee" in written
    if form == "doccano":
        assert json.loads(written)["label"] == [[0, 7, "PER"]]  # the first of the two labels, which is told
    if form == "label-studio":
        results = [one["result"] for one in json.loads(written)[0]["annotations"]]
        assert [[region["value"]["labels"] for region in result] for result in results] == [
            [["PER"], ["PER"]],
            [["ORG"]],
        ]
