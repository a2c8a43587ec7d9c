"""Counts of right and wrong: the rules as worked examples, then against references that look at one token at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.evaluation.gold import f_score
from sstag.evaluation.report.conlleval import conlleval_text
from sstag.evaluation.scoring import Evaluation, evaluated
from sstag.foundation.errors import ConfigError, DataError
from sstag.labels.marks import PLAIN, Marks
from sstag.labels.schemes.rules import CONLLEVAL
from tests.conlleval import VECTORS, conlleval


def score(gold: str, predicted: str, scheme: str | None = "iob2", marks: Marks = Marks()) -> Evaluation:
    """Sentences are separated by slashes."""
    return evaluated(*([part.split() for part in side.split(" / ")] for side in (gold, predicted)), scheme, marks)


def counts(one: Evaluation) -> tuple[int, ...]:
    """Tokens scored and right; chunks in gold, found and right; chunks that cannot be scored, gold and found."""
    names = ("tokens", "tokens right", "gold", "found", "right")
    return (*(one.totals[name] for name in names), *one.not_scorable)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    # tokens, right; chunks in gold, found, right; not scorable in gold and found
    [
        # An unknown token is not scored, and a chunk that contains it is left out.
        ("B-X I-X O ? O", "B-X I-X O O O", (4, 4, 1, 1, 1, 0, 0)),
        ("O ? O", "O B-X O", (2, 2, 0, 0, 0, 0, 1)),
        ("O ? O", "B-X I-X O", (2, 1, 0, 0, 0, 0, 1)),
        # A chunk that ends beside it may go on there: left out on either side.
        ("B-X ? O", "B-X O O", (2, 2, 0, 0, 0, 1, 1)),
        ("O ? B-X", "O O B-Y", (2, 1, 0, 0, 0, 1, 1)),
        ("B-X O ?", "O B-X O", (2, 0, 1, 0, 0, 0, 1)),
        ("B-X O ? O B-X", "B-X O B-X O B-X", (4, 4, 2, 2, 2, 0, 1)),
        # Another sentence is not beside it.
        ("O ? / B-X O", "O O / B-X O", (3, 3, 1, 1, 1, 0, 0)),
        ("B-X / ? O", "B-X / B-X O", (2, 2, 1, 1, 1, 0, 1)),
        # At an ambiguous token a prediction among the allowed labels is right ...
        ("B-X|B-Y O", "B-X O", (2, 2, 1, 1, 1, 0, 0)),
        ("B-X|B-Y O", "B-Y O", (2, 2, 1, 1, 1, 0, 0)),
        ("O|B-X O", "O O", (2, 2, 0, 0, 0, 0, 0)),
        # ... else the first allowed label is the gold.
        ("B-X|B-Y O", "O O", (2, 1, 1, 0, 0, 0, 0)),
        ("O|B-X O", "B-Y O", (2, 1, 0, 1, 0, 0, 0)),
        # !A is every label but A, also one that the gold never has; its first label is the first of the alphabet.
        ("!B-X I-X B-X", "I-X I-X B-X", (3, 3, 2, 2, 2, 0, 0)),
        ("!B-X B-X O", "B-Z B-X O", (3, 3, 2, 2, 2, 0, 0)),
        ("!O B-X O", "B-Z O O", (3, 2, 2, 1, 1, 0, 0)),
        ("!O|B-Z B-X O", "B-Z B-X O", (3, 2, 2, 2, 1, 0, 0)),
        # A chunk is right if its bounds and its type are, whatever its tags.
        ("B-X I-X O", "I-X I-X O", (3, 2, 1, 1, 1, 0, 0)),
        ("B-X I-X I-X", "B-X I-X B-X", (3, 2, 1, 2, 0, 0, 0)),
        # What is no tag of the scheme is outside every chunk, and wrong.
        ("B-X I-X O", "B-X S-X foo", (3, 1, 1, 1, 0, 0, 0)),
    ],
)
def test_worked_examples_of_unknown_and_ambiguous_labels(gold: str, predicted: str, expected: tuple[int, ...]) -> None:
    assert counts(score(gold, predicted)) == expected


def test_sentences_are_right_if_every_scored_token_is_and_do_not_count_without_one() -> None:
    one = score("B-X ? / ? ? / O O / O B-X", "B-X O / O O / O O / O O")
    assert (one.totals["sentences"], one.totals["sentences right"]) == (3, 2)
    assert one.figures["sentence accuracy"] == 2 / 3
    assert one.rows.sum(axis=0).tolist() == list(one.totals.values())


def test_plain_labels_have_figures_for_each_label() -> None:
    one = score("N N V ? A|V", "N V V V A", None)
    assert (one.unit, one.figures, one.ambiguous) == ("labels", {"accuracy": 0.75, "sentence accuracy": 0.0}, 1)
    assert one.by_kind == {"N": (2, 1, 1), "V": (1, 2, 1), "A": (1, 1, 1)}
    assert one.confusions() == [("N", "V", 1, 1)]
    assert one.chunks is None


def test_segmentation_counts_words() -> None:
    one = score("B I B B I / B I", "B I B I I / I I", None)
    assert one.unit == "words"
    assert (one.totals["gold"], one.totals["found"], one.totals["right"]) == (4, 3, 2)
    assert score("B I O B", "B I O B", None).unit == "chunks"


def test_what_is_worth_a_warning_is_counted() -> None:
    one = score("B-X B-X B-Y foo O ? !bar", "B-X B-X O foo O B-Z baz", marks=Marks(unknown="?"))
    assert one.gold_only == {"!bar": 1, "B-Y": 1}
    assert one.strangers == ({"!bar": 1, "foo": 1}, {"baz": 1, "foo": 1})
    assert one.marked == ("!bar",)
    assert sorted(one.found) == ["B-X", "B-Z", "O", "baz", "foo"]


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O", "O"]], [["O"]], "sentence 1: 2 gold labels, but 1 predicted"),
        ([["O"]], [["O"], ["O"]], "1 sentence of gold labels, but 2 of predicted ones"),
        ([["O", 3]], [["O", "O"]], "sentence 1: 3 is no label: that is a text"),
        ([["O"], ["O"]], [["O"], [["O"]]], r"sentence 2: \['O'\] is no label"),
        (["OO"], [["O", "O"]], "sentence 1: 'OO' is no list of labels"),
        ([[]], [[]], "no sentence with a label"),
        ([], [], "no sentence with a label"),
        ([["?", "?"]], [["O", "O"]], "no label is decided"),
        ([["O"] * 5000], [[str(i) for i in range(5000)]], "5001 different labels with the predicted ones"),
    ],
)
def test_labels_that_cannot_be_scored(gold: list[list[str]], predicted: list[list[str]], message: str) -> None:
    with pytest.raises(DataError, match=f"^{message}"):
        evaluated(gold, predicted)


def test_a_scheme_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"^unknown scheme 'iobb'; did you mean 'iob[12]'\?$"):
        evaluated([["O"]], [["O"]], "iobb")


def test_empty_sentences_have_nothing_to_score() -> None:
    whole, without = ([["O"], *empty, ["B-X"]] for empty in ([[], []], []))
    assert evaluated(whole, whole, "iob2").totals == evaluated(without, without, "iob2").totals


# Against references


@pytest.mark.parametrize("number", range(len(VECTORS)))
def test_conlleval_is_printed_to_the_byte(number: int) -> None:
    pairs = VECTORS[number]["sentences"]
    one = evaluated([gold for gold, _ in pairs], [guess for _, guess in pairs], CONLLEVAL)
    assert conlleval_text(one).decode() == VECTORS[number]["printed"] == conlleval(pairs)


ROLE = st.sampled_from(["B", "I", "E", "S", "L", "x", ""])
TYPED = st.builds("{}-{}".format, ROLE, st.sampled_from(["A", "B-C", "é", "0"]))
TAG = st.sampled_from(["O", "B", "I", "E"]) | TYPED


@given(st.lists(st.lists(st.tuples(*[TAG] * 2), min_size=1, max_size=8), min_size=1, max_size=4))
def test_any_mixture_of_tags_is_cut_as_conlleval_does(pairs: list[list[tuple[str, str]]]) -> None:
    gold, guess = ([[pair[side] for pair in sentence] for sentence in pairs] for side in (0, 1))
    printed = conlleval_text(evaluated(gold, guess, CONLLEVAL, PLAIN)).decode()
    wanted = conlleval(list(zip(gold, guess, strict=True)))
    assert [" ".join(line.split()) for line in printed.split("\n")] == [" ".join(x.split()) for x in wanted.split("\n")]


def test_conlleval_pads_bytes_and_knows_no_chunk_in_plain_labels() -> None:
    lines = conlleval_text(evaluated([["B-é"]], [["B-é"]], CONLLEVAL)).splitlines()
    assert lines[2].index(b":") == 17
    text = conlleval_text(evaluated([["N", "V"]], [["N", "N"]], CONLLEVAL)).decode()
    assert text == (
        "processed 2 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
        "accuracy:  50.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
    )


LABELS = ["B-X", "I-X", "B-Y", "I-Y", "O"]
GOLD = st.sampled_from([*LABELS * 2, "?", "B-X|O", "I-Y|B-Y|I-X", "!O", "!I-X|B-X"])
SENTENCES = st.lists(st.lists(st.tuples(GOLD, st.sampled_from(LABELS)), min_size=1, max_size=7), min_size=1, max_size=4)


def _cut(tags: list[str | None]) -> set[tuple[int, int, str]]:
    """IOB2 chunks; None is outside."""
    found = []
    for i, tag in enumerate([*tags, None]):
        if found and found[-1][1] is None and (tag in (None, "O") or tag[0] == "B" or tag[2:] != found[-1][2]):
            found[-1][1] = i
        if tag not in (None, "O") and not (found and found[-1][1] is None):
            found.append([i, None, tag[2:]])
    return {(first, stop, kind) for first, stop, kind in found}


def _reference(sentences: list[list[tuple[str, str]]]) -> tuple[int, ...]:
    total = np.zeros(7, int)
    for sentence in sentences:
        gold: list[str | None] = []
        for text, guess in sentence:
            excluded = text[1:].split("|") if text[0] == "!" else []
            allowed = sorted(set(LABELS) - set(excluded)) if excluded else text.split("|")
            gold.append(None if text == "?" else guess if guess in allowed else allowed[0])
        guesses = [guess for _, guess in sentence]
        unknown = {i for i, label in enumerate(gold) if label is None}
        sides = [_cut(gold), _cut(list(guesses))]
        scorable = [{c for c in side if unknown.isdisjoint(range(c[0] - 1, c[1] + 1))} for side in sides]
        right = sum(a == b for a, b in zip(gold, guesses, strict=True))
        lost = [len(side) - len(counted) for side, counted in zip(sides, scorable, strict=True)]
        total += [len(gold) - len(unknown), right, *map(len, scorable), len(scorable[0] & scorable[1]), *lost]
    return tuple(total.tolist())


@given(SENTENCES)
def test_counts_are_those_of_a_reference_and_f_score_is_f1(sentences: list[list[tuple[str, str]]]) -> None:
    sentences.append([(label, label) for label in LABELS])  # so that every label is known
    one = evaluated(*([[pair[side] for pair in sentence] for sentence in sentences] for side in (0, 1)), "iob2")
    assert counts(one) == _reference(sentences)
    assert f_score(one.tags, one.gold, one.predicted, one.offsets) == one.figures["f1"]
    assert sum(sum(kinds) for kinds in one.by_kind.values()) == sum(counts(one)[2:5])
    assert sum(times for _, _, times, _ in one.confusions()) == one.totals["tokens"] - one.totals["tokens right"]


@given(SENTENCES)
def test_f_score_of_plain_labels_is_the_accuracy(sentences: list[list[tuple[str, str]]]) -> None:
    sentences.append([(label, label) for label in LABELS])
    one = evaluated(*([[pair[side] for pair in sentence] for sentence in sentences] for side in (0, 1)), "plain")
    assert f_score(one.tags, one.gold, one.predicted, one.offsets) == one.figures["accuracy"]
    assert {name: numbers[2] for name, numbers in one.by_kind.items() if numbers[2]} == {
        one.labels[code]: int(times)
        for code, times in zip(*np.unique(one.gold[one.scored & ~one.wrong], return_counts=True), strict=True)
    }
