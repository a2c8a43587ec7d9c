"""Label sets: what each mark means, which marked texts are plain labels after all, and what leaves no label."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.formats.conllu import CONLLU
from sstag.foundation.errors import ConfigError, DataError
from sstag.labels.label_sets import label_sets
from sstag.labels.marks import PLAIN, Marks, marks_in

Sets = dict[str, set[str]]


def meant(values: list[str], marks: Marks = Marks(), known: tuple[str, ...] = ()) -> Sets:
    sets = label_sets(values, marks, known)
    return {
        value: {sets.labels[i] for i in allowed} for value, allowed in zip(values, sets.allowed_labels, strict=True)
    }


@pytest.mark.parametrize(
    ("values", "sets"),
    [
        # One label, one of some, any, anything but.
        (["A", "B"], {"A": {"A"}, "B": {"B"}}),
        (["A|B", "C"], {"A|B": {"A", "B"}, "C": {"C"}}),
        (["A|A"], {"A|A": {"A"}}),
        (["A", "B", "?"], {"A": {"A"}, "B": {"B"}, "?": {"A", "B"}}),
        (["A|B", "?"], {"A|B": {"A", "B"}, "?": {"A", "B"}}),
        (["A", "B", "C", "!A"], {"A": {"A"}, "B": {"B"}, "C": {"C"}, "!A": {"B", "C"}}),
        (["A", "B", "C", "!A|B"], {"A": {"A"}, "B": {"B"}, "C": {"C"}, "!A|B": {"C"}}),
        (["A|B", "!A"], {"A|B": {"A", "B"}, "!A": {"B"}}),  # seen among others is seen
        # A bare mark is a label.
        (["A", "!"], {"A": {"A"}, "!": {"!"}}),
        (["A", "|"], {"A": {"A"}, "|": {"|"}}),
        (["A", "B", "!", "!!"], {"A": {"A"}, "B": {"B"}, "!": {"!"}, "!!": {"A", "B"}}),  # anything but the label !
        # So is a mark with nothing, or the unknown, beside it.
        (["A", "A|"], {"A": {"A"}, "A|": {"A|"}}),
        (["A", "|A"], {"A": {"A"}, "|A": {"|A"}}),
        (["A", "B", "A||B"], {"A": {"A"}, "B": {"B"}, "A||B": {"A||B"}}),
        (["A", "A|?"], {"A": {"A"}, "A|?": {"A|?"}}),
        (["A", "!?"], {"A": {"A"}, "!?": {"!?"}}),
        (["A", "?!"], {"A": {"A"}, "?!": {"?!"}}),
        # And !X where X is seen nowhere.
        (["A", "!X"], {"A": {"A"}, "!X": {"!X"}}),
        (["A", "!Y|X"], {"A": {"A"}, "!Y|X": {"!Y|X"}}),
        (["A", "B", "!A|X"], {"A": {"A"}, "B": {"B"}, "!A|X": {"B"}}),  # but one that is seen is enough
        (["A", "!X", "!!X"], {"A": {"A"}, "!X": {"!X"}, "!!X": {"!!X"}}),
        (["A", "!X", "?"], {"A": {"A"}, "!X": {"!X"}, "?": {"A", "!X"}}),
        (["A", "B", "!X", "!A"], {"A": {"A"}, "B": {"B"}, "!X": {"!X"}, "!A": {"B", "!X"}}),
        # The negation stands first or nowhere.
        (["A", "A!B"], {"A": {"A"}, "A!B": {"A!B"}}),
        (["A|!B", "B"], {"A|!B": {"A", "!B"}, "B": {"B"}}),
    ],
)
def test_marks(values: list[str], sets: Sets) -> None:
    assert meant(values) == sets
    assert meant(values[::-1]) == sets  # whatever their order


def test_known_labels_come_first_and_in_their_order() -> None:
    sets = label_sets(["B", "Z", "?", "Y|A"], known=("C", "B"))
    assert sets.labels == ("C", "B", "A", "Y", "Z")
    assert sets.allowed_labels == ((1,), (4,), (0, 1, 2, 3, 4), (3, 2))


def test_known_labels_count_as_seen() -> None:
    assert meant(["A", "!X"], known=("X",)) == {"A": {"A"}, "!X": {"A"}}
    assert meant(["?"], known=("X", "Y")) == {"?": {"X", "Y"}}
    assert meant(["!X"], known=("X", "Y")) == {"!X": {"Y"}}


def test_nothing_is_known_of_labels_that_are_all_unknown() -> None:
    sets = label_sets(["?"])
    assert sets.labels == ()
    assert sets.allowed_labels == ((),)
    assert sets.allowed.shape == (1, 0)


@pytest.mark.parametrize("value", ["!A|B", "!B|A"])
def test_a_value_that_leaves_no_label_is_an_error_at_its_line(value: str) -> None:
    with pytest.raises(DataError) as error:
        label_sets(["A", "B", value], line_of=lambda index: ("corpus", 10 + index))
    assert str(error.value) == f"corpus:12: '{value}' leaves no label (labels: A, B)"
    with pytest.raises(DataError, match=r"^'!A' leaves no label"):
        label_sets(["A", "!A"])


@pytest.mark.parametrize(
    ("marks", "values", "sets"),
    [
        (PLAIN, ["A", "A|B", "?", "!A"], {"A": {"A"}, "A|B": {"A|B"}, "?": {"?"}, "!A": {"!A"}}),
        (Marks(either=None), ["A", "PREP|+", "?"], {"A": {"A"}, "PREP|+": {"PREP|+"}, "?": {"A", "PREP|+"}}),
        (Marks(either=None), ["A", "B|C", "!B|C"], {"A": {"A"}, "B|C": {"B|C"}, "!B|C": {"A"}}),
        (Marks(unknown=None), ["A", "?", "!?"], {"A": {"A"}, "?": {"?"}, "!?": {"A"}}),
        (Marks(negation=None), ["A", "B", "!A"], {"A": {"A"}, "B": {"B"}, "!A": {"!A"}}),
        (
            Marks(" or ".strip(), "_", "not:"),
            ["AorB", "not:A", "_"],
            {"AorB": {"A", "B"}, "not:A": {"B"}, "_": {"A", "B"}},
        ),
        (
            Marks(negation="?", unknown="!"),
            ["A", "B", "?A", "!"],
            {"A": {"A"}, "B": {"B"}, "?A": {"B"}, "!": {"A", "B"}},
        ),
        (
            marks_in(CONLLU),
            ["NOUN", "!", "A|B", "_"],
            {"NOUN": {"NOUN"}, "!": {"!"}, "A|B": {"A|B"}, "_": {"NOUN", "!", "A|B"}},
        ),
    ],
)
def test_marks_can_be_changed_or_switched_off(marks: Marks, values: list[str], sets: Sets) -> None:
    assert meant(values, marks) == sets


def test_mac_morpho_and_nettalk_need_a_mark_off() -> None:
    assert meant(["PREP|+", "ART"])["PREP|+"] == {"PREP", "+"}
    assert meant(["PREP|+", "ART"], Marks(either=None))["PREP|+"] == {"PREP|+"}
    assert meant(["!", "a", "?"], Marks(unknown=None))["?"] == {"?"}


@pytest.mark.parametrize(
    "marks", [("", "?", "!"), ("|", "|", "!"), ("|", "?", "?"), ("a b", "?", "!"), ("|", "\u3000", "!")]
)
def test_marks_that_cannot_be_are_an_error(marks: tuple[str, str, str]) -> None:
    with pytest.raises(ConfigError, match="marks must differ"):
        Marks(*marks)


def test_labels_that_contain_a_mark_are_told() -> None:
    assert label_sets(["A", "A|", "!", "!X", "A|B", "?"]).marked == ("!", "!X", "A|")
    assert label_sets(["A", "B", "A|B", "!A", "?"]).marked == ()
    assert label_sets(["!", "A|B"], PLAIN).marked == ()


def test_arrays_say_the_same_as_the_candidates() -> None:
    sets = label_sets(["A", "A|B", "?", "!A", "C"])
    assert sets.labels == ("A", "B", "C")
    assert sets.sizes.tolist() == [1, 2, 3, 2, 1]
    assert sets.single.tolist() == [0, -1, -1, -1, 2]
    assert sets.unknown.tolist() == [False, False, True, False, False]
    assert sets.allowed.astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]]


def test_only_the_mark_is_unknown_however_few_labels_there_are() -> None:
    sets = label_sets(["A", "?", "A|B", "B"])
    assert sets.unknown.tolist() == [False, True, False, False]
    sets = label_sets(["A", "?"])
    assert sets.single.tolist() == [0, -1]
    assert sets.unknown.tolist() == [False, True]


@given(st.lists(st.text("AB|?!", min_size=1, max_size=5), unique=True, max_size=6))
def test_any_text_is_a_set_or_leaves_no_label(values: list[str]) -> None:
    try:
        sets = label_sets(values)
    except DataError as error:
        assert "leaves no label" in str(error)  # noqa: PT017 - not every example is one
        return
    assert len(set(sets.labels)) == len(sets.labels)
    for value, candidates in zip(values, sets.allowed_labels, strict=True):
        allowed = {sets.labels[i] for i in candidates}
        assert len(allowed) == len(candidates)
        if value == "?":
            assert allowed == set(sets.labels)
        elif value[0] == "!" and allowed != {value}:
            excluded = set(sets.labels) - allowed
            assert excluded
            assert excluded <= {value[1:], *value[1:].split("|")}
        else:
            assert allowed in ({value}, set(value.split("|")))
