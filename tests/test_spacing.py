"""Texts come back to the character from files of tokens: blanks, line ends, and characters that nobody sees."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.formats import Asked, document_input, document_output
from sstag.corpus.text.documents import MANUAL, Document, Span, Spans
from sstag.corpus.text.folders import bytes_of
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.spacing import escaped, unescaped
from sstag.corpus.text.tokenizer import token_places
from tests.annotators import ran
from tests.spans_texts import TEXTS, documents

OF_TOKENS = ("columns", "conllu", "csv", "jsonl", "tokens")
SAYABLE = documents(labels=st.sampled_from(["PER", "a b", "X-Y"])).filter(
    lambda one: bool(token_places(one.text)) and "-DOCSTART-" not in one.text
)


def there_and_back(name: str, some: list[Document], *options: str) -> tuple[list[Document], str]:
    """Documents that went through a file of tokens, and the text of that file."""
    with tempfile.TemporaryDirectory() as folder:
        first, second, third = Path(folder, "in.jsonl"), Path(folder, "tokens"), Path(folder, "out.jsonl")
        first.write_bytes(b"".join(document_output("doccano", TextOptions()).written(some, Counter())))
        run = ran("convert", first, "--to-format", name, "--cut", "split", "-o", second, *options)
        assert run.returncode == 0, run.stderr
        assert "text" not in run.stderr
        run = ran("convert", second, "--from-format", name, "--to-format", "doccano", "-o", third)
        assert run.returncode == 0, run.stderr
        made = document_input(str(third), Asked("doccano"))
        assert made
        return list(made.documents(str(third), bytes_of(str(third)))), second.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OF_TOKENS)
@settings(max_examples=60)
@given(some=st.lists(SAYABLE, min_size=1, max_size=4, unique_by=lambda one: one.id))
def test_texts_spans_and_names_come_back_from_tokens(name: str, some: list[Document]) -> None:
    found, _ = there_and_back(name, some)
    assert [one.text for one in found] == [one.text for one in some]
    assert [one.id for one in found] == [one.id for one in some]
    for one, other in zip(found, some, strict=True):
        assert [span[:3] for span in one.said[0].spans] == [span[:3] for span in other.said[0].spans]


@given(text=TEXTS)
def test_characters_come_back_from_items_of_misc(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert not {*escaped(text)} & {*"|\t\n\r \0"}


def test_spacing_is_said_as_udpipe_says_it() -> None:
    text = " Ann  met\u00a0Bob. She\tleft:\n3|4"
    found, written = there_and_back("conllu", [Document("7", text, (Spans((Span(1, 4, ("PER",)),), rest=MANUAL),))])
    assert found[0].text == text
    lines = written.splitlines()
    assert lines[:3] == ["# global.label = label", "# newdoc id = 7", "# text = Ann met Bob."]
    misc = {cells[1]: cells[9].split("|") for line in lines if len(cells := line.split("\t")) == 10}
    assert misc["Ann"] == ["SpacesBefore=\\s", "SpacesAfter=\\s\\s", "start=1", "end=4", "label=B-PER"]
    assert misc["met"][0] == "SpacesAfter=\u00a0"
    assert (misc["Bob"][0], misc["."][0]) == ("SpaceAfter=No", "SpacesAfter=\\s")
    assert (misc["She"][0], misc["left"][0], misc[":"][0]) == ("SpacesAfter=\\t", "SpaceAfter=No", "SpacesAfter=\\n")
    assert misc["|"][0] == "SpaceAfter=No"


def test_tokens_keep_their_no_break_spaces(tmp_path: Path) -> None:
    text = "10\u00a0000 New York"
    tokens = [{"text": text[a:b], "start": a, "end": b, "id": n} for n, (a, b) in enumerate([(0, 6), (7, 15)])]
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"text": text, "tokens": tokens, "spans": [], "answer": "accept"}), encoding="utf-8")
    for name in OF_TOKENS:
        run = ran("convert", path, "--to-format", name, "-o", tmp_path / "tokens")
        assert run.returncode == 0, run.stderr
        again = ran("convert", tmp_path / "tokens", "--from-format", name, "--to-format", "doccano")
        assert json.loads(again.stdout)["text"] == text


def test_a_space_that_conllu_does_not_say_is_one_blank_or_a_line(tmp_path: Path) -> None:
    def row(number: int, word: str, misc: str) -> str:
        return f"{number}\t{word}\t_\tX\t_\t_\t_\t_\t_\t{misc}\n"

    first = "# newdoc id = d\n" + row(1, "Hi", "SpaceAfter=No") + row(2, "!", "SpaceAfter=No|SpacesAfter=\\s\\n") + "\n"
    second = row(1, "a", "_") + row(2, "b", "SpaceAfter=No") + "\n" + row(1, "c", "SpaceAfter=No") + "\n"
    path = tmp_path / "in.conllu"
    path.write_text(first + second, encoding="utf-8")
    run = ran("convert", path, "--to-format", "doccano")
    assert json.loads(run.stdout)["text"] == "Hi! \na b\nc"
