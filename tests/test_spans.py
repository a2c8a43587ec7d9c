"""Spans as labels of single tokens: what every well-formed sequence that has them, or has not, allows."""

import json
import re
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.errors import DataError, SstagError
from sstag.interfaces.cli import sstag
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import SCHEMES, written_role
from sstag.labels.schemes.tagset import chunks, ill_formed, labels_of_types, possible_labels, tagset
from sstag.labels.span_list import read_spans, span_labels, tagset_of
from sstag.labels.span_sets import Span, allowed_labels
from tests.datasets import corpus


def tags_of(scheme, types=("X", "Y"), outside=True):
    return tagset([*(["O"] if outside else []), *labels_of_types(types, scheme)], scheme)


def sequences(tags, length, spans):
    """Every well-formed sequence that has the accepted chunks and none of the rejected ones."""
    ends = np.array([0, length])
    for labels in product(range(len(tags.labels)), repeat=length):
        codes = np.array(labels, np.int32)
        if not len(ill_formed(tags, codes, ends)):
            found = chunks(tags, codes, ends)
            here = set(zip(found.first.tolist(), found.stop.tolist(), found.type.tolist(), strict=True))
            if all(((span.first, span.stop, span.type) in here) == span.accepted for span in spans):
                yield labels


def enumerated(tags, length, spans, within):
    allowed = np.zeros((length, len(tags.labels)), bool)
    for labels in sequences(tags, length, spans):
        if within[np.arange(length), labels].all():
            allowed[np.arange(length), labels] = True
    return allowed


@st.composite
def spans_of(draw, length, types):
    first = draw(st.integers(0, length - 1))
    stop = draw(st.integers(first + 1, length))
    return Span(first, stop, draw(st.integers(0, types - 1)), draw(st.booleans()))


@given(st.data(), st.sampled_from(list(SCHEMES)), st.booleans())
def test_the_sets_are_those_of_all_sequences(data, scheme, untyped):
    tags = tags_of(scheme, ("",), data.draw(st.booleans())) if untyped and scheme != "plain" else tags_of(scheme)
    length = data.draw(st.integers(1, 4))
    spans = data.draw(st.lists(spans_of(length, len(tags.types)), max_size=4))
    everything = np.ones((length, len(tags.labels)), bool)
    np.testing.assert_array_equal(allowed_labels(tags, length, spans), enumerated(tags, length, spans, everything))
    within = np.random.default_rng(data.draw(st.integers(0, 99))).random(everything.shape) < 0.7
    found = allowed_labels(tags, length, spans, within)
    np.testing.assert_array_equal(found, enumerated(tags, length, spans, within))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_sets_of_single_tokens_say_of_one_accepted_chunk(scheme):
    """In most schemes all: whatever is well-formed and in their product has the chunk."""
    tags, lost = tags_of(scheme), False
    for length in (2, 3, 4):
        for first, stop in ((0, 1), (1, 2), (0, 2), (length - 1, length), (length - 2, length)):
            spans = [Span(first, stop, 0, True)]
            allowed = allowed_labels(tags, length, spans)
            inside = set(sequences(tags, length, spans))
            product_of = {y for y in sequences(tags, length, []) if allowed[np.arange(length), y].all()}
            assert inside <= product_of
            lost |= inside != product_of
    assert lost == (scheme in ("iob1", "ioe1"))


def test_what_they_say_of_rejected_chunks():
    def traces(scheme, length, *spans):
        tags = tags_of(scheme)
        accepted = [span for span in spans if span.accepted]
        return bool((allowed_labels(tags, length, spans) != allowed_labels(tags, length, accepted)).any())

    single, pair = Span(1, 2, 0, False), Span(1, 3, 0, False)
    for scheme in SCHEMES:
        first, last, alone = (written_role(scheme, *ends, False, False) for ends in ((1, 0), (0, 1), (1, 1)))
        assert traces(scheme, 4, single) == (alone not in (first, last))  # a letter for chunks of one token
        assert not traces(scheme, 4, pair)
    # Where all tokens but one are known, the last one is said: nothing can go on with X at the end of the sentence.
    assert traces("iob2", 2, single)
    assert traces("iob2", 4, single, Span(2, 3, 1, True))


def made(tmp_path, text, sentences, scheme="iob2", tags=(), marks=Marks()):
    (tmp_path / "s.tsv").write_text(text, encoding="utf-8")
    listed = read_spans(str(tmp_path / "s.tsv"))
    found = span_labels(listed, tagset_of(listed, scheme, tags), marks, corpus(sentences, ("word",)))
    return [found.texts[code] for code in found.codes.tolist()], (found.rejected, len(found.left))


NEW_YORK = [[("in",), ("New",), ("York",), (",",), ("New",), ("York",)], [("a",), ("b",)]]


def test_a_list_becomes_a_column(tmp_path):
    labels, _ = made(tmp_path, "# towns\n1\t2\t3\tLOC\n", NEW_YORK)
    assert labels == ["?", "B-LOC", "I-LOC", "B-LOC|O", "?", "?", "?", "?"]
    labels, _ = made(tmp_path, "1\tNew York\tLOC\n2\tb\tPER\n", NEW_YORK, "bioes")
    alone = "O|S-LOC|S-PER"  # all that a token can be between two chunks, or beside one at the edge of a sentence
    assert labels == [alone, "B-LOC", "E-LOC", alone, "B-LOC", "E-LOC", alone, "S-PER"]


def test_a_rejected_single_token_in_bioes(tmp_path):
    labels, count = made(tmp_path, "2\t1\t1\t!LOC\n1\t2\t3\t!LOC\n", NEW_YORK, "bioes")
    assert labels == ["?"] * 6 + ["B-LOC|O", "?"]
    assert count == (2, 1)


def test_words_are_segmented_without_outside(tmp_path):
    labels, _ = made(tmp_path, "1\t1\t2\t-\n", NEW_YORK, "iob2", ("B", "I"))
    assert labels[:4] == ["B", "I", "B", "?"]
    labels, _ = made(tmp_path, "1\t2\t3\t-\n", NEW_YORK, "bmes", ("B", "M", "E", "S"))
    assert labels[:4] == ["S", "B", "E", "B|S"]


@pytest.mark.parametrize(
    ("text", "scheme", "message"),
    [
        ("1\t2\n", "iob2", ":1: a line is sentence, first token, last token, type"),
        ("\n1 2 3 LOC\n", "iob2", ":2: a line is sentence"),
        ("1\t3\t2\tLOC\n", "iob2", ":1: the first token, 3, stands after the last, 2"),
        ("0\t1\t2\tLOC\n", "iob2", ":1: '0' is no number from 1 up"),
        ("1\tx\t2\tLOC\n", "iob2", ":1: 'x' is no number from 1 up"),
        ("9\t1\t2\tLOC\n", "iob2", ":1: there is no sentence 9: made has 2"),
        ("1\t1\t7\tLOC\n", "iob2", ":1: there is no token 7: sentence 1 has 6"),
        ("1\tOld York\tLOC\n", "iob2", ":1: sentence 1 does not have the words 'Old York'"),
        ("1\t1\t2\tA B\n", "iob2", ":1: 'A B' is no type"),
        ("1\t1\t2\t!\n", "iob2", ":1: '!' is no type"),
        ("1\t1\t2\tX\n1\t2\t3\tX\n", "iob2", ":2: contradicts the lines before it on sentence 1"),
        ("1\t1\t2\tX\n1\t1\t2\t!X\n", "iob2", ":2: contradicts"),
        ("1\t1\t2\tX\n1\t1\t2\tY\n", "iob2", ":2: contradicts"),
        ("1\t1\t2\tX\n1\t3\t4\tX\n", "io", ":2: contradicts"),
        ("1\t1\t2\tA|B\n", "iob2", ":1: 'B-A|B' would not be read as one label"),
        ("1\t1\t2\t-\n", "plain", "plain labels are types"),
        ("# nothing\n", "iob2", "nothing in it"),
        ("".join(f"1\t1\t2\tX{i}\n" for i in range(1001)), "iob2", "1,001 different types (at most 1,000)"),
    ],
)
def test_mistakes_in_a_list_are_told_with_their_line(tmp_path, text, scheme, message):
    with pytest.raises(SstagError, match=re.escape(message)):
        made(tmp_path, text, NEW_YORK, scheme)


def test_a_type_that_no_tag_has(tmp_path):
    with pytest.raises(DataError, match=r"s.tsv:1: no tag has the type 'LCO'; did you mean 'LOC'\?"):
        made(tmp_path, "1\t1\t2\tLCO\n", NEW_YORK, "iob2", ("O", "B-LOC", "B-PER"))
    labels, _ = made(tmp_path, "1\t1\t2\tLOC\n", NEW_YORK, "iob2", ("O", "B-LOC", "B-PER"))
    assert labels[2] == "B-LOC|B-PER|O"  # of PER the list itself says nothing
    assert possible_labels(tagset(["O", "B-LOC"], "iob2")) == ["B-LOC", "I-LOC", "O"]


def test_not_a_chunk_that_the_scheme_cannot_leave_out(tmp_path):
    with pytest.raises(DataError, match=r"s.tsv:2: contradicts the lines before"):
        made(tmp_path, "2\t1\t1\t!-\n2\t1\t2\t!-\n", NEW_YORK, "iob2", ("B", "I"))


CELLS = st.sampled_from(
    ["1", "2", "0", "9", "-1", "x", "New York", "York", "LOC", "!LOC", "-", "!", "#", "A|B", "٣", ""]
)


@given(st.lists(st.lists(CELLS, max_size=5).map("\t".join)).map("\n".join) | st.text(), st.sampled_from(list(SCHEMES)))
def test_any_text_is_a_list_of_spans_or_an_error(saved, text, scheme):
    try:
        listed = read_spans(saved(text.encode("utf-8", "surrogatepass")))
        found = span_labels(listed, tagset_of(listed, scheme), Marks(), corpus(NEW_YORK, ("word",)))
    except SstagError:
        return
    assert len(found.codes) == 8


@pytest.fixture
def files(tmp_path):
    (tmp_path / "raw.txt").write_text("in IN\nNew NNP\nYork NNP\n\n# id = 7\na x\n", encoding="utf-8")
    (tmp_path / "raw.conllu").write_text(
        "1\tNew\t_\tPROPN\t_\t_\t_\t_\t_\t_\n2\tYork\t_\tPROPN\t_\t_\t_\t_\t_\t_\n", encoding="utf-8"
    )
    (tmp_path / "s.tsv").write_text("1\tNew York\tLOC\n", encoding="utf-8")
    return tmp_path


def convert(files, name, *more):
    return CliRunner().invoke(sstag, ["convert", str(files / name), "--spans", str(files / "s.tsv"), *more])


def test_convert_adds_a_column_and_leaves_the_rest(files):
    run = convert(files, "raw.txt", "--to-scheme", "iob2")
    assert run.stdout == "in IN ?\nNew NNP B-LOC\nYork NNP I-LOC\n\n# id = 7\na x ?\n"
    assert run.stderr == ""
    run = convert(
        files, "raw.txt", "--to-scheme", "bioes", "--columns", "word,pos", "--label", "ner", "--to-format", "jsonl"
    )
    first = json.loads(run.stdout.splitlines()[0])
    assert first == {"word": ["in", "New", "York"], "pos": ["IN", "NNP", "NNP"], "ner": ["O|S-LOC", "B-LOC", "E-LOC"]}
    run = convert(files, "raw.conllu", "--to-scheme", "iob2")
    assert [line.split("\t")[3] for line in run.stdout.splitlines()] == ["B-LOC", "I-LOC"]


def test_convert_writes_what_single_tokens_cannot_say_as_runs(files):
    (files / "s.tsv").write_text("1\t1\t2\t!LOC\n", encoding="utf-8")
    run = convert(files, "raw.txt", "--to-scheme", "iob2")
    assert not run.stderr
    assert run.stdout.split("\n")[:3] == ["in IN !LOC", "New NNP !LOC", "York NNP ?"]


def test_convert_says_what_left_no_trace(files):
    """Two runs side by side would be one."""
    (files / "s.tsv").write_text("1\t1\t1\t!LOC\n1\t2\t2\t!LOC\n", encoding="utf-8")
    run = convert(files, "raw.txt", "--to-scheme", "iob2")
    assert run.stderr == "2 rejected spans, of which a label column cannot hold 1\n"
    assert run.stdout.count("!LOC") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--spans needs --to-scheme"),
        (("--to-scheme", "iob2", "--repair"), "--spans needs --to-scheme"),
        (("--to-scheme", "iob2", "--label", "word", "--columns", "word,pos"), "the labels need a column of their own"),
        (("--to-scheme", "iob2", "-o", "s.tsv"), "is an input"),
    ],
)
def test_convert_refuses(files, arguments, message):
    given = [str(files / one) if one == "s.tsv" else one for one in arguments]
    run = convert(files, "raw.txt", *given)
    assert run.exit_code
    assert message in run.output + str(run.exception)
    assert (files / "s.tsv").read_text(encoding="utf-8") == "1\tNew York\tLOC\n"
