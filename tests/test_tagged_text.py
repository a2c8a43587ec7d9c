"""The output of `tag`: the input with a label on every token line, the same bytes however the input arrives."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sstag
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read_blocks
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.parallel import ahead
from sstag.model import runs, tagged_text
from sstag.model.legality import legality
from sstag.model.model import Model
from sstag.model.questions import Question, of_confidence
from sstag.model.tagged_text import Tagger
from tests.column_files import column_files, reference, small_blocks
from tests.models import tiny

Saved = Callable[[bytes], str]
WIDE = {1: tiny(), 2: tiny(columns="word, pos, label"), 3: tiny(columns="word, pos, case, label")}
CONLLU = "form, xpos, tag", "tag"
BOM = b"\xef\xbb\xbf"


def tagged(
    model: Model,
    path: str,
    question: Question = Question(),  # noqa: B008 (frozen)
    as_json: bool = False,
    conllu: bool = False,
    stream: bool = False,
    threads: int = 1,
) -> bytes:
    with ahead(threads) as through:
        blocks = read_blocks(path, model.template.layout(path, "conllu" if conllu else "columns"), stream=stream)
        return b"".join(Tagger(model, question, as_json).texts(blocks, through, threads))


@st.composite
def inputs(draw: st.DrawFn) -> tuple[bytes, Model]:
    """Column files with or without a label column, and a model for them."""
    width = draw(st.integers(1, 3))
    return draw(column_files(width=width + draw(st.booleans()))), WIDE[width]


@given(inputs())
def test_lines_without_their_last_column_are_the_input(saved: Saved, case: tuple[bytes, Model]) -> None:
    data, model = case
    written = tagged(model, saved(data))
    sentences = reference(data)
    names = model.template.columns or ()
    words = [[fields[0] if len(names) == 2 else fields[: len(names) - 1] for _, fields in s] for s in sentences]
    label_on = {
        line: label.encode()
        for sentence, labels in zip(sentences, sstag.tag(model, words), strict=True)
        for (line, _), label in zip(sentence, labels, strict=True)
    }
    lines = written.split(b"\n")
    assert len(lines) == data.count(b"\n") + 1
    for number, (old, new) in enumerate(zip(data.split(b"\n"), lines, strict=True), 1):
        if number not in label_on:
            assert new == old
            continue
        end = b"\r" if old.endswith(b"\r") else b""
        before, last = re.fullmatch(rb"(.*)[ \t](\S+)", new.removesuffix(end), flags=re.DOTALL).groups()
        assert (before, last) == (old.rstrip(b" \t\r\v\f"), label_on[number])
        assert new.endswith(end)


QUESTIONS = [
    (Question(), False),
    (Question(confidence=True), False),
    (of_confidence(tiny()), False),
    (Question(best=3), False),
    (Question(confidence=True, best=2, legality=legality(tiny())), False),
    (replace(of_confidence(tiny()), marginals=True, best=3), True),
    (Question(True, True, True, 3, legality(tiny())), True),
]


@settings(max_examples=150)
@given(
    inputs(), st.sampled_from(QUESTIONS), st.integers(1, 60), st.integers(1, 30), st.integers(1, 2000), st.booleans(),
    st.sampled_from([1, 2, 3]),
)  # fmt: skip
def test_blocks_runs_threads_and_streaming_change_no_byte(
    saved: Saved, case: tuple[bytes, Model], asked: tuple[Question, bool], block: int, piece: int, run: int,
    stream: bool, threads: int,
) -> None:  # fmt: skip
    data, model = case
    path = saved(data)
    whole = tagged(model, path, *asked)
    with small_blocks(block, piece), pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "RUN", run)
        patch.setattr(tagged_text, "FEW", 1)
        assert tagged(model, path, *asked, stream=stream, threads=threads) == whole


def test_all_ways_agree_on_many_sentences_with_odd_separators(saved: Saved) -> None:
    sentences = ["a O\nb\tO\n\n", "# x = y\nb\tO\nz O\n\r\n", "c\tO\n\n\n", "-DOCSTART- O\n"]
    path = saved("".join(sentences[i * i % 7 % 4] for i in range(3000)).encode())
    for question, as_json in QUESTIONS:
        whole = tagged(tiny(), path, question, as_json)
        assert tagged(tiny(), path, question, as_json, stream=True) == whole
        assert tagged(tiny(), path, question, as_json, threads=3) == whole


@pytest.mark.parametrize(
    ("data", "question", "written"),
    [
        (b"", Question(best=2), b""),
        (b"\n# a = b\n-DOCSTART- -X-\n \n", Question(True), b"\n# a = b\n-DOCSTART- -X-\n \n"),
        (BOM + b"a\r\nb\r\n\r\nc", Question(), BOM + b"a B-X\r\nb I-X\r\n\r\nc O"),
        (
            BOM + b"a O\r\n\r\n# t = 1\r\nc ?\r\n",
            Question(confidence=True),
            BOM + b"# confidence = P\r\na O O\r\n\r\n# t = 1\r\n# confidence = P\r\nc ? O\r\n",
        ),
        (
            b"# t = 1\na\tx\nb\ty\n-DOCSTART-\nc\tz",
            Question(best=2),
            b"# t = 1\n# nbest = 1 P\na\tx\tB-X\nb\ty\tI-X\n\n# nbest = 2 P\na\tx\tB-Y\nb\ty\tI-Y\n-DOCSTART-\n"
            b"# nbest = 1 P\nc\tz\tO\n\n# nbest = 2 P\nc\tz\tI-Y",
        ),
        (
            BOM + b"c\r\n\r\n",
            Question(confidence=True, best=2),
            BOM + b"# confidence = P\r\n# nbest = 1 P\r\nc O\r\n\r\n# nbest = 2 P\r\nc I-Y\r\n\r\n",
        ),
    ],
)
def test_columns_written_out(saved: Saved, data: bytes, question: Question, written: bytes) -> None:
    result = tagged(tiny(), saved(data), question)
    assert re.sub(rb"(= (?:\d+ )?)(0\.\d{4}|\d\.\de-\d\d)(?=\r?\n)", rb"\1P", result) == written


def test_what_was_written_is_read_again_with_its_comments(saved: Saved) -> None:
    path = saved(b"# t = 1\na\nb\n\n-DOCSTART-\nc\n\nz\n")
    first = tagged(tiny(), path, Question(confidence=True, best=3))
    assert len(reference(first)) == 9
    again = tagged(tiny(), saved(first), Question())
    ranked = [line for line in again.split(b"\n") if line.startswith(b"a ")]
    assert [line.split()[2] for line in ranked] == [b"B-X"] * 3
    assert [line.split()[1] for line in ranked] != [b"B-X"] * 3


def test_there_are_no_more_labellings_than_there_are(saved: Saved) -> None:
    written = tagged(tiny(), saved(b"a\n"), Question(best=1000))
    assert written.count(b"# nbest = ") == len(tiny().labels)
    assert len(set(written.split(b"\n")[1::3])) == len(tiny().labels)


@pytest.mark.parametrize("run", [2000, runs.RUN])
def test_a_sentence_without_a_legal_labelling_is_named_by_its_line(
    saved: Saved, monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    monkeypatch.setattr(runs, "RUN", run)
    model = tiny("pairs", "bioes")  # B-X and E-X: an even number of tokens
    path = saved(b"# t = 1\na\nb\n\n" * 100 + b"-DOCSTART-\na\n")
    with pytest.raises(
        DataError, match=r"file:402: the model has no labelling of this sentence \(1 token\) that is well-formed in"
    ):
        tagged(model, path, Question(legality=legality(model)))


def test_columns_say_what_json_lines_say_of_confidence(saved: Saved) -> None:
    path, asked = saved(b"a\nb\nc\n\nc\n\na\n"), of_confidence(tiny())
    comments = [
        [line for line in part.split("\n") if line[0] == "#"] for part in _parts_of(tagged(tiny(), path, asked))
    ]
    for lines, text in zip(comments, tagged(tiny(), path, asked, as_json=True).splitlines(), strict=True):
        said = json.loads(text)
        assert said["entropy_per_token"] == said["entropy"] / len(said["word"])
        assert [len(said[name]) for name in ("token_confidence", "token_entropy")] == [len(said["word"])] * 2
        for one in said["chunks"]:
            assert said["confidence"] <= one["confidence"] <= 1
        assert lines == [
            *(f"# {name} = {said[name]:.4f}" for name in ("confidence", "entropy", "entropy_per_token")),
            *(f"# chunk = {c['first'] + 1} {c['stop']} {c['type']} {c['confidence']:.4f}" for c in said["chunks"]),
        ]
    assert [len(lines) for lines in comments] == [4, 3, 3]
    assert len(reference(tagged(tiny(), path, asked))) == 3


def _parts_of(written: bytes) -> list[str]:
    return written.decode().rstrip("\n").split("\n\n")


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(1.0, "1.0000"), (0.97314, "0.9731"), (0.0001, "0.0001"), (0.0000123, "1.2e-05"), (0.0, "0.0000")],
)
def test_probabilities_for_people(probability: float, shown: str) -> None:
    assert tagged_text._rounded(probability) == shown.encode()


@given(inputs(), st.integers(1, 4))
def test_json_lines_say_what_columns_say(saved: Saved, case: tuple[bytes, Model], best: int) -> None:
    data, model = case
    path = saved(data)
    said = [
        json.loads(line) for line in tagged(model, path, Question(True, True, True, best), as_json=True).splitlines()
    ]
    sentences = reference(data)
    labels = [fields[-1] for sentence in reference(tagged(model, path)) for _, fields in sentence]
    assert [label for one in said for label in one["predicted"]] == labels
    for one, sentence in zip(said, sentences, strict=True):
        for column, name in enumerate((model.template.columns or ())[: len(sentence[0][1])]):
            assert one[name] == [fields[column] for _, fields in sentence]
        assert 0 < one["confidence"] <= min(one["token_confidence"]) + 1e-12
        for label, probability, shares in zip(one["predicted"], one["token_confidence"], one["marginals"], strict=True):
            assert shares.get(label, 0) == probability or probability < tagged_text.LEAST
            assert min(shares.values()) >= tagged_text.LEAST
            assert list(shares.values()) == sorted(shares.values(), reverse=True)
            assert sum(shares.values()) == pytest.approx(1, abs=len(model.labels) * tagged_text.LEAST)
        assert one["nbest"][0] == {"labels": one["predicted"], "probability": one["confidence"]}
        probabilities = [each["probability"] for each in one["nbest"]]
        assert len(probabilities) == min(best, len(model.labels) ** len(sentence))
        assert probabilities == sorted(probabilities, reverse=True)


def test_json_lines_hold_only_what_was_asked(saved: Saved) -> None:
    path = saved(b"a X\nb Y\n")
    assert json.loads(tagged(tiny(), path, as_json=True)) == {
        "word": ["a", "b"], "label": ["X", "Y"], "predicted": ["B-X", "I-X"],
    }  # fmt: skip
    assert tagged(tiny(), saved(b"\n-DOCSTART-\n"), as_json=True) == b""


def test_a_column_called_like_what_json_lines_say_is_an_error(saved: Saved) -> None:
    model, path = tiny(columns="word, confidence, label"), saved(b"a A\n")
    assert b'"confidence": ["A"]' in tagged(model, path, as_json=True)
    with pytest.raises(DataError, match=r"file: JSON lines say 'confidence' of what is predicted"):
        tagged(model, path, Question(confidence=True), as_json=True)


# ---------------------------------------------------------------------- CoNLL-U

TREEBANK = (
    b"# text = ab c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tX\tA\t_\t_\t_\t_\t_\n"
    b"2\tb\tb b\t_\tB\t_\t_\t_\t_\tS=1|tag=O|U=2\n2.1\tn\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tc\t_\tX\tC\t_\t_\t_\t_\tV=1"
)


def test_conllu_gets_a_label_it_has_no_column_for_in_misc(saved: Saved) -> None:
    model, path = tiny("iob2", None, *CONLLU), saved(TREEBANK)
    written = tagged(model, path, conllu=True)
    assert written == (
        TREEBANK.replace(b"A\t_\t_\t_\t_\t_", b"A\t_\t_\t_\t_\ttag=B-X")
        .replace(b"S=1|tag=O|U=2", b"S=1|U=2|tag=I-X")
        .replace(b"V=1", b"V=1|tag=O")
    )
    again = tagged(model, saved(written.replace(b"\n", b"\r\n")), conllu=True)
    assert again == written.replace(b"\n", b"\r\n")


def test_conllu_gets_its_own_label_column_filled_in(saved: Saved) -> None:
    model, path = tiny("plain", None, "form, xpos, upos", "upos"), saved(TREEBANK)
    assert tagged(model, path, conllu=True) == (
        TREEBANK.replace(b"X\tA", b"N\tA").replace(b"_\tB", b"V\tB").replace(b"X\tC", b"N\tC")
    )


def test_the_best_labellings_of_conllu_repeat_ranges_and_empty_nodes(saved: Saved) -> None:
    model, path = tiny("iob2", None, *CONLLU), saved(TREEBANK)
    written = tagged(model, path, Question(confidence=True, best=2), conllu=True)
    first, second, third, _ = written.split(b"\n\n")
    plain = tagged(model, path, conllu=True)
    assert re.sub(rb"# (confidence|nbest) = .*\n", b"", first + b"\n\n" + third) == plain
    assert first.startswith(b"# text = ab c\n# confidence = 0.")
    assert re.match(rb"# nbest = 2 0\.\d+\n1-2\tab\t", second)
    assert second.endswith(b"\n2.1\tn\t_\t_\t_\t_\t_\t_\t_\t_")


def test_a_label_with_the_sign_between_items_of_misc_is_escaped(saved: Saved) -> None:
    model = tiny("iob2", None, *CONLLU)
    odd = replace(model, labels=tuple(label.replace("I-X", "I|\\pX") for label in model.labels))
    written = tagged(odd, saved(TREEBANK), conllu=True)
    assert b"S=1|U=2|tag=I\\p\\\\pX" in written
    (block,) = read_blocks("-", layout_for("-", label="tag", format="conllu"), data=[written])
    assert block.fields[-1] == [b"B-X", b"I|\\pX", b"O"]


@given(st.binary(max_size=80), st.booleans(), st.sampled_from(QUESTIONS), st.booleans())
@example(b"# a = b\n1\ta\t\n", True, QUESTIONS[1], True)
@example(b"a\n\x1f\x8b", False, QUESTIONS[2], True)
def test_arbitrary_bytes_are_tagged_or_are_an_error(
    saved: Saved, data: bytes, conllu: bool, asked: tuple[Question, bool], stream: bool
) -> None:
    with suppress(SstagError):
        tagged(tiny("iob2", None, *CONLLU) if conllu else tiny(), saved(data), *asked, conllu=conllu, stream=stream)


UNDERSCORES = "\t_" * 8
whole_lines = st.lists(
    st.sampled_from(
        [f"1\ta{UNDERSCORES}", f"2\tb{UNDERSCORES[:-2]}\tx=1|tag=A", f"1-2\tab{UNDERSCORES}", f"1.1\tq{UNDERSCORES}"]
        + [""] * 2
        + ["# t = 1", "\ufeff", "#"]
    ),
    max_size=9,
)


@given(whole_lines, st.sampled_from(["\n", "\r\n"]), st.sampled_from(QUESTIONS), st.integers(1, 400))
def test_conllu_stays_conllu(saved: Saved, lines: list[str], end: str, asked: tuple[Question, bool], run: int) -> None:
    model, path = tiny("iob2", None, *CONLLU), saved(end.join([*lines, ""]).encode())
    with suppress(SstagError):
        whole = tagged(model, path, *asked, conllu=True)
        with small_blocks(20, 7), pytest.MonkeyPatch.context() as patch:
            patch.setattr(runs, "RUN", run)
            assert tagged(model, path, *asked, conllu=True) == whole
        if not asked[1]:
            kept = [
                line
                for line in whole.decode().split(end)
                if not re.match("# (confidence|entropy|entropy_per_token|chunk|nbest) = ", line)
            ]
            for line in kept:
                assert line.startswith("#") or line in ("", "\ufeff") or len(line.split("\t")) == 10
            if not asked[0].best:
                assert [re.sub(r"[|\t]tag=[^\t|]*$|\t_$|\|tag=A$", "", line) for line in kept] == [
                    re.sub(r"\t_$|\|tag=A$", "", line) for line in [*lines, ""]
                ]
