"""Texts with spans come back from every format that can say them, and from columns, whatever is in the text."""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.blocks import Block
from sstag.corpus.formats import (
    FORMATS,
    Asked,
    document_input,
    document_names,
    document_output,
    input_format,
    output_format,
)
from sstag.corpus.formats.conll2012 import OTHER_BLANKS
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read_blocks
from sstag.corpus.text.assembly import Assembly
from sstag.corpus.text.document_parts import leaving, sentences_of
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Span, Spans
from sstag.corpus.text.folders import OTHER_NAMES, bytes_of
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.saving import save_documents
from sstag.corpus.text.sentence_heads import with_heads
from sstag.corpus.text.tokenizer import ADDRESS, is_unseen, token_places
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces import cli
from sstag.labels.label_sets import label_sets
from sstag.labels.marks import Marks
from sstag.labels.spans_of_labels import labelling
from sstag.training.configuration import configuration
from tests.spans_texts import LABELS, documents

Saved = Callable[[bytes], str]
NEEDS_MORE = ("xmi",)  # tests/formats has it, beside the libraries of other tools
LOSSY = ("text", "conll2012")  # they keep no spans, and no text
FILES = [
    name
    for name, entry in FORMATS.items()
    if entry.documents and entry.reads and entry.writes and name not in (*LOSSY, *NEEDS_MORE)
]
FOLDERS = ("brat", "webanno", "xmi")


def kept(name: str, some: list[Document], **options: object) -> str | bytes:
    """Documents in a format: the bytes of a file, or the name of a folder."""
    lost: Counter[str] = Counter()
    made = document_output(name, TextOptions(**options))  # type: ignore[arg-type]
    if name in FOLDERS:
        target = tempfile.mkdtemp()
        assert made.folder
        made.folder(some, target, lost)
    data = target if name in FOLDERS else b"".join(made.written(some, lost))
    lost[OTHER_NAMES] = lost[OTHER_BLANKS] = 0  # which folders and CoNLL-2012 cannot help
    assert not +lost
    return data


def again(name: str, data: str | bytes, **options: object) -> list[Document]:
    """The documents that a format reads, of a file in one piece or in many."""
    made = document_input("-", Asked(name, TextOptions(**options)))  # type: ignore[arg-type]
    assert made
    if isinstance(data, str):
        found = list(made.documents(data, bytes_of(data)))
        shutil.rmtree(data)
        return found
    cut = [data[at : at + 7] for at in range(0, len(data), 7)]
    found = list(made.documents("-", [data]))
    assert [one.text for one in made.documents("-", cut)] == [one.text for one in found]
    return found


def said(some: Iterable[Document]) -> list[tuple[str, list[tuple[int, int, tuple[str, ...]]]]]:
    """The texts and the spans of documents; folders have an order of their own."""
    found = []
    for document in some:
        (one,) = document.said
        found.append((document.text, sorted((span.start, span.stop, span.labels) for span in one.spans)))
    return sorted(found)


def sayable(data: st.DataObject, *names: str) -> list[Document]:
    """Documents that all of some formats can say, with different texts."""
    labels = LABELS.filter(lambda label: " " not in label) if "brat" in names else LABELS
    some = documents(labels=labels)
    # A span that cuts an address can leave this token, which columns cannot hold.
    some = some.filter(lambda one: "-DOCSTART-" not in one.text or not ADDRESS.search(one.text))
    if "webanno" in names:  # whose text begins with a token
        some = some.filter(lambda one: token_places(one.text) != [] and not is_unseen(one.text[0]))
    return data.draw(st.lists(some, min_size=1, max_size=3, unique_by=lambda one: one.text))


@pytest.mark.parametrize("names", list(product(FILES, FILES)), ids="→".join)
@settings(max_examples=40)
@given(data=st.data())
def test_spans_come_back_through_any_two_formats(names: tuple[str, str], data: st.DataObject) -> None:
    some = sayable(data, *names)
    first = again(names[0], kept(names[0], some))
    assert said(first) == said(some)
    second = again(names[1], kept(names[1], first))
    assert said(second) == said(some)
    if not set(names) & set(FOLDERS):
        assert [one.id for one in second] == [one.id for one in some]
    if all(document_output(name, TextOptions()).keeps_more for name in names):
        assert [one.more for one in second] == [one.more for one in some]


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_spans_come_back_through_columns(name: str, data: st.DataObject) -> None:
    some = sayable(data, name)
    made = kept(name, some)
    path, pieces = (made, None) if isinstance(made, str) else ("-", [made])
    blocks = list(read_blocks(path, layout_for(path, format=Asked(name, TextOptions(cut="split"))), data=pieces))
    columns = b"".join(block.text for block in blocks)
    plain = layout_for("-", ["word", "start", "end", "label"], format="columns")
    for read in (blocks, list(read_blocks("-", plain, data=[columns]))):
        made_again = list(assembled(read))
        assert said(made_again) == said(some)
        if first := [one.more for one in again(name, made)] if isinstance(made, bytes) else []:
            assert [one.more for one in made_again] == first
    assert b"".join(block.text for block in read) == columns
    if isinstance(made, str):
        shutil.rmtree(made)


@given(data=st.data())
def test_sentences_that_leave_their_document_keep_their_spans_and_their_text(data: st.DataObject) -> None:
    some = [replace(one, id=f"{n}") for n, one in enumerate(sayable(data, "doccano"))]
    asked = Asked("doccano", TextOptions(cut="split"))
    source = b"".join(document_output("doccano", TextOptions()).written(some, Counter()))
    blocks = list(read_blocks("-", layout_for("-", format=asked), data=[source]))
    found = list(sentences_of(blocks))
    order = data.draw(st.permutations(range(len(found))))
    parts = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found))), np.int64)
    alone = leaving([one.document for one in found], parts)
    whole = {one.document for one, leaves in zip(found, alone, strict=True) if not leaves}
    runs = [[n for n in range(len(found)) if found[n].document == number] for number in sorted(whole)]
    runs += [[n] for n in order if alone[n]]
    texts = [one.alone() if leaves else one.text for one, leaves in zip(found, alone, strict=True)]
    written = b"".join(texts[n] for run in data.draw(st.permutations(runs)) for n in run)
    plain = layout_for("-", ["word", "start", "end", "label"], format="columns")
    spans = []
    for document in assembled(list(read_blocks("-", plain, data=[written]))):
        name, colon, place = document.id.partition(":")
        begin = int(place or 0)
        of = some[int(name)]
        assert document.text == of.text[begin : begin + len(document.text)]
        assert bool(colon) or document.text == of.text
        assert document.more == of.more
        spans += [(name, begin + one.start, begin + one.stop, one.labels) for one in document.said[0].spans]
    assert sorted(spans) == sorted((of.id, one.start, one.stop, one.labels) for of in some for one in of.said[0].spans)


TOKEN_FORMATS = [name for name, entry in FORMATS.items() if entry.reads and entry.writes and not entry.documents]


@pytest.mark.parametrize("name", [*TOKEN_FORMATS, "conll2012"])
@given(data=st.data())
def test_tokens_and_chunks_come_back_through_formats_of_tokens(name: str, data: st.DataObject) -> None:
    labels = LABELS.filter(lambda label: label not in ("!", "?"))
    some = data.draw(st.lists(documents(labels=labels, whole_tokens=True), min_size=1, max_size=3))
    blocks = list(read_blocks("-", layout_for("-", format="doccano"), data=[kept("doccano", some)]))  # type: ignore[list-item]
    if not any(len(block.rows) for block in blocks):
        return
    words, tags = ([cell for block in blocks for cell in block.fields[place]] for place in (0, 3))
    if name == "conll2012":
        whole = kept(name, list(assembled(blocks)))
        assert isinstance(whole, bytes)
    else:
        whole = b"".join(output_format(name).text(block, ("word", "label")) for block in blocks)
    names = ["word", "label"] if name == "columns" else None
    asked = "label" if name == "conllu" else None  # where it is no column
    read = list(read_blocks("-", layout_for("-", names, asked, format=name), data=[whole]))
    place = 1 if name == "conllu" else 0
    assert [cell for block in read for cell in block.fields[place]] == words
    assert [cell for block in read for cell in block.fields[-1]] == tags


def test_labels_in_misc_of_conllu_are_read_if_they_are_asked_for(tmp_path: Path) -> None:
    lines = [{"id": "a", "text": "Ann Lee met Bob.", "label": [[0, 7, "PER"], [12, 15, "PER"]]}]
    lines.append({"id": "b", "text": "So: Oslo", "label": [[4, 8, "LOC"]]})
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")

    def convert(before: str, after: str, *more: str) -> str:
        whole = ["convert", str(tmp_path / before), "-o", str(tmp_path / after), *more]
        run = CliRunner().invoke(cli.sstag, whole, catch_exceptions=False)
        assert run.exit_code == 0, run.output
        return (tmp_path / after).read_text(encoding="utf-8")

    written = convert("in.jsonl", "a.conllu", "--to-format", "conllu")
    again = convert("a.conllu", "again.jsonl", "--label", "label", "--to-format", "doccano")
    assert [json.loads(line) for line in again.splitlines()] == lines
    other = convert("a.conllu", "b.conllu", "--label", "label", "--to-scheme", "bioes")
    assert other == written.replace("=B-", "=S-").replace("=S-PER\n2", "=B-PER\n2").replace("=I-", "=E-")
    assert convert("b.conllu", "c.conllu", "--label", "label", "--to-scheme", "iob2").count("label=B-") == 3
    convert("a.conllu", "rows.jsonl", "--label", "label", "--to-format", "jsonl")
    assert convert("rows.jsonl", "d.conllu", "--to-format", "conllu").count("label=") == written.count("label=")
    with pytest.raises(DataError, match="misc does not say lable=, and there is no column 'lable'") as error:
        list(read_blocks(str(tmp_path / "a.conllu"), layout_for(str(tmp_path / "a.conllu"), label="lable")))
    assert error.value.line == written.splitlines().index(next(x for x in written.splitlines() if x[0] == "1")) + 1


@pytest.mark.parametrize("name", ["jsonl", "tokens"])
@given(data=st.data())
def test_documents_come_back_through_records_of_sentences(name: str, data: st.DataObject) -> None:
    some = sayable(data, "doccano")
    asked = Asked("doccano", TextOptions(cut="split"))
    blocks = list(read_blocks("-", layout_for("-", format=asked), data=[kept("doccano", some)]))  # type: ignore[list-item]
    writer = output_format(name)
    lines = b"".join(writer.text(block, block.columns) for block in with_heads(blocks))
    records = [json.loads(line) for line in lines.splitlines()]
    wordless = sum(not token_places(one.text) for one in some)
    assert len(records) == wordless + sum(len(block.offsets) - 1 for block in blocks)
    assert [*dict.fromkeys(str(one["id"]) for one in records)] == [*dict.fromkeys(one.id for one in some)]
    again_read = list(read_blocks("-", layout_for("-", format=name), data=[lines]))
    found = list(assembled(again_read))
    assert [(one.id, one.text, one.more) for one in found] == [(one.id, one.text, one.more) for one in some]
    assert said(found) == said(some)
    columns = b"".join(block.text for block in blocks)
    assert columns.endswith(b"".join(block.text for block in again_read))  # before it stand the names of columns


def test_records_of_sentences_keep_their_names_and_other_keys(saved: Saved) -> None:
    first = {"id": "a-7", "tokens": ["EU", "rejects"], "ner_tags": ["B-ORG", "O"], "source": {"page": 3}}
    second = {"id": "a-7", "tokens": ["Bonn"], "ner_tags": ["B-LOC"]}
    lines = "".join(json.dumps(one) + "\n" for one in (first, second))
    path = saved(lines.encode())
    blocks = list(read_blocks(path, layout_for(path)))
    assert [(one.id, one.text, one.more) for one in assembled(blocks)] == [
        ("a-7", "EU rejects\nBonn", {"source": {"page": 3}}),
    ]  # fmt: skip
    made = b"".join(output_format("tokens").text(block, block.columns) for block in with_heads(blocks))
    assert [json.loads(line) for line in made.splitlines()] == [first, second]
    columns = layout_for("-", ["word", "label"], format="columns")
    again_read = list(read_blocks("-", columns, data=[b"".join(block.text for block in blocks)]))
    made = b"".join(output_format("jsonl").text(block, ("label",)) for block in with_heads(again_read))
    assert [json.loads(line) for line in made.splitlines()] == [
        {"id": "a-7", "label": ["B-ORG", "O"], "source": {"page": 3}}, {"id": "a-7", "label": ["B-LOC"]},
    ]  # fmt: skip


def test_sentences_without_a_name_get_none(saved: Saved) -> None:
    text = b'{"word": ["a"], "label": ["O"]}\n{"word": ["b"], "label": ["O"]}\n'
    path = saved(text)
    blocks = list(read_blocks(path, layout_for(path, format="jsonl")))
    assert b"".join(block.text for block in blocks) == b"a\tO\n\nb\tO\n\n"
    assert b"".join(output_format("jsonl").text(block, block.columns) for block in with_heads(blocks)) == text


def test_a_name_that_comments_give_a_sentence_is_its_id() -> None:
    text = b"# document = d1\n# sent_id = d1-1\na O\n\nb O\n\n-DOCSTART- O\n\nc O\n\n# id = 5\nd O\n\n"
    blocks = with_heads(read_blocks("-", data=[text]))
    made = b"".join(output_format("jsonl").text(block, ("word",)) for block in blocks)
    records = [json.loads(line) for line in made.splitlines()]
    assert [(one.get("id"), one.get("sent_id")) for one in records] == [
        ("d1", "d1-1"), ("d1", None), (None, None), (5, None),
    ]  # fmt: skip


NAMED = """# newdoc id = d1
# sent_id = d1-1
1\tAnn\t_\tPROPN\t_\t_\t_\t_\t_\t_
2\tmet\t_\tVERB\t_\t_\t_\t_\t_\t_

# sent_id = d1-2
1\tIt\t_\tPRON\t_\t_\t_\t_\t_\t_

# newdoc id = a "b" c
# sent_id = d1-2
1\tBye\t_\tINTJ\t_\t_\t_\t_\t_\t_

1\tBye\t_\tINTJ\t_\t_\t_\t_\t_\t_

"""


@pytest.mark.parametrize("names", list(product(TOKEN_FORMATS, TOKEN_FORMATS)), ids="→".join)
def test_names_of_documents_and_sentences_come_back_through_any_two_formats(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    (tmp_path / "in.conllu").write_text(NAMED, encoding="utf-8")
    before, read_as = tmp_path / "in.conllu", "conllu"
    for number, name in enumerate([*names, "conllu"]):
        convert = [
            "convert",
            str(before),
            "--from-format",
            read_as,
            "--to-format",
            name,
            "-o",
            str(tmp_path / f"{number}"),
        ]
        keep = ["--keep", "form,upos"] if read_as == "conllu" else []
        columns = ["--columns", "form,upos"] if read_as == "columns" else []
        run = CliRunner().invoke(cli.sstag, [*convert, *keep, *columns], catch_exceptions=False)
        assert run.exit_code == 0, run.output
        before, read_as = tmp_path / f"{number}", name
    lines = [line for line in before.read_text(encoding="utf-8").splitlines() if line.startswith("# ")]
    lines = [line for line in lines if not line.startswith("# global.")]  # what the label is called
    if "csv" in names:  # where every sentence has a name
        assert lines.pop() == "# sent_id = 4"
    assert lines == [line for line in NAMED.splitlines() if line.startswith("#")]


@pytest.mark.parametrize("name", [name for name in document_names() if name not in NEEDS_MORE])
@pytest.mark.parametrize("named", [True, False])
def test_names_of_sentences_within_documents_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, named: bool
) -> None:
    lines = NAMED if named else NAMED.replace("# newdoc", "# note")  # without documents the names are those of these
    (tmp_path / "in.conllu").write_text(lines, encoding="utf-8")
    target = f"{tmp_path}/out/" if name in FOLDERS else f"{tmp_path}/out"
    convert = ["convert", f"{tmp_path}/in.conllu", "--to-format", name, "-o", target]
    CliRunner().invoke(cli.sstag, convert, catch_exceptions=False)
    assert ("not written: 3 names of sentences" in caplog.text) == named
    assert "names of sentences" not in caplog.text.replace("3 names of sentences", "", 1)


def test_labels_that_are_fewer_than_words_are_an_error(saved: Saved) -> None:
    path = saved(b'{"tokens": ["a", "b"], "ner_tags": ["O"], "keywords": ["x"]}\n')
    with pytest.raises(DataError, match="'ner_tags' has 1 values, but 'tokens' has 2") as error:
        list(read_blocks(path, layout_for(path, format="tokens")))
    assert (error.value.path, error.value.line) == (path, 1)


def test_sentences_of_csv_stay_apart_whatever_their_names(saved: Saved) -> None:
    text = b"# sent_id = 2\na O\n\n# sent_id = 2\nb O\n\nc O\n\nd O\n\n"
    rows = b"".join(output_format("csv").text(block, ("word",)) for block in with_heads(read_blocks("-", data=[text])))
    assert rows == b"sentence,word\n2,a\n\n2,b\n3,c\n4,d\n"
    (block,) = read_blocks("-", layout_for("-", format="csv"), data=[rows])
    assert np.diff(block.offsets).tolist() == [1, 1, 1, 1]


def test_what_only_words_are_written_of_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = [{"id": 1, "text": "", "label": []}, {"id": 2, "text": "Ann", "label": [], "page": 3}]
    lines.append({"id": 3, "text": "  ", "label": [], "page": 4})
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    for name in ("csv", "conllu"):
        caplog.clear()
        CliRunner().invoke(cli.sstag, ["convert", str(path), "--to-format", name], catch_exceptions=False)
        assert [one.getMessage() for one in caplog.records] == [
            "not written: 2 documents without a word, 2 other keys of records",
        ]
    caplog.clear()
    for name in ("jsonl", "tokens"):
        run = CliRunner().invoke(cli.sstag, ["convert", str(path), "--to-format", name], catch_exceptions=False)
        assert [str(json.loads(line)["id"]) for line in run.stdout.splitlines()] == ["1", "2", "3"]
    assert not caplog.records


def test_conllu_says_where_no_blank_follows(saved: Saved) -> None:
    path = saved(b'{"text": "Bob left.", "label": [[0, 3, "PER"]]}\n')
    (block,) = read_blocks(path, layout_for(path))
    text = output_format("conllu").text(block, ("word", "label"))
    (again_read,) = read_blocks("-", layout_for("-", format="conllu"), data=[text])
    assert [*again_read.fields[-1]] == [b"label=B-PER", b"SpaceAfter=No|label=O", b"label=O"]
    (made,) = assembled([again_read], "iob2", "upos")
    assert made.text == "Bob left."


def assembled(blocks: list[Block], scheme: str = "iob2", label: str = "label") -> Iterator[Document]:
    assembly = Assembly("-")
    for block in blocks:
        yield from assembly.documents(block, [labelling(block, label, scheme, Marks())])
    yield from assembly.last()


LINE = {"text": "Ann Lee met Bob.", "label": [[0, 7, "PER"]]}
COLUMN = "B-PER I-PER O O O"


def column(saved: Saved, data: object, name: str | None = None, **options: object) -> str:
    """The label column of a file of one record, or of some."""
    records = data if isinstance(data, list) else [data]
    path = saved("".join(json.dumps(one) + "\n" for one in records).encode())
    layout = layout_for(path, format=Asked(name, TextOptions(**options)))  # type: ignore[arg-type]
    blocks = list(read_blocks(path, layout))
    return " ".join(label.decode() for block in blocks for label in block.fields[-1])


VARIANTS = [
    {"text": "Ann Lee met Bob.", "labels": [[0, 7, "PER"]]},
    {"text": "Ann Lee met Bob.", "entities": [{"start_offset": 0, "end_offset": 7, "label": "PER", "id": 3}]},
    {"text": "Ann Lee met Bob.", "spans": [{"start": 0, "end": 7, "label": "PER", "text": "Ann Lee", "score": 0.5}]},
    {"data": "Ann Lee met Bob.", "label": [[0, 7, "PER"]], "meta": {}},
    ["Ann Lee met Bob.", {"entities": [[0, 7, "PER"]]}],
]


@pytest.mark.parametrize("record", VARIANTS)
def test_doccano_and_files_like_it(saved: Saved, record: object) -> None:
    assert column(saved, [record], "doccano") == COLUMN


def test_keys_can_be_named(saved: Saved) -> None:
    record = {"body": "Ann Lee met Bob.", "marks": [[0, 7, "PER"]]}
    assert column(saved, record, "doccano", keys={"text": "body", "spans": "marks"}) == COLUMN


def test_what_nobody_annotated_is_open(saved: Saved) -> None:
    assert column(saved, {"text": "Ann met"}, "doccano") == "? ?"
    assert column(saved, {"text": "Ann met", "label": []}, "doccano") == "O O"
    assert column(saved, {"text": "Ann met", "label": [[0, 3, "PER"]]}, "doccano", rest="?") == "B-PER !I-PER"


def prodigy(*spans: tuple[int, int], answer: str = "accept", **more: object) -> dict[str, object]:
    text = "Ann met Bob"
    tokens = [{"text": word, "start": 4 * n, "end": 4 * n + 3, "id": n} for n, word in enumerate(text.split())]
    said = [
        {"start": 4 * first, "end": 4 * last + 3, "label": "PER", "token_start": first, "token_end": last}
        for first, last in spans
    ]
    return {"text": text, "tokens": tokens, "spans": said, "answer": answer, **more}


PRODIGY = [
    ([prodigy((0, 0))], "B-PER !I-PER ?"),
    ([prodigy((0, 0), _view_id="ner_manual")], "B-PER O O"),
    ([prodigy((2, 2), answer="reject")], "? ? !B-PER"),
    ([prodigy((0, 0), answer="reject")], "!PER ? ?"),  # B-PER I-PER is not ruled out: no set of one token says that
    ([prodigy((0, 0)), prodigy((2, 2), answer="reject")], "B-PER !I-PER !B-PER"),
    ([prodigy((0, 1), answer="reject"), prodigy((2, 2))], "!PER !PER B-PER"),
    ([prodigy((1, 2), answer="reject"), prodigy((0, 0))], "B-PER !I-PER ?"),
    ([prodigy((0, 0), answer="ignore")], "? ? ?"),
    ([prodigy((0, 0), (2, 2), answer="reject")], "? ? ?"),
]


@pytest.mark.parametrize(("records", "found"), PRODIGY)
def test_answers_of_prodigy(saved: Saved, records: list[object], found: str) -> None:
    assert column(saved, records) == found


def test_a_rejected_span_is_ruled_out_exactly_or_counted(saved: Saved, caplog: pytest.LogCaptureFixture) -> None:
    overlapping = [prodigy((0, 1), answer="reject"), prodigy((1, 2), answer="reject")]
    assert column(saved, overlapping) == "!PER !PER ?"
    assert "1 span is rejected in a way that a label column cannot say" in caplog.text


def task(
    *regions: dict[str, object], text: str = "Ann 😀 Lee\r\nmet", by: object = None, **more: object
) -> dict[str, object]:
    result = [{"from_name": "l", "to_name": "t", "type": "labels", "value": one} for one in regions]
    return {"id": 4, "data": {"text": text}, "annotations": [{"result": result, "completed_by": by}], **more}


def test_label_studio_counts_as_its_own_texts_do(saved: Saved) -> None:
    code_points = {"start": 6, "end": 9, "text": "Lee", "labels": ["PER"]}
    assert column(saved, task(code_points)) == "O O B-PER O"
    units = code_points | {"start": 7, "end": 10}
    assert column(saved, task(units)) == "O O B-PER O"
    assert column(saved, task(units | {"text": None}), offsets="utf16") == "O O B-PER O"
    with pytest.raises(DataError, match=r"'annotations'\[0\].result\[0\].value.text is 'Bob', but the text has 'Lee'"):
        column(saved, task(code_points | {"text": "Bob"}))


def test_labels_of_a_region_are_alternatives(saved: Saved) -> None:
    one = {"start": 0, "end": 3, "text": "Ann", "labels": ["PER", "LOC"]}
    assert column(saved, task(one)) == "B-PER|B-LOC O O O"
    (document,) = assembled(
        list(read_blocks("-", layout_for("-", format="label-studio"), data=[json.dumps([task(one)]).encode()]))
    )
    assert document.said[0].spans == (Span(0, 3, ("PER", "LOC")),)


def test_several_annotators_are_several_columns(saved: Saved) -> None:
    one, other = (task({"start": 0, "end": 3, "labels": [label]}, by=by) for label, by in (("PER", 7), ("LOC", 9)))
    both = one | {"annotations": [*one["annotations"], *other["annotations"]]}  # type: ignore[misc]
    path = saved(json.dumps([both, one]).encode())
    asked = Asked("label-studio", TextOptions(annotators=("7", "9")))
    (block,) = read_blocks(path, layout_for(path, format=asked))
    assert block.columns == ("word", "start", "end", "label.7", "label.9")
    assert block.fields[3] == [b"B-PER", b"O", b"O", b"O"] * 2
    assert block.fields[4] == [b"B-LOC", b"O", b"O", b"O", b"?", b"?", b"?", b"?"]
    with pytest.raises(DataError, match=r"2 annotations \(--annotators 7,9 makes a column of each\)"):
        list(read_blocks(path, layout_for(path, format="label-studio")))


CUT = {"text": "Annie Lee met", "label": [[0, 3, "A"], [6, 13, "B"]]}
CUTS = {"expand": "B-A B-B I-B", "split": "B-A O B-B I-B"}


@pytest.mark.parametrize("cut", CUTS)
def test_a_span_that_cuts_a_token(saved: Saved, cut: str) -> None:
    assert column(saved, CUT, cut=cut) == CUTS[cut]
    assert column(saved, {"text": "a bcd efg", "label": [[0, 7, "A"]]}, cut="shrink") == "B-A I-A O"


def test_spans_that_cut_tokens_are_counted(saved: Saved) -> None:
    message = r"file:1: the span 0–3 'Ann' \(A\) cuts the token 'Annie' .*; 2 documents with such spans in all"
    with pytest.raises(DataError, match=message):
        column(saved, [CUT, LINE, CUT])


def test_spans_without_a_whole_token_shrink_to_nothing(saved: Saved, caplog: pytest.LogCaptureFixture) -> None:
    within = {"text": "Annie Lee", "label": [[1, 4, "A"], [3, 8, "B"]]}  # in a token, and over the end of one
    assert column(saved, CUT, cut="shrink") == "O B-B I-B"
    assert [line.partition(": ")[2] for line in caplog.messages] == [
        "1 span is left out, without a whole token (--cut shrink)"
    ]
    caplog.clear()
    assert column(saved, within, cut="shrink") == "O O"
    assert "2 spans are left out, without a whole token (--cut shrink)" in caplog.text


NESTED = {"text": "the king of Spain met", "label": [[0, 17, "P"], [12, 17, "L"], [12, 17, "L"]]}


def test_overlapping_spans(saved: Saved) -> None:
    assert column(saved, NESTED, overlaps="outermost") == "B-P I-P I-P I-P O"
    assert column(saved, NESTED, overlaps="innermost") == "O O O B-L O"
    with pytest.raises(
        DataError, match=r"the span 0–17 'the king of Spain' \(P\) and the span 12–17 'Spain' \(L\) overlap"
    ):
        column(saved, NESTED)


def test_a_span_goes_on_over_the_end_of_a_sentence(saved: Saved) -> None:
    path = saved(json.dumps({"text": "A No. 5. Then B.", "label": [[2, 8, "X"]]}).encode())
    (block,) = read_blocks(path, layout_for(path))
    assert block.offsets.tolist() == [0, 5, 8]


FAULTS = [
    ("doccano", '{"text": 3}', "'text' is the number 3, not a text"),
    ("doccano", '{"label": []}', r"no key 'text' for the text \(--key text=NAME names it\)"),
    ("doccano", '{"text": "a", "label": [[0, 2, "X"]]}', r"'label'\[0\] is 0 to 2: no span of a text of 1 characters"),
    ("doccano", '{"text": "a", "label": [[1, 1, "X"]]}', r"'label'\[0\] is 1 to 1"),
    ("doccano", '{"text": "a", "label": [[0, 1]]}', r"'label'\[0\] is a list, not \[start, end, label\]"),
    ("doccano", '{"text": "a", "label": [[0, 1.5, "X"]]}', r"'label'\[0\]\[1\] is the number 1.5, not a whole number"),
    ("doccano", '{"text": "a", "label": 7}', "'label' is the number 7, not a list"),
    ("doccano", '{"text": "a", "label": [[0, 1, "A|B"]]}', r"the label 'A\|B' cannot stand in a column"),
    ("doccano", '{"text": "a", "spans": [{"start": 0, "label": "X"}]}', "lacks a start, an end or a label"),
    ("doccano", '{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X", "text": "b"}]}',
     "says 'b', but the text has 'a'"),
    ("doccano", '{"text": "\\ud83d", "label": []}', "half a surrogate pair"),
    ("doccano", '{"text": "a" "label": []}', r"no JSON: expecting ',' delimiter \(character 14\)"),
    ("doccano", '{"text": ' + "[" * 100_000, "too deep"),
    ("doccano", "7", "the record is the number 7, not an object"),
    ("prodigy", '{"text": "ab", "tokens": [{"start": 0, "end": 1, "text": "b"}]}', r"'tokens'\[0\] says 'b'"),
    ("prodigy", '{"text": "ab", "answer": "yes"}', "'answer' is 'yes', not accept, reject, ignore"),
    ("prodigy", '{"text": "a", "tokens": [], "spans": [{"start": 0, "end": 1, "token_start": 0, "token_end": 0}]}',
     "tokens 0 to 0 are not characters 0 to 1"),
    ("label-studio", '{"data": []}', "'data' is a list, not an object"),
    ("label-studio",
     '{"data": {"text": "a"}, "annotations": [{"result": [{"type": "labels", "value": {"start": 0, "end": 1}}]}]}',
     "labels is null, not a list"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "message"), FAULTS)
def test_a_fault_has_a_path_a_line_and_a_key(saved: Saved, name: str, line: str, message: str) -> None:
    good = {"doccano": LINE, "prodigy": prodigy((0, 0)), "label-studio": task()}[name]
    path = saved(f"{json.dumps(good)}\n\n{line}\n{json.dumps(good)}\n".encode())
    with pytest.raises(DataError, match=message) as error:
        list(read_blocks(path, layout_for(path, format=name)))
    assert (error.value.path, error.value.line) == (path, 3)
    told: list[DataError] = []
    blocks = list(read_blocks(path, layout_for(path, format=name), told.append))
    assert [(one.path, one.line) for one in told] == [(path, 3)]
    assert sum(block.text.count(b"# document") for block in blocks) == (1 if name == "prodigy" else 2)


def test_bad_records_are_put_aside_and_counted(saved: Saved, caplog: pytest.LogCaptureFixture) -> None:
    bad = [b'{"text": 3}', b"\xff", b'{"text": "Annie", "label": [[0, 3, "A"]]}']
    path = saved(b"\n".join([json.dumps(LINE).encode(), *bad, json.dumps(LINE).encode()]))
    asked = Asked("doccano", TextOptions(skip_bad=True))
    (block,) = read_blocks(path, layout_for(path, format=asked))
    assert block.lines.tolist() == [1] * 5 + [5] * 5
    assert Path(path + ".bad").read_bytes() == b"\n".join([*bad, b""])
    assert f"{path}: 3 records left out, and written to {path}.bad" in caplog.text
    assert f"{path}:2: 'text' is the number 3, not a text" in caplog.text


def test_without_bad_records_nothing_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_text(json.dumps(LINE))
    assert column(lambda _: str(path), LINE, "doccano", skip_bad=True) == COLUMN
    assert [*tmp_path.iterdir()] == [path]


def test_options_that_a_format_has_no_use_for_are_errors() -> None:
    with pytest.raises(ConfigError, match="the format 'columns' has no use for --cut"):
        input_format("-", Asked("columns", TextOptions(cut="split")))
    with pytest.raises(ConfigError, match="the format 'doccano' has no use for --discontinuous"):
        input_format("-", Asked("doccano", TextOptions(parted="join")))


def test_a_list_of_tasks_is_read_one_by_one() -> None:
    one = task({"start": 0, "end": 3, "labels": ["PER"]}, text="Ann " + "x" * 1000)

    def pieces() -> Iterator[bytes]:
        yield b"[" + json.dumps(one).encode()
        for _ in range(20):
            yield b"," + json.dumps(one).encode()
            assert made  # what arrived before was read before
        yield b"]"

    made: list[Document] = []
    for document in input_format("-", "label-studio").documents("-", pieces()):  # type: ignore[attr-defined]
        made.append(document)
    assert len(made) == 21
    for end, message in ((b"", "the list does not end"), (b", {]", "no JSON")):
        with pytest.raises(DataError, match=message):
            again("label-studio", b"[\n" + json.dumps(one).encode() + end)


def test_a_tag_that_is_only_excluded_is_no_label_of_its_own() -> None:
    sets = label_sets(["B-LOC", "!I-LOC", "?", "!B-PER"])
    assert sets.labels == ("B-LOC",)
    assert sets.allowed_labels == ((0,), (0,), (0,), (0,))
    assert label_sets(["a", "!b"]).labels == ("!b", "a")


READING = "{format: doccano, cut: expand, rest: '?', annotators: [a, b], key: {text: body}, skip-bad: true}"


def test_a_configuration_says_how_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(f"reading: {READING}", encoding="utf-8")
    options = TextOptions(cut="expand", rest="?", annotators=("a", "b"), keys={"text": "body"}, skip_bad=True)
    read = configuration(str(tmp_path / "run.yaml")).source
    assert read == Asked("doccano", options)
    assert Asked(None, TextOptions(cut="split")).over(read) == Asked("doccano", replace(options, cut="split"))
    for wrong in ("cut: all", "format: docano", "key: [a]", "skip-bad: 1", "annotators: a", "rules: x"):
        (tmp_path / "run.yaml").write_text(f"reading: {{{wrong}}}", encoding="utf-8")
        with pytest.raises(ConfigError, match=r"run\.yaml:1: "):
            configuration(str(tmp_path / "run.yaml"))


def test_no_command_has_an_option_in_the_way_of_what_is_read() -> None:
    for name in cli.COMMANDS:
        of = cli.sstag.get_command(click.Context(cli.sstag), name)
        assert of
        assert not {one.name for one in of.params} & {"read_as", "how"}


def test_a_file_is_read_as_it_arrives() -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield (json.dumps(LINE) + "\n").encode() * 100

    blocks = read_blocks("-", layout_for("-", format="doccano"), data=endless())
    sizes = [len(next(blocks).rows) for _ in range(3)]
    assert read * 500 < sum(sizes) + 1000
    assert max(sizes) < 2 * min(sizes)


MORE = {"id": 7, "text": "Ann met", "label": [[0, 3, "PER"]], "meta": {"page": 3}, "labels": "x", "relations": []}


def test_other_keys_of_a_record_are_kept_where_there_is_room(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(MORE))

    def record(form: str) -> dict[str, object]:
        run = CliRunner().invoke(cli.sstag, ["convert", str(tmp_path / "in.jsonl"), "--to-format", form])
        found = json.loads(run.stdout)
        return found[0] if isinstance(found, list) else found

    assert record("doccano") == {name: value for name, value in MORE.items() if name != "relations"}
    assert (record("prodigy")["meta"], record("prodigy")["labels"]) == ({"page": 3}, "x")
    assert (record("label-studio")["meta"], record("label-studio")["data"]) == (
        {"page": 3}, {"text": "Ann met", "labels": "x"},
    )  # fmt: skip
    assert not caplog.text
    assert record("spans").keys() == {"id", "text", "spans", "meta"}
    assert "not written: 1 key with another meaning there" in caplog.text
    some = [Document("1", "a", more={"x": 1, "y": 2})]
    save_documents(some, document_output("inline", TextOptions()), str(tmp_path / "out"))
    assert "not written: 2 other keys of records" in caplog.text


def test_what_a_format_cannot_say_is_counted() -> None:
    lost: Counter[str] = Counter()
    spans = (Span(0, 1, ("A", "B")), Span(1, 2, ("C",), accepted=False))
    document = Document("1", "ab", (Spans(spans, rest=OPEN),))
    assert b'[[0, 1, "A"]]' in b"".join(document_output("doccano", TextOptions()).written([document], lost))
    assert sorted(+lost) == [
        "documents that nobody looked at in whole", "rejected spans",
        "spans with several labels, of which the first is written",
    ]  # fmt: skip
    two = replace(document, said=(Spans((), "x", MANUAL), Spans((), "y", MANUAL)))
    with pytest.raises(DataError, match=r"annotations by x, y, but the format has room for one \(--annotators\)"):
        list(document_output("doccano", TextOptions()).written([two], lost))
    lost.clear()
    list(document_output("label-studio", TextOptions()).written([document, two, Document("2", "a")], lost))
    assert +lost == {"documents that nobody looked at in whole": 1, "rejected spans": 1}


@pytest.mark.parametrize("name", [name for name in document_names() if name not in NEEDS_MORE])
@pytest.mark.parametrize("text", ["", " \n"])
def test_a_document_without_a_word_can_be_written(tmp_path: Path, name: str, text: str) -> None:
    made = document_output(name, TextOptions())
    some = [Document("1", text, (Spans((), rest=MANUAL),))]
    save_documents(some, made, str(tmp_path / "out"))
    assert (tmp_path / "out").exists()


def test_a_document_of_a_folder_that_is_no_text_is_put_aside_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in (("a", b"Ann met"), ("b", b"\xff")):
        (folder / f"{name}.txt").write_bytes(text)
        (folder / f"{name}.ann").write_text("T1\tPER 0 3\tAnn\n")
    with pytest.raises(DataError, match=r"notes/b\.txt:1: not UTF-8"):
        list(read_blocks(str(folder), layout_for(str(folder), format="brat")))
    asked = Asked("brat", TextOptions(skip_bad=True))
    (block,) = read_blocks(str(folder), layout_for(str(folder), format=asked))
    assert block.fields[-1] == [b"B-PER", b"O"]
    assert (tmp_path / "notes.bad").read_text() == f"{folder}/b\n"
    assert "1 record left out" in caplog.text


def test_a_folder_of_texts_is_read_as_prose(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "more").mkdir(parents=True)
    for name, text in (("b.txt", "Bob left."), ("a.txt", "Ann met Bob.\n\nShe left.\n"), ("more/c.txt", "Zoe.")):
        (folder / name).write_text(text)
    (folder / "notes.md").write_text("not read")
    for pieces, count in (("file", 3), ("line", 4)):
        asked = Asked(None, TextOptions(pieces=pieces))
        blocks = read_blocks(str(folder), layout_for(str(folder), format=asked))
        words = [word for block in blocks for word in block.fields[block.column("word")]]
        assert b" ".join(words) == b"Ann met Bob . She left . Bob left . Zoe ."
        made = document_input(str(folder), asked)
        assert made
        names = [one.id for one in made.documents(str(folder), bytes_of(str(folder)))]
        assert len(names) == count
        assert names[0].startswith("a.txt")


def test_an_empty_file_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "b.txt").write_text(" \n", encoding="utf-8")
    run = CliRunner().invoke(cli.sstag, ["convert", str(tmp_path), "--to-format", "doccano"], catch_exceptions=False)
    assert [json.loads(line)["id"] for line in run.stdout.splitlines()] == ["a.txt", "b.txt"]


def test_names_and_texts_that_a_format_cannot_say_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    some = [Document(name, text, (Spans(()),)) for name, text in (("a b", "x"), ("a:b", "x"), ("c", " "))]
    for name, names, texts in (("conll2012", 1, 0), ("brat", 1, 0), ("webanno", 1, 1)):
        made, lost = document_output(name, TextOptions()), Counter[str]()
        if made.folder:
            made.folder(some, str(tmp_path / name), lost)
        else:
            list(made.written(some, lost))
        assert (lost[OTHER_NAMES], lost["texts without a word"]) == (names, texts)


def test_a_folder_without_documents_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a folder without a file \.ann, \.tsv, \.xmi, \.txt"):
        list(read_blocks(str(tmp_path), layout_for(str(tmp_path), format="brat")))
