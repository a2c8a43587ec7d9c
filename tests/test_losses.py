"""Whatever a file says is in the file of another format that is made of it, or is counted in the message."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.formats import FORMATS, Asked, document_input, document_names, document_output
from sstag.corpus.text.documents import ANNOTATORS, ATTRIBUTES, CHOICES, NOTES, PROBABILITIES, RELATIONS, Document
from sstag.corpus.text.folders import bytes_of
from sstag.corpus.text.losses import one_of
from sstag.corpus.text.options import TextOptions
from tests.annotators import ran

TEXT = "Ann  met Bob in Oslo."
PLACES = {"Ann": (0, 3), "Bob": (9, 12), "Oslo": (16, 20)}


def region(number: int, word: str, **more: object) -> dict[str, object]:
    """A region of Label Studio."""
    start, stop = PLACES[word]
    value = {"start": start, "end": stop, "text": word, "labels": ["LOC" if word == "Oslo" else "PER"]}
    return {"id": f"r{number}", "from_name": "label", "to_name": "text", "type": "labels", "value": value, **more}


STUDIO = {
    "id": 5,
    "data": {"text": TEXT, "source": "post"},
    "annotations": [
        {
            "completed_by": 7,
            "result": [
                region(1, "Ann"),
                region(2, "Bob"),
                region(3, "Oslo"),
                {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right", "labels": ["met"]},
                {"type": "relation", "from_id": "r2", "to_id": "r3", "direction": "left"},
                {"id": "c", "from_name": "topic", "type": "choices", "value": {"choices": ["a", "b"]}},
                {"id": "r1", "from_name": "sex", "to_name": "text", "type": "choices", "value": {"choices": ["f"]}},
                {"id": "r2", "from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["a\nb"]}},
                {"id": "n", "from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": "all"}},
                {"id": "s", "from_name": "stars", "to_name": "text", "type": "rating", "value": {"rating": 4}},
            ],
        },
        {"completed_by": 8, "was_cancelled": True, "result": []},
    ],
    "predictions": [{"result": [region(1, "Ann", score=0.5)]}],
    "drafts": [{"result": []}],
    "priority": 3,
}  # fmt: skip
SPAN = {name: {"start": start, "end": stop, "label": "X"} for name, (start, stop) in PLACES.items()}
PRODIGY = {
    "id": 5,
    "text": TEXT,
    "_annotator_id": "vera",
    "_view_id": "relations",
    "spans": [SPAN["Ann"] | {"score": 0.5}, SPAN["Bob"] | {"mood": "good"}],
    "relations": [
        {"head_span": SPAN["Ann"], "child_span": SPAN["Bob"], "label": "met"},
        {"head_span": {"start": 4, "end": 7, "label": None}, "child_span": SPAN["Bob"], "label": "obj"},
    ],
    "meta": {"page": 3},
}
DOCCANO = {
    "id": 5,
    "text": TEXT,
    "entities": [
        {"id": 1, "start_offset": 0, "end_offset": 3, "label": "PER", "link": "Q1"},
        {"id": 2, "start_offset": 9, "end_offset": 12, "label": "PER", "score": 0.5},
    ],
    "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "met"}, {"from_id": 1, "to_id": 9, "type": "lost"}],
    "Comments": ["good"],
}
BRAT = (
    "T1\tPER 0 3\tAnn\nT2\tPER 9 12\tBob\nR1\tmet Arg1:T1 Arg2:T2\t\nR2\tmet Arg1:T1 Arg2:E1\n"
    "A1\tSeen T1\nA2\tConfidence T2 High\nA3\tPast E1\nN1\tReference T2 Wikipedia:7\tBob\n"
    "#1\tAnnotatorNotes T1\tis she?\n#2\tAnnotatorNotes R1\tyes\nE1\tT1:x Theme:T2\n*\tEquiv T1 T2\n"
)
WEBANNO = f"""#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
#T_RL=webanno.custom.Met|value|BT_de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity
#T_RL=webanno.custom.Dependency|kind|BT_de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS


#Text={TEXT}
1-1\t0-3\tAnn\tNNP\tQ1\tPER\t_\t_\tnsubj\t1-2\t
1-2\t5-8\tmet\tVBD\t_\t_\t_\t_\t_\t_\t
1-3\t9-12\tBob\tNNP\t*\tPER\tmet\t1-1\t_\t_\t
1-4\t13-15\tin\t_\t_\t_\t_\t_\t_\t_\t
1-5\t16-20\tOslo\tNNP\t*[1]|*[2]\tLOC[1]|ORG[2]\tin\t1-1[0_2]\t_\t_\t
1-6\t20-21\t.\t.\t_\t_\t_\t_\t_\t_\t
"""
SAID = {  # what each file says besides spans that some format has a place for, and what none has
    "label-studio": (
        {RELATIONS: 2, CHOICES: 2, ATTRIBUTES: 1, NOTES: 2, "other results": 1, ANNOTATORS: 1},
        {"cancelled annotations": 1, "predictions of annotated texts": 1, "drafts": 1,
         "other keys of tasks": 1},
    ),
    "prodigy": (
        {RELATIONS: 1, "relations of tokens that are no spans": 1, PROBABILITIES: 1, ANNOTATORS: 1},
        {"other keys of spans": 1},
    ),
    "doccano": ({RELATIONS: 1, PROBABILITIES: 1}, {RELATIONS: 1, "other keys of spans": 1}),
    "brat": (
        {RELATIONS: 1, ATTRIBUTES: 2, NOTES: 1, "normalizations": 1},
        {RELATIONS: 1, ATTRIBUTES: 1, NOTES: 1, "events": 1, "equivalences": 1},
    ),
    "webanno": (
        {RELATIONS: 2, ATTRIBUTES: 1},
        {"annotations of the layer POS": 5, "annotations of the layer Dependency": 1},
    ),
}  # fmt: skip
READ_AS = {"spans": "doccano"}  # formats that are only written, by what reads them


def native(folder: Path, name: str) -> Path:
    """The file or folder in a format that says all that is expected of it."""
    path = folder / f"in-{name}"
    if name == "brat":
        path.mkdir()
        (path / "5.txt").write_text(TEXT, encoding="utf-8")
        (path / "5.ann").write_text(BRAT, encoding="utf-8")
    elif name == "webanno":
        path.write_text(WEBANNO, encoding="utf-8")
    else:
        record = {"label-studio": [STUDIO], "prodigy": PRODIGY, "doccano": DOCCANO}[name]
        path.write_text(json.dumps(record), encoding="utf-8")
    return path


def documents_in(path: Path, name: str) -> list[Document]:
    """The documents of a file."""
    made = document_input(str(path), Asked(name))
    assert made
    return list(made.documents(str(path), bytes_of(str(path))))


def numbers_of(some: Iterable[Document]) -> Counter[str]:
    """How often documents say things besides spans, by their kinds; and the other keys of their records."""
    found: Counter[str] = Counter()
    for document in some:
        found["other keys of records"] += len(document.more)
        for said in document.said:
            found["spans"] += len(said.spans)
            found[ANNOTATORS] += bool(said.by)
            found[RELATIONS] += len(said.relations)
            found[PROBABILITIES] += sum(span.probability is not None for span in said.spans)
            found.update(remark.kind for remark in said.remarks)
    return found


def counted(messages: str, kinds: Iterable[str]) -> Counter[str]:
    """The numbers of the message about what is not written; things are told by the beginnings of their names."""
    lines = [line.removeprefix("not written: ") for line in messages.splitlines() if line.startswith("not written: ")]
    assert len(lines) <= 1
    found: Counter[str] = Counter()
    for part in re.split(r", (?=\d)", lines[0]) if lines else ():
        number, what = part.split(" ", 1)
        found[next((kind for kind in kinds if what in (kind, one_of(kind))), what)] += int(number.replace(",", ""))
    return found


@pytest.mark.parametrize("name", SAID)
def test_what_a_file_says_is_read_or_counted(tmp_path: Path, name: str) -> None:
    carried, unread = SAID[name]
    some = documents_in(native(tmp_path, name), name)
    numbers = numbers_of(some)
    assert {
        kind: numbers[kind] for kind in numbers if kind not in ("spans", "other keys of records") and numbers[kind]
    } == carried
    assert dict(sum((+Counter(one.unread) for one in some), Counter[str]())) == unread


TARGETS = [name for name in document_names() if name not in ("xmi",)]


@pytest.mark.parametrize(("before", "after"), list(product(SAID, TARGETS)), ids="→".join)
def test_all_comes_back_or_is_counted_between_formats_of_documents(tmp_path: Path, before: str, after: str) -> None:
    path = native(tmp_path, before)
    target = tmp_path / "out"
    settled = ["--overlaps", "outermost"] if after in ("conll2012", "inline", "html") else []
    run = ran("convert", path, "--from-format", before, "--to-format", after, "-o", target, *settled)
    assert run.returncode == 0, run.stderr
    unread = SAID[before][1]
    expected = numbers_of(documents_in(path, before)) + Counter(unread)
    found = counted(run.stderr, [*expected, *unread])
    is_read = FORMATS[after].reads or after in READ_AS
    if is_read:
        found += numbers_of(documents_in(target, READ_AS.get(after, after)))
    shown = () if is_read else document_output(after, TextOptions()).holds
    for kind in {*expected} - {"spans", *shown}:
        assert found[kind] == expected[kind], (kind, run.stderr)


@pytest.mark.parametrize(("before", "after"), list(product(SAID, ["columns", "jsonl", "tokens", "csv", "conllu"])))
def test_all_is_counted_that_formats_of_tokens_have_no_place_for(tmp_path: Path, before: str, after: str) -> None:
    path = native(tmp_path, before)
    settled = ["--overlaps", "outermost"]
    run = ran("convert", path, "--from-format", before, "--to-format", after, *settled)
    assert run.returncode == 0, run.stderr
    carried, unread = SAID[before]
    found = counted(run.stderr, [*carried, *unread])
    expected = Counter(carried) + Counter(unread)
    assert {kind: found[kind] for kind in expected} == dict(expected)


HOLDING = [name for name in SAID if RELATIONS in document_output(name, TextOptions()).holds]


@pytest.mark.parametrize(("before", "after"), list(product(HOLDING, HOLDING)))
def test_relations_and_attributes_are_the_ones_that_they_were(tmp_path: Path, before: str, after: str) -> None:
    path, target = native(tmp_path, before), tmp_path / "out"
    run = ran("convert", path, "--from-format", before, "--to-format", after, "-o", target)
    assert run.returncode == 0, run.stderr
    (first,), (second,) = documents_in(path, before), documents_in(target, after)
    assert second.text == TEXT
    has_labels = before != "label-studio" or after != "brat"  # whose relations have types

    def relations(one: Document) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
        return [(x.first[:2], x.second[:2], x.label) for said in one.said for x in said.relations if x.label]

    assert relations(second) == relations(first)
    assert len(second.said[0].relations) == len(first.said[0].relations) - (not has_labels)
    if before == after or ATTRIBUTES in document_output(after, TextOptions()).holds:

        def attributes(one: Document) -> list[tuple[object, ...]]:
            return sorted(
                (x.span[:2], x.name, x.value or "true") for x in one.said[0].remarks if x.kind == ATTRIBUTES and x.span
            )

        assert attributes(second) == attributes(first)
    if before == after == "label-studio":
        assert sorted(map(str, second.said[0].remarks)) == sorted(map(str, first.said[0].remarks))


def test_columns_and_comments_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    head = "# global.columns = word pos ner\n# source = post\n# sent_id = 1\n"
    path.write_text(f"{head}Ann NNP B-PER\nmet VBD O\n\n# checked = no\na b O\n", encoding="utf-8")
    for form, message in (
        ("doccano", "2 comments, 1 column (pos)"),
        ("jsonl", "2 comments"),
        ("conllu", "2 comments"),
    ):
        run = ran("convert", path, "--to-format", form)
        assert run.stderr.splitlines()[-1] == f"not written: {message}"
    assert "not written" not in ran("convert", path, "--to-format", "columns", "--keep", "word,ner").stderr


@settings(max_examples=60)
@given(
    labels=st.lists(st.sampled_from(["O", "?", "B-PER", "B-LOC", "B-PER|O", "!B-PER"]), min_size=1, max_size=6),
    name=st.sampled_from(["prodigy", "label-studio", "doccano", "brat", "webanno"]),
)
def test_every_label_of_a_text_with_open_ones_comes_back_or_is_counted(labels: list[str], name: str) -> None:
    """A label that is decided beside an open one, or a set of labels, is no open label in silence."""
    with tempfile.TemporaryDirectory() as folder:
        before, between = Path(folder, "in.txt"), f"{folder}/made{'/' if name in ('brat', 'webanno') else ''}"
        lines = "".join(f"w{number}\t{label}\n" for number, label in enumerate(labels))
        before.write_text(f"# global.columns = word label\n# global.label = label\n{lines}\n", encoding="utf-8")
        there = ran("convert", before, "--to-format", name, "-o", between)
        if "leaves no label" in there.stderr:  # all that there are
            return
        back = ran("convert", between, "--from-format", name, "--to-format", "columns")
        assert there.returncode == back.returncode == 0, there.stderr + back.stderr
        after = [line.split("\t")[-1] for line in back.stdout.splitlines() if line and not line.startswith("#")]
        lost = sum(old not in ("?", new) for old, new in zip(labels, after, strict=True))
        if lost:
            found = re.search(r"([0-9]+) (labels? outside|documents? that nobody)", there.stderr)
            assert found, there.stderr
            assert not found[2].startswith("label") or int(found[1]) >= lost
